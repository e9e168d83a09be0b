"""One step up or down between two levels."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.params import param
from gambol.world.terrain import TerrainParams, register
from gambol.world.terrains.ground import APRON, BEHIND, Ground, breadth_param
from gambol.world.terrains.looks import SAND
from gambol.world.terrains.parts import Layout, strips

LENGTH = 20.0
"""Level ground after a step up, m; after a step down it goes on without end."""


@dataclass
class StepParams(TerrainParams):
    height: float = param(0.3, unit="m", low=-1.0, high=1.0, doc="height of the step; negative goes down")
    breadth: float = breadth_param()


@register
class Step(Ground):
    name = "step"
    doc = "level ground, one step up or down, level ground again"
    Params = StepParams
    params: StepParams

    def lay_out(self) -> Layout:
        p = self.params
        if abs(p.height) < 1e-3:
            return Layout(0.0, floor_material="ground")
        start, length = (APRON, LENGTH) if p.height > 0 else (-BEHIND, BEHIND + APRON)
        slabs, _ = strips(start, [(length, max(p.height, 0.0))], p.breadth, min(p.height, 0.0), (SAND,))
        return Layout(min(p.height, 0.0), slabs, floor_material="ground")
