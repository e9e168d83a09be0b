"""Paths of moving platforms: position, velocity and acceleration at any time."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gambol.errors import BadInput

Kinematics = tuple[np.ndarray, np.ndarray, np.ndarray]


class Path(Protocol):
    def at(self, time: float) -> Kinematics:
        """Displacement (m), velocity (m/s) and acceleration (m/s^2), three numbers each."""


@dataclass(frozen=True)
class Sinusoid:
    """To and fro along an axis (0, 1, 2), beginning at rest at the negative end."""

    axis: int
    amplitude: float
    period: float

    def at(self, time: float) -> Kinematics:
        rate = 2 * math.pi / self.period
        direction = self.amplitude * np.eye(3)[self.axis]
        sine, cosine = math.sin(rate * time), math.cos(rate * time)
        return -cosine * direction, rate * sine * direction, rate**2 * cosine * direction


@dataclass(frozen=True)
class Waypoints:
    """Rows of (time, x, y, z): at rest in each, with a smooth (minimum-jerk) movement between two of them."""

    rows: tuple[tuple[float, float, float, float], ...]

    def __post_init__(self) -> None:
        if any(len(row) != 4 or not all(map(math.isfinite, row)) for row in self.rows) or not self.rows:
            raise BadInput("waypoints must be rows of four finite numbers: time, x, y, z")
        times = [row[0] for row in self.rows]
        if any(later <= earlier for earlier, later in itertools.pairwise(times)):
            raise BadInput(f"the times of waypoints must increase; got {', '.join(f'{t:g}' for t in times)}")

    def at(self, time: float) -> Kinematics:
        times = np.array([row[0] for row in self.rows])
        points = np.array([row[1:] for row in self.rows])
        segment = int(np.searchsorted(times, time, side="right")) - 1
        if segment < 0 or segment >= len(times) - 1:
            return points[max(segment, 0)], np.zeros(3), np.zeros(3)
        duration = times[segment + 1] - times[segment]
        s = (time - times[segment]) / duration
        way = points[segment + 1] - points[segment]
        return (points[segment] + way * s**3 * (10 - 15 * s + 6 * s**2),
                way * 30 * s**2 * (1 - s)**2 / duration,
                way * 60 * s * (1 - s) * (1 - 2 * s) / duration**2)
