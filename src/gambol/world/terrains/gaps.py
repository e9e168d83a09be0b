"""Platforms with gaps between them."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.params import param
from gambol.world.terrain import TerrainParams, register
from gambol.world.terrains.ground import APRON, BEHIND, Ground, breadth_param
from gambol.world.terrains.parts import Layout, Slab, strips


@dataclass
class GapsParams(TerrainParams):
    width: float = param(0.5, unit="m", low=0.05, high=2.0, doc="width of a gap, along the way")
    platform: float = param(1.5, unit="m", low=0.3, high=10.0, doc="length of a platform between two gaps")
    count: int = param(5, low=1, high=30, doc="number of gaps")
    depth: float = param(2.0, unit="m", low=1.2, high=5.0, doc="depth of the floor below")
    breadth: float = breadth_param(4.0)


def gaps(start: float, width: float, platform: float, count: int, breadth: float,
         bottom: float) -> tuple[list[Slab], float]:
    """Gap, platform, gap, ..., gap; returns the platforms and where the last gap ends."""
    hole = (width, bottom)
    return strips(start, [hole, *[(platform, 0.0), hole] * (count - 1)], breadth, bottom)


@register
class Gaps(Ground):
    name = "gaps"
    doc = "platforms with deep gaps across the way"
    Params = GapsParams
    params: GapsParams

    def lay_out(self) -> Layout:
        p = self.params
        slabs, end = gaps(APRON, p.width, p.platform, p.count, p.breadth, -p.depth)
        for start, length in ((-BEHIND, BEHIND + APRON), (end, BEHIND)):
            slabs += strips(start, [(length, 0.0)], p.breadth, -p.depth)[0]
        return Layout(-p.depth, slabs)
