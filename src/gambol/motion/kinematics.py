"""One pass of forward kinematics over a Motion, shared by all measures and writers.

A `Track` has the pose of every body at every row. Where the bodies were edited during the recording (another size of
ball, a morph) each row is computed with the model as it was then.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import mujoco
import numpy as np

from gambol.errors import BadInput
from gambol.motion.motion import FigureInfo, Motion
from gambol.rotations import conjugate, multiply, rotate, slerp
from gambol.world.index import ModelIndex


class Share(ModelIndex):
    """One figure's share of a motion's model."""

    def __init__(self, motion: Motion, info: FigureInfo) -> None:
        super().__init__(motion.model, info.prefix, info.anatomy)
        self.info = info
        self.label = info.prefix if len(motion.figures) > 1 else ""
        """what its names start with in reports: nothing if it is alone in its scene"""


def share_of(motion: Motion, figure: int = 0) -> Share:
    """Look up a figure of a motion."""
    if not 0 <= figure < len(motion.figures):
        raise BadInput(f"this motion has no figure {figure}; it has {len(motion.figures)}, counted from 0")
    return Share(motion, motion.figures[figure])


def body_names(motion: Motion) -> list[str]:
    """A name for every body; the prefix of the only figure is left out."""
    model = motion.model
    alone = motion.figures[0].prefix if len(motion.figures) == 1 else ""
    return [model.body(b).name.removeprefix(alone) or f"body{b}" for b in range(model.nbody)]


class Track:
    """Poses of all bodies over the rows of a motion."""

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        model = mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))  # its own: edits change it
        data = mujoco.MjData(model)
        n = len(motion.time)
        self.time = motion.time - motion.time[0]
        self.position = np.empty((n, model.nbody, 3))
        self.quaternion = np.empty((n, model.nbody, 4))
        self.com = np.empty((n, model.nbody, 3))
        """centre of mass of each body with everything that hangs on it"""
        self.com_velocity = np.empty((n, model.nbody, 3))
        self.angular_momentum = np.empty((n, model.nbody, 3))
        """about that centre of mass, kg m2/s"""
        edits = iter([*motion.edits, (n + 1, {})])
        tick, fields = next(edits)
        for row in range(n):
            while tick <= row:
                apply_edit(model, fields)
                tick, fields = next(edits)
            data.qpos[:], data.qvel[:] = motion.qpos[row], motion.qvel[row]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_comVel(model, data)
            mujoco.mj_subtreeVel(model, data)
            self.position[row], self.quaternion[row] = data.xpos, data.xquat
            self.com[row], self.com_velocity[row] = data.subtree_com, data.subtree_linvel
            self.angular_momentum[row] = data.subtree_angmom
        self.parent = model.body_parentid.copy()

    @cached_property
    def local_position(self) -> np.ndarray:
        """Position of each body in its parent's frame, (n, nbody, 3)."""
        return rotate(conjugate(self.quaternion[:, self.parent]), self.position - self.position[:, self.parent])

    @cached_property
    def local_quaternion(self) -> np.ndarray:
        return multiply(conjugate(self.quaternion[:, self.parent]), self.quaternion)

    def keys(self, fps: float | None, tolerance: float) -> np.ndarray:
        """Rows to keep so that a player that interpolates each part in its parent's frame shows the motion.

        About `fps` rows a second (None: all), and more where something happens fast: rows are added until no body, nor
        a point beyond its centre of mass, is further than `tolerance` (m) from where it was at any tick.
        """
        n = len(self.time)
        if n < 3 or fps is None:
            return np.arange(n)
        if not fps > 0:
            raise BadInput(f"fps={fps:g} must be above 0")
        wanted = np.arange(0.0, self.time[-1], 1.0 / fps)
        keys = np.unique([0, n - 1, *np.abs(self.time[None] - wanted[:, None]).argmin(axis=1)])
        while True:
            error = self._interpolation_error(keys)
            interval = np.searchsorted(keys, np.arange(n), side="right") - 1
            worst = np.zeros(len(keys))
            np.maximum.at(worst, interval, error)
            bad = (error > tolerance) & (error >= worst[interval])
            if not bad.any():
                return keys
            keys = np.union1d(keys, np.flatnonzero(bad))

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and orientations of all bodies at any times, (len(times), nbody, ...)."""
        if len(self.time) < 2:
            index = np.zeros(len(times), dtype=int)
            return self.position[index], self.quaternion[index]
        after = np.clip(np.searchsorted(self.time, times), 1, len(self.time) - 1)
        share = (times - self.time[after - 1]) / (self.time[after] - self.time[after - 1])
        return self._between(after - 1, after, np.clip(share, 0.0, 1.0))

    def _between(self, a: np.ndarray, b: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Poses a share of the way from rows `a` to rows `b`, each part interpolated in its parent's frame."""
        position, quaternion = self.position[a], self.quaternion[a]
        for body in range(1, len(self.parent)):
            up = self.parent[body]
            moved = (1 - share)[:, None] * self.local_position[a, body] + share[:, None] * self.local_position[b, body]
            turned = slerp(self.local_quaternion[a, body], self.local_quaternion[b, body], share)
            position[:, body] = position[:, up] + rotate(quaternion[:, up], moved)
            quaternion[:, body] = multiply(quaternion[:, up], turned)
        return position, quaternion

    def _interpolation_error(self, keys: np.ndarray) -> np.ndarray:
        """Largest distance (m) at every row between the motion and what is interpolated between the keys."""
        after = np.clip(np.searchsorted(keys, np.arange(len(self.time))), 1, len(keys) - 1)
        a, b = keys[after - 1], keys[after]
        position, quaternion = self._between(a, b, (self.time - self.time[a]) / (self.time[b] - self.time[a]))
        tip = np.broadcast_to(2 * self.motion.model.body_ipos, self.position.shape)
        off = position - self.position
        beyond = off + rotate(quaternion, tip) - rotate(self.quaternion, tip)
        return np.maximum(np.linalg.norm(off, axis=-1), np.linalg.norm(beyond, axis=-1)).max(axis=1)


def apply_edit(model: mujoco.MjModel, fields: Mapping[str, np.ndarray]) -> None:
    """Put the values of a declared edit into a model."""
    for name, value in fields.items():
        getattr(model, name)[:] = value
