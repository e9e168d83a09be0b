"""The damped Gauss-Newton step of a banded system: numbers of one phase first, then the knots between phases."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from gambol.synthesis.layout import Layout
from gambol.synthesis.sums import Sums

HOLD = 1e10
"""Added to the diagonal of numbers that stay as they are: more than any weight makes of them."""


def damped_step(layout: Layout, sums: Sums, system: tuple[jax.Array, ...], damping: jax.Array, z: jax.Array,
                kept: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Damped step and the decrease of the cost it promises. Phase-local numbers go first (Schur), then the knots.

    `kept`: whether activations stay as they are, and contacts that are off stay without force.
    """
    knot, parts = layout.knot, layout.parts
    _, total, slope = system
    knots, local = slice(2 * knot), slice(2 * knot, None)
    blocks, cross, inner = (sums.part(total, *which) for which in ((knots, knots), (knots, local), (local, local)))
    diagonal = blocks[:, knot:, knot:].at[:-1].add(blocks[1:, :knot, :knot])
    upper = blocks[1:, :knot, knot:]
    g = slope[:, knot:2 * knot].at[:-1].add(slope[1:, :knot])
    g_local = slope[:, local]
    inner_scale = damping * (jnp.diagonal(inner, axis1=1, axis2=2) + 1e-3)
    knot_scale = damping * (jnp.diagonal(diagonal, axis1=1, axis2=2) + 1e-3)
    c = z[:, parts["c"]]
    on = slice(parts["c"].start - knot, parts["c"].stop - knot)
    held = ((c <= 0) & (g_local[:, on] > 0)) | ((c >= 1) & (g_local[:, on] < 0)) | kept
    hold = jnp.zeros_like(inner_scale).at[:, on].set(HOLD * held)
    forces = slice(parts["f"].start - knot, parts["f"].stop - knot)
    hold = hold.at[:, forces].set(HOLD * kept * (c[:, layout.force_owner] < 0.5))
    side = jnp.concatenate([cross.transpose(0, 2, 1), g_local[..., None]], axis=2)
    # All phases in one call, though some are faster one by one: two calls side by side wait for each other without end.
    factor = _cholesky(inner + jax.vmap(jnp.diag)(inner_scale + hold))
    solved = jax.scipy.linalg.solve_triangular(factor, side, lower=True)
    schur = jnp.einsum("kab,kac->kbc", solved[..., :-1], solved)
    reduced, shift = schur[..., :-1], schur[..., -1]
    diagonal = diagonal + jax.vmap(jnp.diag)(knot_scale) - reduced[:, knot:, knot:]
    diagonal = diagonal.at[:-1].add(-reduced[1:, :knot, :knot])
    upper = upper - reduced[1:, :knot, knot:]
    right = (shift[:, knot:] - g).at[:-1].add(shift[1:, :knot])
    step_knots = _block_tridiagonal(diagonal, upper, right)
    before = jnp.concatenate([jnp.zeros((1, knot)), step_knots[:-1]])
    known = jnp.concatenate([before, step_knots], axis=1)
    side_local = -g_local - jnp.einsum("kba,kb->ka", cross, known)
    step_local = jax.vmap(lambda low, b: jax.scipy.linalg.cho_solve((low, True), b))(factor, side_local)
    step_local = step_local.at[:, on].set(jnp.clip(c + step_local[:, on], 0.0, 1.0) - c)
    step = jnp.concatenate([step_knots, step_local], axis=1)
    scale = jnp.concatenate([knot_scale, inner_scale], axis=1)
    promised = 0.5 * (step * (scale * step - jnp.concatenate([g, g_local], axis=1))).sum()
    return step, promised


def _cholesky(matrix: jax.Array) -> jax.Array:
    return jax.lax.linalg.cholesky(matrix, symmetrize_input=False)  # it is symmetric


def _block_tridiagonal(diagonal: jax.Array, upper: jax.Array, right: jax.Array) -> jax.Array:
    """Solution of a symmetric block-tridiagonal system by Cholesky, block by block."""
    size = diagonal.shape[1]
    none = jnp.zeros((1, size, size))

    def forward(carry: tuple[jax.Array, jax.Array], block: tuple[jax.Array, ...]) -> tuple[Any, Any]:
        low, before = carry
        d, e, b = block
        x = jax.scipy.linalg.solve_triangular(low, e, lower=True)
        new = _cholesky(d - x.T @ x)
        y = jax.scipy.linalg.solve_triangular(new, b - x.T @ before, lower=True)
        return (new, y), (new, y, x)

    def backward(after: jax.Array, block: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
        low, y, x = block
        found = jax.scipy.linalg.solve_triangular(low.T, y - x @ after, lower=False)
        return found, found

    start = (jnp.eye(size), jnp.zeros(size))
    _, (lows, ys, xs) = jax.lax.scan(forward, start, (diagonal, jnp.concatenate([none, upper]), right))
    _, found = jax.lax.scan(backward, jnp.zeros(size), (lows, ys, jnp.concatenate([xs[1:], none])), reverse=True)
    return found
