"""Reference: a motion as something to follow: pose, velocities, COM, momentum and contacts at any time.

It is of one character, at a fixed rate, with everything that a controller asks for computed before. Where it comes
from is not its business: a simulated take, a plan of synthesis, or a recorded clip that was retargeted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

RATE = 250.0
"""Rows a second."""
NEVER = np.inf


@dataclass(frozen=True)
class Reference:
    """Arrays with n rows, `1 / rate` s apart. Joints, degrees of freedom and patches are those of the figure."""

    name: str
    """what it was made from"""
    character: str
    qpos: np.ndarray
    """(n, nq) of the figure alone, its free joint first"""
    qvel: np.ndarray
    """(n, nv)"""
    com: np.ndarray
    """(n, 3) m, projected: with it the pressure point stays inside what carries"""
    com_velocity: np.ndarray
    com_acceleration: np.ndarray
    momentum: np.ndarray
    """(n, 3) angular momentum about the COM, kg m2/s"""
    pressure_shift: np.ndarray
    """(n, 2) how far the planned turning moves the pressure point from where the COM alone would have it, m"""
    parts: tuple[str, ...]
    """roles whose turns are followed: root, trunk, head and feet, as far as there are such"""
    turns: np.ndarray
    """(n, parts, 3, 3)"""
    spins: np.ndarray
    """(n, parts, 3) rad/s, world axes"""
    spin_rates: np.ndarray
    patches: tuple[str, ...]
    """roles of patches that touch at some time, feet first"""
    touching: np.ndarray
    """(n, patches, 2) whether heel and toe end of each touch; a patch without ends has both alike"""
    places: np.ndarray
    """(n, patches, 3) m, of the origin of each patch's body"""
    speeds: np.ndarray
    accelerations: np.ndarray
    """(n, patches, 3)"""
    rate: float = RATE

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return (len(self.qpos) - 1) / self.rate

    def row(self, time: float) -> int:
        """The row that is nearest to a time; the first and last go on for ever."""
        return min(max(round(time * self.rate), 0), len(self.qpos) - 1)

    def at(self, values: np.ndarray, time: float) -> np.ndarray:
        """Values of rows (n, ...) at a time, between two rows."""
        place = min(max(time * self.rate, 0.0), len(values) - 1.0)
        first = min(int(place), len(values) - 2)
        found: np.ndarray = values[first] + (place - first) * (values[first + 1] - values[first])
        return found

    @cached_property
    def down(self) -> np.ndarray:
        """(n, patches) whether a patch touches with either end."""
        found: np.ndarray = np.any(self.touching, axis=2)
        return found

    @cached_property
    def lands(self) -> np.ndarray:
        """(n, patches) time of the row from which on a patch is down next, s; infinity if it never is again."""
        return _next(self.down, self.rate)

    @cached_property
    def lifts(self) -> np.ndarray:
        """(n, patches) time of the row from which on a patch is up next, s; infinity if it never is again."""
        return _next(~self.down, self.rate)

    @cached_property
    def lifted(self) -> np.ndarray:
        """(n, patches) time of the last row, this one included, at which a patch was down, s; 0 if it never was."""
        return _last(self.down, self.rate)


def _next(flags: np.ndarray, rate: float) -> np.ndarray:
    """Time of the first row from here on that is set, (n, k)."""
    times = np.where(flags, np.arange(len(flags))[:, None] / rate, NEVER)
    found: np.ndarray = np.minimum.accumulate(times[::-1], axis=0)[::-1]
    return found


def _last(flags: np.ndarray, rate: float) -> np.ndarray:
    """Time of the last row up to here that is set, (n, k)."""
    times = np.where(flags, np.arange(len(flags))[:, None] / rate, 0.0)
    found: np.ndarray = np.maximum.accumulate(times, axis=0)
    return found
