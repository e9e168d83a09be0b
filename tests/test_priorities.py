"""Prioritized least squares: against weights, against the equality-constrained baseline, and by its own certificate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol.control.qp.priorities import (
    Level,
    bounded_minimum,
    lexicographic_baseline,
    null_space,
    prioritized_bounded,
    prioritized_least_squares,
    residuals,
)
from gambol.experiments.solvers.priorities import (
    KINDS,
    box,
    conflicting_levels,
    lexicographic_gap,
    random_levels,
    weighted_solution,
    well_conditioned,
)

SIZES = st.integers(1, 40)
SEEDS = st.integers(0, 2**20)


def raised(levels: list[Level], solve: object) -> float:
    """How much the lower levels raise the residual of higher ones, at worst."""
    full = residuals(levels, solve(levels))  # type: ignore[operator]
    return max(float((full[:k] - residuals(levels[:k], solve(levels[:k]))).max())  # type: ignore[operator]
               for k in range(1, len(levels) + 1))


def test_prioritized_against_weights_far_apart() -> None:
    """Weights are a fair reference where no row is nearly singular; the program of docs/experiments.md has 6e-6."""
    rng = np.random.default_rng(3)
    distance = []
    for _ in range(400):
        levels = conflicting_levels(rng)
        x = prioritized_least_squares(levels)
        assert residuals(levels, x)[0] < 1e-12
        if well_conditioned(levels):
            distance.append(np.abs(x - weighted_solution(levels, (1e10, 1e5, 1.0))).max())
    assert len(distance) >= 20 and max(distance) < 1e-4 and np.median(distance) < 2e-5


def test_bounded_against_the_baseline() -> None:
    """20 problems, D = 6, box bounds, 3 levels; the reference program of docs/experiments.md has 1.4e-12."""
    rng = np.random.default_rng(0)
    solved, worst = 0, 0.0
    failures: list[str] = []
    for _ in range(20):
        levels = random_levels(rng, 6, "plain")
        failures.clear()
        ours = prioritized_bounded(levels, *box(6, 0.5), on_failure=lambda _, event: pytest.fail(event))
        theirs = lexicographic_baseline(levels, *box(6, 0.5), on_failure=lambda _, event: failures.append(event))
        if not failures:
            solved += 1
            worst = max(worst, float(np.abs(residuals(levels, ours) - residuals(levels, theirs)).max()))
    assert solved >= 10 and worst < 1e-6


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(size=SIZES, seed=SEEDS)
def test_unbounded_levels_are_strict_and_optimal(kind: str, size: int, seed: int) -> None:
    levels = random_levels(np.random.default_rng(seed), size, kind)
    assert raised(levels, prioritized_least_squares) < 1e-8
    none = (np.zeros((0, size)), np.zeros(0), np.zeros(0))
    assert lexicographic_gap(levels, *none, prioritized_least_squares(levels)) < 1e-7


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(size=SIZES, seed=SEEDS, bound=st.sampled_from([0.1, 0.5, 2.0]))
def test_bounded_levels_are_strict_feasible_and_optimal(kind: str, size: int, seed: int, bound: float) -> None:
    rng = np.random.default_rng(seed)
    levels = random_levels(rng, size, kind)
    rows, lower, upper = box(size, bound, rng.standard_normal((size // 2, size)))
    x = prioritized_bounded(levels, rows, lower, upper, on_failure=lambda _, event: pytest.fail(event))
    assert x is not None
    assert (rows @ x - upper).max() < 1e-8 and (lower - rows @ x).max() < 1e-8
    assert raised(levels, lambda part: prioritized_bounded(part, rows, lower, upper)) < 1e-8
    assert lexicographic_gap(levels, rows, lower, upper, x) < 1e-6


@pytest.mark.parametrize("size", [1, 2, 120])
@pytest.mark.parametrize("kind", KINDS)
def test_smallest_and_largest_problems(kind: str, size: int) -> None:
    rng = np.random.default_rng(size)
    levels = random_levels(rng, size, kind)
    rows, lower, upper = box(size, 0.3)
    x = prioritized_bounded(levels, rows, lower, upper, on_failure=lambda _, event: pytest.fail(event))
    assert x is not None and np.abs(x).max() < 0.3 + 1e-8
    assert lexicographic_gap(levels, rows, lower, upper, x) < 1e-6
    assert raised(levels, lambda part: prioritized_bounded(part, rows, lower, upper)) < 1e-8
    assert raised(levels, prioritized_least_squares) < 1e-8


def test_wide_bounds_change_nothing() -> None:
    rng = np.random.default_rng(8)
    levels = random_levels(rng, 12, "deficient")
    free, bounded = prioritized_least_squares(levels), prioritized_bounded(levels, *box(12, 1e3))
    np.testing.assert_allclose(bounded, free, atol=1e-9)


def test_a_level_that_repeats_a_higher_one_takes_no_freedom_from_the_next() -> None:
    first = np.array([[1.0, 2.0, 0.5]])
    levels = [(first, np.array([1.0])), (3.0 * first, np.array([-4.0])), (np.eye(3), np.array([1.0, -1.0, 2.0]))]
    expected = prioritized_least_squares([levels[0], levels[2]])
    np.testing.assert_allclose(prioritized_least_squares(levels), expected, atol=1e-12)
    np.testing.assert_allclose(prioritized_bounded(levels, *box(3, 50.0)), expected, atol=1e-9)


def test_no_bias_where_bounds_are_active() -> None:
    """A ridge would pull this minimum away from the bound's corner by its own size."""
    A, b = np.array([[1.0, 1e-2]]), np.array([3.0])
    w, price = bounded_minimum(A.T @ A, -A.T @ b, *box(2, 1.0), np.zeros(2, dtype=np.int32), 1e-4)
    np.testing.assert_allclose(w, 1.0, atol=1e-9)
    np.testing.assert_allclose(price, (3.0 - 1.01) * A[0], atol=1e-8)


