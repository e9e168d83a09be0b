"""From what a user wants (a speed, a gait, a jump) to steps: their length, their time on the ground, their flight."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.gains import Gains
from gambol.params import param
from gambol.units import GRAVITY


@dataclass(frozen=True)
class StepGains(Gains):
    """How long, how quick and how high the steps of an adult are."""

    walks_to: float = param(1.9, unit="m/s", low=0.5, high=3.0, doc="faster than this it runs unless told otherwise")
    too_fast: float = param(2.1, unit="m/s", low=0.5, high=3.5,
                            doc="a walker that is faster than this goes on running until it is slower")
    cadence: float = param(0.53, unit="s", low=0.2, high=1.0,
                           doc="time of a walker's step at the usual speed; it goes with the root of the speed's "
                               "inverse")
    usual: float = param(1.35, unit="m/s", low=0.5, high=2.5, doc="that speed")
    brisk: float = param(0.42, unit="s", low=0.2, high=0.8, doc="least time of a walker's natural step")
    slow: float = param(0.62, unit="s", low=0.3, high=1.2, doc="most time of it")
    quickest: float = param(0.33, unit="s", low=0.15, high=0.6,
                            doc="least time of one that is made quicker to keep up the speed")
    run_stance: float = param(0.3, unit="s", low=0.1, high=0.5, doc="most time on the ground of a runner's step")
    run_flight: float = param(0.1, unit="s", low=0.0, high=0.4, doc="time in the air of it")
    run_reach: float = param(0.68, unit="m", low=0.2, high=1.2, doc="how far a runner gets while a foot stands")
    run_apex: float = param(0.04, unit="m", low=0.0, high=0.3, doc="how high a runner flies")
    fly: float = param(20.0, low=0.0, high=1000.0, doc="how much that counts against the other goals")
    jump: float = param(500.0, low=0.0, high=5000.0, doc="how much it does for a jumper")
    shortest: float = param(0.25, unit="s", low=0.1, high=0.5, doc="least time of a step whose length was asked for")
    longest: float = param(0.9, unit="s", low=0.4, high=2.0, doc="most time of it")
    jump_stance: float = param(0.4, unit="s", low=0.1, high=1.0, doc="time on the ground between jumps")
    gain: float = param(0.5, unit="m/s", low=0.05, high=2.0,
                        doc="most that it wants to be faster than it is: speed is gained over several steps")
    loss: float = param(0.4, unit="m/s", low=0.05, high=2.0, doc="most that it wants to be slower")
    gentle: float = param(0.15, low=0.0, high=1.0, doc="ground steeper than this is walked more slowly")
    careful: float = param(1.5, low=0.0, high=10.0, doc="by so much")
    slowest: float = param(0.5, low=0.1, high=1.0, doc="but no slower than this share of what was wanted")
    longer: float = param(0.1, low=0.0, high=1.0,
                          doc="how much of what is missing is made up for by longer steps; quicker ones do the rest")
    learn: float = param(0.4, low=0.0, high=2.0, doc="how fast it learns how its steps must be")
    steady: float = param(0.08, unit="m/s", low=0.0, high=0.5,
                          doc="steps that differ by less than this are steady: from these it learns")
    least_trim: float = param(0.8, low=0.3, high=1.0, doc="what it has learned makes steps faster by this at least")
    most_trim: float = param(1.4, low=1.0, high=3.0, doc="and by this at most")


NATURAL = StepGains()


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

    def trimmed(self, factor: float, timed: bool = False, gains: StepGains = NATURAL) -> Steps:
        """Faster by a factor. A walker makes quicker steps, for longer ones would take longer, unless he is `timed`."""
        if self.fly > 0 or timed:
            return replace(self, length=self.length * factor)
        duration = max(self.duration * factor**(gains.longer - 1.0), min(gains.quickest, self.duration))
        return replace(self, length=self.length * factor**gains.longer, duration=duration)

    @property
    def whole(self) -> float:
        """Time of a step with its flight, s."""
        return self.duration + self.flight


def steps(speed: float, gait: str = "any", jump: float = 0.0, length: float = 0.0, duration: float = 0.0,
          gains: StepGains = NATURAL) -> Steps:
    """Steps for a speed, m/s: natural ones, or of a length or duration that was asked for; both outvote the speed."""
    natural = _natural(speed, gait, jump, gains)
    if duration > 0:
        natural = replace(natural, duration=duration, length=speed * (duration + natural.flight))
    elif length > 0 and speed > 0:
        time = np.clip(length / speed - natural.flight, gains.shortest, gains.longest)
        natural = replace(natural, duration=float(time))
    return replace(natural, length=length) if length > 0 else natural


def _natural(speed: float, gait: str, jump: float, gains: StepGains) -> Steps:
    """How people step at a speed."""
    if jump > 0:
        flight = float(2.0 * np.sqrt(2.0 * jump / GRAVITY))
        return Steps(speed * (gains.jump_stance + flight), gains.jump_stance, jump, gains.jump, flight)
    if speed > 0 and (gait == "run" or (gait == "any" and speed > gains.walks_to)):
        stance = min(gains.run_stance, gains.run_reach / speed)
        return Steps(speed * (stance + gains.run_flight), stance, gains.run_apex, gains.fly, gains.run_flight)
    duration = float(np.clip(gains.cadence * np.sqrt(gains.usual / max(speed, 0.1)), gains.brisk, gains.slow))
    return Steps(speed * duration, duration)


def toward(wanted: float, now: float, gains: StepGains = NATURAL) -> float:
    """Speed to step for on the way from the present speed to the wanted one, m/s: braking takes steps, too."""
    return float(np.clip(wanted, now - gains.loss, max(now, 0.0) + gains.gain))


def careful(steep: float, gains: StepGains = NATURAL) -> float:
    """Share of the wanted speed for ground that is so steep."""
    return max(1.0 / (1.0 + gains.careful * max(steep - gains.gentle, 0.0)), gains.slowest)


class Trim:
    """How much faster than wanted a walker must plan its steps for the speed it wants, learned while it goes steadily.

    A plan is a compromise: of ten centimetres more that it is asked for it gives seven.
    """

    def __init__(self, gains: StepGains = NATURAL) -> None:
        self.gains = gains
        self.factor, self.last = 1.0, np.inf

    def reset(self) -> None:
        """Something else is wanted."""
        self.factor, self.last = 1.0, np.inf

    def stepped(self, wanted: float, speed: float) -> None:
        """A step was made at a mean speed, m/s, that should have been another."""
        gains = self.gains
        too_fast = self.factor > 1.0 and speed > wanted
        if (too_fast or abs(speed - self.last) < gains.steady) and wanted > 0.1:
            factor = self.factor * (wanted / max(speed, 0.1)) ** gains.learn
            self.factor = float(np.clip(factor, gains.least_trim, gains.most_trim))
        self.last = speed
