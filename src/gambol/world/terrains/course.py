"""An obstacle course: a bit of every kind of ground in a row."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gambol.params import param
from gambol.world.terrain import TerrainParams, register
from gambol.world.terrains.boxes import boxes
from gambol.world.terrains.gaps import gaps
from gambol.world.terrains.ground import APRON, BEHIND, Ground, breadth_param, seed_param
from gambol.world.terrains.looks import CLAY
from gambol.world.terrains.parts import Layout, Slab, block, ramp, random_field, strips
from gambol.world.terrains.stairs import stairs
from gambol.world.terrains.stones import stones

DEPTH = 2.0
REST = 1.2
"""Depth of the floor, and level ground between two obstacles, m."""


@dataclass
class CourseParams(TerrainParams):
    angle: float = param(10.0, unit="degrees", low=1.0, high=30.0, doc="steepness of the ramps")
    rise: float = param(0.12, unit="m", low=0.02, high=0.3, doc="height of a stair")
    gap: float = param(0.4, unit="m", low=0.05, high=1.5, doc="width of the gaps")
    height: float = param(0.12, unit="m", low=0.02, high=0.4, doc="height of boxes and of the rough ground")
    seed: int = seed_param()
    breadth: float = breadth_param(4.0)


@register
class Course(Ground):
    name = "course"
    doc = "ramps, stairs, gaps, stepping stones, boxes and rough ground in a row"
    Params = CourseParams
    params: CourseParams

    def lay_out(self) -> Layout:
        p = self.params
        rng = np.random.default_rng(p.seed)
        hill, x = _hill(APRON, math.radians(p.angle), p.breadth)
        flights, x = stairs(x + REST, p.rise, 0.3, 4, 1.2, p.breadth, 0.0)
        first, x = strips(-BEHIND, [(BEHIND + x + REST, 0.0)], p.breadth, -DEPTH)
        platforms, x = gaps(x, p.gap, REST, 3, p.breadth, -DEPTH)
        middle, x = strips(x, [(REST, 0.0)], p.breadth, -DEPTH)
        steps, x = stones(x, 0.5, 0.15, 0.06, 0.05, 5, 3, -DEPTH, rng)
        last_start = x
        lying, x = boxes(x + REST, p.height, 0.5, 0.9, 3.6, p.breadth - 0.4, 0.0, rng)
        field = random_field(x + REST, 6.0, p.breadth, 1.0, p.height, rng)
        last, _ = strips(last_start, [(x + REST + 6.0 + BEHIND - last_start, 0.0)], p.breadth + 0.8, -DEPTH)
        return Layout(-DEPTH, [*first, *hill, *flights, *platforms, *middle, *steps, *last, *lying], [field])


def _hill(start: float, angle: float, breadth: float) -> tuple[list[Slab], float]:
    """A ramp up, a short plateau, a ramp down; returns them and where they end."""
    length, plateau = 2.5, 1.2
    top, high = length * math.tan(angle), (start + length, start + length + plateau)
    end = high[1] + length
    return [ramp((start, high[0]), (0.0, top), breadth, 0.0, CLAY),
            block(high, (-breadth / 2, breadth / 2), top, 0.0, CLAY),
            ramp((high[1], end), (top, 0.0), breadth, 0.0, CLAY)], end
