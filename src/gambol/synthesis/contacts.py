"""Contact rows: what residuals and measures need to know of each contact point of a scene, besides its place in z."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gambol.synthesis.problem import Actor

HAND, GRIP = 1.2, 4.0
"""Factors on what force costs at a hand, and at a hand on a prop, against 1 at a foot. Dear force at a distance is what
leads the hand to the prop."""


@dataclass(frozen=True)
class ContactRow:
    """One contact point. Answers to "whether" are 1 or 0: every residual is computed and multiplied by its answer."""

    point: np.ndarray
    """place of the contact in the frame of its limb or trunk, m"""
    radius: float
    """radius of the limb's end about that place, m"""
    share: float
    """weight of this point in the terms of its contact: one over the root of the number of points"""
    unit: float
    """mass of the lighter of the two bodies that touch, in masses of the first character"""
    reluctance: float
    """factor on what its force costs: `GRIP` on a prop, else `HAND` at a hand, else 1"""
    prop: float
    """whether the contact is one of a prop's own"""
    limb: float
    """whether it is at a limb, not at the trunk"""
    burden: float
    """factor on what its force costs this character: the `burden` of the scene"""
    friction: float
    """coefficient of friction"""
    cone: float
    """whether its force must be in the friction cone: it need not where hands grip"""
    skim: float
    """whether it is at a foot, which should not skim the ground"""
    sole: float
    """whether it is one of the points of a sole, which should lie flat"""
    anchor: np.ndarray
    """the place that must not slip, in the same frame, m: a limb's origin, else the place of the contact"""
    held: float
    """whether it touches a prop"""
    half: np.ndarray
    """half sizes of the box of the other actor that it touches, m; zero if it touches the surroundings"""
    center: np.ndarray
    """middle of that box in the other actor's frame, m"""


def contact_point(actors: Sequence[Actor], row: np.ndarray) -> np.ndarray:
    """Where a contact is in its frame. `row`: of `Layout.contacts`."""
    puppet = actors[row[0]].puppet
    if row[2] < 0:
        return np.zeros(3)
    return np.asarray(puppet.points[row[2]] if row[1] < 0 else puppet.limbs[row[1]].points[row[2]])


def contact_row(actors: Sequence[Actor], row: np.ndarray) -> ContactRow:
    """All about one contact. `row`: of `Layout.contacts`."""
    actor = actors[row[0]]
    limb = actor.puppet.limbs[row[1]] if row[1] >= 0 else None
    foot = limb is not None and limb.is_foot
    sole = foot and row[4] < 0
    count = len(limb.points) if limb and sole else len(actor.puppet.points) if actor.is_prop else 1
    other = actors[row[4]] if row[4] >= 0 else None
    grip = limb is not None and not foot and (actor.grip or (other is not None and other.is_prop))
    masses = [body.puppet.mass for body in (actor, other) if body is not None]
    half, center = (np.zeros(3), np.zeros(3)) if other is None else (other.half, other.center)
    if foot and other is not None and not other.is_prop:  # one stands on a partner, not against its chest
        half, center = np.array([*half[:2], 0.0]), center + np.array([0.0, 0.0, half[2]])
    point = contact_point(actors, row)
    return ContactRow(
        point=point, radius=limb.radius if limb is not None else 0.0, share=1 / np.sqrt(count),
        unit=min(masses) / actors[0].puppet.mass,
        reluctance=GRIP if other is not None and other.is_prop else HAND if limb and not foot else 1.0,
        prop=float(actor.is_prop), limb=float(limb is not None), burden=actor.burden, friction=actor.friction,
        cone=0.0 if grip else 1.0, skim=float(foot), sole=float(sole and count > 2),
        anchor=np.zeros(3) if limb is not None else point, held=float(other is not None and other.is_prop),
        half=half, center=center)
