"""What other figures press with on a figure: who carries somebody feels the load of the last tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.world.figure import Figure


@dataclass(frozen=True)
class Load:
    """A force on a part, at a place."""

    body: int
    place: np.ndarray
    """(3,) in the world, m"""
    force: np.ndarray
    """(3,) N"""


def feel_loads(figures: Sequence[Figure]) -> None:
    """Tell each figure what the others pressed with in the physics step that has just been made."""
    model, data = figures[0].model, figures[0].data
    owner = {figure.top: figure for figure in figures}
    found: dict[int, list[Load]] = {figure.top: [] for figure in figures}
    wrench = np.zeros(6)
    for index, contact in enumerate(data.contact):
        first, second = (int(model.geom_bodyid[geom]) for geom in contact.geom)
        tops = int(model.body_rootid[first]), int(model.body_rootid[second])
        if tops[0] == tops[1] or tops[0] not in owner or tops[1] not in owner:
            continue
        mujoco.mj_contactForce(model, data, index, wrench)
        force = contact.frame.reshape(3, 3).T @ wrench[:3]  # on the second
        found[tops[0]].append(Load(first, contact.pos.copy(), -force))
        found[tops[1]].append(Load(second, contact.pos.copy(), force))
    for top, loads in found.items():
        owner[top].loads = tuple(loads)
