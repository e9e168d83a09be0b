"""Pivoted QR factors of rows: rank, least-squares step and null space from one factoring."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.linalg import lapack

RANK_TOLERANCE = 1e-11
"""Share of the norm of a level's rows below which pivoted QR calls a direction free."""


class RowFactors:
    """Pivoted QR of the transpose of rows A (r, n): their least-squares step and their null space from one factoring.

    Does here what the singular value decomposition does in Algorithm 1 (`priorities.py`), at a fraction of the cost.
    `norm` is that of the rows before they were projected: what is small against it is rounding error.
    """

    def __init__(self, A: np.ndarray, norm: float = 0.0) -> None:
        self.size = A.shape[1]
        if not A.size:
            self.rank, self.spread = 0, 1.0
            return
        packed, pivots, tau, _, _ = lapack.dgeqp3(A.T)  # SciPy's own qr spends half its time around these calls
        diagonal = np.abs(packed.diagonal())
        self.rank = int(np.count_nonzero(diagonal > RANK_TOLERANCE * max(norm, diagonal[0])))
        self.spread = float(diagonal[self.rank - 1] / diagonal[0]) if self.rank else 1.0
        """about the smallest singular value that counts, as a share of the largest"""
        self._packed, self._tau, self._order = packed, tau[:self.rank], pivots - 1

    def along(self, basis: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Orthonormal columns that A reaches (n, rank) and that it leaves free (n, n - rank), both times `basis`."""
        rank, n = self.rank, self.size
        if rank == 0:
            everything = np.eye(n) if basis is None else basis
            return everything[:, :0], everything
        if basis is None:
            Q = np.zeros((n, n), order="F")
            Q[:, :rank] = self._packed[:, :rank]
            Q = lapack.dorgqr(Q, self._tau, lwork=64 * n, overwrite_a=1)[0]
        else:
            Q = lapack.dormqr("R", "N", self._packed[:, :rank], self._tau, basis, 64 * len(basis))[0]
        return Q[:, :rank], Q[:, rank:]

    def reach(self) -> np.ndarray:
        """Orthonormal columns that A reaches, (n, rank)."""
        if self.rank == 0:
            return np.zeros((self.size, 0))
        return lapack.dorgqr(self._packed[:, :self.rank], self._tau, lwork=64 * self.rank)[0]

    def coordinates(self, b: np.ndarray) -> np.ndarray:
        """Of the smallest w that minimises `||A w - b||`, along the columns that A reaches: (rank,)."""
        if self.rank == 0:
            return np.zeros(0)
        R, right = self._packed[:self.rank], b[self._order]
        if self.rank == len(right):
            return lapack.dtrtrs(R, right, trans=1)[0]
        return lapack.dgels((R * _upper(*R.shape)).T, right)[1][:self.rank]


@lru_cache
def _upper(rows: int, columns: int) -> np.ndarray:
    """Ones on and above the diagonal, zeros below."""
    return np.triu(np.ones((rows, columns)))


def null_space(A: np.ndarray, norm: float = 0.0) -> np.ndarray:
    """Orthonormal basis of the null space, (n, n - rank); `norm` as in `RowFactors`."""
    return RowFactors(A, norm).along()[1]
