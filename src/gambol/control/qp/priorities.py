"""Prioritized least squares: levels `(A_i, b_i)`, each solved among all solutions of the levels above it.

Three ways to the same lexicographic minimum of `||A_1 x - b_1||, ||A_2 x - b_2||, ...`, as pure functions on arrays:

- `prioritized_least_squares`: without inequalities, one singular value decomposition a level, which is Algorithm 1 of
  [delasa2011, section 6.1].
- `prioritized_bounded`: with `lower <= rows x <= upper`, one QP and one null space a level, which is Algorithm 2 of
  [delasa2011, section 6.3].
- `lexicographic_baseline`: the same problem, each solved level kept by equality rows [delasa2011, section 6.3.4]: for
  comparison only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, sqrt

import numpy as np

from gambol.control.qp.bounded import (
    EQUALITY,
    HARD_SLACK,
    NONE,
    SOFT,
    SOFT_SLACK,
    ConvexMinimum,
    Found,
    active_marks,
    bounded_minimum,
    damped_minimum,
    inside,
)
from gambol.control.qp.pivoted_qr import RANK_TOLERANCE, RowFactors, null_space

Level = tuple[np.ndarray, np.ndarray]
"""A (r, n) and b (r,)"""
OnFailure = Callable[[int, str], None]
"""Told the index of a level and `retried` or `lost`."""

EPS = float(np.finfo(float).eps)
PSEUDOINVERSE_TOLERANCE = EPS**0.5
"""Singular values below this do not move the solution [delasa2011, eq. 6.33]. Absolute, so it counts on rows of order
one."""
PROXIMAL = 1e-4
"""Weight of DAQP's proximal term on unknowns scaled to a unit diagonal. It is iterated away, so it leaves no bias."""
ILL_CONDITIONED = 1e-6
"""Smallest share of its largest singular value down to which a level is solved exactly under bounds."""
PRICE_TOLERANCE = 1e-8
"""Multipliers below this share of the gradient are rounding error."""
RETRIES = ((1e-6, 1e-3), (1e-4, 1e-3))
"""What a level that failed is tried with: bounds loosened by, proximal weight. The last time without soft bounds."""


def residuals(levels: Sequence[Level], x: np.ndarray) -> np.ndarray:
    """`||A_i x - b_i||` of every level, (levels,)."""
    return np.array([np.linalg.norm(A @ x - b) for A, b in levels])


# -- Algorithm 1 -------------------------------------------------------------------------------------------------------


def prioritized_least_squares(levels: Sequence[Level]) -> np.ndarray:
    """Algorithm 1 [delasa2011, section 6.1.4]: x (n,), of the smallest norm among the solutions at each level.

    Two tolerances [delasa2011, eq. 6.33, 6.34]: singular values between them neither move the solution nor are released
    to lower levels. The second is taken against the rows as given, not against what is left of them in the null space
    as printed: where a level only repeats higher ones, what is left is rounding error and would use up freedom.
    """
    n = levels[0][0].shape[1]
    x, basis = np.zeros(n), np.eye(n)
    for A, b in levels:
        if not A.size:
            continue
        U, s, Vt = np.linalg.svd(A @ basis)
        used = int(np.sum(s > PSEUDOINVERSE_TOLERANCE))
        kept = int(np.sum(s > max(A.shape) * np.linalg.norm(A) * EPS))
        x = x + basis @ (Vt[:used].T @ ((U[:, :used].T @ (b - A @ x)) / s[:used]))
        if kept == basis.shape[1]:
            break
        basis = basis @ Vt[kept:].T
    return x


# -- Algorithm 2 -------------------------------------------------------------------------------------------------------


def prioritized_bounded(levels: Sequence[Level], rows: np.ndarray, lower: np.ndarray, upper: np.ndarray, *,
                        soft: np.ndarray | None = None, ridge: np.ndarray | None = None,
                        on_failure: OnFailure | None = None) -> np.ndarray | None:
    """Algorithm 2 [delasa2011, section 6.3.3]: x (n,) with `lower <= rows x <= upper`.

    None if even the first level cannot be solved. `soft` marks rows that may be violated at a price. `ridge` (n,) adds
    `sum ridge x^2` to the last level, which makes the solution unique.
    """
    sense = soft_marks(rows, soft)
    last = LastLevel.of(levels, ridge)
    if last is not None:
        free = last.free()
        if inside(rows @ free, lower, upper):
            return free
    return bounded_levels(levels, last, rows, lower, upper, sense, ridge, on_failure)


def bounded_levels(levels: Sequence[Level], last: LastLevel | None, rows: np.ndarray, lower: np.ndarray,
                   upper: np.ndarray, sense: np.ndarray, ridge: np.ndarray | None, on_failure: OnFailure | None = None,
                   active: np.ndarray | None = None) -> np.ndarray | None:
    """Algorithm 2 where bounds are felt: at the last level only if that will do, else level by level.

    `active` (rows,) has DAQP's marks of bounds thought to be active, and is overwritten with those that are: kept from
    one tick to the next, it saves time, and changes nothing else.
    """
    x, kept = (None, False) if last is None else last.bounded(rows, lower, upper, sense, active)
    if kept:
        return x
    careful = level_by_level(levels, rows, lower, upper, sense, ridge, on_failure)
    return x if careful is None else careful


