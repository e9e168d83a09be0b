"""A Frame: one moment of a scene as it is shown. A Mirror makes frames without touching the simulation.

The Mirror has its own `MjData`: a state is copied in and computed forward there, so that looking at a world changes
nothing in it, and contact forces are those of the shown state. Live sessions and recorded motions use the same one.
"""

from __future__ import annotations

import copy
from contextlib import suppress
from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.bodies.actuation import Actuation, read_actuation
from gambol.bodies.anatomy import Anatomy
from gambol.errors import BadInput
from gambol.studio.ahead import Ahead
from gambol.units import GRAVITY
from gambol.world.figure import Footed
from gambol.world.index import ModelIndex
from gambol.world.recorder import STATE
from gambol.world.surfaces import Surfaces
from gambol.world.terrain import Terrain


@dataclass(frozen=True)
class Measure:
    """How a number is plotted: its unit, and the least span of its axis."""

    unit: str
    span: float


MEASURES = {
    "COM height": Measure("m", 0.2),
    "COM speed": Measure("m/s", 0.5),
    "ground force": Measure("body weights", 0.5),
    "torque ratio": Measure("share of strength", 0.5),
    "angular momentum": Measure("kg m²/s", 5.0),
}
"""What can be plotted, all of the first character."""

LOADED = 1.0
"""A contact counts as carrying load above this normal force, N."""


@dataclass(frozen=True)
class Frame:
    """Poses of all bodies and what the overlays draw."""

    model: mujoco.MjModel
    """a private copy, the same object as long as no shape changes"""
    time: float
    position: np.ndarray
    """(nbody, 3)"""
    rotation: np.ndarray
    """(nbody, 4), w first"""
    com: np.ndarray
    ground: float
    """height of what carries the character: the ground below its centre of mass, or a thing that it stands on"""
    momentum: np.ndarray
    """angular momentum about the centre of mass, world axes"""
    support: np.ndarray
    """(k, 3), loaded contact points of the feet"""
    contacts: np.ndarray
    """(m, 2, 3), point and force (N) of each contact of the character"""
    weight: float
    """of the character, N"""
    measures: dict[str, float]
    ahead: Ahead | None = None
    """what the behavior plans, while somebody looks at that"""


class Mirror:
    """Computes frames of one model for one of its characters."""

    def __init__(self, model: mujoco.MjModel, prefix: str, anatomy: Anatomy, terrain: Terrain) -> None:
        self.source, self.terrain = model, terrain
        self._index = index = ModelIndex(model, prefix, anatomy)
        self.top = index.top
        self._own = np.zeros(model.nbody, dtype=bool)
        self._own[index.bodies] = True
        self._feet = index.foot_bodies
        self._sync()

    def frame_of_state(self, state: np.ndarray) -> Frame:
        """The frame of a full integration state."""
        self._sync()
        mujoco.mj_setState(self.model, self.data, state, STATE)
        return self._compute()

    def frame_of_row(self, time: float, qpos: np.ndarray, qvel: np.ndarray, ctrl: np.ndarray | None) -> Frame:
        """The frame of one row of a motion."""
        self._sync()
        self.data.time, self.data.qpos[:], self.data.qvel[:] = time, qpos, qvel
        self.data.ctrl[:] = 0.0 if ctrl is None else ctrl
        return self._compute()

    def _sync(self) -> None:
        """Take over edits of the source model: bodies may be morphed, balls may change size."""
        signature = (self.source.geom_size.tobytes(), self.source.body_pos.tobytes(), self.source.body_mass.tobytes())
        if getattr(self, "_signature", None) != signature:
            self._signature = signature
            self.model = copy.copy(self.source)
            self.data = mujoco.MjData(self.model)
            self._figure = Footed(self.model, self._index.prefix, self._index.anatomy, self.data)
            self._surfaces = Surfaces(self.model, self.data, self.terrain, (self._figure,))
            self._actuation: Actuation | None = None
            with suppress(BadInput):  # where motors are of a kind not known here, all else can be shown
                self._actuation = read_actuation(self.model, self._index.motors)

    def _compute(self) -> Frame:
        model, data = self.model, self.data
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        com, velocity = data.subtree_com[self.top].copy(), data.subtree_linvel[self.top]
        contacts, support = self._contacts()
        ground = self._surfaces.ground_of(self._figure)
        weight = float(model.body_subtreemass[self.top] * GRAVITY)
        measures = {
            "COM height": float(com[2]) - ground,
            "COM speed": float(np.linalg.norm(velocity)),
            "ground force": float(contacts[:, 1, 2].sum() / weight),
            "torque ratio": self._torque_ratio(),
            "angular momentum": float(np.linalg.norm(data.subtree_angmom[self.top])),
        }
        return Frame(model, float(data.time), data.xpos.copy(), data.xquat.copy(), com, ground,
                     data.subtree_angmom[self.top].copy(), support, contacts, weight, measures)

    def _torque_ratio(self) -> float:
        """Largest share of its strength that a motor gives; 0 where the motors are of a kind not known here."""
        if self._actuation is None or not self._index.nu:
            return 0.0
        data, drives, actuation = self.data, self._index.drives, self._actuation
        torques = actuation.torques(data.ctrl[self._index.motors], drives.angles(data.qpos), data.qvel[drives.dofs])
        return float((np.abs(torques) / np.maximum(actuation.limit, 1e-9)).max())

    def _contacts(self) -> tuple[np.ndarray, np.ndarray]:
        """Contacts of the character with anything else, and those that carry its feet."""
        model, data = self.model, self.data
        rows, support, wrench = [], [], np.zeros(6)
        for index in range(data.ncon):
            contact = data.contact[index]
            first, second = (int(model.geom_bodyid[geom]) for geom in contact.geom)
            if self._own[first] == self._own[second]:
                continue
            mujoco.mj_contactForce(model, data, index, wrench)
            force = contact.frame.reshape(3, 3).T @ wrench[:3]
            rows.append((contact.pos.copy(), force if self._own[second] else -force))
            if wrench[0] > LOADED and (second if self._own[second] else first) in self._feet:
                support.append(contact.pos.copy())
        return np.array(rows).reshape(-1, 2, 3), np.array(support).reshape(-1, 3)
