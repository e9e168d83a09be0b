"""The kinds of terrain, one a file. Importing this package makes them known by name."""

from gambol.world.terrains import boxes, course, gaps, rough, slope, stairs, step, stones, wall

__all__ = ["boxes", "course", "gaps", "rough", "slope", "stairs", "step", "stones", "wall"]
