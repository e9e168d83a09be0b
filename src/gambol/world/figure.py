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
from gambol.errors import unknown
from gambol.world.actuated import Drives, span


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


class Figure:
    """One character's share of the model: slices of `qpos`, `qvel` and `ctrl`, ids of its parts."""

    def __init__(self, character: Character, prefix: str, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.character, self.prefix, self.model, self.data = character, prefix, model, data
        self.anatomy = character.anatomy
        self._ids: dict[str, int] = {}
        self.root = model.body(prefix + self.anatomy.body("root")).id
        tree = model.body_rootid[self.root]
        self.bodies = np.flatnonzero(model.body_rootid == tree)
        self.top = int(tree)
        joints = np.flatnonzero(np.isin(model.jnt_bodyid, self.bodies))
        self.floating = bool(model.jnt_type[joints[0]] == mujoco.mjtJoint.mjJNT_FREE)
        dofs = np.flatnonzero(np.isin(model.dof_bodyid, self.bodies))
        self.dofs = slice(int(dofs[0]), int(dofs[-1]) + 1)
        self.nv = len(dofs)
        self.moves = _moves(model)[:, self.dofs]
        """(bodies of the model, nv) 1 where a degree of freedom moves a body, else 0"""
        motors = np.flatnonzero(np.isin(model.actuator_trnid[:, 0], joints)
                                & (model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT))
        self.ctrl = slice(int(motors[0]), int(motors[-1]) + 1) if len(motors) else slice(0, 0)
        self.nu = len(motors)
        self.drives = Drives.of(model, motors, prefix)
        self.joint_names = self.drives.names
        self.joint_qpos = self.drives.qpos
        """address in `qpos` of each actuated joint, in the order of the motors"""
        self.joint_dofs = self.drives.dofs
        """address in `qvel` of what each motor turns"""
        self.driven = self.joint_dofs - self.dofs.start
        """the same, among the figure's own degrees of freedom"""
        self.undriven = np.setdiff1d(np.arange(self.nv), self.driven)
        """degrees of freedom without a motor: the root, and passive joints"""
        self.driven_span, self.undriven_span = span(self.driven), span(self.undriven)
        """the same as slices where they have no gaps, which is faster"""
        self.torque_limit = model.actuator_ctrlrange[self.ctrl, 1].copy()
        self.rest = self.drives.angles(model.qpos0)
        for k, name in enumerate(self.joint_names):
            if k not in self.drives.balls:  # these rest where the model has its zero
                self.rest[k] = character.rest.get(name, self.rest[k])
        self.standing_height = 0.0
        """height of the centre of mass at the start, set by the World"""
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
        self.joint_limits = model.jnt_range[self.drives.joints].T.copy()
        """lowest and highest angle of each actuated joint, (2, nu); a ball's limit is left to the simulation"""
        self.joint_limits[:, model.jnt_limited[self.drives.joints] == 0] = [[-np.inf], [np.inf]]
        self.joint_limits[:, self.drives.balls.ravel()] = [[-np.inf], [np.inf]]
        self.limit_keys = self.torque_limit.tobytes(), self.joint_limits.tobytes()
        """torque and joint limits as something to look up by"""
        self.mass = float(model.body_subtreemass[self.top])
        """kg"""

    def body_id(self, name: str) -> int:
        """Id of a part given by role or by body name."""
        if name not in self._ids:
            self._ids[name] = self._find_body(name)
        return self._ids[name]

    def _find_body(self, name: str) -> int:
        body = self.anatomy.bodies.get(name, name)
        index = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, self.prefix + body)
        if index < 0 or index not in self.bodies:
            names = {self.model.body(b).name.removeprefix(self.prefix) for b in self.bodies}
            raise unknown("body", name, names | set(self.anatomy.bodies))
        return index

    def has(self, name: str) -> bool:
        """Whether there is a part of this role or body name."""
        body = self.anatomy.bodies.get(name, name)
        return mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, self.prefix + body) in self.bodies

    def joint_index(self, names: "tuple[str, ...]") -> np.ndarray:
        """Positions of joints in the order of the motors; joints without a motor are left out."""
        position = {name: i for i, name in enumerate(self.joint_names)}
        return np.array([position[name] for name in names if name in position], dtype=int)

    @cached_property
    def role_of_body(self) -> dict[int, str]:
        """body id -> role; a part without a role goes by its name."""
        roles = {int(b): self.model.body(b).name.removeprefix(self.prefix) for b in self.bodies}
        return roles | {self.body_id(role): role for role in self.anatomy.bodies}

    @cached_property
    def foot_bodies(self) -> frozenset[int]:
        """Bodies of the feet with everything below them (toes belong to the foot)."""
        feet = {sole.body for sole in self.soles}
        for body in self.bodies:
            if self.model.body_parentid[body] in feet:
                feet.add(int(body))
        return frozenset(feet)

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
