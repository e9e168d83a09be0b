"""Figures of a trial begin apart from each other: bodies do not come out of one another, they burst."""

from __future__ import annotations

import numpy as np

from gambol.errors import BadInput
from gambol.world.world import World

DEEPEST = 0.03
"""How deep parts of two figures may begin in each other, m: who leans on somebody is less deep in him."""


def check_apart(world: World) -> None:
    """Refuse two figures of a world that begin in one place."""
    contact = world.data.contact
    owners = {figure.top: index for index, figure in enumerate(world.figures)}
    tops = world.model.body_rootid[world.model.geom_bodyid[contact.geom]]
    for k in np.argsort(contact.dist):
        one, other = (owners.get(int(top)) for top in tops[k])
        if contact.dist[k] >= -DEEPEST:
            return
        if one is not None and other is not None and one != other:
            first, second = (world.figures[index].prefix.rstrip("/") for index in sorted((one, other)))
            raise BadInput(f"{first!r} and {second!r} begin in one place, {-100 * contact.dist[k]:.0f} cm deep in each "
                           "other; give one of them another x or y")
