"""A limb doubles in size while the body balances or walks, with no parameter changed (section 4.5, test 14)."""

from __future__ import annotations

import numpy as np

from gambol.behaviors import Behavior
from gambol.bodies import make_character
from gambol.experiments.experiment import Context, Picture, Result, check, count_of, experiment
from gambol.experiments.gait import Walked, side_view, walked
from gambol.experiments.plots import COLORS, axes, svg
from gambol.world.world import World

LIMBS = ("left_thigh", "left_shank", "left_foot", "left_upper_arm", "left_forearm", "left_hand", "trunk", "head")
FACTOR = 2.0
STEPS, LASTS = 40, 2.0
"""It grows in so many small steps, over so many seconds."""
BEGIN = {"balance": 1.0, "walk": 3.0}
AFTER = 4.0
"""Seconds it must stand or walk on when it has grown."""


class Growth:
    """Makes one part of a body larger, a little at a time."""

    def __init__(self, role: str, begin: float, factor: float = FACTOR) -> None:
        self.role, self.begin, self.factor = role, begin, factor
        self.base = make_character("human")
        self.done = 0

    def __call__(self, world: World, behavior: Behavior) -> None:
        due = int(np.clip((world.time - self.begin) / LASTS * STEPS + 1e-6, 0, STEPS))
        if due > self.done:
            self.done = due
            world.morph(self.base.scaled(limb={self.role: 1.0 + (self.factor - 1.0) * due / STEPS}))


def grown(role: str, behavior: str, after: float, seed: int) -> Walked:
    growth = Growth(role, BEGIN[behavior])
    return walked(BEGIN[behavior] + LASTS + after, seed, also=growth, behavior=behavior)


@experiment("morphing", group="walk", source="section 4.5 (test 14)",
            published="limbs up to x2 while balancing and walking, no parameter changed")
def morphing(context: Context) -> Result:
    """Each limb grows to twice its size within 2 s, while balancing and while walking"""
    limbs, after = (("left_forearm",), 1.0) if context.quick else (LIMBS, AFTER)
    cases = [(role, behavior, after, context.seed) for behavior in BEGIN for role in limbs]
    done = dict(zip([case[:2] for case in cases], context.trials(grown, cases), strict=True))
    rows = [count_of(f"{behavior}: limbs that grow to x{FACTOR:g} without a fall", "all",
                     sum(done[role, behavior].fell is None for role in limbs), len(limbs), len(limbs))
            for behavior in BEGIN]
    rows += [check(f"{role} x{FACTOR:g}, {behavior}", "no fall", told(take, behavior), take.fell is None)
             for (role, behavior), take in done.items()]
    figure, (bars,) = axes(1, height=1.0 + 0.3 * len(limbs))
    place = np.arange(len(limbs))[::-1]
    for k, behavior in enumerate(BEGIN):
        lasted = [done[role, behavior].seconds - BEGIN[behavior] for role in limbs]
        bars.barh(place - 0.4 * k + 0.2, lasted, 0.38, label=behavior, color=COLORS[k])
    bars.axvline(LASTS, color="#39424c", linewidth=0.8)
    bars.set_yticks(place, limbs, fontsize=7.5)
    bars.set(title="stays up, from the start of growth", xlabel="s")
    bars.legend(fontsize=7.5, frameon=False)
    films = [picture for (role, behavior), take in done.items()
             for picture in side_view(take.last, f"{role} x{FACTOR:g}, {behavior}: {take.how}", LASTS + after, 8,
                                      bearing=120.0, size=(150, 260))]
    return Result(rows, [Picture("How long it stays up; the line is when it has grown", svg(figure)), *films],
                  [f"In {STEPS} steps over {LASTS:g} s, then {after:g} s more. Limbs of one side only: the body gets "
                   "lopsided."], {"walk": done[limbs[0], "walk"].last})


def told(take: Walked, behavior: str) -> str:
    if take.fell is None:
        return f"{take.seconds:g} s" + (f", {take.steps} steps" if behavior == "walk" else "")
    size = 1.0 + (FACTOR - 1.0) * float(np.clip((take.seconds - BEGIN[behavior]) / LASTS, 0.0, 1.0))
    return f"falls at {take.seconds:.1f} s, size x{size:.2f}"
