"""The same walk, with the same parameters, on other bodies [delasa2011, section 4.5]."""

from __future__ import annotations

import numpy as np

from gambol.behaviors import Behavior
from gambol.experiments.experiment import Context, Result, Row, count_of, experiment, report
from gambol.experiments.walked import Walked, side_view, walked
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import axes, legend, svg
from gambol.world.world import World

BODIES = ("child", "ostrich", "dinosaur", "asymmetric")
STEPS = 20
SEEDS = 3
LONGEST = 40.0


def enough(world: World, behavior: Behavior) -> bool:
    return getattr(behavior, "steps", 0) >= STEPS


def twenty_steps(body: str, seconds: float, seed: int) -> Walked:
    return walked(seconds, seed, character=body, until=enough)


@experiment("retargeting", group="walk", source="[delasa2011, section 4.5, fig. 4.1]",
            published="other bodies walk without any manual change")
def retargeting(context: Context) -> Result:
    """Child, ostrich, dinosaur and an asymmetric human walk 20 steps each, the behavior unchanged"""
    bodies, seeds, seconds = (BODIES, SEEDS, LONGEST) if not context.quick else (BODIES[:2], 1, 4.0)
    least = STEPS if not context.quick else 4
    cases = [(body, seconds, context.seed + k) for body in bodies for k in range(seeds)]
    done = context.trials(twenty_steps, cases)
    rows: list[Row] = []
    films: list[Picture] = []
    figure, (paths,) = axes(1, height=3.2)
    for index, body in enumerate(bodies):
        takes = done[index * seeds:(index + 1) * seeds]
        walks = sum(take.fell is None and take.steps >= least for take in takes)
        rows.append(count_of(f"{body}: walks {least} steps", "walks", walks, seeds, seeds))
        rows.append(report(f"{body}: steps; speed", "-", ", ".join(str(take.steps) for take in takes) + "; "
                           + ", ".join(f"{take.speed(2.0):.2f}" for take in takes) + " m/s"
                           + "".join(f"; {take.how}" for take in takes if take.fell)))
        shown = min(takes, key=lambda take: take.steps)
        paths.plot(shown.time, np.linalg.norm(shown.com - shown.com[0], axis=1), label=body)
        films += side_view(shown.last, f"{body}: {shown.how}", 1.6, size=(220, 260), zoom=1.1)
    paths.set(title="way made", xlabel="time [s]", ylabel="m")
    legend(paths)
    return Result(rows, [Picture("Way made by each", svg(figure)), *films],
                  ["Lengths scale with the height of the standing centre of mass, times with its root."],
                  {bodies[0]: done[0].last})
