"""A least-squares problem with few rows, solved by its rows: as many equations as rows, not as unknowns.

Minimise `1/2 sum d x^2 - pull x + 1/2 sum (K x - t)^2 / give`. Pose and ridge give every unknown a weight (d) and
a centre (c = pull / d) of its own; all other objectives are a few rows. A row that gives nothing holds exactly: so do
the levels above the last one.

    x = c + D^-1 K' y        (K D^-1 K' + diag(give)) y = t - K c

y are the forces with which the rows pull x away from its centre. An unknown that is held at a value has that as its
centre and does not yield: its entry of D^-1 is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from scipy.linalg import lapack

from gambol.control.qp.bounded import SOFTNESS
from gambol.control.qp.pivoted_qr import RowFactors
from gambol.control.qp.priorities import Level

INDEPENDENT = 1e-9
"""Least share of an exact row (squared) that must be its own, not the other exact rows': else they are sorted first."""


@dataclass(slots=True)
class RowProblem:
    """`sum weight x^2 - 2 pull x + sum (K x - t)^2 / give`; weights are positive."""

    K: np.ndarray
    t: np.ndarray
    give: np.ndarray
    """(rows,) zero for rows that hold exactly"""
    exact: int
    """how many do: those come first"""
    weight: np.ndarray
    pull: np.ndarray
    """(n,)"""


class RowMinimum:
    """The minimum with some unknowns held, and with some further rows held. `trouble`: it cannot be solved this way."""

    def __init__(self, problem: RowProblem, fixed: np.ndarray | None = None, at: np.ndarray | None = None) -> None:
        self._problem = problem
        K, t, give = problem.K, problem.t, problem.give
        self._inverse = 1.0 / problem.weight
        x = self._inverse * problem.pull
        if fixed is not None:
            self._inverse[fixed], x[fixed] = 0.0, at
        self._scaled = K * self._inverse
        if not len(t):
            self.x, self._forces, self._U, self.trouble = x, t, None, False
            return
        gram = self._scaled.dot(K.T)
        diagonal = gram.ravel()[::len(t) + 1]
        whole = INDEPENDENT * diagonal[:problem.exact] if problem.exact else None
        diagonal += give
        self._U, forces, trouble = lapack.dposv(gram.T, t - K.dot(x), overwrite_a=1, overwrite_b=1)
        self.trouble = bool(trouble)
        if whole is not None:
            own = self._U.diagonal()[:problem.exact]
            self.trouble |= True in (own * own < whole).tolist()
        if self.trouble:
            return
        x = x + forces.dot(self._scaled)
        if problem.exact:  # take out rounding error
            more = self._solve(t - K.dot(x) - give * forces)
            forces, x = forces + more, x + more.dot(self._scaled)
        self.x, self._forces = x, forces

    def pushes(self) -> np.ndarray:
        """How hard the minimum pushes on each unknown that is held, (n,)."""
        return self._push(self.x, self._forces)

    def _push(self, x: np.ndarray, forces: np.ndarray) -> np.ndarray:
        return forces.dot(self._problem.K) + self._problem.pull - self._problem.weight * x

    def held(self, rows: np.ndarray, at: np.ndarray, soft: np.ndarray
             ) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The minimum with `rows x = at`, the push on each held unknown and on each row.

        Soft rows give way as DAQP lets them.
        """
        K, t, yields = self._problem.K, self._problem.t, self._problem.give
        scaled = rows * self._inverse
        across = K.dot(scaled.T)
        turned = across if self._U is None else lapack.dtrtrs(self._U, across, trans=1)[0]
        gram = scaled.dot(rows.T) - turned.T.dot(turned)
        give = np.where(soft, SOFTNESS, 0.0) * gram.diagonal()
        gram.ravel()[::len(at) + 1] += give
        factor, trouble = lapack.dpotrf(gram)
        if trouble:
            return None
        x, forces, price = self.x, self._forces, np.zeros(len(at))
        for _ in range(2):  # the second time takes out rounding error
            more = lapack.dpotrs(factor, rows.dot(x) - at - give * price)[0]
            price = price + more
            change = self._solve(across.dot(more))
            x, forces = x - more.dot(scaled) + change.dot(self._scaled), forces + change
            change = self._solve(t - K.dot(x) - yields * forces)
            x, forces = x + change.dot(self._scaled), forces + change
        return x, self._push(x, forces) - price.dot(rows), price

    def _solve(self, right: np.ndarray) -> np.ndarray:
        return right if self._U is None else lapack.dpotrs(self._U, right)[0]


def exact_rows(levels: Sequence[Level], n: int) -> Level | None:
    """Rows (orthonormal) and values that fix the solution of some levels, each among those of the ones above.

    None if there are numbers that are none.
    """
    reaches: list[np.ndarray] = []
    values: list[np.ndarray] = []
    x = np.zeros(n)
    for A, b in levels:
        norm = sqrt(np.vdot(A, A))
        if not isfinite(norm):
            return None
        left = A
        for reach in reaches:
            left = left - (left @ reach) @ reach.T
        factors = RowFactors(left, norm)
        if factors.rank:
            reach, value = factors.reach(), factors.coordinates(b - A @ x)
            x = x + reach @ value
            reaches.append(reach)
            values.append(value)
    if not reaches:
        return np.zeros((0, n)), np.zeros(0)
    return np.concatenate(reaches, axis=1).T, np.concatenate(values)
