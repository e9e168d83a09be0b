"""A palm on a wall adds to what the feet can do; nothing published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.behaviors import Behavior
from gambol.experiments.experiment import Context, Result, above, experiment, report
from gambol.reporting.pictures import film
from gambol.runs.run import Run, record
from gambol.world.props import make_props
from gambol.world.pushes import Push
from gambol.world.starts import Start
from gambol.world.world import World


@dataclass(frozen=True)
class Place:
    """What is to the left, in reach of the left hand or not."""

    terrain: str = "flat"
    prop: str = ""


PLACES = {"wall": Place("wall:distance=0.6,bearing=90"),
          "block": Place(prop="platform:x=0,y=1.1,z=0,size=1,thickness=2,amplitude=0"),
          "open floor": Place()}
"""A wall of the terrain, the same as a prop, and nothing."""
BODIES = ("human", "human44")
RUNGS = (120.0, 110.0, 100.0, 90.0, 80.0, 70.0, 60.0, 55.0, 50.0, 45.0, 40.0, 35.0, 30.0, 25.0, 20.0)
"""Impulses tried toward the wall, N s, the hardest first."""
SEEDS, PUSH, DURATION = 5, 2.0, 0.1
GROWTH = 1.5
"""By how much the largest push survived is to grow."""


class Felt:
    """Watches for the largest force on a palm."""

    def __init__(self) -> None:
        self.force = 0.0

    def __call__(self, world: World, behavior: Behavior) -> None:
        if PUSH < world.time < PUSH + 1.0:
            self.force = max([self.force, *(float(np.linalg.norm(contact.force)) for contact
                                            in world.contacts.of(world.figure) if contact.role == "left_hand")])


def leans(world: World, _: Behavior) -> bool:
    """Whether something else than feet and palms touches a thing: one may not lean on it like a plank."""
    return any(contact.other not in ("ground", "floor") and not contact.role.endswith(("_foot", "_toes", "_hand"))
               for contact in world.contacts.of(world.figure))


def shoved(place: str, body: str, hands: str, impulse: float, seed: int, felt: Felt | None = None) -> Run:
    """Balance beside something, pushed toward it."""
    push, where = Push(PUSH, "trunk", (0.0, impulse / DURATION, 0.0), DURATION), PLACES[place]
    return record("balance", body, seconds=6.0, seed=seed, settings={"hands": hands}, terrain=where.terrain,
                  props=make_props([where.prop] if where.prop else []), start=Start(x=0.0, y=0.0), pushes=[push],
                  each=felt, until=leans if where.prop else None)


def survives(place: str, body: str, hands: str, impulse: float, seed: int) -> bool:
    """Whether it stands to the end."""
    done = shoved(place, body, hands, impulse, seed)
    return done.fell is None and done.seconds > 5.9


def largest(place: str, body: str, hands: str, seed: int, seeds: int) -> float:
    """The hardest push that is survived with every seed, N s."""
    return next((impulse for impulse in RUNGS
                 if all(survives(place, body, hands, impulse, seed + k) for k in range(seeds))), 0.0)


@experiment("contacts-palms", group="contacts", source="own: a hand on a wall is support", published="no figure")
def contacts_palms(context: Context) -> Result:
    """The largest push toward a wall that is survived without a step, with a palm on the wall and without"""
    bodies, places, seeds = (BODIES[:1], ["wall"], 1) if context.quick else (BODIES, list(PLACES), SEEDS)
    cases = [(place, body, hands, context.seed, seeds) for body in bodies for place in places
             for hands in ("none", "left") if hands == "none" or place != "open floor"]
    found = dict(zip([case[:3] for case in cases], context.trials(largest, cases), strict=True))
    rows = []
    for place, body, hands in found:
        if hands == "none":
            rows.append(report(f"{body}, {place}: without", "-", f"{found[place, body, hands]:g} N s"))
            continue
        without, with_palm = found[place, body, "none"], found[place, body, hands]
        open_floor = found.get(("open floor", body, "none"), 0.0)
        rows.append(report(f"{body}, {place}: with a palm", "-", f"{with_palm:g} N s"))
        rows.append(above(f"{body}, {place}: growth, the open floor counted, too", "-",
                          with_palm / max(without, open_floor, 1e-9), GROWTH))
    felt = Felt()
    shown = shoved("wall", bodies[-1], "left", 40.0, context.seed, felt)
    rows.append(report(f"{bodies[-1]}: largest force on the palm after 40 N s", "-", f"{felt.force:.0f} N"))
    return Result(rows, film(shown.motion, np.linspace(0.3, min(2.6, shown.seconds), 7), "A palm on the wall",
                             bearing=180.0, elevation=-8.0, size=(240, 320)),
                  [f"Pushes of 0.1 s on the trunk; a rung counts if all of {seeds} seeds survive it. A part other than "
                   "feet and palms that touches the wall, or the block, is a fall."], {"palm": shown.motion})
