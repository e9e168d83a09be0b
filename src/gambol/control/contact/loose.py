"""Loose props that carry a figure or are pushed by it: their six equations of motion each, and what holds them up.

Without the contacts that a prop has with the floor it would fall inside the model, and whoever stands on it with it.
"""

from __future__ import annotations

import mujoco
import numpy as np

from gambol.control.contact.cones import RAYS, friction_rays
from gambol.control.contact.gains import SupportGains
from gambol.control.objectives import Objective
from gambol.kinematics.kinematics import skew
from gambol.rotations import cross
from gambol.world.surfaces import Surfaces


class LooseProps:
    """Props with a free joint that bear on a figure, with all they lean on in turn; p of them, 6 p columns."""

    def __init__(self, surfaces: Surfaces, bodies: list[int], gains: SupportGains) -> None:
        self.gains = gains
        model, data = surfaces.model, surfaces.data
        self._data, self._place = data, {body: k for k, body in enumerate(bodies)}
        first = [int(model.body_dofadr[body]) for body in bodies]
        self.dofs = np.concatenate([np.arange(dof, dof + 6) for dof in first])
        """(6 p,) their degrees of freedom in the model"""
        full = np.empty((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        self.mass, self.rate = full[np.ix_(self.dofs, self.dofs)], data.qvel[self.dofs]
        self.bias_force = data.qfrc_bias[self.dofs] - data.qfrc_passive[self.dofs]
        rays = [self._contact_rays(contact, pair) for contact, pair in surfaces.contacts_of(bodies)]
        self._rays_of_contacts = np.concatenate(rays or [np.zeros((0, len(self.dofs)))])
        """(m, 6 p) generalized force of one unit along each ray of their contacts with all but the figure"""

    @staticmethod
    def under(surfaces: Surfaces, bodies: np.ndarray, gains: SupportGains) -> LooseProps | None:
        """Those among the bodies that touching points are on, and what these lean on; None if there are none."""
        found = surfaces.loose_among(bodies)
        return LooseProps(surfaces, found, gains) if found else None

    def among(self, bodies: np.ndarray) -> np.ndarray:
        """Which of some bodies are loose props, (k,)."""
        return np.isin(bodies, list(self._place))

    def jacobian(self, bodies: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(k, 3, 6 p) of points (k, 3) that are fixed in bodies (k,); zero for what is none of them."""
        rows = np.zeros((len(bodies), 3, len(self.dofs)))
        for row, body, place in zip(rows, bodies.tolist(), places, strict=True):
            if body in self._place:
                column, turn = 6 * self._place[body], self._data.xmat[body].reshape(3, 3)
                row[:, column:column + 3] = np.eye(3)
                row[:, column + 3:column + 6] = -skew(place - self._data.xpos[body]) @ turn
        return rows

    def bias(self, bodies: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Accelerations (k, 3) of such points when the prop's own accelerations are zero."""
        spin = self._data.cvel[bodies, :3]
        return cross(spin, cross(spin, places - self._data.xpos[bodies]))

    def _contact_rays(self, contact: mujoco.MjContact, pair: tuple[int, int]) -> np.ndarray:
        """Generalized forces of one unit along each ray of a contact, whose normal points from the first body."""
        frame, place = np.asarray(contact.frame).reshape(3, 3), np.asarray(contact.pos)[None]
        rays = friction_rays(frame[:1], self.gains.counted_on * float(contact.friction[0])).reshape(RAYS, 3)
        first, second = (self.jacobian(np.array([body]), place)[0] for body in pair)
        return rays @ (second - first)

    def behind(self, columns: int) -> np.ndarray:
        """(m, columns) generalized forces of those rays, the props' columns last."""
        return np.pad(self._rays_of_contacts, ((0, 0), (columns - len(self.dofs), 0)))

    def at_rest(self, columns: int) -> Objective:
        """They come to rest, or stay so; in so many columns, the props' last."""
        rows = np.eye(len(self.dofs), columns, k=columns - len(self.dofs))
        return Objective("prop rests", 1, rows, -self.gains.prop_rate * self.rate)
