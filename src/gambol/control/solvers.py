"""Solvers: from the whole-body problem to torques. Strict priorities, or all objectives weighted in one.

All share one interface: `torques(problem)`. They never throw and never return NaN: a tick that cannot be solved as
asked degrades in a fixed order, and each degradation is counted by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from functools import lru_cache

import numpy as np

from gambol.control.active import ActiveBounds
from gambol.control.bounded import ConvexMinimum, active_marks, bounded_minimum
from gambol.control.dual import Objectives, RowMinimum, exact_rows
from gambol.control.priorities import LastLevel, OnFailure, bounded_levels, lexicographic_baseline, soft_marks
from gambol.control.problem import WholeBodyProblem

FORCE_RIDGE, JOINT_RIDGE = 1e-3, 1e-4
"""At the last level: spare forces and accelerations that nothing asks for, or they would be arbitrary."""
NOTHING = (np.zeros((0, 0)), np.zeros(0))
LOOSER = 1e-4
"""Bounds of a weighted problem that failed are loosened by this."""


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
    stands; if there is none, soft bounds count only at the last level.
    """

    name = "prioritized"

    def __init__(self) -> None:
        super().__init__()
        self._active = ActiveBounds()

    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        priorities, above, last = problem.split()
        ridge = _ridge(problem.n_force, problem.n_joint)
        self._active.begin(problem)
        exact = exact_rows(above, problem.n)
        if exact is not None:
            without = RowMinimum(exact, last, ridge)
            x = None if without.trouble else self._active.minimum(problem, without)
            if x is not None:
                return x
        return self._thoroughly(problem, priorities, ridge)

    def _thoroughly(self, problem: WholeBodyProblem, priorities: list[int], ridge: np.ndarray) -> np.ndarray | None:
        """By a QP solver."""
        levels, limits = problem.levels()[1], problem.constraints()
        active = self._active.marks[limits.places]
        x = bounded_levels(levels, LastLevel.of(levels, ridge), limits.rows, limits.lower, limits.upper,
                           soft_marks(limits.rows, limits.soft), ridge, self._counting(priorities), active)
        self._active.marks[limits.places] = active
        return x

    def _counting(self, priorities: list[int]) -> OnFailure:
        def count(index: int, event: str) -> None:
            self.degradations[f"level {priorities[index]} {event}"] += 1

        return count


class LexicographicSolver(PrioritizedSolver):
    """Strict priorities by equality rows (6.3.4): for comparison; fails where rows depend on each other."""

    name = "lexicographic"

    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        priorities, levels = problem.levels()
        limits = problem.constraints()
        return lexicographic_baseline(levels, limits.rows, limits.lower, limits.upper, soft=limits.soft,
                                      ridge=_ridge(problem.n_force, problem.n_joint),
                                      on_failure=self._counting(priorities))


class WeightedSolver(Solver):
    """All objectives in one weighted problem; priorities become powers of `ratio`."""

    name = "weighted"

    def __init__(self, ratio: float = 100.0) -> None:
        super().__init__()
        self.ratio = ratio
        self._active = ActiveBounds()

    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        ridge = _ridge(problem.n_force, problem.n_joint)
        together = self._together(problem)
        self._active.begin(problem)
        without = RowMinimum(NOTHING, together, ridge)
        x = None if without.trouble else self._active.minimum(problem, without)
        return self._thoroughly(problem, together, ridge) if x is None else x

    def _together(self, problem: WholeBodyProblem) -> Objectives:
        """All levels as one."""
        priorities, above, last = problem.split()
        root = [self.ratio ** ((priorities[-1] - priority) / 2) for priority in priorities]
        levels = [*above, last.rows]
        return Objectives(last.weight, last.pull, (
            np.concatenate([A * r if r != 1.0 else A for r, (A, _) in zip(root, levels, strict=True)]),
            np.concatenate([b * r for r, (_, b) in zip(root, levels, strict=True)])))

    def _thoroughly(self, problem: WholeBodyProblem, together: Objectives, ridge: np.ndarray) -> np.ndarray | None:
        """By a QP solver."""
        A, b = together.rows
        hessian, gradient = A.T @ A, -(b @ A) - together.pull
        hessian.ravel()[::problem.n + 1] += together.weight + ridge
        convex = ConvexMinimum(hessian, gradient)
        if convex.trouble or not np.isfinite(gradient).all():
            return None
        limits = problem.constraints()
        sense = soft_marks(limits.rows, limits.soft)
        found = convex.bounded(limits.rows, limits.lower, limits.upper, sense)
        if found is None:
            self.degradations["retried"] += 1
            found = bounded_minimum(hessian, gradient, limits.rows, limits.lower - LOOSER, limits.upper + LOOSER, sense)
        if found is None:
            self.degradations["lost"] += 1
            return None
        self._active.marks[limits.places] = active_marks(found[1])
        return found[0]


@lru_cache(maxsize=64)
def _ridge(forces: int, joints: int) -> np.ndarray:
    return np.concatenate([np.full(forces, FORCE_RIDGE), np.full(joints, JOINT_RIDGE)])
