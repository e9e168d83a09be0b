"""What ground is made of: a floor without end, slabs (boxes of which only the top face matters),
fields of triangles.

The scene is compiled from text that keeps six significant digits, so every number is rounded that way *before* it is
used, in the geom and in the query alike. Outside its footprint a part is at minus infinity; the ground is the highest
of its parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from gambol.geometry.height_field import on_triangles
from gambol.world.terrains.looks import DEEP, MOSS, SAGE, SAND

RIM = 0.02
"""Depth of a field's rim below the floor, m: two surfaces in one plane would flicker."""


def as_written(values: Iterable[float]) -> tuple[float, ...]:
    """The numbers as they come back from the MJCF text."""
    return tuple(float(f"{value:.6g}") for value in values)


@dataclass(frozen=True)
class Slab:
    """A box; the ground is its top face. `quat` may turn it about z and tilt it, but not on its side."""

    center: tuple[float, ...]
    half: tuple[float, ...]
    quat: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    material: str = SAND

    def __post_init__(self) -> None:
        for name in ("center", "half", "quat"):
            object.__setattr__(self, name, as_written(getattr(self, name)))

    def build(self, spec: mujoco.MjSpec, name: str) -> None:
        spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=list(self.center), size=list(self.half),
                                quat=list(self.quat), material=self.material)

    @cached_property
    def axes(self) -> np.ndarray:
        """Columns are the box's own axes in the world, (3, 3)."""
        matrix = np.empty(9)
        unit = np.array(self.quat)
        mujoco.mju_quat2Mat(matrix, unit / np.linalg.norm(unit))
        return matrix.reshape(3, 3)


def block(x: tuple[float, float], y: tuple[float, float], top: float, bottom: float, material: str = SAND,
          yaw: float = 0.0) -> Slab:
    """A level slab over the rectangle `x` by `y`, turned by `yaw` (rad) about its centre."""
    return Slab(center=(sum(x) / 2, sum(y) / 2, (top + bottom) / 2),
                half=((x[1] - x[0]) / 2, (y[1] - y[0]) / 2, (top - bottom) / 2),
                quat=(math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)), material=material)


def ramp(x: tuple[float, float], z: tuple[float, float], breadth: float, bottom: float, material: str = SAND) -> Slab:
    """A slab whose top rises (or falls) from `z[0]` to `z[1]` between the lines `x`, thick enough to reach `bottom`.

    Its hidden end at the high side leans away from the incline by `ramp_overhang`, inside whatever stands there; its
    sides stand back a centimetre, so that they are not seen through those of what stands there.
    """
    angle = math.atan2(z[1] - z[0], x[1] - x[0])
    thickness = (max(z) - bottom) * math.cos(angle)
    along, up = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    length = (x[1] - x[0]) / along[0]
    middle = np.array([x[0], z[0]]) + along * length / 2 - up * thickness / 2
    return Slab(center=(middle[0], 0.0, middle[1]), half=(length / 2, breadth / 2 - 0.01, thickness / 2),
                quat=(math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0), material=material)


def ramp_overhang(angle: float, height: float) -> float:
    """How far the high end of a ramp reaches beyond its top edge, underneath."""
    return abs(height * math.sin(angle) * math.cos(angle))


def strips(start: float, profile: Sequence[tuple[float, float]], breadth: float, bottom: float,
           materials: Sequence[str] = (SAND,)) -> tuple[list[Slab], float]:
    """Level slabs in a row along x from (length, top) pairs, and where the row ends.

    Entries at `bottom` or below are holes. Materials are taken in turn, so that edges can be seen.
    """
    slabs: list[Slab] = []
    for index, (length, top) in enumerate(profile):
        if top > bottom:
            slabs.append(block((start, start + length), (-breadth / 2, breadth / 2), top, bottom,
                               materials[index % len(materials)]))
        start += length
    return slabs, start


