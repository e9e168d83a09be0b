"""The kinds of terrain, one a file. Importing this package makes them known by name; `make_terrain` makes one."""

from gambol.errors import unknown
from gambol.params import parse_settings
from gambol.world.terrain import KINDS as TERRAINS
from gambol.world.terrain import Terrain
from gambol.world.terrains import boxes, course, gaps, rough, slope, stairs, step, stones, wall

__all__ = ["TERRAINS", "boxes", "course", "gaps", "make_terrain", "rough", "slope", "stairs", "step", "stones", "wall"]


def make_terrain(text: str) -> Terrain:
    """`name` or `name:key=value,...` to a Terrain."""
    name, _, settings = text.partition(":")
    if name not in TERRAINS:
        raise unknown("terrain", name, TERRAINS)
    kind = TERRAINS[name]
    return kind(kind.Params.parse(parse_settings(settings)))
