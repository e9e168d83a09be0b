"""The capture point: where a walker of constant COM height would have to put its foot to come to rest.

All functions work in the horizontal plane, arrays (2,). With `rate = sqrt(g / h)` the COM `c` moves away from the
pressure point `p` as `c'' = rate^2 (c - p)`, and the capture point `xi = c + c' / rate` as `xi' = rate (xi - p)`.

A body that turns faster and faster pushes the ground as if its pressure point were elsewhere: with angular momentum L
about the COM, `c'' = rate^2 (c - p - l)` with `l = (L_y', -L_x') / (m g)`, and `xi' = rate (xi - p - l)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, exp, pi, sqrt, tau
from operator import sub

import numpy as np


def natural_rate(height: float, gravity: float = 9.81) -> float:
    """Rate of a pendulum of this height standing on its head, 1/s."""
    return sqrt(gravity / max(height, 0.05))


def capture_point(com: np.ndarray, velocity: np.ndarray, rate: float) -> np.ndarray:
    return com + velocity / rate


def steady_offset(length: float, width: float, period: float, rate: float) -> np.ndarray:
    """Capture point ahead of and inside the foot that has just landed, in a walk that repeats itself.

    (forward, towards the other foot), for steps of this length, width and period.
    """
    growth = exp(rate * period)
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

    `share` shrinks the area toward the mean of the points. In plain numbers: quicker than arrays for a handful of them.
    """
    places: list[Place] = [(x, y) for x, y in points.tolist()]
    middle = (sum([x for x, _ in places]) / len(places), sum([y for _, y in places]) / len(places))
    x, y = place.tolist()
    goal = (middle[0] + (x - middle[0]) / share, middle[1] + (y - middle[1]) / share)
    if _surrounded(places, goal):
        return place
    nearest = min(_feet(_outline(places), goal), key=lambda foot: (foot[0] - goal[0]) ** 2 + (foot[1] - goal[1]) ** 2)
    return np.array([middle[k] + share * (nearest[k] - middle[k]) for k in (0, 1)])


Place = tuple[float, float]


def _surrounded(places: list[Place], goal: Place) -> bool:
    """Whether there are places on all sides of a goal."""
    angles = sorted([atan2(y - goal[1], x - goal[0]) for x, y in places])
    return max(map(sub, [*angles[1:], angles[0] + tau], angles)) < pi


def _outline(places: list[Place]) -> list[Place]:
    """Corners of the area between places, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted(set(places))
    return ordered if len(ordered) < 3 else _turning_left(ordered) + _turning_left(ordered[::-1])


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


def _feet(corners: list[Place], goal: Place) -> Iterator[Place]:
    """The nearest place to a goal on each side of an outline."""
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        along, square = (bx - ax, by - ay), (bx - ax) ** 2 + (by - ay) ** 2
        part = (along[0] * (goal[0] - ax) + along[1] * (goal[1] - ay)) / square if square else 0.0
        part = min(max(part, 0.0), 1.0)
        yield ax + part * along[0], ay + part * along[1]
