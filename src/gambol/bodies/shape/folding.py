"""Legs of different lengths: the longer ones rest folded, so that a body stands on all its feet, hips level.

A leg folds in the plane of its pitch joints. Wanted: the toe as high as the sole of the shortest leg, the sole level
and as far ahead or behind as it was. An ankle without enough range leaves the heel in the air.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
from scipy.optimize import OptimizeResult, least_squares

from gambol.bodies.character import Character

ENOUGH = 1e-3
"""Legs whose lengths differ by less are as good as equal, m."""
MARGIN = 0.15
"""Joints stay this far inside their range, rad."""
LOOSE = 0.3
"""How much the height of the heel and the way ahead weigh against the height of the toe."""
STARTS = (0.0, 0.2, 0.4, 0.6)
"""Bends of the knee from which the fold is searched, as shares of its range."""


class Legs:
    """The feet of a character in its rest pose, and in others."""

    def __init__(self, character: Character, model: mujoco.MjModel) -> None:
        self.model, self.data, self.anatomy = model, mujoco.MjData(model), character.anatomy
        self.pose = character.rest_qpos(model)
        self.soles = {foot: self.sole(foot) for foot in self.anatomy.feet}
        self.axes = self.data.xaxis.copy()

    def sole(self, foot: str) -> np.ndarray:
        """Sole points of a foot in the present pose, (k, 3), heel first."""
        self.data.qpos[:] = self.pose
        mujoco.mj_kinematics(self.model, self.data)
        body = self.model.body(self.anatomy.bodies[foot]).id
        return self.data.xpos[body] + np.asarray(self.anatomy.soles[foot]) @ self.data.xmat[body].reshape(3, 3).T

    def ankle(self, foot: str) -> float:
        """How far ahead an ankle is, in the pose measured last, m."""
        return float(self.data.body(self.anatomy.bodies[foot]).xpos[0])

    def middle(self, foot: str) -> float:
        """How far the middle of a sole is ahead of its ankle, m."""
        return float(np.asarray(self.anatomy.soles[foot])[:, 0].mean())

    def pitch_joints(self, foot: str) -> np.ndarray:
        """Hinges of a leg that turn about the body's lateral axis, from the hip down."""
        side, roles = foot.removesuffix("foot"), self.anatomy.joints
        joints = np.array([self.model.joint(name).id for part in ("hip", "knee", "ankle")
                           for name in roles.get(f"{side}{part}", ())], dtype=int)
        hinge = (self.model.jnt_type[joints] == mujoco.mjtJoint.mjJNT_HINGE) & (self.model.jnt_limited[joints] != 0)
        return joints[hinge & (np.abs(self.axes[joints, 1]) > 0.7)]

    def fold(self, foot: str, joints: np.ndarray, ahead: float, height: float) -> np.ndarray:
        """Angles of a leg's three joints that bring its sole to a place."""
        address, (low, high) = self.model.jnt_qposadr[joints], self.model.jnt_range[joints].T
        rest = self.pose[address].copy()

        def missing(angles: np.ndarray) -> np.ndarray:
            self.pose[address] = angles
            points = self.sole(foot)
            heel_up = points[0, 2] - points[-1, 2]
            return np.array([LOOSE * (points[:, 0].mean() - ahead), points[-1, 2] - height,
                             heel_up * (LOOSE if heel_up > 0 else 1.0)])

        def found(bend: float) -> OptimizeResult:
            start = np.clip(rest, low + MARGIN, high - MARGIN)
            start[1] = low[1] + MARGIN + bend * (high[1] - low[1] - 2 * MARGIN)
            return least_squares(missing, start, bounds=(low + MARGIN - 1e-6, high - MARGIN + 1e-6), x_scale=0.1)

        best = min((found(bend) for bend in STARTS), key=lambda answer: float(answer.cost))
        self.pose[address] = rest
        return best.x


def folded(character: Character, before: Character) -> Character:
    """A character with its longer legs folded in its rest pose; `before` is what it was before it was scaled."""
    if len(character.anatomy.feet) < 2:
        return character
    legs, was = Legs(character, character.compile()), Legs(before, before.compile())
    lowest = {foot: float(points[:, 2].min()) for foot, points in legs.soles.items()}
    ground, rest = max(lowest.values()), dict(character.rest)
    for foot, height in lowest.items():
        joints = legs.pitch_joints(foot)
        if ground - height > ENOUGH and len(joints) == 3:
            angles = legs.fold(foot, joints, was.ankle(foot) + legs.middle(foot), ground)
            rest |= {legs.model.joint(joint).name: float(angle) for joint, angle in zip(joints, angles, strict=True)}
    return replace(character, rest=rest)
