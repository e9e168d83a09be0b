"""How often must it plan? Error of the COM and speed by the time from plan to plan [delasa2011, fig. 5.6]."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gambol.behaviors import Behavior
from gambol.experiments.experiment import Context, Result, Row, above, check, experiment
from gambol.experiments.locomote.roaming import GROUP, SETTLES, roamed
from gambol.experiments.walked import Walked, side_view
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import axes, legend, svg
from gambol.world.world import World

TICKS = (1, 5, 10, 25, 50, 75, 100)
SECONDS, SEEDS = 20.0, 2
EACH = "every {} ticks, and at contacts"
PUBLISHED = {EACH.format(1): "0.15 of real time", "at contacts only": "0.55 of real time, little more error"}
OFTEN, FAST = 30.0, 2.0
"""The default plans at least so often a second, and is at least so many times faster than real time."""


@dataclass
class Follower:
    """Watches how far the COM is from its plan, and counts plans."""

    errors: list[float] = field(default_factory=list)
    plans: int = 0
    planned: float = -1.0

    def __call__(self, world: World, behavior: Behavior) -> None:
        seen: Any = behavior
        if seen.plan is None or world.time < SETTLES:
            return
        if seen.planned != self.planned:
            self.planned, self.plans = seen.planned, self.plans + 1
        limbs = seen.limbs
        ahead = seen.plan.at((world.time - seen.planned) / limbs.pace).com * limbs.size
        self.errors.append(float(np.linalg.norm(world.figure.com - ahead)))


@dataclass(frozen=True)
class Followed:
    """A walk with what it took."""

    take: Walked
    mean: float
    worst: float
    """error of the COM against its plan, m: root of the mean square, and 95th percentile"""
    rate: float
    """plans a second"""
    factor: float
    """simulated seconds per second of one core, control, physics and notes"""


def followed(settings: dict[str, Any], seconds: float, seed: int) -> Followed:
    watcher, begin = Follower(), time.process_time()
    take = roamed(seconds, seed, settings, also=watcher)
    used = time.process_time() - begin
    errors = np.array(watcher.errors or [np.nan])
    watched = max(take.seconds - SETTLES, 1e-9)
    return Followed(take, float(np.sqrt((errors**2).mean())), float(np.percentile(errors, 95)), watcher.plans / watched,
                    take.seconds / used)


def in_words(runs: list[Followed]) -> str:
    return ("; ".join(run.take.how for run in runs) + "; COM off by "
            + ", ".join(f"{1e3 * run.mean:.1f}" for run in runs) + " mm (rms), "
            + ", ".join(f"{1e3 * run.worst:.1f}" for run in runs) + " mm (95 of 100); "
            + ", ".join(f"{run.rate:.0f}" for run in runs) + " plans a second; "
            + ", ".join(f"{run.factor:.2f}" for run in runs) + " times real time")


@experiment("replanning", group=GROUP, source="[delasa2011, section 5.5, fig. 5.6]",
            published="works with plans up to 100 ticks apart; 0.15 of real time planning every tick, 0.55 at contacts")
def replanning(context: Context) -> Result:
    """Plans every 1 to 100 ticks and at contacts, at contacts only, and when it has strayed: error and speed"""
    ticks, seconds, seeds = (TICKS, SECONDS, SEEDS) if not context.quick else ((8,), SETTLES + 0.4, 1)
    ways: dict[str, dict[str, Any]] = {EACH.format(n): {"when": "ticks", "replan": n} for n in ticks}
    if not context.quick:
        ways |= {"at contacts only": {"when": "contacts"}, "at contacts, and when astray": {"when": "deviation"},
                 "all of these, as by default": {}}
    cases = [(settings, seconds, context.seed + k) for settings in ways.values() for k in range(seeds)]
    done = context.trials(followed, cases)
    runs = {name: done[seeds * k:seeds * (k + 1)] for k, name in enumerate(ways)}
    rows: list[Row] = [check(name, PUBLISHED.get(name, "works"), in_words(found),
                             all(run.take.fell is None for run in found)) for name, found in runs.items()]
    if not context.quick:
        usual = runs["all of these, as by default"]
        rows += [above("by default: plans a second", "-", min(run.rate for run in usual), OFTEN),
                 above("... times real time, on one core", "0.15 to 0.55", min(run.factor for run in usual), FAST)]
    figure, (error, speed) = axes(2)
    every = [runs[EACH.format(n)] for n in ticks]
    for k in range(seeds):
        error.plot(ticks, [1e3 * found[k].mean for found in every], "o-", label=f"seed {context.seed + k}")
        speed.plot(ticks, [found[k].factor for found in every], "o-", label=f"seed {context.seed + k}")
    error.set(title="COM off its plan, rms", xlabel="ticks from plan to plan", ylabel="mm")
    speed.set(title="times real time", xlabel="ticks from plan to plan", ylim=(0.0, None))
    legend(error)
    films = [picture for name, found in runs.items() if found[0].take.fell or context.quick
             for picture in side_view(found[0].take.last, f"{name}: {found[0].take.how}", 1.6)]
    return Result(rows, [Picture("Error and speed by the time from plan to plan", svg(figure)), *films],
                  ["The error is from the plan in use, so it grows until the next plan. Times are of one core's work, "
                   "recording and measuring included. A change of contacts always asks for a plan: the second half of "
                   "a plan is not followed, so the published 'without contacts' is not there.",
                   "Run it with `--workers 1` on a quiet machine for the speeds."],
                  {"first": done[0].take.last})
