"""What figures press with on each other and on loose props: who carries somebody feels the load of the last tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from gambol.world.figure import Figure

if TYPE_CHECKING:
    from gambol.world.surfaces import Surfaces


@dataclass(frozen=True)
class Load:
    """A force on a part or a prop, at a place."""

    body: int
    place: np.ndarray
    """(3,) in the world, m"""
    force: np.ndarray
    """(3,) N"""
    source: int
    """topmost body of the figure that presses"""


def feel_loads(figures: Sequence[Figure], surfaces: Surfaces) -> None:
    """Tell each figure, and the surfaces, what was pressed with in the physics step that has just been made."""
    model, data = surfaces.model, surfaces.data
    found: dict[int, list[Load]] = {figure.top: [] for figure in figures}
    on_props: list[Load] = []
    bodies = model.geom_bodyid[data.contact.geom].reshape(-1, 2)
    tops, alive = model.body_rootid[bodies], surfaces.alive[bodies]
    felt = alive.any(axis=1) & (alive | surfaces.loose[bodies]).all(axis=1) & (tops[:, 0] != tops[:, 1])
    wrench = np.zeros(6)
    for index in np.flatnonzero(felt).tolist():
        mujoco.mj_contactForce(model, data, index, wrench)
        force, place = data.contact.frame[index].reshape(3, 3).T @ wrench[:3], data.contact.pos[index].copy()
        for side, given in ((0, -force), (1, force)):  # the force is that on the second
            if alive[index, 1 - side]:
                felt_by = found[int(tops[index, side])] if alive[index, side] else on_props
                felt_by.append(Load(int(bodies[index, side]), place, given, int(tops[index, 1 - side])))
    for figure in figures:
        figure.loads = tuple(found[figure.top])
    surfaces.loads = tuple(on_props)
