"""Mending: one or two more stages for what is nearly good, in which only what is off weighs more.

All weights raised together change little, since what is left is a conflict among them. Those of what is off take from
what has room to spare.
"""

from __future__ import annotations

from dataclasses import replace

from gambol.synthesis.measures import FEATURE, Measure, near
from gambol.synthesis.stages import Stage

MENDS = 2
"""How often at most a climb is mended."""
MORE = 10.0
"""How many times as much what is off weighs, each time."""
ITERATIONS = 60
RAISED = {"force": ("physics",), "moment": ("physics",), "gap": ("closed",), "tilt": ("closed",), "slip": ("slip",),
          "creep": ("slip",), "friction": ("cone",), "through": ("through", "rise"), "stretch": ("stretch",),
          "clearance": ("skim",),
          **dict.fromkeys(("position", "direction", "upright", "end height", "hit", "hit speed"), ("task",))}
"""Measure -> weights. Others, but for features, cannot be mended: contacts stay as they were decided."""


def raised(name: str) -> tuple[str, ...]:
    """Weights that mend a measure."""
    return ("task",) if name.startswith(FEATURE) else RAISED.get(name, ())


def to_mend(measures: list[Measure]) -> tuple[str, ...]:
    """Names of what is off, if it is worth mending: nothing is off by much, and all of it can be mended."""
    off = tuple(m.name for m in measures if not m.good)
    return off if near(measures) and all(raised(name) for name in off) else ()


def mend(last: Stage, off: tuple[str, ...]) -> Stage:
    """The last stage of a ladder once more, for what was off, once or twice, by name."""
    weights = last.full()
    for name in sorted(set(off)):
        for weight in raised(name):
            weights[weight] = max(weights[weight], last.full()[weight] * MORE ** off.count(name))
    return replace(last, name="mend", weights=weights, iterations=min(last.iterations, ITERATIONS))
