"""The human: 35 degrees of freedom, 1.80 m, 81.82 kg, a 50th-percentile North American male.

Masses and lengths are the fractions of body mass and height of [winter2004]. Ranges and strengths are ours:
[delasa2011, section 4.5] publishes none. Shoulders flex to 180 degrees, as people's do, so that arms can be raised
overhead and swung round. Zero pose: standing straight, arms down. `HumanPlan` holds the figures of one person;
`people.py` has others; `human_looks.py` draws them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import ARMATURE, Builder
from gambol.bodies.character import Character
from gambol.bodies.creatures import human_looks as looks
from gambol.bodies.creatures import human_pads as pads
from gambol.bodies.creatures.human_looks import Palette
from gambol.bodies.limbs import SIDES, Drive, Leg, LegPlan, leg, leg_roles, swivel, swivel_joints
from gambol.bodies.shapes import Pen

HEIGHT, MASS = 1.80, 81.82

MASS_FRACTION = dict(head=0.081, thorax=0.216, abdomen=0.139, pelvis=0.142, upper_arm=0.028, forearm=0.016, hand=0.006,
                     thigh=0.100, shank=0.0465, foot=0.0145)

# Heights of joints and lengths of parts as fractions of the body height. `hip_spread` is the distance between the hip
# joints, half the width over the hip bones.
LENGTH_FRACTION = dict(hip=0.530, knee=0.285, ankle=0.039, shoulder=0.818, upper_arm=0.186, forearm=0.146, hand=0.108,
                       foot=0.152, foot_breadth=0.055, hip_spread=0.0955, shoulder_spread=0.259)

# Of the adult, in metres: the spine's joints above the hips and the neck's above the shoulders.
LOWER_SPINE, UPPER_SPINE, NECK = 0.10, 0.26, 0.06


@dataclass(frozen=True)
class HumanPlan:
    """The figures of one person."""

    name: str = "human"
    height: float = HEIGHT
    mass: float = MASS
    mass_fraction: Mapping[str, float] = field(default_factory=lambda: MASS_FRACTION)
    length_fraction: Mapping[str, float] = field(default_factory=lambda: LENGTH_FRACTION)
    palette: Palette = field(default_factory=Palette)
    girth: float = 1.0
    """thickness of trunk and limbs, relative to an adult of this height"""
    arm_length: Mapping[str, float] = field(default_factory=dict)
    """side -> factor on that arm"""
    leg_girth: Mapping[str, float] = field(default_factory=dict)
    """side -> factor on that leg's thickness"""

    def length(self, part: str) -> float:
        return self.length_fraction[part] * self.height

    def of_adult(self, part: str) -> float:
        """A length relative to the adult's."""
        return self.length(part) / (LENGTH_FRACTION[part] * HEIGHT)

    def part_mass(self, part: str, factor: float = 1.0) -> float:
        return self.mass_fraction[part] * self.mass * factor

    @property
    def size(self) -> float:
        return self.height / HEIGHT

    @property
    def trunk(self) -> float:
        """Hips to shoulders, relative to the adult's."""
        adult = LENGTH_FRACTION["shoulder"] - LENGTH_FRACTION["hip"]
        return self.size * (self.length_fraction["shoulder"] - self.length_fraction["hip"]) / adult

    @property
    def strength(self) -> float:
        """Torques grow with weight times length, so that people of all sizes feel as strong to themselves."""
        return self.mass / MASS * self.size


def human() -> Character:
    """An adult man of 1.80 m and 81.82 kg with 35 degrees of freedom."""
    return build(HumanPlan(), human.__doc__ or "")


def build(plan: HumanPlan, doc: str) -> Character:
    """A person from a plan."""
    b = Builder(plan.name, armature=ARMATURE * plan.size**5)
    pelvis = b.root("pelvis", plan.length("hip"))
    thorax = _trunk(b, pelvis, plan)
    for side, sign in SIDES:
        _arm(b, thorax, side, sign, plan)
    soles = {f"{side}_foot": _leg(b, pelvis, side, sign, plan) for side, sign in SIDES}
    b.motors()
    return Character(plan.name, b.spec, _anatomy(b, soles), rest=rest_pose(), doc=doc)


