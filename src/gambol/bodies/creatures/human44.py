"""The human of 44 degrees of freedom: wrists, forearms that turn, clavicles and toes. The body for hands.

The number of degrees of freedom is that of [abe2007, section 3.3]; layout, ranges and shares of the mass are ours, as
none are published: 19 parts, one joint at the waist. It is the same person as `human`, 1.80 m and 81.82 kg, so that the
two can be compared; its strengths were set for a man of 70 kg and are, times mass and height, what `human` has. Only
the ankle keeps the range and strength of `human`: 25 degrees are not enough for stairs (see `human.leg_plan`).

Each sole is on two parts: the heel's points on the foot, those of the ball and of the tip on the toes, which stay flat
while the heel rises.
"""

from __future__ import annotations

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import ARMATURE, SOLE_RADIUS, Builder
from gambol.bodies.character import Character
from gambol.bodies.creatures import human_looks as looks
from gambol.bodies.creatures import human_pads as pads
from gambol.bodies.creatures.human import (
    LOWER_SPINE,
    MASS_FRACTION,
    NECK,
    UPPER_SPINE,
    HumanPlan,
    draw_head,
    draw_legs,
    leg_plan,
    rest_pose,
    shoulder_height,
    trunk_pen,
)
from gambol.bodies.creatures.human_looks import Palette
from gambol.bodies.limbs import SIDES, Drive, leg, leg_roles, swivel, swivel_joints
from gambol.bodies.patches import Patch
from gambol.bodies.shapes import Pen

FRACTION_44 = {**MASS_FRACTION, "upper_arm": 0.024, "clavicle": 0.004, "foot": 0.0115, "toes": 0.003}
COLORS = Palette(shirt=(0.79, 0.33, 0.27, 1), trousers=(0.16, 0.20, 0.27, 1), lower_leg=(0.16, 0.20, 0.27, 1),
                 shoe=(0.20, 0.47, 0.62, 1), hair=(0.42, 0.24, 0.13, 1))
WAIST = 0.15
"""The waist above the hips, of the adult, m: between the third and the fourth lumbar vertebra."""
CLAVICLE = 0.03
"""The inner end of a clavicle beside the midline, of the adult, m."""
TOE_HEIGHT = 0.025
"""The joint of the toes above the ground, of the adult, m."""


def human44() -> Character:
    """The human with wrists, turning forearms, clavicles and toes: 44 degrees of freedom."""
    plan = HumanPlan("human44", mass_fraction=FRACTION_44, palette=COLORS)
    b = Builder(plan.name, armature=ARMATURE * plan.size**5)
    pelvis = b.root("pelvis", plan.length("hip"))
    trunk = _trunk(b, pelvis, plan)
    for side, sign in SIDES:
        _arm(b, trunk, side, sign, plan)
    feet = {f"{side}_foot": _leg(b, pelvis, side, sign, plan) for side, sign in SIDES}
    b.motors()
    return Character(plan.name, b.spec, _anatomy(b, feet), rest=rest_pose(), doc=human44.__doc__ or "")


def _trunk(b: Builder, pelvis: mujoco.MjsBody, plan: HumanPlan) -> mujoco.MjsBody:
    """Pelvis, trunk and head; returns the trunk."""
    paint, pen = plan.palette, trunk_pen(plan)
    looks.draw(b, pelvis, plan.part_mass("pelvis"), looks.pelvis(pen, paint))
    pads.put(b, pelvis, pads.PELVIS, pen)
    trunk = b.part(pelvis, "thorax", (0, 0, WAIST * plan.trunk))
    for axis, turn, degrees in (("pitch", (0, 1, 0), (-30, 70)), ("roll", (1, 0, 0), (-30, 30)),
                                ("yaw", (0, 0, 1), (-40, 40))):
        b.hinge(trunk, f"waist_{axis}", turn, degrees, 300 * plan.strength)
    for part, drawing, height in (("abdomen", looks.abdomen(pen, paint), LOWER_SPINE),
                                  ("thorax", looks.thorax(pen, paint, girdle=(0.100, 0.110)), UPPER_SPINE)):
        looks.draw(b, trunk, plan.part_mass(part), looks.moved(drawing, 0.0, (height - WAIST) * plan.trunk))
    pads.put(b, trunk, pads.THORAX, pen, away=(0.0, 0.0, (WAIST - UPPER_SPINE) * plan.trunk))
    head = b.part(trunk, "head", (0, 0, _shoulder(plan) + NECK * plan.size))
    swivel(b, head, "neck", Drive((-45, 45), 60 * plan.strength))
    draw_head(b, head, plan)
    return trunk


def _shoulder(plan: HumanPlan) -> float:
    """Shoulders above the waist."""
    return shoulder_height(plan) + (UPPER_SPINE - WAIST) * plan.trunk


