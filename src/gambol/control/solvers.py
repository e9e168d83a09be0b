"""Solvers: from the whole-body problem to torques. Strict priorities, or all objectives weighted in one.

All share one interface: `torques(problem)`. They never throw and never return NaN: a tick that cannot be solved as
asked degrades in a fixed order, and each degradation is counted by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from functools import lru_cache
from math import isfinite

import numpy as np

from gambol.control.problem import Stack, WholeBodyProblem
from gambol.control.qp.active_set import ActiveBounds
from gambol.control.qp.bounded import ConvexMinimum, active_marks, bounded_minimum
from gambol.control.qp.priorities import LastLevel, OnFailure, bounded_levels, lexicographic_baseline, soft_marks
from gambol.control.qp.row_space import RowProblem, exact_rows

FORCE_RIDGE, JOINT_RIDGE = 1e-3, 1e-4
"""At the last level: spare forces and accelerations that nothing asks for, or they would be arbitrary."""
LEAST_WEIGHT = 1e-12
"""An objective of less weight counts as one of this."""
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
        if x is None or not isfinite(x.dot(x)):
            self.degradations["tick lost"] += 1
            return np.zeros(problem.n_joint) if self._held is None else self._held
        self._held = problem.torques(x)
        problem.solution = x
        return self._held

    @abstractmethod
    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        """The unknowns, (n,), or None if even the highest level cannot be solved."""


class PrioritizedSolver(Solver):
    """Strict priorities [delasa2011, section 6.3]: each level is solved among the solutions of all higher ones.

    Degrades: a level that fails is tried again with looser bounds; if that fails too, the solution of the levels above
    stands; if there is none, soft bounds count only at the last level.
    """

    name = "prioritized"

    def __init__(self) -> None:
        super().__init__()
        self._active = ActiveBounds()

    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        ridge = _ridge(problem.n_force, problem.n_joint)
        stack = problem.stack(ridge)
        exact = stack.ends[-2] if len(stack.ends) > 1 else 0
        give = _gives(stack, 0.0)
        self._active.begin(problem)
        more = exact > problem.freedoms  # more rows than degrees of freedom: the rows depend on each other
        x = None if more else self._active.minimum(
            problem, RowProblem(stack.A, stack.b, give, exact, stack.own_weight, stack.pull))
        if x is None and (more or self._active.dependent):
            sorted_rows = self._sorted(stack, give)
            x = None if sorted_rows is None else self._active.minimum(problem, sorted_rows)
        return self._thoroughly(problem, stack.priorities, ridge) if x is None else x

    def _sorted(self, stack: Stack, give: np.ndarray) -> RowProblem | None:
        """The same with independent rows for the levels above the last one; None if there are numbers that are none."""
        root, begins = np.sqrt(stack.weight), [0, *stack.ends]
        parts = [slice(begin, end) for begin, end in zip(begins, stack.ends, strict=False)]
        exact = exact_rows([(stack.A[part] * root[part, None], stack.b[part] * root[part]) for part in parts[:-1]],
                           len(stack.pull))
        if exact is None:
            return None
        last = parts[-1]
        return RowProblem(np.concatenate([exact[0], stack.A[last]]), np.concatenate([exact[1], stack.b[last]]),
                          np.concatenate([np.zeros(len(exact[1])), give[last]]), len(exact[1]), stack.own_weight,
                          stack.pull)

    def _thoroughly(self, problem: WholeBodyProblem, priorities: list[int], ridge: np.ndarray) -> np.ndarray | None:
        """By a QP solver."""
        self._active.forget()
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
    """Strict priorities by equality rows, for comparison: fails where rows depend on each other.

    This is [delasa2011, section 6.3.4].
    """

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
        rows = self._together(problem)
        self._active.begin(problem)
        x = self._active.minimum(problem, rows)
        return self._thoroughly(problem, rows) if x is None else x

    def _together(self, problem: WholeBodyProblem) -> RowProblem:
        """All levels as one."""
        stack = problem.stack(_ridge(problem.n_force, problem.n_joint))
        give = _gives(stack, 1.0 / self.ratio)
        return RowProblem(stack.A, stack.b, give, 0, stack.own_weight, stack.pull)

    def _thoroughly(self, problem: WholeBodyProblem, rows: RowProblem) -> np.ndarray | None:
        """By a QP solver."""
        self._active.forget()
        weighted = rows.K / rows.give[:, None]
        hessian, gradient = weighted.T @ rows.K, -(rows.t @ weighted) - rows.pull
        hessian.ravel()[::problem.n + 1] += rows.weight
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


SOLVERS: dict[str, type[Solver]] = {
    kind.name: kind for kind in (PrioritizedSolver, WeightedSolver, LexicographicSolver)}
"""By name. The last one is for comparison: slower, and noisier where contacts change."""


@lru_cache(maxsize=64)
def _ridge(forces: int, joints: int) -> np.ndarray:
    return np.concatenate([np.full(forces, FORCE_RIDGE), np.full(joints, JOINT_RIDGE)])


def _gives(stack: Stack, ratio: float) -> np.ndarray:
    """How much each row gives: one of the last level the inverse of its weight, a level higher `ratio` times that."""
    return _shares(tuple(stack.ends), tuple(stack.priorities), ratio) / np.maximum(stack.weight, LEAST_WEIGHT)


@lru_cache(maxsize=256)
def _shares(ends: tuple[int, ...], priorities: tuple[int, ...], ratio: float) -> np.ndarray:
    """How many times more each row gives for its level: the same at most ticks."""
    shares = np.repeat([ratio ** (priorities[-1] - priority) for priority in priorities], np.diff([0, *ends]))
    shares.flags.writeable = False
    return shares
