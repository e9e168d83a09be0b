"""What touches what, by role; and the one definition of a fall."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.world.figure import Figure
from gambol.world.surfaces import Surfaces
from gambol.world.terrain import PREFIX


@dataclass(frozen=True)
class Contact:
    """One touching point between a part and something else."""

    role: str
    other: str
    """`ground`, or the name of the other body"""
    position: np.ndarray
    force: np.ndarray
    """on the part, world axes, N; as the present state and the last controls make it"""
    depth: float
    """penetration, m"""


class ContactTable:
    """Contact and fall queries on the present state of a world."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, surfaces: Surfaces) -> None:
        self.model, self.data, self.surfaces = model, data, surfaces
        self.ground_geoms = np.array([model.geom(g).name.startswith(PREFIX) for g in range(model.ngeom)])
        self._scratch = mujoco.MjData(model)
        self._forbidden: dict[tuple[int, frozenset[str]], np.ndarray] = {}

    def of(self, figure: Figure) -> list[Contact]:
        """All contacts of a figure.

        `data` holds the contacts of this moment but the forces of the last physics step, when there may have been other
        contacts. So the forces are computed again, in a scratch copy.
        """
        contacts = []
        wrench, now = np.zeros(6), self._scratch
        mujoco.mj_copyData(now, self.model, self.data)
        mujoco.mj_forward(self.model, now)
        for index, contact in enumerate(now.contact):
            bodies = self.model.geom_bodyid[contact.geom]
            for side in (0, 1):
                if bodies[side] not in figure.role_of_body:
                    continue
                mujoco.mj_contactForce(self.model, now, index, wrench)
                frame = contact.frame.reshape(3, 3)
                force = (frame.T @ wrench[:3]) * (1.0 if side == 1 else -1.0)
                other_geom, other_body = contact.geom[1 - side], bodies[1 - side]
                other = "ground" if self.ground_geoms[other_geom] else self.model.body(other_body).name
                contacts.append(Contact(figure.role_of_body[int(bodies[side])], other, contact.pos.copy(), force,
                                        max(0.0, -contact.dist)))
        return contacts

    def com_height(self, figure: Figure) -> float:
        """Height of the centre of mass above what carries it: the ground below it, or a thing that it stands on."""
        return float(self.data.subtree_com[figure.top, 2]) - self.surfaces.ground_of(figure)

    def fallen(self, figure: Figure, uses: Collection[str] = ()) -> str | None:
        """Why the figure has fallen, or None.

        A fall is: a part other than the feet, or the parts the behavior declares it `uses` (roles), touches the
        ground, or the centre of mass is below half its standing height over what carries it: the ground, or a thing it
        stands or lies on. To touch a thing (a wall, a table, the back of a chair) is none.
        """
        if not figure.soles:
            return None
        if self.com_height(figure) < 0.5 * figure.standing_height:
            return "centre of mass below half its standing height"
        pairs = self.data.contact.geom
        if not len(pairs):
            return None
        forbidden = self._forbidden_geoms(figure, uses)
        first, second = pairs[:, 0], pairs[:, 1]
        touching = (self.ground_geoms[first] & forbidden[second]) | (self.ground_geoms[second] & forbidden[first])
        if not touching.any():
            return None
        pair = pairs[int(np.argmax(touching))]
        part = pair[1] if self.ground_geoms[pair[0]] else pair[0]
        return f"{figure.role_of_body[int(self.model.geom_bodyid[part])]} touches the ground"

    def _forbidden_geoms(self, figure: Figure, uses: Collection[str]) -> np.ndarray:
        """Mask of geoms of the figure that must not touch the ground."""
        key = (figure.top, frozenset(uses))
        if key not in self._forbidden:
            allowed = figure.foot_bodies | {figure.body_id(role) for role in uses}
            self._forbidden[key] = np.isin(self.model.geom_bodyid, [b for b in figure.bodies if b not in allowed])
        return self._forbidden[key]
