"""A least-squares problem with few rows, solved by its rows: as many equations as rows, not as unknowns.

Minimise `1/2 sum d (x - c)^2 + 1/2 ||B x - t||^2` with `E x = e`. The pose and the ridge give every unknown a weight of
its own (d) and a centre (c); all other objectives are a few rows (B, and E for the levels above). With `K = [E; B]`

    x = c + D^-1 K' y        (K D^-1 K' + diag(0, 1)) y = [e; t] - K c

y are the forces with which the rows pull x away from its centre.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from scipy.linalg import lapack

from gambol.control.bounded import SOFTNESS
from gambol.control.factors import RowFactors
from gambol.control.priorities import Level


@dataclass(frozen=True)
class Objectives:
    """Of one level: `sum weight (x - center)^2 + ||B x - t||^2`."""

    weight: np.ndarray
    """(n,) may be zero"""
    pull: np.ndarray
    """(n,) weight times center"""
    rows: Level
    """B (r, n) and t (r,)"""


class RowMinimum:
    """The minimum, and the minimum with some further rows held. `trouble`: it cannot be solved this way."""

    def __init__(self, exact: Level, objectives: Objectives, ridge: np.ndarray) -> None:
        (E, e), (B, t) = exact, objectives.rows
        self._E, self._e = E, e
        self._K = K = np.concatenate([E, B]) if len(E) else B
        self._inverse = 1.0 / (objectives.weight + ridge)
        center = self._inverse * objectives.pull
        self._scaled = K * self._inverse
        gram = self._scaled @ K.T
        gram.ravel()[len(E) * (len(K) + 1)::len(K) + 1] += 1.0
        self._U, self.trouble = lapack.dpotrf(gram)
        if not self.trouble:
            self._x = self._without(center, np.concatenate([e, t]) if len(E) else t)
            self.trouble = not isfinite(self._x.sum())

    def _without(self, x: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """The minimum without further rows, from the centre."""
        forces, loose = np.zeros(len(wanted)), len(self._e)
        for _ in range(2):  # the second time takes out rounding error
            gap = wanted - self._K @ x
            gap[loose:] -= forces[loose:]
            more = self._solve(gap)
            forces += more
            x = x + more @ self._scaled
        return x

    def free(self) -> np.ndarray:
        return self._x

    def held(self, rows: np.ndarray, at: np.ndarray, soft: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The minimum with `rows x = at`, and the price of each row; soft rows give way as DAQP lets them."""
        scaled = rows * self._inverse
        across = self._K @ scaled.T
        turned = lapack.dtrtrs(self._U, across, trans=1)[0]
        gram = scaled @ rows.T - turned.T @ turned
        give = np.where(soft, SOFTNESS, 0.0) * gram.diagonal()
        gram.ravel()[::len(at) + 1] += give
        factor, trouble = lapack.dpotrf(gram)
        if trouble:
            return None
        x, price = self._x, np.zeros(len(at))
        for _ in range(2):  # the second time takes out rounding error
            more = lapack.dpotrs(factor, rows @ x - at - give * price)[0]
            x = x - more @ scaled + self._solve(across @ more) @ self._scaled
            x = self._exactly(x)
            price = price + more
        return x, price

    def _solve(self, right: np.ndarray) -> np.ndarray:
        return lapack.dpotrs(self._U, right)[0]

    def _exactly(self, x: np.ndarray) -> np.ndarray:
        """x with rounding error taken out of the rows that are to hold exactly."""
        count = len(self._e)
        if not count:
            return x
        right = np.zeros(len(self._K))
        np.subtract(self._e, self._E @ x, out=right[:count])
        return x + self._solve(right) @ self._scaled


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
