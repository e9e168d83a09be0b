"""The prioritized solvers on random problems, conflicting and degenerate ones included [delasa2011, chapter 6].

"Reference" in the figures is the reference program of docs/experiments.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import lsq_linear

from gambol.control.qp.priorities import (
    Level,
    lexicographic_baseline,
    null_space,
    prioritized_bounded,
    prioritized_least_squares,
    residuals,
)
from gambol.experiments.experiment import Context, Result, below, check, count_of, experiment, report
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import axes, legend, svg

KINDS = ("plain", "parallel", "deficient", "duplicated", "zero")
"""Rows of a problem: independent, parallel to those of another level, of half rank, twice with two wishes, all zero."""
WEIGHTS, WEIGHTS_APART = (1e10, 1e5, 1.0), (1e12, 1e6, 1.0)
LEAST_SINGULAR_VALUE = 1.0
"""A problem whose levels have no smaller singular value is well conditioned: there weights are a fair reference."""


def random_levels(rng: np.random.Generator, size: int, kind: str, count: int = 3) -> list[Level]:
    """Three levels of about a third of the unknowns each."""
    height = max(1, size // count)
    levels: list[Level] = []
    for k in range(count):
        A, b = rng.standard_normal((height, size)), 2.0 * rng.standard_normal(height)
        if kind == "parallel" and k:
            A[0] = (2.0, -1.0)[k % 2] * levels[k - 1][0][-1]
        if kind == "deficient":
            half = max(1, height // 2)
            A = A[:, :half] @ rng.standard_normal((half, size))
        if kind == "duplicated":
            A, b = np.concatenate([A, A]), np.concatenate([b, b + 0.5 * rng.standard_normal(height)])
        if kind == "zero":
            A[0] = 0.0
        levels.append((A, b))
    return levels


def conflicting_levels(rng: np.random.Generator, size: int = 8) -> list[Level]:
    """Three levels with more rows than unknowns, one row of the second parallel to one of the first and against it."""
    levels = [(rng.standard_normal((rows, size)), rng.standard_normal(rows)) for rows in (3, 3, size - 4)]
    levels[1][0][0] = levels[0][0][0]
    return levels


def well_conditioned(levels: Sequence[Level]) -> bool:
    """Whether conflicting levels are far from singular, each in the null space of those above."""
    upper = np.concatenate([levels[0][0], levels[1][0][1:]])
    return min(_least(upper), _least(levels[2][0] @ null_space(upper))) > LEAST_SINGULAR_VALUE


def _least(A: np.ndarray) -> float:
    return float(np.linalg.svd(A, compute_uv=False)[-1])


def weighted_solution(levels: Sequence[Level], weights: Sequence[float]) -> np.ndarray:
    """Least squares with all levels in one, by weights decades apart."""
    A = np.concatenate([np.sqrt(w) * A for w, (A, _) in zip(weights, levels, strict=True)])
    b = np.concatenate([np.sqrt(w) * b for w, (_, b) in zip(weights, levels, strict=True)])
    return np.linalg.lstsq(A, b, rcond=1e-15)[0]


def box(size: int, bound: float, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`-bound <= x <= bound`, and the same for further rows: rows, lower, upper."""
    everything = np.eye(size) if rows is None else np.concatenate([np.eye(size), rows])
    limit = np.full(len(everything), bound)
    return everything, -limit, limit


def lexicographic_gap(levels: Sequence[Level], rows: np.ndarray, lower: np.ndarray, upper: np.ndarray, x: np.ndarray
                      ) -> float:
    """How far x is from being proven optimal, level by level: 0 is a proof, however x was found.

    x minimises level k among the solutions of those above if its gradient there, `A_k' (A_k x - b_k)`, is balanced by
    rows of higher levels (any sign) and active bounds (pushing inward): a bounded least-squares problem.
    """
    at, worst = rows @ x, 0.0
    inward = np.concatenate([rows[at < lower + 1e-7], -rows[at > upper - 1e-7]])
    above = np.zeros((0, len(x)))
    for A, b in levels:
        gradient = A.T @ (A @ x - b)
        helpers = np.concatenate([above, inward])
        if len(helpers) and np.linalg.norm(gradient) > 0:
            low = np.concatenate([np.full(len(above), -np.inf), np.zeros(len(inward))])
            found = lsq_linear(helpers.T, gradient, bounds=(low, np.inf), method="bvls", tol=1e-14)
            gradient = gradient - helpers.T @ found.x
        worst = max(worst, float(np.linalg.norm(gradient)))
        above = np.concatenate([above, A])
    return worst


@experiment("priorities", group="solvers", source="[delasa2011, section 6.1, algorithm 1]",
            published="each level solved in the null space of all higher ones")
