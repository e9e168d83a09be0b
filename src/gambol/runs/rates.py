"""Rates of a world, from what the behaviors in it declare: all divide the fastest, which is the world's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gambol.behaviors import Behavior
from gambol.errors import BadInput


@dataclass(frozen=True)
class Rates:
    """How often a world ticks and its physics steps, Hz, and after how many ticks each behavior acts again."""

    control: float
    physics: float
    every: tuple[int, ...]


def rates_of(kinds: Sequence[type[Behavior]], control: float | None = None, physics: float | None = None) -> Rates:
    """The rates for behaviors that share a world. With a control rate given, all of them act at that one."""
    for name, rate in (("control", control), ("physics", physics)):
        if rate is not None and not (math.isfinite(rate) and 1.0 <= rate <= 1e5):
            raise BadInput(f"{name}_rate={rate:g} is out of range; it takes 1 to 100000 Hz")
    ticks = control if control is not None else max(kind.control_rate for kind in kinds)
    every = tuple(1 if control is not None else whole(ticks / kind.control_rate) for kind in kinds)
    for kind, ratio in zip(kinds, every, strict=True):
        if not ratio:
            fastest = max(kinds, key=lambda other: other.control_rate)
            raise BadInput(f"{fastest.name!r} acts at {ticks:g} Hz, which is no whole multiple of the "
                           f"{kind.control_rate:g} Hz of {kind.name!r}; give the trial a control rate for both")
    if physics is None:
        wanted = max(kind.physics_rate for kind in kinds)
        physics = ticks * max(1, math.ceil(wanted / ticks - 1e-9))
    return Rates(ticks, physics, every)


def whole(ratio: float) -> int:
    """A ratio as a whole number from 1 up, or 0 if it is none."""
    nearest = round(ratio)
    return nearest if nearest >= 1 and abs(ratio - nearest) < 1e-9 else 0
