"""Smoothing that keeps value and slope at both ends, and differences that go with it."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d


def smoothed(values: np.ndarray, width: float) -> np.ndarray:
    """A Gaussian filter over the first axis, `width` rows wide.

    The rows are continued by their mirror image through the end point. Continued as they are at the end, they would
    lose half of their slope there: a figure that starts so is 0.1 m of capture point off in its first tick.
    """
    if len(values) < 3 or width <= 0.0:
        return np.array(values, dtype=float)
    pad = min(int(4.0 * width) + 2, len(values) - 1)
    before, after = 2.0 * values[:1] - values[pad:0:-1], 2.0 * values[-1:] - values[-2:-pad - 2:-1]
    found: np.ndarray = gaussian_filter1d(np.concatenate([before, values, after]), width, axis=0)
    return found[pad:pad + len(values)]


def rates(values: np.ndarray, rate: float) -> np.ndarray:
    """Differences over the first axis, a second; zero of a single row."""
    if len(values) < 2:
        return np.zeros_like(values, dtype=float)
    found: np.ndarray = np.gradient(values, 1.0 / rate, axis=0)
    return found
