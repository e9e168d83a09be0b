"""What a behavior plans, as lines to be drawn: the way of the COM, the pressure on the ground, prints of the feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.behaviors.behavior import Behavior
from gambol.planning.footing import FootSize
from gambol.rotations import yaw_matrix

CORNERS = 24
"""Of the outline of a foot."""
HEEL = 0.8
"""Width of the heel, as a share of that of the ball of the foot."""


@dataclass(frozen=True)
class Ahead:
    """All in the world's axes, m."""

    com: np.ndarray
    """(n, 3)"""
    pressure: np.ndarray
    """(m, 3)"""
    prints: np.ndarray
    """(k, CORNERS, 3) outlines of the next feet, on the ground where they land"""


NOTHING = Ahead(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, CORNERS, 3)))


def plans_ahead(kind: type[Behavior]) -> bool:
    """Whether behaviors of a kind ever have a plan to show."""
    return kind.outlook is not Behavior.outlook


def look_ahead(behavior: Behavior) -> Ahead | None:
    """The plan as it is now, if there is one."""
    outlook = behavior.outlook()
    if outlook is None:
        return None
    sizes = FootSize.of(behavior.figure)
    shape = sole_outline(sizes[0]) if sizes else np.zeros((CORNERS, 2))
    prints = [footprint(shape, place, yaw, behavior.world.terrain.normal(place[0], place[1]))
              for place, yaw in zip(outlook.footholds, outlook.yaws, strict=True)]
    return Ahead(outlook.com, outlook.pressure, np.array(prints).reshape(-1, CORNERS, 3))


def sole_outline(foot: FootSize) -> np.ndarray:
    """A foot seen from above that points along x, about the middle of its sole, (CORNERS, 2)."""
    angle = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    along, across = np.cos(angle), np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** 0.7
    narrow = HEEL + (1.0 - HEEL) * (1.0 + along) / 2.0
    x = (foot.front - foot.back) / 2.0 + foot.length / 2.0 * along
    return np.column_stack([x, foot.half_width * narrow * across])


def footprint(outline: np.ndarray, place: np.ndarray, yaw: float, normal: np.ndarray) -> np.ndarray:
    """An outline turned by a yaw and laid on the plane of a place and a normal, (CORNERS, 3)."""
    flat = outline @ yaw_matrix(yaw)[:2, :2].T
    rise = -(flat @ normal[:2]) / max(float(normal[2]), 0.1)
    return place + np.column_stack([flat, rise])
