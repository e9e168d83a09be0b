"""Shapes: what a part looks like and what its mass fills. Plain values in the part's frame, metres.

A `Pen` draws in the measures of a reference body (the adult, say) and stretches to the one at hand; a negative stretch
in y draws the mirror image, so a left limb is drawn once and serves both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

Rgba = tuple[float, float, float, float]
Triple = Sequence[float]


@dataclass(frozen=True)
class Shape:
    """A MuJoCo primitive: `kind` is sphere, capsule, cylinder, ellipsoid or box; `size` as MuJoCo has it."""

    kind: str
    pos: tuple[float, ...]
    size: tuple[float, ...]
    color: Rgba
    quat: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)

    @property
    def type(self) -> mujoco.mjtGeom:
        return getattr(mujoco.mjtGeom, f"mjGEOM_{self.kind.upper()}")

    @property
    def volume(self) -> float:
        a, b, c = (*self.size, 0.0, 0.0)[:3]
        return float({"sphere": 4 / 3 * np.pi * a**3,
                      "capsule": np.pi * a**2 * (2 * b + 4 / 3 * a),
                      "cylinder": 2 * np.pi * a**2 * b,
                      "ellipsoid": 4 / 3 * np.pi * a * b * c,
                      "box": 8 * a * b * c}[self.kind])


@dataclass(frozen=True)
class Pen:
    """Draws shapes, stretched along x, y, z."""

    x: float = 1.0
    y: float = 1.0
    z: float = 1.0

    @property
    def stretch(self) -> np.ndarray:
        return np.array([self.x, self.y, self.z])

    @property
    def _across(self) -> float:
        """How radii grow: the girth of a limb is in x and y."""
        return float(np.sqrt(abs(self.x * self.y)))

    def ellipsoid(self, center: Triple, radii: Triple, color: Rgba, tilt: Triple = (0, 0, 0)) -> Shape:
        return Shape("ellipsoid", self.point(center), tuple(np.abs(self.stretch) * radii), color, self._turn(tilt))

    def ball(self, center: Triple, radius: float, color: Rgba) -> Shape:
        return Shape("sphere", self.point(center), (radius * self._across,), color)

    def box(self, center: Triple, half: Triple, color: Rgba, tilt: Triple = (0, 0, 0)) -> Shape:
        return Shape("box", self.point(center), tuple(np.abs(self.stretch) * half), color, self._turn(tilt))

    def capsule(self, start: Triple, end: Triple, radius: float, color: Rgba) -> Shape:
        return self._rod("capsule", start, end, radius, color)

    def cylinder(self, start: Triple, end: Triple, radius: float, color: Rgba) -> Shape:
        return self._rod("cylinder", start, end, radius, color)

    def spindle(self, start: Triple, end: Triple, radius: float, color: Rgba) -> Shape:
        """An ellipsoid with its tips at two points."""
        rod = self._rod("capsule", start, end, radius, color)
        return Shape("ellipsoid", rod.pos, (rod.size[0], rod.size[0], rod.size[1]), color, rod.quat)

    def _rod(self, kind: str, start: Triple, end: Triple, radius: float, color: Rgba) -> Shape:
        a, b = self.stretch * start, self.stretch * end
        quat = np.zeros(4)
        mujoco.mju_quatZ2Vec(quat, (b - a) / np.linalg.norm(b - a))
        size = (radius * self._across, float(np.linalg.norm(b - a)) / 2)
        return Shape(kind, tuple((a + b) / 2), size, color, tuple(quat))

    def point(self, place: Triple) -> tuple[float, ...]:
        """Where a place on the reference body is on this one."""
        return tuple(self.stretch * place)

    def _turn(self, tilt: Triple) -> tuple[float, ...]:
        """Degrees about x, y, z. The mirror image turns the other way about x and z."""
        side = np.sign(self.y)
        return turn(side * tilt[0], tilt[1], side * tilt[2])


def turn(roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> tuple[float, ...]:
    """Quaternion of a turn in degrees about the fixed axes x, then y, then z."""
    quat = np.zeros(4)
    mujoco.mju_euler2Quat(quat, np.deg2rad([roll, pitch, yaw]), "XYZ")
    return tuple(quat)
