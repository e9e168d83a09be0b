"""Rolling a plan out: from its unknowns to where the COM, the pressure and the feet are, phase by phase (2.10, 2.11).

Whole populations at once: unknowns (b, 29). What a preview is judged by is in `terms.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.planning.preview import pendulum
from gambol.planning.preview.pendulum import Stance
from gambol.planning.preview.schedule import FOOT, KNOTS, NEXT, SPRINGS, TIMES, TURNS
from gambol.planning.preview.situation import UNDER, Leg, Situation


@dataclass(frozen=True)
class Preview:
    """A population of plans, rolled out: the state at the start of each phase and the stance phases."""

    times: np.ndarray
    """(b, 6) durations"""
    places: list[np.ndarray]
    velocities: list[np.ndarray]
    """(b, 3) each: at the start of phases 1 to 6, and at the end"""
    yaws: np.ndarray
    rates: np.ndarray
    """(b, 7) likewise"""
    stances: list[Stance]
    """of phases 1, 2, 4, 5"""
    foothold: np.ndarray
    following: np.ndarray
    """(b, 3) where the new foot stands, and where the other one lands at the end"""


def roll_out(u: np.ndarray, situation: Situation, standing: np.ndarray, literal: bool = False) -> Preview:
    """Follow the models through all phases; `standing` (b,) says which plans stay on both feet."""
    count, here, other = len(u), situation.feet[situation.stance], situation.feet[situation.other]
    leg, swing = situation.legs[situation.stance], situation.legs[situation.other]
    times, springs, turns = u[:, TIMES], u[:, SPRINGS], u[:, TURNS]
    knots = u[:, KNOTS].reshape(count, 5, 2)
    yaws, rates = _headings(times, turns, situation)
    stood = _on_foot(knots[:, 1:3], leg, here.place[:2], np.array([[here.yaw]]))
    both = _between(knots[:, :2], (swing, other.place[:2], other.yaw), (leg, here.place[:2], here.yaw))
    pressed = np.where(standing[:, None], both[:, 1], stood[:, 0])
    height, middle = here.place[2], 0.5 * (here.place[2] + other.place[2])

    place = np.broadcast_to(situation.com, (count, 3))
    velocity = np.broadcast_to(situation.velocity, (count, 3))
    places, velocities = [place], [velocity]
    first = pendulum.stance(place, velocity, times[:, 0], middle, both[:, 0], pressed, springs[:, 0], springs[:, 1],
                            literal)
    place, velocity = _after(first, places, velocities)
    second = pendulum.stance(place, velocity, times[:, 1], height, pressed, stood[:, 1], springs[:, 1], springs[:, 2],
                             literal)
    place, velocity = _after(second, places, velocities)
    place, velocity = pendulum.flight(place, velocity, times[:, 2])
    places.append(place)
    velocities.append(velocity)

    foothold = _foothold(u[:, FOOT], situation)
    landed = _on_foot(knots[:, 3:], swing, foothold[:, :2], yaws[:, 3:4])
    third = pendulum.stance(place, velocity, times[:, 3], 0.5 * (height + foothold[:, 2]), stood[:, 1], landed[:, 0],
                            springs[:, 2], springs[:, 3], literal)
    place, velocity = _after(third, places, velocities)
    fourth = pendulum.stance(place, velocity, times[:, 4], foothold[:, 2], landed[:, 0], landed[:, 1], springs[:, 3],
                             springs[:, 4], literal)
    place, velocity = _after(fourth, places, velocities)
    place, velocity = pendulum.flight(place, velocity, times[:, 5])
    places.append(place)
    velocities.append(velocity)
    following = _foothold(u[:, NEXT], situation)
    return Preview(times, places, velocities, yaws, rates, [first, second, third, fourth], foothold, following)


def _after(phase: Stance, places: list[np.ndarray], velocities: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    place, velocity = phase.end()
    places.append(place)
    velocities.append(velocity)
    return place, velocity


def _headings(times: np.ndarray, turns: np.ndarray, situation: Situation) -> tuple[np.ndarray, np.ndarray]:
    """Yaw and yaw rate at the starts of the phases and at the end: even acceleration in stance, none in flight."""
    pushing = np.zeros_like(times)
    pushing[:, [0, 1, 3, 4]] = turns
    rates = np.empty((len(times), 7))
    rates[:, 0] = situation.turning
    np.cumsum(pushing * times, axis=1, out=rates[:, 1:])
    rates[:, 1:] += situation.turning
    yaws = np.empty((len(times), 7))
    yaws[:, 0] = situation.yaw
    np.cumsum(0.5 * (rates[:, :-1] + rates[:, 1:]) * times, axis=1, out=yaws[:, 1:])
    yaws[:, 1:] += situation.yaw
    return yaws, rates


def _on_foot(knots: np.ndarray, leg: Leg, place: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """Points (b, k, 2) under a sole by coordinates (b, k, 2) from 0 to 1, (heel to toe, right to left)."""
    foot = leg.foot
    back, front, half = UNDER[0] * foot.back, UNDER[1] * foot.front, UNDER[2] * foot.half_width
    ahead, left = knots[..., 0] * (back + front) - back, (2.0 * knots[..., 1] - 1.0) * half
    c, s = np.cos(yaw), np.sin(yaw)
    points = np.empty(knots.shape)
    points[..., 0], points[..., 1] = c * ahead - s * left, s * ahead + c * left
    return points + (place[:, None] if place.ndim == 2 else place)


def _between(knots: np.ndarray, first: tuple[Leg, np.ndarray, float],
             second: tuple[Leg, np.ndarray, float]) -> np.ndarray:
    """Points between two feet by (share of the second foot, heel to toe): never outside the area they span."""
    share, middle = knots[..., :1], np.stack([knots[..., 1], np.full(knots.shape[:-1], 0.5)], axis=-1)
    ends = [_on_foot(middle, leg, place, np.array([[yaw]])) for leg, place, yaw in (first, second)]
    return ends[0] + share * (ends[1] - ends[0])


def _foothold(place: np.ndarray, situation: Situation) -> np.ndarray:
    """A place (b, 2) put on the ground, (b, 3)."""
    return np.concatenate([place, situation.ground.height(place[:, 0], place[:, 1])[:, None]], axis=1)
