"""Heels that rise: how much longer a leg is on its toes, at the end of its stance and when its foot lands lower.

In an adult's units, as all of a preview.
"""

from __future__ import annotations

import numpy as np

HEEL_RISE = (0.15, 0.4, 0.08)
"""A hip this far ahead of its ankle, m, gets this share of the rest, up to the last, from a rising heel."""
TOE_OFF = (0.55, 0.25, 0.07)
"""On ground steeper than the first, all of it if it is so much steeper, a foot behind pushes with its toes while both
stand: its heel rises higher by up to the last, m."""
TIPTOE = (0.1, 0.5, 0.08)
"""A foot that lands lower than the other by the first, m, lands on its toes: its ankle is higher by this share of the
rest, up to the last."""
ON_TOES = (0.3, 0.9)
"""Between these coordinates of the pressure, heel 0 to toe 1, the heel comes off the ground."""


def risen(ahead: np.ndarray | float, flies: np.ndarray | bool, most: np.ndarray | float = HEEL_RISE[2]) -> np.ndarray:
    """How much longer a leg gets by a rising heel, m, if its hip is so far ahead of its ankle, a jumper's sooner."""
    return np.minimum(np.maximum(HEEL_RISE[1] * (ahead - HEEL_RISE[0] * ~np.asarray(flies)), 0.0), most)


def tiptoe(down: np.ndarray | float) -> np.ndarray:
    """How much higher an ankle is, m, when its foot lands on its toes, lower than the other foot by so much."""
    return np.minimum(np.maximum(TIPTOE[1] * (down - TIPTOE[0]), 0.0), TIPTOE[2])


def toe_off(steep: float) -> float:
    """How much higher the heel of a foot behind rises, m, on ground that is so steep."""
    return TOE_OFF[2] * min(max((steep - TOE_OFF[0]) / TOE_OFF[1], 0.0), 1.0)


def on_toes(pressure: np.ndarray) -> np.ndarray:
    """How much of the weight is on the toes, by the pressure's coordinate from heel to toe."""
    return np.minimum(np.maximum((pressure - ON_TOES[0]) / (ON_TOES[1] - ON_TOES[0]), 0.0), 1.0)
