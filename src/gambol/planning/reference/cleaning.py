"""Cleaning: feet that stand stay where they stand, flat on the ground, and feet that swing clear it.

Each stance has one place and one direction, the median of what was recorded while the foot was flat. Corrections go
over from one stance to the next during the swing, and fade in and out: one that jumps would make the pelvis jump.
"""

from __future__ import annotations

import numpy as np

from gambol.planning.reference.series import smooth, stretches

CLEARANCE = 0.05
"""m between sole and ground in the middle of a swing; recorded feet clear by 1.5 cm, and toes would stub."""
RISE = 6.0
"""A swinging foot has its clearance after this part (one sixth) of the swing, and until as much before its end."""
FADE = 0.03
"""s"""
HELD, SWUNG = 20.0, 15.0
"""Weight of the place of an end that stands, and of one that swings, 1/m."""


def cleaned(ends: np.ndarray, touching: np.ndarray, rate: float, level: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Places of heels and toes (n, feet, 2, 3) as they should be, and their weights (n, feet, 2).

    `level`: the ground is at z = 0, and feet that swing are lifted off it; else the heights are taken as they are.
    """
    places = ends.copy()
    for foot in range(ends.shape[1]):
        places[:, foot] = _foot(ends[:, foot], touching[:, foot], rate, level)
    return places, np.where(touching, HELD, SWUNG)


def _foot(ends: np.ndarray, touching: np.ndarray, rate: float, level: bool) -> np.ndarray:
    """The same of one foot, (n, 2, 3)."""
    wanted, rows = ends.copy(), np.arange(len(ends))
    length = float(np.median(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)))
    for first, last in stretches(touching.any(axis=1)):
        here = touching[first:last]
        for end, place in enumerate(stance(ends[first:last], here, length, level)):
            wanted[first:last, end][here[:, end]] = place
    change = wanted - ends
    for end in (0, 1):
        known = np.flatnonzero(touching[:, end])
        if len(known):
            for axis in range(3):
                change[:, end, axis] = np.interp(rows, known, change[known, end, axis])
    wanted = ends + smooth(change, FADE, rate)
    if level:
        wanted[..., 2] = np.maximum(wanted[..., 2], np.where(touching, 0.0, _clearance(touching)[:, None]))
    return wanted


def stance(ends: np.ndarray, touching: np.ndarray, length: float, level: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Where heel and toe of a foot that is `length` long stand in one stance: (m, 2, 3), (m, 2) -> two of (3,)."""
    both = touching.all(axis=1)
    heel, toe = np.median(ends[both if both.any() else touching.any(axis=1)], axis=0)
    way = (toe - heel)[:2] / max(float(np.linalg.norm((toe - heel)[:2])), 1e-9)
    middle = 0.5 * (heel + toe)[:2]
    height = np.zeros(2) if level else np.array([heel[2], toe[2]])
    return np.r_[middle - 0.5 * length * way, height[0]], np.r_[middle + 0.5 * length * way, height[1]]


def _clearance(touching: np.ndarray) -> np.ndarray:
    """The least height of a foot that swings, (n,); 0 where it stands."""
    least = np.zeros(len(touching))
    for first, last in stretches(~touching.any(axis=1)):
        share = (np.arange(first, last) - first + 0.5) / (last - first)
        since = share if first > 0 else np.ones(len(share))
        until = 1.0 - share if last < len(touching) else np.ones(len(share))
        least[first:last] = CLEARANCE * np.minimum(1.0, RISE * np.minimum(since, until))
    return least
