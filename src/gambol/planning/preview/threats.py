"""Things that fly at the walker [delasa2011, eq. 5.39]: the COM should be well aside of their path when they pass.

The publication asks for a distance at every time. A fast ball is near for a few hundredths of a second, between two
samples of a preview; here the distance from its path counts instead, at the times around its passing, which is smooth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.planning.preview.gains import USUAL, ThreatGains


@dataclass(frozen=True)
class Threat:
    """A ball as the preview sees it: a straight path over the ground, in an adult's units."""

    place: np.ndarray
    """(2,) a point of the path"""
    across: np.ndarray
    """(2,) unit vector to the left of it"""
    passes: float
    """when it passes, s from now"""
    room: float
    """how far aside the COM should be then, m"""


def foreseen(place: np.ndarray, velocity: np.ndarray, com: np.ndarray, going: np.ndarray, room: float,
             gains: ThreatGains = USUAL.threats) -> Threat | None:
    """The threat that a ball is to a body that goes on as it does; none if it passes aside, later, or has passed."""
    away, closing = (place - com)[:2], (velocity - going)[:2]
    square = float(closing @ closing)
    passes = -float(away @ closing) / max(square, 1e-9)
    slow = np.hypot(*velocity[:2]) < gains.slowest or square < gains.slowest**2
    if slow or not 0.0 < passes < gains.horizon or np.hypot(*(away + passes * closing)) > room:
        return None
    along = velocity[:2] / np.hypot(*velocity[:2])
    return Threat(place[:2], np.array([-along[1], along[0]]), passes, room)


def nearness(threat: Threat, times: np.ndarray, places: np.ndarray,
             gains: ThreatGains = USUAL.threats) -> np.ndarray:
    """How much too near (...) to the path COMs (..., 3) are at times (...), m; it matters around the ball's passing."""
    aside = np.abs((places[..., :2] - threat.place) @ threat.across)
    return np.maximum(threat.room - aside, 0.0) * np.exp(-((times - threat.passes) / gains.passing)**2)


def ahead(threat: Threat, end: np.ndarray, place: np.ndarray, velocity: np.ndarray,
          gains: ThreatGains = USUAL.threats) -> np.ndarray:
    """The same (b,) for a ball that passes after the end (b,) of a preview: a body that goes on as it does then."""
    left = threat.passes - end
    later = place[:, :2] + velocity[:, :2] * np.clip(left, 0.0, gains.farther)[:, None]
    return np.maximum(threat.room - np.abs((later - threat.place) @ threat.across), 0.0) * (left > 0)
