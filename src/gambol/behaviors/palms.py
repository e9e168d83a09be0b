"""Palms that are put on what is in reach, and what they add to the support of who stands.

A palm on a wall pushes it away with a force F along the wall's normal n, as hard as its arm can. At a height z this
does to a standing body what a pressure point farther toward the wall would do: with the feet's pressure at p and no
moment left about the COM, `c'' = w^2 (c - p + F z / (m g) n)`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gambol.control.contact.patches import PatchState, patch_states
from gambol.control.objectives import Objective
from gambol.kinematics.kinematics import Kinematics
from gambol.units import GRAVITY
from gambol.world.figure import Figure
from gambol.world.patches import FigurePatch
from gambol.world.surfaces import Spot, Surfaces

SIDES = {"none": (), "left": ("left",), "right": ("right",), "both": ("left", "right")}
"""What may be asked for, and the sides of the palms meant."""
LOWEST = 0.4
"""Nothing lower than this share of the standing COM's height is reached for."""
BESIDE = np.array([0.1, 0.0, -0.15])
"""What is nearest to this place is reached for: ahead of the shoulder and below it, as shares of the arm's length."""
FAR = 0.95
"""Share of the arm's length within which something is in reach."""
INTO = 0.01
"""How far behind a surface a palm aims, m: it then comes to touch it."""
REACH_KP, REACH_WEIGHT = 80.0, 20.0
"""Stiffness of the reach, 1/s2, and how much it counts, s4/m2."""
FROM_OFF, MOST_OFF, AT_IT = 0.5, 0.15, 0.08
"""A palm comes from off the surface: by this share of its way along it, at most so far, m; it goes straight in when it
has only the last bit of that way left, m."""
ELBOW_ROOM, ELBOW_KP, ELBOW_WEIGHT = 0.3, 80.0, 20.0
"""How far elbows keep from the surface, as a share of the arm's length; with which stiffness, 1/s2, and weight, s4/m2.
An arm along the wall could not push it away, and would lie on it at the first push."""
FLAT_KP, FLAT_WEIGHT = 80.0, 2.0
"""Stiffness by which a palm turns flat to the surface, 1/s2, and how much that counts."""
COUNTED_ON, MOST = 0.6, 0.5
"""Share of an arm's strength that balance counts on, and the most of it as a share of the body's weight."""


class Palm:
    """One palm: where it goes, and how strong its arm is."""

    def __init__(self, figure: Figure, side: str) -> None:
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
            if np.linalg.norm(self.spot.place - shoulder) < 1.1 * self.length:
                return
            self.spot = None
        ahead, left, up = BESIDE * self.length
        spot = surfaces.nearest(figure, shoulder + [c * ahead - s * left, s * ahead + c * left, up], self.length)
        if spot is None:
            return
        low = surfaces.ground_of(figure) + LOWEST * figure.standing_height
        if spot.place[2] > low and np.linalg.norm(spot.place - shoulder) < FAR * self.length:
            self.spot = spot

    def reach(self, kinematics: Kinematics) -> list[Objective]:
        """The palm goes to its spot, and turns flat to it."""
        if self.spot is None:
            return []
        frame, normal = kinematics.frame(self.patch.body), self.spot.normal
        position, velocity, jacobian, bias = (value[0] for value in frame.points(self.middle[None]))
        way = self.spot.place - position
        along = way - normal * (normal @ way)
        off = min(max(FROM_OFF * (float(np.linalg.norm(along)) - AT_IT), 0.0), MOST_OFF) - INTO
        pull = REACH_KP * (way + off * normal) - 2.0 * np.sqrt(REACH_KP) * velocity
        objectives = [Objective(f"{self.role} reaches", 3, jacobian, pull - bias, REACH_WEIGHT)]
        if self.facing is not None:
            tilt = np.cross(frame.rotation @ self.facing, -normal)
            turn = FLAT_KP * tilt - 2.0 * np.sqrt(FLAT_KP) * frame.spin
            objectives.append(Objective(f"{self.role} flat", 3, frame.spin_jacobian, turn - frame.spin_bias,
                                        FLAT_WEIGHT))
        return objectives

    def elbow_off(self, kinematics: Kinematics) -> list[Objective]:
        """The elbow keeps away from the surface that the palm is put on."""
        if self.spot is None:
            return []
        normal, room = self.spot.normal, ELBOW_ROOM * self.length
        elbow = kinematics.frame(self.elbow).points(np.zeros((1, 3)))
        position, velocity, jacobian, bias = (value[0] for value in elbow)
        away = float(normal @ (position - self.spot.place))
        if away > room:
            return []
        pull = ELBOW_KP * (room - away) - 2.0 * np.sqrt(ELBOW_KP) * float(normal @ velocity)
        return [Objective(f"{self.role}'s elbow off", 3, normal[None] @ jacobian, np.array([pull - normal @ bias]),
                          ELBOW_WEIGHT)]

    def strength(self, state: PatchState) -> float:
        """Most force that the arm can push along the surface's normal, N."""
        near = state.near
        normal = state.normal[near].mean(axis=0)
        torques = np.abs(normal @ state.jacobian[near].mean(axis=0))[self.figure.driven[self.arm]]
        limits = self.figure.torque_limit[self.arm]
        weight = self.figure.mass * GRAVITY
        return float(min(COUNTED_ON * (limits / np.maximum(torques, 1e-3)).min(), MOST * weight))


class Palms:
    """The palms of a figure that are to be put on something."""

    def __init__(self, figure: Figure, surfaces: Surfaces, which: str) -> None:
        self.figure, self.surfaces, self.which = figure, surfaces, which
        self.palms = [Palm(figure, side) for side in SIDES[which]]
        self.patches = figure.patch_set(tuple(palm.role for palm in self.palms))

    def again(self) -> Palms:
        """The same for a body that has grown: each goes where it went."""
        palms = Palms(self.figure, self.surfaces, self.which)
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
        """What those want that touch nothing yet; and elbows keep off in any case."""
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
