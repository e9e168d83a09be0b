"""The ostrich: a bird on two thin legs whose visible knee, really its heel, points backward.

The thigh of a bird lies hidden along the body. The leg that is seen, drumstick, long foot bone and toes, takes the
roles of thigh, shank and foot, so the leg has the joints of a human's with the knee the other way round.
"""

from __future__ import annotations

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import BACKWARD, DOWN, Builder, rows
from gambol.bodies.character import Character
from gambol.bodies.limbs import SIDES, Drive, LegPlan, leg, leg_height, leg_roles, swivel, swivel_joints
from gambol.bodies.shapes import Pen, Rgba, Shape

ANKLE = 0.07  # above the ground
LEG = LegPlan(hip=(0.0, 0.15, 0.0), thigh=0.52, shank=0.54, lean=(-26.0, 21.0), knee_forward=False,
              hip_flexion=Drive((-75, 70), 400), hip_abduction=Drive((-30, 45), 300),
              hip_rotation=Drive((-40, 40), 120), knee=Drive((-44, 95), 400), ankle_flexion=Drive((-70, 50), 280),
              ankle_inversion=Drive((-25, 25), 110))
MASS = dict(body=63.0, neck=4.0, head=2.4, thigh=8.6, shank=3.0, foot=1.2)  # 95 kg

PLUME: Rgba = (0.13, 0.13, 0.16, 1)
PLUME_LIGHT: Rgba = (0.22, 0.22, 0.26, 1)
WHITE: Rgba = (0.95, 0.94, 0.91, 1)
SKIN: Rgba = (0.86, 0.66, 0.60, 1)
LEG_SKIN: Rgba = (0.80, 0.57, 0.52, 1)
BEAK: Rgba = (0.94, 0.68, 0.36, 1)
BEAK_DARK: Rgba = (0.76, 0.48, 0.28, 1)
EYE: Rgba = (0.10, 0.07, 0.06, 1)


def ostrich() -> Character:
    """An ostrich of 2.1 m and 95 kg: long neck, thin legs, heels that point backward."""
    b = Builder("ostrich")
    body = b.root("body", leg_height(LEG) + ANKLE)
    _body(b, body)
    _neck_and_head(b, body)
    soles = {f"{side}_foot": _leg(b, body, side, sign) for side, sign in SIDES}
    b.motors()
    bodies, joints = leg_roles(b, ("left", "right"))
    bodies |= dict(root="body", trunk="body", neck="neck", head="head")
    joints |= dict(neck=swivel_joints("neck") + swivel_joints("head"))
    return Character("ostrich", b.spec, Anatomy(bodies, joints, soles, b.patches), doc=ostrich.__doc__ or "")


def _body(b: Builder, body: mujoco.MjsBody) -> None:
    pen = Pen()
    b.solids(body, MASS["body"], [pen.ellipsoid((-0.005, 0, 0.13), (0.45, 0.26, 0.27), PLUME, (0, -6, 0)),
                                  pen.ellipsoid((0.30, 0, 0.20), (0.18, 0.15, 0.18), PLUME)])
    b.patch("seat", "seat", body, rows((-0.12, -0.02), 0.08, (-0.146, -0.146)), DOWN)
    b.patch("chest", "chest", body, rows((0.10, 0.22), 0.08, (-0.130, -0.085)), DOWN)
    plumes = [pen.ellipsoid((-0.16, 0, 0.20), (0.36, 0.24, 0.23), PLUME_LIGHT, (0, 8, 0)),
              pen.ellipsoid((-0.46, 0, 0.20), (0.16, 0.12, 0.11), WHITE, (0, 30, 0))]
    plumes += [pen.ellipsoid((-0.48, 0.07 * k, 0.24), (0.19, 0.055, 0.07), WHITE, (0, 38 - 6 * abs(k), -12 * k))
               for k in (-1, 0, 1)]
    for side in (1, -1):
        wing = Pen(1, side, 1)
        plumes += [wing.ellipsoid((0.02, 0.235, 0.19), (0.28, 0.05, 0.16), PLUME, (12, -8, 0)),
                   wing.ellipsoid((-0.14, 0.250, 0.14), (0.24, 0.04, 0.10), PLUME_LIGHT, (12, 14, 4)),
                   wing.ellipsoid((-0.32, 0.225, 0.08), (0.13, 0.03, 0.06), WHITE, (12, 22, 10))]
    b.looks(body, plumes)


