"""Your own character: a small creature from nothing, forty lines, and it balances.

A character is a body tree plus its anatomy: which part is the root, which are the feet, where the soles are. Behaviors
ask for these roles and never for names, so `balance` works on a body it has never seen. `Builder` has the small words:
a part, a hinge with its range and strength, solids that carry mass, a sole. Metres, kilograms, degrees, x forward,
z up. For a model that you have as a MuJoCo file, see docs/own-character.md.

    python examples/04_own_character.py          writes pip.npz and big_pip.npz here
"""

import sys
from pathlib import Path

from gambol import Character, Push, simulate
from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import Builder
from gambol.bodies.limbs import SIDES, Drive, LegPlan, leg, leg_height, leg_roles
from gambol.bodies.shapes import Pen

ANKLE = 0.03  # above the ground, m
LEG = LegPlan(hip=(-0.02, 0.07, 0.0), thigh=0.16, shank=0.16, lean=(20, -20),
              hip_flexion=Drive((-60, 80), 40), hip_abduction=Drive((-30, 40), 40), hip_rotation=Drive((-30, 30), 20),
              knee=Drive((-35, 100), 40), ankle_flexion=Drive((-50, 40), 30), ankle_inversion=Drive((-30, 30), 20))
BLUE, PALE, DARK = (0.25, 0.55, 0.75, 1), (0.95, 0.93, 0.85, 1), (0.15, 0.15, 0.18, 1)


def pip() -> Character:
    """A round creature of 7 kg on two legs, without arms."""
    b, pen = Builder("pip", armature=0.001), Pen()
    body = b.root("body", leg_height(LEG) + ANKLE)
    b.solids(body, 4.0, [pen.ellipsoid((0, 0, 0.12), (0.14, 0.13, 0.16), BLUE)])
    b.looks(body, [pen.ball((0.115, y, 0.19), 0.025, PALE) for y in (0.05, -0.05)]
            + [pen.ball((0.132, y, 0.193), 0.012, DARK) for y in (0.05, -0.05)])
    soles = {}
    for side, sign in SIDES:
        parts = leg(b, body, side, sign, LEG)
        b.solids(parts.thigh, 0.8, [pen.capsule((0, 0, 0), (0, 0, -LEG.thigh), 0.035, BLUE)])
        b.solids(parts.shank, 0.4, [pen.capsule((0, 0, 0), (0, 0, -LEG.shank), 0.025, PALE)])
        b.solids(parts.foot, 0.3, [pen.box((0.02, 0, -0.015), (0.07, 0.035, 0.008), DARK)])
        soles[f"{side}_foot"] = b.sole(parts.foot, f"{side}_foot", -0.05, 0.09, 0.035, -ANKLE)
    b.motors()
    bodies, joints = leg_roles(b, ("left", "right"))
    return Character("pip", b.spec, Anatomy(bodies | {"root": "body", "trunk": "body"}, joints, soles))


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for name, character, newtons in (("pip", pip(), 20), ("big_pip", pip().scaled(height=1.2), 200)):
        run = simulate("balance", character, seconds=2, pushes=[Push(0.5, "trunk", (0, newtons, 0))])
        path = run.motion.save(folder / f"{name}.npz")
        mass = run.motion.model.body_subtreemass[0]
        print(f"wrote {path}: {mass:.1f} kg, pushed with {newtons} N for 0.1 s, "
              f"{'fell' if run.summary['fell'] else 'did not fall'}")
