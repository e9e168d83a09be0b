"""Solvers: from the whole-body problem to torques. Strict priorities, or all objectives weighted in one.

All share one interface: `torques(problem)`. They never throw and never return NaN: a tick that cannot be solved as
asked degrades in a fixed order, and each degradation is counted by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from gambol.control.bounded import NONE, SOFT, bounded_minimum
from gambol.control.priorities import Level, lexicographic_baseline, prioritized_bounded
from gambol.control.problem import Rows, WholeBodyProblem

FORCE_RIDGE, JOINT_RIDGE = 1e-3, 1e-4
"""At the last level: spare forces and accelerations that nothing asks for, or they would be arbitrary."""


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

    Degrades: a level that fails is tried again with looser bounds; if that fails too, the solution of the levels above
    stands.
    """

    name = "prioritized"

    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        return self._cascade(prioritized_bounded, problem)

    def _cascade(self, method: Callable[..., np.ndarray | None], problem: WholeBodyProblem) -> np.ndarray | None:
        priorities = sorted({row.priority for row in problem.rows})
        levels = [_stack([row for row in problem.rows if row.priority == priority]) for priority in priorities]
        rows, lower, upper, soft = _constraints(problem)

        def count(index: int, event: str) -> None:
            self.degradations[f"level {priorities[index]} {event}"] += 1

        return method(levels, rows, lower, upper, soft=soft, ridge=_ridge(problem), on_failure=count)


class LexicographicSolver(PrioritizedSolver):
    """Strict priorities by equality rows (6.3.4): for comparison; fails where rows depend on each other."""

    name = "lexicographic"

    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        return self._cascade(lexicographic_baseline, problem)


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
        rows, lower, upper, soft = _constraints(problem)
        sense = np.where(soft, SOFT, 0).astype(np.int32)
        for loosen in (0.0, 1e-4):
            found = bounded_minimum(hessian, -A.T @ b, rows, lower - loosen, upper + loosen, sense)
            if found is not None:
                return found[0]
            self.degradations["retried"] += 1
        return None


def _stack(rows: Sequence[Rows]) -> Level:
    return np.concatenate([row.A for row in rows]), np.concatenate([row.b for row in rows])


def _ridge(problem: WholeBodyProblem) -> np.ndarray:
    ridge = np.full(problem.n, JOINT_RIDGE)
    ridge[:problem.n_force] = FORCE_RIDGE
    return ridge


def _constraints(problem: WholeBodyProblem) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Bounds and torque limits as `lower <= rows x <= upper`, and which rows are soft: only the bounds there are."""
    bounded = np.flatnonzero((problem.lower > -NONE) | (problem.upper < NONE))
    count = len(bounded)
    rows = np.zeros((count + problem.n_joint, problem.n))
    rows[np.arange(count), bounded] = 1.0
    rows[count:] = problem.torque
    lower = np.concatenate([problem.lower[bounded], -problem.torque_limit - problem.torque_0])
    upper = np.concatenate([problem.upper[bounded], problem.torque_limit - problem.torque_0])
    soft = np.zeros(len(rows), dtype=bool)
    soft[:count] = problem.soft[bounded]
    return rows, lower, upper, soft
