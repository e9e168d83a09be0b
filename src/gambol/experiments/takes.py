"""Takes for experiments: a behavior on a character, parameters and pushes by the clock, ended as soon as it is decided.

    take = record("balance", seconds=5, seed=3, pushes=[Push(1.0, "trunk", (350, 0, 0))], until=calm_after(1.1))
    take.fell, take.seconds, take.motion
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.behaviors import Behavior, make_behavior
from gambol.bodies import make_character
from gambol.bodies.character import Character
from gambol.errors import Diverged
from gambol.gains import Gains
from gambol.motion.kinematics import share_of
from gambol.motion.motion import Motion
from gambol.world.pushes import Push, Throw
from gambol.world.terrain import Terrain
from gambol.world.world import World

Change = tuple[float, str, Any]
"""At a time (s), a parameter gets a value."""
Until = Callable[[World, Behavior], bool]
Each = Callable[[World, Behavior], None]
CALM_SPEED = 0.3
"""Speed of the root and of every joint below which a figure is calm, m/s and rad/s."""
CALM_FOR = 0.2
"""... for so long, s."""


@dataclass(frozen=True)
class Take:
    """What was recorded, and how it ended."""

    motion: Motion
    fell: str | None
    """why it fell, or None"""
    seconds: float
    """when it ended: the fall, the condition, or the time given"""

    def angles(self, role: str) -> np.ndarray:
        """Angles of the joints of a role (`left_knee`) over time, (rows, joints)."""
        share = share_of(self.motion)
        drives, names = share.drives, share.anatomy.joints[role]
        return self.motion.qpos[:, np.array([drives.qpos[drives.names.index(name)] for name in names])]


def record(behavior: str, character: str | Character = "human", *, seconds: float, seed: int = 0,
           settings: Mapping[str, Any] | None = None, changes: Sequence[Change] = (), pushes: Sequence[Push] = (),
           until: Until | None = None, each: Each | None = None, last: float | None = None,
           terrain: str | Terrain = "flat", throws: Sequence[Throw] = (), gains: Gains | None = None) -> Take:
    """Run a behavior until it falls, `until` says so, or the time is over; the motion is all of it or its last seconds.

    `each` is called before every tick: to watch, or to do what depends on what it sees.
    """
    world = World(make_character(character) if isinstance(character, str) else character, terrain, seed=seed,
                  projectiles=len(throws))
    controller = make_behavior(behavior, world, settings, gains=gains)
    for push in pushes:
        world.push(push)
    for throw in throws:
        world.throw(throw)
    waiting = sorted(changes, key=lambda change: change[0])
    fell: str | None = None
    while fell is None and world.time < seconds - 1e-9 and not (until is not None and until(world, controller)):
        while waiting and waiting[0][0] <= world.time + 1e-9:
            controller.params.set(*waiting.pop(0)[1:])
        if each is not None:
            each(world, controller)
        try:
            world.step(controller.act())
        except Diverged as error:
            fell = str(error)
        else:
            fell = world.contacts.fallen(world.figure, controller.uses)
    motion = Motion.from_world(world, last, behavior=behavior, params=controller.params.as_dict(), fall=fell)
    return Take(motion, fell, world.time)


def calm_after(time: float) -> Until:
    """True once a figure has stood still for a while, at the earliest after a time."""
    since = [time]

    def calm(world: World, controller: Behavior) -> bool:
        if np.abs(world.data.qvel[world.figure.dofs]).max() > CALM_SPEED:
            since[0] = world.time
        return world.time > max(since[0], time) + CALM_FOR

    return calm
