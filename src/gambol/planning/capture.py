"""The capture point: where a walker of constant COM height would have to put its foot to come to rest.

All functions work in the horizontal plane: arrays (2,), some also complex numbers `x + iy`. With `rate = sqrt(g / h)`
the COM `c` moves away from the pressure point `p` as `c'' = rate^2 (c - p)`, and the capture point `xi = c + c' / rate`
as `xi' = rate (xi - p)`.

A body that turns faster and faster pushes the ground as if its pressure point were elsewhere: with angular momentum L
about the COM, `c'' = rate^2 (c - p - l)` with `l = (L_y', -L_x') / (m g)`, and `xi' = rate (xi - p - l)`.
"""

from __future__ import annotations

from cmath import phase
from collections.abc import Iterator
from math import exp, pi, sqrt, tau
from operator import sub
from typing import TypeVar

import numpy as np

from gambol.units import GRAVITY

Flat = TypeVar("Flat", np.ndarray, complex)


def natural_rate(height: float, gravity: float = GRAVITY) -> float:
    """Rate of a pendulum of this height standing on its head, 1/s."""
    return sqrt(gravity / max(height, 0.05))


def capture_point(com: Flat, velocity: Flat, rate: float) -> Flat:
    """In arrays or complex numbers."""
    return com + velocity / rate


def steady_offset(length: float, width: float, period: float, rate: float) -> np.ndarray:
    """Capture point ahead of and inside the foot that has just landed, in a walk that repeats itself.

    (forward, towards the other foot), for steps of this length, width and period.
    """
    growth = exp(rate * period)
    return np.array([length / (growth - 1.0), width / (growth + 1.0)])


def correcting_pressure(capture: Flat, reference: Flat, pressure: Flat, rate: float, gain: float,
                        share: float = 1.0) -> Flat:
    """Pressure point that drives the capture point back to its reference at a gain (1/s), arrays or complex numbers.

    `share`: how much of that is done.
    """
    return pressure + share * (1.0 + gain / rate) * (capture - reference)


def supported(points: np.ndarray, place: np.ndarray, share: float = 1.0) -> np.ndarray:
    """The place in the area between points (k, 2) on the ground that is nearest to a given one.

    `share` shrinks the area toward the mean of the points.
    """
    nearest = between([complex(x, y) for x, y in points.tolist()], complex(*place.tolist()), share)
    return np.array([nearest.real, nearest.imag])


def between(points: list[complex], place: complex, share: float = 1.0) -> complex:
    """The same in complex numbers, `x + iy`: for a handful of points they are quicker than arrays."""
    middle = sum(points) / len(points)
    goal = middle + (place - middle) / share
    if _surrounded(points, goal):
        return place
    return middle + share * (min(_feet(_outline(points), goal), key=lambda foot: abs(foot - goal)) - middle)


def _surrounded(points: list[complex], goal: complex) -> bool:
    """Whether there are points on all sides of a goal."""
    x, y, quadrants = goal.real, goal.imag, 0
    for point in points:
        quadrants |= 1 << 2 * (point.real > x) + (point.imag > y)
    if quadrants == 0b1111:  # one in each will do, and is quickly seen
        return True
    angles = sorted([phase(point - goal) for point in points])
    return max(map(sub, [*angles[1:], angles[0] + tau], angles)) < pi


def _outline(points: list[complex]) -> list[complex]:
    """Corners of the area between points, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points), key=lambda point: (point.real, point.imag))
    return ordered if len(ordered) < 3 else _turning_left(ordered) + _turning_left(ordered[::-1])


def _turning_left(points: list[complex]) -> list[complex]:
    """Those of ordered points where a way around them turns, without the last one."""
    kept: list[complex] = []
    for point in points:
        while len(kept) > 1 and ((kept[-1] - kept[-2]).conjugate() * (point - kept[-2])).imag <= 0.0:
            kept.pop()
        kept.append(point)
    return kept[:-1]


def _feet(corners: list[complex], goal: complex) -> Iterator[complex]:
    """The nearest place to a goal on each side of an outline."""
    for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        along = end - start
        part = ((goal - start) / along).real if along else 0.0
        yield start + min(max(part, 0.0), 1.0) * along
