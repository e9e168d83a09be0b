"""Dodging: balls thrown at who stands or walks, with and without a heading to keep [delasa2011, section 5.5]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.behaviors import Behavior
from gambol.behaviors.locomote.gains import LocomoteGains
from gambol.experiments.experiment import Context, Result, Row, check, experiment, report
from gambol.experiments.locomote.roaming import GROUP, NAME
from gambol.experiments.walked import side_view
from gambol.runs.run import Run, record
from gambol.world.pushes import Throw
from gambol.world.world import World

BALLS, NEEDED = 20, 18
CLEAR = 0.35
"""A COM this far from a ball, over the ground, is clear of it, m: half a trunk and a ball, and some air."""
DISTANCE, SPEED = 10.0, 8.0
"""Where balls are thrown from, m, and how fast, m/s, as who is hit sees it."""
BEGIN, AFTER = 3.0, 3.0
"""The throw comes in the second after this, s, and it must stand for so long after it."""


@dataclass(frozen=True)
class Thrown:
    """How one ball went."""

    take: Run
    nearest: float
    """distance of ball and COM over the ground, m"""
    touched: bool

    @property
    def clear(self) -> bool:
        return self.take.fell is None and self.nearest > CLEAR and not self.touched


def thrown(seed: int, heading: bool, dodge: float) -> Thrown:
    """One ball from a random side at one that stands (half of them) or walks."""
    random = np.random.default_rng(seed)
    settings: dict[str, Any] = {"speed": float(random.choice([0.0, 1.2])), "dodge": dodge}
    throw = Throw(t=BEGIN + float(random.uniform()), bearing=float(random.uniform(-180, 180)), distance=DISTANCE,
                  speed=SPEED, mass=1.0)
    gains = None if heading else LocomoteGains.from_dict({"preview.heading": 0.0})
    nearest, touched = [np.inf], [False]

    def watch(world: World, controller: Behavior) -> None:
        ball = world.data.body(world.projectiles[0].name).xpos
        nearest[0] = min(nearest[0], float(np.hypot(*(ball - world.figure.com)[:2])))
        touched[0] |= any(contact.other == world.projectiles[0].name for contact in world.contacts.of(world.figure))

    take = record(NAME, seconds=throw.t + DISTANCE / SPEED + AFTER, seed=seed, settings=settings, each=watch,
                  throws=[throw], last=AFTER + 1.5, gains=gains)
    return Thrown(take, nearest[0], touched[0])


def row_of(name: str, done: list[Thrown], needed: int | None) -> Row:
    clear = sum(each.clear for each in done)
    words = (f"{clear} of {len(done)}; distances {min(each.nearest for each in done):.2f} to "
             f"{max(each.nearest for each in done):.2f} m; touched {sum(each.touched for each in done)}, "
             f"fell {sum(each.take.fell is not None for each in done)}")
    return report(name, "-", words) if needed is None else check(name, "dodges", words, clear >= needed)


@experiment("dodging", group=GROUP, source="[delasa2011, section 5.5, eq. 5.39]",
            published="dodges: turns the body where the heading is free, takes larger steps where it is not")
def dodging(context: Context) -> Result:
    """Balls thrown from all sides at one that stands or walks; how many pass clear of it"""
    balls = 1 if context.quick else BALLS
    kinds = [("with a heading", True, 0.6), ("heading free", False, 0.6), ("not dodging", True, 0.0)]
    kinds = kinds[:1] if context.quick else kinds
    cases = [(context.seed + k, heading, dodge) for _, heading, dodge in kinds for k in range(balls)]
    done = context.trials(thrown, cases)
    parts = {name: done[balls * k:balls * (k + 1)] for k, (name, _, _) in enumerate(kinds)}
    rows = [row_of(name, parts[name], None if dodge == 0 else -(-balls * NEEDED // BALLS))
            for name, _, dodge in kinds]
    films = [picture for name, part in parts.items()
             for picture in side_view(part[0].take.motion, name, AFTER, 8, bearing=145.0, elevation=-15.0)]
    return Result(rows, films,
                  [f"Balls of 1 kg from {DISTANCE:g} m at {SPEED:g} m/s, seen from the throw on. Clear: not touched, "
                   f"not fallen, COM and ball at least {CLEAR:g} m apart over the ground."],
                  {kinds[0][0]: parts[kinds[0][0]][0].take.motion})
