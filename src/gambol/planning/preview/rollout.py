"""Rolling a plan out: from its unknowns to where the COM, the pressure and the feet are, phase by phase.

Models and phases are those of [delasa2011, section 5.2]. Whole populations at once: unknowns (b, 29). What a preview is
judged by is in `terms.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.planning.preview import pendulum
from gambol.planning.preview.gains import USUAL, PreviewGains, SoleGains
from gambol.planning.preview.pendulum import Stance
from gambol.planning.preview.schedule import FOOT, KNOTS, NEXT, SPRINGS, TIMES, TURNS
from gambol.planning.preview.situation import Situation
from gambol.planning.preview.soles import under

WHICH = (0, 1, None, 2, 3, None)
"""Which of the four stances each phase is; the others are flights."""
ON_FOOT = pendulum.on_foot(WHICH)
"""Phases that are stances."""


@dataclass(frozen=True)
class Preview:
    """A population of plans, rolled out: the state at the start of each phase and the stance phases."""

    times: np.ndarray
    """(b, 6) durations"""
    places: np.ndarray
    velocities: np.ndarray
    """(7, b, 3): at the start of phases 1 to 6, and at the end"""
    yaws: np.ndarray
    rates: np.ndarray
    """(b, 7) likewise"""
    stances: Stance
    """phases 1, 2, 4, 5"""
    footholds: np.ndarray
    """(2, b, 3) where the new foot stands, and where the other one lands at the end"""

    @property
    def foothold(self) -> np.ndarray:
        return self.footholds[0]

    @property
    def following(self) -> np.ndarray:
        return self.footholds[1]


def by_plan(values: np.ndarray, *axes: int) -> np.ndarray:
    """Values as rows (b, m), with the axes in this order: that of the plans first."""
    return values.transpose(axes).reshape(values.shape[axes[0]], -1)


def roll_out(u: np.ndarray, situation: Situation, standing: np.ndarray, literal: bool = False,
             gains: PreviewGains = USUAL) -> Preview:
    """Follow the models through all phases; `standing` (b,) says which plans stay on both feet."""
    here, other = situation.feet[situation.stance], situation.feet[situation.other]
    yaws, rates = _headings(u[:, TIMES], u[:, TURNS], situation)
    footholds = _footholds(u, situation)
    height, landed, ground = here.place[2], footholds[0, :, 2], np.empty((4, len(u)))
    ground[0], ground[1] = 0.5 * (height + other.place[2]), height
    ground[2], ground[3] = 0.5 * (height + landed), landed
    pressure = _pressures(u[:, KNOTS].T.reshape(5, 2, -1), situation, standing, footholds[0, :, :2].T, yaws[:, 3],
                          gains.soles)
    stances, places, velocities = pendulum.course(situation.com, situation.velocity, u[:, TIMES].T, WHICH, ground,
                                                  pressure, u[:, SPRINGS].T, literal, gains.stances.weakest)
    return Preview(u[:, TIMES], places, velocities, yaws, rates, stances, footholds)


def _headings(times: np.ndarray, turns: np.ndarray, situation: Situation) -> tuple[np.ndarray, np.ndarray]:
    """Yaw and yaw rate at the starts of the phases and at the end: even acceleration in stance, none in flight."""
    pushing = np.zeros(times.shape)
    pushing[:, ON_FOOT] = turns
    rates = np.empty((len(times), 7))
    rates[:, 0] = situation.turning
    (pushing * times).cumsum(axis=1, out=rates[:, 1:])
    rates[:, 1:] += situation.turning
    yaws = np.empty((len(times), 7))
    yaws[:, 0] = situation.yaw
    (0.5 * (rates[:, :-1] + rates[:, 1:]) * times).cumsum(axis=1, out=yaws[:, 1:])
    yaws[:, 1:] += situation.yaw
    return yaws, rates


def _pressures(knots: np.ndarray, situation: Situation, standing: np.ndarray, foothold: np.ndarray,
               yaw: np.ndarray, gains: SoleGains) -> np.ndarray:
    """Pressure points (5, 2, b) by their knots (5, 2, b): between the feet that stand now, under the stance foot, then
    under the next one on its foothold. Plans that stand have the second between the feet, too."""
    here, other = situation.feet[situation.stance], situation.feet[situation.other]
    sole, swung = situation.legs[situation.stance].foot, situation.legs[situation.other].foot
    along, across = knots[:, 0], knots[:, 1]
    points = np.empty(knots.shape)
    points[1:3] = under(sole, along[1:3], across[1:3], here.place[:2, None], here.yaw, gains)
    points[3:] = under(swung, along[3:], across[3:], foothold, yaw, gains)
    between = slice(0, 2 if standing.any() else 1)  # `along` is the share of the second foot, `across` from heel to toe
    first, second = (under(size, across[between], 0.5, foot.place[:2, None], foot.yaw, gains)
                     for size, foot in ((swung, other), (sole, here)))
    both = first + along[between, None] * (second - first)
    points[0] = both[0]
    if len(both) > 1:
        points[1] = np.where(standing, both[1], points[1])
    return points


def _footholds(u: np.ndarray, situation: Situation) -> np.ndarray:
    """The two next ones, put on the ground, (2, b, 3)."""
    places = np.empty((2, len(u), 3))
    places[0, :, :2], places[1, :, :2] = u[:, FOOT], u[:, NEXT]
    places[..., 2] = situation.ground.height(places[..., 0], places[..., 1])
    return places
