"""Rough ground: a random height field."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.params import param
from gambol.world.terrain import TerrainParams, register
from gambol.world.terrains.ground import APRON, Ground, breadth_param, seed_param
from gambol.world.terrains.parts import Layout, random_field


@dataclass
class RoughParams(TerrainParams):
    height: float = param(0.2, unit="m", low=0.01, high=1.0, doc="heights are random between 0 and this")
    grid: float = param(1.0, unit="m", low=0.4, high=5.0, doc="distance of the grid's nodes; plane triangles between")
    length: float = param(16.0, unit="m", low=2.0, high=40.0, doc="length of the rough ground")
    seed: int = seed_param()
    breadth: float = breadth_param()


@register
class Rough(Ground):
    name = "rough"
    doc = "random hills and dips: a height field"
    Params = RoughParams
    params: RoughParams

    def lay_out(self) -> Layout:
        p = self.params
        field = random_field(APRON, p.length, p.breadth, p.grid, p.height, np.random.default_rng(p.seed))
        return Layout(0.0, fields=[field], floor_material="ground")
