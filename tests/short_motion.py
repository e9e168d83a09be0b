"""Short simulated motions for the tests of measures and exporters."""

from __future__ import annotations

from functools import cache

import numpy as np

from gambol.behaviors.stand import Stand
from gambol.bodies import make_character
from gambol.motion.motion import Motion
from gambol.world.pushes import Push, Throw
from gambol.world.world import World


@cache
def fall(names: tuple[str, ...] = ("human",), seconds: float = 1.5, terrain: str = "flat") -> Motion:
    """Characters held by weak springs, disturbed by smooth torques, a push and a ball, until they fall over."""
    world = World([make_character(name) for name in names], terrain, projectiles=1, seed=3)
    if world.figure.floating:
        world.push(Push(t=0.2, body="root", force=(250.0, 120.0, 0.0)))
        world.throw(Throw(t=0.1, body="root", mass=1.5, radius=0.12))
    phases = [np.random.default_rng(k).uniform(0, 6, figure.nu) for k, figure in enumerate(world.figures)]
    while world.time < seconds - 1e-9:
        world.step([figure.torque_limit * (0.3 * np.sin(7 * world.time + phase)
                                           + 0.5 * (figure.rest - figure.angles) - 0.02 * figure.rates)
                    for figure, phase in zip(world.figures, phases, strict=True)])
    return Motion.from_world(world, behavior="fall")


@cache
def standing(seconds: float = 1.0) -> Motion:
    """A human held at its rest pose by springs: it does not move much for a second."""
    world = World(make_character("human"), seed=0)
    hold = Stand(world)
    while world.time < seconds - 1e-9:
        world.step(hold.act())
    return Motion.from_world(world, behavior="held")
