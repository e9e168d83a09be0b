"""A relaxed standing pose for a model that comes without one, found by a small least-squares problem.

Unknowns: the leg joints (and the arms of a T pose). Wanted: all sole points on one level, the centre of mass over
their middle, the feet below the hips, knees a little bent on two legs; and as little change as possible.
"""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np
from scipy.optimize import least_squares

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.body_tree import angle_joints

BEND = 0.25
"""Knee bend of a biped whose knees are straight, radians."""
MARGIN = 0.05
"""Joints stay this far (rad) inside their range."""
GOOD_LEVEL, GOOD_BALANCE = 0.005, 0.05
"""A pose is accepted when the soles are level and the centre of mass is over them to these shares of the height."""


class Stance:
    """One model with soles; measures how well a pose stands."""

    def __init__(self, model: mujoco.MjModel, anatomy: Anatomy, start: np.ndarray, height: float) -> None:
        self.model, self.anatomy, self.start, self.height = model, anatomy, start, height
        self.data = mujoco.MjData(model)
        roles = anatomy.joints
        names = [n for role, group in roles.items() if role.endswith(("hip", "knee", "ankle")) for n in group]
        # Two feet carry the weight between them; four may carry more in front.
        self.balance_scale = height * np.array([0.005 if len(anatomy.feet) <= 2 else 0.3, 0.005])
        self._measure(start)
        self.arms = self._raised_arms()
        self.hanging = [n for side in self.arms for n in roles.get(f"{side}_shoulder", ())]
        self.joints = [model.joint(n).id for n in dict.fromkeys([*names, *self.hanging])]
        self.address = model.jnt_qposadr[self.joints]
        self.lower, self.upper = self._bounds()
        self.bent = {side: self._bend(side) for side in self._knees()}
        self.feet_before = {foot: self._turn(foot) for foot in anatomy.feet}
        self.lateral = {foot: self._lateral(foot) for foot in anatomy.feet}

    def solve(self) -> np.ndarray:
        """The best pose, or the start where nothing can be changed."""
        if not self.joints:
            return self.start
        x0 = np.clip(self.start[self.address], self.lower + 1e-6, self.upper - 1e-6)
        answer = least_squares(self.residuals, x0, bounds=(self.lower, self.upper), max_nfev=60)
        return self._pose(answer.x)

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """Everything wanted, in units of what would be bad."""
        self._measure(self._pose(x))
        h = self.height
        points = self._points()
        rows = [(points[:, 2] - points[:, 2].mean()) / (0.002 * h), self._balance() / self.balance_scale,
                (x - self.start[self.address]) / 1.0]
        if len(self.anatomy.feet) == 2:
            rows += [np.array([(self._bend(side) - max(BEND, self.bent[side])) / 0.05]) for side in self._knees()]
            rows += [np.array([(self._lateral(foot) - np.clip(self.lateral[foot], -0.1, 0.1)) / 0.05])
                     for foot in self.anatomy.feet]
            rows += [np.array([self._yaw(foot) / 0.05]) for foot in self.anatomy.feet]
        rows += [(self._hang(side) - (0.0, 0.25 * sign, -0.97)) / 0.2
                 for side, sign in (("left", 1.0), ("right", -1.0)) if side in self.arms]
        return np.concatenate(rows)

    def quality(self, qpos: np.ndarray) -> tuple[float, float]:
        """Unevenness of the soles, and how far the centre of mass is from over them; metres."""
        self._measure(qpos)
        return float(np.ptp(self._points()[:, 2])), float(np.linalg.norm(self._overhang()))

    def _measure(self, qpos: np.ndarray) -> None:
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def _pose(self, x: np.ndarray) -> np.ndarray:
        qpos = self.start.copy()
        qpos[self.address] = x
        return qpos

    def _points(self) -> np.ndarray:
        return np.concatenate([self._sole(role) for role in self.anatomy.feet])

    def _sole(self, role: str) -> np.ndarray:
        body = self.model.body(self.anatomy.bodies[role]).id
        return self.data.xpos[body] + self.anatomy.soles[role] @ self.data.xmat[body].reshape(3, 3).T

    def _balance(self) -> np.ndarray:
        middle = np.mean([self._sole(role).mean(axis=0) for role in self.anatomy.feet], axis=0)
        return (self.data.subtree_com[1] - middle)[:2]

    def _overhang(self) -> np.ndarray:
        """How far the centre of mass is from over the middle; on four feet, from over the area between them."""
        if len(self.anatomy.feet) <= 2:
            return self._balance()
        points, com = self._points()[:, :2], self.data.subtree_com[1][:2]
        return com - np.clip(com, points.min(axis=0), points.max(axis=0))

    def _knees(self) -> list[str]:
        return [role.removesuffix("knee") for role in self.anatomy.joints if role.endswith("knee")]

    def _anchor(self, role: str) -> np.ndarray | None:
        names = self.anatomy.joints.get(role)
        return self.data.xanchor[self.model.joint(names[-1]).id].copy() if names else None

    def _bend(self, side: str) -> float:
        """How far the knee is in front of the line from hip to ankle, as an angle."""
        hip, knee, ankle = (self._anchor(side + part) for part in ("hip", "knee", "ankle"))
        if ankle is None:
            ankle = self._sole(f"{side}foot").mean(axis=0) if f"{side}foot" in self.anatomy.soles else None
        if hip is None or knee is None or ankle is None:
            return BEND
        upper, lower = knee - hip, ankle - knee
        forward = np.arctan2(upper[0], -upper[2]) - np.arctan2(lower[0], -lower[2])
        return float(forward)

    def _lateral(self, foot: str) -> float:
        """Sideways lean of the leg, radians, outward positive or negative alike."""
        hip = self._anchor(foot.removesuffix("foot") + "hip")
        if hip is None:
            return 0.0
        way = self._sole(foot).mean(axis=0) - hip
        return float(np.arctan2(way[1], -way[2]))

    def _yaw(self, foot: str) -> float:
        """How far the foot has turned about the vertical."""
        change = self._turn(foot) @ self.feet_before[foot].T
        return float(np.arctan2(change[1, 0] - change[0, 1], change[0, 0] + change[1, 1]))

    def _turn(self, foot: str) -> np.ndarray:
        return self.data.xmat[self.model.body(self.anatomy.bodies[foot]).id].reshape(3, 3).copy()

    def _hang(self, side: str) -> np.ndarray:
        """Direction of the upper arm."""
        upper, elbow = self._anchor(f"{side}_shoulder"), self._anchor(f"{side}_elbow")
        assert upper is not None and elbow is not None
        way = elbow - upper
        return way / max(float(np.linalg.norm(way)), 1e-9)

    def _raised_arms(self) -> list[str]:
        """Sides whose upper arm is level or higher: a T pose, not a rest pose."""
        both = [side for side in ("left", "right")
                if self._anchor(f"{side}_shoulder") is not None and self._anchor(f"{side}_elbow") is not None]
        return [side for side in both if self._hang(side)[2] > -0.3]

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        model, joints = self.model, self.joints
        limited = model.jnt_limited[joints].astype(bool)
        low = np.where(limited, model.jnt_range[joints, 0], -np.pi)
        high = np.where(limited, model.jnt_range[joints, 1], np.pi)
        margin = np.minimum(MARGIN, 0.25 * (high - low))
        return low + margin, high - margin


