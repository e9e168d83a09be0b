"""Feet as a walker sees them: their state in the gait, their size, and frames along the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import cos, pi, sin

import mujoco
import numpy as np

from gambol.control.contact.edges import on_edge
from gambol.control.contact.patches import PatchState
from gambol.kinematics.kinematics import Kinematics
from gambol.world.figure import Figure
from gambol.world.patches import FigurePatch


class FootState(Enum):
    """Four states of a foot in a walk; each holds certain points of the sole to the ground."""

    SUPPORT = "support"
    HEEL_OFF = "heel off"
    SWING = "swing"
    PLANT = "plant"

    def held(self, sole: PatchState) -> np.ndarray:
        """Which points of a sole are held to the ground, (k,)."""
        held = np.zeros(len(sole.near), dtype=bool)
        if self is FootState.SUPPORT:
            held[:] = True
        elif self is FootState.HEEL_OFF:
            held[sole.toe] = True
        elif self is FootState.PLANT:
            held[:] = sole.near
        return held


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
        return [FootSize.about(sole.points[sole.ends]) for sole in figure.soles]

    @staticmethod
    def about(places: np.ndarray) -> FootSize:
        """Of sole points (k, 3) seen from the ankle."""
        middle = places.mean(axis=0)
        points = places - middle
        return FootSize(float(-points[:, 0].min()), float(points[:, 0].max()), float(points[:, 1].max()),
                        float(middle[0]), float(-middle[2]))

    @property
    def length(self) -> float:
        return self.back + self.front


RAISED, ON_IT = 0.25, 1e-3
"""A heel that rests higher than this share of its foot's length rests in the air: so much the joints of the leg and the
hips can give, to put it down. Sole points nearer than that to a surface are on it, m."""


@dataclass(frozen=True)
class Stand:
    """How a foot stands in the rest pose: flat, or on its toes.

    The foot of a leg that rests folded may stand on its toes: its ankle has no room to put the heel down. Held flat
    all the same it would carry the shank with it, and so the whole body.
    """

    points: np.ndarray
    """(k,) which of the sole points are on the ground"""
    heel: float
    """share of the heel in the middle of those: a half if it stands flat"""
    tilt: float
    """height of the toe over the heel, m; 0 if it stands flat"""
    size: FootSize
    """of what is on the ground"""
    up: np.ndarray
    """(3,) normal of the sole in the foot's axes"""
    rounding: float
    """radius of the edges at its ends, on which it rolls when it is tilted, m; 0 if it stands flat"""


def stands(figure: Figure) -> list[Stand]:
    """All feet of a figure."""
    resting = figure.posed(figure.rest)
    return [_stand(sole, resting.xmat[sole.body].reshape(3, 3), rounding(figure, sole))
            for sole in figure.soles]


def as_they_stand(soles: list[PatchState], kinematics: Kinematics, stands: Sequence[Stand]) -> list[PatchState]:
    """All feet of a figure; those that stand on their toes touch with the rounding of these."""
    if not any([stand.rounding for stand in stands]):
        return soles
    return [on_edge(sole, kinematics.frame(sole.body), stand.up, stand.rounding) if stand.rounding else sole
            for sole, stand in zip(soles, stands, strict=True)]


def _stand(sole: FigurePatch, turn: np.ndarray, radius: float) -> Stand:
    points, heel, toe = sole.points, sole.heel, sole.toe
    heights = points @ turn[2]
    down = heights <= heights.min() + RAISED * np.linalg.norm(points[-1] - points[0])
    if down.all():
        return Stand(down, 0.5, 0.0, FootSize.about(points[sole.ends]), turn[2].copy(), 0.0)
    tilt = float(heights[toe].mean() - heights[heel].mean())
    ahead = points[toe].mean(axis=0) - points[heel].mean(axis=0)
    up = np.cross(ahead, np.cross(turn[2], ahead))  # level across: only its pitch matters
    return Stand(down, float(down[heel].sum() / down.sum()), tilt, FootSize.about(points[down] @ turn.T),
                 up / np.linalg.norm(up), radius)


def rounding(figure: Figure, sole: FigurePatch) -> float:
    """Largest radius of the balls and capsules that have sole points on them, m; 0 if there are none."""
    model, turn, found = figure.model, np.zeros(9), 0.0
    round_ = np.isin(model.geom_type, (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE))
    touching = (model.geom_contype | model.geom_conaffinity) != 0
    for geom in np.flatnonzero((model.geom_bodyid == sole.body) & round_ & touching):
        radius, half = model.geom_size[geom, :2]
        mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
        axis, away = turn.reshape(3, 3)[:, 2], sole.points - model.geom_pos[geom]
        along = np.clip(away @ axis, -half, half) if half > 0 else np.zeros(len(away))
        if np.abs(np.linalg.norm(away - along[:, None] * axis, axis=1) - radius).min() < ON_IT:
            found = max(found, float(radius))
    return found


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
        return self.axes.dot(vector)

    def out(self, vector: np.ndarray) -> np.ndarray:
        """From the way's axes into the world's."""
        return vector.dot(self.axes)


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
    return (angle + pi) % (2 * pi) - pi
