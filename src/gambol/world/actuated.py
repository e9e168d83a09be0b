"""What each motor turns: the angle of a hinge (or the way of a slide), or one of three turns of a ball joint.

A ball joint has no angles of its own. Its three motors, along x, y and z of the part, go with the three components of
its rotation vector (axis times angle), so a pose is one number a motor on every body. Rates and differences of a ball
are rotations in the part's own frame, as MuJoCo's `qvel` has them: never take them by subtracting rotation vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from gambol.errors import BadInput

BALL_HELP = "a ball joint takes three motors, with gear 1 0 0, 0 1 0 and 0 0 1"


@dataclass(frozen=True)
class Drives:
    """Coordinates of some motors, in their order."""

    names: tuple[str, ...]
    """of the joints; those of a ball end in _x, _y, _z"""
    joints: np.ndarray
    """(n,) joint of each motor"""
    qpos: np.ndarray
    """(n,) address of the joint in `qpos`; a ball's quaternion begins there"""
    dofs: np.ndarray
    """(n,) address in `qvel`"""
    balls: np.ndarray
    """(b, 3) positions of the x, y and z motors of each ball joint"""

    @staticmethod
    def of(model: mujoco.MjModel, motors: np.ndarray, prefix: str = "") -> Drives:
        """Coordinates of motors given by their ids."""
        joints = model.actuator_trnid[motors, 0]
        ball = model.jnt_type[joints] == mujoco.mjtJoint.mjJNT_BALL
        axes = np.array([_axis(model, motor) if b else 0 for motor, b in zip(motors, ball, strict=True)], dtype=int)
        names = tuple(model.joint(j).name.removeprefix(prefix) + (f"_{'xyz'[axis]}" if b else "")
                      for j, axis, b in zip(joints, axes, ball, strict=True))
        return Drives(names, joints, model.jnt_qposadr[joints], model.jnt_dofadr[joints] + axes,
                      _triples(names, joints, axes, ball))

    def some(self, positions: np.ndarray) -> Drives:
        """Those at the given positions; a ball joint goes with all three of its motors."""
        ball = np.zeros(len(self.names), dtype=bool)
        ball[self.balls] = True
        names = tuple(self.names[k] for k in positions)
        axes = np.array(["xyz".find(name[-1]) for name in names], dtype=int)
        return Drives(names, self.joints[positions], self.qpos[positions], self.dofs[positions],
                      _triples(names, self.joints[positions], axes, ball[positions]))

    @cached_property
    def _places(self) -> slice | np.ndarray:
        """`qpos`, as a slice if it has no gaps."""
        return span(self.qpos)

    @cached_property
    def _turning(self) -> list[np.ndarray]:
        """`balls` one by one; mostly there are none, and that is quickly seen."""
        return list(self.balls)

    def angles(self, qpos: np.ndarray) -> np.ndarray:
        """(n,) angles of hinges, rotation vectors of balls."""
        angles = qpos[self._places].copy()
        for ball in self._turning:
            start, vector = self.qpos[ball[0]], np.zeros(3)
            mujoco.mju_quat2Vel(vector, qpos[start:start + 4], 1.0)
            angles[ball] = vector
        return angles

    def put(self, angles: np.ndarray, qpos: np.ndarray) -> None:
        """Write angles into `qpos`; `angles` reads them back."""
        qpos[self.qpos] = angles
        for ball in self.balls:
            start = self.qpos[ball[0]]
            qpos[start:start + 4] = _quaternion(angles[ball])

    def difference(self, angles: np.ndarray, goal: np.ndarray) -> np.ndarray:
        """(n,) the motion from one pose to another; for a ball `log(R' R_goal)`, a turn in the part's own frame."""
        way = goal - angles
        for ball in self._turning:
            turn = np.zeros(3)
            mujoco.mju_subQuat(turn, _quaternion(goal[ball]), _quaternion(angles[ball]))
            way[ball] = turn
        return way


def _axis(model: mujoco.MjModel, motor: int) -> int:
    """Which of x, y, z a ball joint's motor turns about."""
    gear = model.actuator_gear[motor, :3]
    axis = int(np.argmax(gear))
    if not np.array_equal(gear, np.eye(3)[axis]):
        raise BadInput(f"motor {model.actuator(motor).name!r} has gear {' '.join(f'{g:g}' for g in gear)}; {BALL_HELP}")
    return axis


def _triples(names: tuple[str, ...], joints: np.ndarray, axes: np.ndarray, ball: np.ndarray) -> np.ndarray:
    """(b, 3) positions of the motors of each ball, in the order x, y, z."""
    triples = []
    for joint in dict.fromkeys(joints[ball].tolist()):
        own = np.flatnonzero(joints == joint)
        if sorted(axes[own]) != [0, 1, 2]:
            given = ", ".join(names[k] for k in own)
            raise BadInput(f"ball joint {names[own[0]][:-2]!r} comes with {given}; {BALL_HELP}")
        triples.append(own[np.argsort(axes[own])])
    return np.array(triples, dtype=int).reshape(-1, 3)


def _quaternion(vector: np.ndarray) -> np.ndarray:
    """The rotation of a rotation vector."""
    quaternion = np.array([1.0, 0.0, 0.0, 0.0])
    mujoco.mju_quatIntegrate(quaternion, np.ascontiguousarray(vector), 1.0)
    return quaternion


def span(indices: np.ndarray) -> slice | np.ndarray:
    """A slice for indices that count up without a gap, else the indices."""
    if len(indices) and (np.diff(indices) == 1).all():
        return slice(int(indices[0]), int(indices[-1]) + 1)
    return indices
