"""Pushes while it walks: the largest survived by direction and moment of the gait. A report, not a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.behaviors import Behavior
from gambol.experiments.balance.pushes import DIRECTIONS, PUSH
from gambol.experiments.experiment import Context, Result, experiment, report
from gambol.experiments.walked import Walked, side_view, walked
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import axes, svg
from gambol.world.pushes import Push
from gambol.world.world import World

RUNGS: tuple[float, ...] = (10.0, 20.0, 30.0, 40.0, 50.0)
"""Impulses tried, N s, the smallest first."""
PHASES: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75)
"""Share of a step that has passed since the left foot landed."""
BEFORE, AFTER = 4.0, 3.0
"""Seconds it walks before the push, and must go on after."""


class PushInStep:
    """Waits for the left foot to land, then schedules a push at a share of the step that follows."""

    def __init__(self, impulse: float, toward: float, phase: float) -> None:
        force, angle = impulse / PUSH, np.radians(toward)
        self.force = (float(force * np.cos(angle)), float(force * np.sin(angle)), 0.0)
        self.phase = phase
        self.steps = 0
        self.at: float | None = None

    def __call__(self, world: World, behavior: Behavior) -> None:
        steps = getattr(behavior, "steps", 0)
        landed, self.steps = steps != self.steps, steps
        if self.at is None and landed and world.time > BEFORE and left_leads(world):
            period = behavior.params.swing_duration + getattr(behavior, "double", 0.0)
            self.at = world.time + self.phase * period
            world.push(Push(self.at, "trunk", self.force, PUSH))

    def over(self, world: World, behavior: Behavior) -> bool:
        return self.at is not None and world.time > self.at + AFTER


def left_leads(world: World) -> bool:
    figure = world.figure
    left, right = (figure.data.xpos[figure.body_id(f"{side}_foot")][0] for side in ("left", "right"))
    return bool(left > right)


def shoved(impulse: float, toward: float, phase: float, seed: int) -> Walked:
    push = PushInStep(impulse, toward, phase)
    take = walked(BEFORE + 2.0 + AFTER, seed, until=push.over, also=push)
    if take.fell is None and push.at is None:
        return replace(take, fell="it was never pushed: no step of the left foot")
    return take


def climbed(toward: float, phase: float, seed: int, rungs: Sequence[float]) -> tuple[float, Walked]:
    """The largest push survived, 0 if none, and the last trial; the ladder ends at the first fall."""
    best = 0.0
    for impulse in rungs:
        take = shoved(impulse, toward, phase, seed)
        if take.fell is not None:
            break
        best = impulse
    return best, take


@experiment("walk-pushes", group="walk", source="[delasa2011, section 4.5]",
            published="not robust to large pushes; no figure")
def walk_pushes(context: Context) -> Result:
    """Pushes of 0.1 s on the trunk while it walks, by direction and phase of the gait"""
    directions, phases, rungs = tuple(DIRECTIONS), PHASES, RUNGS
    if context.quick:
        directions, phases, rungs = (90,), (0.5,), (20.0,)
    cases = [(float(toward), phase, context.seed, rungs) for toward in directions for phase in phases]
    done = context.trials(climbed, cases)
    reached = np.array([best for best, _ in done]).reshape(len(directions), len(phases))
    rows = [report(f"{DIRECTIONS[toward]}, largest survived at {', '.join(f'{phase:g}' for phase in phases)} of a step",
                   "-", ", ".join(f"{value:g}" for value in line) + " N s")
            for toward, line in zip(directions, reached, strict=True)]
    rows.append(report("smallest, mean and largest of all", "-",
                       f"{reached.min():g}, {reached.mean():.0f}, {reached.max():g} N s"))
    figure, (table,) = axes(1, height=1.0 + 0.28 * len(directions))
    table.grid(False)
    table.pcolormesh(reached, cmap="YlGnBu", vmin=0.0, vmax=RUNGS[-1] * 1.3, edgecolors="white", linewidth=1.0)
    for (row, column), value in np.ndenumerate(reached):
        table.text(column + 0.5, row + 0.5, f"{value:g}", ha="center", va="center", fontsize=8)
    table.set_yticks(np.arange(len(directions)) + 0.5, [DIRECTIONS[toward] for toward in directions], fontsize=7.5)
    table.set_xticks(np.arange(len(phases)) + 0.5, [f"{phase:g}" for phase in phases])
    table.invert_yaxis()
    table.set(title="largest impulse survived [N s]", xlabel="share of the step since the left foot landed")
    shown = int(np.argmin(reached)) if not context.quick else 0
    take, toward = done[shown][1], int(cases[shown][0])
    tried = ", ".join(f"{rung:g}" for rung in rungs)
    return Result(rows, [Picture("Largest impulse survived", svg(figure)),
                         *side_view(take.last, f"{DIRECTIONS[toward]}, its last trial: {take.how}", 3.0, 9,
                                    bearing=145.0)],
                  [f"Impulses {tried} N s, to the first fall; 0: not even the first. It must walk on for {AFTER:g} s."],
                  {"pushed": take.last})
