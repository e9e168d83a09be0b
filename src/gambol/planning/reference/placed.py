"""A Reference cut short, or moved to another place and heading."""

from __future__ import annotations

from dataclasses import fields, replace
from math import atan2
from typing import Any

import numpy as np

from gambol.errors import BadInput
from gambol.motion.reference import Reference
from gambol.rotations import multiply, yaw_matrix

FIXED = ("qpos", "qvel", "touching", "turns")
"""Fields that are not simply places or vectors of three (or two, along the ground)."""
PLACES = ("com", "places")
LEAST_ROWS = 3


def part_of_reference(reference: Reference, begin: float, end: float) -> Reference:
    """From one time to another, s; 0 as its end is the end of the reference."""
    end = end or reference.seconds
    first, last = round(begin * reference.rate), round(min(end, reference.seconds) * reference.rate)
    if last - first + 1 < LEAST_ROWS:
        raise BadInput(f"from {begin:g} to {end:g} s there is nothing to follow in {reference.name}, which lasts "
                       f"{reference.seconds:g} s")
    rows: dict[str, Any] = {field.name: value[first:last + 1] for field in fields(reference)
                            if isinstance(value := getattr(reference, field.name), np.ndarray)}
    return replace(reference, **rows)


def heading_of(quaternion: np.ndarray) -> float:
    """Where the x axis of a root points, rad."""
    w, x, y, z = quaternion.tolist()
    return atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def moved(reference: Reference, yaw: float, about: np.ndarray, to: np.ndarray) -> Reference:
    """Turned by a yaw (rad) about a place on the ground, (2,), which then comes to another, (2,)."""
    turn, half = yaw_matrix(yaw), yaw / 2.0
    about, to = np.append(about, 0.0), np.append(to, 0.0)

    def placed(places: np.ndarray) -> np.ndarray:
        found: np.ndarray = (places - about) @ turn.T + to
        return found

    qpos, qvel = reference.qpos.copy(), reference.qvel.copy()
    qpos[:, :3], qvel[:, :3] = placed(qpos[:, :3]), qvel[:, :3] @ turn.T  # a free joint turns in its own axes
    qpos[:, 3:7] = multiply(np.array([np.cos(half), 0.0, 0.0, np.sin(half)]), qpos[:, 3:7])
    changed: dict[str, Any] = {"qpos": qpos, "qvel": qvel, "turns": turn @ reference.turns}
    for field in fields(reference):
        value = getattr(reference, field.name)
        if isinstance(value, np.ndarray) and field.name not in FIXED:
            wide = value.shape[-1]
            changed[field.name] = placed(value) if field.name in PLACES else value @ turn[:wide, :wide].T
    return replace(reference, **changed)
