"""A Motion of the same character as a Reference: a simulated take, or a plan of synthesis, as it is.

Nothing is projected here: a simulated take has a pressure point inside its soles because it was simulated, a plan
nearly so. Contacts are read off the soles: near the ground and slow. A plan says itself what carries load, and may skim
the ground besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.errors import BadInput
from gambol.motion.kinematics import Share, share_of
from gambol.motion.motion import Motion
from gambol.motion.reference import RATE, Reference
from gambol.planning.reference.series import rates, smooth, tidied
from gambol.units import GRAVITY
from gambol.world.figure import Figure
from gambol.world.terrains import make_terrain

POSE_WIDTH, COM_WIDTH, RATE_WIDTH = 0.012, 0.03, 0.02
"""Widths of the filters of poses, of the COM, and of second differences, s."""
NEAR, SLOW = 0.015, 0.35
"""An end of a sole lower than this (m over the ground) and slower than this (m/s) is down in a take."""
LOADED, PLAN_NEAR = 0.02, 0.05
"""A plan holds a foot that carries more than this share of the weight, its ends if they are lower than this, m."""
SAME_BODY = 1e-3
"""Bodies whose joints are at the same places but for this are one, m."""
SHORTEST = 0.05
"""Gaps between contacts, and contacts, that are shorter than this are none, s."""
MOST_SHIFT = 0.08
"""Most that planned turning may move the pressure point, m: beyond that it is noise of differences."""
LEAST_FORCE = 3.0
"""The ground's pull on the pressure point is not divided by less than this, m/s2: in flight there is none."""
PARTS = ("root", "trunk", "head")


@dataclass(frozen=True)
class _Rows:
    """What forward kinematics finds along the rows."""

    com: np.ndarray
    momentum: np.ndarray
    turns: np.ndarray
    spins: np.ndarray
    places: np.ndarray
    ends: np.ndarray
    """(n, patches, 2, 3) middles of heel and toe points"""


def reference_of_take(motion: Motion, figure: Figure, name: str = "the motion") -> Reference:
    """What a figure of this character did, the first of the Motion, as something to follow."""
    qpos = _own_rows(motion, figure, name)
    for axis in range(3, 7):
        qpos[:, axis] = smooth(qpos[:, axis], POSE_WIDTH, RATE)
    qpos[:, :3], qpos[:, 7:] = smooth(qpos[:, :3], POSE_WIDTH, RATE), smooth(qpos[:, 7:], POSE_WIDTH, RATE)
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    model, data = figure.model, mujoco.MjData(figure.model)
    full = np.tile(model.qpos0, (len(qpos), 1))
    full[:, _places(figure)] = qpos
    qvel = _velocities(model, full)
    parts = (*(role for role in PARTS if figure.has(role)), *(sole.role for sole in figure.soles))
    rows = _measured(figure, data, full, qvel, parts)
    com = smooth(rows.com, COM_WIDTH, RATE)
    velocity = rates(com, RATE)
    acceleration, speeds = smooth(rates(velocity, RATE), RATE_WIDTH, RATE), rates(rows.places, RATE)
    force = np.maximum(GRAVITY + acceleration[:, 2:], LEAST_FORCE)
    turning = smooth(rates(rows.momentum, RATE), RATE_WIDTH, RATE)
    shift = np.stack([-turning[:, 1], turning[:, 0]], axis=1) / (figure.mass * force)
    return Reference(
        name=name, character=motion.figures[0].character, qpos=qpos, qvel=qvel[:, figure.dofs], com=com,
        com_velocity=velocity, com_acceleration=acceleration, momentum=rows.momentum,
        pressure_shift=np.clip(shift, -MOST_SHIFT, MOST_SHIFT), parts=parts, turns=rows.turns, spins=rows.spins,
        spin_rates=smooth(rates(rows.spins, RATE), RATE_WIDTH, RATE),
        patches=tuple(sole.role for sole in figure.soles), touching=_contacts(motion, figure, rows.ends),
        places=rows.places, speeds=speeds, accelerations=smooth(rates(speeds, RATE), RATE_WIDTH, RATE))


def _own_rows(motion: Motion, figure: Figure, name: str) -> np.ndarray:
    """(n, nq) of the figure alone at the rate of a Reference; BadInput if the Motion is of another body."""
    if not motion.figures:
        raise BadInput(f"{name} has no figure to follow")
    if motion.seconds < 2.0 / RATE:
        raise BadInput(f"{name} is too short to be followed: it lasts {motion.seconds:g} s")
    share = share_of(motion)
    there = {motion.model.joint(int(j)).name.removeprefix(share.prefix): int(j) for j in share.joints}
    here = [figure.model.joint(int(j)).name.removeprefix(figure.prefix) for j in figure.joints]
    if odd := sorted(set(here) ^ set(there)):
        raise BadInput(f"{name} is of another body ({motion.figures[0].character!r}): {figure.character.name!r} has "
                       f"{len(here)} joints, who was recorded {len(there)}, and only one of them has {odd[0]!r}")
    apart = _apart(motion, share, figure)
    if apart > SAME_BODY:
        raise BadInput(f"{name} is of another body ({motion.figures[0].character!r}): lengths of "
                       f"{figure.character.name!r} differ from it by up to {apart:.2g} m")
    if not figure.floating:
        raise BadInput(f"{figure.character.name!r} is held by the world; only bodies with a free root follow a motion")
    times = np.arange(int(motion.seconds * RATE + 1e-6) + 1) / RATE
    rows = motion.sample(motion.time[0] + times)
    return np.concatenate([rows[:, _of_joint(motion.model, there[key])] for key in here], axis=1)


