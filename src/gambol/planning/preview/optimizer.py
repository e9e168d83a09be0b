"""Finding the best preview: least squares for all possible gaits at once (2.12), with CMA as the slow reference.

Each gait is a hypothesis with its own bounds. A projected Levenberg-Marquardt step needs the residuals at changed
plans for their derivatives; all hypotheses and all changes are one population, judged by one call. Several dampings
are tried at once in a second call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.planning.preview import schedule
from gambol.planning.preview.schedule import SCALE, SIZE, Gait
from gambol.planning.preview.situation import Goals, Situation
from gambol.planning.preview.terms import Weights, residuals

DIFFERENCE = 1e-5
"""Change of an unknown, in units of its scale, for derivatives."""
DAMPINGS = 10.0 ** np.array([-4.0, -2.5, -1.0, 0.5])
STEPS = 12


@dataclass(frozen=True)
class Candidate:
    """A plan of one gait and what it costs."""

    gait: Gait
    unknowns: np.ndarray
    cost: float


@dataclass
class Judge:
    """The objective of one situation, for populations."""

    situation: Situation
    goals: Goals
    weights: Weights
    literal: bool = False
    evaluations: int = 0

    def residuals(self, plans: np.ndarray, standing: np.ndarray) -> np.ndarray:
        self.evaluations += len(plans)
        return residuals(plans, self.situation, self.goals, standing, self.weights, self.literal)

    def costs(self, plans: np.ndarray, gait: Gait) -> np.ndarray:
        rows = self.residuals(plans, np.full(len(plans), gait is Gait.STAND))
        return np.einsum("bm,bm->b", rows, rows)


def improve(judge: Judge, starts: Sequence[tuple[Gait, np.ndarray]], steps: int = STEPS,
            least: float = 1e-4) -> list[Candidate]:
    """Better plans from some guesses, each within the bounds of its gait, until none gains this share of its cost."""
    kinds = [gait for gait, _ in starts]
    limits = [schedule.bounds(gait, judge.situation, judge.goals) for gait in kinds]
    low, high = np.array([a for a, _ in limits]) / SCALE, np.array([b for _, b in limits]) / SCALE
    standing = np.array([gait is Gait.STAND for gait in kinds])
    u = np.clip(np.array([guess for _, guess in starts]) / SCALE, low, high)
    costs = np.full(len(u), np.inf)
    for _ in range(steps):
        u, costs, gained = _step(judge, u, low, high, standing)
        if gained < least:
            break
    return [Candidate(gait, plan * SCALE, float(cost)) for gait, plan, cost in zip(kinds, u, costs, strict=True)]


def _step(judge: Judge, u: np.ndarray, low: np.ndarray, high: np.ndarray,
          standing: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """One projected Levenberg-Marquardt step of all hypotheses; unknowns in units of their scale."""
    count, free = len(u), np.flatnonzero((low < high).any(axis=0))
    size = len(free)
    sign = np.where(u + DIFFERENCE > high, -1.0, 1.0)[:, free]
    changed = np.repeat(u[:, None], size + 1, axis=1)
    changed[:, np.arange(size), free] += DIFFERENCE * sign
    rows = judge.residuals(changed.reshape(-1, SIZE) * SCALE, np.repeat(standing, size + 1))
    rows = rows.reshape(count, size + 1, -1)
    here = rows[:, -1]
    jacobian = (rows[:, :-1] - here[:, None]) * (sign / DIFFERENCE)[..., None]
    slope = np.einsum("bnm,bm->bn", jacobian, here)
    stuck = ((u <= low + 1e-12)[:, free] & (slope > 0)) | ((u >= high - 1e-12)[:, free] & (slope < 0))
    stuck |= (low == high)[:, free]
    jacobian[stuck] = 0.0
    slope[stuck] = 0.0
    normal = jacobian @ np.swapaxes(jacobian, 1, 2)
    damped = normal[:, None] + DAMPINGS[None, :, None, None] * np.eye(size)
    right = np.broadcast_to(slope[:, None, :, None], (count, len(DAMPINGS), size, 1))
    tried = np.repeat(u[:, None], len(DAMPINGS), axis=1)
    tried[..., free] -= np.linalg.solve(damped, right)[..., 0]
    tried = np.clip(tried, low[:, None], high[:, None])
    values = judge.residuals(tried.reshape(-1, SIZE) * SCALE, np.repeat(standing, len(DAMPINGS)))
    values = np.einsum("bm,bm->b", values, values).reshape(count, -1)
    values = np.where(np.isfinite(values), values, np.inf)
    costs = np.einsum("bm,bm->b", here, here)
    best = values.argmin(axis=1)
    lowest = values[np.arange(count), best]
    better = lowest < costs
    new = np.where(better[:, None], tried[np.arange(count), best], u)
    costs_new = np.where(better, lowest, costs)
    return new, costs_new, float(np.max((costs - costs_new) / (costs + 1e-5)))
