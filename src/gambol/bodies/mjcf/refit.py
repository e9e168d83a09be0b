"""Fitting a foreign tree to gambol's conventions without changing its mechanics: facing +x, stiff feet, torque motors.

All of it works on the MJCF tree, in place.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Collection, Mapping, Sequence

import mujoco
import numpy as np

from gambol.bodies.body_tree import angle_joints
from gambol.bodies.builder import FOOT_SOLIMP, FOOT_SOLREF, add_motor
from gambol.bodies.mjcf.extraction import bodies, numbers, words

MAX_FRICTION = 1.0
"""Honest physics: no foot holds better than this."""
SMALL_ANGLE = np.deg2rad(10)


def turn_tree(top: ET.Element, angle: float) -> None:
    """Rotate the whole character about the vertical."""
    quat = np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
    place_tree(top, _rotate(quat, numbers(top.get("pos"), "0 0 0")), _times(quat, numbers(top.get("quat"), "1 0 0 0")))


def place_tree(top: ET.Element, pos: np.ndarray, quat: np.ndarray) -> None:
    """Where the character's top body starts."""
    top.set("pos", words(pos))
    top.set("quat", words(quat / np.linalg.norm(quat)))


def align_frame(mujoco_xml: ET.Element, body_name: str, quat: np.ndarray) -> bool:
    """Turn a body's own frame by the inverse of `quat` (its orientation in the world), so that x is forward, z up.

    Everything in the body stays where it is: the content moves into a <frame> that turns back. Returns False where a
    constraint or a skin refers to the frame, which would then change its meaning.
    """
    for section in ("equality", "deformable"):
        for element in mujoco_xml.findall(f"{section}/*"):
            if element.tag not in ("joint", "tendon"):
                return False
    body = next(b for b in bodies(mujoco_xml.find("worldbody/body")) if b.get("name") == body_name)  # type: ignore
    back = quat * (1, -1, -1, -1)
    if np.abs(quat[1:]).max() < np.sin(SMALL_ANGLE / 2):
        return True
    body.set("quat", words(_times(numbers(body.get("quat"), "1 0 0 0"), back)))
    frame = ET.Element("frame", quat=words(quat))
    for child in list(body):
        if child.tag == "freejoint" or child.get("type") == "free":
            continue
        if child.tag == "inertial":
            _turn_inertial(child, quat)
            continue
        body.remove(child)
        frame.append(child)
    body.append(frame)
    return True


def _turn_inertial(inertial: ET.Element, quat: np.ndarray) -> None:
    inertial.set("pos", words(_rotate(quat, numbers(inertial.get("pos"), "0 0 0"))))
    full = inertial.attrib.pop("fullinertia", None)
    if full is not None:
        xx, yy, zz, xy, xz, yz = numbers(full, "")
        matrix = np.empty(9)
        mujoco.mju_quat2Mat(matrix, quat)
        turn = matrix.reshape(3, 3)
        m = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
        inertial.set("fullinertia", words(np.array([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]])))
    else:
        inertial.set("quat", words(_times(quat, numbers(inertial.get("quat"), "1 0 0 0"))))


def stiffen_feet(spec: mujoco.MjSpec, feet: Collection[str], floor_friction: float) -> list[str]:
    """Foot geoms decide their contacts: stiff as gambol's own soles, with friction of at most one."""
    highest = 0.0
    for geom in (g for name in feet for g in spec.body(name).geoms if g.contype or g.conaffinity):
        friction = geom.friction.copy()
        friction[0] = max(friction[0], floor_friction)  # what it had on the floor of its file
        highest = max(highest, friction[0])
        friction[0] = min(friction[0], MAX_FRICTION)
        geom.friction = friction
        geom.priority = 1
        geom.condim = max(3, geom.condim)
        geom.solref = list(FOOT_SOLREF)
        geom.solimp = list(FOOT_SOLIMP)
    notes = ["contacts of the feet made as stiff as those of gambol's own characters"] if feet else []
    if highest > MAX_FRICTION:
        notes.append(f"friction of the feet lowered from {highest:g} to {MAX_FRICTION:g}")
    return notes


def stiffen_pads(spec: mujoco.MjSpec, pads: Collection[tuple[str, int]], feet: Collection[str]) -> list[str]:
    """What other patches lie on is as stiff: geoms by body and number in it. Their friction stays, up to one."""
    found = [spec.body(body).geoms[number] for body, number in pads if body not in feet]
    for geom in found:
        friction = geom.friction.copy()
        friction[0] = min(friction[0], MAX_FRICTION)
        geom.friction, geom.priority, geom.condim = friction, 1, max(3, geom.condim)
        geom.solref, geom.solimp = list(FOOT_SOLREF), list(FOOT_SOLIMP)
    return ["what its other patches lie on made as stiff as the feet"] if found else []


def add_motors(spec: mujoco.MjSpec, model: mujoco.MjModel, strengths: Mapping[str, float]) -> list[str]:
    """One torque motor per driven joint, in the order of the compiled joints; notes the passive ones."""
    hinges = [model.joint(j).name for j in angle_joints(model)]
    for joint in hinges:
        if joint in strengths:
            add_motor(spec, joint, strengths[joint])
    return passive_notes([joint for joint in hinges if joint not in strengths])


def passive_notes(passive: Sequence[str]) -> list[str]:
    """A note of the joints that nothing drives, if there are any."""
    if not passive:
        return []
    shown = ", ".join(passive[:4]) + (", ..." if len(passive) > 4 else "")
    return [f"joints without an actuator in the file stay passive ({shown}; {len(passive)} in all)"]


def _rotate(quat: np.ndarray, vector: np.ndarray) -> np.ndarray:
    out = np.empty(3)
    mujoco.mju_rotVecQuat(out, vector, quat)
    return out


def _times(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    out = np.empty(4)
    mujoco.mju_mulQuat(out, first, second)
    return out
