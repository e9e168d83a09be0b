"""Angles of legs and where elbows point, for measuring them (NumPy) and for residuals (JAX) alike: `xp` is either."""

from __future__ import annotations

from typing import Any

import numpy as np

NEARLY = 1e-6
"""Square of a length below which it has no direction: it is then taken as 1 along, so that no slope is infinite."""


UP = np.array([0.0, 0.0, 1.0])
DOWN = -UP
ELBOW_UP = 0.7
"""How much elbows of who lies point up: off the floor."""


def angle(up: Any, along: Any, xp: Any = np) -> Any:
    """Of the direction (along, up), rad."""
    return xp.arctan2(up, xp.where(along**2 + up**2 < NEARLY, 1.0, along))


def swing(thigh: Any, axis: Any, xp: Any = np) -> Any:
    """Angle about y from `axis` to a direction, forward from below positive."""
    return angle(axis[0] * thigh[2] - axis[2] * thigh[0], axis[0] * thigh[0] + axis[2] * thigh[2], xp)


def aside(direction: Any, xp: Any = np) -> Any:
    """Angle of a unit direction off the plane of x and z, toward y positive."""
    return xp.arctan2(direction[1], xp.sqrt(direction[0]**2 + direction[2]**2 + NEARLY))


def twist(thigh: Any, hinge: Any, rest: Any, xp: Any = np) -> Any:
    """Angle by which a knee's axis is turned about the thigh, against the axis `rest` carried there."""
    knee = hinge - (hinge @ thigh) * thigh
    return angle(knee @ xp.cross(thigh, rest), knee @ rest, xp)


def elbow_pole(turn: Any, pole: Any) -> Any:
    """Where an elbow points, from where it points in the trunk's frame: up, too, the less upright the trunk is."""
    return turn @ pole + ELBOW_UP * (1 - turn[..., 2, 2, None]) * UP