def _arm(b: Builder, trunk: mujoco.MjsBody, side: str, sign: float, plan: HumanPlan) -> None:
    """Clavicle, upper arm, forearm and hand.

    Positive angles bring the shoulder up and forward, turn the palm to the front, bend the hand to the palm and to the
    side of the thumb.
    """
    paint, girth, strong = plan.palette, plan.size * plan.girth, plan.strength
    inner, out = CLAVICLE * plan.of_adult("shoulder_spread"), plan.length("shoulder_spread") / 2
    clavicle = b.part(trunk, f"{side}_clavicle", (0, sign * inner, _shoulder(plan)))
    b.hinge(clavicle, f"{side}_clavicle_elevation", (sign, 0, 0), (-20, 20), 96 * strong)
    b.hinge(clavicle, f"{side}_clavicle_protraction", (0, 0, -sign), (-20, 20), 96 * strong)
    looks.draw(b, clavicle, plan.part_mass("clavicle"), looks.clavicle(Pen(girth, sign * girth, girth), paint))
    pen = trunk_pen(plan)
    pads.put(b, clavicle, pads.SHOULDER, Pen(pen.x, sign * pen.y, pen.z), side,
             away=(0.0, sign * inner, shoulder_height(plan)))
    upper = b.part(clavicle, f"{side}_upper_arm", (0, sign * (out - inner), 0))
    b.hinge(upper, f"{side}_shoulder_flexion", (0, -1, 0), (-90, 180), 120 * strong)
    b.hinge(upper, f"{side}_shoulder_abduction", (sign, 0, 0), (-30, 150), 120 * strong)
    b.hinge(upper, f"{side}_shoulder_rotation", (0, 0, sign), (-80, 80), 120 * strong)
    pen = Pen(girth, sign * girth, plan.of_adult("upper_arm"))
    looks.draw(b, upper, plan.part_mass("upper_arm"), looks.upper_arm(pen, paint))
    forearm = b.part(upper, f"{side}_forearm", (0, 0, -plan.length("upper_arm")))
    b.hinge(forearm, f"{side}_elbow", (0, -1, 0), (0, 145), 80 * strong)
    b.hinge(forearm, f"{side}_forearm_rotation", (0, 0, sign), (-80, 80), 80 * strong)
    pen = Pen(girth, sign * girth, plan.of_adult("forearm"))
    looks.draw(b, forearm, plan.part_mass("forearm"), looks.forearm(pen, paint))
    pads.put(b, forearm, pads.FOREARM, pen, side)
    hand = b.part(forearm, f"{side}_hand", (0, 0, -plan.length("forearm")))
    b.hinge(hand, f"{side}_wrist_flexion", (-sign, 0, 0), (-70, 70), 36 * strong)
    b.hinge(hand, f"{side}_wrist_deviation", (0, -1, 0), (-25, 25), 36 * strong)
    size = plan.of_adult("hand")
    pen = Pen(size, sign * size, size)
    looks.draw(b, hand, plan.part_mass("hand"), looks.wrist(pen, paint))
    pads.put(b, hand, pads.HAND, pen, side)


def _leg(b: Builder, pelvis: mujoco.MjsBody, side: str, sign: float, plan: HumanPlan) -> Patch:
    """Thigh, shank, foot and toes; returns the sole."""
    measures = leg_plan(plan)
    parts = leg(b, pelvis, side, sign, measures)
    draw_legs(b, parts, side, sign, plan, measures)
    size, ankle, width, r = plan.of_adult("foot"), plan.length("ankle"), plan.length("foot_breadth") / 2, SOLE_RADIUS
    middle, half = 0.07 * plan.size, plan.length("foot") / 2
    bend, depth = looks.BALL * size, ankle - TOE_HEIGHT * plan.size
    toes = b.part(parts.foot, f"{side}_toes", (bend, 0, -depth))
    b.hinge(toes, f"{side}_toes", (0, -1, 0), (-10, 50), 48 * plan.strength)
    pen = Pen(size, sign * plan.of_adult("foot_breadth"), plan.of_adult("ankle"))
    drawn, tip = looks.hinged_foot(pen, plan.palette)
    looks.draw(b, parts.foot, plan.part_mass("foot"), drawn)
    looks.draw(b, toes, plan.part_mass("toes"), looks.moved(tip, -bend, depth))
    rails = []
    for name, y in (("left", width - r), ("right", r - width)):
        back = b.rail(parts.foot, f"{side}_foot_{name}_rail", middle - half + r, bend - 1.2 * r, y, -ankle,
                      color=plan.palette.white)
        front = b.rail(toes, f"{side}_toes_{name}_rail", 0.0, middle + half - r - bend, y, depth - ankle,
                       color=plan.palette.white)
        rails.append((back[0], *(front + [bend, 0.0, -depth])))
    points = np.array([rail[k] for k in (0, 1, 2) for rail in rails])
    return Patch("sole", f"{side}_foot", points, heel=2, toes=f"{side}_toes")


def _anatomy(b: Builder, feet: dict[str, Patch]) -> Anatomy:
    bodies, joints = leg_roles(b, ("left", "right"))
    bodies |= dict(root="pelvis", trunk="thorax", head="head")
    joints |= dict(lower_spine=swivel_joints("waist"), neck=swivel_joints("neck"))
    for side in ("left", "right"):
        bodies |= {f"{side}_{part}": f"{side}_{part}"
                   for part in ("clavicle", "upper_arm", "forearm", "hand", "toes")}
        joints |= {f"{side}_clavicle": tuple(f"{side}_clavicle_{a}" for a in ("elevation", "protraction")),
                   f"{side}_shoulder": tuple(f"{side}_shoulder_{a}" for a in ("flexion", "abduction", "rotation")),
                   f"{side}_elbow": (f"{side}_elbow", f"{side}_forearm_rotation"),
                   f"{side}_wrist": (f"{side}_wrist_flexion", f"{side}_wrist_deviation"),
                   f"{side}_toes": (f"{side}_toes",)}
    return Anatomy(bodies, joints, {role: sole.points for role, sole in feet.items()}, feet | b.patches)
