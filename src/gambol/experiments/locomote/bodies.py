"""The same locomotion, with the same parameters relative to size, on other bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.experiments.experiment import Context, Result, Row, count_of, experiment, report
from gambol.experiments.locomote.roaming import GROUP, roamed
from gambol.experiments.walk.bodies import BODIES, LONGEST, SEEDS, STEPS, enough
from gambol.experiments.walked import Walked, side_view
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import axes, legend, svg

SPEEDS = (0.8, 1.2)
"""m/s, for an adult; others go slower or faster by the root of their size."""


def twenty_steps(body: str, speed: float, seconds: float, seed: int) -> Walked:
    return roamed(seconds, seed, {"speed": speed}, character=body, until=enough)


@experiment("preview-bodies", group=GROUP, source="[delasa2011, section 4.5], by planning", published="-")
def preview_bodies(context: Context) -> Result:
    """Child, ostrich, dinosaur and an asymmetric human walk 20 steps each, planned, the parameters unchanged"""
    bodies: Sequence[str] = BODIES
    speeds: Sequence[float] = SPEEDS
    seeds, seconds, least = SEEDS, LONGEST, STEPS
    if context.quick:
        bodies, seeds, seconds, speeds, least = BODIES[:1], 1, 3.0, SPEEDS[:1], 2
    cases = [(body, speed, seconds, context.seed + k) for body in bodies for speed in speeds for k in range(seeds)]
    done = context.trials(twenty_steps, cases)
    rows: list[Row] = []
    films: list[Picture] = []
    figure, (paths,) = axes(1, height=3.2)
    for index, body in enumerate(bodies):
        for k, speed in enumerate(speeds):
            first = (index * len(speeds) + k) * seeds
            takes = done[first:first + seeds]
            walks = sum(take.fell is None and take.steps >= least for take in takes)
            rows.append(count_of(f"{body}, {speed:g} m/s for an adult: walks {least} steps", "-", walks, seeds, seeds))
            rows.append(report("... steps; speed", "-", ", ".join(str(take.steps) for take in takes) + "; "
                               + ", ".join(f"{take.speed(2.0):.2f}" for take in takes) + " m/s"
                               + "".join(f"; {take.how}" for take in takes if take.fell)))
            shown = min(takes, key=lambda take: take.steps)
            films += side_view(shown.last, f"{body}, {speed:g} m/s for an adult: {shown.how}", 1.6, size=(220, 260),
                               zoom=1.1)
        paths.plot(shown.time, np.linalg.norm(shown.com - shown.com[0], axis=1), label=body)
    paths.set(title="way made", xlabel="time [s]", ylabel="m")
    legend(paths)
    return Result(rows, [Picture("Way made by each", svg(figure)), *films],
                  ["Lengths scale with the height of the standing centre of mass, times with its root."],
                  {bodies[0]: done[0].last})
