"""Series of a recording: smoothing that keeps the ends, differences, and stretches of time in which something holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d


def smooth(values: np.ndarray, seconds: float, rate: float) -> np.ndarray:
    """Gaussian filter (n, ...) along time that keeps value and slope at both ends.

    The series goes on mirrored through its end points; the usual ways of going on halve the speed there.
    """
    sigma = seconds * rate
    pad = min(int(4 * sigma) + 2, len(values) - 1)
    if pad < 1:
        return values
    ahead = 2 * values[:1] - values[pad:0:-1]
    behind = 2 * values[-1:] - values[-2:-pad - 2:-1]
    found: np.ndarray = gaussian_filter1d(np.concatenate([ahead, values, behind]), sigma, axis=0)[pad:pad + len(values)]
    return found


def values_at(values: np.ndarray, rate: float, times: np.ndarray) -> np.ndarray:
    """A series (n, ...) at other times (m,): a cubic spline, so that few frames a second make no corners."""
    found: np.ndarray = CubicSpline(np.arange(len(values)) / rate, values)(np.minimum(times, (len(values) - 1) / rate))
    return found


def turns_at(turns: np.ndarray, rate: float, times: np.ndarray) -> np.ndarray:
    """The same of rotation matrices (n, 3, 3)."""
    u, _, v = np.linalg.svd(values_at(turns, rate, times))
    u[..., -1] *= np.linalg.det(u @ v)[..., None]
    found: np.ndarray = u @ v
    return found


def rates(values: np.ndarray, rate: float) -> np.ndarray:
    """Derivative by time, (n, ...); of one row alone zero."""
    if len(values) < 2:
        return np.zeros_like(values, dtype=float)
    found: np.ndarray = np.gradient(values, 1.0 / rate, axis=0)
    return found


def stretches(flags: ArrayLike) -> list[tuple[int, int]]:
    """First row and row after the last of each stretch in which a flag (n,) is set."""
    edges = np.flatnonzero(np.diff(np.r_[0, np.asarray(flags).astype(int), 0]))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def tidied(flags: np.ndarray, least: float) -> np.ndarray:
    """Flags (n,) without gaps, and then without stretches, of fewer rows than `least`; those at the ends stay."""
    flags = flags.copy()
    for value in (False, True):
        for first, last in stretches(flags == value):
            if last - first < least and first > 0 and last < len(flags):
                flags[first:last] = not value
    return flags
