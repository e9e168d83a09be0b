"""Ground: a terrain made of parts, with exact queries. Every kind but `flat` is one."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from gambol.params import Params, param
from gambol.world.terrain import PREFIX, Terrain
from gambol.world.terrains.looks import add_materials
from gambol.world.terrains.parts import Layout, SlabStack

APRON = 1.5
"""Level ground ahead of the start, m."""
BEHIND = 3.0
"""Level ground behind the start, and at the end of the way, m."""


def breadth_param(default: float = 6.0) -> Any:
    """The size across the way: a parameter of every kind."""
    return param(default, unit="m", low=2.4, high=12.0, doc="size across the way")


def seed_param() -> Any:
    return param(0, low=0, high=1_000_000, doc="seed of everything random")


class Ground(Terrain):
    """A floor without end, slabs and fields on it."""

    def __init__(self, params: Params | None = None) -> None:
        super().__init__(params)
        self.layout = self.lay_out()
        self._stack = SlabStack(self.layout.slabs)

    @abstractmethod
    def lay_out(self) -> Layout:
        """The parts, from the parameters."""

    def build(self, spec: mujoco.MjSpec) -> None:
        layout = self.layout
        add_materials(spec, {layout.floor_material, *(slab.material for slab in layout.slabs),
                             *(material for field in layout.fields for material in field.materials)})
        spec.worldbody.add_geom(name=PREFIX + "floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.5],
                                pos=[0, 0, layout.floor], material=layout.floor_material)
        for index, slab in enumerate(layout.slabs):
            slab.build(spec, f"{PREFIX}slab{index + 1}")
        for index, field in enumerate(layout.fields):
            field.build(spec, f"{PREFIX}field{index + 1}")

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        px, py = _points(x, y)
        height = np.full(px.shape, self.layout.floor)
        if self.layout.slabs:
            height = np.maximum(height, self._stack.height(px, py).max(axis=-1))
        for field in self.layout.fields:
            height = np.maximum(height, field.surface(px, py)[0])
        return height

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        return self.surface(*_points(x, y))[1]

    def surface(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        height, slope = np.full(x.shape, self.layout.floor), np.zeros((*x.shape, 2))
        if self.layout.slabs:
            tops = self._stack.height(x, y)
            height, slope = _higher(height, slope, tops.max(axis=-1), self._stack.slope[tops.argmax(axis=-1)])
        for field in self.layout.fields:
            height, slope = _higher(height, slope, *field.surface(x, y))
        up = np.concatenate([-slope, np.ones((*slope.shape[:-1], 1))], axis=-1)
        return height, up / np.sqrt((up * up).sum(axis=-1, keepdims=True))


def _points(x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    px, py = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    return px, py


def _higher(height: np.ndarray, slope: np.ndarray, other: np.ndarray,
            other_slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The higher of two surfaces, point by point."""
    above = other > height
    return np.where(above, other, height), np.where(above[..., None], other_slope, slope)
