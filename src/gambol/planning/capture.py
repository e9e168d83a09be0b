"""The capture point: where a walker of constant COM height would have to put its foot to come to rest.

All functions work in the horizontal plane, arrays (2,). With `rate = sqrt(g / h)` the COM `c` moves away from the
pressure point `p` as `c'' = rate^2 (c - p)`, and the capture point `xi = c + c' / rate` as `xi' = rate (xi - p)`.

A body that turns faster and faster pushes the ground as if its pressure point were elsewhere: with angular momentum L
about the COM, `c'' = rate^2 (c - p - l)` with `l = (L_y', -L_x') / (m g)`, and `xi' = rate (xi - p - l)`.
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


def correcting_pressure(capture: np.ndarray, reference: np.ndarray, pressure: np.ndarray, rate: float,
                        gain: float) -> np.ndarray:
    """Pressure point that drives the capture point back to its reference at a gain (1/s)."""
    return pressure + (1.0 + gain / rate) * (capture - reference)


def turn_offset(momentum: np.ndarray, weight: float) -> np.ndarray:
    """Horizontal angular momentum (L_x, L_y, ...) or its rate, per weight (N): `(L_y, -L_x) / (m g)`."""
    return np.array([momentum[1], -momentum[0]]) / weight


def supported(points: np.ndarray, place: np.ndarray, share: float = 1.0) -> np.ndarray:
    """The place in the area between points (k, 2) on the ground that is nearest to a given one.

    `share` shrinks the area toward the mean of the points. Outside, the nearest place lies on a line between two of
    the points; inside, there are points beyond every line.
    """
    corners = points.mean(axis=0) + share * (points - points.mean(axis=0))
    first, second = np.triu_indices(len(corners))
    start, along = corners[first], corners[second] - corners[first]
    part = np.sum((place - start) * along, axis=1) / np.maximum(np.sum(along**2, axis=1), 1e-12)
    lines = start + np.clip(part, 0.0, 1.0)[:, None] * along
    nearest = lines[np.argmin(np.sum((lines - place) ** 2, axis=1))]
    inside = np.max((corners - nearest) @ (place - nearest)) > 1e-12
    return place if inside else nearest
