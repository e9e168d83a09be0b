"""Sums: small symmetric blocks of many instances, added up into one symmetric matrix for each phase.

Most of the time of adding up is memory's. So only places on or above the diagonal that some block reaches are kept, a
row of numbers a phase, and while they are added the phases lie side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np


class Sums:
    """Where the numbers of blocks go in symmetric matrices of a size."""

    def __init__(self, columns: Sequence[np.ndarray], size: int) -> None:
        """`columns`: for each kind of block the columns of its instances, (n, m); `size` or more is left out."""
        rows = [np.broadcast_to(kind[:, :, None], (*kind.shape, kind.shape[1])) for kind in columns]
        across = [row.transpose(0, 2, 1) for row in rows]
        wanted = [(i <= j) & (j < size) for i, j in zip(rows, across, strict=True)]
        places = [(i * size + j)[some] for i, j, some in zip(rows, across, wanted, strict=True)]
        kept = np.unique(np.concatenate(places))
        self._taken = [np.flatnonzero(some).astype(np.int32) for some in wanted]
        self._to = [np.searchsorted(kept, place).astype(np.int32) for place in places]
        self._kept, self._size = kept, size

    def add(self, blocks: Sequence[jax.Array]) -> jax.Array:
        """All blocks (phases, n, m, m) of each kind added up, (phases, places kept)."""
        phases = len(blocks[0])
        total = jnp.zeros((len(self._kept), phases))
        for block, taken, to in zip(blocks, self._taken, self._to, strict=True):
            numbers = block.reshape(phases, -1).at[:, taken].get(mode="promise_in_bounds")
            total = total.at[to].add(numbers.T, mode="promise_in_bounds")
        return total.T

    def part(self, total: jax.Array, rows: slice, columns: slice) -> jax.Array:
        """Rows and columns of the matrices, (phases, rows, columns)."""
        where = np.zeros((self._size, self._size), dtype=np.int32)  # 0: nothing, else one more than the place
        where.flat[self._kept] = np.arange(1, len(self._kept) + 1)
        where = np.maximum(where, where.T)[rows, columns]
        padded = jnp.concatenate([jnp.zeros((len(total), 1)), total], axis=1)
        return padded.at[:, where].get(mode="promise_in_bounds")
