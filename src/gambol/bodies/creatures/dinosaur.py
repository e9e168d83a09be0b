"""The dinosaur: a theropod that balances head and chest against a jointed tail.

It walks on its toes: the foot reaches from a high ankle down to three toes. Its arms are too small to have a role.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import DOWN, FORWARD, Builder, rows
from gambol.bodies.character import Character
from gambol.bodies.limbs import SIDES, Drive, LegPlan, leg, leg_height, leg_roles, swivel, swivel_joints
from gambol.bodies.shapes import Pen, Rgba, Shape

ANKLE = 0.22  # above the ground
LEG = LegPlan(hip=(0.0, 0.15, 0.0), thigh=0.42, shank=0.44, lean=(38.0, -40.0),
              hip_flexion=Drive((-55, 70), 600), hip_abduction=Drive((-30, 45), 400),
              hip_rotation=Drive((-40, 40), 200), knee=Drive((-70, 70), 600), ankle_flexion=Drive((-60, 45), 450),
              ankle_inversion=Drive((-25, 25), 180))
MASS = dict(pelvis=24.0, thorax=36.0, neck=6.0, head=8.0, thigh=8.6, shank=3.8, foot=2.8)


class Segment(NamedTuple):
    """A piece of the tail: length, radius at the base and at the end, mass, largest torque."""

    length: float
    thick: float
    thin: float
    mass: float
    strength: float


TAIL = (Segment(0.40, 0.135, 0.085, 9.0, 260.0), Segment(0.38, 0.088, 0.055, 4.6, 120.0),
        Segment(0.42, 0.056, 0.030, 2.0, 50.0))
TAIL_AXES = ("pitch", "yaw")

HIDE: Rgba = (0.36, 0.58, 0.34, 1)
BELLY: Rgba = (0.87, 0.83, 0.60, 1)
STRIPE: Rgba = (0.20, 0.40, 0.30, 1)
CLAW: Rgba = (0.25, 0.22, 0.20, 1)
WHITE: Rgba = (0.97, 0.96, 0.92, 1)
MOUTH: Rgba = (0.45, 0.16, 0.15, 1)
EYE: Rgba = (0.10, 0.08, 0.06, 1)


def dinosaur() -> Character:
    """A theropod of 120 kg: head and chest balanced by a tail of three segments."""
    b = Builder("dinosaur")
    pelvis = b.root("pelvis", leg_height(LEG) + ANKLE)
    pen = Pen()
    b.solids(pelvis, MASS["pelvis"], [pen.ellipsoid((-0.03, 0, 0.06), (0.25, 0.165, 0.18), HIDE)])
    b.looks(pelvis, [pen.ellipsoid((0.03, 0, 0.0), (0.20, 0.135, 0.15), BELLY),
                     pen.ellipsoid((-0.20, 0, 0.07), (0.20, 0.140, 0.145), HIDE)]
            + _ridge(((-0.16, 0.235), (0.0, 0.235)), 0.06))
    b.patch("seat", "seat", pelvis, rows((-0.08, 0.04), 0.06, (-0.155, -0.155)), DOWN)
    _trunk(b, pelvis)
    _tail(b, pelvis)
    soles = {f"{side}_foot": _leg(b, pelvis, side, sign) for side, sign in SIDES}
    b.motors()
    bodies, joints = leg_roles(b, ("left", "right"))
    bodies |= dict(root="pelvis", trunk="thorax", neck="neck", head="head", tail="tail_1")
    joints |= dict(lower_spine=swivel_joints("lower_spine"), neck=swivel_joints("neck") + swivel_joints("head"),
                   tail=tuple(name for k in range(len(TAIL)) for name in swivel_joints(f"tail_{k + 1}", TAIL_AXES)))
    return Character("dinosaur", b.spec, Anatomy(bodies, joints, soles, b.patches), doc=dinosaur.__doc__ or "")


def _trunk(b: Builder, pelvis: mujoco.MjsBody) -> None:
    """Thorax, neck and head, each on a ball-like joint."""
    pen = Pen()
    thorax = b.part(pelvis, "thorax", (0.12, 0, 0.08))
    swivel(b, thorax, "lower_spine", Drive((-25, 25), 500))
    b.solids(thorax, MASS["thorax"], [pen.ellipsoid((0.19, 0, 0.04), (0.30, 0.178, 0.19), HIDE, (0, -18, 0))])
    b.looks(thorax, [pen.ellipsoid((0.20, 0, -0.008), (0.275, 0.155, 0.170), BELLY, (0, -18, 0)),
                     pen.ellipsoid((-0.04, 0, 0.02), (0.24, 0.165, 0.175), HIDE, (0, -8, 0)),
                     pen.ellipsoid((0.34, 0, 0.13), (0.17, 0.125, 0.14), HIDE, (0, -45, 0))]
            + _ridge(((-0.02, 0.205), (0.13, 0.250), (0.28, 0.290)), 0.058)
            + [shape for sign in (1, -1) for shape in _arm(Pen(1, sign, 1))])
    b.patch("chest", "chest", thorax, rows((0.06, 0.20), 0.06, (-0.198, -0.198)), DOWN)
    neck = b.part(thorax, "neck", (0.36, 0, 0.15))
    swivel(b, neck, "neck", Drive((-40, 40), 250))
    b.solids(neck, MASS["neck"], [pen.capsule((0, 0, 0), (0.13, 0, 0.22), 0.098, HIDE)])
    b.looks(neck, [pen.ellipsoid((0.03, 0, 0.05), (0.125, 0.118, 0.17), HIDE, (0, 25, 0)),
                   pen.capsule((0.045, 0, -0.01), (0.150, 0, 0.18), 0.078, BELLY)]
            + _ridge(((-0.045, 0.130), (0.02, 0.255)), 0.048))
    head = b.part(neck, "head", (0.14, 0, 0.25))
    swivel(b, head, "head", Drive((-40, 40), 120))
    b.solids(head, MASS["head"], [pen.ellipsoid((0.04, 0, 0.055), (0.165, 0.135, 0.130), HIDE),
                                  pen.ellipsoid((0.19, 0, 0.030), (0.165, 0.112, 0.078), HIDE)])
    b.looks(head, _face())


def _face() -> list[Shape]:
    pen = Pen()
    face = [pen.ellipsoid((0.160, 0, -0.030), (0.168, 0.100, 0.050), BELLY, (0, 4, 0)),
            pen.ellipsoid((0.150, 0, -0.004), (0.184, 0.112, 0.016), MOUTH, (0, 3, 0))]
    for sign in (1, -1):
        side = Pen(1, sign, 1)
        face += [side.ball((0.095, 0.092, 0.125), 0.060, HIDE), side.ball((0.108, 0.100, 0.128), 0.053, WHITE),
                 side.ball((0.134, 0.119, 0.133), 0.031, EYE), side.ball((0.157, 0.127, 0.148), 0.010, WHITE),
                 side.ellipsoid((0.335, 0.034, 0.060), (0.016, 0.011, 0.011), CLAW)]
        face += [side.spindle((x, y, 0.006), (x, y, -0.032), 0.009, WHITE)
                 for x, y in ((0.318, 0.030), (0.296, 0.062), (0.258, 0.086), (0.212, 0.101))]
    return face


def _arm(pen: Pen) -> list[Shape]:
    """Too small to be of use."""
    return [pen.capsule((0.37, 0.125, 0.02), (0.385, 0.165, -0.085), 0.036, HIDE),
            pen.capsule((0.385, 0.165, -0.085), (0.47, 0.155, -0.105), 0.027, HIDE),
            *(pen.spindle((0.475, y, -0.105), (0.53, y, -0.125), 0.011, CLAW) for y in (0.143, 0.167))]


def _ridge(points: tuple[tuple[float, float], ...], size: float) -> list[Shape]:
    """Soft plates along the back, at x and z."""
    return [Pen().ellipsoid((x, 0, z), (size, 0.30 * size, 0.75 * size), STRIPE, (0, -20, 0)) for x, z in points]


def _tail(b: Builder, pelvis: mujoco.MjsBody) -> None:
    """Segments that taper; each is drawn past its joint, so the tail stays whole when it bends."""
    parent, start, pen = pelvis, (-0.20, 0.0, 0.07), Pen()
    for k, (length, thick, thin, mass, strength) in enumerate(TAIL):
        parent = b.part(parent, f"tail_{k + 1}", start)
        swivel(b, parent, f"tail_{k + 1}", Drive((-35, 35), strength), TAIL_AXES)
        b.solids(parent, mass, [pen.ellipsoid((-0.30 * length, 0, 0), (0.62 * length, thick, thick), HIDE),
                                           pen.capsule((-0.1, 0, 0), (-length, 0, 0), thin, HIDE)])
        b.looks(parent, _ridge(((-0.22 * length, 0.93 * thick), (-0.62 * length, 0.85 * thick)), 0.42 * thick))
        under, middle = -1.05 * thick, -0.30 * length
        b.patch(f"tail_{k + 1}", "tail", parent, [(middle - 0.05, 0, under), (middle + 0.05, 0, under)], DOWN)
        start = (-length, 0.0, 0.0)
    b.looks(parent, [pen.spindle((-0.15, 0, 0), (-0.60, 0, 0.0), TAIL[-1].thin * 1.15, HIDE)])


def _leg(b: Builder, pelvis: mujoco.MjsBody, side: str, sign: float) -> np.ndarray:
    parts = leg(b, pelvis, side, sign, LEG)
    pen = Pen(1, sign, 1)
    b.solids(parts.thigh, MASS["thigh"], [pen.capsule((0, 0, -0.03), (0, 0, -0.20), 0.112, HIDE),
                                          pen.capsule((0, 0, -0.20), (0, 0, -0.40), 0.074, HIDE)])
    b.looks(parts.thigh, [pen.ellipsoid((0.0, 0.005, -0.13), (0.150, 0.118, 0.27), HIDE),
                          *(pen.ellipsoid((x, 0.095, z), (0.030, 0.028, 0.060), STRIPE, (0, -30, 0))
                            for x, z in ((-0.06, -0.02), (0.0, -0.05), (0.06, -0.08)))])
    b.solids(parts.shank, MASS["shank"], [pen.capsule((0, 0, -0.02), (0, 0, -0.18), 0.068, HIDE),
                                          pen.capsule((0, 0, -0.18), (0, 0, -0.42), 0.046, HIDE)])
    b.looks(parts.shank, [pen.ellipsoid((-0.012, 0, -0.11), (0.086, 0.072, 0.20), HIDE),
                          pen.ball((0, 0, 0), 0.076, HIDE), pen.ball((0, 0, -LEG.shank), 0.050, HIDE)])
    b.patch(f"{side}_knee", "knee", parts.shank, [(0.080, 0.02, 0.0), (0.080, -0.02, 0.0)], FORWARD)
    b.solids(parts.foot, MASS["foot"], [pen.capsule((0, 0, 0), (0.07, 0, -0.160), 0.044, HIDE),
                                        pen.capsule((0.06, 0, -0.172), (0.215, 0, -0.180), 0.034, HIDE)])
    toes = [(0.072, 0.225), (0.0, 0.240), (-0.072, 0.225)]
    b.looks(parts.foot, [pen.ellipsoid((0.070, 0, -0.178), (0.085, 0.090, 0.038), HIDE)]
            + [pen.capsule((0.03, y, -0.188), (x - 0.03, y, -0.189), 0.029, HIDE) for y, x in toes]
            + [pen.spindle((x - 0.02, y, -0.182), (x + 0.070, y, -0.210), 0.020, CLAW) for y, x in toes])
    return b.sole(parts.foot, f"{side}_foot", 0.0, 0.28, 0.085, -ANKLE, HIDE)
