"""Gaits by goals alone: speeds held, jumps, and goals switched at random [delasa2011, section 5.5]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gambol.experiments.experiment import Context, Result, Row, check, count_of, experiment, report
from gambol.experiments.locomote.roaming import GROUP, SETTLES, roamed
from gambol.experiments.walked import Walked, side_view
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import COLORS, axes, legend, svg
from gambol.runs.trial import Change

MINUTE, EVERY = 60.0, 3.0
"""Length of a run with random goals, and how often they change, s."""
RUNS, GOOD = 20, 19
WALKS, SPRINTS = (0.5, 0.75, 1.0, 1.25, 1.5, 1.8), (2.0, 2.5, 3.0)
"""Speeds held, m/s."""
HELD = 15.0
OFF, SLIGHT, FLIES = 0.15, 0.02, 0.1
"""Speeds are off by at most this, m/s or as a share, whichever is more; a walk flies less than the second share of the
time, a run more than the third."""
LITERAL = {"walk 0.75 m / 0.6 s": ({"step_length": 0.75, "step_duration": 0.6, "gait": "walk"}, "1.23 m/s planned"),
           "run 1.05 m / 0.4 s": ({"step_length": 1.05, "step_duration": 0.4, "gait": "run"}, "2.7 m/s planned")}
"""The goals of [delasa2011, table 5.1], and what the reference program's planner makes of them on its own."""
JUMPS = {"in place, 0.1 m": {"speed": 0.0, "jump": 0.1}, "in place, 0.2 m": {"speed": 0.0, "jump": 0.2},
         "travelling, 0.1 m": {"speed": 0.8, "jump": 0.1}, "travelling, 0.2 m": {"speed": 0.8, "jump": 0.2}}


def wish(rng: np.random.Generator) -> dict[str, float]:
    """A random goal: stand, walk, run, jump in place or on the way."""
    kind = int(rng.integers(4))
    speed = (0.0, rng.uniform(WALKS[0], WALKS[-1]), rng.uniform(SPRINTS[0], SPRINTS[-1]), rng.choice([0.0, 0.8]))[kind]
    return {"speed": float(speed), "jump": float(rng.uniform(0.05, 0.15)) if kind == 3 else 0.0}


def wishes(seconds: float, seed: int) -> list[Change]:
    """Random goals every 3 s."""
    rng = np.random.default_rng([seed, 20])
    return [(time, name, value) for time in np.arange(0.0, seconds, EVERY).tolist()
            for name, value in wish(rng).items()]


def switched(seconds: float, seed: int) -> Walked:
    return roamed(seconds, seed, changes=wishes(seconds, seed))


def told(changes: Sequence[Change], time: float) -> str:
    """The goals of the last two stretches before a time, in words."""
    stretches = [[(name, value) for at, name, value in changes if at == begin]
                 for begin in sorted({at for at, _, _ in changes if at <= time})[-2:]]
    return ", then ".join(" ".join(f"{name} {value:.2f}" for name, value in stretch if name == "speed" or value)
                          for stretch in stretches)


def held(settings: dict[str, Any], seconds: float, seed: int) -> Walked:
    return roamed(seconds, seed, settings)


def speed_row(name: str, speed: float, takes: Sequence[Walked], begin: float) -> Row:
    """A speed that should be held, with its flight."""
    measured, flight = ([getattr(take, what)(begin) for take in takes] for what in ("speed", "flight"))
    near = all(abs(value - speed) <= OFF * max(1.0, speed) for value in measured)
    flies = all(share > FLIES if speed in SPRINTS else share < SLIGHT for share in flight)
    return check(name, "walks do not fly, runs do",
                 ", ".join(f"{value:.2f}" for value in measured) + " m/s; flight "
                 + ", ".join(f"{100 * share:.0f}" for share in flight) + " %"
                 + "".join(f"; {take.how}" for take in takes if take.fell),
                 near and flies and all(take.fell is None for take in takes))


def apex_of(take: Walked, begin: float) -> float:
    """How far the COM is above where it was at take-off, at most, in the mean over flights, m."""
    flying = np.concatenate([[False], take.flying, [False]])
    starts, ends = (np.flatnonzero(edge) for edge in (flying[1:] & ~flying[:-1], flying[:-1] & ~flying[1:]))
    rises = [float(take.height[start:end].max() - take.height[start - 1])
             for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
             if start > 0 and end - start > 2 and take.time[start] > begin]
    return float(np.mean(rises)) if rises else 0.0