def _apart(motion: Motion, share: Share, figure: Figure) -> float:
    """Largest difference between the lengths of the bodies that have a joint, the root left out, m."""
    lengths: dict[str, list[np.ndarray]] = {}
    for model, index in ((motion.model, share), (figure.model, figure)):
        for joint in index.joints[1:]:
            name, body = model.joint(int(joint)).name.removeprefix(index.prefix), int(model.jnt_bodyid[joint])
            lengths.setdefault(name, []).append(model.body_pos[body])
    return max((float(np.linalg.norm(first - second)) for first, second in lengths.values()), default=0.0)


def _places(figure: Figure) -> np.ndarray:
    """Where the figure's joints are in `qpos`, in their order."""
    return np.concatenate([_of_joint(figure.model, int(joint)) for joint in figure.joints])


def _of_joint(model: mujoco.MjModel, joint: int) -> np.ndarray:
    wide = {mujoco.mjtJoint.mjJNT_FREE: 7, mujoco.mjtJoint.mjJNT_BALL: 4}.get(mujoco.mjtJoint(model.jnt_type[joint]), 1)
    first = int(model.jnt_qposadr[joint])
    return np.arange(first, first + wide)


def _velocities(model: mujoco.MjModel, qpos: np.ndarray) -> np.ndarray:
    """Central differences of rows, one-sided at the ends."""
    qvel, last = np.zeros((len(qpos), model.nv)), len(qpos) - 1
    for row in range(len(qpos)):
        before, after = max(row - 1, 0), min(row + 1, last)
        mujoco.mj_differentiatePos(model, qvel[row], (after - before) / RATE, qpos[before], qpos[after])
    return qvel


def _measured(figure: Figure, data: mujoco.MjData, qpos: np.ndarray, qvel: np.ndarray,
              parts: Sequence[str]) -> _Rows:
    model, n, top = figure.model, len(qpos), figure.top
    bodies, feet = [figure.body_id(role) for role in parts], [sole.body for sole in figure.soles]
    ends = [np.array([sole.points[sole.heel].mean(axis=0), sole.points[sole.toe].mean(axis=0)])
            for sole in figure.soles]
    rows = _Rows(np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, len(bodies), 3, 3)), np.zeros((n, len(bodies), 3)),
                 np.zeros((n, len(feet), 3)), np.zeros((n, len(feet), 2, 3)))
    for row in range(n):
        data.qpos[:], data.qvel[:] = qpos[row], qvel[row]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_subtreeVel(model, data)
        rows.com[row], rows.momentum[row] = data.subtree_com[top], data.subtree_angmom[top]
        rows.turns[row], rows.spins[row] = data.xmat[bodies].reshape(-1, 3, 3), data.cvel[bodies, :3]
        rows.places[row] = data.xpos[feet]
        rows.ends[row] = [data.xpos[foot] + end @ data.xmat[foot].reshape(3, 3).T
                          for foot, end in zip(feet, ends, strict=True)]
    return rows


def _contacts(motion: Motion, figure: Figure, ends: np.ndarray) -> np.ndarray:
    """(n, patches, 2) whether heel and toe are down."""
    terrain = make_terrain(motion.meta.get("terrain", "flat"))
    height = ends[..., 2] - np.asarray(terrain.height(ends[..., 0].ravel(), ends[..., 1].ravel())
                                       ).reshape(ends.shape[:-1])
    load = _planned_load(motion, figure, len(ends))
    if load is None:
        speed = np.linalg.norm(rates(smooth(ends, POSE_WIDTH, RATE), RATE), axis=-1)
        down = (height < NEAR) & (speed < SLOW)
    else:
        near = height < PLAN_NEAR
        near |= ~near.any(axis=2, keepdims=True) & (height <= height.min(axis=2, keepdims=True) + 0.01)
        down = near & (load > LOADED)[..., None]
    for patch in range(down.shape[1]):
        for end in (0, 1):
            down[:, patch, end] = tidied(down[:, patch, end], round(SHORTEST * RATE))
    return down


def _planned_load(motion: Motion, figure: Figure, count: int) -> np.ndarray | None:
    """(n, patches) shares of the weight that a plan gives to the feet; None if the Motion is no plan."""
    load, names = motion.extra.get("contact_load"), list(motion.meta.get("contacts", []))
    if load is None or any(sole.role not in names for sole in figure.soles):
        return None
    times = motion.time[0] + np.arange(count) / RATE
    return np.stack([np.interp(times, motion.time, load[:, names.index(sole.role)]) for sole in figure.soles], axis=1)
