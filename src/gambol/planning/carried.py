"""Standing on what moves: where the capture point should be so that the feet that are carried along catch it."""

from __future__ import annotations

import numpy as np

MEMORY = 2.0
"""Time over which the movement is remembered, s."""
EXPECTED, CERTAIN = 10.0, 0.02
"""Square of the rate at which what begins to move is expected to swing, 1/s2, and how much that counts: as if a mean
square speed of so much, m2/s2, had been seen for a second."""


class Carried:
    """Sees how feet are carried, and expects them to swing on at the rate at which they have swung."""

    def __init__(self) -> None:
        self._speeds, self._pulls = CERTAIN, CERTAIN * EXPECTED

    def see(self, motion: np.ndarray, tick: float) -> None:
        """Velocity and acceleration of the feet, (6,)."""
        keep = 1.0 - tick / MEMORY
        self._speeds = keep * self._speeds + tick * float(motion[:2] @ motion[:2])
        self._pulls = keep * self._pulls + tick * float(motion[3:5] @ motion[3:5])

    def lead(self, motion: np.ndarray, rate: float) -> np.ndarray:
        """How far ahead of the feet the capture point should be, (2,), for a pendulum of this natural rate.

        The capture point of who is never to shift his pressure is the mean of where his feet will be, weighted by
        `rate exp(-rate t)`; for feet that swing at a rate W this is `(rate v + a) / (rate^2 + W^2)`. Seen so far,
        W^2 is the mean square of their acceleration over that of their velocity: 0 for what goes at a constant speed.
        """
        return (rate * motion[:2] + motion[3:5]) / (rate**2 + self._pulls / self._speeds)
