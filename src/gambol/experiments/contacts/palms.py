"""A palm on a wall adds to what the feet can do; nothing published."""

from __future__ import annotations

import numpy as np

from gambol.behaviors import Behavior
from gambol.experiments.experiment import Context, Result, above, experiment, report
from gambol.reporting.pictures import film
from gambol.runs.run import Run, record
from gambol.world.pushes import Push
from gambol.world.world import World

WALL = "wall:distance=0.6,bearing=90"
"""To the left, within reach of the left hand."""
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


def shoved(body: str, hands: str, impulse: float, seed: int, felt: Felt | None = None) -> Run:
    """Balance beside the wall, pushed toward it."""
    push = Push(PUSH, "trunk", (0.0, impulse / DURATION, 0.0), DURATION)
    return record("balance", body, seconds=6.0, seed=seed, settings={"hands": hands}, terrain=WALL, pushes=[push],
                  each=felt)


def largest(body: str, hands: str, seed: int, seeds: int) -> float:
    """The hardest push that is survived with every seed, N s."""
    return next((impulse for impulse in RUNGS
                 if all(shoved(body, hands, impulse, seed + k).fell is None for k in range(seeds))), 0.0)


@experiment("contacts-palms", group="contacts", source="own: a hand on a wall is support", published="no figure")
def contacts_palms(context: Context) -> Result:
    """The largest push toward a wall that is survived without a step, with a palm on the wall and without"""
    bodies, seeds = (BODIES[:1], 1) if context.quick else (BODIES, SEEDS)
    cases = [(body, hands, context.seed, seeds) for body in bodies for hands in ("none", "left")]
    found = dict(zip([case[:2] for case in cases], context.trials(largest, cases), strict=True))
    rows = []
    for body in bodies:
        without, with_palm = found[body, "none"], found[body, "left"]
        rows.append(report(f"{body}: without; with a palm", "-", f"{without:g}; {with_palm:g} N s"))
        rows.append(above(f"{body}: growth", "-", with_palm / max(without, 1e-9), GROWTH))
    felt = Felt()
    shown = shoved(bodies[-1], "left", 40.0, context.seed, felt)
    rows.append(report(f"{bodies[-1]}: largest force on the palm after 40 N s", "-", f"{felt.force:.0f} N"))
    return Result(rows, film(shown.motion, np.linspace(0.3, min(2.6, shown.seconds), 7), "A palm on the wall",
                             bearing=180.0, elevation=-8.0, size=(240, 320)),
                  [f"Pushes of 0.1 s on the trunk; a rung counts if all of {seeds} seeds survive it. A part other than "
                   "feet and palms that touches the wall is a fall."], {"palm": shown.motion})
