"""The wide biped: an invented creature, a broad barrel of a body between two short legs.

A biped with a wide torso, as one is shown in [mordatch2015, section 3.4]; no sizes are published, so they are ours:
torso half sizes 0.12, 0.45 and 0.30 m, hips at +-0.40 m, legs of 0.25 + 0.25 m, no arms. The hips are at the height of
the centre of mass and a little before it, and the ankle is over the middle of the sole: on its back it can so put its
soles flat under its centre of mass, which is how a body without arms gets up. It walks by turning about one leg and
then the other, so its hips turn further than a human's.
"""

from __future__ import annotations

from itertools import pairwise

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import BACKWARD, DOWN, FORWARD, Builder, rows
from gambol.bodies.character import Character
from gambol.bodies.limbs import SIDES, Drive, LegPlan, leg, leg_roles, swivel, swivel_joints
from gambol.bodies.shapes import Pen, Rgba, Shape

ANKLE = 0.07  # above the ground
LEG = LegPlan(hip=(0.03, 0.40, 0.0), thigh=0.25, shank=0.25, hip_flexion=Drive((-40, 120), 260),
              hip_abduction=Drive((-30, 60), 260), hip_rotation=Drive((-55, 55), 120), knee=Drive((0, 150), 260),
              ankle_flexion=Drive((-60, 50), 200), ankle_inversion=Drive((-25, 25), 120))
SOLE = (0.12, 0.075)  # half length, half width
MASS = dict(pelvis=18.0, thorax=26.0, head=6.0, thigh=5.5, shank=2.8, foot=1.7)  # 70 kg
SKULL = ((0.005, 0.0, 0.06), (0.118, 0.21, 0.13))  # middle and half sizes of the head
REST = dict(hip_flexion=0.318, knee=0.70, ankle_flexion=0.382)

COAT: Rgba = (0.20, 0.55, 0.66, 1)
SHORTS: Rgba = (0.93, 0.66, 0.24, 1)
CREAM: Rgba = (0.98, 0.89, 0.68, 1)
WHITE: Rgba = (0.98, 0.98, 0.97, 1)
EYE: Rgba = (0.10, 0.09, 0.12, 1)
MOUTH: Rgba = (0.50, 0.18, 0.20, 1)
CHEEK: Rgba = (0.95, 0.62, 0.55, 1)


def wide_biped() -> Character:
    """A barrel of 70 kg, 0.9 m wide, on two short legs; no arms."""
    b = Builder("wide_biped")
    pelvis = b.root("pelvis", LEG.thigh + LEG.shank + ANKLE)
    _trunk(b, pelvis)
    soles = {f"{side}_foot": _leg(b, pelvis, side, sign) for side, sign in SIDES}
    b.motors()
    bodies, joints = leg_roles(b, ("left", "right"))
    bodies |= dict(root="pelvis", trunk="thorax", head="head")
    joints |= dict(lower_spine=swivel_joints("lower_spine"), neck=swivel_joints("neck"))
    rest = {f"{side}_{joint}": angle for side, _ in SIDES for joint, angle in REST.items()}
    anatomy = Anatomy(bodies, joints, soles, b.patches)
    return Character("wide_biped", b.spec, anatomy, rest=rest, doc=wide_biped.__doc__ or "")