def standing_pose(model: mujoco.MjModel, anatomy: Anatomy, start: np.ndarray,
                  height: float) -> tuple[dict[str, float], list[str]]:
    """Joint name -> angle of a standing pose (joints that differ from the model's zero), and notes."""
    if not anatomy.soles:
        return rest_of(model, start), []
    if model.neq:
        return rest_of(model, start), ["rest pose: as in the file (its equality constraints tie joints together)"]
    stance = Stance(model, anatomy, start, height)
    before = stance.quality(start)
    pose = stance.solve()
    after = stance.quality(pose)
    notes = []
    if after[0] > max(GOOD_LEVEL * height, before[0]) or after[1] > max(GOOD_BALANCE * height, before[1]):
        pose, after = start, before
    elif np.abs(pose - start).max() > 0.05:
        notes.append(f"rest pose: leg joints adjusted by up to {np.rad2deg(np.abs(pose - start).max()):.0f} degrees to "
                     f"stand level and balanced" + (", arms lowered" if stance.arms else ""))
    if after[0] > GOOD_LEVEL * height:
        notes.append(f"rest pose: the soles are uneven by {1000 * after[0]:.0f} mm; give `rest` in an anatomy file")
    if after[1] > GOOD_BALANCE * height:
        notes.append(f"rest pose: the centre of mass is {100 * after[1]:.0f} cm off the middle of the soles")
    return rest_of(model, pose), notes


def rest_of(model: mujoco.MjModel, qpos: np.ndarray) -> dict[str, float]:
    """Angles that differ from the model's zero."""
    hinges = angle_joints(model)
    return {model.joint(j).name: round(float(qpos[a]), 5) for j in hinges
            if abs(qpos[a := model.jnt_qposadr[j]] - model.qpos0[a]) > 1e-4}


def with_rest(model: mujoco.MjModel, rest: Mapping[str, float]) -> np.ndarray:
    """`qpos0` with the rest pose put in."""
    qpos = model.qpos0.copy()
    for joint, angle in rest.items():
        qpos[model.jnt_qposadr[model.joint(joint).id]] = angle
    return qpos
