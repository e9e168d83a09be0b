"""Finding the best preview of [delasa2011, section 5.3]: least squares for all possible gaits at once.

The publication searches with CMA; that is the slow reference here (`reference.py`). Each gait is a hypothesis with its
own bounds. A projected Levenberg-Marquardt step needs the residuals at changed plans for their derivatives; all
hypotheses and all changes are one population, judged by one call. Several dampings are tried at once in a second call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.planning.preview import schedule
from gambol.planning.preview.gains import PreviewGains
from gambol.planning.preview.schedule import SCALE, SIZE, Gait
from gambol.planning.preview.situation import Goals, Situation
from gambol.planning.preview.terms import residuals

DIFFERENCE = 1e-5
"""Change of an unknown, in units of its scale, for derivatives."""
DAMPINGS = 10.0 ** np.array([-4.0, -2.5, -1.0, 0.5, 2.0, 3.5])
STEPS, MOVES = 12, 2
"""Most steps, and how often each uses its derivatives."""


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
    gains: PreviewGains
    literal: bool = False
    evaluations: int = 0

    def residuals(self, plans: np.ndarray, standing: np.ndarray) -> np.ndarray:
        self.evaluations += len(plans)
        return residuals(plans, self.situation, self.goals, standing, self.gains, self.literal)

    def costs(self, plans: np.ndarray, gait: Gait) -> np.ndarray:
        rows = self.residuals(plans, np.full(len(plans), gait is Gait.STAND))
        return np.einsum("bm,bm->b", rows, rows)


def improve(judge: Judge, starts: Sequence[tuple[Gait, np.ndarray]], steps: int = STEPS,
            least: float = 1e-4) -> list[Candidate]:
    """Better plans from some guesses, each within the bounds of its gait, until none gains this share of its cost.

    A step is two moves by the same derivatives: the second costs a fraction of new ones and gains most of what they do.
    """
    kinds = [gait for gait, _ in starts]
    limits = [schedule.bounds(gait, judge.situation, judge.goals, judge.gains) for gait in kinds]
    low, high = np.array([a for a, _ in limits]) / SCALE, np.array([b for _, b in limits]) / SCALE
    population = _Population(judge, np.array([gait is Gait.STAND for gait in kinds]), low, high)
    u = np.clip(np.array([guess for _, guess in starts]) / SCALE, low, high)
    costs = np.full(len(u), np.inf)
    for _ in range(steps):
        here, jacobian = population.linearized(u)
        before = np.einsum("bm,bm->b", here, here)
        for _ in range(MOVES):
            u, here, costs, gained = population.moved(u, here, jacobian)
            if gained < least:
                break
        if gain(before, costs) < least:
            break
    return [Candidate(gait, plan * SCALE, float(cost)) for gait, plan, cost in zip(kinds, u, costs, strict=True)]


class _Population:
    """Some hypotheses, judged together; unknowns (b, 29) in units of their scale."""

    def __init__(self, judge: Judge, standing: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        self.judge, self.standing, self.low, self.high = judge, standing, low, high
        self.free = np.flatnonzero((low < high).any(axis=0))
        """unknowns that any of them may change, n of them"""

    def _residuals(self, plans: np.ndarray) -> np.ndarray:
        """(b, k, m) of k plans (b, k, 29) a hypothesis."""
        count, each = plans.shape[:2]
        rows = self.judge.residuals(plans.reshape(-1, SIZE) * SCALE, np.repeat(self.standing, each))
        return rows.reshape(count, each, -1)

    def linearized(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals (b, m) and their derivatives (b, n, m)."""
        size = len(self.free)
        sign = np.where(u + DIFFERENCE > self.high, -1.0, 1.0)[:, self.free]
        changed = np.repeat(u[:, None], size + 1, axis=1)
        changed[:, np.arange(size), self.free] += DIFFERENCE * sign
        rows = self._residuals(changed)
        here = rows[:, -1]
        return here, (rows[:, :-1] - here[:, None]) * (sign / DIFFERENCE)[..., None]

    def moved(self, u: np.ndarray, here: np.ndarray,
              jacobian: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """One projected Levenberg-Marquardt step: plans, residuals, costs, and the largest gain as a share."""
        free, low, high, count = self.free, self.low, self.high, len(u)
        slope = (jacobian @ here[..., None])[..., 0]
        stuck = ((u <= low + 1e-12)[:, free] & (slope > 0)) | ((u >= high - 1e-12)[:, free] & (slope < 0))
        stuck |= (low == high)[:, free]
        jacobian = np.where(stuck[..., None], 0.0, jacobian)
        slope[stuck] = 0.0
        normal = jacobian @ np.swapaxes(jacobian, 1, 2)
        damped = normal[:, None] + DAMPINGS[:, None, None] * np.eye(len(free))
        tried = np.repeat(u[:, None], len(DAMPINGS), axis=1)
        tried[..., free] -= np.linalg.solve(damped, slope[:, None, :, None])[..., 0]
        tried = np.minimum(np.maximum(tried, low[:, None]), high[:, None])
        rows = self._residuals(tried)
        values = np.einsum("bkm,bkm->bk", rows, rows)
        values = np.where(np.isfinite(values), values, np.inf)
        costs, every, best = np.einsum("bm,bm->b", here, here), np.arange(count), values.argmin(axis=1)
        lowest = values[every, best]
        better = lowest < costs
        new = np.where(better[:, None], tried[every, best], u)
        after = np.where(better[:, None], rows[every, best], here)
        least = np.where(better, lowest, costs)
        return new, after, least, gain(costs, least)


def gain(before: np.ndarray, after: np.ndarray) -> float:
    """The largest gain of some costs (b,), as a share."""
    return float(np.max((before - after) / (before + 1e-5)))
