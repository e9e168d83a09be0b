"""Exponential map of rotations: matrix, angular velocity and acceleration [mordatch2015, appendix of chapter 3].

Written with few operations: what XLA has to compile is what a cold start waits for.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

SMALL = 1e-4
"""Squared angle below which the series is used."""
_EPSILON = np.zeros((3, 3, 3))
_EPSILON[[0, 1, 2], [1, 2, 0], [2, 0, 1]], _EPSILON[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = 1.0, -1.0
_CROSS = _EPSILON.reshape(3, 9)
_MATRIX = -_EPSILON.reshape(9, 3)


def cross(a: jax.Array, b: jax.Array) -> jax.Array:
    """a x b for two vectors."""
    return jnp.asarray(_CROSS @ (a[:, None] * b[None, :]).reshape(9))


def _coefficients(square: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """sin t / t, (1 - cos t) / t^2, (t - sin t) / t^3 from t^2."""
    small = square < SMALL
    safe = jnp.where(small, 1.0, square)
    angle = jnp.sqrt(safe)
    sine, cosine = jnp.sin(angle), jnp.cos(angle)
    return (jnp.where(small, 1 - square / 6, sine / angle), jnp.where(small, 0.5 - square / 24, (1 - cosine) / safe),
            jnp.where(small, 1 / 6 - square / 120, (angle - sine) / (safe * angle)))


def matrix(r: jax.Array) -> jax.Array:
    """Rotation matrix of the vector r (axis times angle)."""
    square = r @ r
    a, b, _ = _coefficients(square)
    return (1 - b * square) * jnp.eye(3) + a * (_MATRIX @ r).reshape(3, 3) + b * r[:, None] * r[None, :]


def matrix_and_velocity(r: jax.Array, rate: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Rotation matrix, and angular velocity omega = E(r) r' in the world frame."""
    square = r @ r
    a, b, c = _coefficients(square)
    skew = (_MATRIX @ r).reshape(3, 3)
    outer = r[:, None] * r[None, :]
    once = skew @ rate
    turn = (1 - b * square) * jnp.eye(3) + a * skew + b * outer
    return turn, rate + b * once + c * (skew @ once)


def angular_velocity(r: jax.Array, rate: jax.Array) -> jax.Array:
    return matrix_and_velocity(r, rate)[1]


def angular_acceleration(r: jax.Array, rate: jax.Array, second: jax.Array) -> jax.Array:
    """omega' = E(r) r'' + E'(r, r') r'."""
    return jax.jvp(angular_velocity, (r, rate), (rate, second))[1]
