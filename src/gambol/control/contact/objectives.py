"""What contacts ask for: points that stay on what carries them, feet that go back to it."""

from __future__ import annotations

import numpy as np

from gambol.control.contact.patches import MOTION, PatchState
from gambol.control.contact.support import SupportPoints
from gambol.control.objectives import Objective

CONTACT_KP = 400.0
"""Stiffness that brings a point back to its surface, 1/s2."""
HOLD = np.concatenate([-CONTACT_KP * np.eye(3), -2.0 * CONTACT_KP**0.5 * np.eye(3), -np.eye(3)])
"""(9, 3) position, velocity and bias of a point to what holds it on its surface"""
FOOT_KP = 200.0
"""Stiffness that brings a foot back to the ground, 1/s2."""


def hold_contacts(support: SupportPoints, emerging: bool = False) -> Objective:
    """Keep points where they are on what carries them: a spring along the normal, pure damping along the surface.

    With `emerging`, points that come up out of the ground are not braked. Legs that grow are pushed into it, and it
    pushes them out; feet that worked against that would throw the body up and forward.
    """
    together, rows = support.together(), support.jacobian.reshape(3 * support.count, support.jacobian.shape[2])
    target = support.table[:, MOTION].dot(HOLD) + CONTACT_KP * support.ground
    if emerging:
        rising = (support.height < 0.0) * np.maximum((support.velocity * support.normal).sum(axis=1), 0.0)
        target += 2.0 * CONTACT_KP**0.5 * rising[:, None] * support.normal
    return Objective("contact", 1, together.dot(rows), together.dot(target.ravel()))


def props_rest(support: SupportPoints) -> list[Objective]:
    """Loose props that carry the figure come to rest, or stay so; nothing if there are none."""
    return [] if support.loose is None else [support.loose.at_rest(support.jacobian.shape[2])]


def foot_down(sole: PatchState) -> Objective:
    """Bring a foot that is off the ground back to it, level."""
    kv = 2.0 * np.sqrt(FOOT_KP)
    rows = np.einsum("ki,kiv->kv", sole.normal, sole.jacobian)
    speed, bias = np.sum(sole.normal * sole.velocity, axis=1), np.sum(sole.normal * sole.bias, axis=1)
    return Objective("foot down", 3, rows, -FOOT_KP * sole.height - kv * speed - bias, 100.0)
