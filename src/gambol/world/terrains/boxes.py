"""Boxes lying about, to step on or over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.params import param
from gambol.world.terrain import TerrainParams, register
from gambol.world.terrains.ground import APRON, Ground, breadth_param, seed_param
from gambol.world.terrains.looks import CLAY, SAND, SLATE
from gambol.world.terrains.parts import Layout, Slab, block

LOWEST = 0.02
"""A box is at least this high, m: it should be seen."""


@dataclass
class BoxesParams(TerrainParams):
    height: float = param(0.2, unit="m", low=0.02, high=1.0, doc="height of the highest boxes")
    size: float = param(0.5, unit="m", low=0.1, high=2.0, doc="mean side of a box")
    spacing: float = param(1.0, unit="m", low=0.5, high=5.0, doc="mean distance between boxes")
    length: float = param(10.0, unit="m", low=1.0, high=40.0, doc="length of the ground they cover")
    seed: int = seed_param()
    breadth: float = breadth_param(5.0)


def boxes(start: float, height: float, size: float, spacing: float, length: float, breadth: float, bottom: float,
          rng: np.random.Generator) -> tuple[list[Slab], float]:
    """One box per square of `spacing`, at random in it; returns them and where they end."""
    rows, lanes = (max(1, round(extent / spacing)) for extent in (length, breadth))
    room = max(0.0, (spacing - size) / 2)
    slabs = []
    for row in range(rows):
        for lane in range(lanes):
            side_x, side_y = rng.uniform(0.7, 1.3, 2) * size
            shift, turn = rng.uniform(-room, room, 2), rng.uniform(-0.6, 0.6)
            # A turned box reaches out by at most its half diagonal: the first row keeps off the apron.
            x = start + 0.9 * size + room + spacing * row + shift[0]
            y = spacing * (lane - (lanes - 1) / 2) + shift[1]
            top = max(LOWEST, round(rng.uniform(0.0, height), 3))
            slabs.append(block((x - side_x / 2, x + side_x / 2), (y - side_y / 2, y + side_y / 2), top, bottom,
                               (SAND, SLATE, CLAY)[rng.integers(3)], turn))
    return slabs, start + 1.8 * size + 2 * room + spacing * (rows - 1)


@register
class Boxes(Ground):
    name = "boxes"
    doc = "boxes of random height scattered on level ground"
    Params = BoxesParams
    params: BoxesParams

    def lay_out(self) -> Layout:
        p = self.params
        slabs, _ = boxes(APRON, p.height, p.size, p.spacing, p.length, p.breadth, 0.0, np.random.default_rng(p.seed))
        return Layout(0.0, slabs, floor_material="ground")
