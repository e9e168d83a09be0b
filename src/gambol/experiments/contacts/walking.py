"""Walking on props: over boxes that lie in the way, and on platforms, still and moving; nothing published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.experiments.experiment import Context, Result, count_of, experiment
from gambol.reporting.pictures import film
from gambol.runs.run import Run, record
from gambol.world.props import make_props
from gambol.world.starts import Start

SEEDS = 10
ASKED = 0.9
"""Share of the seeds that must not fall."""


@dataclass(frozen=True)
class Way:
    """Who walks on what."""

    behavior: str
    prop: str
    seconds: float = 6.0


WAYS = {
    "locomote over a box of 0.1 m": Way("locomote", "box:x=2.5,size=2,width=4,height=0.1,mass=300"),
    "locomote over a box of 0.2 m": Way("locomote", "box:x=2.5,size=2,width=4,height=0.2,mass=300"),
    "locomote over a crate of 40 kg, 0.15 m": Way("locomote", "box:x=2.2,size=1,width=2,height=0.15,mass=40"),
    "locomote on a platform along x, 0.15 m at 0.5 Hz":
        Way("locomote", "platform:axis=x,amplitude=0.15,period=2,size=14,z=0,thickness=0.1"),
    "locomote on a platform along y, 0.15 m at 0.5 Hz":
        Way("locomote", "platform:axis=y,amplitude=0.15,period=2,size=14,z=0,thickness=0.1"),
    "walk on a still platform, 0.3 m high": Way("walk", "platform:amplitude=0,size=14,z=0.2,thickness=0.1"),
    "walk on a platform along x, 0.15 m at 0.5 Hz":
        Way("walk", "platform:axis=x,amplitude=0.15,period=2,size=14,z=0,thickness=0.1"),
    "walk on a platform along y, 0.15 m at 0.5 Hz":
        Way("walk", "platform:axis=y,amplitude=0.15,period=2,size=14,z=0,thickness=0.1")}


def went(name: str, seed: int) -> bool:
    """Whether it did not fall."""
    return go(name, seed, last=0.1).fell is None


def go(name: str, seed: int, last: float | None = None) -> Run:
    """One run along a way."""
    way = WAYS[name]
    return record(way.behavior, seconds=way.seconds, seed=seed, props=make_props([way.prop]),
                  start=Start(x=0.0, y=0.0), last=last)


@experiment("contacts-walking", group="contacts", source="own: props are ground", published="no figure")
def contacts_walking(context: Context) -> Result:
    """Walks over boxes that lie in the way, and on platforms that move"""
    names, seeds = (list(WAYS)[:1], 1) if context.quick else (list(WAYS), SEEDS)
    done = iter(context.trials(went, [(name, context.seed + k) for name in names for k in range(seeds)]))
    rows = [count_of(name, "-", sum(next(done) for _ in range(seeds)), seeds, int(np.ceil(ASKED * seeds)))
            for name in names]
    shown = go(names[0], context.seed)
    return Result(rows, film(shown.motion, np.linspace(0.4, shown.seconds - 0.5, 8), "Over a box", bearing=60.0,
                             size=(220, 280)),
                  ["What may be stepped on is a level top of a box of a prop, of 10 kg or more if the prop is loose."],
                  {"box": shown.motion})
