"""Loose props that carry a figure or are pushed by it: their six equations of motion each, and what holds them up.

Without the contacts that a prop has with the floor it would fall inside the model, and whoever stands on it with it.
"""

from __future__ import annotations

import mujoco
import numpy as np

from gambol.control.contact.cones import friction_rays
from gambol.control.contact.gains import SupportGains
from gambol.control.objectives import Objective
from gambol.kinematics.kinematics import skew
from gambol.rotations import cross
from gambol.world.surfaces import Surfaces


class LooseProps:
    """Props with a free joint that bear on a figure, with all they lean on in turn; p of them, 6 p columns."""

    def __init__(self, surfaces: Surfaces, bodies: list[int], contacts: np.ndarray, gains: SupportGains,
                 bearing: int) -> None:
        self.gains = gains
        model, data = surfaces.model, surfaces.data
        self._data, self._bodies = data, np.array(bodies)
        self._column = np.full(model.nbody, -1)
        self._column[bodies] = np.arange(len(bodies))
        self.dofs = (model.body_dofadr[bodies][:, None] + np.arange(6)).ravel()
        """(6 p,) their degrees of freedom in the model"""
        full = np.empty((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        self.mass, self.rate = full[np.ix_(self.dofs, self.dofs)], data.qvel[self.dofs]
        self.bias_force = data.qfrc_bias[self.dofs] - data.qfrc_passive[self.dofs] - self._pressed(surfaces, bearing)
        self._rays_of_contacts = self._rays(model, contacts)
        """(m, 6 p) generalized force of one unit along each ray of their contacts with what is no figure"""

    @staticmethod
    def under(surfaces: Surfaces, bodies: np.ndarray, gains: SupportGains, bearing: int) -> LooseProps | None:
        """The loose props among the bodies that carry points, and those these lean on in turn; None without any.

        They bear on the figure with the topmost body `bearing`; the forces of other figures on them count as known.
        """
        found = list(dict.fromkeys(bodies[surfaces.loose[bodies]].tolist()))
        if not found:
            return None
        pairs = surfaces.model.geom_bodyid[surfaces.data.contact.geom].reshape(-1, 2)
        contacts = np.flatnonzero(surfaces.loose[pairs].any(axis=1) & ~surfaces.alive[pairs].any(axis=1))
        pairs = pairs[contacts]
        for body in found:  # grows while it goes on
            leaning = pairs[(pairs == body).any(axis=1)]
            found += [other for other in dict.fromkeys(leaning[surfaces.loose[leaning]].tolist()) if other not in found]
        return LooseProps(surfaces, found, contacts[np.isin(pairs, found).any(axis=1)], gains, bearing)

    def among(self, bodies: np.ndarray) -> np.ndarray:
        """Which of some bodies are loose props, (k,)."""
        return self._column[bodies] >= 0

    def jacobian(self, bodies: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(k, 3, 6 p) of points (k, 3) that are fixed in bodies (k,); zero for what is none of them."""
        rows, own = np.zeros((len(bodies), len(self._bodies), 3, 6)), np.flatnonzero(self.among(bodies))
        theirs = bodies[own]
        rows[own, self._column[theirs], :, :3] = np.eye(3)
        rows[own, self._column[theirs], :, 3:] = -skew(places[own] - self._data.xpos[theirs]) @ (
            self._data.xmat[theirs].reshape(-1, 3, 3))
        return rows.transpose(0, 2, 1, 3).reshape(len(bodies), 3, len(self.dofs))

    def bias(self, bodies: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Accelerations (k, 3) of such points when the prop's own accelerations are zero."""
        spin = self._data.cvel[bodies, :3]
        return cross(spin, cross(spin, places - self._data.xpos[bodies]))

    def _pressed(self, surfaces: Surfaces, bearing: int) -> np.ndarray:
        """Generalized force (6 p,) that other figures pressed on them with in the last tick."""
        loads = [load for load in surfaces.loads if load.source != bearing and self._column[load.body] >= 0]
        if not loads:
            return np.zeros(len(self.dofs))
        rows = self.jacobian(np.array([load.body for load in loads]), np.array([load.place for load in loads]))
        return np.einsum("kiv,ki->v", rows, np.array([load.force for load in loads]))

    def _rays(self, model: mujoco.MjModel, contacts: np.ndarray) -> np.ndarray:
        """Generalized forces (m, 6 p) of one unit along each ray of contacts, whose normal points from the first."""
        contact = self._data.contact
        bodies, places = model.geom_bodyid[contact.geom[contacts]].reshape(-1, 2), contact.pos[contacts]
        friction = self.gains.counted_on * contact.friction[contacts, 0]
        rays = friction_rays(contact.frame[contacts, :3], friction[:, None, None])
        between = self.jacobian(bodies[:, 1], places) - self.jacobian(bodies[:, 0], places)
        return (rays @ between).reshape(-1, len(self.dofs))

    def behind(self, columns: int) -> np.ndarray:
        """(m, columns) generalized forces of the contact rays; the last columns are the props', the others zero."""
        rows = np.zeros((len(self._rays_of_contacts), columns))
        rows[:, columns - len(self.dofs):] = self._rays_of_contacts
        return rows

    def at_rest(self, columns: int) -> Objective:
        """An objective that brings the props to rest; of the columns of its rows the last are the props'."""
        rows = np.eye(len(self.dofs), columns, k=columns - len(self.dofs))
        return Objective("prop rests", 1, rows, -self.gains.prop_rate * self.rate)
