"""Ground forces of a Motion: it is replayed in plain MuJoCo, and the contact forces are read as they act.

Ground is all that can carry a part: the terrain, props and other figures, but not thrown balls.

    load = ground_load(motion)
    load.forces                       (rows, nbody, 3), N
    load.pressure_point(bodies)       (rows, 2), m
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.errors import BadInput
from gambol.motion.kinematics import apply_edit, share_of
from gambol.motion.motion import Motion
from gambol.motion.verify import replay_tick
from gambol.world.carriers import carriers, trees
from gambol.world.recorder import STATE

Progress = Callable[[float], None]
CARRIES = 1.0
"""Less than this the ground does not carry, N: the pressure point of a touch says nothing."""


@dataclass(frozen=True)
class GroundLoad:
    """How the ground acts on each body, in the world's axes."""

    forces: np.ndarray
    """(rows, nbody, 3), N: of all its contacts with what is not of its own tree, but thrown balls"""
    lifts: np.ndarray
    """(rows, nbody, 3): horizontal place of each contact that carries times its vertical force, and that force, summed;
    N m and N. What a prop or another figure presses down with is a load and carries nothing"""

    def pressure_point(self, bodies: np.ndarray) -> np.ndarray:
        """Where the ground carries some bodies together, (rows, 2), m; not a number where it does not."""
        upward, moment = self.lifts[:, bodies, 2].sum(axis=1), self.lifts[:, bodies, :2].sum(axis=1)
        return moment / np.where(upward > CARRIES, upward, np.nan)[:, None]


def ground_load(motion: Motion, progress: Progress | None = None) -> GroundLoad:
    """What the ground does to every body.

    A row has the force of the last physics step that led to its state; the first row, of a step about to be made.
    """
    if not motion.simulated:
        raise BadInput("this motion has no controls (a synthesised one?), so it has no ground forces to replay")
    model = mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))  # its own: edits change it
    data = mujoco.MjData(model)
    if len(motion.initial_state) != mujoco.mj_stateSize(model, STATE):
        raise BadInput("the motion's initial state does not fit its model; was it recorded with another MuJoCo?")
    ground = Ground.of(model)
    load = GroundLoad(*(np.zeros((len(motion.time), model.nbody, 3)) for _ in range(2)))
    mujoco.mj_setState(model, data, motion.initial_state, STATE)
    for _, fields in (edit for edit in motion.edits if edit[0] == 0):
        apply_edit(model, fields)
    data.ctrl[:] = motion.ctrl[0]
    mujoco.mj_forward(model, data)
    _add_contacts(model, data, ground, load, 0)
    mujoco.mj_setState(model, data, motion.initial_state, STATE)  # the look ahead must not warm the solver's start
    for tick in range(len(motion.ctrl)):
        # mj_step ends with the new state but the contacts and forces of the step just made: what is wanted here.
        replay_tick(motion, model, data, tick)
        _add_contacts(model, data, ground, load, tick + 1)
        if progress is not None and tick % 64 == 0:
            progress(tick / len(motion.ctrl))
    return load


@dataclass(frozen=True)
class Ground:
    """Which geoms carry what of a model."""

    body: np.ndarray
    """(ngeom,) whose geom it is"""
    tree: np.ndarray
    """(ngeom,) and of which tree that is: 0 for what cannot move, which nothing needs to carry"""
    carries: np.ndarray
    """(ngeom,) mask"""

    @staticmethod
    def of(model: mujoco.MjModel) -> Ground:
        return Ground(model.geom_bodyid, trees(model)[model.geom_bodyid], carriers(model))

    def touches(self, tree: int, pairs: np.ndarray) -> bool:
        """Whether anything of a tree is among pairs of geoms in contact (k, 2), with what carries it."""
        own = self.tree[pairs] == tree
        return bool((own & (~own & self.carries[pairs])[:, ::-1]).any())

    def sides(self, pairs: np.ndarray) -> Iterator[tuple[int, int, int, float]]:
        """Of pairs of geoms in contact (k, 2): which one, who is carried, by whom, and the sign of the force on it."""
        for index in np.flatnonzero(self.tree[pairs[:, 0]] != self.tree[pairs[:, 1]]).tolist():
            first, second = pairs[index].tolist()
            if self.tree[second] and self.carries[first]:
                yield index, second, first, 1.0
            if self.tree[first] and self.carries[second]:
                yield index, first, second, -1.0


def _add_contacts(model: mujoco.MjModel, data: mujoco.MjData, ground: Ground, load: GroundLoad, row: int) -> None:
    """Add what the present contacts with the ground do to a row."""
    places, frames, wrench = data.contact.pos, data.contact.frame, np.zeros(6)
    for index, geom, other, sign in ground.sides(data.contact.geom):
        mujoco.mj_contactForce(model, data, index, wrench)
        # The wrench is in the contact's frame (its rows are the axes) and acts on the second geom.
        force = sign * (frames[index].reshape(3, 3).T @ wrench[:3])
        body = ground.body[geom]
        load.forces[row, body] += force
        if force[2] > 0.0 or not ground.tree[other]:  # what is fixed carries, whichever way it does
            lift = load.lifts[row, body]
            lift[:2] += places[index, :2] * force[2]
            lift[2] += force[2]


def foot_forces(motion: Motion, forces: np.ndarray, figure: int = 0) -> dict[str, np.ndarray]:
    """Foot role -> force on the foot and its toes, (rows, 3)."""
    return {role: forces[:, list(bodies)].sum(axis=1) for role, bodies in share_of(motion, figure).feet.items()}
