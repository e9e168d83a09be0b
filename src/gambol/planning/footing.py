"""Feet as a walker sees them: their state in the gait, their size, and frames along the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import cos, sin

import numpy as np

from gambol.control.contacts import SoleState
from gambol.world.figure import Figure


class FootState(Enum):
    """Four states of a foot in a walk; each holds certain points of the sole to the ground."""

    SUPPORT = "support"
    HEEL_OFF = "heel off"
    SWING = "swing"
    PLANT = "plant"

    def held(self, near: np.ndarray) -> np.ndarray:
        """Which sole points (heel's first) are held; `near` says which touch."""
        front = np.arange(len(near)) >= len(near) // 2
        if self is FootState.SUPPORT:
            return np.ones(len(near), dtype=bool)
        if self is FootState.HEEL_OFF:
            return front
        if self is FootState.PLANT:
            return near.copy()
        return np.zeros(len(near), dtype=bool)


@dataclass(frozen=True)
class FootSize:
    """Extent of a sole about its middle, and where its middle is from the ankle, m."""

    back: float
    front: float
    half_width: float
    ahead: float
    below: float

    @staticmethod
    def of(figure: Figure) -> list[FootSize]:
        """All feet of a figure."""
        sizes = []
        for sole in figure.soles:
            middle = sole.points.mean(axis=0)
            points = sole.points - middle
            sizes.append(FootSize(float(-points[:, 0].min()), float(points[:, 0].max()), float(points[:, 1].max()),
                                  float(middle[0]), float(-middle[2])))
        return sizes

    @property
    def length(self) -> float:
        return self.back + self.front


STOP, FREE = 0.04, 0.12
"""An ankle this near to the end of its range is at its stop; this far from it, it is free again, rad."""


class RollOff:
    """Feet roll off over an edge of the sole when their ankles are at a stop, and come back down when they are free.

    A foot that stays flat whatever happens carries the shank with it once its ankle has no room left, and so the whole
    body; people's heels leave the ground then. One foot at least stays flat.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        sides = [sole.role.removesuffix("foot") for sole in figure.soles]
        self.ankles = [figure.joint_index(figure.anatomy.joints.get(f"{side}ankle", ())) for side in sides]
        self.kept = [np.ones(len(sole.points), dtype=bool) for sole in figure.soles]

    def stay(self, soles: Sequence[SoleState]) -> list[np.ndarray]:
        """Which sole points of each foot can stay on the ground: a mask (k,) a foot."""
        low, high = self.figure.joint_limits
        angles = self.figure.angles
        for foot, (joints, sole) in enumerate(zip(self.ankles, soles, strict=True)):
            room = np.minimum(angles[joints] - low[joints], high[joints] - angles[joints])
            if not sole.near.any() or ((room > FREE).all() and sole.near.all()):
                self.kept[foot][:] = True
            others = [kept.all() for other, kept in enumerate(self.kept) if other != foot]
            for joint in joints[room < STOP] if any(others) else ():
                self.kept[foot] &= ~self._lifted(joint, angles[joint] > 0.5 * (low[joint] + high[joint]), sole)
        return self.kept

    def _lifted(self, joint: int, at_high: bool, sole: SoleState) -> np.ndarray:
        """The half of a sole that rises when the foot turns with the shank, as it must when the joint is at a stop."""
        model, data = self.figure.model, self.figure.data
        axis = data.xaxis[model.dof_jntid[self.figure.joint_dofs[joint]]] * (-1.0 if at_high else 1.0)
        arm = sole.position - sole.position.mean(axis=0)
        return axis[0] * arm[:, 1] - axis[1] * arm[:, 0] > 1e-3


def way(heading: float) -> np.ndarray:
    """Rows: forward, left; world to the way's frame is `way @ v`, back is `v @ way`."""
    c, s = cos(heading), sin(heading)
    return np.array([[c, s], [-s, c]])


@dataclass(frozen=True)
class Way:
    """The horizontal frame of a heading: (ahead, left)."""

    axes: np.ndarray

    @staticmethod
    def of(heading: float) -> Way:
        return Way(way(heading))

    @property
    def ahead(self) -> np.ndarray:
        return self.axes[0]

    def into(self, vector: np.ndarray) -> np.ndarray:
        """From the world's axes into the way's."""
        return self.axes @ vector

    def out(self, vector: np.ndarray) -> np.ndarray:
        """From the way's axes into the world's."""
        return vector @ self.axes


@dataclass(frozen=True)
class Box:
    """A rectangle along the way's axes, by its lowest and highest corner, (2,) each."""

    low: np.ndarray
    high: np.ndarray

    def clip(self, point: np.ndarray) -> np.ndarray:
        return np.minimum(np.maximum(point, self.low), self.high)

    def joined(self, other: Box) -> Box:
        """The smallest one that holds both."""
        return Box(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    def scaled(self, size: float) -> Box:
        return Box(self.low * size, self.high * size)

    def on_side(self, side: float) -> Box:
        """The same, mirrored to the right (-1) if asked."""
        return self if side > 0 else Box(self.low * [1, 0] - self.high * [0, 1], self.high * [1, 0] - self.low * [0, 1])


def yaw_matrix(heading: float, pitch: float = 0.0) -> np.ndarray:
    """Rotation that faces a heading, then pitches forward (positive: nose down)."""
    c, s, cp, sp = cos(heading), sin(heading), cos(pitch), sin(pitch)
    return np.array([[c * cp, -s, c * sp], [s * cp, c, s * sp], [-sp, 0.0, cp]])


def turned(angle: float) -> float:
    """An angle brought into -pi ... pi."""
    return float((angle + np.pi) % (2 * np.pi) - np.pi)
