"""The nominal world: what behaviors believe, where the true body is varied.

It has the model of the bodies as they are believed to be, on the same ground and with the same props. It is not
stepped: at every tick it sees the true positions and velocities, and computes from them, on its own model, all that
behaviors read: kinematics, mass matrix, bias forces, contacts. What touches with which force is measured in truth.
"""

from __future__ import annotations

from typing import Any, NoReturn

import mujoco

from gambol.errors import GambolError
from gambol.world.contacts import Contact, ContactTable
from gambol.world.figure import Figure
from gambol.world.loads import Load
from gambol.world.scene import scene_prefixes
from gambol.world.terrain import Terrain
from gambol.world.world import World


class NominalWorld(World):
    """A World to be read; what happens in it happens in the true one."""

    def __init__(self, true: World, terrain: Terrain) -> None:
        self._true = true
        props = true.props[:len(true.props) - len(true.projectiles)]
        super().__init__(true.characters, terrain, props, seed=true.seed, physics_rate=true.physics_rate,
                         control_rate=true.control_rate, projectiles=len(true.projectiles),
                         names=true.names, starts=true.starts)
        self.contacts = MeasuredContacts(self, true)
        own = {self.model.body(b).name: b for b in range(self.model.nbody)}
        names = [true.model.body(b).name for b in range(true.model.nbody)]
        self._own_body = {b: own[name] for b, name in enumerate(names) if name in own}
        """body of the true model -> the same one here"""

    def see(self) -> None:
        """Take over the measured state, and compute what follows from it on the believed model."""
        true, data = self._true, self.data
        data.time, data.qpos[:], data.qvel[:] = true.data.time, true.data.qpos, true.data.qvel
        self.tick, self.seed = true.tick, true.seed
        for own, other in zip(self.figures, true.figures, strict=True):
            own.loads = self._own_loads(other.loads)
        self.surfaces.loads = self._own_loads(true.surfaces.loads)
        mujoco.mj_step1(self.model, data)
        data.qfrc_constraint[:] = true.data.qfrc_constraint  # forces of contacts are measured, not computed

    def _own_loads(self, loads: tuple[Load, ...]) -> tuple[Load, ...]:
        """Loads on bodies of the true model, on the same ones here; what only the true one has hangs on the figure."""
        own, top = self._own_body, self.figure.top
        return tuple(Load(own.get(load.body, top), load.place, load.force, own.get(load.source, top)) for load in loads)

    @property
    def interventions(self) -> tuple[int, ...]:
        return self._true.interventions

    def step(self, *_: Any) -> NoReturn:
        raise self._refusal("stepped")

    def push(self, *_: Any) -> NoReturn:
        raise self._refusal("pushed in")

    def throw(self, *_: Any) -> NoReturn:
        raise self._refusal("thrown in")

    @staticmethod
    def _refusal(what: str) -> GambolError:
        return GambolError(f"what a behavior believes can be read and not {what}; act on the world itself")


def start_angles(true: World, seed: int, terrain: Terrain) -> dict[str, float]:
    """Where the joints that are to be locked are at the start, as they are in a world in which they are free.

    By their names in the scene.
    """
    vary = true.vary
    assert vary is not None
    index = vary.index(scene_prefixes(true.characters, true.names))
    joints = vary.joints(true.characters[index])
    if not joints:
        return {}
    free = World(true.characters, terrain, true.props, seed=seed, physics_rate=true.physics_rate,
                 control_rate=true.control_rate, names=true.names, starts=true.starts)
    prefix = free.figures[index].prefix
    return {prefix + joint: float(free.data.joint(prefix + joint).qpos[0]) for joint in joints}


class MeasuredContacts(ContactTable):
    """Contacts with the forces that are measured in the true world."""

    def __init__(self, believed: World, true: World) -> None:
        super().__init__(believed.model, believed.data, believed.surfaces)
        self._true = true

    def of(self, figure: Figure) -> list[Contact]:
        measured = next(other for other in self._true.figures if other.prefix == figure.prefix)
        return self._true.contacts.of(measured)
