"""From what a user wants (a speed, a gait, a jump) to steps: their length, their time on the ground, their flight."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.units import GRAVITY

WALKS_TO = 1.9
"""Faster than this, m/s, it runs unless told otherwise."""
TOO_FAST = 2.1
"""A walker that is faster than this, m/s, goes on running until it is slower."""
CADENCE, USUAL = 0.53, 1.35
"""Time of a walker's step, s, at the usual speed, m/s; it goes with the root of the speed's inverse."""
BRISK, SLOW, QUICKEST = 0.42, 0.62, 0.33
"""Least and most time of a walker's natural step, s, and of one that is made quicker to keep up the speed."""
RUN_STANCE, RUN_FLIGHT, RUN_REACH = 0.3, 0.1, 0.68
"""Most time on the ground and time in the air of a runner's step, s; how far he gets while a foot stands, m."""
RUN_APEX, FLY, JUMP = 0.04, 20.0, 500.0
"""How high a runner flies, m, and how much that counts against the other goals; how much it does for a jumper."""
DURATIONS = (0.25, 0.9)
"""Least and most time of a step whose length was asked for, s."""
JUMP_STANCE = 0.4
"""Time on the ground between jumps, s."""
GAIN, LOSS = 0.5, 0.4
"""Most that it wants to be faster or slower than it is, m/s: speed is gained over several steps."""
GENTLE, CAREFUL, SLOWEST = 0.15, 1.5, 0.5
"""Ground steeper than this is walked more slowly, by so much, but no slower than this share of what was wanted."""

LONGER = 0.1
"""How much of what is missing is made up for by longer steps; quicker ones do the rest."""
LEARN, STEADY, TRIMS = 0.4, 0.08, (0.8, 1.4)
"""How fast it learns how its steps must be; steps that differ by less than this, m/s, are steady; and limits."""


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
    flight: float = 0.0
    """time in the air, s"""

    def trimmed(self, factor: float, timed: bool = False) -> Steps:
        """Faster by a factor. A walker makes quicker steps, for longer ones would take longer, unless he is `timed`."""
        if self.fly > 0 or timed:
            return replace(self, length=self.length * factor)
        duration = max(self.duration * factor**(LONGER - 1.0), min(QUICKEST, self.duration))
        return replace(self, length=self.length * factor**LONGER, duration=duration)

    @property
    def whole(self) -> float:
        """Time of a step with its flight, s."""
        return self.duration + self.flight


def steps(speed: float, gait: str = "any", jump: float = 0.0, length: float = 0.0, duration: float = 0.0) -> Steps:
    """Steps for a speed, m/s: natural ones, or of a length or duration that was asked for; both outvote the speed."""
    natural = _natural(speed, gait, jump)
    if duration > 0:
        natural = replace(natural, duration=duration, length=speed * (duration + natural.flight))
    elif length > 0 and speed > 0:
        natural = replace(natural, duration=float(np.clip(length / speed - natural.flight, *DURATIONS)))
    return replace(natural, length=length) if length > 0 else natural


def _natural(speed: float, gait: str, jump: float) -> Steps:
    """How people step at a speed."""
    if jump > 0:
        flight = float(2.0 * np.sqrt(2.0 * jump / GRAVITY))
        return Steps(speed * (JUMP_STANCE + flight), JUMP_STANCE, jump, JUMP, flight)
    if speed > 0 and (gait == "run" or (gait == "any" and speed > WALKS_TO)):
        stance = min(RUN_STANCE, RUN_REACH / speed)
        return Steps(speed * (stance + RUN_FLIGHT), stance, RUN_APEX, FLY, RUN_FLIGHT)
    duration = float(np.clip(CADENCE * np.sqrt(USUAL / max(speed, 0.1)), BRISK, SLOW))
    return Steps(speed * duration, duration)


def toward(wanted: float, now: float) -> float:
    """Speed to step for on the way from the present speed to the wanted one, m/s: braking takes steps, too."""
    return float(np.clip(wanted, now - LOSS, max(now, 0.0) + GAIN))


def careful(steep: float) -> float:
    """Share of the wanted speed for ground that is so steep."""
    return max(1.0 / (1.0 + CAREFUL * max(steep - GENTLE, 0.0)), SLOWEST)


class Trim:
    """How much faster than wanted a walker must plan its steps for the speed it wants, learned while it goes steadily.

    A plan is a compromise: of ten centimetres more that it is asked for it gives seven.
    """

    def __init__(self) -> None:
        self.factor, self.last = 1.0, np.inf

    def reset(self) -> None:
        """Something else is wanted."""
        self.factor, self.last = 1.0, np.inf

    def stepped(self, wanted: float, speed: float) -> None:
        """A step was made at a mean speed, m/s, that should have been another."""
        too_fast = self.factor > 1.0 and speed > wanted
        if (too_fast or abs(speed - self.last) < STEADY) and wanted > 0.1:
            self.factor = float(np.clip(self.factor * (wanted / max(speed, 0.1)) ** LEARN, *TRIMS))
        self.last = speed
