"""Where feet may stand: a map of the ground around a walker, made from heights alone.

A place is fit if the ground under most of a sole is nearly even, nothing is in the way of the rest (which may hang over
an edge), it is not the floor of a hole too narrow to walk in, and neither too high nor too deep to step to. The map
tells how far from fit ground a place is, so that planners can move off edges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

Heights = Callable[[np.ndarray, np.ndarray], np.ndarray]

SPACING = 0.04
"""Distance of the map's nodes, m."""
REACH = 2.0
"""How far around the walker it goes, m."""
UNEVEN, CARRIES = 0.07, 0.65
"""Most difference of height under a sole, m, and the share of its length that must lie on the ground."""
TOES = 0.125
"""The middle of that part is so much of a sole's length ahead of a walker's sole: his heel may hang over an edge sooner
than his toes. A runner who lands like that falls, and he pushes off with his toes: he needs both."""
LEAN, FREE, KNEE = 0.9, 0.2, 0.2
"""Ground higher than a foothold by h is `LEAN (h - FREE)` ahead of its toe, m, but no more than the last: a bent knee
leans over the toes."""
HANDS, BACK = 0.6, 0.6
"""Ground higher than a foothold by the first is so far behind it, m: arms swing back."""
HOLE, SHALLOW = 1.0, 0.3
"""Holes narrower than this, m, and deeper than that are not stepped into."""
HIGHEST, DEEPEST = 0.6, 1.1
"""How far up and down a step may go, m."""
STRIDE, AHEAD = 0.6, 1.4
"""Length over which steepness counts, also behind, and how far ahead it is looked for, m."""
EDGE, LEDGE = 0.12, 0.35
"""Ground that rises by more than the second within the first is a ledge, m."""
MARGIN = 0.05
"""Feet keep this far from unfit ground, m."""


@dataclass(frozen=True)
class FootholdMap:
    """Unfitness of the ground around a place, by its nodes."""

    corner: np.ndarray
    """(2,) of the lowest node, m"""
    distance: np.ndarray
    """(n, n) distance to fit ground less that to unfit ground, m"""

    def unfit(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """How far places (any shape) should go to be on fit ground with a margin, m; 0 where they are."""
        u, v = (x - self.corner[0]) / SPACING, (y - self.corner[1]) / SPACING
        last = len(self.distance) - 2
        i, j = np.clip(u.astype(int), 0, last), np.clip(v.astype(int), 0, last)
        a, b = np.clip(u - i, 0.0, 1.0), np.clip(v - j, 0.0, 1.0)
        d = self.distance
        between = ((1 - a) * ((1 - b) * d[i, j] + b * d[i, j + 1]) + a * ((1 - b) * d[i + 1, j] + b * d[i + 1, j + 1]))
        return np.maximum(between + MARGIN, 0.0)


def survey(heights: Heights, center: np.ndarray, level: float, sole: float, facing: float = 0.0,
           size: float = 1.0, runs: bool = False, arms: bool = True) -> FootholdMap | None:
    """Map the ground around a place; none if all of it is fit. `level` is the height of the standing foot.

    `sole` is the length of a foot, `facing` where it points, `size` that of the body, against an adult's.
    """
    count = round(2 * REACH / SPACING) + 1
    corner = np.floor(center[:2] / size / SPACING) * SPACING - REACH
    x, y = np.meshgrid(*(size * (corner[k] + SPACING * np.arange(count)) for k in (0, 1)), indexing="ij")
    ground = (heights(x, y) - level) / size
    relief = float(np.ptp(ground))
    if relief == 0.0:
        return None
    whole, most = (2 * round(0.5 * share * sole / size / SPACING) + 1 for share in (1.0, CARRIES))
    tallest = ndimage.maximum_filter(ground, whole)
    forward = np.array([np.cos(facing), np.sin(facing)])
    carried = ndimage.minimum_filter(ground, most)
    toes = ndimage.shift(carried, -np.round(TOES * sole / size / SPACING * forward), order=0, mode="nearest")
    carried = np.minimum(carried, toes) if runs else toes
    uneven = np.maximum(tallest - ground, ground - carried)
    bumps = np.zeros(ground.shape, dtype=bool)
    for away in np.arange(SPACING, KNEE + 0.5 * SPACING, SPACING):
        ahead = ndimage.shift(tallest, -np.round(away / SPACING * forward), order=0, mode="nearest")
        bumps |= ahead - ground > FREE + away / LEAN
    for away in np.arange(SPACING, BACK + 0.5 * SPACING, SPACING) if arms and relief > HANDS else ():
        behind = ndimage.shift(tallest, np.round(away / SPACING * forward), order=0, mode="nearest")
        bumps |= behind - ground > HANDS
    hole = ndimage.grey_closing(ground, size=round(HOLE / SPACING)) - ground > SHALLOW
    fit = (uneven < UNEVEN) & ~hole & ~bumps & (ground < HIGHEST) & (ground > -DEEPEST)
    if fit.all() or not fit.any():
        return None
    margin = ndimage.distance_transform_edt(~fit) - ndimage.distance_transform_edt(fit)
    return FootholdMap(corner, SPACING * margin)


def along(heights: Heights, place: np.ndarray, way: float, size: float = 1.0) -> np.ndarray:
    """Heights along the way, from where the other foot may still be; holes that a step bridges are filled."""
    margin, whole = round(HOLE / SPACING), round((STRIDE + AHEAD) / SPACING)
    away = size * (SPACING * (np.arange(whole + 2 * margin) - margin) - STRIDE)
    ground = heights(place[0] + away * np.cos(way), place[1] + away * np.sin(way)) / size
    return ndimage.grey_closing(ground, size=margin)[margin:margin + whole]


def grade(ground: np.ndarray) -> tuple[float, float]:
    """How steeply the ground along the way goes up, and down, over the steepest strides."""
    stride = round(STRIDE / SPACING)
    climb = ground[stride:] - ground[:-stride]
    return max(float(climb.max()), 0.0) / STRIDE, max(-float(climb.min()), 0.0) / STRIDE


def ledge(ground: np.ndarray) -> bool:
    """Whether there is one high step up along the way, or under the other foot, that can be taken: who goes at it
    slowly falls back."""
    edge = round(EDGE / SPACING)
    return LEDGE < float((ground[edge:] - ground[:-edge]).max()) <= HIGHEST