def _neck_and_head(b: Builder, body: mujoco.MjsBody) -> None:
    pen = Pen()
    neck = b.part(body, "neck", (0.36, 0, 0.28))
    swivel(b, neck, "neck", Drive((-45, 45), 90))
    b.solids(neck, MASS["neck"], [pen.capsule((0, 0, 0), (0.10, 0, 0.22), 0.058, SKIN),
                                  pen.capsule((0.10, 0, 0.22), (0.085, 0, 0.46), 0.047, SKIN)])
    b.looks(neck, [pen.ellipsoid((-0.02, 0, -0.02), (0.13, 0.115, 0.13), PLUME),
                   pen.ellipsoid((0.04, 0, 0.085), (0.092, 0.088, 0.055), WHITE, (0, 24, 0)),
                   pen.ellipsoid((0.035, 0, 0.10), (0.064, 0.062, 0.17), SKIN, (0, 24, 0)),
                   pen.ellipsoid((0.094, 0, 0.25), (0.053, 0.051, 0.20), SKIN, (0, 2, 0))])
    head = b.part(neck, "head", (0.085, 0, 0.46))
    swivel(b, head, "head", Drive((-45, 45), 40))
    b.solids(head, MASS["head"], [pen.capsule((0, 0, 0), (0.01, 0, 0.24), 0.043, SKIN),
                                  pen.ellipsoid((0.050, 0, 0.30), (0.098, 0.070, 0.068), SKIN)])
    b.looks(head, _face())


def _face() -> list[Shape]:
    pen = Pen()
    face = [pen.ellipsoid((0.165, 0, 0.290), (0.085, 0.044, 0.019), BEAK, (0, 8, 0)),
            pen.ellipsoid((0.145, 0, 0.272), (0.078, 0.040, 0.014), BEAK_DARK, (0, 3, 0)),
            pen.ellipsoid((0.026, 0, 0.343), (0.074, 0.055, 0.040), PLUME_LIGHT)]
    face += [pen.spindle((0.02, y, 0.365), (-0.040, 2.4 * y, 0.440), 0.011, PLUME_LIGHT) for y in (-0.018, 0.0, 0.018)]
    for side in (1, -1):
        eye = Pen(1, side, 1)
        face += [eye.ball((0.080, 0.047, 0.322), 0.034, WHITE), eye.ball((0.094, 0.062, 0.324), 0.0205, EYE),
                 eye.ball((0.109, 0.070, 0.333), 0.0065, WHITE),
                 eye.ellipsoid((0.190, 0.017, 0.299), (0.011, 0.005, 0.005), BEAK_DARK, (0, 8, 0))]
    return face


def _leg(b: Builder, body: mujoco.MjsBody, side: str, sign: float) -> np.ndarray:
    parts = leg(b, body, side, sign, LEG)
    pen = Pen(1, sign, 1)
    b.solids(parts.thigh, MASS["thigh"], [pen.capsule((0, 0, -0.02), (0, 0, -0.18), 0.100, SKIN),
                                          pen.capsule((0, 0, -0.18), (0, 0, -0.50), 0.046, SKIN)])
    b.looks(parts.thigh, [pen.ellipsoid((0.005, 0, -0.16), (0.118, 0.102, 0.28), SKIN),
                          pen.ellipsoid((0, 0, -0.34), (0.062, 0.058, 0.20), SKIN),
                          pen.ellipsoid((0.02, -0.01, -0.01), (0.19, 0.13, 0.17), PLUME)])
    b.solids(parts.shank, MASS["shank"], [pen.capsule((0, 0, 0), (0, 0, -0.52), 0.032, LEG_SKIN)])
    b.looks(parts.shank, [pen.ellipsoid((0.004, 0, 0), (0.050, 0.048, 0.060), LEG_SKIN),
                          pen.ellipsoid((0, 0, -0.10), (0.043, 0.041, 0.17), LEG_SKIN)])
    b.patch(f"{side}_knee", "knee", parts.shank, [(-0.054, 0.02, 0.0), (-0.054, -0.02, 0.0)], BACKWARD)
    b.solids(parts.foot, MASS["foot"], [pen.capsule((0, 0, -0.01), (0.170, -0.024, -0.034), 0.031, LEG_SKIN),
                                        pen.capsule((0, 0, -0.015), (0.130, 0.036, -0.040), 0.024, LEG_SKIN)])
    b.looks(parts.foot, [pen.ball((0, 0, 0), 0.045, LEG_SKIN),
                         pen.ellipsoid((-0.008, 0, -0.042), (0.050, 0.056, 0.027), LEG_SKIN),
                         pen.ellipsoid((0.105, -0.028, -0.045), (0.118, 0.034, 0.023), LEG_SKIN),
                         pen.ellipsoid((0.095, 0.037, -0.048), (0.105, 0.026, 0.020), LEG_SKIN),
                         pen.spindle((0.17, -0.028, -0.036), (0.250, -0.028, -0.063), 0.019, PLUME_LIGHT),
                         pen.spindle((0.15, 0.038, -0.044), (0.215, 0.040, -0.064), 0.014, PLUME_LIGHT)])
    return b.sole(parts.foot, f"{side}_foot", -0.05, 0.21, 0.052, -ANKLE, LEG_SKIN)
