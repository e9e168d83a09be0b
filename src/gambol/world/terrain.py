"""Terrain: the ground, from a short text such as `slope:angle=10`. One class a kind, registered by name.

A terrain adds its geoms to a scene and answers exact height and normal queries, which planners use. Numbers are
Params, so they have a default, a unit and a range.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from gambol.params import Params as BaseParams
from gambol.params import param, settings_text

PREFIX = "terrain/"
"""Names of all ground geoms start with this."""


@dataclass
class TerrainParams(BaseParams):
    """What every kind of ground has."""

    friction: float = param(1.0, low=0.05, high=1.0, doc="sliding friction that feet feel; 0.2 is a wet floor")


class Terrain(ABC):
    """One kind of ground. Characters start at `start`, facing +x. Two of a class with one text are equal."""

    name: ClassVar[str]
    doc: ClassVar[str]
    Params: ClassVar[type[BaseParams]]
    start: tuple[float, float] = (0.0, 0.0)

    def __init__(self, params: BaseParams | None = None) -> None:
        self.params = params if params is not None else self.Params()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.text == other.text if isinstance(other, Terrain) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)  # its params may change

    @property
    def text(self) -> str:
        """The spec that makes this terrain again."""
        settings = settings_text({key: value for key, value in self.params.as_dict().items()
                                  if (key, value) != ("friction", 1.0)})
        return f"{self.name}:{settings}" if settings else self.name

    @property
    def friction(self) -> float:
        """Sliding friction, as far as it decides: see `world/scene.py`."""
        return float(getattr(self.params, "friction", 1.0))

    @abstractmethod
    def build(self, spec: mujoco.MjSpec) -> None:
        """Add the ground's geoms, each named `terrain/...`, to the scene's world body."""

    @abstractmethod
    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Height of the ground at the points (numbers or arrays of any shape), exactly as it is simulated."""

    @abstractmethod
    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Unit normals at the points, shape (..., 3)."""

    def surface(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Heights and normals at the points, together."""
        return self.height(x, y), self.normal(x, y)


KINDS: dict[str, type[Terrain]] = {}
"""Known by name. All of them once `world.terrains` is imported, which calls them TERRAINS."""


def register(kind: type[Terrain]) -> type[Terrain]:
    """Class decorator: make a terrain known by its name."""
    KINDS[kind.name] = kind
    return kind


@register
class Flat(Terrain):
    name = "flat"
    doc = "level ground without end"

    Params = TerrainParams

    def build(self, spec: mujoco.MjSpec) -> None:
        spec.worldbody.add_geom(name=PREFIX + "floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.5],
                                material="ground")

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        return np.zeros(np.broadcast(x, y).shape)

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        normal = np.zeros((*np.broadcast(x, y).shape, 3))
        normal[..., 2] = 1.0
        return normal

    def surface(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _level(x.shape)


@lru_cache(maxsize=64)
def _level(shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Heights and normals of level ground: the same at every tick, so made once, and not to be written to."""
    height, normal = np.zeros(shape), np.zeros((*shape, 3))
    normal[..., 2] = 1.0
    height.flags.writeable = normal.flags.writeable = False
    return height, normal
