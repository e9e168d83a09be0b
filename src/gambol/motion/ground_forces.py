"""Ground forces of a Motion: it is replayed in plain MuJoCo, and the contact forces are read as they act.

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
from gambol.world.recorder import STATE
from gambol.world.terrain import PREFIX

Progress = Callable[[float], None]
CARRIES = 1.0
"""Less than this the ground does not carry, N: the pressure point of a touch says nothing."""


@dataclass(frozen=True)
class GroundLoad:
    """How the ground carries each body, in the world's axes."""

    forces: np.ndarray
    """(rows, nbody, 3), N"""
    moments: np.ndarray
    """(rows, nbody, 2): horizontal place of each contact times its vertical force, summed, N m"""

    def pressure_point(self, bodies: np.ndarray) -> np.ndarray:
        """Where the ground carries some bodies together, (rows, 2), m; not a number where it does not."""
        upward, moment = self.forces[:, bodies, 2].sum(axis=1), self.moments[:, bodies].sum(axis=1)
        return moment / np.where(upward > CARRIES, upward, np.nan)[:, None]


def ground_load(motion: Motion, progress: Progress | None = None) -> GroundLoad:
    """What the ground does to every body.

    A row has the force of the last physics step that led to its state; the first row, of a step about to be made.
    Ground is everything fixed to the world, and every geom whose name says it is terrain.
    """
    if not motion.simulated:
        raise BadInput("this motion has no controls (a synthesised one?), so it has no ground forces to replay")
    model = mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))  # its own: edits change it
    data = mujoco.MjData(model)
    if len(motion.initial_state) != mujoco.mj_stateSize(model, STATE):
        raise BadInput("the motion's initial state does not fit its model; was it recorded with another MuJoCo?")
    ground = np.array([model.body_weldid[model.geom_bodyid[g]] == 0 or model.geom(g).name.startswith(PREFIX)
                       for g in range(model.ngeom)])
    load = GroundLoad(np.zeros((len(motion.time), model.nbody, 3)), np.zeros((len(motion.time), model.nbody, 2)))
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


def _add_contacts(model: mujoco.MjModel, data: mujoco.MjData, ground: np.ndarray, load: GroundLoad, row: int) -> None:
    """Add what the present contacts with the ground (a mask over geoms) do to a row."""
    for body, place, force in _contacts(model, data, ground):
        load.forces[row, body] += force
        load.moments[row, body] += place[:2] * force[2]


def _contacts(model: mujoco.MjModel, data: mujoco.MjData,
              ground: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Body, place and force on the body of each contact with the ground."""
    pairs, wrench = data.contact.geom, np.zeros(6)
    for index in np.flatnonzero(ground[pairs[:, 0]] != ground[pairs[:, 1]]):
        mujoco.mj_contactForce(model, data, index, wrench)
        # The wrench is in the contact's frame (its rows are the axes) and acts on the second geom.
        force = data.contact.frame[index].reshape(3, 3).T @ wrench[:3]
        first, second = pairs[index]
        if ground[first]:
            yield int(model.geom_bodyid[second]), data.contact.pos[index], force
        else:
            yield int(model.geom_bodyid[first]), data.contact.pos[index], -force


def foot_forces(motion: Motion, forces: np.ndarray, figure: int = 0) -> dict[str, np.ndarray]:
    """Foot role -> force on the foot and its toes, (rows, 3)."""
    return {role: forces[:, list(bodies)].sum(axis=1) for role, bodies in share_of(motion, figure).feet.items()}
