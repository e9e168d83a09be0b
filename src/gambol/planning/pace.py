"""From what a user wants (a speed, a gait, a jump) to steps: their length, their time on the ground, their flight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WALKS_TO = 1.9
"""Faster than this, m/s, it runs unless told otherwise."""
CADENCE, USUAL = 0.53, 1.35
"""Time of a walker's step, s, at the usual speed, m/s; it goes with the root of the speed's inverse."""
BRISK, SLOW = 0.42, 0.62
"""Least and most time of a walker's step, s."""
RUN_STANCE, RUN_FLIGHT = 0.3, 0.1
"""Time on the ground and in the air of a runner's step, s."""
RUN_APEX, FLY = 0.04, 20.0
"""How high a runner flies, m, and how much that counts against the other goals."""
JUMP_STANCE = 0.4
"""Time on the ground between jumps, s."""
GAIN, LOSS = 0.5, 0.6
"""Most that it wants to be faster or slower than it is, m/s: speed is gained over several steps."""


@dataclass(frozen=True)
class Steps:
    """What each step should be like, for an adult."""

    length: float
    """m"""
    duration: float
    """on the ground, s"""
    apex: float = 0.0
    """height of the flight, m"""
    fly: float = 0.0
    """how much that counts"""

    @property
    def whole(self) -> float:
        """Time of a step with its flight, s."""
        return self.duration + (RUN_FLIGHT if self.fly > 0 else 0.0)


def steps(speed: float, gait: str = "any", jump: float = 0.0) -> Steps:
    """Natural steps for a speed, m/s."""
    if jump > 0:
        return Steps(speed * (JUMP_STANCE + 2.0 * np.sqrt(2.0 * jump / 9.81)), JUMP_STANCE, jump, FLY)
    if gait == "run" or (gait == "any" and speed > WALKS_TO):
        return Steps(speed * (RUN_STANCE + RUN_FLIGHT), RUN_STANCE, RUN_APEX, FLY)
    duration = float(np.clip(CADENCE * np.sqrt(USUAL / max(speed, 0.1)), BRISK, SLOW))
    return Steps(speed * duration, duration)


def toward(wanted: Steps, speed: float) -> float:
    """Length of the next steps on the way to the wanted ones, from the present speed along the way, m/s."""
    slowest, fastest = (speed - LOSS) * wanted.whole, (max(speed, 0.0) + GAIN) * wanted.whole
    return float(np.clip(wanted.length, slowest, fastest))
