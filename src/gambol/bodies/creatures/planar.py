"""Bodies that live in the plane x, z: the biped of [delasa2011, table 3.1] and a chain.

Masses, centres of mass and inertias are the published figures, set by hand; only the inertia about y can act. The
shapes are there to be seen and to collide.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import PITCH, ROLL, YAW, Builder
from gambol.bodies.character import Character
from gambol.bodies.limbs import SIDES, Drive, Leg, LegPlan, leg, leg_height, leg_roles
from gambol.bodies.shapes import Pen, Rgba


class Link(NamedTuple):
    """A row of [delasa2011, table 3.1]: length, mass, centre of mass forward of and above the joint, inertia; SI."""

    length: float
    mass: float
    x: float
    z: float
    inertia: float


TRUNK = Link(0.846, 55.47, 0.0, 0.325, 3.670)
THIGH = Link(0.441, 8.18, 0.0, -0.191, 0.166)
SHANK = Link(0.443, 3.81, 0.0, -0.191, 0.068)
FOOT = Link(0.274, 1.19, 0.07, -0.035, 0.001)
HEEL, TOE, SOLE = -0.067, 0.207, -0.07

CHAIN_LINKS, CHAIN_LENGTH, CHAIN_MASS, CHAIN_INERTIA = 4, 0.7, 10.0, 0.41
CHAIN_BASE = 3.2  # metres above the floor: 2.8 m of chain swing clear of it

LIGHT: Rgba = (0.93, 0.92, 0.89, 1)
NEAR: Rgba = (0.90, 0.50, 0.22, 1)
FAR: Rgba = (0.24, 0.46, 0.62, 1)
DARK: Rgba = (0.22, 0.25, 0.30, 1)


# Knees slightly bent and hips over the middle of the feet, as a human's rest pose; ranges are a human's from there.
LEG = LegPlan(hip=(0.0, 0.09, 0.0), thigh=THIGH.length, shank=SHANK.length, lean=(6.0, -14.0),
              hip_flexion=Drive((-36, 114), 300), hip_abduction=None, hip_rotation=None, knee=Drive((-20, 130), 300),
              ankle_flexion=Drive((-64, 16), 250), ankle_inversion=None)


def planar_biped() -> Character:
    """The planar biped of seven links and nine degrees of freedom, 1.80 m and 81.82 kg."""
    b = Builder("planar_biped", armature=0.0)
    trunk = b.spec.worldbody.add_body(name="trunk", pos=[0, 0, leg_height(LEG) - SOLE])
    b.slide(trunk, "root_x", ROLL)
    b.slide(trunk, "root_z", YAW)
    b.hinge(trunk, "root_pitch", PITCH, None, 0)
    _link(b, trunk, TRUNK)
    _draw_trunk(b, trunk)
    soles = {}
    for (side, sign), color in zip(SIDES, (FAR, NEAR), strict=True):
        parts = leg(b, trunk, side, sign, LEG)
        for body, link in zip(parts, (THIGH, SHANK, FOOT), strict=True):
            _link(b, body, link)
        _draw_leg(b, parts, color)
        soles[f"{side}_foot"] = b.rail(parts.foot, f"{side}_foot_rail", HEEL, TOE, 0.0, SOLE)
    b.motors()
    bodies, joints = leg_roles(b, ("left", "right"))
    bodies |= dict(root="trunk", trunk="trunk")
    return Character("planar_biped", b.spec, Anatomy(bodies, joints, soles), doc=planar_biped.__doc__ or "")


def chain() -> Character:
    """A planar chain of four links of 0.7 m and 10 kg on a fixed base."""
    b = Builder("chain", armature=0.0)
    pen = Pen()
    parent, start = b.spec.worldbody, (0.0, 0.0, CHAIN_BASE)
    names = [f"link_{k + 1}" for k in range(CHAIN_LINKS)]
    for k, name in enumerate(names):
        parent = b.part(parent, name, start)
        # Upright at zero; positive angles turn from x to z. Counted from the x axis, the first is pi/2 more.
        b.hinge(parent, f"joint_{k + 1}", (0, -1, 0), None, 300)
        b.inertial(parent, CHAIN_MASS, (0, 0, CHAIN_LENGTH / 2), [CHAIN_INERTIA] * 3)
        color = (FAR, NEAR)[k % 2]
        b.solids(parent, CHAIN_MASS, [pen.capsule((0, 0, 0.03), (0, 0, CHAIN_LENGTH - 0.03), 0.045, color)])
        b.looks(parent, [pen.cylinder((0, -0.06, 0), (0, 0.06, 0), 0.055, DARK),
                         pen.cylinder((0, -0.066, 0), (0, 0.066, 0), 0.028, LIGHT)])
        start = (0.0, 0.0, CHAIN_LENGTH)
    b.looks(parent, [pen.ball((0, 0, CHAIN_LENGTH), 0.06, LIGHT)])
    b.motors()
    zigzag = dict(zip((f"joint_{k + 1}" for k in range(CHAIN_LINKS)), (0.6, -1.2, 1.2, -1.2), strict=True))
    return Character("chain", b.spec, Anatomy({"root": names[0], "hand": names[-1]}), zigzag, chain.__doc__ or "")


def _link(b: Builder, body: mujoco.MjsBody, link: Link) -> None:
    b.inertial(body, link.mass, (link.x, 0, link.z), [link.inertia] * 3)


def _draw_trunk(b: Builder, trunk: mujoco.MjsBody) -> None:
    pen = Pen()
    b.solids(trunk, TRUNK.mass, [pen.capsule((0, 0, 0.02), (0, 0, 0.46), 0.095, LIGHT),
                                 pen.ellipsoid((0, 0, 0.735), (0.095, 0.08, 0.111), LIGHT)])
    b.looks(trunk, [pen.capsule((0, 0, 0.45), (0, 0, 0.70), 0.045, LIGHT),
                    pen.ellipsoid((0.095, 0, 0.72), (0.022, 0.014, 0.018), NEAR)]
            + [pen.ball((0.075, y, 0.755), 0.017, DARK) for y in (0.034, -0.034)]
            + [pen.cylinder((0, -0.115, 0), (0, 0.115, 0), 0.05, DARK)])


def _draw_leg(b: Builder, parts: Leg, color: Rgba) -> None:
    pen = Pen()
    b.solids(parts.thigh, THIGH.mass, [pen.capsule((0, 0, 0), (0, 0, -THIGH.length), 0.058, color)])
    b.solids(parts.shank, SHANK.mass, [pen.capsule((0, 0, 0), (0, 0, -SHANK.length), 0.044, color)])
    b.looks(parts.shank, [pen.cylinder((0, -0.062, 0), (0, 0.062, 0), 0.034, DARK)])
    b.solids(parts.foot, FOOT.mass, [pen.capsule((HEEL + 0.03, 0, -0.033), (TOE - 0.03, 0, -0.038), 0.026, color)])
    b.looks(parts.foot, [pen.cylinder((0, -0.048, 0), (0, 0.048, 0), 0.030, DARK),
                         pen.ellipsoid((0.05, 0, -0.022), (0.085, 0.036, 0.034), color, (0, 10, 0))])
