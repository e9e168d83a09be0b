"""Planar examples of [delasa2011, chapter 3]: the method alone, integrated as it is there.

These are analyses of the method, not takes: torques come from Algorithm 1, without limits; the equations of motion are
advanced by explicit Euler at 1 kHz [delasa2011, eq. 3.6] with bilateral contacts. MuJoCo gives the mass matrix, bias
forces and Jacobians, and nothing of its contacts or integrators is used.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from gambol.bodies import make_character
from gambol.control.objectives import Objective
from gambol.control.qp.priorities import Level, prioritized_least_squares
from gambol.features import CenterOfMass, Kinematics
from gambol.motion.motion import Motion
from gambol.world.figure import Figure
from gambol.world.world import World

STEP = 1e-3
PLANE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
"""The directions x and z."""
BLOWN_UP = 1e3
"""A run with rates beyond this has failed, rad/s."""


class Rig:
    """A planar character with a state of its own, outside any World."""

    def __init__(self, name: str, qpos: np.ndarray | None = None) -> None:
        self._world = World(make_character(name))
        self.model = self._world.model
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.data = mujoco.MjData(self.model)
        if qpos is not None:
            self.data.qpos[:] = qpos
        self.figure = Figure(self._world.characters[0], self._world.scene.prefixes[0], self.model, self.data)
        self.kinematics = Kinematics(self.figure)
        self.com = CenterOfMass(PLANE)
        self.update()

    @property
    def nv(self) -> int:
        return self.figure.nv

    def update(self) -> None:
        """Bring everything computed to the present state."""
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_fwdVelocity(self.model, self.data)
        self.kinematics.refresh()

    def advance(self, acceleration: np.ndarray) -> None:
        """Explicit Euler, both from the old state [delasa2011, eq. 3.6]."""
        self.data.qpos += self.data.qvel * STEP
        self.data.qvel += acceleration * STEP
        self.update()

    def motion(self, times: np.ndarray, qpos: np.ndarray) -> Motion:
        """For pictures: positions over time, without controls."""
        return replace(Motion.from_world(self._world), time=times, qpos=qpos, qvel=np.zeros((len(times), self.nv)),
                       ctrl=np.zeros((0, 0)))


def on_accelerations(objective: Objective, count: int, rows: slice = slice(None)) -> Level:
    """An objective on qacc as a level in `x = [tau; qacc; f]` of `count` unknowns."""
    A = np.zeros((len(objective.rows[rows]), count))
    nv = objective.rows.shape[1]
    A[:, nv:2 * nv] = objective.rows[rows]
    return A, objective.target[rows]


@dataclass(frozen=True)
class Trace:
    """What happened, a row a step."""

    time: np.ndarray
    qpos: np.ndarray
    com: np.ndarray
    """(n, 2), x and z"""
    reference: np.ndarray
    residuals: np.ndarray
    """(n, levels)"""
    torques: np.ndarray
    """(n, nv)"""
    extra: np.ndarray
    """(n, k), whatever the example watches"""
    finished: bool
    solve_time: float
    """seconds of one solution, on average"""

    @property
    def com_error(self) -> np.ndarray:
        """(n,), m; only along what the reference says (NaN elsewhere)."""
        return np.sqrt(np.nansum((self.com - self.reference) ** 2, axis=1))


@dataclass(frozen=True)
class Plan:
    """One step of an example: its levels, top first, the reference of the COM and what to watch."""

    levels: Sequence[Level]
    reference: np.ndarray
    force_rows: np.ndarray | None = None
    """Jacobian of the contact points, (c, nv); their forces are the last c unknowns"""
    extra: Sequence[float] = ()


def play(rig: Rig, seconds: float, plan_at: Callable[[float], Plan],
         solve: Callable[[Sequence[Level]], np.ndarray] = prioritized_least_squares,
         tell: Callable[[float], None] = lambda share: None) -> Trace:
    """Run an example. The accelerations are those that the found torques and forces cause."""
    rows: list[tuple[np.ndarray, ...]] = []
    steps, spent, finished = round(seconds / STEP), 0.0, True
    for k in range(steps):
        plan = plan_at(k * STEP)
        begin = time.perf_counter()
        x = solve(plan.levels)
        spent += time.perf_counter() - begin
        force = x[:rig.nv] - rig.kinematics.bias_force
        if plan.force_rows is not None:
            force += plan.force_rows.T @ x[2 * rig.nv:]
        rows.append((rig.data.qpos.copy(), PLANE @ rig.kinematics.com, plan.reference,
                     np.array([np.linalg.norm(A @ x - b) for A, b in plan.levels]), x[:rig.nv],
                     np.array(plan.extra, dtype=float)))
        rig.advance(np.linalg.solve(rig.kinematics.mass_matrix, force))
        if not np.abs(rig.data.qvel).max() < BLOWN_UP:
            finished = False
            break
        if k % 200 == 0:
            tell(k / steps)
    qpos, com, reference, residuals, torques, extra = (np.array(column) for column in zip(*rows, strict=True))
    return Trace(np.arange(len(rows)) * STEP, qpos, com, reference, residuals, torques, extra, finished,
                 spent / len(rows))