def priorities(context: Context) -> Result:
    """Algorithm 1 against one weighted problem, on random levels that conflict"""
    rng, count = context.rng(), 500 if context.quick else 2000
    first, difference, apart = np.zeros(count), np.zeros(count), np.zeros(count)
    fair = np.zeros(count, dtype=bool)
    for k in range(count):
        levels = conflicting_levels(rng)
        x = prioritized_least_squares(levels)
        first[k], fair[k] = residuals(levels, x)[0], well_conditioned(levels)
        difference[k] = np.abs(x - weighted_solution(levels, WEIGHTS)).max()
        apart[k] = np.abs(x - weighted_solution(levels, WEIGHTS_APART)).max()
    close = int(np.sum(difference < 1e-4))
    raised = {kind: max(raised_residual(random_levels(rng, size, kind)) for size in _sizes(context)) for kind in KINDS}
    figure, (axis,) = axes(1)
    axis.hist(np.log10(np.maximum(difference, 1e-17)), bins=30)
    axis.set(title="distance to the weighted solution", xlabel="log10", ylabel="problems")
    return Result(
        rows=[below(f"residual of level 1, largest of {count}", "reference: < 1e-12", first.max(), 1e-12),
              below(f"distance to weights 1e10, 1e5, 1, largest of the {fair.sum()} well conditioned",
                    "reference: < 1e-4 (6e-6)", difference[fair].max(), 1e-4),
              report("the same, all problems", "reference: < 1e-4 (6e-6)", f"median {np.median(difference):.1e}, below "
                     f"1e-4 in {close} of {count}, largest {difference.max():.1e}"),
              check("the distance is the weights': moved a decade apart, it shrinks by", "10",
                    f"{np.median(difference / apart):.2f} (median)", bool(9 < np.median(difference / apart) < 11)),
              *(below(f"residual raised by lower levels, {kind} rows, D 1 to 120", "0", value, 1e-8)
                for kind, value in raised.items())],
        pictures=[Picture("How far one weighted problem is from strict priorities", svg(figure))],
        notes=["D = 8, levels of 3, 3 and 4 rows, one row of level 2 parallel to one of level 1 and against it. "
               f"Well conditioned: no singular value below {LEAST_SINGULAR_VALUE:g}. Near singular problems are where "
               "weights, not priorities, are inexact: their error grows with the square of the condition number."])


@experiment("bounded-priorities", group="solvers", source="[delasa2011, section 6.3, algorithm 2 and section 6.3.4]",
            published="the same solution as equality-constrained cascades, with a constant number of inequalities")
def bounded_priorities(context: Context) -> Result:
    """Algorithm 2 against the equality-constrained cascade, and against a proof of optimality"""
    rng = context.rng()
    count = 20 if context.quick else 200
    differences, failed = [], 0
    for _ in range(count):
        levels, bounds, failures = random_levels(rng, 6, "plain"), box(6, 0.5), []
        theirs = lexicographic_baseline(levels, *bounds, on_failure=lambda *event: failures.append(event))  # noqa: B023
        ours = prioritized_bounded(levels, *bounds)
        if failures or theirs is None or ours is None:
            failed += 1
        else:
            differences.append(np.abs(residuals(levels, ours) - residuals(levels, theirs)).max())
        context.tell(0.5 * len(differences) / count)
    proofs = {kind: _proofs(rng, kind, context) for kind in KINDS}
    rows = [below(f"largest difference of residuals over {count - failed} problems the baseline solved",
                  "reference: 1.4e-12 over 20", max(differences, default=np.inf), 1e-6),
            report("problems the baseline failed on (needed looser bounds)", "fails with active-set solvers",
                   f"{failed} of {count}")]
    for kind, (gaps, breaches, raises, lost) in proofs.items():
        rows += [count_of(f"{kind} rows: solved at the first attempt", "-", len(gaps) - lost, len(gaps), len(gaps)),
                 below(f"{kind} rows: gap to a proof of optimality", "-", max(gaps), 1e-6),
                 below(f"{kind} rows: breach of a bound", "0", max(breaches), 1e-8),
                 below(f"{kind} rows: residual raised by lower levels", "0", max(raises), 1e-8)]
    figure, (axis,) = axes(1)
    for kind, (gaps, *_) in proofs.items():
        axis.semilogy(np.maximum(np.sort(gaps), 1e-17), label=kind)
    axis.set(title="gap to a proof of optimality", xlabel="problem, sorted", ylabel="norm of the gradient left")
    legend(axis, 3)
    return Result(rows, [Picture("Every solution is checked by itself: 0 is a proof", svg(figure))],
                  notes=["D from 1 to 120, boxes of 0.1 to 2 and as many further bounded rows as half the unknowns. A "
                         "bound that costs a level something is kept as an equality for lower levels: left as an "
                         "inequality it makes their problems thin, and QP solvers call thin problems infeasible."])


def _sizes(context: Context) -> list[int]:
    return [1, 2, 3, 5, 8, 13, 21] if context.quick else [*range(1, 31), 45, 60, 90, 120]


def raised_residual(levels: Sequence[Level], bounds: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None) -> float:
    """By how much lower levels raise the residual of a higher one, at worst."""
    def solve(part: Sequence[Level]) -> np.ndarray:
        x = prioritized_least_squares(part) if bounds is None else prioritized_bounded(part, *bounds)
        return np.full(part[0][0].shape[1], np.nan) if x is None else x

    full = residuals(levels, solve(levels))
    return max(float((full[:k] - residuals(levels[:k], solve(levels[:k]))).max()) for k in range(1, len(levels)))


def _proofs(rng: np.random.Generator, kind: str, context: Context
            ) -> tuple[list[float], list[float], list[float], int]:
    """Gap, breach and raised residual of one problem a size, and how many needed a second attempt."""
    gaps, breaches, raises, lost = [], [], [], 0
    for size in _sizes(context):
        levels, failures = random_levels(rng, size, kind), []
        bounds = box(size, float(rng.choice([0.1, 0.5, 2.0])), rng.standard_normal((size // 2, size)))
        x = prioritized_bounded(levels, *bounds, on_failure=lambda *event: failures.append(event))  # noqa: B023
        lost += bool(failures)
        if x is None:
            gaps.append(np.inf)
            continue
        rows, lower, upper = bounds
        gaps.append(lexicographic_gap(levels, rows, lower, upper, x))
        breaches.append(max(0.0, float((rows @ x - upper).max()), float((lower - rows @ x).max())))
        raises.append(raised_residual(levels, bounds))
    return gaps, breaches, raises, lost
