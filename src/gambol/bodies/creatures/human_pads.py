"""Where people carry load besides their soles: drawn for the left side of the adult, in metres, as `human_looks` is.

Every place stands a little out of the flesh that collides there, so that the stiff pad under it touches first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.bodies.builder import BACKWARD, DOWN, FORWARD, PAD_RADIUS, UP, Builder, rows
from gambol.bodies.shapes import Pen, Triple

INWARD = (0.0, -1.0, 0.0)
THIN = 0.012
"""Radius of the pads of forearms and shins, m."""


@dataclass(frozen=True)
class Pad:
    """One patch on a part, of the adult."""

    role: str
    kind: str
    points: Sequence[Triple]
    outward: Triple
    radius: float = PAD_RADIUS


PELVIS = (Pad("seat", "seat", rows((-0.075, -0.005), 0.065, (-0.105, -0.105)), DOWN),)
THORAX = (Pad("back", "back", rows((-0.121, -0.121), 0.06, (0.02, 0.15)), BACKWARD),
          Pad("chest", "chest", rows((0.124, 0.124), 0.06, (0.08, 0.19)), FORWARD))
SHOULDER = (Pad("shoulder", "shoulder", [(x, y, 0.316) for x in (-0.045, 0.035) for y in (0.105, 0.185)], UP),)
"""Two rails from side to side: those of a sole that stands there run from heel to toe and cross them at four places.
Rails of the same direction would lie between each other and carry nothing."""
THIGH = (Pad("thigh", "seat", [(-0.090, 0, -0.08), (-0.078, 0, -0.30)], BACKWARD),)
SHANK = (Pad("knee", "knee", [(0.066, 0.02, -0.015), (0.066, -0.02, -0.015)], FORWARD),
         Pad("shank", "shank", [(0.051, 0, -0.10), (0.049, 0, -0.36)], FORWARD, THIN))
FOREARM = (Pad("elbow", "elbow", [(-0.048, 0, -0.005)], BACKWARD),
           Pad("forearm", "forearm", [(-0.0451, 0, -0.06), (-0.036, 0, -0.23)], BACKWARD, THIN))
HAND = (Pad("palm", "palm", [(x, -0.024, z) for x in (0.028, -0.028) for z in (-0.025, -0.095)], INWARD,
            0.010),)
STIFF_HAND = (Pad("palm", "palm", [(0.0, -0.004, -0.190)], DOWN, 0.010),)
"""The palm of a hand without a wrist is its end: with its inside on a wall, the whole forearm would lie on the wall."""


def put(b: Builder, body: mujoco.MjsBody, pads: Sequence[Pad], pen: Pen, side: str = "",
        away: Triple = (0.0, 0.0, 0.0)) -> None:
    """Pads and their patches on a part, whose origin is `away` (m) from where it is on the adult that was drawn."""
    mirror = np.array([1.0, np.sign(pen.y), 1.0])
    for pad in pads:
        points = (np.array([pen.point(place) for place in pad.points]) - away).tolist()
        b.patch(f"{side}_{pad.role}" if side else pad.role, pad.kind, body, points, (mirror * pad.outward).tolist(),
                pad.radius * abs(pen.x * pen.y) ** 0.5)
