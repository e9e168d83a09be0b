"""What planned locomotion looks like, measured: slip, knees, arms, ground force, cost of transport."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.experiments.experiment import Context, Result, Row, below, check, experiment, report
from gambol.experiments.locomote.roaming import GROUP, NAME, SETTLES
from gambol.experiments.walk.looks import (
    COUNTER,
    SLIP,
    Looks,
    correlation,
    humps,
    load_plot,
    looks_of,
    mean_stance,
    swings_plot,
)
from gambol.experiments.walked import LAST, side_view
from gambol.motion.measures import Measured
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import svg
from gambol.runs.run import Run, record

PACES: dict[str, dict[str, Any]] = {"walk 1.2 m/s": {"speed": 1.2}, "walk 0.7 m/s": {"speed": 0.7},
                                    "walk 1.6 m/s": {"speed": 1.6}, "run 2.5 m/s": {"speed": 2.5}}
HYPEREXTENDED = -1.0
"""A knee that bends the wrong way by more than this, degrees."""


def gone(settings: dict[str, Any], seconds: float, seed: int) -> Run:
    """The last seconds of a take at an even pace."""
    return record(NAME, seconds=seconds, seed=seed, settings=settings, last=min(LAST, seconds - min(SETTLES, 2.0)))


def rows_of(name: str, take: Run, looks: Looks) -> list[Row]:
    """What is claimed of a pace."""
    course, cost = mean_stance(looks.loads[:, 0]), Measured(take.motion).summary("cost_of_transport")
    shape = humps(course)
    walks = name.startswith("walk")
    rows = [below(f"{name}: slip of loaded sole points, median", "-", float(np.median(looks.slip)), SLIP, "cm/s"),
            report("... 95 of 100 below", "-", f"{np.percentile(looks.slip, 95):.1f} cm/s"),
            check("... knees never bend the wrong way", "-",
                  f"{looks.knees.min():.1f} to {looks.knees.max():.0f} degrees", looks.knees.min() > HYPEREXTENDED),
            below("... arms against legs, correlation", "-", correlation(looks.arms, looks.legs), COUNTER),
            report("... left arm against right one, sweep", "-", f"{np.ptp(looks.arms):.0f} degrees"),
            report("... centre of mass rises and falls by", "4 to 5 cm in walking people", f"{100 * looks.bob:.1f} cm"),
            report("... cost of transport", "-", "-" if cost is None else f"{cost:.2f}")]
    metric = f"{name}: humps of the ground force in a stance"
    if name == next(iter(PACES)):
        return [*rows, check(metric, "two in people", shape, shape.startswith("2:"))]
    return [*rows, report(metric, "two in people" if walks else "-", shape)]


@experiment("preview-looks", group=GROUP, source="section 5.5", published="-")
def preview_looks(context: Context) -> Result:
    """Slip, knees, arms, humps of the ground force and cost of transport of planned walks and runs, measured"""
    seconds, paces = (5.0, dict(list(PACES.items())[:1])) if context.quick else (12.0, PACES)
    takes = dict(zip(paces, context.trials(gone, [(settings, seconds, context.seed) for settings in paces.values()]),
                     strict=True))
    rows: list[Row] = []
    pictures: list[Picture] = []
    for name, take in takes.items():
        rows.append(check(f"{name}: goes on for {seconds:g} s", "-", take.fell or "goes on", take.fell is None))
        if take.fell is None:
            looks = looks_of(take)
            rows += rows_of(name, take, looks)
            pictures += [Picture(f"{name}: legs and arms, hips and shoulders", svg(swings_plot(looks))),
                         Picture(f"{name}: knees and ground force", svg(load_plot(looks)))]
        pictures += side_view(take.motion, f"{name}, every 0.12 s", 1.2, 11, size=(130, 260))
    return Result(rows, pictures, ["Of the last seconds; ground forces by replay. Work of the motors is all counted "
                                   "positive."],
                  {name: take.motion for name, take in takes.items()})
