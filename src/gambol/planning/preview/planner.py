"""The planner: keeps the last plan, starts the next one from it, and picks the gait that costs least."""

from __future__ import annotations

import numpy as np

from gambol.planning.preview import schedule
from gambol.planning.preview.gains import USUAL, PreviewGains, SearchGains
from gambol.planning.preview.optimizer import Candidate, Judge, improve
from gambol.planning.preview.plan import Plan
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Field, Goals, Situation, Support

COLD_GAIN, WARM_GAIN = 1e-4, 0.02
"""The optimiser stops early if a step gains less than this share of the cost."""
GRID, SHORT = 0.02, 0.03
"""Other footholds are looked for in steps of the first, m; less than the second is no other one."""


class Planner:
    """Plans again and again, each time from the last solution."""

    def __init__(self, gains: PreviewGains = USUAL, literal: bool = False) -> None:
        self.gains, self.literal = gains, literal
        self.last: dict[Gait, np.ndarray] = {}
        self.stood = np.zeros(2)
        """where the stance foot of the last plan is"""
        self.gait: Gait | None = None
        self.judge: Judge | None = None
        self.count = 0

    def plan(self, situation: Situation, goals: Goals, steps: int | None = None) -> Plan:
        """The best plan for a situation; time that passed and exchanges of support are told before."""
        gains, search = self.gains, self.gains.search
        warm, steps = steps is None, search.warm_steps if steps is None else steps
        judge = self.judge = Judge(situation, goals, gains, self.literal)
        able = schedule.gaits(situation, goals, gains.schedule)
        self.last = {gait: plan for gait, plan in self.last.items() if gait in able}  # others would grow stale
        self.count += 1
        around = not warm or self.count % search.look_around == 0 or self.gait not in able or self.gait not in self.last
        if not around and self.gait is not None:
            able = [self.gait]
        starts = [(gait, self.last[gait]) for gait in able if gait in self.last]
        rough = around and situation.ground.unfit is not None
        thorough = rough and self.gait is Gait.WALK
        if rough:
            starts += [(gait, other) for gait, plan in starts if gait is not Gait.STAND
                       for other in _elsewhere(plan, situation, goals, search)]
            if situation.support is Support.DOUBLE:
                starts += [(gait, _waiting(plan, search)) for gait, plan in starts if gait is Gait.WALK]
        anew = thorough or not warm
        fresh = [(gait, schedule.cold(gait, situation, goals, gains)) for gait in able if anew or gait not in self.last]
        most = thorough or len(fresh) > len(starts)
        found = improve(judge, starts + fresh, max(steps, search.cold_steps if most else 0),
                        WARM_GAIN if not anew and not fresh else COLD_GAIN)
        kept = next((plan for (gait, _), plan in zip(starts, found, strict=False) if gait is self.gait), None)
        best = self._choose(found, kept if situation.support is not Support.DOUBLE else None)
        for candidate in sorted(found, key=lambda each: -each.cost):
            self.last[candidate.gait] = candidate.unknowns
        self.last[best.gait] = best.unknowns
        self.gait, self.stood = best.gait, situation.feet[situation.stance].place[:2]
        return Plan(best, situation, self.literal, gains)

    def _choose(self, found: list[Candidate], kept: Candidate | None) -> Candidate:
        """The cheapest; the gait at hand and the footholds of a kept plan stay unless others are clearly better."""
        search = self.gains.search
        return min(found, key=lambda each: each.cost * (search.steady if each is kept else 1.0)
                   * (search.faithful if each.gait is self.gait else 1.0))

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


def _waiting(plan: np.ndarray, search: SearchGains) -> np.ndarray:
    """The same plan with more time left on both feet."""
    other = plan.copy()
    other[schedule.TIMES][:2] = search.waits, search.then_swings
    return other


def _elsewhere(plan: np.ndarray, situation: Situation, goals: Goals, search: SearchGains) -> list[np.ndarray]:
    """The same plan with other footholds on fit ground, farther and nearer: over a gap, or short of it."""
    unfit = situation.ground.unfit
    if unfit is None:
        return []
    along, others = np.array([np.cos(goals.way), np.sin(goals.way)]), []
    for shift in _fit_shifts(unfit, plan[schedule.FOOT], along, search.elsewhere, search):
        for onward in _fit_shifts(unfit, plan[schedule.NEXT] + shift * along, along, search.onward, search) or [0.0]:
            other = plan.copy()
            other[schedule.FOOT] += shift * along
            other[schedule.NEXT] += (shift + onward) * along
            others.append(other)
    return others


def _fit_shifts(unfit: Field, place: np.ndarray, along: np.ndarray, most: int,
                search: SearchGains = USUAL.search) -> list[float]:
    """How far to go along the way to fit ground, the shortest way first: one shift for each patch of it.

    So many near ones at most, and always the next one ahead: it may be beyond a gap.
    """
    shifts = np.linspace(-search.back, search.ahead, round((search.back + search.ahead) / GRID) + 1)
    points = place + np.outer(shifts, along)
    fit = unfit(points[:, 0], points[:, 1]) < search.fit
    patches = np.split(shifts, np.flatnonzero(np.diff(fit)) + 1)
    found = [float(patch[np.argmin(np.abs(patch))]) for patch in patches[int(not fit[0])::2]]
    near = sorted((shift for shift in found if abs(shift) <= search.near), key=abs)[:most]
    following = min((shift for shift in found if shift > SHORT), default=None)
    return near if following is None or following in near else [*near, following]
