"""Where and when to set the next foot, so that the walk goes on: placement and timing adapted together.

The pressure `p` rolls at a steady speed `v` under the standing foot. The capture point `xi` then moves away from
`p + v/w` as `e^(w t)`, so where it will be when the weight changes feet is known. It should then be at a certain offset
`b` from the new foothold `u`. A disturbed walk cannot have its usual step, offset and time all at once; it takes those
that differ least, in the metric below.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np

from gambol.gains import Gains
from gambol.params import param
from gambol.planning.footing import Box

TIMES, BOTH = np.linspace(0.0, 1.0, 33), np.ones(2)


@dataclass(frozen=True)
class AdaptationGains(Gains):
    """Deviations of a step that cost the same."""

    step_scale: float = param(0.1, unit="m", low=1e-4, high=1.0, doc="of the foothold from its usual place")
    offset_scale: float = param(0.02, unit="m", low=1e-4, high=1.0, doc="of the capture point from its usual offset")
    time_scale: float = param(0.05, unit="s", low=1e-4, high=1.0, doc="of the time of landing from the usual one")


USUAL = AdaptationGains()


@dataclass(frozen=True)
class Step:
    """A planned landing: place (ahead, left) relative to the standing foot, and time left until the weight is on it."""

    place: np.ndarray
    time_left: float


@dataclass(frozen=True)
class Rolling:
    """The pressure under a standing foot: where it is and how fast it goes, (ahead, left) of the foot's middle."""

    place: np.ndarray
    speed: np.ndarray

    def ahead(self, capture: np.ndarray, rate: float, time: np.ndarray) -> np.ndarray:
        """Where the capture point will be after some times, (k, 2)."""
        base = self.place + self.speed / rate
        return base + self.speed * time[:, None] + (capture - base) * np.exp(rate * time)[:, None]

    def back(self, arrival: np.ndarray, rate: float, time: float) -> np.ndarray:
        """Where the capture point must be now, to be at a place after a time."""
        base = self.place + self.speed / rate
        return base + (arrival - self.speed * time - base) * exp(-rate * time)


def adapt_step(capture: np.ndarray, rolling: Rolling, nominal: Step, offset: np.ndarray, rate: float,
               times: tuple[float, float], reach: Box, size: float = 1.0, gains: AdaptationGains = USUAL) -> Step:
    """The step nearest to the nominal one that keeps the walk going.

    `capture` is the capture point, `offset` its usual place relative to the new foothold; all (ahead, left) relative to
    the standing foot. The foothold stays within `reach`, the time left between the two `times`.
    """
    time = times[0] + (times[1] - times[0]) * TIMES
    wanted = rolling.ahead(capture, rate, time) - offset
    place_weight, offset_weight = (gains.step_scale * size) ** -2, (gains.offset_scale * size) ** -2
    # for a given time the best foothold lies between the nominal one and the one that keeps the offset
    place = reach.clip((place_weight * nominal.place + offset_weight * wanted) / (place_weight + offset_weight))
    cost = ((place_weight * (place - nominal.place) ** 2 + offset_weight * (wanted - place) ** 2).dot(BOTH)
            + (time - nominal.time_left) ** 2 / (gains.time_scale**2 * size))
    best = int(cost.argmin())
    return Step(place[best], float(time[best]))
