"""An earlier solution as the start of a new climb: kept in the Motion, read again for a scene of the same layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import BadInput
from gambol.motion.motion import Motion
from gambol.synthesis.layout import Layout
from gambol.synthesis.problem import Problem

DIGITS = 6
"""Decimals kept of a solution: micrometres."""


def written(problem: Problem, z: np.ndarray) -> dict[str, Any]:
    """A solution as it stands in a Motion's meta, under `solution`."""
    return {"layout": str(problem.layout), "z": np.round(z, DIGITS).tolist()}


def earlier(path: Path | str, layout: Layout) -> np.ndarray:
    """The solution a Motion was made from, if it is one of this layout."""
    motion = Motion.load(path)
    found = motion.meta.get("solution")
    if not isinstance(found, dict) or not isinstance(found.get("layout"), str):
        raise BadInput(f"{path} holds no solution to start from; it takes a Motion of `gambol synthesize`")
    if found["layout"] != str(layout):
        raise BadInput(f"{path} was made from a scene of another layout; to start from it, a scene needs the same "
                       f"kinds of characters (and `partners`), props, obstacles and phases ({_phases(found)} there, "
                       f"{layout.phases} here) and may change goals, places and sizes")
    try:
        z = np.array(found["z"], dtype=float)
    except (KeyError, TypeError, ValueError):
        z = np.zeros(0)
    if z.shape != (layout.phases, layout.width) or not np.isfinite(z).all():
        raise BadInput(f"{path}: the solution in its meta is damaged")
    return z


def _phases(found: dict[str, Any]) -> int:
    return len(found["z"]) if isinstance(found.get("z"), list) else 0
