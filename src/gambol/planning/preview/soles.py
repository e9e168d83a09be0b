"""Where the pressure is under a sole: from coordinates (heel 0 to toe 1, right 0 to left 1) to places, and back."""

from __future__ import annotations

import numpy as np

from gambol.planning.footing import FootSize
from gambol.planning.preview.gains import USUAL, SoleGains


def ends(foot: FootSize, gains: SoleGains = USUAL.soles) -> tuple[float, float]:
    """How far behind the middle of a sole, and ahead of it, the coordinate is 0 and 1, m."""
    return gains.back * foot.back, gains.front * foot.front


def under(foot: FootSize, along: np.ndarray, across: np.ndarray | float, place: np.ndarray,
          yaw: np.ndarray | float, gains: SoleGains = USUAL.soles) -> np.ndarray:
    """Points (k, 2, b) under a sole at a place (2, b), by coordinates (k, b)."""
    (back, front), half = ends(foot, gains), gains.sides * foot.half_width
    ahead, left = along * (back + front) - back, (2.0 * across - 1.0) * half
    c, s = np.cos(yaw), np.sin(yaw)
    points = np.empty((len(along), 2, along.shape[1]))
    points[:, 0], points[:, 1] = c * ahead - s * left, s * ahead + c * left
    return points + place


def coordinate(foot: FootSize, share: float, gains: SoleGains = USUAL.soles) -> float:
    """The nearest coordinate of a point of the whole sole, that being 0 at its heel and 1 at its toe."""
    back, front = ends(foot, gains)
    along = (share * (foot.back + foot.front) - foot.back + back) / (back + front)
    return min(max(along, 0.0), 1.0)
