"""Surfaces that can be touched: the ground z = 0 and boxes. Distances, nearest points, and soft ones.

The soft nearest point is that of [mordatch2015, eq. 3.3].

Boxes have edges rounded by a centimetre, so that offsets and normals are smooth wherever something can stand. What is
round itself, as a hand is, needs no such help, and would lean on edges that are not there.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from gambol.geometry import solids

ROUNDING = 0.01
"""Radius of a box's edges, m."""
KEEN = 0.001
"""The same for what touches with a round part, m."""
SHARPNESS = 1e4
"""k of [mordatch2015, eq. 3.3], 1/m^2: a surface's share in the soft nearest point halves at 1 cm."""
RIM = np.array([0.0, 0.0, 0.06])
"""A patch whose middle is beyond the edge of a top and below it by no more than this together (m) is for the top."""
MASK = 0.015
"""Softness of a box's footprint in the upward push, m."""

Boxes = dict[str, jax.Array]
"""Boxes of the scene: `center` (b, 3), `turn` (b, 3, 3), `half` (b, 3)."""


def box_distance(point: jax.Array, half: jax.Array, rounding: jax.Array | float = ROUNDING
                 ) -> tuple[jax.Array, jax.Array]:
    """Signed distance of a point from a box about the origin, and the outward normal there."""
    distance, normal = solids.rounded_box(point, half, rounding, jnp)
    return distance, normal


def distances(point: jax.Array, boxes: Boxes, rounding: jax.Array | float = ROUNDING) -> tuple[jax.Array, jax.Array]:
    """Signed distances of a point from ground and boxes, (1 + b), and normals (1 + b, 3)."""

    def one(center: jax.Array, turn: jax.Array, half: jax.Array) -> tuple[jax.Array, jax.Array]:
        distance, normal = box_distance(turn.T @ (point - center), half, rounding)
        return distance, turn @ normal

    away, normals = jax.vmap(one)(boxes["center"], boxes["turn"], boxes["half"])
    up = jnp.array([[0.0, 0.0, 1.0]])
    return jnp.concatenate([point[2:], away]), jnp.concatenate([up, normals])


def shares(away: jax.Array) -> jax.Array:
    """Share of each surface in the soft nearest point, from the signed distances."""
    share = 1 / (1 + SHARPNESS * away**2)
    return share / share.sum()


def off_faces(point: jax.Array, middle: jax.Array, boxes: Boxes) -> jax.Array:
    """Vectors to a point of a patch from the ground, and from the face of each box that the patch's middle is for.

    (1 + b, 3). Nearest points alone would let a sole bend over an edge: heel on the top, toes on the side.
    """

    def one(center: jax.Array, turn: jax.Array, half: jax.Array) -> jax.Array:
        local, inner = turn.T @ (point - center), turn.T @ (middle - center)
        face = jnp.arange(3) == jnp.argmax(jnp.abs(inner) - half + RIM)
        return turn @ (local - jnp.where(face, jnp.sign(inner) * half, jnp.clip(local, -half, half)))

    return jnp.concatenate([(point * jnp.array([0.0, 0.0, 1.0]))[None],
                            jax.vmap(one)(boxes["center"], boxes["turn"], boxes["half"])])


def upward(point: jax.Array, radius: jax.Array, brim: jax.Array, boxes: Boxes) -> jax.Array:
    """How far a point must rise to be above each box that it is over or in, (b). Sideways it is pushed at its rim.

    The slope is the true one: else steps that swing something in there are refused again and again. Footprints are
    wider than their boxes by `brim`: a margin ahead of a box, or less than zero to spare its sides.
    """

    def one(center: jax.Array, turn: jax.Array, half: jax.Array) -> jax.Array:
        local = jnp.abs(turn.T @ (point - center))[:2]
        over = jnp.prod(jax.nn.sigmoid((half[:2] + brim - local) / MASK))
        return over * jnp.maximum(center[2] + half[2] + radius - point[2], 0.0)

    return jax.vmap(one)(boxes["center"], boxes["turn"], boxes["half"])
