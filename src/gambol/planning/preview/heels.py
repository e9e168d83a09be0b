"""Heels that rise: how much longer a leg is on its toes, at the end of its stance and when its foot lands lower.

In an adult's units, as all of a preview.
"""

from __future__ import annotations

import numpy as np

from gambol.planning.preview.gains import USUAL, RisingGains


def risen(ahead: np.ndarray | float, flies: np.ndarray | bool, gains: RisingGains = USUAL.rising,
          most: np.ndarray | float | None = None) -> np.ndarray:
    """How much longer a leg gets by a rising heel, m, if its hip is so far ahead of its ankle, a jumper's sooner."""
    most = gains.most if most is None else most
    return np.minimum(np.maximum(gains.rise * (ahead - gains.ahead * ~np.asarray(flies)), 0.0), most)


def tiptoe(down: np.ndarray | float, gains: RisingGains = USUAL.rising) -> np.ndarray:
    """How much higher an ankle is, m, when its foot lands on its toes, lower than the other foot by so much."""
    return np.minimum(np.maximum(gains.tiptoe * (down - gains.down), 0.0), gains.tiptoe_most)


def toe_off(steep: float, gains: RisingGains = USUAL.rising) -> float:
    """How much higher the heel of a foot behind rises, m, on ground that is so steep."""
    return gains.toe_off * min(max((steep - gains.steep) / gains.steeper, 0.0), 1.0)


def on_toes(pressure: np.ndarray, gains: RisingGains = USUAL.rising) -> np.ndarray:
    """How much of the weight is on the toes, by the pressure's coordinate from heel to toe."""
    return np.minimum(np.maximum((pressure - gains.comes_off) / (gains.is_off - gains.comes_off), 0.0), 1.0)
