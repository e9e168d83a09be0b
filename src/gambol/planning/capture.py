"""The capture point: where a walker of constant COM height would have to put its foot to come to rest.

All functions work in the horizontal plane, arrays (2,). With `rate = sqrt(g / h)` the COM `c` moves away from the
pressure point `p` as `c'' = rate^2 (c - p)`, and the capture point `xi = c + c' / rate` as `xi' = rate (xi - p)`.

A body that turns faster and faster pushes the ground as if its pressure point were elsewhere: with angular momentum L
about the COM, `c'' = rate^2 (c - p - l)` with `l = (L_y', -L_x') / (m g)`, and `xi' = rate (xi - p - l)`.
"""

from __future__ import annotations

from functools import lru_cache

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

    `share` shrinks the area toward the mean of the points.
    """
    mean, corners = _outline(points.tobytes())
    x, y = mean[0] + (place[0] - mean[0]) / share, mean[1] + (place[1] - mean[1]) / share
    inside, nearest, least = len(corners) > 2, corners[0], np.inf
    before = corners[-1]
    for corner in corners:  # the nearest place lies on a side that has the given one beyond it
        along, off = (corner[0] - before[0], corner[1] - before[1]), (x - before[0], y - before[1])
        if along[0] * off[1] < along[1] * off[0] or len(corners) < 3:
            inside, square = False, along[0] ** 2 + along[1] ** 2
            part = min(max((along[0] * off[0] + along[1] * off[1]) / square, 0.0), 1.0) if square else 0.0
            foot = (before[0] + part * along[0], before[1] + part * along[1])
            away = (foot[0] - x) ** 2 + (foot[1] - y) ** 2
            if away < least:
                nearest, least = foot, away
        before = corner
    if inside:
        return place
    return np.array([mean[0] + share * (nearest[0] - mean[0]), mean[1] + share * (nearest[1] - mean[1])])


Place = tuple[float, float]


@lru_cache(maxsize=16)
def _outline(points: bytes) -> tuple[Place, list[Place]]:
    """Mean of points, and the corners of the area between them, counter-clockwise (Andrew's monotone chain).

    In plain numbers: for a handful of points quicker than arrays.
    """
    places = [(x, y) for x, y in np.frombuffer(points).reshape(-1, 2).tolist()]
    mean = (sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places))
    ordered = sorted(set(places))
    if len(ordered) < 3:
        return mean, ordered
    return mean, _turning_left(ordered) + _turning_left(ordered[::-1])


def _turning_left(places: list[Place]) -> list[Place]:
    """Those of ordered places where a way around them turns, without the last one."""
    kept: list[Place] = []
    for x, y in places:
        while len(kept) > 1:
            (ax, ay), (bx, by) = kept[-2:]
            if (bx - ax) * (y - ay) > (by - ay) * (x - ax):
                break
            kept.pop()
        kept.append((x, y))
    return kept[:-1]
