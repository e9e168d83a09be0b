"""The planner: keeps the last plan, starts the next one from it, and picks the gait that costs least."""

from __future__ import annotations

import numpy as np

from gambol.planning.preview import schedule
from gambol.planning.preview.optimizer import Candidate, Judge, improve
from gambol.planning.preview.plan import Plan
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Field, Goals, Situation, Support
from gambol.planning.preview.weights import Weights

COLD_STEPS, EVENT_STEPS, WARM_STEPS = 8, 5, 2
"""Steps of the optimiser without a plan at hand (and of a walker who weighs other plans where the ground is not fit
everywhere), when contacts have changed unforeseen, and else."""
COLD_GAIN, WARM_GAIN = 1e-4, 0.02
"""The optimiser stops early if a step gains less than this share of the cost."""
LOOK_AROUND = 4
"""Every so many plans, and when contacts have changed unforeseen, other gaits and footholds are weighed too."""
ELSEWHERE, ONWARD = 3, 2
"""Most patches of fit ground to start from where the ground is not fit everywhere, and for each for the next foot."""
WAITS = (0.4, 0.3)
"""There, who stands on both feet may also push with both for so long from now, and then swing for so long, s: few small
steps of the optimiser do not get from a hasty step to that."""
SHIFTS, NEARBY = np.linspace(-0.6, 1.5, 106), 0.6
FIT, SHORT = 0.03, 0.03
"""Where these are looked for, m along the way, and up to where they are near; what counts as fit, and as no shift."""
FAITHFUL, STEADY = 0.9, 0.7
"""Another gait must cost less than this share of the present one's to be taken up; other footholds, while a foot is on
its way, less than that share."""


class Planner:
    """Plans again and again, each time from the last solution."""

    def __init__(self, weights: Weights | None = None, literal: bool = False, steady: float = STEADY) -> None:
        self.weights, self.literal, self.steady = weights or Weights(), literal, steady
        self.last: dict[Gait, np.ndarray] = {}
        self.stood = np.zeros(2)
        """where the stance foot of the last plan is"""
        self.gait: Gait | None = None
        self.judge: Judge | None = None
        self.count = 0

    def plan(self, situation: Situation, goals: Goals, steps: int | None = None) -> Plan:
        """The best plan for a situation; time that passed and exchanges of support are told before."""
        warm, steps = steps is None, WARM_STEPS if steps is None else steps
        judge = self.judge = Judge(situation, goals, self.weights, self.literal)
        able = schedule.gaits(situation, goals)
        self.last = {gait: plan for gait, plan in self.last.items() if gait in able}  # others would grow stale
        self.count += 1
        around = not warm or self.count % LOOK_AROUND == 0 or self.gait not in able or self.gait not in self.last
        if not around and self.gait is not None:
            able = [self.gait]
        starts = [(gait, self.last[gait]) for gait in able if gait in self.last]
        rough = around and situation.ground.unfit is not None
        thorough = rough and self.gait is Gait.WALK
        if rough:
            starts += [(gait, other) for gait, plan in starts if gait is not Gait.STAND
                       for other in _elsewhere(plan, situation, goals)]
            if situation.support is Support.DOUBLE:
                starts += [(gait, _waiting(plan)) for gait, plan in starts if gait is Gait.WALK]
        anew = thorough or not warm
        fresh = [(gait, schedule.cold(gait, situation, goals)) for gait in able if anew or gait not in self.last]
        most = thorough or len(fresh) > len(starts)
        found = improve(judge, starts + fresh, max(steps, COLD_STEPS if most else 0),
                        WARM_GAIN if not anew and not fresh else COLD_GAIN)
        kept = next((plan for (gait, _), plan in zip(starts, found, strict=False) if gait is self.gait), None)
        best = self._choose(found, kept if situation.support is not Support.DOUBLE else None)
        for candidate in sorted(found, key=lambda each: -each.cost):
            self.last[candidate.gait] = candidate.unknowns
        self.last[best.gait] = best.unknowns
        self.gait, self.stood = best.gait, situation.feet[situation.stance].place[:2]
        return Plan(best, situation, self.literal)

    def _choose(self, found: list[Candidate], kept: Candidate | None) -> Candidate:
        """The cheapest; the gait at hand and the footholds of a kept plan stay unless others are clearly better."""
        return min(found, key=lambda each: each.cost * (self.steady if each is kept else 1.0)
                   * (FAITHFUL if each.gait is self.gait else 1.0))

    def passed(self, time: float, support: Support) -> None:
        """Some time has gone by since the last plan, in this kind of support."""
        self.last = {gait: schedule.elapsed(plan, time, support, gait) for gait, plan in self.last.items()}

    def resized(self, ratio: float) -> None:
        """The body has grown: places in its units are multiplied by this."""
        for plan in self.last.values():
            plan[schedule.FOOT] *= ratio
            plan[schedule.NEXT] *= ratio
        self.stood = ratio * self.stood

    def exchanged(self) -> None:
        """The swing foot has landed."""
        self.last = {gait: schedule.shifted(plan, gait, self.stood) for gait, plan in self.last.items()}


def _waiting(plan: np.ndarray) -> np.ndarray:
    """The same plan with that much time left on both feet."""
    other = plan.copy()
    other[schedule.TIMES][:2] = WAITS
    return other


def _elsewhere(plan: np.ndarray, situation: Situation, goals: Goals) -> list[np.ndarray]:
    """The same plan with other footholds on fit ground, farther and nearer: over a gap, or short of it."""
    unfit = situation.ground.unfit
    if unfit is None:
        return []
    along, others = np.array([np.cos(goals.way), np.sin(goals.way)]), []
    for shift in _fit_shifts(unfit, plan[schedule.FOOT], along, ELSEWHERE):
        for onward in _fit_shifts(unfit, plan[schedule.NEXT] + shift * along, along, ONWARD) or [0.0]:
            other = plan.copy()
            other[schedule.FOOT] += shift * along
            other[schedule.NEXT] += (shift + onward) * along
            others.append(other)
    return others


def _fit_shifts(unfit: Field, place: np.ndarray, along: np.ndarray, most: int) -> list[float]:
    """How far to go along the way to fit ground, the shortest way first: one shift for each patch of it.

    So many near ones at most, and always the next one ahead: it may be beyond a gap.
    """
    points = place + np.outer(SHIFTS, along)
    fit = unfit(points[:, 0], points[:, 1]) < FIT
    patches = np.split(SHIFTS, np.flatnonzero(np.diff(fit)) + 1)
    found = [float(patch[np.argmin(np.abs(patch))]) for patch in patches[int(not fit[0])::2]]
    near = sorted((shift for shift in found if abs(shift) <= NEARBY), key=abs)[:most]
    following = min((shift for shift in found if shift > SHORT), default=None)
    return near if following is None or following in near else [*near, following]
