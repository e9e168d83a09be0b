"""Height field: heights on a grid, each cell cut into two triangles along the diagonal from low to high x and y."""

from __future__ import annotations

from typing import Any

import numpy as np


def on_triangles(nodes: Any, u: Any, v: Any, xp: Any = np) -> tuple[Any, Any, Any]:
    """Height, and its change per cell along x and y, at column `u` and row `v` (fractions of cells) of a grid."""
    column = xp.clip(u.astype(int), 0, nodes.shape[1] - 2)
    row = xp.clip(v.astype(int), 0, nodes.shape[0] - 2)
    a, b = u - column, v - row
    low, high = nodes[row, column], nodes[row + 1, column + 1]
    corner = xp.where(a > b, nodes[row, column + 1], nodes[row + 1, column])
    along_x = xp.where(a > b, corner - low, high - corner)
    along_y = xp.where(a > b, high - corner, corner - low)
    return low + along_x * a + along_y * b, along_x, along_y


def height_field(points: Any, nodes: Any, cell: float, xp: Any = np) -> tuple[Any, Any]:
    """Signed distance of points (..., 3) from the plane of the triangle below (or above) each, and its normal.

    The grid's first node is at the origin, columns along x, rows along y, `cell` apart; beyond its rim the outermost
    triangles go on. This is the true distance wherever the foot of the perpendicular is on that triangle, and never
    less than it: near ridges and at walls steeper than the point is high another triangle may be nearer.
    """
    height, along_x, along_y = on_triangles(nodes, points[..., 0] / cell, points[..., 1] / cell, xp)
    slope = xp.stack([along_x, along_y], axis=-1) / cell
    up = 1 / xp.sqrt(1 + xp.vecdot(slope, slope))
    return (points[..., 2] - height) * up, xp.concatenate([-slope * up[..., None], up[..., None]], axis=-1)
