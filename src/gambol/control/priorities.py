"""Prioritized least squares: levels `(A_i, b_i)`, each solved among all solutions of the levels above it.

Three ways to the same lexicographic minimum of `||A_1 x - b_1||, ||A_2 x - b_2||, ...`, as pure functions on arrays:

- `prioritized_least_squares`: without inequalities, one singular value decomposition a level (Algorithm 1, 6.1).
- `prioritized_bounded`: with `lower <= rows x <= upper`, one QP and one null space a level (Algorithm 2, 6.3).
- `lexicographic_baseline`: the same problem, each solved level kept by equality rows (6.3.4): for comparison only.

Equation and section numbers are those of the source in the method notes (feature-based control).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import daqp
import numpy as np
from scipy.linalg import lapack

Level = tuple[np.ndarray, np.ndarray]
"""A (r, n) and b (r,)"""
OnFailure = Callable[[int, str], None]
"""Told the index of a level and `retried` or `lost`."""

EPS = float(np.finfo(float).eps)
PSEUDOINVERSE_TOLERANCE = EPS**0.5
"""Singular values below this do not move the solution (Eq. 6.33); absolute, so it counts on rows of order one."""
RANK_TOLERANCE = 1e-11
"""Share of the norm of a level's rows below which pivoted QR calls a direction free."""
PROXIMAL = 1e-4
"""Weight of DAQP's proximal term on unknowns scaled to a unit diagonal. It is iterated away, so it leaves no bias."""
PROXIMAL_REST = 1e-10
"""It is iterated until the unknowns move less than this."""
PRIMAL_TOLERANCE = 1e-9
PRICE_TOLERANCE = 1e-8
"""Multipliers below this share of the gradient are rounding error."""
SMALLEST_DIAGONAL = 1e-6
"""Share of the largest one to which diagonals are raised when unknowns are scaled."""
RETRIES = ((1e-6, 1e-3), (1e-4, 1e-3))
"""What a level that failed is tried with: bounds loosened by, proximal weight. The last time without soft bounds."""
NONE = 1e30
"""A bound that is none."""
SOFT, EQUALITY = 8, 5
"""DAQP's marks of constraints that may be violated at a price, and that hold exactly."""


def residuals(levels: Sequence[Level], x: np.ndarray) -> np.ndarray:
    """`||A_i x - b_i||` of every level, (levels,)."""
    return np.array([np.linalg.norm(A @ x - b) for A, b in levels])


# -- Algorithm 1 -------------------------------------------------------------------------------------------------------


