"""Angles of a leg at its hip, for measuring them (NumPy) and for residuals (JAX) alike: `xp` is either."""

from __future__ import annotations

from typing import Any

import numpy as np

NEARLY = 1e-6
"""Square of a length below which it has no direction: it is then taken as 1 along, so that no slope is infinite."""


def angle(up: Any, along: Any, xp: Any = np) -> Any:
    """Of the direction (along, up), rad."""
    return xp.arctan2(up, xp.where(along**2 + up**2 < NEARLY, 1.0, along))


def swing(thigh: Any, axis: Any, xp: Any = np) -> Any:
    """Angle about y from `axis` to a direction, forward from below positive."""
    return angle(axis[0] * thigh[2] - axis[2] * thigh[0], axis[0] * thigh[0] + axis[2] * thigh[2], xp)


def twist(thigh: Any, hinge: Any, rest: Any, xp: Any = np) -> Any:
    """Angle by which a knee's axis is turned about the thigh, against the axis `rest` carried there."""
    knee = hinge - (hinge @ thigh) * thigh
    return angle(knee @ xp.cross(thigh, rest), knee @ rest, xp)
