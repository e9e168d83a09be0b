"""Standing on what moves: where the capture point should be so that the feet that are carried along catch it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.gains import Gains
from gambol.params import param


@dataclass(frozen=True)
class CarriedGains(Gains):
    """What is expected of ground that moves."""

    memory: float = param(2.0, unit="s", low=0.1, high=30.0, doc="time over which the movement is remembered")
    expected: float = param(10.0, unit="1/s2", low=0.0, high=1000.0, doc="square of the rate at which what begins "
                                                                         "to move is expected to swing")
    certain: float = param(0.02, unit="m2/s", low=1e-4, high=10.0, doc="how much that counts: as if a mean square "
                                                                       "speed of so much had been seen for a second")


class Carried:
    """Sees how feet are carried, and expects them to swing on at the rate at which they have swung."""

    def __init__(self, gains: CarriedGains) -> None:
        self.gains = gains
        self._speeds, self._pulls = gains.certain, gains.certain * gains.expected

    def see(self, motion: np.ndarray, tick: float) -> None:
        """Velocity and acceleration of the feet, (6,)."""
        keep = 1.0 - tick / self.gains.memory
        self._speeds = keep * self._speeds + tick * float(motion[:2] @ motion[:2])
        self._pulls = keep * self._pulls + tick * float(motion[3:5] @ motion[3:5])

    def lead(self, motion: np.ndarray, rate: float) -> np.ndarray:
        """How far ahead of the feet the capture point should be, (2,), for a pendulum of this natural rate.

        If the pressure stays at one place under the feet, the pendulum neither falls nor runs away when its capture
        point is the mean of all future places of the feet, weighted by `rate exp(-rate t)`. For feet that swing to and
        fro at a rate W (1/s) that is `(rate v + a) / (rate^2 + W^2)` ahead of them. W^2 is estimated as the mean square
        of their acceleration over that of their velocity; for a surface that goes at a constant speed it is 0.
        """
        return (rate * motion[:2] + motion[3:5]) / (rate**2 + self._pulls / self._speeds)
