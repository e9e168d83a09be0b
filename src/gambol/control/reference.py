"""References that glide: a commanded step would saturate torques, so every reference is smoothed."""

from __future__ import annotations

import numpy as np


class SmoothReference:
    """A point that follows its goal like a critically damped spring of a given rate (1/s), never in a hurry."""

    def __init__(self, value: np.ndarray, rate: float = 5.0, limit: float = 3.0) -> None:
        self.value = np.array(value, dtype=float)
        self.velocity = np.zeros_like(self.value)
        self.acceleration = np.zeros_like(self.value)
        self.rate, self.limit = rate, limit

    def toward(self, goal: np.ndarray, tick: float) -> None:
        """Advance by one tick."""
        kp, kv, limit = self.rate**2, 2.0 * self.rate, self.limit
        value, velocity, acceleration = [], [], []
        # a few plain numbers are quicker than small arrays
        for there, here, speed in zip(goal.tolist(), self.value.tolist(), self.velocity.tolist(), strict=True):
            change = min(max(kp * (there - here) - kv * speed, -limit), limit)
            speed += change * tick
            value.append(here + speed * tick)
            velocity.append(speed)
            acceleration.append(change)
        self.value, self.velocity, self.acceleration = np.array(value), np.array(velocity), np.array(acceleration)
