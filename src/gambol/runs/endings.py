"""When a run is over: conditions for `until`."""

from __future__ import annotations

import numpy as np

from gambol.behaviors import Behavior
from gambol.runs.run import Until
from gambol.world.world import World

CALM_SPEED = 0.3
"""Speed of the root and of every joint below which a figure is calm, m/s and rad/s."""
CALM_FOR = 0.2
"""How long it must have been calm, s."""


def calm_after(time: float) -> Until:
    """True once the first figure has stood still for a while, at the earliest after a time."""
    since = [time]

    def calm(world: World, behavior: Behavior) -> bool:
        if np.abs(world.data.qvel[world.figure.dofs]).max() > CALM_SPEED:
            since[0] = world.time
        return world.time > max(since[0], time) + CALM_FOR

    return calm
