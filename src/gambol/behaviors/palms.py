"""Palms that are put on what is in reach, and what they add to the support of who stands.

A palm on a wall pushes it away with a force F along the wall's normal n, as hard as its arm can. At a height z this
does to a standing body what a pressure point farther toward the wall would do: with the feet's pressure at p and no
moment left about the COM, `c'' = w^2 (c - p + F z / (m g) n)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gambol.control.contact.patches import PatchState, patch_states
from gambol.control.objectives import Objective
from gambol.gains import Gains
from gambol.kinematics.kinematics import Kinematics
from gambol.params import param
from gambol.units import GRAVITY
from gambol.world.figure import Figure
from gambol.world.patches import FigurePatch
from gambol.world.surfaces import Spot, Surfaces

SIDES = {"none": (), "left": ("left",), "right": ("right",), "both": ("left", "right")}
"""What may be asked for, and the sides of the palms meant."""


@dataclass(frozen=True)
class PalmGains(Gains):
    """What palms reach for, how they come to it, and how far balance counts on them."""

    lowest: float = param(0.4, low=0.0, high=1.0, doc="nothing lower than this share of the standing COM's height is "
                                                      "reached for")
    ahead: float = param(0.1, low=-0.5, high=1.0, doc="what is nearest to a place so far ahead of the shoulder is "
                                                      "reached for, as a share of the arm's length")
    below: float = param(0.15, low=-0.5, high=1.0, doc="... and so far below it")
    far: float = param(0.95, low=0.1, high=1.0, doc="share of the arm's length within which something is in reach")
    lets_go: float = param(1.1, low=0.2, high=2.0, doc="... and farther than which it is let go of")
    firm: float = param(0.3, low=0.0, high=5.0, doc="a loose thing lighter than this share of the body's mass is not "
                                                    "leaned on")
    slow: float = param(0.5, unit="m/s", low=0.0, high=20.0, doc="nor is a thing that moves faster")
    reach_kp: float = param(80.0, unit="1/s2", low=5.0, high=500.0, doc="stiffness of the reach")
    reach_weight: float = param(20.0, unit="s4/m2", low=0.0, high=1000.0, doc="how much the reach counts")
    from_off: float = param(0.5, low=0.0, high=2.0, doc="a palm comes from off the surface, by this share of its way "
                                                        "along it")
    most_off: float = param(0.15, unit="m", low=0.0, high=0.5, doc="... at most so far")
    at_it: float = param(0.08, unit="m", low=0.0, high=0.5, doc="... and straight in when only so much of that way is "
                                                                "left")
    into: float = param(0.01, unit="m", low=0.0, high=0.1, doc="how far behind the surface it aims: it then comes to "
                                                              "touch it")
    elbow_room: float = param(0.3, low=0.0, high=1.0, doc="how far the elbow keeps from the surface, as a share of the "
                                                          "arm's length: an arm along a wall cannot push it away")
    elbow_kp: float = param(80.0, unit="1/s2", low=5.0, high=500.0, doc="stiffness by which the elbow keeps off")
    elbow_weight: float = param(20.0, unit="s4/m2", low=0.0, high=1000.0, doc="how much that counts")
    flat_kp: float = param(80.0, unit="1/s2", low=5.0, high=500.0, doc="stiffness by which a palm turns flat")
    flat_weight: float = param(2.0, low=0.0, high=1000.0, doc="how much that counts")
    counted_on: float = param(0.6, low=0.0, high=1.0, doc="share of the arm's strength that balance counts on")
    most: float = param(0.5, low=0.0, high=2.0, doc="... and the most of it, as a share of the body's weight")


class Palm:
    """One palm: where it goes, and how strong its arm is."""

    def __init__(self, figure: Figure, side: str, gains: PalmGains) -> None:
        self.gains = gains
        self.figure, self.role = figure, f"{side}_palm"
        self.patch: FigurePatch = figure.patch_set((self.role,)).patches[0]
        self.shoulder, self.elbow = figure.body_id(f"{side}_upper_arm"), figure.body_id(f"{side}_forearm")
        self.middle, self.facing = self.patch.points.mean(axis=0), _facing(figure, self.patch)
        """its middle and, if it has an area, its outward normal, in the hand's axes"""
        resting = figure.posed(figure.rest)
        joints = [self.shoulder, self.elbow, self.patch.body]
        ends = [*resting.xpos[joints], resting.xpos[self.patch.body] +
                resting.xmat[self.patch.body].reshape(3, 3) @ self.middle]
        self.length = float(sum(np.linalg.norm(b - a) for a, b in pairwise(ends)))
        """from the shoulder to the palm, stretched, m"""
        own = np.isin(figure.model.dof_bodyid[figure.joint_dofs], figure.branch(self.shoulder))
        self.arm: np.ndarray = np.flatnonzero(own & (figure.moves[self.patch.body][figure.driven] > 0))
        """positions of the arm's motors"""
        self.spot: Spot | None = None

    def seek(self, surfaces: Surfaces) -> None:
        """Choose what to touch, if something is in reach; let go of what is no longer."""
        figure = self.figure
        shoulder, c, s = figure.data.xpos[self.shoulder], np.cos(figure.heading), np.sin(figure.heading)
        if self.spot is not None:
            if np.linalg.norm(self.spot.place - shoulder) < self.gains.lets_go * self.length:
                return
            self.spot = None
        ahead, up = self.gains.ahead * self.length, -self.gains.below * self.length
        spot = surfaces.nearest(figure, shoulder + [c * ahead, s * ahead, up], self.length,
                                self.gains.firm * figure.mass, self.gains.slow)
        if spot is None:
            return
        low = surfaces.ground_of(figure) + self.gains.lowest * figure.standing_height
        if spot.place[2] > low and np.linalg.norm(spot.place - shoulder) < self.gains.far * self.length:
            self.spot = spot

    def reach(self, kinematics: Kinematics) -> list[Objective]:
        """The palm goes to its spot, and turns flat to it."""
        if self.spot is None:
            return []
        gains, frame, normal = self.gains, kinematics.frame(self.patch.body), self.spot.normal
        position, velocity, jacobian, bias = (value[0] for value in frame.points(self.middle[None]))
        way = self.spot.place - position
        along = way - normal * (normal @ way)
        off = min(max(gains.from_off * (float(np.linalg.norm(along)) - gains.at_it), 0.0), gains.most_off) - gains.into
        pull = gains.reach_kp * (way + off * normal) - 2.0 * np.sqrt(gains.reach_kp) * velocity
        objectives = [Objective(f"{self.role} reaches", 3, jacobian, pull - bias, gains.reach_weight)]
        if self.facing is not None:
            tilt = np.cross(frame.rotation @ self.facing, -normal)
            turn = gains.flat_kp * tilt - 2.0 * np.sqrt(gains.flat_kp) * frame.spin
            objectives.append(Objective(f"{self.role} flat", 3, frame.spin_jacobian, turn - frame.spin_bias,
                                        gains.flat_weight))
        return objectives

    def elbow_off(self, kinematics: Kinematics) -> list[Objective]:
        """The elbow keeps away from the surface that the palm is put on."""
        if self.spot is None:
            return []
        normal, room = self.spot.normal, self.gains.elbow_room * self.length
        elbow = kinematics.frame(self.elbow).points(np.zeros((1, 3)))
        position, velocity, jacobian, bias = (value[0] for value in elbow)
        away = float(normal @ (position - self.spot.place))
        if away > room:
            return []
        pull = self.gains.elbow_kp * (room - away) - 2.0 * np.sqrt(self.gains.elbow_kp) * float(normal @ velocity)
        return [Objective(f"{self.role}'s elbow off", 3, normal[None] @ jacobian, np.array([pull - normal @ bias]),
                          self.gains.elbow_weight)]

    def strength(self, state: PatchState) -> float:
        """Most force that the arm can push along the surface's normal, N."""
        near = state.near
        normal = state.normal[near].mean(axis=0)
        torques = np.abs(normal @ state.jacobian[near].mean(axis=0))[self.figure.driven[self.arm]]
        limits = self.figure.torque_limit[self.arm]
        weight = self.figure.mass * GRAVITY
        return float(min(self.gains.counted_on * (limits / np.maximum(torques, 1e-3)).min(), self.gains.most * weight))


