"""Other people: built as the human is, from other figures."""

from __future__ import annotations

from gambol.bodies.character import Character
from gambol.bodies.creatures.human import HumanPlan, build
from gambol.bodies.creatures.human_looks import Palette

# A five-year-old: a head of a sixth of the mass and a fifth of the height, short legs.
CHILD_MASS = dict(head=0.150, thorax=0.200, abdomen=0.130, pelvis=0.125, upper_arm=0.028, forearm=0.015, hand=0.0085,
                  thigh=0.085, shank=0.043, foot=0.018)
CHILD_LENGTH = dict(hip=0.490, knee=0.262, ankle=0.042, shoulder=0.770, upper_arm=0.175, forearm=0.137, hand=0.103,
                    foot=0.155, foot_breadth=0.062, hip_spread=0.098, shoulder_spread=0.238)
CHILD_COLORS = Palette(skin=(0.93, 0.74, 0.61, 1), shirt=(0.96, 0.74, 0.24, 1), trim=(0.97, 0.95, 0.90, 1),
                       trousers=(0.24, 0.42, 0.66, 1), lower_leg=(0.93, 0.74, 0.61, 1),
                       belt=(0.20, 0.34, 0.55, 1), shoe=(0.85, 0.26, 0.28, 1),
                       hair=(0.50, 0.29, 0.14, 1))

ASYMMETRIC_COLORS = Palette(skin=(0.55, 0.38, 0.28, 1), shirt=(0.55, 0.32, 0.60, 1), trousers=(0.28, 0.30, 0.29, 1),
                            lower_leg=(0.28, 0.30, 0.29, 1),
                            shoe=(0.30, 0.62, 0.50, 1), hair=(0.10, 0.08, 0.08, 1))


def child() -> Character:
    """A five-year-old of 1.10 m and 19 kg: big head, short legs, a child's strength."""
    return build(HumanPlan("child", height=1.10, mass=19.0, mass_fraction=CHILD_MASS, length_fraction=CHILD_LENGTH,
                           palette=CHILD_COLORS, girth=1.08), child.__doc__ or "")


def asymmetric() -> Character:
    """A human with one long arm (left) and one thick leg (right)."""
    return build(HumanPlan("asymmetric", palette=ASYMMETRIC_COLORS, arm_length={"left": 1.4},
                           leg_girth={"right": 1.5}), asymmetric.__doc__ or "")
