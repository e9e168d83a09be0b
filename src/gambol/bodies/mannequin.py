"""A mannequin: a character's bare tree whose limbs are pointed, by roles and directions, so for any body.

Legs and arms turn, the spine stays as it rests. Found by least squares, inside the ranges of the joints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import mujoco
import numpy as np
from scipy.optimize import least_squares

from gambol.bodies.body_tree import angle_joints, body_points
from gambol.bodies.character import Character

Way = tuple[float, float, float]
Limbs = Mapping[str, Way]
"""Where parts point in the frame of a body that looks along +x and stands along +z; y is outward."""

LIMBS = {"thigh": ("hip", "knee"), "shank": ("knee", "ankle"), "upper_arm": ("shoulder", "elbow"),
         "forearm": ("elbow", "hand")}
"""Parts, and between which joints they reach."""
AHEAD, SIDEWAYS, UP = np.eye(3)
JOINTS = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
EASE = 0.02
"""How much a joint would rather stay at rest, per radian, beside a direction that is wrong by one radian."""


class Mannequin:
    """A bare tree whose limbs are pointed."""

    def __init__(self, character: Character) -> None:
        self.anatomy = character.anatomy
        self.model = character.compile()
        self.data = mujoco.MjData(self.model)
        self.rest = character.rest_qpos(self.model)
        self.put(self.rest)
        names = dict.fromkeys(self.anatomy.joints_of(*JOINTS))
        self.joints = [self.model.joint(name).id for name in names]
        self.dofs = np.array([dof for joint in self.joints for dof in self._dofs(joint)], dtype=int)
        self.low, self.high = self._bounds()
        self.last = np.zeros(len(self.dofs))
        """the turns found last"""

    def put(self, qpos: np.ndarray) -> None:
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)

    def disturb(self, qpos: np.ndarray, noise: np.ndarray) -> None:
        """Take a pose with noise on the joints, inside their ranges, as the one to stay near to."""
        model, turn = self.model, np.zeros(self.model.nv)
        turn[model.nv - len(noise):] = noise
        self.rest = qpos.copy()
        mujoco.mj_integratePos(model, self.rest, turn, 1.0)
        for joint in angle_joints(model):
            if model.jnt_limited[joint]:
                at = model.jnt_qposadr[joint]
                self.rest[at] = np.clip(self.rest[at], *model.jnt_range[joint])
        self.low, self.high = self._bounds()

    @property
    def upright(self) -> bool:
        """Whether root and trunk at rest are taller than they are long."""
        self.put(self.rest)
        trunk = {self.anatomy.body("root"), self.anatomy.bodies.get("trunk", self.anatomy.body("root"))}
        ends = [[points @ way for body in trunk if len(points := self._points(body, way))]
                for way in (UP, -UP, AHEAD, -AHEAD)]
        if not all(ends):
            return True
        up, down, ahead, behind = (float(np.concatenate(end).max()) for end in ends)
        return up + down >= ahead + behind

    def point(self, wanted: Callable[[str], Limbs], on_ground: bool = False) -> np.ndarray:
        """`qpos` with limbs that point where they should, as far as joints let them; feet on the ground if said.

        That goes on from where the last one ended, so that legs fold the right way.
        """
        goals = [(side, part, np.array(way)) for side in ("left", "right") for part, way in wanted(side).items()
                 if self.way(side, part) is not None]
        goals = [(side, part, (way * (1, 1 if side == "left" else -1, 1)) / np.linalg.norm(way))
                 for side, part, way in goals]

        def residuals(x: np.ndarray) -> np.ndarray:
            self.put(self._moved(x))
            rows = [EASE * x]
            for side, part, way in goals:
                now = self.way(side, part)
                weight = 0.3 if on_ground and part in ("thigh", "shank") else 1.0
                rows.append(weight * (now - way) if now is not None else np.zeros(3))
            if on_ground:
                rows.append(20.0 * self.soles()[:, 2])
            return np.concatenate(rows)

        return self._solved(residuals)

    def folded(self) -> np.ndarray:
        """`qpos` with legs folded and spread, so that it will not roll: feet as high as hips, and far outside."""
        sides = [(foot, anchor, 1.0 if anchor[1] > 0 else -1.0) for foot in self.anatomy.feet
                 if (anchor := self._anchor(foot.removesuffix("foot") + "hip")) is not None]
        long = max([float(hip[2] - self._sole(foot)[:, 2].mean()) for foot, hip, _ in sides] or [1.0])

        def residuals(x: np.ndarray) -> np.ndarray:
            self.put(self._moved(x))
            feet = [(self._sole(foot).mean(axis=0) - hip) / long for foot, hip, _ in sides]
            rows = [(foot[2], 0.5 * (sign * foot[1] - 0.6)) for foot, (_, _, sign) in zip(feet, sides, strict=True)]
            return np.concatenate([0.05 * x, *np.array(rows).reshape(len(rows), 2)])

        return self._solved(residuals)

    def _solved(self, residuals: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        if not len(self.dofs):
            return self.rest.copy()
        start = np.clip(self.last, self.low + 1e-6, self.high - 1e-6)
        self.last = least_squares(residuals, start, bounds=(self.low, self.high), ftol=1e-4, xtol=1e-4, max_nfev=40).x
        return self._moved(self.last)

    def _moved(self, x: np.ndarray) -> np.ndarray:
        """The rest pose with joints turned from there; rotation vectors for balls."""
        turn = np.zeros(self.model.nv)
        turn[self.dofs] = x
        qpos = self.rest.copy()
        mujoco.mj_integratePos(self.model, qpos, turn, 1.0)
        return qpos

    def _dofs(self, joint: int) -> range:
        first = int(self.model.jnt_dofadr[joint])
        return range(first, first + (3 if self.model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL else 1))

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """How far each joint may turn from its rest."""
        low, high = np.full(len(self.dofs), -2.5), np.full(len(self.dofs), 2.5)
        for k, dof in enumerate(self.dofs):
            joint = int(self.model.dof_jntid[dof])
            if self.model.jnt_limited[joint] and self.model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_BALL:
                at = self.rest[self.model.jnt_qposadr[joint]]
                low[k], high[k] = self.model.jnt_range[joint] - at
        margin = np.minimum(0.02, 0.1 * (high - low))
        return np.minimum(low + margin, -1e-3), np.maximum(high - margin, 1e-3)

    def _anchor(self, role: str) -> np.ndarray | None:
        """Where a joint is."""
        names = self.anatomy.joints.get(role)
        if names:
            return self.data.xanchor[self.model.joint(names[-1]).id].copy()
        body = self.anatomy.bodies.get(role)
        if body is not None:
            return self.data.body(body).xpos.copy()
        if role.endswith("ankle"):
            foot = role.replace("ankle", "foot")
            return self._sole(foot).mean(axis=0) if foot in self.anatomy.soles else None
        return None

    def way(self, side: str, part: str) -> np.ndarray | None:
        """Direction of a part, (3,)."""
        if part == "foot":
            if f"{side}_foot" not in self.anatomy.soles:
                return None
            points = self._sole(f"{side}_foot")
            half = len(points) // 2
            way = points[half:].mean(axis=0) - points[:half].mean(axis=0)
        else:
            ends = [self._anchor(f"{side}_{joint}") for joint in LIMBS[part]]
            if ends[0] is None or ends[1] is None:
                return None
            way = ends[1] - ends[0]
        long = float(np.linalg.norm(way))
        return way / long if long > 1e-6 else None

    def _sole(self, role: str) -> np.ndarray:
        body = self.data.body(self.anatomy.body(role))
        return np.asarray(body.xpos + self.anatomy.soles[role] @ body.xmat.reshape(3, 3).T)

    # -- measures of who sits ----------------------------------------------------------------------------------------

    def soles(self) -> np.ndarray:
        """All sole points, (k, 3)."""
        return np.concatenate([self._sole(role) for role in self.anatomy.feet])

    def underside(self, thighs: bool = True) -> float:
        """Height of the lowest point of the root and of the near halves of the thighs."""
        return min(float(points[:, 2].min()) for points in self._sitting(thighs) if len(points))

    def _sitting(self, thighs: bool) -> Sequence[np.ndarray]:
        found = [self._points(self.anatomy.body("root"), -UP)]
        for side in ("left", "right") if thighs else ():
            role, hip, knee = f"{side}_thigh", self._anchor(f"{side}_hip"), self._anchor(f"{side}_knee")
            if role in self.anatomy.bodies and hip is not None and knee is not None:
                points = self._points(self.anatomy.body(role), -UP)
                along = (points - hip) @ (knee - hip) / float((knee - hip) @ (knee - hip))
                found.append(points[along < 0.5])
        return found

    def _points(self, body: str, way: np.ndarray) -> np.ndarray:
        """Points of a body among which the one farthest along a direction is."""
        return body_points(self.model, self.data, self.model.body(body).id, way)

    def hips(self) -> float:
        return float(np.mean([anchor[0] for side in ("left", "right")
                              if (anchor := self._anchor(f"{side}_hip")) is not None]))

    def back(self) -> float:
        """Where root and trunk end behind, x."""
        bodies = {self.anatomy.body("root"), self.anatomy.bodies.get("trunk", self.anatomy.body("root"))}
        return min(float(points[:, 0].min()) for body in bodies if len(points := self._points(body, -AHEAD)))

    def width(self) -> float:
        root = self.anatomy.body("root")
        left, right = self._points(root, SIDEWAYS), self._points(root, -SIDEWAYS)
        return float(left[:, 1].max() - right[:, 1].min()) if len(left) else 0.0

    def calves(self) -> float:
        """Where the shanks begin behind, x: at most their knees'."""
        knees = [anchor[0] for side in ("left", "right") if (anchor := self._anchor(f"{side}_knee")) is not None]
        shanks = [self.anatomy.bodies[f"{side}_shank"] for side in ("left", "right")
                  if f"{side}_shank" in self.anatomy.bodies]
        return min([float(x) for x in knees]
                   + [float(points[:, 0].min()) for body in shanks if len(points := self._points(body, -AHEAD))])
