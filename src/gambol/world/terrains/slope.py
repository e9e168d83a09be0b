"""An incline between two levels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gambol.params import param
from gambol.world.terrain import TerrainParams, register
from gambol.world.terrains.ground import APRON, BEHIND, Ground, breadth_param
from gambol.world.terrains.looks import SAND
from gambol.world.terrains.parts import Layout, block, ramp, ramp_overhang


@dataclass
class SlopeParams(TerrainParams):
    angle: float = param(10.0, unit="degrees", low=-35.0, high=35.0, doc="steepness; positive is uphill along +x")
    length: float = param(12.0, unit="m", low=1.0, high=50.0, doc="horizontal length of the incline")
    breadth: float = breadth_param()


@register
class Slope(Ground):
    name = "slope"
    doc = "level ground, then an incline up or down, then level ground again"
    Params = SlopeParams
    params: SlopeParams

    def lay_out(self) -> Layout:
        p = self.params
        angle = math.radians(p.angle)
        rise = p.length * math.tan(angle)
        if abs(rise) < 1e-3:
            return Layout(0.0, floor_material="ground")
        # A tenth of a millimetre that halves well: the start then lies at 0 exactly.
        floor, side = 2 * round(min(0.0, rise) / 2, 4), (-p.breadth / 2, p.breadth / 2)
        end, level = APRON + p.length, BEHIND + ramp_overhang(angle, rise)
        high = (end, end + level) if rise > 0 else (-level, APRON)
        return Layout(floor, [ramp((APRON, end), (0.0, rise), p.breadth, floor, SAND),
                              block(high, side, max(0.0, rise), floor, SAND)], floor_material="ground")
