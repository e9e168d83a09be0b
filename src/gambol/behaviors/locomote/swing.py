"""A foot in the air: its knee folds, it rises over what is in its way, goes to its foothold and lands flat on it, or,
far down, on its toes.

All lengths and times here are for an adult and scale with the body.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from gambol.behaviors.limbs import Limbs
from gambol.control.contact.patches import BIAS, POSITION, VELOCITY, PatchState, middle_and_tilt
from gambol.control.objectives import Objective, setpoint, target_acceleration
from gambol.features import Kinematics, Orientation
from gambol.planning.footing import yaw_matrix
from gambol.world.terrain import Terrain

PLACE_WEIGHT, PITCH_WEIGHT, LEVEL_WEIGHT, TRAIL_WEIGHT = 200.0, 20.0, 10.0, 20.0
BLOCKED_PITCH = 5.0
"""How much more the pitch counts while something is in the way: the toe hangs down at first."""
LIFT, LIFT_TIME = 0.07, 0.06
"""Clearance of the sole, m, and least time to get anywhere, s."""
LEVEL_TIME = 0.12
"""A foot that must go over something is level in this time, s."""
EARLY, UNHURRIED = 0.8, 0.4
"""A foot that goes down a step is over its foothold this share of its descent before it lands, but no more than that
share of the time left: a foot that rushes ahead drags the body along."""
DESCENT, LANDING_SPEED, AIM_BELOW = 1.2, 0.3, 0.01
"""How fast a foot comes down and how fast it lands, m/s; how far below the ground it aims, m: it then lands in time."""
MOST = 80.0
"""Most acceleration of a swinging foot, m/s2."""
PASSED = np.linspace(0.0, 1.0, 8)[:, None]
"""Where on its way the ground is looked at, as shares."""
STEP_OVER = 0.02
"""Ground higher than the foothold by this is in the way, m."""
FOLD_KP, FOLD_WEIGHT, FOLDED_FOR = 300.0, 10.0, 0.55
"""The knee folds in the first part of the swing."""
FOLD_SPEEDS, FOLD_ANGLES = (0.0, 1.0, 3.0), (0.5, 0.9, 1.5)
"""How far, rad, at which speed, m/s."""
FOLD_UP, HIGH = 3.0, 0.3
"""How much farther for each metre that it must go up, rad, but no more than for the last, m."""
TRAIL_KP, TRAIL_HEIGHT = 150.0, 0.7
"""A foot that has just left the ground for a flight is drawn up below its hip, to this share of the leg's length."""
READY, READY_WEIGHT = 0.4, 30.0
"""A knee that is about to land from a flight is bent at least so much, rad: a straight one could not give way."""


@dataclass(frozen=True)
class Flight:
    """Where and when a swinging foot should land, in the world's units."""

    goal: np.ndarray
    """(3,) middle of the sole on the ground"""
    yaw: float
    swung: float
    left: float
    """times since it left the ground and until it lands, s"""
    toes: float = 0.0
    """how much higher its heel than its toe is when it lands, m"""
    airborne: bool = False
    """whether the other foot is in the air, too"""

    @property
    def aim(self) -> np.ndarray:
        """(3,) where the middle of the sole is when it lands: on its toes it is higher."""
        return self.goal + [0.0, 0.0, 0.5 * self.toes]

    @property
    def share(self) -> float:
        return self.swung / max(self.swung + self.left, 1e-6)