def soft_marks(rows: np.ndarray, soft: np.ndarray | None) -> np.ndarray:
    sense = np.zeros(len(rows), dtype=np.int32)
    if soft is not None:
        sense[soft] = SOFT
    return sense


class LastLevel:
    """Higher levels solved without bounds, and what they leave to the last one: `x = start + basis w`.

    Without bounds, higher levels reach the best they can reach at all. If the last level finds a point within the
    bounds among those, no bound costs the higher levels anything, and it is the solution. Most ticks are like this.
    """

    def __init__(self, level: Level, start: np.ndarray, basis: np.ndarray, ridge: np.ndarray | None) -> None:
        self.start, self.basis = start, basis
        A, b = level
        self._rows = A
        self._reduced, self._gap = _with_ridge(A, b, start, basis, ridge)
        self.gradient = -(self._gap @ self._reduced)
        self.hessian = self._reduced.T @ self._reduced
        self.convex = None if ridge is None else ConvexMinimum(self.hessian, self.gradient)

    @staticmethod
    def of(levels: Sequence[Level], ridge: np.ndarray | None) -> LastLevel | None:
        """None if there are numbers that are none."""
        n = levels[0][0].shape[1]
        x, basis = np.zeros(n), None
        for A, b in levels[:-1]:
            norm = sqrt(np.vdot(A, A))
            if not isfinite(norm):
                return None
            factors = RowFactors(A if basis is None else A @ basis, norm)
            if factors.rank:
                reach, basis = factors.along(basis)
                x = x + reach @ factors.coordinates(b - A @ x)
        last = LastLevel(levels[-1], x, np.eye(n) if basis is None else basis, ridge)
        failed = not isfinite(last.gradient.sum()) or (last.convex is not None and last.convex.trouble)
        return None if failed else last

    def free(self) -> np.ndarray:
        """x without bounds."""
        if self.convex is not None:
            return self.start + self.basis @ self.convex.free()
        factors = RowFactors(self._reduced, sqrt(np.vdot(self._rows, self._rows)))
        return self.start + factors.along(self.basis)[0] @ factors.coordinates(self._gap)

    def bounded(self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray, sense: np.ndarray,
                active: np.ndarray | None = None) -> tuple[np.ndarray | None, bool]:
        """x with hard bounds met, if there is one, and whether soft ones are met as well."""
        if self.basis.shape[1] == 0:
            return None, False
        reached, reach = rows @ self.start, rows @ self.basis
        lower, upper = lower - reached, upper - reached
        if self.convex is None:
            found = bounded_minimum(self.hessian, self.gradient, reach, lower, upper, sense, PROXIMAL)
        else:
            found = self.convex.bounded(reach, lower, upper, sense if active is None else sense | active)
        if found is None:
            return None, False
        step, price = found
        if active is not None:
            active[:] = active_marks(price)
        values, slack = reach @ step, np.where(sense == SOFT, SOFT_SLACK, HARD_SLACK)
        met = (values >= lower - slack) & (values <= upper + slack)
        if met.all():
            return self.start + self.basis @ step, True
        return (self.start + self.basis @ step if met[sense != SOFT].all() else None), False


def _with_ridge(A: np.ndarray, b: np.ndarray, x: np.ndarray, basis: np.ndarray, ridge: np.ndarray | None) -> Level:
    """A level in the coordinates of a basis about x, with the ridge as further rows `sqrt(ridge) x = 0`."""
    if ridge is None:
        return A @ basis, b - A @ x
    root, count = np.sqrt(ridge), len(b)
    reduced, gap = np.empty((count + len(x), basis.shape[1])), np.empty(count + len(x))
    np.matmul(A, basis, out=reduced[:count])
    np.multiply(basis, root[:, None], out=reduced[count:])
    np.subtract(b, A @ x, out=gap[:count])
    np.multiply(root, -x, out=gap[count:])
    return reduced, gap


