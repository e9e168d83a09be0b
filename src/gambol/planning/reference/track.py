"""What a series of poses amounts to: COM, momentum, turns of parts, places of patches, by row."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline

from gambol.planning.reference.poser import Poser
from gambol.planning.reference.series import rates, smooth
from gambol.rotations import continuous, unit

BLUR = 0.025
"""s, of the Gaussian that takes the noise out of fitted poses."""
CALM = 0.02
"""s, of the one that takes it out of accelerations."""


@dataclass(frozen=True)
class Tracked:
    """Rows of poses of one character, n of them."""

    qpos: np.ndarray
    qvel: np.ndarray
    com: np.ndarray
    """(n, 3) m"""
    momentum: np.ndarray
    """(n, 3) about the COM, kg m2/s"""
    turns: np.ndarray
    """(n, parts, 3, 3)"""
    spins: np.ndarray
    """(n, parts, 3) rad/s, world axes"""
    places: np.ndarray
    """(n, patches, 3) m, of the origins of their bodies"""
    points: tuple[np.ndarray, ...]
    """of each patch (n, k, 3) m"""
    directions: np.ndarray
    """(n, limbs, 3)"""


def resample(poser: Poser, poses: np.ndarray, rate: float, times: np.ndarray, blur: float = BLUR) -> np.ndarray:
    """Poses (m, nq) at `rate`, smoothly at other times (n, nq)."""
    model, poses = poser.model, poses.copy()
    quaternions = [int(model.jnt_qposadr[j]) + 3 * (model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE)
                   for j in range(model.njnt)
                   if model.jnt_type[j] in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL)]
    for at in quaternions:
        poses[:, at:at + 4] = continuous(poses[:, at:at + 4])
    found = CubicSpline(np.arange(len(poses)) / rate, poses)(times)
    if blur:
        found = smooth(found, blur, 1.0 / (times[1] - times[0]))
    for at in quaternions:
        found[:, at:at + 4] = unit(found[:, at:at + 4])
    return np.asarray(found)


def velocities(poser: Poser, poses: np.ndarray, rate: float) -> np.ndarray:
    """Central differences of poses, (n, nv)."""
    n, found = len(poses), np.zeros((len(poses), poser.model.nv))
    for row in range(n):
        a, b = max(row - 1, 0), min(row + 1, n - 1)
        mujoco.mj_differentiatePos(poser.model, found[row], (b - a) / rate, poses[a], poses[b])
    return found


def tracked(poser: Poser, poses: np.ndarray, rate: float, patches: tuple[str, ...], limbs: tuple[str, ...]) -> Tracked:
    """Measure poses (n, nq) that are `1 / rate` s apart."""
    model, data, n = poser.model, poser.data, len(poses)
    qvel, top = velocities(poser, poses, rate), poser.index.top
    parts = np.array([poser.roles[role] for role in poser.parts], dtype=int)
    figure = [poser.index.patches[role] for role in patches]
    bodies = np.array([patch.body for patch in figure], dtype=int)
    com, momentum = np.zeros((n, 3)), np.zeros((n, 3))
    turns, spins = np.zeros((n, len(parts), 3, 3)), np.zeros((n, len(parts), 3))
    places, directions = np.zeros((n, len(bodies), 3)), np.zeros((n, len(limbs), 3))
    points = tuple(np.zeros((n, len(patch.places), 3)) for patch in figure)
    for row in range(n):
        data.qvel[:] = qvel[row]
        poser.put(poses[row])
        mujoco.mj_comVel(model, data)
        mujoco.mj_subtreeVel(model, data)
        com[row], momentum[row] = data.subtree_com[top], data.subtree_angmom[top]
        turns[row], spins[row] = data.xmat[parts].reshape(-1, 3, 3), data.cvel[parts, :3]
        places[row] = data.xpos[bodies]
        for own, patch in zip(points, figure, strict=True):
            own[row] = data.xpos[patch.bodies] + (data.xmat[patch.bodies].reshape(-1, 3, 3)
                                                  @ patch.places[:, :, None])[..., 0]
        if limbs:
            pointing = poser.limb_directions()
            directions[row] = [pointing[role] for role in limbs]
    return Tracked(poses, qvel, com, momentum, turns, spins, places, points, directions)


def calm_rates(values: np.ndarray, rate: float) -> np.ndarray:
    """Derivative without the noise of differentiation."""
    return smooth(rates(values, rate), CALM, rate)
