"""The actuators of a file as they are: those of joints are put back on the finished tree, with gains and limits.

What does not act on one joint by a motor's or a servo's law is refused; torque motors stand in for everything.
"""

from __future__ import annotations

import mujoco
import numpy as np

from gambol.bodies.actuation import check_actuator
from gambol.bodies.body_tree import angle_joints
from gambol.bodies.mjcf.refit import passive_notes
from gambol.bodies.mjcf.source import Source
from gambol.bodies.mjcf.strength import Strengths, force_range
from gambol.errors import BadInput

_ON_JOINTS = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
_INSTEAD = "read the file with actuators='motors' to drive every joint by a torque"


def keep_actuators(spec: mujoco.MjSpec, model: mujoco.MjModel, source: Source, strengths: Strengths) -> list[str]:
    """Add the file's actuators to the finished tree, in the order of its compiled joints; returns notes."""
    by_joint = _by_joint(source)
    notes, passive, guessed = [], [], []
    for joint in (model.joint(j).name for j in angle_joints(model)):
        actuator = by_joint.pop(joint, None)
        if actuator is None:
            passive.append(joint)
        elif _add(spec, source.model, actuator, joint, strengths):
            guessed.append(joint)
    if guessed:
        notes.append(f"force limit of {len(guessed)} servos ({guessed[0]}, ...) guessed: the file gives none")
    notes.append("actuators as in the file")
    return notes + passive_notes(passive)


def _by_joint(source: Source) -> dict[str, int]:
    """The one actuator of each joint it drives."""
    model, found = source.model, {}
    for actuator in range(model.nu):
        name, target = model.actuator(actuator).name or f"#{actuator}", int(model.actuator_trnid[actuator, 0])
        if mujoco.mjtTrn(model.actuator_trntype[actuator]) not in _ON_JOINTS:
            raise BadInput(f"{source.path}: the actuator {name!r} does not act on a joint; {_INSTEAD}")
        joint, kind = model.joint(target).name, mujoco.mjtJoint(model.jnt_type[target])
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            raise BadInput(f"{source.path}: the actuator {name!r} acts on {joint!r}, which is neither a hinge nor a "
                           f"slide; {_INSTEAD}")
        if joint in found:
            raise BadInput(f"{source.path}: the joint {joint!r} has two actuators; {_INSTEAD}")
        try:
            check_actuator(model, actuator)
        except BadInput as error:
            raise BadInput(f"{source.path}: {error}") from None
        found[joint] = actuator
    return found


def _add(spec: mujoco.MjSpec, model: mujoco.MjModel, actuator: int, joint: str, strengths: Strengths) -> bool:
    """One actuator of a compiled model again; returns whether its limit of force had to be guessed."""
    added = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    added.gaintype = mujoco.mjtGain(model.actuator_gaintype[actuator])
    added.biastype = mujoco.mjtBias(model.actuator_biastype[actuator])
    added.gainprm, added.biasprm = model.actuator_gainprm[actuator], model.actuator_biasprm[actuator]
    added.gear = model.actuator_gear[actuator]
    added.ctrllimited, added.ctrlrange = bool(model.actuator_ctrllimited[actuator]), model.actuator_ctrlrange[actuator]
    added.forcelimited = bool(model.actuator_forcelimited[actuator])
    added.forcerange = model.actuator_forcerange[actuator]
    target = int(model.actuator_trnid[actuator, 0])
    plain = model.actuator_biastype[actuator] == mujoco.mjtBias.mjBIAS_NONE and model.actuator_ctrllimited[actuator]
    if model.actuator_forcelimited[actuator] or model.jnt_actfrclimited[target] or plain:
        return False
    force, _ = force_range(model, actuator)
    if force is None:
        most = strengths.limit[model.jnt_dofadr[target]] / np.abs(model.actuator_gear[actuator, 0])
        force = np.array([-most, most])
    added.forcelimited, added.forcerange = True, force
    return True
