"""Box, sphere, capsule, cylinder, ellipsoid, plane: signed distance and outward normal, each in its own frame.

Every function takes points (..., 3) and gives distances (...), negative inside, and unit normals (..., 3) of the
nearest face; `nearest` has the nearest point from the two. Sizes are those of MuJoCo's geoms: half sizes, z along the
shape. `xp` is NumPy or `jax.numpy`; slopes are finite everywhere. Where several normals are as good, one is chosen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ON = 1e-16
"""Square of a distance (m^2) below which a point counts as on a face: so short a vector has no direction."""
CORE = 1e-3
"""Least half size (m) of what is left of a box below its rounding."""


def box(points: Any, half: Any, xp: Any = np) -> tuple[Any, Any]:
    """A box about the origin."""
    beyond = xp.abs(points) - half
    out = xp.maximum(beyond, 0.0)
    length, inside = _length(out, xp)
    deepest = (xp.arange(beyond.shape[-1]) == xp.argmax(beyond, axis=-1)[..., None]) * 1.0
    normal = xp.where(inside[..., None], deepest, out / length[..., None])
    return xp.where(inside, xp.max(beyond, axis=-1), length), normal * xp.where(points >= 0, 1.0, -1.0)


def rounded_box(points: Any, half: Any, rounding: Any, xp: Any = np) -> tuple[Any, Any]:
    """A box with edges of a radius, inside the sharp one: its normal is smooth outside."""
    distance, normal = box(points, xp.maximum(half - rounding, CORE), xp)
    return distance - rounding, normal


def sphere(points: Any, radius: Any, xp: Any = np) -> tuple[Any, Any]:
    """A ball about the origin; at its centre the normal is up."""
    length, middle = _length(points, xp)
    normal = xp.where(middle[..., None], xp.asarray([0.0, 0.0, 1.0]), points / length[..., None])
    return xp.where(middle, 0.0, length) - radius, normal


def capsule(points: Any, radius: Any, half: Any, xp: Any = np) -> tuple[Any, Any]:
    """All within a radius of the line from -half to half along z; on the line the normal is x."""
    along = points[..., 2]
    away = xp.concatenate([points[..., :2], (along - xp.clip(along, -half, half))[..., None]], axis=-1)
    length, middle = _length(away, xp)
    normal = xp.where(middle[..., None], xp.asarray([1.0, 0.0, 0.0]), away / length[..., None])
    return xp.where(middle, 0.0, length) - radius, normal


def cylinder(points: Any, radius: Any, half: Any, xp: Any = np) -> tuple[Any, Any]:
    """A cylinder along z: a rectangle in the plane of its axis and the point. On the axis outward is x."""
    across, middle = _length(points[..., :2], xp)
    outward = xp.where(middle[..., None], xp.asarray([1.0, 0.0]), points[..., :2] / across[..., None])
    section = xp.stack([xp.where(middle, 0.0, across), points[..., 2]], axis=-1)
    distance, normal = box(section, xp.stack([xp.asarray(radius), xp.asarray(half)]), xp)
    return distance, xp.concatenate([normal[..., :1] * outward, normal[..., 1:]], axis=-1)


def ellipsoid(points: Any, half: Any, xp: Any = np) -> tuple[Any, Any]:
    """An ellipsoid about the origin: distance and normal to first order in the distance, so for points near it."""
    level, _ = _length(points / half, xp)
    slope, middle = _length(points / half**2, xp)
    normal = xp.where(middle[..., None], xp.asarray([0.0, 0.0, 1.0]), points / half**2 / slope[..., None])
    return xp.where(middle, -xp.min(half), level * (level - 1.0) / slope), normal


def plane(points: Any, xp: Any = np) -> tuple[Any, Any]:
    """All below z = 0, without end."""
    return points[..., 2], xp.broadcast_to(xp.asarray([0.0, 0.0, 1.0]), points.shape)


def nearest(points: Any, distance: Any, normal: Any) -> Any:
    """The nearest points of a surface, from what one of the functions above gave."""
    return points - distance[..., None] * normal


def _length(vectors: Any, xp: Any) -> tuple[Any, Any]:
    """Lengths, with 1 in place of those next to zero (so that they can be divided by), and a mask of these places."""
    square = xp.vecdot(vectors, vectors)
    none = square < ON
    return xp.sqrt(xp.where(none, 1.0, square)), none