class SlabStack:
    """Many slabs asked at once. Each top face is `z = height + slope . (x, y)` over a parallelogram."""

    def __init__(self, slabs: Sequence[Slab]) -> None:
        axes = np.array([slab.axes for slab in slabs]).reshape(-1, 3, 3)
        half = np.array([slab.half for slab in slabs]).reshape(-1, 3)
        top = np.array([slab.center for slab in slabs]).reshape(-1, 3) + axes[:, :, 2] * half[:, 2:]
        self.point = top
        self.slope = -axes[:, :2, 2] / axes[:, 2:, 2]
        # Own coordinates of the point above (x, y): linear, as dz follows from the slope. Divided by the half sizes.
        own = axes[:, :2, :2] + self.slope[:, :, None] * axes[:, 2:, :2]
        self.own = own / half[:, None, :2]

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Heights of all slabs at the points, shape (..., number of slabs)."""
        dx, dy = x[..., None] - self.point[:, 0], y[..., None] - self.point[:, 1]
        height = self.point[:, 2] + self.slope[:, 0] * dx + self.slope[:, 1] * dy
        outside = ((np.abs(self.own[:, 0, 0] * dx + self.own[:, 1, 0] * dy) > 1)
                   | (np.abs(self.own[:, 0, 1] * dx + self.own[:, 1, 1] * dy) > 1))
        return np.where(outside, -np.inf, height)


@dataclass(frozen=True)
class Field:
    """Heights on a grid of square cells, each cut into two triangles along the diagonal from low to high x and y.

    Simulated as one convex prism a triangle, not as MuJoCo's height field: that gives a single contact per triangle, on
    which feet and boxes rock (on cells of 1 m: 36 mm/s of creep, boxes that never lie still), while a prism carries
    them like a plane.
    """

    corner: tuple[float, float]
    """lowest x and y"""
    cell: float
    nodes: np.ndarray
    """heights in m, rows along y, columns along x"""
    materials: tuple[str, str] = (SAGE, MOSS)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", np.array([as_written(row) for row in self.nodes]))

    @cached_property
    def _lines(self) -> tuple[np.ndarray, np.ndarray]:
        """x of the columns and y of the rows."""
        rows, columns = self.nodes.shape
        x, y = (as_written(low + self.cell * np.arange(count))
                for low, count in zip(self.corner, (columns, rows), strict=True))
        return np.array(x), np.array(y)

    def build(self, spec: mujoco.MjSpec, name: str) -> None:
        x, y = self._lines
        for row, column in np.ndindex(len(y) - 1, len(x) - 1):
            for half, (r, c) in enumerate(((0, 1), (1, 0))):
                nodes = ((row, column), (row + r, column + c), (row + 1, column + 1))
                top = np.array([(x[j], y[i], self.nodes[i, j]) for i, j in nodes])
                self._prism(spec, f"{name}_{row}_{column}_{half}", top, self.materials[(row + column) % 2])

    def _prism(self, spec: mujoco.MjSpec, name: str, top: np.ndarray, material: str) -> None:
        foot = top.copy()
        foot[:, 2] = -0.3
        mesh = spec.add_mesh(name=name)
        mesh.uservert = np.concatenate([top, foot]).ravel()
        spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=material)

    def surface(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height (...) and slope (..., 2) at the points."""
        lines_x, lines_y = self._lines
        u = np.interp(x, lines_x, np.arange(len(lines_x)))
        v = np.interp(y, lines_y, np.arange(len(lines_y)))
        height, along_x, along_y = on_triangles(self.nodes, u, v)
        outside = (x < lines_x[0]) | (x > lines_x[-1]) | (y < lines_y[0]) | (y > lines_y[-1])
        return np.where(outside, -np.inf, height), np.stack([along_x, along_y], axis=-1) / self.cell


def random_field(start: float, length: float, breadth: float, grid: float, height: float,
                 rng: np.random.Generator) -> Field:
    """Random heights 0 to `height` at the nodes of a grid that begins at x = `start`; the rim dips into the floor."""
    columns, rows = (max(2, round(size / grid)) + 1 for size in (length, breadth))
    nodes = np.full((rows, columns), -RIM)
    nodes[1:-1, 1:-1] = rng.uniform(0.0, height, (rows - 2, columns - 2))
    return Field((start, -grid * (rows - 1) / 2), grid, nodes)


@dataclass(frozen=True)
class Layout:
    """Floor, slabs and height fields: everything a terrain is."""

    floor: float
    slabs: Sequence[Slab] = ()
    fields: Sequence[Field] = ()
    floor_material: str = DEEP

    def __post_init__(self) -> None:
        object.__setattr__(self, "floor", as_written([self.floor])[0])