def rest_pose(knee: float = 0.3, forward: float = 0.065) -> dict[str, float]:
    """Relaxed standing, in radians: knees slightly bent, weight over the middle of the feet, arms a little off.

    Level trunk and flat feet leave one freedom, how the knee's bend is shared; the hips are `forward` of the ankles,
    as a fraction of the leg, if the hip flexes by half the bend less that.
    """
    hip = knee / 2 - forward
    pose: dict[str, float] = {}
    for side, _ in SIDES:
        pose |= {f"{side}_hip_flexion": hip, f"{side}_knee": knee, f"{side}_ankle_flexion": knee - hip,
                 f"{side}_shoulder_abduction": 0.12, f"{side}_elbow": 0.25}
    return pose


def _trunk(b: Builder, pelvis: mujoco.MjsBody, plan: HumanPlan) -> mujoco.MjsBody:
    """Pelvis, abdomen, thorax and head on three ball-like joints; returns the thorax."""
    paint = plan.palette
    spine, neck = Drive((-30, 30), 300 * plan.strength), Drive((-45, 45), 60 * plan.strength)
    pen = trunk_pen(plan)
    looks.draw(b, pelvis, plan.part_mass("pelvis"), looks.pelvis(pen, paint))
    pads.put(b, pelvis, pads.PELVIS, pen)
    abdomen = b.part(pelvis, "abdomen", (0, 0, LOWER_SPINE * plan.trunk))
    swivel(b, abdomen, "lower_spine", spine)
    looks.draw(b, abdomen, plan.part_mass("abdomen"), looks.abdomen(pen, paint))
    thorax = b.part(abdomen, "thorax", (0, 0, (UPPER_SPINE - LOWER_SPINE) * plan.trunk))
    swivel(b, thorax, "upper_spine", spine)
    looks.draw(b, thorax, plan.part_mass("thorax"), looks.thorax(pen, paint))
    pads.put(b, thorax, pads.THORAX, pen)
    for side, sign in SIDES:
        pads.put(b, thorax, pads.SHOULDER, Pen(pen.x, sign * pen.y, pen.z), side)
    head = b.part(thorax, "head", (0, 0, shoulder_height(plan) + NECK * plan.size))
    swivel(b, head, "neck", neck)
    draw_head(b, head, plan)
    return thorax


def trunk_pen(plan: HumanPlan) -> Pen:
    """Draws the parts of the trunk."""
    width = plan.of_adult("shoulder_spread") * plan.girth
    return Pen((width + plan.size * plan.girth) / 2, width, plan.trunk)


def draw_head(b: Builder, head: mujoco.MjsBody, plan: HumanPlan) -> None:
    """Head and face, of the height that the body leaves for them."""
    above = plan.height - plan.length("shoulder") - NECK * plan.size  # the head's joint to the crown
    tall = above / looks.CROWN
    young = tall / plan.size  # children have big heads, round faces and big eyes
    wide = tall * young**0.4
    looks.draw(b, head, plan.part_mass("head"), looks.head(Pen(wide, wide, tall), plan.palette, eye=young))


def shoulder_height(plan: HumanPlan) -> float:
    """Shoulders above the thorax's origin."""
    return plan.length("shoulder") - plan.length("hip") - UPPER_SPINE * plan.trunk