def test_infeasible_and_undefined_problems_are_none_and_counted() -> None:
    events: list[tuple[int, str]] = []
    rows = np.array([[1.0, 0.0], [1.0, 0.0]])
    apart = (rows, np.array([1.0, -5.0]), np.array([2.0, -4.0]))
    level = (np.eye(2), np.ones(2))
    assert prioritized_bounded([level], *apart, on_failure=lambda *event: events.append(event)) is None
    assert events[-1] == (0, "lost")
    upper = prioritized_bounded([(np.eye(2)[:1], np.ones(1)), (np.full((1, 2), np.nan), np.ones(1))], *box(2, 5.0),
                                on_failure=lambda *event: events.append(event))
    assert upper is not None and upper[0] == pytest.approx(1.0) and events[-1] == (1, "lost")


def test_ridge_decides_what_nothing_asks_for() -> None:
    level = (np.array([[1.0, 1.0]]), np.array([2.0]))
    x = prioritized_bounded([level, (np.zeros((1, 2)), np.zeros(1))], *box(2, 9.0), ridge=np.array([1.0, 3.0]))
    np.testing.assert_allclose(x, [1.5, 0.5], atol=1e-9)


def test_soft_bounds_give_way_to_hard_ones() -> None:
    rows, lower, upper = np.eye(1)[[0, 0]], np.array([-1.0, 3.0]), np.array([1.0, 9.0])
    x = prioritized_bounded([(np.eye(1), np.zeros(1))], rows, lower, upper, soft=np.array([False, True]))
    np.testing.assert_allclose(x, 1.0, atol=1e-4)


def test_null_space_of_projected_rounding_error_is_everything() -> None:
    A = np.random.default_rng(1).standard_normal((2, 6))
    noise = A @ null_space(A)
    assert null_space(noise, float(np.linalg.norm(A))).shape == (4, 4)
    assert null_space(np.zeros((0, 5))).shape == (5, 5)
