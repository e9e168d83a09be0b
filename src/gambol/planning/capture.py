"""The capture point: where a walker of constant COM height would have to put its foot to come to rest.

All functions work in the horizontal plane, arrays (2,). With `rate = sqrt(g / h)` the COM `c` moves away from the
pressure point `p` as `c'' = rate^2 (c - p)`, and the capture point `xi = c + c' / rate` as `xi' = rate (xi - p)`.
"""

from __future__ import annotations

import numpy as np


def natural_rate(height: float, gravity: float = 9.81) -> float:
    """Rate of a pendulum of this height standing on its head, 1/s."""
    return float(np.sqrt(gravity / max(height, 0.05)))


def capture_point(com: np.ndarray, velocity: np.ndarray, rate: float) -> np.ndarray:
    return com + velocity / rate


def steady_offset(length: float, width: float, period: float, rate: float) -> np.ndarray:
    """Capture point ahead of and inside the foot that has just landed, in a walk that repeats itself.

    (forward, towards the other foot), for steps of this length, width and period.
    """
    growth = np.exp(rate * period)
    return np.array([length / (growth - 1.0), width / (growth + 1.0)])


def at_landing(capture: np.ndarray, pressure: np.ndarray, rate: float, time_left: float) -> np.ndarray:
    """Where the capture point will be when the step ends, if the pressure point stays where it is."""
    return pressure + (capture - pressure) * np.exp(rate * time_left)


def now_for(landing: np.ndarray, pressure: np.ndarray, rate: float, time_left: float) -> np.ndarray:
    """Where the capture point should be now, to be at a place when the step ends."""
    return pressure + (landing - pressure) * np.exp(-rate * time_left)


def correcting_pressure(capture: np.ndarray, reference: np.ndarray, pressure: np.ndarray, rate: float,
                        gain: float) -> np.ndarray:
    """Pressure point that drives the capture point back to its reference at a gain (1/s)."""
    return pressure + (1.0 + gain / rate) * (capture - reference)
