"""Where and when to set the next foot, so that the walk goes on: placement and timing adapted together.

With the pressure under the standing foot, the capture point will be at `xi e^(w t)` from it when the swing foot lands
after `t`. It should then be at a certain offset `b` from the new foothold `u`: `u + b = xi e^(w t)`. A disturbed walk
cannot have its usual step, offset and time all at once; it takes those that differ least, in the metric below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STEP_SCALE, OFFSET_SCALE, TIME_SCALE = 0.1, 0.02, 0.05
"""Deviations that cost the same: of the foothold (m), of the capture point from its offset (m), of the time (s)."""
TIMES = np.linspace(0.0, 1.0, 33)


@dataclass(frozen=True)
class Step:
    """A planned landing: place (ahead, left) relative to the standing foot, and time left until then."""

    place: np.ndarray
    time_left: float


def adapt_step(capture: np.ndarray, steady: np.ndarray, rolling: float, nominal: Step, offset: np.ndarray, rate: float, times: tuple[float, float],
               low: np.ndarray, high: np.ndarray, size: float = 1.0) -> Step:
    """The step nearest to the nominal one that keeps the walk going.

    `capture` is the capture point, `offset` its usual place relative to the new foothold; all (ahead, left) relative to
    the standing foot. The foothold stays between `low` and `high`, the time left between the two `times`.
    """
    time = times[0] + (times[1] - times[0]) * TIMES
    arrival = steady + capture * np.exp(rate * time)[:, None]
    arrival[:, 0] += rolling * time
    place_weight, offset_weight = (STEP_SCALE * size) ** -2, (OFFSET_SCALE * size) ** -2
    # for a given time the best foothold lies between the nominal one and the one that keeps the offset
    best = (place_weight * nominal.place + offset_weight * (arrival - offset)) / (place_weight + offset_weight)
    place = np.clip(best, low, high)
    cost = (place_weight * np.sum((place - nominal.place) ** 2, axis=1)
            + offset_weight * np.sum((arrival - offset - place) ** 2, axis=1)
            + (time - nominal.time_left) ** 2 / (TIME_SCALE**2 * size))
    chosen = int(np.argmin(cost))
    return Step(place[chosen], float(time[chosen]))
