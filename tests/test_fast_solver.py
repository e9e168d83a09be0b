"""The fast ways through a tick against the slow, obvious ones, on the ticks of real behaviors."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.control import solvers
from gambol.control.problem import WholeBodyProblem
from gambol.control.qp.bounded import ConvexMinimum, bounded_minimum
from gambol.control.qp.priorities import (
    LastLevel,
    level_by_level,
    null_space,
    prioritized_bounded,
    residuals,
    soft_marks,
)
from gambol.control.solvers import PrioritizedSolver
from gambol.world.pushes import Push
from gambol.world.world import World


def reference(problem: WholeBodyProblem) -> np.ndarray | None:
    """Algorithm 2 with every bound at every level, from scratch."""
    limits = problem.constraints()
    return level_by_level(problem.levels()[1], limits.rows, limits.lower, limits.upper,
                          soft_marks(limits.rows, limits.soft), solvers._ridge(problem.n_force, problem.n_joint))


def problems_of(behavior: str, ticks: int, every: int, solver: str = "prioritized") -> list[WholeBodyProblem]:
    """Some ticks of a human that is pushed on its way, each with the solution that was used."""
    world = World(make_character("human"), seed=1)
    world.push(Push(0.4, "trunk", (120.0, 60.0, 0.0), 0.2))
    controller = make_behavior(behavior, world, {"solver": solver})
    problems = []
    for tick in range(ticks):
        world.step(controller.act())
        if tick % every == 0:
            problems.append(controller.problem)
    assert not controller.solvers[solver].degradations
    return problems


@pytest.mark.parametrize("behavior", ["balance", "walk"])
def test_prioritized_ticks_are_those_of_the_slow_solver(behavior: str) -> None:
    worst, held = 0.0, 0
    for problem in problems_of(behavior, 600, 6):
        levels, slow = problem.levels()[1], reference(problem)
        assert slow is not None and problem.solution is not None
        higher = residuals(levels[:-1], problem.solution) - residuals(levels[:-1], slow)
        assert np.abs(higher).max() < 1e-8
        worst = max(worst, float(np.abs(problem.solution - slow).max() / (1.0 + np.abs(slow).max())))
        lower, upper = problem.limits()
        values = problem.quantities(problem.solution)
        held += bool(np.minimum(np.abs(values - lower), np.abs(upper - values)).min() < 1e-6)
        hard = ~problem.soft
        assert (values - upper)[hard].max() < 1e-8 and (lower - values)[hard].max() < 1e-8
    assert worst < 1e-6
    assert held > 10, "bounds must be felt, or this proves little"


def test_weighted_ticks_are_those_of_the_slow_solver() -> None:
    for problem in problems_of("walk", 400, 8, "weighted"):
        limits = problem.constraints()
        priorities, levels = problem.levels()
        ridge = solvers._ridge(problem.n_force, problem.n_joint)
        roots = [10.0 ** (priorities[-1] - priority) for priority in priorities]
        A = np.concatenate([*(root * A for root, (A, _) in zip(roots, levels, strict=True)), np.diag(np.sqrt(ridge))])
        b = np.concatenate([*(root * b for root, (_, b) in zip(roots, levels, strict=True)), np.zeros(problem.n)])
        slow = bounded_minimum(A.T @ A, -A.T @ b, limits.rows, limits.lower, limits.upper,
                               soft_marks(limits.rows, limits.soft))
        assert slow is not None
        # normal equations lose half the digits: along the bounds that were found, least squares gets them back
        along = null_space(limits.rows[slow[1] != 0.0])
        exact = slow[0] + along @ np.linalg.lstsq(A @ along, b - A @ slow[0], rcond=None)[0]
        np.testing.assert_allclose(problem.solution, exact, atol=1e-6 * (1.0 + np.abs(exact).max()))


def test_the_guess_of_active_bounds_mostly_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The point of it: few ticks need a QP."""
    calls: Counter[str] = Counter()
    whole = ConvexMinimum.bounded

    def counted(self: ConvexMinimum, *arguments: np.ndarray) -> object:
        calls["qp"] += 1
        return whole(self, *arguments)

    monkeypatch.setattr(ConvexMinimum, "bounded", counted)
    assert len(problems_of("balance", 500, 1)) == 500
    assert calls["qp"] < 50


def test_a_wrong_guess_changes_nothing() -> None:
    rng = np.random.default_rng(4)
    for problem in problems_of("walk", 240, 30):
        for _ in range(5):
            solver = PrioritizedSolver()
            solver._active.begin(problem)
            solver._active.marks[:] = rng.choice([0, 1, 3], len(solver._active.marks), p=[0.8, 0.1, 0.1])
            lower, upper = problem.limits()
            solver._active.marks[(solver._active.marks == 1) & (upper > 1e20)] = 0
            solver._active.marks[(solver._active.marks == 3) & (lower < -1e20)] = 0
            np.testing.assert_allclose(solver.solve(problem), problem.solution, rtol=1e-6, atol=1e-5)


def test_last_level_and_level_by_level_agree_on_random_problems() -> None:
    """Where bounds cost higher levels nothing, one QP is enough; where they do, it must say so."""
    rng, kept = np.random.default_rng(11), 0
    for _ in range(60):
        levels = [(rng.standard_normal((3, 14)), 0.5 * rng.standard_normal(3)) for _ in range(2)]
        levels.append((rng.standard_normal((14, 14)), 5.0 * rng.standard_normal(14)))
        limits = np.eye(14), -np.full(14, 0.3), np.full(14, 0.3)
        ridge, sense = np.full(14, 1e-4), np.zeros(14, dtype=np.int32)
        last = LastLevel.of(levels, ridge)
        assert last is not None
        x, met = last.bounded(*limits, sense)
        slow = level_by_level(levels, *limits, sense, ridge)
        kept += met
        if met:
            np.testing.assert_allclose(x, slow, atol=1e-6)
        np.testing.assert_allclose(prioritized_bounded(levels, *limits, ridge=ridge), slow, atol=1e-6)
    assert 10 < kept < 60


