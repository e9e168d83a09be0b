"""How strong each joint of a foreign model is, whatever drives it.

Every transmission (joint, tendon, crank, muscle path) has a moment arm about every joint: MuJoCo's actuator moment.
The largest force of the actuator times that arm is the torque it can give, so one formula serves them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.bodies.body_tree import angle_joints
from gambol.units import GRAVITY

POSES = 8
"""Poses in which moment arms are measured; those of joints and fixed tendons are the same in all."""


@dataclass(frozen=True)
class Strengths:
    """Largest torque of each actuated degree of freedom (N m, or N for a slide)."""

    limit: np.ndarray
    """(nv,), 0 where nothing drives it"""
    notes: list[str]


def measure_strengths(model: mujoco.MjModel) -> Strengths:
    """Torque limits of all degrees of freedom of a model as its author wrote it."""
    notes: list[str] = []
    up, down = np.zeros(model.nv), np.zeros(model.nv)
    moments = actuator_moments(model)
    guessed: dict[str, list[str]] = {}
    for actuator in range(model.nu):
        arms = moments[actuator]
        if not np.abs(arms).max(initial=0.0) > 0:
            continue
        name = model.actuator(actuator).name or f"#{actuator}"
        force, how = force_range(model, actuator)
        if force is None:
            torque = np.where(np.abs(arms) > 0, default_strengths(model), 0.0)
            up, down = np.maximum(up, torque), np.maximum(down, torque)
        else:
            both = np.outer(force, arms)
            up += np.maximum(both, 0).max(axis=0)
            down += np.maximum(-both, 0).max(axis=0)
        if how:
            guessed.setdefault(how, []).append(name)
    notes += [f"strength of {_several(names)} guessed {how}" for how, names in guessed.items()]
    limit = np.maximum(up, down)
    for joint in np.flatnonzero(model.jnt_actfrclimited):
        dofs = _dofs(model, int(joint))
        limit[dofs] = np.minimum(limit[dofs], np.abs(model.jnt_actfrcrange[joint]).max())
    free = np.isin(model.dof_jntid, np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE))
    if (limit[free] > 0).any():
        notes.append("dropped the actuators on the free joint: only joints inside the body are driven")
    limit[free] = 0.0
    dropped = [model.actuator(a).name for a in range(model.nu)
               if model.actuator_trntype[a] == mujoco.mjtTrn.mjTRN_BODY]
    if dropped:
        notes.append(f"dropped {_several(dropped)} (adhesion): feet do not stick")
    return Strengths(limit, notes)


def _several(names: list[str]) -> str:
    return f"{names[0]}" if len(names) == 1 else f"{len(names)} actuators ({names[0]}, ...)"


def actuator_moments(model: mujoco.MjModel) -> np.ndarray:
    """Largest moment arm, with its sign, of each actuator about each degree of freedom; (nu, nv)."""
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    best = np.zeros((model.nu, model.nv))
    spread = model.nu > 0 and np.isin(model.actuator_trntype, (mujoco.mjtTrn.mjTRN_TENDON, mujoco.mjtTrn.mjTRN_SITE,
                                                               mujoco.mjtTrn.mjTRN_SLIDERCRANK)).any()
    for k in range(POSES if spread else 1):
        data.qpos[:] = model.qpos0 if k == 0 else _random_pose(model, rng)
        mujoco.mj_fwdPosition(model, data)
        moment = np.zeros((model.nu, model.nv))
        if model.nu:
            mujoco.mju_sparse2dense(moment, data.actuator_moment, data.moment_rownnz, data.moment_rowadr,
                                    data.moment_colind)
        best = np.where(np.abs(moment) > np.abs(best), moment, best)
    best[np.isin(model.actuator_trntype, (mujoco.mjtTrn.mjTRN_BODY,))] = 0.0
    best[np.abs(best) < 1e-9] = 0.0
    return best


def _random_pose(model: mujoco.MjModel, rng: np.random.Generator) -> np.ndarray:
    qpos = model.qpos0.copy()
    for joint in angle_joints(model):
        low, high = model.jnt_range[joint] if model.jnt_limited[joint] else (-0.5, 0.5)
        qpos[model.jnt_qposadr[joint]] = rng.uniform(low, high)
    return qpos


def force_range(model: mujoco.MjModel, actuator: int) -> tuple[np.ndarray | None, str]:
    """Least and largest force of an actuator, and how it was guessed ('' where the file says it).

    None where the file gives no way to tell.
    """
    control = model.actuator_ctrlrange[actuator] if model.actuator_ctrllimited[actuator] else None
    gain, bias = model.actuator_gainprm[actuator], model.actuator_biasprm[actuator]
    stated = model.actuator_forcerange[actuator].copy() if model.actuator_forcelimited[actuator] else None
    force, how = _force(model, actuator, control, gain, bias)
    if stated is None:
        return force, how
    if force is None or how:
        return stated, ""
    return np.clip(force, *stated), ""


def _force(model: mujoco.MjModel, actuator: int, control: np.ndarray | None, gain: np.ndarray,
           bias: np.ndarray) -> tuple[np.ndarray | None, str]:
    kind, bias_kind = model.actuator_gaintype[actuator], model.actuator_biastype[actuator]
    if kind == mujoco.mjtGain.mjGAIN_MUSCLE:
        peak = gain[2] if gain[2] > 0 else gain[3] / max(model.actuator_acc0[actuator], 1e-9)
        return np.array([-peak, 0.0]), "from the muscle's peak force and moment arm"
    if kind != mujoco.mjtGain.mjGAIN_FIXED:
        return None, "by body weight (the file gives no limit)"
    if bias_kind == mujoco.mjtBias.mjBIAS_NONE:
        if control is None:
            return None, "by body weight (the file gives no limit)"
        return gain[0] * control, ""
    if bias[1] != 0:  # a position servo: the force of an error of half its range
        half = _half_range(model, actuator, control)
        if half is not None:
            return abs(gain[0]) * half * np.array([-1.0, 1.0]), "from the servo: stiffness times half its range"
    elif bias[2] != 0 and control is not None:
        return abs(gain[0]) * np.abs(control).max() * np.array([-1.0, 1.0]), "from the velocity servo: gain times range"
    return None, "by body weight (the file gives no limit)"


def _half_range(model: mujoco.MjModel, actuator: int, control: np.ndarray | None) -> float | None:
    if model.actuator_actlimited[actuator]:
        control = model.actuator_actrange[actuator]
    if control is not None and control[1] > control[0]:
        return float(control[1] - control[0]) / 2
    if model.actuator_trntype[actuator] == mujoco.mjtTrn.mjTRN_JOINT:
        joint = model.actuator_trnid[actuator, 0]
        if model.jnt_limited[joint]:
            return float(np.ptp(model.jnt_range[joint])) / 2 * abs(model.actuator_gear[actuator, 0])
    return None


def default_strengths(model: mujoco.MjModel) -> np.ndarray:
    """A strength for each degree of freedom when the file gives none: hold the limb's weight out, twice over.

    A limb may have to carry the body too, so at least a third of its weight acts at the limb's reach.
    """
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    limit = np.zeros(model.nv)
    for dof in range(model.nv):
        joint, body = model.dof_jntid[dof], model.dof_bodyid[dof]
        below = [b for b in range(body, model.nbody) if _is_below(model, b, body)]
        reach = max(float(np.linalg.norm(data.xipos[b] - data.xanchor[joint])) for b in below)
        total = model.body_subtreemass[model.body_rootid[body]]
        load = max(2 * model.body_subtreemass[body], total / 3)
        slide = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE
        limit[dof] = GRAVITY * load * (1.0 if slide else max(reach, 1e-3))
    return limit


def _is_below(model: mujoco.MjModel, body: int, ancestor: int) -> bool:
    while body > ancestor:
        body = model.body_parentid[body]
    return bool(body == ancestor)


def _dofs(model: mujoco.MjModel, joint: int) -> slice:
    width = {0: 6, 1: 3}.get(int(model.jnt_type[joint]), 1)
    start = int(model.jnt_dofadr[joint])
    return slice(start, start + width)


def joint_strengths(model: mujoco.MjModel, limit: np.ndarray) -> dict[str, float]:
    """Joint name -> strength of the driven ones; a ball joint's three hinges are named as `extract` splits them."""
    strengths: dict[str, float] = {}
    for joint in range(model.njnt):
        name, dofs = model.joint(joint).name, _dofs(model, joint)
        kind = model.jnt_type[joint]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            continue
        names = [f"{name}_{axis}" for axis in "xyz"] if kind == mujoco.mjtJoint.mjJNT_BALL else [name]
        strengths |= {n: float(value) for n, value in zip(names, limit[dofs], strict=True) if value > 0}
    return strengths
