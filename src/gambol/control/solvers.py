"""Solvers: from the whole-body problem to torques. Strict priorities, or all objectives weighted in one.

Both share one interface: `torques(problem)`. They never throw and never return NaN: a tick that cannot be solved as
asked degrades in a fixed order, and each degradation is counted by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence

import daqp
import numpy as np
from scipy.linalg import qr

from gambol.control.problem import NONE, Rows, WholeBodyProblem

SOFT = 8
"""DAQP's mark of a constraint that may be violated at a price."""
LEVEL_RIDGE = 1e-5
"""Keeps DAQP's Hessian safely convex; weights inside a level are of order one, so it does not show."""
FORCE_RIDGE, JOINT_RIDGE = 1e-3, 1e-4
"""At the last level: spare forces and accelerations that nothing asks for, or they would be arbitrary."""
RANK_TOLERANCE = 1e-9


class Solver(ABC):
    """Turns problems into torques, tick after tick."""

    name: str

    def __init__(self) -> None:
        self.degradations: Counter[str] = Counter()
        self._held: np.ndarray | None = None

    def torques(self, problem: WholeBodyProblem) -> np.ndarray:
        """Torques for this tick, (nu,). If no level can be solved, the last ones are held."""
        x = self.solve(problem)
        if x is None or not np.isfinite(x).all():
            self.degradations["tick lost"] += 1
            return np.zeros(problem.n_joint) if self._held is None else self._held
        self._held = problem.torques(x)
        problem.solution = x
        return self._held

    @abstractmethod
    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        """The unknowns, (n,), or None if even the highest level cannot be solved."""


class PrioritizedSolver(Solver):
    """Strict priorities (Algorithm 2): each level is solved among the solutions of all higher ones.

    Degrades: a level that fails is tried again with looser bounds and more ridge; if that fails too, the solution of
    the levels above stands.
    """

    name = "prioritized"

    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        x, basis = np.zeros(problem.n), np.eye(problem.n)
        solved = False
        levels = sorted({row.priority for row in problem.rows})
        for level in levels:
            A, b = _stack([row for row in problem.rows if row.priority == level])
            reduced = A @ basis
            last = level == levels[-1]
            step = self._level(problem, reduced, b - A @ x, x, basis, last, f"level {level}")
            if step is None:
                break
            solved = True
            x = x + basis @ step
            if not last:
                basis = basis @ null_space(reduced)
                if basis.shape[1] == 0:
                    break
        return x if solved else None

    def _level(self, problem: WholeBodyProblem, A: np.ndarray, b: np.ndarray, x: np.ndarray, basis: np.ndarray,
               last: bool, name: str) -> np.ndarray | None:
        """Minimise `||A w - b||^2` over `x + basis w` inside the bounds; None if it cannot be had."""
        hessian, gradient = A.T @ A, -A.T @ b
        if last:
            ridge = _ridge(problem)
            weighted = basis * ridge[:, None]
            hessian += basis.T @ weighted
            gradient += weighted.T @ x
        diagonal = np.arange(len(hessian))
        hessian[diagonal, diagonal] += LEVEL_RIDGE
        rows, lower, upper, sense = _constraints(problem, x, basis)
        loosen = 1e-6
        for attempt in range(3):
            step = bounded_minimum(hessian, gradient, rows, lower - loosen, upper + loosen, sense)
            if step is not None:
                return step
            self.degradations[f"{name} {'retried' if attempt < 2 else 'lost'}"] += 1
            loosen, hessian[diagonal, diagonal] = 100 * loosen, hessian[diagonal, diagonal] + 1e-3
        return None


class WeightedSolver(Solver):
    """All objectives in one weighted problem; priorities become powers of `ratio`."""

    name = "weighted"

    def __init__(self, ratio: float = 100.0) -> None:
        super().__init__()
        self.ratio = ratio

    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        lowest = max(row.priority for row in problem.rows)
        A, b = _stack([Rows(row.name, row.priority, row.A * self.ratio ** ((lowest - row.priority) / 2),
                            row.b * self.ratio ** ((lowest - row.priority) / 2), row.weight) for row in problem.rows])
        hessian = A.T @ A + np.diag(_ridge(problem))
        rows, lower, upper, sense = _constraints(problem, np.zeros(problem.n), np.eye(problem.n))
        for loosen in (0.0, 1e-4):
            x = bounded_minimum(hessian, -A.T @ b, rows, lower - loosen, upper + loosen, sense)
            if x is not None:
                return x
            self.degradations["retried"] += 1
        return None


def bounded_minimum(hessian: np.ndarray, gradient: np.ndarray, rows: np.ndarray, lower: np.ndarray,
                    upper: np.ndarray, sense: np.ndarray) -> np.ndarray | None:
    """Minimise `1/2 w'Hw + g'w` with `lower <= rows w <= upper`, or None if DAQP gives up.

    Unknowns are scaled to a unit diagonal first: weights decades apart otherwise end in false infeasibility.
    """
    scale = 1.0 / np.sqrt(hessian.diagonal())
    w, _, flag, _ = daqp.solve(hessian * scale * scale[:, None], gradient * scale, rows * scale, upper, lower, sense)
    return w * scale if flag > 0 and np.isfinite(w).all() else None


def null_space(A: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the null space, (n, n - rank), by pivoted QR of the transpose."""
    if not len(A):
        return np.eye(A.shape[1])
    Q, R, _ = qr(A.T, pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > RANK_TOLERANCE * max(diagonal[0], 1.0))) if len(diagonal) else 0
    return Q[:, rank:]


def _stack(rows: Sequence[Rows]) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([row.A for row in rows]), np.concatenate([row.b for row in rows])


def _ridge(problem: WholeBodyProblem) -> np.ndarray:
    ridge = np.full(problem.n, JOINT_RIDGE)
    ridge[:problem.n_force] = FORCE_RIDGE
    return ridge


def _constraints(problem: WholeBodyProblem, x: np.ndarray, basis: np.ndarray
                 ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Bounds and torque limits at `x + basis w` as rows on w: only the bounds there are."""
    bounded = np.flatnonzero((problem.lower > -NONE) | (problem.upper < NONE))
    rows = np.concatenate([basis[bounded], problem.torque @ basis])
    at = np.concatenate([x[bounded], problem.torque @ x + problem.torque_0])
    lower = np.concatenate([problem.lower[bounded], -problem.torque_limit]) - at
    upper = np.concatenate([problem.upper[bounded], problem.torque_limit]) - at
    sense = np.zeros(len(lower), dtype=np.int32)
    sense[:len(bounded)][problem.soft[bounded]] = SOFT
    return rows, lower, upper, sense
