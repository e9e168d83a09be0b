"""What touches what, by role; and the one definition of a fall."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.world.figure import Figure
from gambol.world.surfaces import Surfaces


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
        self.ground_geoms = surfaces.ground
        self._scratch = mujoco.MjData(model)
        self._feet: dict[int, np.ndarray] = {}
        """masks of the geoms of a figure's feet, by its topmost body"""
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
        terrain or a thing that carries the figure, or the centre of mass is below half its standing height over that.
        To touch what does not carry it (a table, the back of another chair, somebody else) is none.
        """
        if not figure.soles:
            return None
        ground, carrier = self.surfaces.carrier_of(figure)
        if float(self.data.subtree_com[figure.top, 2]) - ground < 0.5 * figure.standing_height:
            return "centre of mass below half its standing height"
        return self._touched(figure, uses, carrier)

    def touched(self, figure: Figure, uses: Collection[str] = ()) -> str | None:
        """Which part other than the feet and those it `uses` touches the terrain or a thing that carries the figure."""
        return self._touched(figure, uses, self.surfaces.carrier_of(figure)[1])

    def _touched(self, figure: Figure, uses: Collection[str], carrier: int) -> str | None:
        pairs = self.data.contact.geom
        if not len(pairs):
            return None
        forbidden = self._forbidden_geoms(figure, uses)
        first, second = pairs[:, 0], pairs[:, 1]
        carries = self.ground_geoms if self.surfaces.bare else self._carrying(figure, pairs, carrier)
        touching = (carries[first] & forbidden[second]) | (carries[second] & forbidden[first])
        if not touching.any():
            return None
        pair = pairs[int(np.argmax(touching))]
        part, thing = (pair[1], pair[0]) if carries[pair[0]] else pair
        what = "the ground" if self.ground_geoms[thing] else self.model.body(self.model.geom_bodyid[thing]).name
        return f"{figure.role_of_body[int(self.model.geom_bodyid[part])]} touches {what}"

    def _carrying(self, figure: Figure, pairs: np.ndarray, carrier: int) -> np.ndarray:
        """Mask of the geoms of terrain, of the things that its feet touch, and of the thing below it (-1: none)."""
        if figure.top not in self._feet:
            self._feet[figure.top] = np.isin(self.model.geom_bodyid, list(figure.foot_bodies))
        others = pairs[:, ::-1]
        things = others[self._feet[figure.top][pairs] & ~self.ground_geoms[others]]
        if carrier < 0 and not len(things):
            return self.ground_geoms
        things = np.append(things, carrier) if carrier >= 0 else things
        roots = self.model.body_rootid[self.model.geom_bodyid]
        return self.ground_geoms | (np.isin(roots, roots[things]) & ~self.surfaces.alive[self.model.geom_bodyid])

    def _forbidden_geoms(self, figure: Figure, uses: Collection[str]) -> np.ndarray:
        """Mask of geoms of the figure that must not touch the ground."""
        key = (figure.top, frozenset(uses))
        if key not in self._forbidden:
            allowed = figure.foot_bodies | {figure.body_id(role) for role in uses}
            self._forbidden[key] = np.isin(self.model.geom_bodyid, [b for b in figure.bodies if b not in allowed])
        return self._forbidden[key]
