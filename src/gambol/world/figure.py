"""A Figure: a Character as it stands in one compiled World. Indices by role, state and contacts, all for reading.

Behaviors and features get a Figure and nothing else, so they work the same whether one or many characters share the
scene.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from gambol.bodies.character import Character
from gambol.world.index import ModelIndex


@dataclass(frozen=True)
class Sole:
    """One foot: its body and the points it stands on, in the body's frame."""

    role: str
    body: int
    points: np.ndarray
    """(k, 3), the heel's points first, the toe's last"""

    @cached_property
    def key(self) -> bytes:
        """The points as something to look up by."""
        return self.points.tobytes()


class Figure(ModelIndex):
    """One character's share of the model with its strength, its soles and its state."""

    def __init__(self, character: Character, prefix: str, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        super().__init__(model, prefix, character.anatomy)
        self.character, self.data = character, data
        self.moves = _moves(model)[:, self.dofs]
        """(bodies of the model, nv) 1 where a degree of freedom moves a body, else 0"""
        self.rest = self.drives.angles(model.qpos0)
        for k, name in enumerate(self.joint_names):
            if k not in self.drives.balls:  # these rest where the model has its zero
                self.rest[k] = character.rest.get(name, self.rest[k])
        self.mass = float(model.body_subtreemass[self.top])
        """kg"""
        self.standing_height = 0.0
        """height of the centre of mass at the start, set by the World"""
        self._read_limits()
        self._lay_out_soles()

    def _read_limits(self) -> None:
        """Strength and range of each actuated joint."""
        model, drives = self.model, self.drives
        self.torque_limit = model.actuator_ctrlrange[self.ctrl, 1].copy()
        self.joint_limits = model.jnt_range[drives.joints].T.copy()
        """lowest and highest angle of each actuated joint, (2, nu); a ball's limit is left to the simulation"""
        self.joint_limits[:, model.jnt_limited[drives.joints] == 0] = [[-np.inf], [np.inf]]
        self.joint_limits[:, drives.balls.ravel()] = [[-np.inf], [np.inf]]
        self.limit_keys = self.torque_limit.tobytes(), self.joint_limits.tobytes()
        """torque and joint limits as something to look up by"""

    def _lay_out_soles(self) -> None:
        """The points it stands on, one by one and all at once."""
        self.soles = tuple(Sole(role, self.body_id(role), np.asarray(points))
                           for role, points in self.anatomy.soles.items())
        self.sole_bodies = np.array([sole.body for sole in self.soles], dtype=int)
        self.sole_of_point = np.repeat(np.arange(len(self.soles)), [len(sole.points) for sole in self.soles])
        """which sole each of all sole points belongs to, (k,)"""
        self.sole_point_bodies = self.sole_bodies[self.sole_of_point]
        """bodies they are fixed in, (k,)"""
        self.sole_moves = np.tile(np.repeat(self.moves[self.sole_point_bodies], 3, axis=0), 2)
        """what moves each, (3 k, 2 nv): repeated for its three coordinates, and for velocity and acceleration"""
        self.sole_places = _sole_places([sole.points for sole in self.soles])
        """(k, 4 feet) all of them by their bodies' axes and places, see `Kinematics.sole_points`"""

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

    def sole_points(self) -> np.ndarray:
        """World positions of all sole points, (k, 3)."""
        return np.concatenate([self.data.xpos[s.body] + s.points @ self.data.xmat[s.body].reshape(3, 3).T
                               for s in self.soles])


def _sole_places(points: list[np.ndarray]) -> np.ndarray:
    """Points of each foot in its body's axes, and ones: blocks (k, 4) along the diagonal."""
    places = np.zeros((sum(map(len, points)), 4 * len(points)))
    row = 0
    for foot, own in enumerate(points):
        places[row:row + len(own), 4 * foot:4 * foot + 3], places[row:row + len(own), 4 * foot + 3] = own, 1.0
        row += len(own)
    return places


def _moves(model: mujoco.MjModel) -> np.ndarray:
    """(nbody, nv) 1 where a degree of freedom moves a body: its own, and those of all it hangs on."""
    moves = np.zeros((model.nbody, model.nv))
    moves[model.dof_bodyid, np.arange(model.nv)] = 1.0
    for body in range(1, model.nbody):
        moves[body] += moves[model.body_parentid[body]]
    return moves