def _arm(b: Builder, thorax: mujoco.MjsBody, side: str, sign: float, plan: HumanPlan) -> None:
    paint, longer, girth, strong = plan.palette, plan.arm_length.get(side, 1.0), plan.size * plan.girth, plan.strength
    upper = b.part(thorax, f"{side}_upper_arm", (0, sign * plan.length("shoulder_spread") / 2, shoulder_height(plan)))
    b.hinge(upper, f"{side}_shoulder_flexion", (0, -1, 0), (-90, 180), 120 * strong)
    b.hinge(upper, f"{side}_shoulder_abduction", (sign, 0, 0), (-30, 150), 120 * strong)
    b.hinge(upper, f"{side}_shoulder_rotation", (0, 0, sign), (-80, 80), 120 * strong)
    pen = Pen(girth, sign * girth, plan.of_adult("upper_arm") * longer)
    looks.draw(b, upper, plan.part_mass("upper_arm", longer), looks.upper_arm(pen, paint))
    forearm = b.part(upper, f"{side}_forearm", (0, 0, -plan.length("upper_arm") * longer))
    b.hinge(forearm, f"{side}_elbow", (0, -1, 0), (0, 145), 80 * strong)
    pen = Pen(girth, sign * girth, plan.of_adult("forearm") * longer)
    looks.draw(b, forearm, plan.part_mass("forearm", longer), looks.forearm(pen, paint))
    pads.put(b, forearm, pads.FOREARM, pen, side)
    hand = b.part(forearm, f"{side}_hand", (0, 0, -plan.length("forearm") * longer))
    size = plan.of_adult("hand")
    pen = Pen(size, sign * size, size)
    looks.draw(b, hand, plan.part_mass("hand"), looks.hand(pen, paint))
    pads.put(b, hand, pads.STIFF_HAND, pen, side)


def leg_plan(plan: HumanPlan) -> LegPlan:
    """Measures and joints of both legs.

    Under load a healthy adult's ankle bends about 40 degrees (weight-bearing lunge), more than the 30 it had at first.
    """
    strong = plan.strength
    return LegPlan(
        hip=(0, plan.length("hip_spread") / 2, 0), thigh=plan.length("hip") - plan.length("knee"),
        shank=plan.length("knee") - plan.length("ankle"),
        hip_flexion=Drive((-30, 120), 300 * strong), hip_abduction=Drive((-30, 45), 200 * strong),
        hip_rotation=Drive((-40, 40), 100 * strong), knee=Drive((0, 150), 300 * strong),
        ankle_flexion=Drive((-50, 40), 250 * strong), ankle_inversion=Drive((-25, 25), 100 * strong))


def draw_legs(b: Builder, parts: Leg, side: str, sign: float, plan: HumanPlan, measures: LegPlan) -> None:
    """Thigh and shank."""
    paint, thicker = plan.palette, plan.leg_girth.get(side, 1.0)
    girth = plan.size * plan.girth * thicker
    pen = Pen(girth, sign * girth, measures.thigh / looks.THIGH)
    looks.draw(b, parts.thigh, plan.part_mass("thigh", thicker**2), looks.thigh(pen, paint))
    pads.put(b, parts.thigh, pads.THIGH, pen, side)
    pen = Pen(girth, sign * girth, measures.shank / looks.SHANK)
    looks.draw(b, parts.shank, plan.part_mass("shank", thicker**2), looks.shank(pen, paint))
    pads.put(b, parts.shank, pads.SHANK, pen, side)


def _leg(b: Builder, pelvis: mujoco.MjsBody, side: str, sign: float, plan: HumanPlan) -> np.ndarray:
    """Thigh, shank and foot; returns the sole points."""
    measures = leg_plan(plan)
    parts = leg(b, pelvis, side, sign, measures)
    draw_legs(b, parts, side, sign, plan, measures)
    paint = plan.palette
    ankle, middle = plan.length("ankle"), 0.07 * plan.size
    half, half_width = plan.length("foot") / 2, plan.length("foot_breadth") / 2
    pen = Pen(plan.of_adult("foot"), sign * plan.of_adult("foot_breadth"), plan.of_adult("ankle"))
    looks.draw(b, parts.foot, plan.part_mass("foot"), looks.foot(pen, paint))
    return b.sole(parts.foot, f"{side}_foot", middle - half, middle + half, half_width, -ankle, paint.white)


def _anatomy(b: Builder, soles: dict[str, np.ndarray]) -> Anatomy:
    legs, leg_joints = leg_roles(b, ("left", "right"))
    bodies = dict(root="pelvis", trunk="thorax", head="head") | legs
    joints = {name: swivel_joints(name) for name in ("lower_spine", "upper_spine", "neck")} | leg_joints
    for side in ("left", "right"):
        bodies |= {f"{side}_{part}": f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")}
        joints |= {f"{side}_shoulder": tuple(f"{side}_shoulder_{a}" for a in ("flexion", "abduction", "rotation")),
                   f"{side}_elbow": (f"{side}_elbow",)}
    return Anatomy(bodies, joints, soles, b.patches)
