"""The model index: which bodies, joints, degrees of freedom, motors and feet of a compiled model are one character's.

Said once, for the figures of a World, of a Motion, of the studio's mirror and of a synthesised full body.
"""

from __future__ import annotations

from functools import cached_property

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.errors import BadInput, unknown
from gambol.world.actuated import Drives, span


class ModelIndex:
    """One character's share of a model, by the prefix of its names and its anatomy. Looks at no state."""

    def __init__(self, model: mujoco.MjModel, prefix: str, anatomy: Anatomy) -> None:
        self.model, self.prefix, self.anatomy = model, prefix, anatomy
        self._ids: dict[str, int] = {}
        self.root = self._named("root")
        self.top = int(model.body_rootid[self.root])
        """the body that everything else of it hangs on"""
        self.bodies: np.ndarray = np.flatnonzero(model.body_rootid == self.top)
        self.joints: np.ndarray = np.flatnonzero(np.isin(model.jnt_bodyid, self.bodies))
        """all of them, the top's first"""
        self.floating = bool((model.jnt_type[self.joints[:1]] == mujoco.mjtJoint.mjJNT_FREE).any())
        self.dofs = _from_to(np.flatnonzero(np.isin(model.dof_bodyid, self.bodies)))
        self.nv = self.dofs.stop - self.dofs.start
        self.motors: np.ndarray = np.flatnonzero(np.isin(model.actuator_trnid[:, 0], self.joints)
                                     & (model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT))
        self.ctrl = _from_to(self.motors)
        self.nu = len(self.motors)
        self.drives = Drives.of(model, self.motors, prefix)
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

    def body_id(self, name: str) -> int:
        """Id of a part given by role or by body name."""
        if name not in self._ids:
            self._ids[name] = self._find_body(name)
        return self._ids[name]

    def has(self, name: str) -> bool:
        """Whether there is a part of this role or body name."""
        return self._lookup(self.anatomy.bodies.get(name, name)) in self.bodies

    def joint_index(self, names: tuple[str, ...]) -> np.ndarray:
        """Positions of joints in the order of the motors; joints without a motor are left out."""
        position = {name: i for i, name in enumerate(self.joint_names)}
        return np.array([position[name] for name in names if name in position], dtype=int)

    @cached_property
    def role_of_body(self) -> dict[int, str]:
        """body id -> role; a part without a role goes by its name."""
        roles = {int(b): self.model.body(b).name.removeprefix(self.prefix) for b in self.bodies}
        return roles | {self.body_id(role): role for role in self.anatomy.bodies}

    @cached_property
    def feet(self) -> dict[str, tuple[int, ...]]:
        """foot role -> its body and everything below it (toes belong to the foot)"""
        return {role: self.branch(self._named(role)) for role in self.anatomy.feet}

    @cached_property
    def foot_bodies(self) -> frozenset[int]:
        """Bodies of all feet."""
        return frozenset(body for foot in self.feet.values() for body in foot)

    def branch(self, body: int) -> tuple[int, ...]:
        """A body and everything that hangs on it, itself first."""
        found = {body}
        for other in self.bodies:  # what hangs on a body comes after it
            if self.model.body_parentid[other] in found:
                found.add(int(other))
        return tuple(sorted(found))

    def _lookup(self, body: str) -> int:
        return int(mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, self.prefix + body))

    def _named(self, role: str) -> int:
        """The body that the anatomy names for a role."""
        body = self.anatomy.body(role)
        index = self._lookup(body)
        if index < 0:
            raise BadInput(f"the model has no body {self.prefix + body!r}, which the anatomy names as {role!r}")
        return index

    def _find_body(self, name: str) -> int:
        index = self._lookup(self.anatomy.bodies.get(name, name))
        if index < 0 or index not in self.bodies:
            names = {self.model.body(b).name.removeprefix(self.prefix) for b in self.bodies}
            raise unknown("body", name, names | set(self.anatomy.bodies))
        return index


def _from_to(indices: np.ndarray) -> slice:
    """From the first to the last index."""
    return slice(int(indices[0]), int(indices[-1]) + 1) if len(indices) else slice(0, 0)
