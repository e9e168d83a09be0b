"""A Figure: a Character as it stands in one compiled World. Indices by role, state and contacts, all for reading.

Behaviors and features get a Figure and nothing else, so they work the same whether one or many characters share the
scene.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from gambol.bodies.actuation import Controls, read_actuation
from gambol.bodies.anatomy import Anatomy
from gambol.bodies.character import Character
from gambol.errors import unknown
from gambol.world.index import ModelIndex
from gambol.world.patches import PatchSet, bind

if TYPE_CHECKING:
    from gambol.world.loads import Load


class Footed(ModelIndex):
    """One character's share of the model with its patches and where they are: enough to say what carries it."""

    def __init__(self, model: mujoco.MjModel, prefix: str, anatomy: Anatomy, data: mujoco.MjData) -> None:
        super().__init__(model, prefix, anatomy)
        self.data = data
        self.patches = {role: bind(self, role, patch) for role, patch in anatomy.all_patches.items()}
        """what it can carry load with, by role"""
        self.soles = tuple(self.patches[role] for role in anatomy.feet)
        """the feet, which it stands on"""

    def sole_points(self) -> np.ndarray:
        """World positions of all sole points, (k, 3)."""
        place, turn = self.data.xpos, self.data.xmat
        return np.concatenate([place[body] + patch.places[patch.bodies == body] @ turn[body].reshape(3, 3).T
                               for patch in self.soles for body in dict.fromkeys(patch.bodies.tolist())])


class Figure(Footed):
    """A character as it stands in a world, with its strength."""

    def __init__(self, character: Character, prefix: str, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        super().__init__(model, prefix, character.anatomy, data)
        self.character = character
        self.moves = _moves(model)[:, self.dofs]
        """(bodies of the model, nv) 1 where a degree of freedom moves a body, else 0"""
        self.rest = self.drives.angles(model.qpos0)
        for k, name in enumerate(self.joint_names):
            if k not in self.drives.balls:  # these rest where the model has its zero
                self.rest[k] = character.rest.get(name, self.rest[k])
        self.mass = float(model.body_subtreemass[self.top])
        """kg"""
        self.revision = 0
        """number of the body, another one after every edit: what was measured on it holds as long as this stays"""
        self.standing_height = 0.0
        """height of the centre of mass at the start, set by the World"""
        self.loads: tuple[Load, ...] = ()
        """what other figures pressed with in the last tick, set by the World"""
        self._read_limits()
        self.sole_set = PatchSet(self.soles, self.moves)
        self._sets: dict[tuple[str, ...], PatchSet] = {}

    def _read_limits(self) -> None:
        """Strength and range of each actuated joint."""
        model, drives = self.model, self.drives
        self.actuation = read_actuation(model, self.motors)
        self.torque_limit = self.actuation.limit
        self.joint_limits = model.jnt_range[drives.joints].T.copy()
        """lowest and highest angle of each actuated joint, (2, nu); a ball's limit is left to the simulation"""
        self.joint_limits[:, model.jnt_limited[drives.joints] == 0] = [[-np.inf], [np.inf]]
        self.joint_limits[:, drives.balls.ravel()] = [[-np.inf], [np.inf]]
        self.limit_keys = self.torque_limit.tobytes(), self.joint_limits.tobytes()
        """torque and joint limits as something to look up by"""

    def patch_set(self, roles: tuple[str, ...]) -> PatchSet:
        """Some of its patches together."""
        if roles not in self._sets:
            for role in roles:
                if role not in self.patches:
                    raise unknown(f"patch of {self.character.name!r}", role, self.patches)
            self._sets[roles] = PatchSet([self.patches[role] for role in roles], self.moves)
        return self._sets[roles]

    # -- state, read only ------------------------------------------------------------------------------------------

    @property
    def com(self) -> np.ndarray:
        return self.data.subtree_com[self.top].copy()

    @property
    def position(self) -> np.ndarray:
        return self.data.xpos[self.root].copy()

    def posed(self, angles: np.ndarray) -> mujoco.MjData:
        """Scratch data with the figure in some pose, facing ahead: to measure it, not to move it."""
        scratch = mujoco.MjData(self.model)
        self.drives.put(angles, scratch.qpos)
        mujoco.mj_kinematics(self.model, scratch)
        mujoco.mj_comPos(self.model, scratch)
        return scratch

    @property
    def heading(self) -> float:
        """Direction the root faces, radians about the vertical."""
        forward = self.data.xmat[self.root].reshape(3, 3)[:, 0]
        return float(np.arctan2(forward[1], forward[0]))

    @property
    def angles(self) -> np.ndarray:
        """Actuated joint angles, in the order of the motors; of a ball joint its rotation vector."""
        return self.drives.angles(self.data.qpos)

    @property
    def rates(self) -> np.ndarray:
        return self.data.qvel[self.joint_dofs]

    def controls(self, given: np.ndarray | Controls) -> np.ndarray:
        """What a behavior returned, torques or controls, as controls in range."""
        actuation = self.actuation
        if isinstance(given, Controls):
            return actuation.within(given.values)
        return actuation.controls(given, self.angles, self.rates) if actuation.states else actuation.within(given)


def _moves(model: mujoco.MjModel) -> np.ndarray:
    """(nbody, nv) 1 where a degree of freedom moves a body: its own, and those of all it hangs on."""
    moves = np.zeros((model.nbody, model.nv))
    moves[model.dof_bodyid, np.arange(model.nv)] = 1.0
    for body in range(1, model.nbody):
        moves[body] += moves[model.body_parentid[body]]
    return moves
