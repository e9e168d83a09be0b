"""The human: 35 degrees of freedom, 1.80 m, 81.82 kg, a 50th-percentile North American male.

Masses and lengths are the fractions of body mass and height of Winter (2004); ranges and strengths are those of the
method notes (feature-based control, section 3). Zero pose: standing straight, arms down.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import PITCH, ROLL, YAW, Builder, Rgba
from gambol.bodies.character import Character

HEIGHT, MASS = 1.80, 81.82

MASS_FRACTION = dict(head=0.081, thorax=0.216, abdomen=0.139, pelvis=0.142, upper_arm=0.028, forearm=0.016, hand=0.006,
                     thigh=0.100, shank=0.0465, foot=0.0145)

# Heights of joints and lengths of parts as fractions of the body height. `hip_spread` is the distance between the hip
# joints, half the width over the hip bones.
LENGTH_FRACTION = dict(hip=0.530, knee=0.285, ankle=0.039, shoulder=0.818, upper_arm=0.186, forearm=0.146, hand=0.108,
                       foot=0.152, foot_breadth=0.055, hip_spread=0.0955, shoulder_spread=0.259)

SPINE = dict(degrees=(-30, 30), strength=300)
NECK = dict(degrees=(-45, 45), strength=60)


@dataclass(frozen=True)
class Palette:
    """Colours of skin and clothes."""

    skin: Rgba = (0.87, 0.68, 0.56, 1)
    shirt: Rgba = (0.16, 0.47, 0.62, 1)
    trousers: Rgba = (0.23, 0.25, 0.33, 1)
    shoe: Rgba = (0.90, 0.45, 0.20, 1)
    hair: Rgba = (0.25, 0.17, 0.12, 1)
    eye: Rgba = (0.10, 0.10, 0.12, 1)


def human() -> Character:
    """An adult man of 1.80 m and 81.82 kg with 35 degrees of freedom."""
    b = Builder("human")
    paint = Palette()
    length = {part: fraction * HEIGHT for part, fraction in LENGTH_FRACTION.items()}
    pelvis = b.root("pelvis", length["hip"])
    b.ellipsoid(pelvis, (0, 0, 0.03), (0.10, 0.16, 0.09), _mass("pelvis"), paint.trousers)
    thorax = _trunk(b, pelvis, length, paint)
    soles = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        _arm(b, thorax, side, sign, length, paint)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        soles[f"{side}_foot"] = _leg(b, pelvis, side, sign, length, paint)
    b.motors()
    return Character("human", b.spec, _anatomy(soles), rest=rest_pose(), doc=human.__doc__ or "")


def rest_pose(knee: float = 0.3) -> dict[str, float]:
    """Relaxed standing, in radians: knees slightly bent, arms a little off the body."""
    pose = {}
    for side in ("left", "right"):
        pose |= {f"{side}_hip_flexion": knee / 2, f"{side}_knee": knee, f"{side}_ankle_flexion": knee / 2,
                 f"{side}_shoulder_abduction": 0.12, f"{side}_elbow": 0.25}
    return pose


def _mass(part: str) -> float:
    return MASS_FRACTION[part] * MASS


def _trunk(b: Builder, pelvis: mujoco.MjsBody, length: dict[str, float], paint: Palette) -> mujoco.MjsBody:
    """Abdomen, thorax and head on three ball-like joints; returns the thorax."""
    shoulder = length["shoulder"] - length["hip"] - 0.26  # above the thorax's origin
    abdomen = b.part(pelvis, "abdomen", (0, 0, 0.10))
    _ball(b, abdomen, "lower_spine", **SPINE)
    b.ellipsoid(abdomen, (0, 0, 0.08), (0.09, 0.14, 0.10), _mass("abdomen"), paint.shirt)
    thorax = b.part(abdomen, "thorax", (0, 0, 0.16))
    _ball(b, thorax, "upper_spine", **SPINE)
    b.ellipsoid(thorax, (0, 0, 0.14), (0.11, 0.17, 0.17), _mass("thorax"), paint.shirt)
    head = b.part(thorax, "head", (0, 0, shoulder + 0.06))
    _ball(b, head, "neck", **NECK)
    b.ellipsoid(head, (0, 0, 0.13), (0.09, 0.08, 0.135), _mass("head"), paint.skin)
    return thorax


def _ball(b: Builder, body: mujoco.MjsBody, name: str, degrees: tuple[float, float], strength: float) -> None:
    """Three hinges, pitch then roll then yaw."""
    for axis_name, axis in (("pitch", PITCH), ("roll", ROLL), ("yaw", YAW)):
        b.hinge(body, f"{name}_{axis_name}", axis, degrees, strength)


def _arm(b: Builder, thorax: mujoco.MjsBody, side: str, sign: float, length: dict[str, float], paint: Palette) -> None:
    shoulder = length["shoulder"] - length["hip"] - 0.26
    upper = b.part(thorax, f"{side}_upper_arm", (0, sign * length["shoulder_spread"] / 2, shoulder))
    b.hinge(upper, f"{side}_shoulder_flexion", (0, -1, 0), (-90, 90), 120)
    b.hinge(upper, f"{side}_shoulder_abduction", (sign, 0, 0), (-30, 150), 120)
    b.hinge(upper, f"{side}_shoulder_rotation", (0, 0, sign), (-80, 80), 120)
    b.capsule(upper, (0, 0, 0), (0, 0, -length["upper_arm"]), 0.042, _mass("upper_arm"), paint.shirt)
    forearm = b.part(upper, f"{side}_forearm", (0, 0, -length["upper_arm"]))
    b.hinge(forearm, f"{side}_elbow", (0, -1, 0), (0, 145), 80)
    b.capsule(forearm, (0, 0, 0), (0, 0, -length["forearm"]), 0.034, _mass("forearm"), paint.skin)
    hand = b.part(forearm, f"{side}_hand", (0, 0, -length["forearm"]))
    b.ellipsoid(hand, (0, 0, -length["hand"] / 2), (0.03, 0.02, length["hand"] / 2), _mass("hand"), paint.skin)


def _leg(b: Builder, pelvis: mujoco.MjsBody, side: str, sign: float, length: dict[str, float],
         paint: Palette) -> "object":
    """Thigh, shank and foot; returns the sole points."""
    thigh_length = length["hip"] - length["knee"]
    shank_length = length["knee"] - length["ankle"]
    thigh = b.part(pelvis, f"{side}_thigh", (0, sign * length["hip_spread"] / 2, 0))
    b.hinge(thigh, f"{side}_hip_flexion", (0, -1, 0), (-30, 120), 300)
    b.hinge(thigh, f"{side}_hip_abduction", (sign, 0, 0), (-30, 45), 200)
    b.hinge(thigh, f"{side}_hip_rotation", (0, 0, sign), (-40, 40), 100)
    b.capsule(thigh, (0, 0, -0.02), (0, 0, -thigh_length), 0.07, _mass("thigh"), paint.trousers)
    shank = b.part(thigh, f"{side}_shank", (0, 0, -thigh_length))
    b.hinge(shank, f"{side}_knee", (0, 1, 0), (0, 150), 300)
    b.capsule(shank, (0, 0, 0), (0, 0, -shank_length), 0.05, _mass("shank"), paint.trousers)
    foot = b.part(shank, f"{side}_foot", (0, 0, -shank_length))
    b.hinge(foot, f"{side}_ankle_flexion", (0, -1, 0), (-50, 30), 250)
    b.hinge(foot, f"{side}_ankle_inversion", (sign, 0, 0), (-25, 25), 100)
    middle, half, half_width = 0.07, length["foot"] / 2, length["foot_breadth"] / 2
    b.box(foot, (middle, 0, -length["ankle"] + 0.03), (half, half_width, 0.025), _mass("foot"), paint.shoe)
    return b.sole(foot, f"{side}_foot", middle - half, middle + half, half_width, -length["ankle"])


def _anatomy(soles: dict) -> Anatomy:
    bodies = dict(root="pelvis", trunk="thorax", head="head")
    joints: dict[str, tuple[str, ...]] = {
        name: tuple(f"{name}_{axis}" for axis in ("pitch", "roll", "yaw"))
        for name in ("lower_spine", "upper_spine", "neck")}
    for side in ("left", "right"):
        for part in ("upper_arm", "forearm", "hand", "thigh", "shank", "foot"):
            bodies[f"{side}_{part}"] = f"{side}_{part}"
        joints |= {
            f"{side}_shoulder": tuple(f"{side}_shoulder_{a}" for a in ("flexion", "abduction", "rotation")),
            f"{side}_elbow": (f"{side}_elbow",),
            f"{side}_hip": tuple(f"{side}_hip_{a}" for a in ("flexion", "abduction", "rotation")),
            f"{side}_knee": (f"{side}_knee",),
            f"{side}_ankle": (f"{side}_ankle_flexion", f"{side}_ankle_inversion")}
    return Anatomy(bodies, joints, soles)