def prioritized_least_squares(levels: Sequence[Level]) -> np.ndarray:
    """Algorithm 1 (6.1.4): x (n,), of the smallest norm among the solutions at each level.

    Two tolerances (Eq. 6.33-6.34): singular values between them neither move the solution nor are released to lower
    levels. The second is taken against the rows as given, not against what is left of them in the null space as
    printed: where a level only repeats higher ones, what is left is rounding error and would use up freedom.
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
    """Algorithm 2 (6.3.3): x (n,) with `lower <= rows x <= upper`, or None if even the first level cannot be solved.

    A level that fails is tried again with looser bounds; if that fails too, the solution of the levels above stands
    and lower ones are not tried. `soft` marks rows that may be violated at a price. `ridge` (n,) adds
    `sum ridge x^2` to the last level, which makes the solution unique.
    """
    x = np.zeros(levels[0][0].shape[1])
    basis: np.ndarray | None = None  # all of R^n
    sense = np.zeros(len(rows), dtype=np.int32)
    if soft is not None:
        sense[soft] = SOFT
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
            _, step, trouble = lapack.dposv(hessian, -gradient)
            step = np.full_like(step, np.nan) if trouble else step
        else:
            factors = RowFactors(reduced, float(np.linalg.norm(A)))
            if solved and factors.rank == 0:
                continue  # the levels above leave nothing to decide here
            step = factors.least_squares(gap)
        price: np.ndarray | None = None
        if not _inside(rows @ step, lower, upper):
            found = _level(hessian, gradient, rows, lower, upper, sense, PROXIMAL if factors else 0.0, index,
                           on_failure)
            if found is None:
                break
            step, price = found
        solved = True
        x = x + (step if basis is None else basis @ step)
        if final or factors is None:
            break
        free = factors.null_space
        if price is not None:
            free = _keep_bought(free, rows[(np.abs(price) > PRICE_TOLERANCE * np.abs(gradient).max()) & (sense == 0)])
        if free.shape[1] == 0:
            break
        moved = rows @ step
        basis = free if basis is None else basis @ free
        rows, lower, upper, sense = _what_can_change(rows, rows @ free, lower - moved, upper - moved, sense)
    return x if solved else None


def _inside(values: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    return bool(((values >= lower - PRIMAL_TOLERANCE) & (values <= upper + PRIMAL_TOLERANCE)).all())


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
           sense: np.ndarray, proximal: float, index: int, on_failure: OnFailure | None
           ) -> tuple[np.ndarray, np.ndarray] | None:
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


def bounded_minimum(hessian: np.ndarray, gradient: np.ndarray, rows: np.ndarray, lower: np.ndarray,
                    upper: np.ndarray, sense: np.ndarray, proximal: float = 0.0
                    ) -> tuple[np.ndarray, np.ndarray] | None:
    """Minimise `1/2 w'Hw + g'w` with `lower <= rows w <= upper`: w and the price of each row (its multiplier).

    None if DAQP gives up. Unknowns are scaled to a unit diagonal first: weights decades apart otherwise end in false
    infeasibility. DAQP wants a strictly convex problem; where H is singular give a `proximal` weight: DAQP then adds
    `weight/2 ||w - w_last||^2` and repeats until w rests, so that unlike with a ridge the minimum is that of H itself,
    active bounds or not.
    """
    diagonal = hessian.diagonal()
    if proximal > 0.0:
        diagonal = np.maximum(diagonal, SMALLEST_DIAGONAL * diagonal.max() or 1.0)
    scale = 1.0 / np.sqrt(diagonal)
    settings = {"eps_prox": proximal, "eta_prox": PROXIMAL_REST} if proximal > 0.0 else {}
    w, _, flag, info = daqp.solve(hessian * scale * scale[:, None], gradient * scale, rows * scale, upper, lower, sense,
                                  primal_tol=PRIMAL_TOLERANCE, **settings)
    return (w * scale, info["lam"]) if flag > 0 and np.isfinite(w).all() else None


class RowFactors:
    """Pivoted QR of the transpose of rows A (r, n): their least-squares step and their null space from one factoring.

    Does here what the singular value decomposition does in Algorithm 1, at a fraction of the cost. `norm` is that of
    the rows before they were projected: what is small against it is rounding error.
    """

    def __init__(self, A: np.ndarray, norm: float = 0.0) -> None:
        n = A.shape[1]
        if not A.size:
            self.rank, self._Q = 0, np.eye(n)
            return
        packed, pivots, tau, _, _ = lapack.dgeqp3(A.T)  # SciPy's own qr spends half its time around these two calls
        diagonal = np.abs(packed.diagonal())
        self.rank = int(np.sum(diagonal > RANK_TOLERANCE * max(norm, diagonal[0])))
        self._order = pivots - 1
        self._R = np.triu(packed[:self.rank])
        reflectors = np.zeros((n, n), order="F")
        reflectors[:, :len(tau)] = packed[:, :len(tau)]
        self._Q = lapack.dorgqr(reflectors, tau, lwork=64 * n, overwrite_a=1)[0]

    @property
    def null_space(self) -> np.ndarray:
        """Orthonormal, (n, n - rank)."""
        return self._Q[:, self.rank:]

    def least_squares(self, b: np.ndarray) -> np.ndarray:
        """The smallest w (n,) that minimises `||A w - b||`."""
        if self.rank == 0:
            return np.zeros(len(self._Q))
        right = b[self._order]
        if self.rank == len(right):
            inner = lapack.dtrtrs(self._R, right, trans=1)[0]
        else:
            Q, R = np.linalg.qr(self._R.T)
            inner = lapack.dtrtrs(R, Q.T @ right)[0]
        return self._Q[:, :self.rank] @ inner


def null_space(A: np.ndarray, norm: float = 0.0) -> np.ndarray:
    """Orthonormal basis of the null space, (n, n - rank); `norm` as in `RowFactors`."""
    return RowFactors(A, norm).null_space


# -- the baseline ------------------------------------------------------------------------------------------------------


def lexicographic_baseline(levels: Sequence[Level], rows: np.ndarray, lower: np.ndarray, upper: np.ndarray, *,
                           soft: np.ndarray | None = None, ridge: np.ndarray | None = None,
                           on_failure: OnFailure | None = None) -> np.ndarray | None:
    """The equality-constrained cascade (6.3.4): every solved level stays as rows `A_k x = A_k x_k`.

    The number of constraints grows with every level, and rows that depend on each other make a level infeasible to
    rounding error: the source saw noisy torques and failures when contacts change. Arguments as in Algorithm 2.
    """
    x: np.ndarray | None = None
    sense = np.zeros(len(rows), dtype=np.int32)
    if soft is not None:
        sense[soft] = SOFT
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