@experiment("gaits", group=GROUP, source="[delasa2011, section 5.5, table 5.1]",
            published="walk, run, stand and jump by goals alone; walk 0.75 m / 0.6 s, run 1.05 m / 0.4 s")
def gaits(context: Context) -> Result:
    """Goals switched at random every 3 s for a minute; speeds and jumps held"""
    minute, runs, steady, begin = (MINUTE, RUNS, HELD, SETTLES)
    speeds: tuple[float, ...] = (*WALKS, *SPRINTS)
    others: dict[str, dict[str, Any]] = {**{name: settings for name, (settings, _) in LITERAL.items()}, **JUMPS}
    if context.quick:
        minute, runs, steady, begin = 4.0, 1, 4.0, 2.5
        speeds, others = (1.0,), dict(list(JUMPS.items())[:1])
    repeats = 1 if context.quick else 2
    seeds = [context.seed + k for k in range(runs)]
    todo: list[tuple[Any, ...]] = [("switched", minute, seed) for seed in seeds]
    todo += [({"speed": speed}, steady, context.seed + k) for speed in speeds for k in range(repeats)]
    todo += [(settings, steady, context.seed) for settings in others.values()]
    done = context.trials(either, todo)
    random, steadily, rest = done[:runs], done[runs:-len(others)], done[-len(others):]
    falls = {seed: take for seed, take in zip(seeds, random, strict=True) if take.fell is not None}
    rows = [count_of(f"random goals every {EVERY:g} s for {minute:g} s: no fall", "works", runs - len(falls), runs,
                     runs if context.quick else GOOD),
            *(report(f"seed {seed}", "-", f"{take.how}; {told(wishes(minute, seed), take.seconds)}")
              for seed, take in falls.items())]
    kept = [steadily[repeats * k:repeats * (k + 1)] for k in range(len(speeds))]
    rows += [speed_row(f"{speed:g} m/s commanded", speed, takes, begin)
             for speed, takes in zip(speeds, kept, strict=True)]
    for name, take in zip(others, rest, strict=True):
        known = LITERAL[name][1] if name in LITERAL else "0 to 0.5 m"
        figures = (f"{take.how}; {take.speed(begin):.2f} m/s; flight {100 * take.flight(begin):.0f} %; "
                   f"rises {apex_of(take, begin):.2f} m in flight")
        rows.append(check(name if name in LITERAL else f"jumps {name}", known, figures,
                          take.fell is None and (name in LITERAL or take.flight(begin) > FLIES)))
    films = [*side_view(random[0].last, f"random goals, seed {seeds[0]}, last seconds", min(LAST_SHOWN, minute), 9)]
    for seed, take in list(falls.items())[:3]:
        films += side_view(take.last, f"random goals, seed {seed}: {take.how}", 1.6)
    for speed, takes in zip(speeds, kept, strict=True):
        films += side_view(takes[0].last, f"{speed:g} m/s", 0.8, 9)
    for name, take in zip(others, rest, strict=True):
        films += side_view(take.last, name, 1.0, 9)
    return Result(rows, [Picture("One run with random goals; all speeds", plotted(random[0], minute, seeds[0], speeds,
                                                                                  kept, begin)), *films],
                  [f"A speed passes if it is within {OFF:g} m/s or {100 * OFF:g} %, a walk flies less than "
                   f"{100 * SLIGHT:g} % of the time, a run more than {100 * FLIES:g} %."],
                  {"random": random[0].last})


LAST_SHOWN = 5.0


def either(what: Any, seconds: float, seed: int) -> Walked:
    """A run with random goals, or one with settings kept."""
    return switched(seconds, seed) if what == "switched" else held(what, seconds, seed)


def plotted(take: Walked, seconds: float, seed: int, speeds: Sequence[float], kept: Sequence[Sequence[Walked]],
            begin: float) -> bytes:
    commands = [(time, value) for time, name, value in wishes(seconds, seed) if name == "speed"]
    index = np.searchsorted([time for time, _ in commands], take.time, side="right") - 1
    figure, (course, steady) = axes(2)
    course.plot(take.time, np.array([value for _, value in commands])[index], label="commanded", color=COLORS[1])
    course.plot(take.time, take.speeds(0.6), label="measured", color=COLORS[0])
    course.set(title="speed, goals at random", xlabel="time [s]", ylabel="m/s")
    legend(course)
    steady.plot(speeds, speeds, color="#8b939c", linewidth=0.8)
    for k in range(len(kept[0])):
        steady.plot(speeds, [takes[k].speed(begin) for takes in kept], "o", color=COLORS[0])
    steady.set(title="speed held", xlabel="commanded [m/s]", ylabel="m/s")
    return svg(figure)
