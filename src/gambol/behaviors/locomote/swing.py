"""A foot in the air: its knee folds, it rises over what is in its way, goes to its foothold and lands flat on it, or,
far down, on its toes.

All lengths and times here are for an adult and scale with the body.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from gambol.behaviors.carriage import Carriage, swing_ends
from gambol.behaviors.limbs import Limbs
from gambol.control.contact.patches import BIAS, POSITION, VELOCITY, PatchState, middle_and_tilt
from gambol.control.objectives import Objective, target_acceleration
from gambol.features import Kinematics, Orientation
from gambol.gains import Gains
from gambol.params import param
from gambol.planning.footing import yaw_matrix
from gambol.world.terrain import Terrain
from gambol.world.walkable import Walkable


@dataclass(frozen=True)
class SwingGains(Gains):
    """How a foot goes through the air."""

    place_weight: float = param(200.0, low=1.0, high=5000.0, doc="how much the way of its middle counts")
    pitch_weight: float = param(20.0, low=0.1, high=1000.0, doc="how much its pitch counts")
    trail_weight: float = param(20.0, low=0.1, high=1000.0,
                                doc="how much the way of the trailing foot of a flight counts")
    blocked_pitch: float = param(5.0, low=0.1, high=100.0,
                                 doc="how much more the pitch counts while something is in the way: the toe hangs "
                                     "down at first")
    lift: float = param(0.07, unit="m", low=0.0, high=0.3, doc="clearance of the sole")
    lift_time: float = param(0.06, unit="s", low=0.01, high=0.3, doc="least time to get anywhere")
    level_time: float = param(0.12, unit="s", low=0.02, high=0.5,
                              doc="a foot that must go over something is level in this time")
    early: float = param(0.8, low=0.0, high=1.5,
                         doc="a foot that goes down a step is over its foothold this share of its descent before it "
                             "lands")
    unhurried: float = param(0.4, low=0.0, high=1.0,
                             doc="but no more than this share of the time left: a foot that rushes ahead drags the "
                                 "body along")
    descent: float = param(1.2, unit="m/s", low=0.2, high=4.0, doc="how fast it comes down")
    landing_speed: float = param(0.3, unit="m/s", low=0.0, high=1.5, doc="how fast it lands")
    aim_below: float = param(0.01, unit="m", low=0.0, high=0.05,
                             doc="how far below the ground it aims: it then lands in time")
    most: float = param(80.0, unit="m/s2", low=10.0, high=300.0, doc="most acceleration of it")
    step_over: float = param(0.02, unit="m", low=0.0, high=0.2,
                             doc="ground higher than the foothold by this is in the way")
    late_braking: float = param(20.0, unit="1/s", low=1.0, high=100.0,
                                doc="how fast a foot that is late stops along the ground")
    blocked_braking: float = param(10.0, unit="1/s", low=1.0, high=100.0,
                                   doc="how fast one stops that must go up first")
    fold_kp: float = param(300.0, unit="1/s2", low=20.0, high=2000.0,
                           doc="stiffness of the knee that folds in the first part of the swing")
    fold_weight: float = param(10.0, low=0.1, high=500.0, doc="how much that counts")
    folded_for: float = param(0.55, low=0.05, high=1.0, doc="share of the swing for which it does")
    fold_still: float = param(0.5, unit="rad", low=0.0, high=2.0, doc="how far it folds on the spot")
    fold_walking: float = param(0.9, unit="rad", low=0.0, high=2.0, doc="how far at 1 m/s")
    fold_running: float = param(1.5, unit="rad", low=0.0, high=2.5, doc="how far at 3 m/s")
    fold_up: float = param(3.0, unit="rad/m", low=0.0, high=10.0,
                           doc="how much farther for each metre that it must go up")
    high: float = param(0.3, unit="m", low=0.0, high=1.0, doc="but no more than for so many metres")
    trail_kp: float = param(150.0, unit="1/s2", low=10.0, high=1000.0,
                            doc="stiffness by which a foot that has just left the ground for a flight is drawn up "
                                "below its hip")
    trail_height: float = param(0.7, low=0.3, high=1.0, doc="to this share of the leg's length")
    ready: float = param(0.4, unit="rad", low=0.0, high=1.5,
                         doc="a knee that is about to land from a flight is bent at least so much: a straight one "
                             "could not give way")
    ready_weight: float = param(30.0, low=0.1, high=500.0, doc="how much that counts")


FOLD_SPEEDS = (0.0, 1.0, 3.0)
"""Speeds for which it is said how far a knee folds, m/s."""
PASSED = np.linspace(0.0, 1.0, 8)[:, None]
"""Where on its way the ground is looked at, as shares."""


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

    def __init__(self, limbs: Limbs, ground: Terrain | Walkable, gains: SwingGains, carriage: Carriage) -> None:
        self.limbs, self.ground, self.gains, self.carriage = limbs, ground, gains, carriage
        self.folds = (gains.fold_still, gains.fold_walking, gains.fold_running)
        self.turns = [Orientation(limbs.figure, f"{side}foot") for side in ("left_", "right_")]

    def landing(self, kinematics: Kinematics, sole: PatchState, foot: int, flight: Flight) -> list[Objective]:
        """For the foot that lands next."""
        gains, size, ((middle, tilt), (rows, tilt_rows)) = self.gains, self.limbs.size, middle_and_tilt(sole)
        slope, lowest = self._slope(foot, flight) - flight.toes, float(sole.position[:, 2].min())
        going, blocked = self._going(middle[POSITION], middle[VELOCITY], foot, flight, lowest, 0.5 * slope)
        level_in = max(min(flight.left, gains.level_time) if blocked else flight.left, gains.lift_time)
        tipping = target_acceleration(tilt[2], tilt[5], slope, 0.0, level_in)
        # At first the leg is straight and only its knee can lift the foot: height does not count yet.
        weight = gains.place_weight / size**2 * np.array([1.0, 1.0, min(max((flight.share - 0.15) / 0.4, 0.03), 1.0)])
        pitch = gains.pitch_weight * (gains.blocked_pitch if blocked else 1.0) / size**2
        ready = self._bend(foot, gains.ready, gains.ready_weight) if flight.airborne else []
        up = (float(flight.aim[2]) - lowest) / size
        return [*self._fold(kinematics, foot, flight.share, up), *ready,
                *swing_ends(middle, rows, going, weight, tilt, tilt_rows, tipping, pitch),
                self._level(kinematics, foot, flight.yaw)]

    def trailing(self, kinematics: Kinematics, sole: PatchState, foot: int) -> list[Objective]:
        """For the other one in a flight."""
        limbs, gains, size = self.limbs, self.gains, self.limbs.size
        (middle, _), (rows, _) = middle_and_tilt(sole)
        place, velocity = middle[POSITION], middle[VELOCITY]
        hip = limbs.figure.data.xpos[limbs.thighs[foot]]
        goal = hip - [0.0, 0.0, gains.trail_height * limbs.legs[foot].rest * size]
        desired = (gains.trail_kp * (goal - place)
                   + 2.0 * np.sqrt(gains.trail_kp) * (kinematics.com_velocity - velocity))
        return [*self._fold(kinematics, foot, 0.1),
                Objective("trail", 3, rows, desired - middle[BIAS], gains.trail_weight / size**2)]

    def _slope(self, foot: int, flight: Flight) -> float:
        """Height of the toe over the heel of a foot that lies on its foothold, m."""
        half = 0.5 * self.limbs.foot_sizes[foot].length * np.array([np.cos(flight.yaw), np.sin(flight.yaw)])
        normal = self.ground.normal(*flight.goal[:2])
        return -2.0 * float(normal[:2] @ half) / max(float(normal[2]), 0.3)

    def _level(self, kinematics: Kinematics, foot: int, yaw: float) -> Objective:
        """No roll, and the yaw of the foothold."""
        turn, ahead = yaw_matrix(yaw).dot(self.limbs.foot_turn[foot]), np.array([np.cos(yaw), np.sin(yaw)])
        return self.carriage.level(kinematics, self.turns[foot], turn, ahead)

    def _fold(self, kinematics: Kinematics, foot: int, share: float, up: float = 0.0) -> list[Objective]:
        """The knee bends in the first part of the swing, farther if the foot must go `up`; straight, it lifts none."""
        limbs, gains = self.limbs, self.gains
        if share > gains.folded_for:
            return []
        speed = float(np.hypot(*kinematics.com_velocity[:2])) / limbs.pace
        angle = float(np.interp(speed, FOLD_SPEEDS, self.folds)) + gains.fold_up * min(max(up, 0.0), gains.high)
        return self._bend(foot, angle, gains.fold_weight * (1.0 - share / gains.folded_for))

    def _bend(self, foot: int, angle: float, weight: float) -> list[Objective]:
        """The knee is bent at least by an angle, rad."""
        limbs, figure, kp = self.limbs, self.limbs.figure, self.gains.fold_kp
        knee = np.flatnonzero(limbs.folds[foot])
        if not len(knee):
            return []
        sign = limbs.folds[foot][knee]
        missing = np.maximum(angle - sign * figure.angles[knee], 0.0)
        rows = np.zeros((len(knee), figure.nv))
        rows[np.arange(len(knee)), figure.driven[knee]] = 1.0
        desired = kp * sign * missing - 1.2 * np.sqrt(kp) * figure.rates[knee]
        return [Objective("fold", 3, rows, desired, weight)]

    # -- the way through the air -----------------------------------------------------------------------------------

    def _going(self, place: np.ndarray, velocity: np.ndarray, foot: int, flight: Flight,
               lowest: float, tilt: float) -> tuple[np.ndarray, bool]:
        """Acceleration of the foot's middle, and whether something is in its way: up first, over, then down.

        `lowest` is the height of the sole's lowest point, `tilt` how much higher than its middle the toe is on landing.
        """
        size, gains, goal, left = self.limbs.size, self.gains, flight.aim, flight.left
        down = -gains.landing_speed * self.limbs.pace
        if left <= 0:  # late: straight down
            ground = float(self.ground.height(*place[:2])) - gains.aim_below * size
            up = target_acceleration(place[2], velocity[2], ground, down, gains.lift_time)
            return np.array([*(-gains.late_braking * velocity[:2]), min(max(up, -gains.most), gains.most)]), False
        over = self._over(place, goal, foot)
        behind = max(-tilt, 0.0)  # downhill the heel lands higher than the middle of the sole, m
        down_step = over > goal[2] + behind + gains.step_over * size
        highest = max(goal[2] - abs(tilt), over - 2.0 * behind)
        blocked = down_step or highest > lowest + gains.step_over * size
        top = highest + gains.lift * size + place[2] - lowest
        descent = (top - goal[2]) / (gains.descent * self.limbs.pace) + gains.lift_time
        early = min(gains.early * descent, gains.unhurried * left) if down_step else 0.0
        flat = target_acceleration(place[:2], velocity[:2], goal[:2], 0.0, max(left - early, gains.lift_time))
        if left > descent or blocked:
            height, speed, time = top, 0.0, max(left - descent, gains.lift_time)
        else:
            height, speed, time = goal[2] - gains.aim_below * size, down, left
        if blocked:  # first up, then forward
            free = float(np.clip((lowest - highest) / (0.05 * size), 0.0, 1.0))
            near = self._distance(place, goal, lowest, foot) < 0.05 * size
            flat = free * flat - (1.0 - free) * gains.blocked_braking * velocity[:2] if near else flat
        going = np.array([*flat, target_acceleration(place[2], velocity[2], height, speed, time)])
        return going * min(1.0, gains.most / max(sqrt(going.dot(going)), 1e-9)), blocked

    def _over(self, place: np.ndarray, goal: np.ndarray, foot: int) -> float:
        """Highest ground that the foot passes on its way, from its heel now to its heel when it has landed."""
        half, way = 0.5 * self.limbs.foot_sizes[foot].length, goal[:2] - place[:2]
        length = hypot(*way)
        if length < 0.02 * self.limbs.size:
            return -np.inf
        points = place[:2] + (PASSED - half / length) * way
        return float(self.ground.height(points[:, 0], points[:, 1]).max())

    def _distance(self, place: np.ndarray, goal: np.ndarray, lowest: float, foot: int) -> float:
        """How far the toe is from ground higher than the sole's lowest point, m; infinite if there is none near."""
        half, way = 0.5 * self.limbs.foot_sizes[foot].length, goal[:2] - place[:2]
        ahead = np.linspace(0.0, 0.2 * self.limbs.size, 6)
        points = place[:2] + np.outer(half + ahead, way / max(float(np.hypot(*way)), 1e-6))
        high = self.ground.height(points[:, 0], points[:, 1]) > lowest
        return float(ahead[int(np.argmax(high))]) if high.any() else np.inf
