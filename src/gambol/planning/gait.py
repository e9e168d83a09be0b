"""The gait: whose foot swings, how long and wide its step is, where and when it lands, where the pressure should be.

A walk goes from one foot to the other. Each step is planned when its swing begins; until shortly before it lands, place
and time are adapted to where the capture point really goes (`step_adaptation.py`). The weight changes feet in the
middle of the double support, and while a foot stands the pressure rolls under it from heel to toe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from math import hypot, sqrt

import numpy as np

from gambol.control.contact.patches import PatchState
from gambol.gains import Gains
from gambol.params import param
from gambol.planning import capture
from gambol.planning.footing import Box, FootSize, FootState, Way
from gambol.planning.step_adaptation import AdaptationGains, Rolling, Step, adapt_step


@dataclass(frozen=True)
class GaitGains(Gains):
    """How a walk goes from foot to foot, of an adult."""

    double_support: float = param(0.08, unit="s", low=0.004, high=0.3, doc="how long both feet carry")
    exchange: float = param(0.5, low=0.0, high=1.0,
                            doc="share of the double support after which the weight is exchanged")
    feedback: float = param(1.0, low=0.0, high=1.0,
                            doc="share of the pressure's answer to the capture point that is given")
    capture_gain: float = param(3.0, unit="1/s", low=0.0, high=20.0, doc="how fast the capture point is brought back")
    fastest: float = param(1.35, unit="m/s", low=0.3, high=2.5,
                           doc="longer steps than this speed allows are shortened: a walker faster than this would "
                               "have to run")
    longer: float = param(0.13, unit="m", low=0.01, high=0.5, doc="most that a step is longer than the one before")
    shorter: float = param(0.06, unit="m", low=0.01, high=0.5,
                           doc="most that it is shorter: braking takes more steps than starting")
    slower: float = param(0.05, unit="s", low=0.005, high=0.3,
                          doc="most that a swing's time differs from the one before")
    narrowest: float = param(0.13, unit="m", low=0.0, high=0.4, doc="distance between feet that are not spread")
    roll: float = param(0.25, low=0.0, high=0.6,
                        doc="share of a step that the pressure goes on under the standing foot")
    heel_off: bool = param(True, doc="whether the heel of the hind foot may rise before the foot swings")
    soonest: float = param(0.6, low=0.3, high=1.0, doc="least share of its planned time that a step takes")
    latest: float = param(1.25, low=1.0, high=2.0, doc="most of it")
    foot_speed: float = param(4.0, unit="m/s", low=1.0, high=10.0, doc="how fast a foot gets to another landing place")
    freeze: float = param(0.05, unit="s", low=0.0, high=0.2,
                          doc="before it lands, for so long the landing stays as it is")
    reach_back: float = param(-0.5, unit="m", low=-1.0, high=0.0,
                              doc="where a foot may land: ahead of the other one, least")
    reach_ahead: float = param(0.75, unit="m", low=0.1, high=1.2, doc="and most")
    reach_near: float = param(0.09, unit="m", low=-0.1, high=0.3, doc="to its own side of the other one, least")
    reach_far: float = param(0.45, unit="m", low=0.2, high=0.8, doc="and most")
    shift_time: float = param(0.5, unit="s", low=0.1, high=2.0,
                              doc="in which the weight goes over before the first step")
    shift_gain: float = param(3.0, low=0.0, high=10.0, doc="how far the pressure goes beyond the capture point for it")
    adaptation: AdaptationGains = field(default=AdaptationGains())


class Phase(Enum):
    SHIFT = "shift"
    SWING = "swing"
    DOUBLE = "double"


@dataclass
class Wish:
    """What the next steps should be like, for an adult; taken over when a step begins, a little a step."""

    length: float
    duration: float
    spread: float


class Gait:
    """The plan of a walk and its progress. Lengths scale with the size of the body, times with the root of it."""

    def __init__(self, size: float, feet: Sequence[FootSize], sides: Sequence[float], wish: Wish, time: float,
                 com: np.ndarray, least: float = 0.0, gains: GaitGains | None = None) -> None:
        self.size, self.feet, self.sides, self.least = size, feet, sides, least
        """`least`: time that a swing takes at least, s"""
        self.gains = gains or GaitGains()
        self.phase, self.since, self.swing = Phase.SHIFT, time, 1
        self.states = [FootState.SUPPORT, FootState.SUPPORT]
        self.steps, self.length, self.duration = 0, 0.0, max(wish.duration * self.pace, least)
        self.came_from, self.landing, self.lands = com[:2].copy(), com[:2].copy(), self.duration
        self.width = 0.0
        self._plan(wish)

    @property
    def pace(self) -> float:
        return sqrt(self.size)

    @property
    def double(self) -> float:
        return self.gains.double_support * self.pace

    @property
    def stance(self) -> int:
        return 1 - self.swing

    def left(self, time: float) -> float:
        """Time until the swing foot lands, negative if it is late, s."""
        return self.lands - (time - self.since)

    def join(self, time: float, soles: Sequence[PatchState], speed: float, way: Way) -> None:
        """Take over a walk under way: a foot in the air swings on, of two on the ground the hind one is next."""
        apart = way.into(soles[0].center[:2] - soles[1].center[:2])[0]
        hanging = [not sole.touches for sole in soles]
        self.swing = hanging.index(True) if any(hanging) else int(apart > 0)
        most = self.length + self.gains.longer * self.size
        self.length = float(np.clip(speed * (self.duration + self.double), 0.0, most))
        if any(hanging):
            ahead = apart if self.swing == 0 else -apart
            share = np.clip(0.5 + 0.5 * ahead / max(self.length, 0.1 * self.size), 0.0, 0.8)
            self.phase, self.since = Phase.SWING, time - share * self.duration
            self.states[self.swing] = FootState.SWING
        else:
            self.phase, self.states[self.swing] = Phase.DOUBLE, self._hind

    @property
    def _hind(self) -> FootState:
        """State of the foot behind while both carry."""
        return FootState.HEEL_OFF if self.gains.heel_off else FootState.SUPPORT

    def _plan(self, wish: Wish) -> None:
        gains = self.gains
        change = float(np.clip(max(wish.duration * self.pace, self.least) - self.duration, -gains.slower, gains.slower))
        self.duration += change
        length = min(wish.length * self.size, gains.fastest * self.pace * (self.duration + self.double))
        self.length += float(np.clip(length - self.length, -gains.shorter * self.size, gains.longer * self.size))
        self.width = (gains.narrowest + 2 * wish.spread) * self.size

    # -- whose turn it is ------------------------------------------------------------------------------------------

    def advance(self, time: float, soles: Sequence[PatchState], point: np.ndarray, way: Way, wish: Wish) -> None:
        """Go on to the next phase when this one is over; `point` is the capture point."""
        now = time - self.since
        if self.phase is Phase.SHIFT:
            aside = abs(way.into(point - soles[self.stance].center[:2])[1])
            if (aside < 0.03 * self.size and now > 0.3) or now > 1.5:
                self._begin_swing(time, wish)
        elif self.phase is Phase.SWING and self._has_landed(soles[self.swing], now):
            self.states[self.swing], self.states[self.stance] = FootState.PLANT, self._hind
            self.phase, self.since, self.swing = Phase.DOUBLE, time, self.stance
            self.steps += 1
        elif self.phase is Phase.DOUBLE and now > self.double:
            self._begin_swing(time, wish)

    def _begin_swing(self, time: float, wish: Wish) -> None:
        self._plan(wish)
        self.phase, self.since, self.lands = Phase.SWING, time, self.duration
        self.states[self.swing], self.states[self.stance] = FootState.SWING, FootState.SUPPORT

    def _has_landed(self, sole: PatchState, now: float) -> bool:
        """Touching, not rising, and where it should be: a toe that brushes the ground on its way does not count.

        A foot that is late has landed when it is close to the ground: one that stands on its toes is rounder than its
        sole points say.
        """
        near = hypot(*(sole.center[:2] - self.landing)) < 0.1 * self.size
        due = now > (0.5 if near else 0.9) * self.lands
        down = sole.touches if now > self.lands else min(sole.height.tolist()) < 0.002
        return due and down and float(sole.drift[2]) < 0.05

    # -- where the pressure should be ------------------------------------------------------------------------------

    def pressure(self, time: float, soles: Sequence[PatchState], point: np.ndarray, rate: float,
                 way: Way) -> np.ndarray:
        """The pressure point, (2,), that brings the capture point to where the walk goes on; adapts the landing too."""
        gains = self.gains
        standing, other, now = soles[self.stance], soles[self.swing], time - self.since
        foot = standing.center[:2]
        room = self._under(self.stance, way.into(foot))
        if self.phase is Phase.SHIFT:
            over = self.came_from + min(now / gains.shift_time, 1.0) * (foot - self.came_from)
            room = room.joined(self._under(self.swing, way.into(other.center[:2])))
            return way.out(room.clip(way.into(over + gains.shift_gain * (point - over))))
        offset = self.steady_offset(rate)
        if self.phase is Phase.SWING and self.lands - now > gains.freeze:
            self._adapt(foot, way.into(point - foot), offset, rate, now, other, way)
        rolling, left = self._rolling(now)
        arrival = np.array([self.length, self.sides[self.swing] * self.width]) + offset
        reference = foot + way.out(rolling.back(arrival, rate, left))
        nominal = foot + way.out(rolling.place)
        if self.phase is Phase.DOUBLE:
            toe = other.center[:2] + way.out(np.array([0.5 * self.feet[self.swing].front, 0.0]))
            nominal = toe + (nominal - toe) * min(1.0, now / self.double)
            room = room.joined(self._under(self.swing, way.into(toe)))
        wanted = capture.correcting_pressure(point, reference, nominal, rate, gains.capture_gain, gains.feedback)
        return way.out(room.clip(way.into(wanted)))

    def _rolling(self, now: float, lands: float | None = None) -> tuple[Rolling, float]:
        """How the pressure rolls under the standing foot now, and the time left until the weight leaves it."""
        half = self.gains.exchange * self.double
        if self.phase is Phase.SWING:
            done, left = now + half, (self.lands if lands is None else lands) + half - now
        else:
            done, left = now - half, self.duration + self.double + half - now
        left = max(left, 0.0)
        roll = self._roll
        speed = roll / (done + left)
        return Rolling(np.array([speed * done - 0.5 * roll, 0.0]), np.array([speed, 0.0])), left

    @property
    def _roll(self) -> float:
        """How far the pressure goes under a standing foot, m."""
        return min(self.gains.roll * self.length, 1.2 * min(self.feet[0].front, self.feet[1].front))

    def steady_offset(self, rate: float) -> np.ndarray:
        """Usual place of the capture point relative to the foot that takes over the weight, (ahead, left)."""
        period, roll = self.duration + self.double, self._roll
        ahead, inward = capture.steady_offset(self.length - roll, self.width, period, rate).tolist()
        return np.array([ahead - 0.5 * roll + roll / period / rate, -self.sides[self.swing] * inward])

    def _under(self, foot: int, center: np.ndarray) -> Box:
        """Where the pressure may be under a foot: not quite to its edges."""
        size = self.feet[foot]
        back, front, half = 0.7 * size.back, 0.8 * size.front, 0.75 * size.half_width
        return Box(center - np.array([back, half]), center + np.array([front, half]))

    def _adapt(self, foot: np.ndarray, point: np.ndarray, offset: np.ndarray, rate: float, now: float, sole: PatchState,
               way: Way) -> None:
        """Set place and time of the landing anew."""
        gains, side = self.gains, self.sides[self.swing]
        half = gains.exchange * self.double
        place = np.array([self.length, side * self.width])
        travel = hypot(*(self.landing - sole.center[:2])) / (gains.foot_speed * self.pace)
        least = max(gains.soonest * self.duration - now, travel, gains.freeze)
        most = max(gains.latest * self.duration - now, least)
        rolling, left = self._rolling(now, self.duration)
        reach = _reach(gains.reach_back, gains.reach_ahead, gains.reach_near, gains.reach_far, self.size, side)
        step = adapt_step(point, rolling, Step(place, left), offset, rate, (least + half, most + half), reach,
                          self.size, gains.adaptation)
        self.landing, self.lands = foot + way.out(step.place), now + step.time_left - half


@lru_cache(maxsize=64)
def _reach(back: float, ahead: float, near: float, far: float, size: float, side: float) -> Box:
    """Where a foot of a body of this size may land, on its side."""
    return Box(np.array([back, near]), np.array([ahead, far])).scaled(size).on_side(side)
