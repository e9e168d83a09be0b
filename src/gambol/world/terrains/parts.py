"""What ground is made of: a floor without end, slabs (boxes of which only the top face matters), height fields.

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

from gambol.world.terrains.looks import DEEP, SAND

LEVELS = 100_000
"""Steps in which a height field stores its heights: whole numbers survive the text exactly."""
FINEST = 0.125
"""Largest cell of a height field, m. MuJoCo gives one contact per triangle: on cells of 1 m a foot, or a box, rocks on
a single point (measured: 36 mm/s of creep); from this size on it rests as on a plane."""
RIM = 0.02
"""Depth of a height field's rim below the floor, m: two surfaces in one plane would flicker."""


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
    """A height field: whole-number `levels` (rows along y, columns along x; 0 on the rim) on square cells.

    MuJoCo divides each cell by the diagonal from its low corner to its high corner, and so does the query.
    """

    corner: tuple[float, float]
    """lowest x and y"""
    cell: float
    levels: np.ndarray
    bottom: float
    top: float
    """heights of level 0 and of level LEVELS, m"""
    material: str = SAND

    @cached_property
    def _radii(self) -> tuple[float, ...]:
        rows, columns = self.levels.shape
        return as_written([self.cell * (columns - 1) / 2, self.cell * (rows - 1) / 2])

    @cached_property
    def _center(self) -> tuple[float, ...]:
        return as_written(low + radius for low, radius in zip(self.corner, self._radii, strict=True))

    @cached_property
    def _scale(self) -> float:
        """Height of the highest node above the lowest: MuJoCo stretches the data to 0..1."""
        return as_written([(self.top - self.bottom) * self.levels.max() / LEVELS])[0]

    @cached_property
    def nodes(self) -> np.ndarray:
        """Heights of the nodes as simulated (single precision, stretched), in m."""
        data = self.levels.astype(np.float32) / np.float32(self.levels.max())
        return as_written([self.bottom])[0] + self._scale * data.astype(float)

    def build(self, spec: mujoco.MjSpec, name: str) -> None:
        field = spec.add_hfield(name=name, nrow=self.levels.shape[0], ncol=self.levels.shape[1],
                                size=[*self._radii, self._scale, 0.5])
        field.userdata = self.levels.ravel().astype(float)
        spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname=name,
                                pos=[*self._center, self.bottom], material=self.material)

    def surface(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height (...) and slope (..., 2) at the points."""
        rows, columns = self.levels.shape
        step_x, step_y = 2 * self._radii[0] / (columns - 1), 2 * self._radii[1] / (rows - 1)
        u = (x - self._center[0] + self._radii[0]) / step_x
        v = (y - self._center[1] + self._radii[1]) / step_y
        height, along_x, along_y = on_triangles(self.nodes, u, v)
        outside = (u < 0) | (u > columns - 1) | (v < 0) | (v > rows - 1)
        return np.where(outside, -np.inf, height), np.stack([along_x / step_x, along_y / step_y], axis=-1)


def on_triangles(nodes: np.ndarray, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Height, and its change per cell along x and y, at column `u` and row `v` (fractions of cells) of a grid."""
    column = np.clip(u.astype(int), 0, nodes.shape[1] - 2)
    row = np.clip(v.astype(int), 0, nodes.shape[0] - 2)
    a, b = u - column, v - row
    low, high = nodes[row, column], nodes[row + 1, column + 1]
    corner = np.where(a > b, nodes[row, column + 1], nodes[row + 1, column])
    along_x = np.where(a > b, corner - low, high - corner)
    along_y = np.where(a > b, high - corner, corner - low)
    return low + along_x * a + along_y * b, along_x, along_y


def random_field(start: float, length: float, breadth: float, grid: float, height: float, rng: np.random.Generator,
                 material: str = SAND) -> Field:
    """Random heights 0 to `height` at the nodes of a grid that begins at x = `start`; the rim dips into the floor.

    The triangles of the grid are divided into smaller ones in the same planes, see FINEST.
    """
    columns, rows = (max(2, round(size / grid)) + 1 for size in (length, breadth))
    coarse = np.full((rows, columns), -RIM)
    coarse[1:-1, 1:-1] = rng.uniform(0.0, height, (rows - 2, columns - 2))
    parts = math.ceil(grid / FINEST)
    u, v = np.meshgrid(np.arange((columns - 1) * parts + 1) / parts, np.arange((rows - 1) * parts + 1) / parts)
    fine = on_triangles(coarse, u, v)[0]
    levels = np.rint((fine + RIM) / (height + RIM) * LEVELS).astype(int)
    return Field((start, -grid * (rows - 1) / 2), grid / parts, levels, -RIM, height, material)


@dataclass(frozen=True)
class Layout:
    """Floor, slabs and height fields: everything a terrain is."""

    floor: float
    slabs: Sequence[Slab] = ()
    fields: Sequence[Field] = ()
    floor_material: str = DEEP

    def __post_init__(self) -> None:
        object.__setattr__(self, "floor", as_written([self.floor])[0])
