"""Helpers: a figure held still in a pose in which some of its patches rest on benches and on the floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np

from gambol.bodies import make_character
from gambol.control.contact.cones import RAYS
from gambol.control.contact.objectives import hold_contacts
from gambol.control.contact.patches import patch_states
from gambol.control.contact.support import SupportPoints, support_points
from gambol.control.objectives import Objective, setpoint
from gambol.control.problem import WholeBodyProblem
from gambol.control.solvers import PrioritizedSolver
from gambol.features import Kinematics, Pose
from gambol.world.figure import Figure
from gambol.world.world import World

LIFT = 0.6
"""Height of the highest bench, m: limbs that hang over its edge stay off the floor."""


@dataclass(frozen=True)
class Bench:
    """A box that does not move."""

    name: str
    low: tuple[float, ...]
    high: tuple[float, ...]

    def build(self, spec: mujoco.MjSpec) -> None:
        low, high = np.array(self.low), np.array(self.high)
        body = spec.worldbody.add_body(name=self.name, pos=list((low + high) / 2))
        body.add_geom(name=f"{self.name}/box", type=mujoco.mjtGeom.mjGEOM_BOX, size=list((high - low) / 2))


@dataclass(frozen=True)
class Rest:
    """A pose, and which patches lie on a bench each group; the rest of the named ones are on the floor."""

    benches: Sequence[Sequence[str]]
    floor: Sequence[str] = ()
    pitch: float = 0.0
    angles: Mapping[str, float] = field(default_factory=dict)
    """degrees; a joint of both sides without its side"""
    character: str = "human44"

    @property
    def roles(self) -> tuple[str, ...]:
        return (*(role for bench in self.benches for role in bench), *self.floor)


def settled(rest: Rest, margin: float = 0.02) -> World:
    """A world in which the figure lies as told, by a hair in its supports."""
    bare = World(make_character(rest.character))
    _pose(bare, rest, 0.0)
    ground = min((_places(bare.figure, role)[:, 2].min() for role in rest.floor),
                 default=min(_places(bare.figure, role)[:, 2].min() for role in rest.roles) - LIFT)
    benches = []
    for k, group in enumerate(rest.benches):
        points = np.concatenate([_places(bare.figure, role) for role in group])
        low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
        benches.append(Bench(f"bench{k}", (*low[:2], 0.0), (*high[:2], float(points[:, 2].min() - ground))))
    world = World(make_character(rest.character), "flat", benches)
    _pose(world, rest, -ground - 2e-4)
    return world


def _pose(world: World, rest: Rest, height: float) -> None:
    """Put the figure there: its start, in a test."""
    figure, data = world.figure, world.data
    data.qpos[figure.joint_qpos], data.qvel[:] = figure.rest, 0.0
    for name, angle in rest.angles.items():
        for joint in (name, f"left_{name}", f"right_{name}"):
            if joint in figure.joint_names:
                data.qpos[figure.joint_qpos[figure.joint_names.index(joint)]] = np.radians(angle)
    data.qpos[:3] = 0.0, 0.0, height
    data.qpos[3:7] = np.cos(np.radians(rest.pitch) / 2), 0.0, np.sin(np.radians(rest.pitch) / 2), 0.0
    mujoco.mj_forward(world.model, data)


def _places(figure: Figure, role: str) -> np.ndarray:
    patch, place, turn = figure.patches[role], figure.data.xpos, figure.data.xmat
    return np.array([place[body] + turn[body].reshape(3, 3) @ point
                     for body, point in zip(patch.bodies, patch.places, strict=True)])


class Still:
    """Stays where it is, by the whole-body problem, on whatever of some patches touches."""

    def __init__(self, world: World, roles: Sequence[str]) -> None:
        self.world, self.figure, self.kinematics = world, world.figure, Kinematics(world.figure)
        self.patches, self.pose = world.figure.patch_set(tuple(roles)), Pose(world.figure)
        self.angles, self.com, self.solver = world.figure.angles, world.figure.com, PrioritizedSolver()
        self.support: SupportPoints
        self.problem: WholeBodyProblem

    def act(self) -> np.ndarray:
        kinematics = self.kinematics.refresh()
        states = patch_states(kinematics, self.world.surfaces, self.patches)
        self.support = support_points(states, [state.near for state in states])
        pull = 50.0 * (self.com - kinematics.com) - 14.0 * kinematics.com_velocity
        objectives = [hold_contacts(self.support),
                      Objective("com", 2, kinematics.com_jacobian, pull - kinematics.com_bias),
                      setpoint(self.pose, self.pose.at(kinematics), self.angles, 3, kp=100.0, kv=20.0)]
        self.problem = WholeBodyProblem(kinematics, self.support, objectives)
        return self.solver.torques(self.problem)

    def planned(self) -> dict[str, np.ndarray]:
        """Patch -> the force that the last tick counted on, N."""
        return planned_forces(self.problem, self.support)


def planned_forces(problem: WholeBodyProblem, support: SupportPoints) -> dict[str, np.ndarray]:
    """Role of a patch -> the force on it in a problem's solution, N."""
    assert problem.solution is not None
    along = problem.solution[:len(support.rays) * RAYS].reshape(-1, RAYS, 1)
    forces, begin = (along * support.rays).sum(axis=1), 0
    found = {}
    for state, mask in support.held:
        end = begin + int(state.near[mask].sum())
        found[state.role] = forces[begin:end].sum(axis=0)
        begin = end
    return found


def real_forces(world: World, roles: Sequence[str]) -> dict[str, np.ndarray]:
    """The same as MuJoCo had it in the last step: the force on the pads of a patch, or on all of a foot."""
    figure, model, wrench = world.figure, world.model, np.zeros(6)
    owner = {geom: role for role in roles for geom in range(model.ngeom)
             if model.geom(geom).name.startswith(f"{figure.prefix}{role}_pad_")
             or (role in figure.anatomy.feet and model.geom_bodyid[geom] in figure.feet[role])}
    found = {role: np.zeros(3) for role in roles}
    for index, contact in enumerate(world.data.contact):
        for side in (0, 1):
            if int(contact.geom[side]) in owner:
                mujoco.mj_contactForce(model, world.data, index, wrench)
                force = contact.frame.reshape(3, 3).T @ wrench[:3]
                found[owner[int(contact.geom[side])]] += (1.0 if side else -1.0) * force
    return found


def touching(world: World) -> set[str]:
    """Names of the figure's geoms that touch something; of one without a name its body's."""
    model, geoms = world.model, {int(geom) for contact in world.data.contact for geom in contact.geom}
    return {(model.geom(geom).name or model.body(model.geom_bodyid[geom]).name).removeprefix(world.figure.prefix)
            for geom in geoms if model.geom_bodyid[geom] in world.figure.bodies}
