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

from gambol.gains import Gains
from gambol.params import param

Heights = Callable[[np.ndarray, np.ndarray], np.ndarray]

SPACING = 0.04
"""Distance of the map's nodes, m."""


@dataclass(frozen=True)
class FootholdGains(Gains):
    """What makes ground fit for feet, of an adult."""

    reach: float = param(2.0, unit="m", low=0.5, high=5.0, doc="how far around the walker the map goes")
    uneven: float = param(0.07, unit="m", low=0.01, high=0.3, doc="most difference of height under a sole")
    carries: float = param(0.65, low=0.1, high=1.0, doc="share of a sole's length that must lie on the ground")
    toes: float = param(0.125, low=0.0, high=0.5,
                        doc="the middle of that part is so much of a sole's length ahead of a walker's sole: his heel "
                            "may hang over an edge sooner than his toes. A runner who lands like that falls, and he "
                            "pushes off with his toes: he needs both")
    free: float = param(0.2, unit="m", low=0.0, high=1.0,
                        doc="a bent knee leans over the toes: ground that is higher than a foothold by h ...")
    lean: float = param(0.9, low=0.1, high=3.0, doc="... is so many times (h - free) ahead of its toe")
    knee: float = param(0.2, unit="m", low=0.0, high=0.6, doc="... but that matters no farther ahead than this")
    hands: float = param(0.6, unit="m", low=0.1, high=2.0,
                         doc="arms swing back: ground higher than a foothold by this ...")
    back: float = param(0.6, unit="m", low=0.0, high=1.5, doc="... is so far behind it")
    hole: float = param(1.0, unit="m", low=0.1, high=2.0, doc="holes narrower than this ...")
    shallow: float = param(0.3, unit="m", low=0.0, high=2.0, doc="... and deeper than this are not stepped into")
    highest: float = param(0.6, unit="m", low=0.05, high=2.0, doc="how far up a step may go")
    deepest: float = param(1.1, unit="m", low=0.05, high=3.0, doc="how far down")
    stride: float = param(0.6, unit="m", low=0.1, high=2.0, doc="length over which steepness counts, also behind")
    ahead: float = param(1.4, unit="m", low=0.2, high=4.0, doc="how far ahead it is looked for")
    edge: float = param(0.12, unit="m", low=0.05, high=0.5, doc="ground that rises within this ...")
    ledge: float = param(0.35, unit="m", low=0.1, high=1.5, doc="... by more than this is a ledge")
    margin: float = param(0.05, unit="m", low=0.0, high=0.3, doc="feet keep this far from unfit ground")


USUAL = FootholdGains()


@dataclass(frozen=True)
class FootholdMap:
    """Unfitness of the ground around a place, by its nodes."""

    corner: np.ndarray
    """(2,) of the lowest node, m"""
    distance: np.ndarray
    """(n, n) distance to fit ground less that to unfit ground, m"""
    margin: float = USUAL.margin
    """how far from unfit ground is fit, m"""

    def unfit(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """How far places (any shape) should go to be on fit ground with a margin, m; 0 where they are."""
        u, v = (x - self.corner[0]) / SPACING, (y - self.corner[1]) / SPACING
        last = len(self.distance) - 2
        i, j = np.clip(u.astype(int), 0, last), np.clip(v.astype(int), 0, last)
        a, b = np.clip(u - i, 0.0, 1.0), np.clip(v - j, 0.0, 1.0)
        d = self.distance
        between = ((1 - a) * ((1 - b) * d[i, j] + b * d[i, j + 1]) + a * ((1 - b) * d[i + 1, j] + b * d[i + 1, j + 1]))
        return np.maximum(between + self.margin, 0.0)


def survey(heights: Heights, center: np.ndarray, level: float, sole: float, facing: float = 0.0,
           size: float = 1.0, runs: bool = False, arms: bool = True,
           gains: FootholdGains = USUAL) -> FootholdMap | None:
    """Map the ground around a place; none if all of it is fit. `level` is the height of the standing foot.

    `sole` is the length of a foot, `facing` where it points, `size` that of the body, against an adult's.
    """
    count = round(2 * gains.reach / SPACING) + 1
    corner = np.floor(center[:2] / size / SPACING) * SPACING - gains.reach
    x, y = np.meshgrid(*(size * (corner[k] + SPACING * np.arange(count)) for k in (0, 1)), indexing="ij")
    ground = (heights(x, y) - level) / size
    relief = float(np.ptp(ground))
    if relief == 0.0:
        return None
    whole, most = (2 * round(0.5 * share * sole / size / SPACING) + 1 for share in (1.0, gains.carries))
    tallest = ndimage.maximum_filter(ground, whole)
    forward = np.array([np.cos(facing), np.sin(facing)])
    carried = ndimage.minimum_filter(ground, most)
    toes = ndimage.shift(carried, -np.round(gains.toes * sole / size / SPACING * forward), order=0, mode="nearest")
    carried = np.minimum(carried, toes) if runs else toes
    uneven = np.maximum(tallest - ground, ground - carried)
    bumps = np.zeros(ground.shape, dtype=bool)
    for away in np.arange(SPACING, gains.knee + 0.5 * SPACING, SPACING):
        ahead = ndimage.shift(tallest, -np.round(away / SPACING * forward), order=0, mode="nearest")
        bumps |= ahead - ground > gains.free + away / gains.lean
    for away in np.arange(SPACING, gains.back + 0.5 * SPACING, SPACING) if arms and relief > gains.hands else ():
        behind = ndimage.shift(tallest, np.round(away / SPACING * forward), order=0, mode="nearest")
        bumps |= behind - ground > gains.hands
    hole = ndimage.grey_closing(ground, size=round(gains.hole / SPACING)) - ground > gains.shallow
    fit = (uneven < gains.uneven) & ~hole & ~bumps & (ground < gains.highest) & (ground > -gains.deepest)
    if fit.all() or not fit.any():
        return None
    margin = ndimage.distance_transform_edt(~fit) - ndimage.distance_transform_edt(fit)
    return FootholdMap(corner, SPACING * margin, gains.margin)


def along(heights: Heights, place: np.ndarray, way: float, size: float = 1.0,
          gains: FootholdGains = USUAL) -> np.ndarray:
    """Heights along the way, from where the other foot may still be; holes that a step bridges are filled."""
    margin, whole = round(gains.hole / SPACING), round((gains.stride + gains.ahead) / SPACING)
    away = size * (SPACING * (np.arange(whole + 2 * margin) - margin) - gains.stride)
    ground = heights(place[0] + away * np.cos(way), place[1] + away * np.sin(way)) / size
    return ndimage.grey_closing(ground, size=margin)[margin:margin + whole]


def grade(ground: np.ndarray, gains: FootholdGains = USUAL) -> tuple[float, float]:
    """How steeply the ground along the way goes up, and down, over the steepest strides."""
    stride = round(gains.stride / SPACING)
    climb = ground[stride:] - ground[:-stride]
    return max(float(climb.max()), 0.0) / gains.stride, max(-float(climb.min()), 0.0) / gains.stride


def ledge(ground: np.ndarray, gains: FootholdGains = USUAL) -> bool:
    """Whether there is one high step up along the way, or under the other foot, that can be taken: who goes at it
    slowly falls back."""
    edge = round(gains.edge / SPACING)
    return gains.ledge < float((ground[edge:] - ground[:-edge]).max()) <= gains.highest
