"""Props: movable things in a scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import mujoco
import numpy as np


class Prop(Protocol):
    """Something that adds itself to a scene."""

    @property
    def name(self) -> str: ...

    def build(self, spec: mujoco.MjSpec) -> None:
        """Add bodies and geoms; all names start with the prop's name."""


@runtime_checkable
class MovingProp(Prop, Protocol):
    """A prop that moves by itself, through its own actuators, so that a recording's `ctrl` replays it."""

    def place(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Put it where it is at time zero (called once, at reset)."""

    def controls(self, time: float) -> np.ndarray:
        """Values for its actuators, in the order in which `build` added them."""


@dataclass(frozen=True)
class Projectile:
    """A ball that waits out of sight, on a tee under the ground, until it is thrown."""

    index: int
    mass: float = 3.0
    radius: float = 0.1

    @property
    def name(self) -> str:
        return f"ball{self.index + 1}"

    def build(self, spec: mujoco.MjSpec) -> None:
        x = 1.0 * self.index
        spec.worldbody.add_geom(name=f"{self.name}_tee", type=mujoco.mjtGeom.mjGEOM_BOX, pos=[x, 0, -30.1],
                                size=[0.3, 0.3, 0.1])
        body = spec.worldbody.add_body(name=self.name, pos=[x, 0, -30 + self.radius])
        body.add_freejoint(name=self.name)
        body.add_geom(name=self.name, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[self.radius, 0, 0], mass=self.mass,
                      rgba=[0.85, 0.25, 0.2, 1], condim=4, friction=[0.8, 0.01, 0.001])

    def edit(self, model: mujoco.MjModel, mass: float, radius: float) -> dict[str, np.ndarray]:
        """Fields of the model for another mass and size of this ball."""
        body, geom = model.body(self.name).id, model.geom(self.name).id
        if model.body_mass[body] == mass and model.geom_size[geom, 0] == radius:
            return {}
        fields = {name: getattr(model, name).copy()
                  for name in ("body_mass", "body_subtreemass", "body_inertia", "body_invweight0", "dof_invweight0",
                               "dof_M0", "geom_size", "geom_rbound", "geom_aabb")}
        inertia = 0.4 * mass * radius**2
        dof = model.body_dofadr[body]
        fields["body_subtreemass"][0] += mass - fields["body_mass"][body]
        fields["body_mass"][body] = fields["body_subtreemass"][body] = mass
        fields["body_inertia"][body] = inertia
        fields["body_invweight0"][body] = 1 / mass, 1 / inertia
        fields["dof_M0"][dof:dof + 6] = [mass] * 3 + [inertia] * 3
        fields["dof_invweight0"][dof:dof + 6] = [1 / mass] * 3 + [1 / inertia] * 3
        fields["geom_size"][geom, 0] = fields["geom_rbound"][geom] = radius
        fields["geom_aabb"][geom, 3:] = radius
        return fields
