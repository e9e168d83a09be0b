"""Steering: a figure of eight, turns in place, sideways and backwards (section 5.5, test 24)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gambol.experiments.experiment import Context, Result, Row, check, experiment, report
from gambol.experiments.locomote.roaming import GROUP, roamed
from gambol.experiments.walk.ranges import apart
from gambol.experiments.walked import Walked, side_view
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import axes, legend, svg
from gambol.runs.trial import Change

LIMIT = 10.0
"""degrees"""
RATE, PIECE = 30.0, 0.2
"""The eight turns this fast, degrees/s, commanded anew so often, s."""
BEGIN, LOOP = 3.0, 12.0
"""Seconds before the first loop, and in each."""
TURNS, STILL, TURNED = (20.0, 90.0, 180.0, -90.0), 2.0, 8.0
"""Turns in place, degrees; when they are commanded and how long they take at most, s."""
SETTLED = 1.2
"""The end is the mean over this time, s."""
SEEDS = 5


@dataclass(frozen=True)
class Course:
    """What is commanded, and where it should face and go at the end, degrees."""

    name: str
    seconds: float
    facing: float
    settings: dict[str, Any]
    changes: tuple[Change, ...] = field(default=())
    going: float | None = None
    published: str = "-"


def eight() -> Course:
    """A loop to the left, a loop to the right."""
    times = np.arange(0.0, 2.0 * LOOP, PIECE)
    angles = RATE * (np.minimum(times, LOOP) - np.maximum(times - LOOP, 0.0))
    changes = tuple((BEGIN + float(time), "heading", float((angle + 180.0) % 360.0 - 180.0))
                    for time, angle in zip(times, angles, strict=True))
    last = ((BEGIN + 2.0 * LOOP, "heading", 0.0),)
    return Course("figure of eight", BEGIN + 2.0 * LOOP + 4.0, 0.0, {"speed": 1.0}, changes + last, 0.0,
                  "turns on the way")


def courses() -> list[Course]:
    turns = [Course(f"turn in place by {turn:g}", STILL + TURNED, turn, {"speed": 0.0}, ((STILL, "heading", turn),),
                    published="small ones by the trunk, large ones by steps") for turn in TURNS]
    return [eight(), *turns,
            Course("sideways to the left", 10.0, 0.0, {"speed": 0.4, "direction": 90.0}, going=90.0),
            Course("sideways to the right", 10.0, 0.0, {"speed": 0.4, "direction": -90.0}, going=-90.0),
            Course("backwards", 10.0, 0.0, {"speed": 0.6, "direction": 180.0}, going=180.0),
            Course("aslant, facing ahead", 10.0, 0.0, {"speed": 0.8, "direction": 45.0}, going=45.0)]


def followed(course: Course, seed: int) -> Walked:
    return roamed(course.seconds, seed, course.settings, changes=course.changes)


def row_of(course: Course, takes: list[Walked]) -> Row:
    """How far off it faces at the end, and which way it goes."""
    off = [apart(take.facing(SETTLED), course.facing) for take in takes]
    words = "facing off by " + ", ".join(f"{value:.1f}" for value in off)
    good = all(take.fell is None for take in takes) and max(off) < LIMIT
    if course.going is not None:
        astray = [apart(take.direction(2.0 * SETTLED), course.going) for take in takes]
        words += "; way off by " + ", ".join(f"{value:.1f}" for value in astray)
        good = good and max(astray) < LIMIT
    else:
        words += " degrees; steps " + ", ".join(str(take.steps) for take in takes)
    return check(course.name, course.published, words + "".join(f"; {take.how}" for take in takes if take.fell), good)


@experiment("steering", group=GROUP, source="section 5.5 (test 24)",
            published="turns in place by 20, 90, 180 degrees: small ones by the torso, large ones by stepping")
def steering(context: Context) -> Result:
    """A figure of eight, turns in place, sideways and backwards; where it faces and goes at the end"""
    chosen, seeds = courses(), SEEDS
    if context.quick:
        chosen, seeds = [replace(chosen[1], seconds=STILL + 2.5)], 1
    cases = [(course, context.seed + k) for course in chosen for k in range(seeds)]
    done = context.trials(followed, cases)
    takes = {course.name: done[seeds * k:seeds * (k + 1)] for k, course in enumerate(chosen)}
    rows = [row_of(course, takes[course.name]) for course in chosen]
    if not context.quick:
        loops = takes["figure of eight"]
        gaps = [float(np.linalg.norm(take.com[-1] - take.com[np.searchsorted(take.time, BEGIN)])) for take in loops]
        rows.append(report("figure of eight: from its beginning to where it ends, 4 m straight on", "-",
                           ", ".join(f"{gap:.1f}" for gap in gaps) + " m"))
    figure, (paths, facing) = axes(2, height=3.2)
    for course in chosen:
        take = takes[course.name][0]
        paths.plot(take.com[:, 0], take.com[:, 1], label=course.name, linewidth=1.0)
        if course.going is None:
            facing.plot(take.time, np.degrees(np.unwrap(take.heading)), label=course.name)
    paths.set(title="paths from above", xlabel="m", ylabel="m", aspect="equal")
    facing.set(title="facing, turns in place", xlabel="time [s]", ylabel="degrees")
    legend(paths, 2)
    films = [picture for course in chosen
             for picture in side_view(takes[course.name][0].last, course.name, min(6.0, course.seconds), 9,
                                      bearing=145.0, elevation=-20.0)]
    return Result(rows, [Picture("Paths, and where it faces", svg(figure)), *films],
                  [f"Means over the last {SETTLED:g} s (ways: {2 * SETTLED:g} s); passes below {LIMIT:g} degrees."],
                  {chosen[0].name: takes[chosen[0].name][0].last})