def level_by_level(levels: Sequence[Level], rows: np.ndarray, lower: np.ndarray, upper: np.ndarray, sense: np.ndarray,
                   ridge: np.ndarray | None, on_failure: OnFailure | None = None) -> np.ndarray | None:
    """Algorithm 2 with bounds at every level. x, or None if even the first level cannot be solved.

    A level that fails is tried again with looser bounds; if that fails too, the solution of the levels above stands
    and lower ones are not tried.
    """
    x = np.zeros(levels[0][0].shape[1])
    basis: np.ndarray | None = None  # all of R^n
    solved = False
    for index, (A, b) in enumerate(levels):
        final = index == len(levels) - 1
        reduced = A if basis is None else A @ basis
        gap = b - A @ x
        hessian, gradient = reduced.T @ reduced, -(reduced.T @ gap)
        factors = None
        if not np.isfinite(gradient).all():
            if on_failure is not None:
                on_failure(index, "lost")
            break
        if final and ridge is not None:
            _add_ridge(hessian, gradient, ridge, x, basis)
            convex = ConvexMinimum(hessian, gradient)
            step = np.full_like(gradient, np.nan) if convex.trouble else convex.free()
        else:
            factors = RowFactors(reduced, float(np.linalg.norm(A)))
            if solved and factors.rank == 0:
                continue  # the levels above leave nothing to decide here
            reach, free = factors.along()
            step = reach @ factors.coordinates(gap)
        price: np.ndarray | None = None
        if not inside(rows @ step, lower, upper):
            if factors and factors.spread < ILL_CONDITIONED:
                found = damped_minimum(hessian, gradient, rows, lower, upper, sense)
            else:
                found = _level(hessian, gradient, rows, lower, upper, sense, PROXIMAL if factors else 0.0, index,
                               on_failure)
            if found is None:
                break
            step, price = found
        solved = True
        x = x + (step if basis is None else basis @ step)
        if final or factors is None:
            break
        if price is not None:
            free = _keep_bought(free, rows[(np.abs(price) > PRICE_TOLERANCE * np.abs(gradient).max()) & (sense == 0)])
        if free.shape[1] == 0:
            break
        moved = rows @ step
        basis = free if basis is None else basis @ free
        rows, lower, upper, sense = _what_can_change(rows, rows @ free, lower - moved, upper - moved, sense)
    return x if solved else None


def _keep_bought(free: np.ndarray, bought: np.ndarray) -> np.ndarray:
    """What is left of the freedom when bounds with a price stay as they are.

    Every solution of the level meets them, so lower levels get them as equalities. Left as inequalities they would make
    lower problems thin, and QP solvers call thin problems infeasible.
    """
    return free @ null_space(bought @ free, float(np.linalg.norm(bought))) if len(bought) else free


def _what_can_change(rows: np.ndarray, reach: np.ndarray, lower: np.ndarray, upper: np.ndarray, sense: np.ndarray
                     ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Bounds for the next level: rows that nothing can move any more are left out, and hard ones admit what stands."""
    alive = np.abs(reach).max(axis=1) > RANK_TOLERANCE * np.abs(rows).max(axis=1)
    if not alive.all():
        reach, lower, upper, sense = reach[alive], lower[alive], upper[alive], sense[alive]
    hard = sense == 0
    return (reach, np.where(hard, np.minimum(lower, 0.0), lower), np.where(hard, np.maximum(upper, 0.0), upper),
            sense)


def _add_ridge(hessian: np.ndarray, gradient: np.ndarray, ridge: np.ndarray, x: np.ndarray,
               basis: np.ndarray | None) -> None:
    """Add `1/2 sum ridge (x + basis w)^2`, in place."""
    if basis is None:
        hessian[np.diag_indices_from(hessian)] += ridge
        gradient += ridge * x
        return
    weighted = basis * ridge[:, None]
    hessian += basis.T @ weighted
    gradient += weighted.T @ x


def _level(hessian: np.ndarray, gradient: np.ndarray, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray,
           sense: np.ndarray, proximal: float, index: int, on_failure: OnFailure | None) -> Found | None:
    """The bounded minimum, with all attempts: as asked, with looser bounds, without the soft ones."""
    for attempt, (loosen, weight) in enumerate(((0.0, proximal), *RETRIES)):
        if attempt == len(RETRIES):
            lower, upper = np.where(sense == SOFT, -NONE, lower), np.where(sense == SOFT, NONE, upper)
        found = bounded_minimum(hessian, gradient, rows, lower - loosen, upper + loosen, sense, weight)
        if found is not None:
            return found
        if on_failure is not None:
            on_failure(index, "retried" if attempt < len(RETRIES) else "lost")
    return None


# -- the baseline ------------------------------------------------------------------------------------------------------


def lexicographic_baseline(levels: Sequence[Level], rows: np.ndarray, lower: np.ndarray, upper: np.ndarray, *,
                           soft: np.ndarray | None = None, ridge: np.ndarray | None = None,
                           on_failure: OnFailure | None = None) -> np.ndarray | None:
    """The equality-constrained cascade [delasa2011, section 6.3.4]: every solved level stays as rows `A_k x = A_k x_k`.

    The number of constraints grows with every level, and rows that depend on each other make a level infeasible to
    rounding error: the publication saw noisy torques and failures when contacts change. Arguments as in Algorithm 2.
    """
    x: np.ndarray | None = None
    sense = soft_marks(rows, soft)
    for index, (A, b) in enumerate(levels):
        last = index == len(levels) - 1
        hessian, gradient = A.T @ A, -A.T @ b
        if last and ridge is not None:
            hessian[np.diag_indices_from(hessian)] += ridge
        found = _level(hessian, gradient, rows, lower, upper, sense, PROXIMAL, index, on_failure)
        if found is None:
            break
        x = found[0]
        reached = A @ x
        rows, sense = np.concatenate([rows, A]), np.concatenate([sense, np.full(len(A), EQUALITY, dtype=np.int32)])
        lower, upper = np.concatenate([lower, reached]), np.concatenate([upper, reached])
    return x