class Swing:
    """Objectives of feet in the air."""

    def __init__(self, limbs: Limbs, terrain: Terrain) -> None:
        self.limbs, self.terrain = limbs, terrain
        self.turns = [Orientation(limbs.figure, f"{side}foot") for side in ("left_", "right_")]

    def landing(self, kinematics: Kinematics, sole: PatchState, foot: int, flight: Flight) -> list[Objective]:
        """For the foot that lands next."""
        size, ((middle, tilt), (rows, tilt_rows)) = self.limbs.size, middle_and_tilt(sole)
        slope, lowest = self._slope(foot, flight) - flight.toes, float(sole.position[:, 2].min())
        going, blocked = self._going(middle[POSITION], middle[VELOCITY], foot, flight, lowest, 0.5 * slope)
        level_in = max(min(flight.left, LEVEL_TIME) if blocked else flight.left, LIFT_TIME)
        tipping = target_acceleration(tilt[2], tilt[5], slope, 0.0, level_in)
        # At first the leg is straight and only its knee can lift the foot: height does not count yet.
        weight = PLACE_WEIGHT / size**2 * np.array([1.0, 1.0, min(max((flight.share - 0.15) / 0.4, 0.03), 1.0)])
        pitch = PITCH_WEIGHT * (BLOCKED_PITCH if blocked else 1.0) / size**2
        ready = self._bend(foot, READY, READY_WEIGHT) if flight.airborne else []
        up = (float(flight.aim[2]) - lowest) / size
        return [*self._fold(kinematics, foot, flight.share, up), *ready,
                Objective("swing", 3, rows, going - middle[BIAS], weight),
                Objective("swing pitch", 3, tilt_rows[2:], np.array([tipping - tilt[8]]), pitch),
                self._level(kinematics, foot, flight.yaw)]

    def trailing(self, kinematics: Kinematics, sole: PatchState, foot: int) -> list[Objective]:
        """For the other one in a flight."""
        limbs, size = self.limbs, self.limbs.size
        (middle, _), (rows, _) = middle_and_tilt(sole)
        place, velocity = middle[POSITION], middle[VELOCITY]
        hip = limbs.figure.data.xpos[limbs.thighs[foot]]
        goal = hip - [0.0, 0.0, TRAIL_HEIGHT * limbs.legs[foot].rest * size]
        desired = TRAIL_KP * (goal - place) + 2.0 * np.sqrt(TRAIL_KP) * (kinematics.com_velocity - velocity)
        return [*self._fold(kinematics, foot, 0.1),
                Objective("trail", 3, rows, desired - middle[BIAS], TRAIL_WEIGHT / size**2)]

    def _slope(self, foot: int, flight: Flight) -> float:
        """Height of the toe over the heel of a foot that lies on its foothold, m."""
        half = 0.5 * self.limbs.foot_sizes[foot].length * np.array([np.cos(flight.yaw), np.sin(flight.yaw)])
        normal = self.terrain.normal(*flight.goal[:2])
        return -2.0 * float(normal[:2] @ half) / max(float(normal[2]), 0.3)

    def _level(self, kinematics: Kinematics, foot: int, yaw: float) -> Objective:
        """No roll, and the yaw of the foothold."""
        feature = self.turns[foot]
        level = setpoint(feature, feature.at(kinematics), yaw_matrix(yaw).dot(self.limbs.foot_turn[foot]), 3, kp=400.0)
        about = np.array([[np.cos(yaw), np.sin(yaw), 0.0], [0.0, 0.0, 1.0]])
        return Objective("swing foot level", 3, about.dot(level.rows), about.dot(level.target), LEVEL_WEIGHT)

    def _fold(self, kinematics: Kinematics, foot: int, share: float, up: float = 0.0) -> list[Objective]:
        """The knee bends in the first part of the swing, farther if the foot must go `up`; straight, it lifts none."""
        limbs = self.limbs
        if share > FOLDED_FOR:
            return []
        speed = float(np.hypot(*kinematics.com_velocity[:2])) / limbs.pace
        angle = float(np.interp(speed, FOLD_SPEEDS, FOLD_ANGLES)) + FOLD_UP * min(max(up, 0.0), HIGH)
        return self._bend(foot, angle, FOLD_WEIGHT * (1.0 - share / FOLDED_FOR))

    def _bend(self, foot: int, angle: float, weight: float) -> list[Objective]:
        """The knee is bent at least by an angle, rad."""
        limbs, figure = self.limbs, self.limbs.figure
        knee = np.flatnonzero(limbs.folds[foot])
        if not len(knee):
            return []
        sign = limbs.folds[foot][knee]
        missing = np.maximum(angle - sign * figure.angles[knee], 0.0)
        rows = np.zeros((len(knee), figure.nv))
        rows[np.arange(len(knee)), figure.driven[knee]] = 1.0
        desired = FOLD_KP * sign * missing - 1.2 * np.sqrt(FOLD_KP) * figure.rates[knee]
        return [Objective("fold", 3, rows, desired, weight)]

    # -- the way through the air -----------------------------------------------------------------------------------

    def _going(self, place: np.ndarray, velocity: np.ndarray, foot: int, flight: Flight,
               lowest: float, tilt: float) -> tuple[np.ndarray, bool]:
        """Acceleration of the foot's middle, and whether something is in its way: up first, over, then down.

        `lowest` is the height of the sole's lowest point, `tilt` how much higher than its middle the toe is on landing.
        """
        size, goal, left = self.limbs.size, flight.aim, flight.left
        down = -LANDING_SPEED * self.limbs.pace
        if left <= 0:  # late: straight down
            ground = float(self.terrain.height(*place[:2])) - AIM_BELOW * size
            up = target_acceleration(place[2], velocity[2], ground, down, LIFT_TIME)
            return np.array([*(-20.0 * velocity[:2]), min(max(up, -MOST), MOST)]), False
        over = self._over(place, goal, foot)
        behind = max(-tilt, 0.0)  # downhill the heel lands higher than the middle, and that than the toe
        down_step = over > goal[2] + behind + STEP_OVER * size
        highest = max(goal[2] - abs(tilt), over - 2.0 * behind)
        blocked = down_step or highest > lowest + STEP_OVER * size
        top = highest + LIFT * size + place[2] - lowest
        descent = (top - goal[2]) / (DESCENT * self.limbs.pace) + LIFT_TIME
        early = min(EARLY * descent, UNHURRIED * left) if down_step else 0.0
        flat = target_acceleration(place[:2], velocity[:2], goal[:2], 0.0, max(left - early, LIFT_TIME))
        if left > descent or blocked:
            height, speed, time = top, 0.0, max(left - descent, LIFT_TIME)
        else:
            height, speed, time = goal[2] - AIM_BELOW * size, down, left
        if blocked:  # first up, then forward
            free = float(np.clip((lowest - highest) / (0.05 * size), 0.0, 1.0))
            near = self._distance(place, goal, lowest, foot) < 0.05 * size
            flat = free * flat - (1.0 - free) * 10.0 * velocity[:2] if near else flat
        going = np.array([*flat, target_acceleration(place[2], velocity[2], height, speed, time)])
        return going * min(1.0, MOST / max(sqrt(going.dot(going)), 1e-9)), blocked

    def _over(self, place: np.ndarray, goal: np.ndarray, foot: int) -> float:
        """Highest ground that the foot passes on its way, from its heel now to its heel when it has landed."""
        half, way = 0.5 * self.limbs.foot_sizes[foot].length, goal[:2] - place[:2]
        length = hypot(*way)
        if length < 0.02 * self.limbs.size:
            return -np.inf
        points = place[:2] + (PASSED - half / length) * way
        return float(self.terrain.height(points[:, 0], points[:, 1]).max())

    def _distance(self, place: np.ndarray, goal: np.ndarray, lowest: float, foot: int) -> float:
        """How far the toe is from ground higher than the sole's lowest point, m; infinite if there is none near."""
        half, way = 0.5 * self.limbs.foot_sizes[foot].length, goal[:2] - place[:2]
        ahead = np.linspace(0.0, 0.2 * self.limbs.size, 6)
        points = place[:2] + np.outer(half + ahead, way / max(float(np.hypot(*way)), 1e-6))
        high = self.terrain.height(points[:, 0], points[:, 1]) > lowest
        return float(ahead[int(np.argmax(high))]) if high.any() else np.inf
