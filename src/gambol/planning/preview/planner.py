"""The planner: keeps the last plan, starts the next one from it, and picks the gait that costs least."""

from __future__ import annotations

import numpy as np

from gambol.planning.preview import schedule
from gambol.planning.preview.optimizer import Candidate, Judge, improve
from gambol.planning.preview.plan import Plan
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Goals, Situation, Support
from gambol.planning.preview.terms import Weights

COLD_STEPS, WARM_STEPS = 12, 2
LOOK_AROUND = 4
"""Every so many plans, and whenever contacts change, other gaits are weighed too."""
ELSEWHERE, KEPT = np.linspace(-0.4, 0.4, 9), 4
"""Where the ground is not fit everywhere, footholds are moved by these along the way, m, and the best few improved."""
FAITHFUL = 0.9
"""Another gait must cost less than this share of the present one's to be taken up."""


class Planner:
    """Plans again and again, each time from the last solution."""

    def __init__(self, weights: Weights | None = None, literal: bool = False) -> None:
        self.weights, self.literal = weights or Weights(), literal
        self.last: dict[Gait, np.ndarray] = {}
        self.gait: Gait | None = None
        self.judge: Judge | None = None
        self.count = 0

    def plan(self, situation: Situation, goals: Goals, steps: int | None = None) -> Plan:
        """The best plan for a situation; time that passed and exchanges of support are told before."""
        warm, steps = steps is None, WARM_STEPS if steps is None else steps
        judge = self.judge = Judge(situation, goals, self.weights, self.literal)
        able = schedule.gaits(situation, goals)
        self.count += 1
        around = not warm or self.count % LOOK_AROUND == 0 or self.gait not in able or self.gait not in self.last
        if not around and self.gait is not None:
            able = [self.gait]
        starts = [(gait, self.last[gait]) for gait in able if gait in self.last]
        if around and situation.ground.unfit is not None:
            starts += [(gait, other) for gait, plan in starts for other in _elsewhere(judge, gait, plan)]
        fresh = [(gait, schedule.cold(gait, situation, goals)) for gait in able if gait not in self.last]
        found = (improve(judge, starts, steps) if starts else []) + (improve(judge, fresh, COLD_STEPS) if fresh else [])
        for candidate in sorted(found, key=lambda each: -each.cost):
            self.last[candidate.gait] = candidate.unknowns
        best = self._choose(found)
        self.gait = best.gait
        return Plan(best, situation, self.literal)

    def _choose(self, found: list[Candidate]) -> Candidate:
        """The cheapest; the gait at hand is kept unless another is clearly better."""
        return min(found, key=lambda each: each.cost * (FAITHFUL if each.gait is self.gait else 1.0))

    def passed(self, time: float, support: Support) -> None:
        """Some time has gone by since the last plan, in this kind of support."""
        self.last = {gait: schedule.elapsed(plan, time, support, gait) for gait, plan in self.last.items()}

    def exchanged(self, situation: Situation) -> None:
        """The swing foot has landed."""
        self.last = {gait: schedule.shifted(plan, gait) for gait, plan in self.last.items()}


def _elsewhere(judge: Judge, gait: Gait, plan: np.ndarray) -> list[np.ndarray]:
    """The same plan with other footholds, each farther or nearer: over a gap, or short of it. The most promising."""
    turn = judge.goals.way - judge.situation.yaw
    along = np.array([np.cos(turn), np.sin(turn)])
    first, second = (shift.ravel()[:, None] * along for shift in np.meshgrid(ELSEWHERE, ELSEWHERE))
    others = np.repeat(plan[None], len(first), axis=0)
    others[:, schedule.FOOT] += first
    others[:, schedule.NEXT] += second
    others = np.clip(others, *schedule.bounds(gait, judge.situation, judge.goals))
    return list(others[np.argsort(judge.costs(others, gait))[:KEPT]])
