"""Where feet may be put: the terrain, and level tops of boxes of props, as they are now, but for what is overhead.

Asked like a terrain: `height`, `normal`, `surface`. Where there are no such props it is the terrain itself.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from gambol.world.figure import Figure
from gambol.world.surfaces import Surfaces
from gambol.world.terrain import Terrain

LEVEL = 0.999
"""A box is level if the cosine of its tilt is at least this."""
HEAD = 0.85
"""What begins higher than this share of the standing COM's height above the COM is overhead, and no ground."""
SIDES = np.array([[1, 2], [0, 2], [0, 1]])
"""The other two axes of a box, by the one that is upright."""
FIRM = 10.0
"""A loose prop of less mass is not stepped on, kg."""


class Walkable:
    """Heights and normals of terrain and props together."""

    def __init__(self, surfaces: Surfaces, figure: Figure, boxes: np.ndarray) -> None:
        self._figure = figure
        self._terrain, self._model, self._data, self._boxes = surfaces.terrain, surfaces.model, surfaces.data, boxes

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Height at the points (numbers or arrays of any shape)."""
        heights = np.array(self._terrain.height(x, y), dtype=float)
        return np.maximum(heights, self._tops(x, y).max(axis=0).reshape(heights.shape))

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Unit normals at the points, (..., 3)."""
        return self.surface(np.asarray(x, dtype=float), np.asarray(y, dtype=float))[1]

    def surface(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Heights and normals at the points, together."""
        heights, normals = self._terrain.height(x, y), self._terrain.normal(x, y)
        tops = self._tops(x, y).max(axis=0).reshape(heights.shape)
        on = tops > heights
        return np.where(on, tops, heights), np.where(on[..., None], [0.0, 0.0, 1.0], normals)

    def _tops(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Height of the top of each level box at points, (boxes, points); minus infinity beside it, and below one that
        the figure goes under."""
        px, py = (part.ravel() for part in np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float)))
        data, sizes, each = self._data, self._model.geom_size[self._boxes], np.arange(len(self._boxes))
        places, turns = data.geom_xpos[self._boxes], data.geom_xmat[self._boxes].reshape(-1, 3, 3)
        upward = np.abs(turns[:, 2]).argmax(axis=1)  # a box may lie on any of its faces
        half = sizes[each, upward]
        head = float(data.subtree_com[self._figure.top, 2]) + HEAD * self._figure.standing_height
        ground = (np.abs(turns[each, 2, upward]) > LEVEL) & (places[:, 2] - half < head)
        dx, dy = px - places[:, :1], py - places[:, 1:2]
        inside = np.broadcast_to(ground[:, None], dx.shape)
        for side in SIDES[upward].T:
            along = turns[each, 0, side][:, None] * dx + turns[each, 1, side][:, None] * dy
            inside = inside & (np.abs(along) <= sizes[each, side][:, None])
        return np.where(inside, (places[:, 2] + half)[:, None], -np.inf)


def walkable(surfaces: Surfaces, figure: Figure) -> Terrain | Walkable:
    """The terrain if no prop has a box that one could step on, else both together."""
    model, owner = surfaces.model, surfaces.model.geom_bodyid
    firm = (owner > 0) & (~surfaces.loose[owner] | (model.body_subtreemass[owner] >= FIRM))  # 0: tees of balls
    solid = (model.geom_contype | model.geom_conaffinity) != 0
    boxes = np.flatnonzero(solid & firm & ~surfaces.ground & ~surfaces.alive[owner]
                           & (model.geom_type == mujoco.mjtGeom.mjGEOM_BOX))
    return Walkable(surfaces, figure, boxes) if len(boxes) else surfaces.terrain
