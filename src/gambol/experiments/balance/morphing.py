"""A limb doubles in size while the body balances or walks, with no parameter changed [delasa2011, section 4.5]."""

from __future__ import annotations

import numpy as np

from gambol.behaviors import Behavior
from gambol.bodies import make_character
from gambol.experiments.experiment import Context, Result, check, count_of, experiment, report
from gambol.experiments.walked import Walked, side_view, walked
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import COLORS, axes, legend, svg
from gambol.world.world import World

LIMBS = ("left_thigh", "left_shank", "left_foot", "left_upper_arm", "left_forearm", "left_hand", "trunk", "head")
PAIRS = ("thigh", "shank", "foot")
"""Parts that are also grown on both sides: the body stays even. Reported."""
FACTOR = 2.0
STEPS, LASTS = 100, 2.0
"""It grows in so many small steps, over so many seconds."""
BEGIN = {"balance": 1.0, "walk": 3.0}
AFTER = 4.0
"""Seconds it must stand or walk on when it has grown."""


class Growth:
    """Makes a part of a body, or both of a pair, larger, a little at a time."""

    def __init__(self, part: str, begin: float, factor: float = FACTOR) -> None:
        self.begin, self.factor = begin, factor
        self.base = make_character("human")
        self.roles = tuple(role for role in self.base.anatomy.bodies
                           if role == part or (part in PAIRS and role.endswith(f"_{part}")))
        self.done = 0

    def __call__(self, world: World, behavior: Behavior) -> None:
        due = int(np.clip((world.time - self.begin) / LASTS * STEPS + 1e-6, 0, STEPS))
        if due > self.done:
            self.done = due
            size = 1.0 + (self.factor - 1.0) * due / STEPS
            world.morph(self.base.scaled(limb={role: size for role in self.roles}))


def grown(part: str, behavior: str, after: float, seed: int) -> Walked:
    growth = Growth(part, BEGIN[behavior])
    return walked(BEGIN[behavior] + LASTS + after, seed, also=growth, behavior=behavior)


@experiment("morphing", group="walk", source="[delasa2011, section 4.5]",
            published="limbs up to x2 while balancing and walking, no parameter changed")
def morphing(context: Context) -> Result:
    """Each limb grows to twice its size within 2 s, while balancing and while walking"""
    limbs, pairs, after = (("left_forearm",), (), 1.0) if context.quick else (LIMBS, PAIRS, AFTER)
    parts = (*limbs, *pairs)
    cases = [(part, behavior, after, context.seed) for behavior in BEGIN for part in parts]
    done = dict(zip([case[:2] for case in cases], context.trials(grown, cases), strict=True))
    rows = [count_of(f"{behavior}: limbs that grow to x{FACTOR:g} without a fall", "all",
                     sum(done[role, behavior].fell is None for role in limbs), len(limbs), len(limbs))
            for behavior in BEGIN]
    rows += [check(f"{role} x{FACTOR:g}, {behavior}", "no fall", told(take, behavior), take.fell is None)
             for (role, behavior), take in done.items() if role in limbs]
    rows += [report(f"left and right {part} x{FACTOR:g}, {behavior}", "-", told(take, behavior))
             for (part, behavior), take in done.items() if part in pairs]
    figure, (bars,) = axes(1, height=1.0 + 0.3 * len(parts))
    place = np.arange(len(parts))[::-1]
    for k, behavior in enumerate(BEGIN):
        lasted = [done[part, behavior].seconds - BEGIN[behavior] for part in parts]
        bars.barh(place - 0.4 * k + 0.2, lasted, 0.38, label=behavior, color=COLORS[k])
    bars.axvline(LASTS, color="#39424c", linewidth=0.8)
    bars.set_yticks(place, [part if part in limbs else f"left, right {part}" for part in parts], fontsize=7.5)
    bars.set(title="stays up, from the start of growth", xlabel="s")
    legend(bars)
    films = [picture for (part, behavior), take in done.items()
             for picture in side_view(take.last, f"{part} x{FACTOR:g}, {behavior}: {take.how}", LASTS + after, 8,
                                      bearing=120.0, size=(150, 260))]
    return Result(rows, [Picture("How long it stays up; the line is when it has grown", svg(figure)), *films],
                  [f"In {STEPS} steps over {LASTS:g} s, then {after:g} s more. A limb of one side makes the body "
                   "uneven; parts of both legs are reported beside it."], {"walk": done[limbs[0], "walk"].last})


def told(take: Walked, behavior: str) -> str:
    if take.fell is None:
        return f"{take.seconds:g} s" + (f", {take.steps} steps" if behavior == "walk" else "")
    size = 1.0 + (FACTOR - 1.0) * float(np.clip((take.seconds - BEGIN[behavior]) / LASTS, 0.0, 1.0))
    return f"falls at {take.seconds:.1f} s, size x{size:.2f}"