def _trunk(b: Builder, pelvis: mujoco.MjsBody) -> None:
    """Pelvis, thorax and a head that is little more than a lid with eyes."""
    pen = Pen()
    b.solids(pelvis, MASS["pelvis"], [pen.ellipsoid((0, 0, -0.03), (0.12, 0.35, 0.22), SHORTS),
                                      pen.capsule((0, -0.36, 0), (0, 0.36, 0), 0.09, SHORTS)])
    b.patch("seat", "seat", pelvis, rows((-0.04, 0.04), 0.10, (-0.255, -0.255)), DOWN)
    thorax = b.part(pelvis, "thorax", (0, 0, 0.04))
    swivel(b, thorax, "lower_spine", Drive((-20, 20), 300))
    b.solids(thorax, MASS["thorax"], [pen.ellipsoid((0, 0, 0.07), (0.12, 0.37, 0.24), COAT)])
    b.looks(thorax, [pen.ellipsoid((0.042, 0, 0.050), (0.088, 0.25, 0.18), CREAM)])
    b.patch("back", "back", thorax, rows((-0.124, -0.124), 0.18, (0.0, 0.14)), BACKWARD)
    b.patch("chest", "chest", thorax, rows((0.136, 0.136), 0.12, (0.0, 0.10)), FORWARD)
    head = b.part(thorax, "head", (0, 0, 0.26))
    swivel(b, head, "neck", Drive((-30, 30), 60))
    b.solids(head, MASS["head"], [pen.ellipsoid(*SKULL, COAT)])
    b.looks(head, _face())


def _face() -> list[Shape]:
    smile = [_on_skull(0.135 * turn, 0.014 + 0.030 * turn**2) for turn in np.linspace(-1, 1, 9)]
    face = [Pen().capsule(start, end, 0.0095, MOUTH) for start, end in pairwise(smile)]
    for sign in (1, -1):
        side = Pen(1, sign, 1)
        face += [side.ball((0.045, 0.090, 0.145), 0.076, COAT), side.ball((0.064, 0.090, 0.148), 0.066, WHITE),
                 side.ball((0.104, 0.084, 0.150), 0.035, EYE), side.ball((0.132, 0.092, 0.166), 0.010, WHITE),
                 side.ellipsoid(_on_skull(0.150, 0.052), (0.016, 0.028, 0.022), CHEEK)]
    return face


def _on_skull(y: float, z: float) -> tuple[float, float, float]:
    """The point of the face at y and z."""
    (x, _, middle), (deep, wide, tall) = SKULL
    return x + deep * float(np.sqrt(1 - (y / wide) ** 2 - ((z - middle) / tall) ** 2)), y, z


def _leg(b: Builder, pelvis: mujoco.MjsBody, side: str, sign: float) -> np.ndarray:
    parts = leg(b, pelvis, side, sign, LEG)
    pen, (half, wide) = Pen(1, sign, 1), SOLE
    b.solids(parts.thigh, MASS["thigh"], [pen.capsule((0, 0, 0), (0, 0, -LEG.thigh), 0.065, COAT)])
    b.looks(parts.thigh, [pen.ball((0, 0, 0), 0.108, SHORTS),
                          pen.ellipsoid((0, 0, -0.075), (0.110, 0.106, 0.150), SHORTS)])
    b.solids(parts.shank, MASS["shank"], [pen.capsule((0, 0, 0), (0, 0, -LEG.shank), 0.052, COAT)])
    b.looks(parts.shank, [pen.ball((0, 0, 0), 0.074, COAT), pen.ellipsoid((0, 0, -0.11), (0.070, 0.066, 0.16), COAT)])
    b.patch(f"{side}_knee", "knee", parts.shank, [(0.078, 0.02, 0.0), (0.078, -0.02, 0.0)], FORWARD)
    b.patch(f"{side}_shank", "shank", parts.shank, [(0.072, 0, -0.08), (0.060, 0, -0.20)], FORWARD)
    b.solids(parts.foot, MASS["foot"], [pen.ellipsoid((0, 0, -0.020), (0.080, 0.066, 0.049), CREAM),
                                        pen.capsule((-0.06, 0, -0.036), (0.06, 0, -0.036), 0.030, CREAM)])
    b.looks(parts.foot, [pen.ellipsoid((-0.010, 0, -0.036), (0.095, 0.078, 0.040), CREAM),
                         pen.ellipsoid((-0.062, 0, -0.046), (0.064, 0.080, 0.028), CREAM),
                         *(pen.ellipsoid((0.080 - 2 * y * y, y, -0.040), (0.050, 0.032, 0.034), CREAM)
                           for y in (-0.050, 0.0, 0.050))])
    return b.sole(parts.foot, f"{side}_foot", -half, half, wide, -ANKLE, CREAM)
