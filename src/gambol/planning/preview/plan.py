"""A plan in use: where COM, pressure point and heading should be at any time from now; the next footholds."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from gambol.planning.preview import pendulum
from gambol.planning.preview.gains import USUAL, PreviewGains
from gambol.planning.preview.heels import risen
from gambol.planning.preview.optimizer import Candidate
from gambol.planning.preview.rollout import WHICH, Preview, roll_out
from gambol.planning.preview.schedule import TURNS, Gait
from gambol.planning.preview.situation import Situation
from gambol.rotations import yaw_matrix
from gambol.units import GRAVITY


@dataclass(frozen=True)
class Moment:
    """What the plan says of one time."""

    phase: int
    """0 to 5"""
    com: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    pressure: np.ndarray | None
    """(2,), none in flight"""
    yaw: float
    turning: float
    turn: float
    """yaw, its rate and acceleration"""


class Plan:
    """The best candidate for a situation."""

    def __init__(self, candidate: Candidate, situation: Situation, literal: bool = False,
                 gains: PreviewGains = USUAL) -> None:
        self.gains = gains
        self.gait, self.unknowns, self.cost, self.situation = (candidate.gait, candidate.unknowns, candidate.cost,
                                                               situation)
        self.preview: Preview = roll_out(self.unknowns[None], situation, np.array([self.gait is Gait.STAND]), literal,
                                         gains)
        self.times = self.preview.times[0]
        self.starts = np.concatenate([[0.0], np.cumsum(self.times)])
        self.final = int(np.flatnonzero(self.times)[-1])
        self._asked: tuple[float, Moment] | None = None

    @cached_property
    def foothold(self) -> np.ndarray:
        """(3,) where the swing foot lands."""
        return self.preview.foothold[0]

    @property
    def foothold_yaw(self) -> float:
        return float(self.preview.yaws[0, 3])

    @property
    def footholds(self) -> np.ndarray:
        """(k, 3) where the next feet land: two of them, none when it stands."""
        if self.gait is Gait.STAND:
            return np.zeros((0, 3))
        return np.stack([self.preview.foothold[0], self.preview.following[0]])

    @property
    def foothold_yaws(self) -> np.ndarray:
        """(2,) where these feet point."""
        return self.preview.yaws[0, [3, 6]]

    @property
    def lands(self) -> float:
        """Time until the swing foot lands, s."""
        return float(self.starts[3])

    @property
    def lifts(self) -> float:
        """Time until the foot that is to swing leaves the ground, s."""
        return float(self.starts[1])

    @property
    def leaves(self) -> float:
        """Time until the stance foot leaves the ground, s: for a flight, or after the next foot has landed."""
        return float(self.starts[2])

    @property
    def flies(self) -> bool:
        return bool(self.times[2] > 0)

    @property
    def seconds(self) -> float:
        return float(self.starts[-1])

    @property
    def level(self) -> float:
        """Height of the ground under the foot that stands, or stood last, m."""
        return float(self.situation.feet[self.situation.stance].place[2])

    @property
    def down(self) -> float:
        """How much lower than that the next foothold is, m."""
        return self.level - float(self.foothold[2])

    @property
    def climbs(self) -> bool:
        """Whether the foot on its way goes to ground higher by more than a usual step."""
        return -self.down > self.gains.landings.climb

    def stretched(self, moment: Moment) -> bool:
        """Whether the leg that carries now is so long, while its hip is ahead, that its heel must have risen."""
        leg, foot = self.situation.legs[self.situation.stance], self.situation.feet[self.situation.stance]
        forward = np.array([np.cos(foot.yaw), np.sin(foot.yaw), 0.0])
        ankle = foot.place - leg.foot.ahead * forward + [0.0, 0.0, leg.foot.below]
        away = moment.com + yaw_matrix(moment.yaw) @ leg.hip - ankle
        jumps = self.flies and bool(moment.velocity[2] > 0)
        return bool(sqrt(away.dot(away)) > leg.longest and risen(float(away @ forward), jumps, self.gains.rising) > 0)

    def at(self, time: float) -> Moment:
        """The plan at a time from when it was made; after its end, its end."""
        if self._asked is None or self._asked[0] != time:
            self._asked = (time, self._at(time))
        return self._asked[1]

    def _at(self, time: float) -> Moment:
        phase = min(bisect_right(self.starts, time, 1, len(self.times)) - 1, self.final)
        since = min(max(time - self.starts[phase], 0.0), self.times[phase])
        yaw, rate = self.preview.yaws[0, phase], self.preview.rates[0, phase]
        index = WHICH[phase]
        if index is not None:
            turn = self.unknowns[TURNS][index]
            place, velocity, acceleration, pressure = self.preview.stances.moment(index, since)
        else:
            start, speed = self.preview.places[phase], self.preview.velocities[phase]
            place, velocity = (part[0] for part in pendulum.flight(start, speed, np.array([since])))
            acceleration, pressure, turn = np.array([0.0, 0.0, -GRAVITY]), None, 0.0
        return Moment(phase, place, velocity, acceleration, pressure, float(yaw + rate * since + 0.5 * turn * since**2),
                      float(rate + turn * since), float(turn))
