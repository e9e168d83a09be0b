"""Friction cones, as the few rays that a contact force is a sum of."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gambol.kinematics.kinematics import skew

RAYS = 4
"""Rays of a cone: a pyramid inside it."""
FORCE_UNIT = 100.0
"""One unit along a friction ray, N: keeps the unknowns of the whole-body problem of one order."""


def friction_rays(normal: np.ndarray, friction: float | np.ndarray) -> np.ndarray:
    """Edges of friction pyramids inside the cones around the normals (k, 3): (k, RAYS, 3), length FORCE_UNIT.

    `friction` is one number, or (k, 1, 1).
    """
    reference = np.where(np.abs(normal[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = reference - normal * np.sum(reference * normal, axis=1, keepdims=True)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = (skew(normal) @ first[..., None])[..., 0]
    angle = np.pi / 4 + np.arange(RAYS) * 2 * np.pi / RAYS
    rays = (normal[:, None] + friction * (np.cos(angle)[:, None] * first[:, None]
                                          + np.sin(angle)[:, None] * second[:, None]))
    return rays * FORCE_UNIT / np.sqrt(1.0 + friction**2)


def cached_rays(normal: np.ndarray, friction: float | np.ndarray) -> np.ndarray:
    """`friction_rays`, kept: normals of ground at rest hardly change from tick to tick. `friction`: one or (k,)."""
    return _cached(normal.tobytes(), friction.tobytes() if isinstance(friction, np.ndarray) else friction)


@lru_cache(maxsize=256)
def _cached(normals: bytes, friction: float | bytes) -> np.ndarray:
    each = np.frombuffer(friction)[:, None, None] if isinstance(friction, bytes) else friction
    rays = friction_rays(np.frombuffer(normals).reshape(-1, 3), each)
    rays.flags.writeable = False
    return rays
