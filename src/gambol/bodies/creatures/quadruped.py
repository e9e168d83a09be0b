"""The quadruped: a friendly dog. Roles of its legs begin with `front_left`, `front_right`, `hind_left`, `hind_right`.

Each leg is thigh, shank and foot with two joints at the hip, one at the knee and one at the ankle; the elbows of the
front legs, which play the knees, point backward. A paw stands on one rail: two points, free to roll sideways.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import BACKWARD, DOWN, Builder, rows
from gambol.bodies.character import Character
from gambol.bodies.limbs import SIDES, Drive, LegPlan, leg, leg_height, leg_roles, swivel, swivel_joints
from gambol.bodies.patches import Patch
from gambol.bodies.shapes import Pen, Rgba, Shape

HOCK, WRIST = 0.13, 0.08  # ankles above the ground, behind and in front
THORAX = (0.16, 0.0, 0.02)  # in the pelvis's frame
HIND = LegPlan(hip=(0.0, 0.085, 0.0), thigh=0.20, shank=0.21, lean=(24.0, -36.0),
               hip_flexion=Drive((-60, 60), 70), hip_abduction=Drive((-20, 45), 50), hip_rotation=None,
               knee=Drive((-50, 70), 70), ankle_flexion=Drive((-60, 45), 45), ankle_inversion=None)
FRONT = LegPlan(hip=(0.28, 0.085, 0.0), thigh=0.18, shank=0.19, lean=(-30.0, 6.0), knee_forward=False,
                hip_flexion=Drive((-60, 60), 70), hip_abduction=Drive((-20, 45), 50), hip_rotation=None,
                knee=Drive((-35, 80), 70), ankle_flexion=Drive((-70, 45), 35), ankle_inversion=None)
HIP_HEIGHT = leg_height(HIND) + HOCK
FRONT = replace(FRONT, hip=(0.28, 0.085, leg_height(FRONT) + WRIST - HIP_HEIGHT - THORAX[2]))  # paws on the ground
MASS = dict(pelvis=7.0, thorax=11.0, neck=1.8, head=2.4)
TAIL_MASS = (0.3, 0.2)
LEG_MASS = dict(hind=(1.3, 0.55, 0.3), front=(1.0, 0.45, 0.25))
TAIL_AXES = ("pitch", "yaw")

COAT: Rgba = (0.82, 0.60, 0.34, 1)
DARK: Rgba = (0.55, 0.36, 0.19, 1)
CREAM: Rgba = (0.96, 0.91, 0.80, 1)
NOSE: Rgba = (0.14, 0.11, 0.10, 1)
COLLAR: Rgba = (0.80, 0.22, 0.22, 1)
TAG: Rgba = (0.95, 0.78, 0.25, 1)
TONGUE: Rgba = (0.90, 0.48, 0.50, 1)
WHITE: Rgba = (0.98, 0.98, 0.97, 1)


def quadruped() -> Character:
    """A dog of 30 kg with a spine, a tail and four legs of four joints."""
    b = Builder("quadruped", armature=0.002)
    pelvis = b.root("pelvis", HIP_HEIGHT)
    thorax = _trunk(b, pelvis)
    _tail(b, pelvis)
    soles = {}
    for end, parent in (("front", thorax), ("hind", pelvis)):
        for side, sign in SIDES:
            soles[f"{end}_{side}_foot"] = _leg(b, parent, end, side, sign)
    b.motors()
    paws = {role: Patch("paw", role, points) for role, points in soles.items()}
    bodies, joints = leg_roles(b, (f"{end}_{side}" for end in ("front", "hind") for side, _ in SIDES))
    bodies |= dict(root="pelvis", trunk="thorax", neck="neck", head="head", tail="tail_1")
    joints |= dict(lower_spine=swivel_joints("lower_spine"), neck=swivel_joints("neck") + swivel_joints("head"),
                   tail=swivel_joints("tail_1", TAIL_AXES) + swivel_joints("tail_2", TAIL_AXES))
    return Character("quadruped", b.spec, Anatomy(bodies, joints, soles, paws | b.patches), doc=quadruped.__doc__ or "")


def _trunk(b: Builder, pelvis: mujoco.MjsBody) -> mujoco.MjsBody:
    """Rump, chest, neck and head; returns the thorax."""
    pen = Pen()
    b.solids(pelvis, MASS["pelvis"], [pen.ellipsoid((0.03, 0, 0.01), (0.17, 0.102, 0.105), COAT)])
    b.looks(pelvis, [pen.ellipsoid((0.13, 0, 0.005), (0.20, 0.098, 0.102), COAT)])
    b.patch("seat", "seat", pelvis, rows((-0.05, 0.05), 0.045, (-0.102, -0.102)), DOWN)
    thorax = b.part(pelvis, "thorax", THORAX)
    swivel(b, thorax, "lower_spine", Drive((-30, 30), 80))
    b.solids(thorax, MASS["thorax"], [pen.ellipsoid((0.18, 0, -0.020), (0.23, 0.118, 0.138), COAT)])
    b.looks(thorax, [pen.ellipsoid((0.08, 0, -0.010), (0.20, 0.106, 0.115), COAT),
                     pen.ellipsoid((0.285, 0, -0.045), (0.135, 0.088, 0.105), CREAM, (0, -20, 0)),
                     pen.ellipsoid((0.265, 0, 0.045), (0.13, 0.092, 0.085), COAT)])
    b.patch("chest", "chest", thorax, rows((0.10, 0.26), 0.04, (-0.166, -0.166)), DOWN)
    neck = b.part(thorax, "neck", (0.31, 0, 0.055))
    swivel(b, neck, "neck", Drive((-45, 45), 35))
    b.solids(neck, MASS["neck"], [pen.capsule((0, 0, 0), (0.095, 0, 0.125), 0.066, COAT)])
    b.looks(neck, [pen.ellipsoid((0.02, 0, 0.035), (0.085, 0.084, 0.125), COAT, (0, 37, 0)),
                   pen.ellipsoid((0.062, 0, 0.020), (0.050, 0.058, 0.095), CREAM, (0, 37, 0)),
                   pen.cylinder((0.055, 0, 0.076), (0.073, 0, 0.098), 0.0745, COLLAR),
                   pen.cylinder((0.128, 0, 0.026), (0.136, 0, 0.029), 0.018, TAG)])
    head = b.part(neck, "head", (0.10, 0, 0.135))
    swivel(b, head, "head", Drive((-40, 40), 18))
    b.solids(head, MASS["head"], [pen.ellipsoid((0.035, 0, 0.045), (0.102, 0.088, 0.086), COAT),
                                  pen.capsule((0.10, 0, 0.022), (0.170, 0, 0.014), 0.042, CREAM)])
    b.looks(head, _face())
    return thorax


def _face() -> list[Shape]:
    pen = Pen()
    face = [pen.ellipsoid((0.105, 0, 0.070), (0.055, 0.020, 0.050), CREAM, (0, 35, 0)),
            pen.ellipsoid((0.130, 0, -0.018), (0.072, 0.034, 0.020), CREAM, (0, 6, 0)),
            pen.ellipsoid((0.168, 0, -0.034), (0.042, 0.022, 0.009), TONGUE, (0, 38, 0)),
            pen.ellipsoid((0.206, 0, 0.036), (0.018, 0.025, 0.018), NOSE),
            pen.ellipsoid((0.150, 0, -0.006), (0.058, 0.043, 0.004), NOSE, (0, 6, 0))]
    for sign in (1, -1):
        side = Pen(1, sign, 1)
        face += [side.ellipsoid((0.117, 0.040, 0.072), (0.012, 0.0145, 0.018), NOSE, (0, -20, 25)),
                 side.ball((0.128, 0.041, 0.080), 0.0042, WHITE),
                 side.ellipsoid((0.104, 0.043, 0.103), (0.014, 0.018, 0.008), DARK, (0, 40, 20)),
                 side.ellipsoid((0.010, 0.090, 0.050), (0.042, 0.017, 0.078), DARK, (14, 12, 0)),
                 side.ellipsoid((0.010, 0.066, 0.108), (0.036, 0.034, 0.026), DARK, (-30, 0, 0))]
    return face


def _tail(b: Builder, pelvis: mujoco.MjsBody) -> None:
    pen = Pen()
    first = b.part(pelvis, "tail_1", (-0.115, 0, 0.07))
    swivel(b, first, "tail_1", Drive((-50, 50), 6), TAIL_AXES)
    b.solids(first, TAIL_MASS[0], [pen.capsule((0, 0, 0), (-0.11, 0, 0.09), 0.024, COAT)])
    b.looks(first, [pen.spindle((0.07, 0, -0.055), (-0.16, 0, 0.13), 0.036, COAT)])
    second = b.part(first, "tail_2", (-0.11, 0, 0.09))
    swivel(b, second, "tail_2", Drive((-50, 50), 3), TAIL_AXES)
    b.solids(second, TAIL_MASS[1], [pen.capsule((0, 0, 0), (-0.045, 0, 0.11), 0.018, COAT)])
    b.looks(second, [pen.spindle((0.02, 0, -0.06), (-0.06, 0, 0.16), 0.030, COAT),
                     pen.spindle((-0.026, 0, 0.05), (-0.068, 0, 0.19), 0.024, CREAM)])


def _leg(b: Builder, parent: mujoco.MjsBody, end: str, side: str, sign: float) -> np.ndarray:
    """A leg with its paw; returns the two sole points."""
    plan, ankle, bulk = (FRONT, WRIST, (0.066, 0.050, 0.125)) if end == "front" else (HIND, HOCK, (0.090, 0.058, 0.150))
    parts = leg(b, parent, f"{end}_{side}", sign, plan)
    pen = Pen(1, sign, 1)
    thigh, shank, foot = LEG_MASS[end]
    b.solids(parts.thigh, thigh, [pen.capsule((0, 0, 0), (0, 0, -0.5 * plan.thigh), 0.052, COAT),
                                  pen.capsule((0, 0, -0.5 * plan.thigh), (0, 0, -plan.thigh), 0.036, COAT)])
    b.looks(parts.thigh, [pen.ellipsoid((0, 0, -0.065), bulk, COAT)])
    b.solids(parts.shank, shank, [pen.capsule((0, 0, 0), (0, 0, -plan.shank), 0.025, COAT)])
    b.looks(parts.shank, [pen.ellipsoid((0, 0, -0.05), (0.039, 0.035, 0.115), COAT)])
    if end == "front":
        b.patch(f"{end}_{side}_elbow", "elbow", parts.shank, [(-0.041, 0, 0)], BACKWARD)
    b.solids(parts.foot, foot, [pen.capsule((0, 0, 0), (0.006, 0, -ankle + 0.05), 0.0245, COAT),
                                pen.ellipsoid((0.026, 0, -ankle + 0.033), (0.052, 0.040, 0.027), CREAM)])
    b.looks(parts.foot, [pen.capsule((0.005, 0, -ankle + 0.065), (0.008, 0, -ankle + 0.04), 0.0275, CREAM),
                         *(pen.ball((0.066, y, -ankle + 0.024), 0.0165, CREAM) for y in (-0.024, 0.0, 0.024))])
    return b.rail(parts.foot, f"{end}_{side}_foot_rail", -0.005, 0.06, 0.0, -ankle, radius=0.015, color=CREAM)