class Palms:
    """The palms of a figure that are to be put on something."""

    def __init__(self, figure: Figure, surfaces: Surfaces, which: str, gains: PalmGains) -> None:
        self.figure, self.surfaces, self.which, self.gains = figure, surfaces, which, gains
        self.palms = [Palm(figure, side, gains) for side in SIDES[which]]
        self.patches = figure.patch_set(tuple(palm.role for palm in self.palms))

    def again(self) -> Palms:
        """New palms for a body that has grown; each keeps the spot it went to."""
        palms = Palms(self.figure, self.surfaces, self.which, self.gains)
        for palm, before in zip(palms.palms, self.palms, strict=True):
            palm.spot = before.spot
        return palms

    def feel(self, kinematics: Kinematics) -> list[PatchState]:
        """The palms as they are now; those that touch nothing look for something to touch."""
        states = patch_states(kinematics, self.surfaces, self.patches)
        for palm, state in zip(self.palms, states, strict=True):
            if not state.touches:
                palm.seek(self.surfaces)
        return states

    def reaches(self, kinematics: Kinematics, states: list[PatchState]) -> list[Objective]:
        """Objectives of palms that touch nothing yet, to reach their spots; of all elbows, to keep off the surface."""
        return [objective for palm, state in zip(self.palms, states, strict=True)
                for objective in (*(palm.reach(kinematics) if not state.touches else ()), *palm.elbow_off(kinematics))]

    def shifts(self, states: list[PatchState]) -> list[complex]:
        """How far each palm that touches can shift the pressure point, m, as complex numbers."""
        found = []
        for palm, state in zip(self.palms, states, strict=True):
            if state.touches:
                x, y, _ = state.normal[state.near].mean(axis=0).tolist()
                height = float(state.position[state.near, 2].mean()) - self.surfaces.ground_of(self.figure)
                found.append(-palm.strength(state) * height / (self.figure.mass * GRAVITY) * complex(x, y))
        return found


def _facing(figure: Figure, patch: FigurePatch) -> np.ndarray | None:
    """Outward normal of a patch with an area, (3,), in its body's axes; None of a point or a line."""
    if len(patch.points) < 3:
        return None
    middle = patch.points.mean(axis=0)
    normal = np.linalg.svd(patch.points - middle)[2][2]
    out = middle - figure.model.body_ipos[patch.body]
    return normal if normal @ out >= 0 else -normal
