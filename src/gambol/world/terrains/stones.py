"""Stepping stones over a deep floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.params import param
from gambol.world.terrain import TerrainParams, register
from gambol.world.terrains.ground import APRON, BEHIND, Ground, breadth_param, seed_param
from gambol.world.terrains.looks import CLAY, SAND, SLATE
from gambol.world.terrains.parts import Layout, Slab, block, strips


@dataclass
class StonesParams(TerrainParams):
    size: float = param(0.5, unit="m", low=0.2, high=2.0, doc="side of a stone")
    gap: float = param(0.15, unit="m", low=0.0, high=1.0, doc="distance between stones, before the jitter")
    jitter: float = param(0.06, unit="m", low=0.0, high=0.3, doc="largest random shift of a stone, each way")
    rise: float = param(0.05, unit="m", low=0.0, high=0.3, doc="largest random height of a stone, up or down")
    count: int = param(12, low=1, high=40, doc="rows of stones along the way")
    lanes: int = param(3, low=1, high=7, doc="stones side by side")
    depth: float = param(2.0, unit="m", low=1.2, high=5.0, doc="depth of the floor below")
    seed: int = seed_param()
    breadth: float = breadth_param(4.0)


def stones(start: float, size: float, gap: float, jitter: float, rise: float, count: int, lanes: int, bottom: float,
           rng: np.random.Generator) -> tuple[list[Slab], float]:
    """Rows of stones, shifted, turned and raised at random; returns them and where the next ground may begin."""
    pitch = size + gap
    slabs = []
    for row in range(count):
        for lane in range(lanes):
            shift, turn, lift = rng.uniform(-jitter, jitter, 2), rng.uniform(-0.3, 0.3), rng.uniform(-rise, rise)
            x = start + gap + size / 2 + pitch * row + shift[0]
            y = pitch * (lane - (lanes - 1) / 2) + shift[1]
            slabs.append(block((x - size / 2, x + size / 2), (y - size / 2, y + size / 2), round(lift, 4), bottom,
                               (SAND, SLATE, CLAY)[rng.integers(3)], turn))
    return slabs, start + gap + pitch * count


@register
class Stones(Ground):
    name = "stones"
    doc = "stepping stones at random distances and heights, over a deep floor"
    Params = StonesParams
    params: StonesParams

    def lay_out(self) -> Layout:
        p = self.params
        slabs, end = stones(APRON, p.size, p.gap, p.jitter, p.rise, p.count, p.lanes, -p.depth,
                            np.random.default_rng(p.seed))
        for start, length in ((-BEHIND, BEHIND + APRON), (end, BEHIND)):
            slabs += strips(start, [(length, 0.0)], p.breadth, -p.depth)[0]
        return Layout(-p.depth, slabs)
