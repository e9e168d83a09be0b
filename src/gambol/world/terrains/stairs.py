"""Stairs up and down again, or down and up again."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.params import param
from gambol.world.terrain import TerrainParams, register
from gambol.world.terrains.ground import APRON, BEHIND, Ground, breadth_param
from gambol.world.terrains.looks import DUNE, SAND
from gambol.world.terrains.parts import Layout, Slab, strips


@dataclass
class StairsParams(TerrainParams):
    rise: float = param(0.15, unit="m", low=-0.5, high=0.5, doc="height of a step; negative goes down first")
    run: float = param(0.3, unit="m", low=0.15, high=2.0, doc="depth of a step")
    count: int = param(8, low=1, high=30, doc="steps in a flight")
    landing: float = param(1.5, unit="m", low=0.3, high=10.0, doc="length of the landing between the flights")
    breadth: float = breadth_param(3.0)


def stairs(start: float, rise: float, run: float, count: int, landing: float, breadth: float,
           bottom: float) -> tuple[list[Slab], float]:
    """Two flights with a landing between them; returns the slabs and where the stairs end."""
    flight = [(run, rise * k) for k in range(1, count)]
    return strips(start, [*flight, (landing, rise * count), *reversed(flight)], breadth, bottom, (DUNE, SAND))


@register
class Stairs(Ground):
    name = "stairs"
    doc = "a flight of stairs, a landing, and the same flight back to the first level"
    Params = StairsParams
    params: StairsParams

    def lay_out(self) -> Layout:
        p = self.params
        floor = min(0.0, p.rise * p.count)
        slabs, end = stairs(APRON, p.rise, p.run, p.count, p.landing, p.breadth, floor)
        for start, length in ((-BEHIND, BEHIND + APRON), (end, BEHIND)):
            slabs += strips(start, [(length, 0.0)], p.breadth, floor, (SAND,))[0]
        return Layout(floor, slabs, floor_material="ground")
