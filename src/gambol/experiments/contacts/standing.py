"""Standing on what is no ground: boxes, a loose crate, platforms that move, a seat, a slippery floor.

Nothing of this is published.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.experiments.experiment import Context, Result, count_of, experiment
from gambol.motion.motion import Motion
from gambol.reporting.pictures import film
from gambol.runs.run import Run, record
from gambol.world.props import make_props
from gambol.world.pushes import Push
from gambol.world.starts import Start

BOX = "box:x=0,y=0,size=0.6,mass=20,height={}"
PLATFORM = "platform:amplitude=0.15,period=2,axis={},z={}"
CRATE, CHAIR = "box:x=0,y=0,size=0.9,height=0.3,mass=40", "chair:x=0,y=0,fixed=yes"
STOOD_ON = {
    "box of 0.1 m": BOX.format(0.1), "box of 0.3 m": BOX.format(0.3), "box of 0.5 m": BOX.format(0.5),
    "loose crate, 40 kg": CRATE, "seat of a chair": CHAIR,
    "platform along x, flush": PLATFORM.format("x", -0.1), "platform along y, flush": PLATFORM.format("y", -0.1),
    "platform along x, 0.1 m proud": PLATFORM.format("x", 0.0),
    "platform along y, 0.1 m proud": PLATFORM.format("y", 0.0)}
"""What is stood on, as text of a prop."""
PUSHED_ON = {"floor": ("", 25.0), "box of 0.3 m": (BOX.format(0.3), 25.0), "loose crate, 40 kg": (CRATE, 20.0)}
"""What a human stands on when it is pushed, as text of a prop, and the impulse of the push, N s."""
SECONDS, SEEDS = 60.0, 3
DIRECTIONS, DURATION = range(0, 360, 45), 0.1


def on_prop(prop: str, **trial: Any) -> Run:
    """Balance where a prop is."""
    return record("balance", props=make_props([prop] if prop else []), start=Start(x=0.0, y=0.0), **trial)


def stands(prop: str, seconds: float, seed: int) -> str | None:
    """Why it fell, or None."""
    return on_prop(prop, seconds=seconds, seed=seed, last=0.1).fell


def pushed(prop: str, impulse: float, toward: float, seed: int) -> tuple[str | None, Motion]:
    """Why it fell, or None, when pushed for 0.1 s toward an angle, degrees."""
    angle = np.radians(toward)
    force = impulse / DURATION * np.array([np.cos(angle), np.sin(angle), 0.0])
    done = on_prop(prop, seconds=6.0, seed=seed, pushes=[Push(1.0, "trunk", tuple(force), DURATION)])
    return done.fell, done.motion


@experiment("contacts-standing", group="contacts", source="own: what one should be able to stand on",
            published="no figure")
def contacts_standing(context: Context) -> Result:
    """Balance on boxes, a loose crate, a chair's seat and platforms that move, and pushed there from 8 directions"""
    seconds, seeds, directions = (2.0, 1, (0,)) if context.quick else (SECONDS, SEEDS, DIRECTIONS)
    cases = [(prop, seconds, context.seed + k) for prop in STOOD_ON.values() for k in range(seeds)]
    fell = iter(context.trials(stands, cases))
    rows = [count_of(f"{name}: stands {seconds:g} s", "-", sum(next(fell) is None for _ in range(seeds)), seeds, seeds)
            for name in STOOD_ON]
    pushes = [(prop, impulse, float(toward), context.seed + k) for prop, impulse in PUSHED_ON.values()
              for toward in directions for k in range(seeds)]
    found = context.trials(pushed, pushes)
    each = len(directions) * seeds
    for k, (name, (_, impulse)) in enumerate(PUSHED_ON.items()):
        passed = sum(reason is None for reason, _ in found[k * each:(k + 1) * each])
        rows.append(count_of(f"{name}: {impulse:g} N s from {len(directions)} directions, {seeds} seeds each",
                             "-", passed, each, each))
    shown = found[each][1]
    return Result(rows, film(shown, np.linspace(0.9, 2.4, 7), "A push on a box", size=(200, 300)),
                  ["Feet on the box of 0.6 m, start and speeds jittered by seed."], {"box": shown})
