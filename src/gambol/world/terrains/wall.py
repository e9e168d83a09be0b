"""Level ground beside a wall: something to lean on, or to be pushed against."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from gambol.params import param
from gambol.world.terrain import PREFIX, Terrain, TerrainParams, register
from gambol.world.terrains.looks import SAND, add_materials

THICKNESS = 0.2
"""Of the wall, m."""


@dataclass
class WallParams(TerrainParams):
    distance: float = param(0.6, unit="m", low=0.2, high=20.0, doc="from the start to the wall's face")
    bearing: float = param(90.0, unit="degrees", low=-360.0, high=360.0,
                           doc="where it is, from straight ahead; 90: to the left")
    height: float = param(2.0, unit="m", low=0.05, high=5.0, doc="how high it is")
    breadth: float = param(4.0, unit="m", low=0.2, high=50.0, doc="how long it is")


@register
class Wall(Terrain):
    """A floor without end and one box on it."""

    name = "wall"
    doc = "level ground beside a wall"
    Params = WallParams
    params: WallParams

    @property
    def _axes(self) -> np.ndarray:
        """Rows: toward the wall, along it; horizontal."""
        angle = radians(self.params.bearing)
        return np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]])

    def build(self, spec: mujoco.MjSpec) -> None:
        p, angle = self.params, radians(self.params.bearing) / 2
        add_materials(spec, {SAND})
        spec.worldbody.add_geom(name=PREFIX + "floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.5],
                                material="ground")
        x, y = (p.distance + THICKNESS / 2) * self._axes[0]
        spec.worldbody.add_geom(name=PREFIX + "wall", type=mujoco.mjtGeom.mjGEOM_BOX, pos=[x, y, p.height / 2],
                                quat=[cos(angle), 0, 0, sin(angle)], size=[THICKNESS / 2, p.breadth / 2, p.height / 2],
                                material=SAND)

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        px, py = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        (ax, ay), (bx, by) = self._axes
        beyond, along = ax * px + ay * py - self.params.distance, bx * px + by * py
        on = (beyond >= 0.0) & (beyond <= THICKNESS) & (np.abs(along) <= self.params.breadth / 2)
        return np.where(on, self.params.height, 0.0)

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        normal = np.zeros((*np.broadcast(x, y).shape, 3))
        normal[..., 2] = 1.0
        return normal
