"""Pushes against `locomote`: on the trunk by direction and phase, on the head in stance and in flight.

The pushes on the head are those of [delasa2011, section 5.5].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gambol.behaviors import Behavior
from gambol.experiments.balance.pushes import DIRECTIONS
from gambol.experiments.experiment import Context, Result, Row, above, check, experiment, report
from gambol.experiments.locomote.roaming import GROUP, roamed, table_picture
from gambol.experiments.walked import Walked, side_view
from gambol.world.pushes import Push
from gambol.world.world import World

PHASES = (0.0, 0.25, 0.5, 0.75)
"""Share of a step that has passed since the left foot landed."""
SHORT = 0.1
"""Length of a push on the trunk, s."""
LEAST, MOST, GRID = 25.0, 100.0, 5.0
"""Impulses that are searched, N s."""
MEDIAN = 50.0
FORCES, LENGTHS, BEARINGS = (100.0, 200.0, 300.0, 400.0, 500.0), (0.1, 0.2), tuple(DIRECTIONS)
"""Pushes on the head, N and s, each in so many directions."""
SIMBICON = (350.0, 0.2)
"""N, s: the published push of another controller, on the trunk."""
BEFORE, AFTER = 3.0, 4.0
"""Seconds it goes before a push, and must go on after."""
RUN = {"speed": 2.5}


class PushAt:
    """Waits for the left foot to land (or for a flight), then pushes at a share of the step that follows."""

    def __init__(self, force: float, length: float, toward: float, phase: float, part: str = "trunk",
                 flight: bool = False) -> None:
        angle = np.radians(toward)
        self.force = (float(force * np.cos(angle)), float(force * np.sin(angle)), 0.0)
        self.length, self.phase, self.part, self.flight = length, phase, part, flight
        self.steps, self.landed, self.period = 0, 0.0, 0.5
        self.at: float | None = None

    def __call__(self, world: World, behavior: Behavior) -> None:
        strides: Any = getattr(behavior, "strides")  # noqa: B009  (only `locomote` has them)
        stepped = strides.steps != self.steps
        if stepped:
            self.period, self.landed, self.steps = world.time - self.landed, world.time, strides.steps
        if self.at is not None or world.time < BEFORE:
            return
        if self.flight and strides.support.value == "flight":
            self._push(world, 0.0)
        elif not self.flight and stepped and strides.stance == 0:
            self._push(world, self.phase * self.period)

    def _push(self, world: World, later: float) -> None:
        self.at = world.time + later
        world.push(Push(self.at, self.part, self.force, self.length))

    def over(self, world: World, behavior: Behavior) -> bool:
        return self.at is not None and world.time > self.at + AFTER


def shoved(push: PushAt, settings: dict[str, Any], seed: int) -> Walked:
    take = roamed(BEFORE + 3.0 + AFTER, seed, settings, until=push.over, also=push)
    if take.fell is None and push.at is None:
        return replace(take, fell="it was never pushed")
    return take


def largest(toward: float, phase: float, seed: int, grid: float = GRID) -> tuple[float, Walked]:
    """The largest impulse survived by bisection, 0 if not even the least; and the smallest that it did not survive."""
    def trial(impulse: float) -> Walked:
        return shoved(PushAt(impulse / SHORT, SHORT, toward, phase), {}, seed)

    shown = trial(LEAST)
    if shown.fell is not None:
        return 0.0, shown
    good, bad = LEAST, MOST + grid
    while bad - good > grid + 1e-9:
        middle = good + grid * round(0.5 * (bad - good) / grid)
        take = trial(middle)
        if take.fell is None:
            good = middle
        else:
            bad, shown = middle, take
    return good, shown


def on_head(force: float, length: float, toward: float, flight: bool, seed: int) -> Walked:
    """A push on the head in the middle of a walker's stance, or as a runner takes off."""
    return shoved(PushAt(force, length, toward, 0.5, "head", flight), dict(RUN) if flight else {}, seed)


def simbicon(toward: float, seed: int) -> Walked:
    return shoved(PushAt(*SIMBICON, toward, 0.5), {}, seed)


def trial(what: str, *arguments: Any) -> Any:
    """One of the above by name, so that all share one pool."""
    kinds: dict[str, Callable[..., Any]] = {"largest": largest, "on_head": on_head, "simbicon": simbicon}
    return kinds[what](*arguments)


@experiment("preview-pushes", group=GROUP, source="[delasa2011, section 5.5]",
            published="head pushes of 100 to 500 N for 0.1 to 0.2 s, in stance and in flight; SIMBICON 350 N for 0.2 s")
def preview_pushes(context: Context) -> Result:
    """The largest push on the trunk by direction and phase; pushes on the head in stance and in flight"""
    directions: Sequence[int] = tuple(DIRECTIONS)
    bearings: Sequence[int] = BEARINGS
    phases: Sequence[float] = PHASES
    forces: Sequence[float] = FORCES
    lengths: Sequence[float] = LENGTHS
    grid = GRID
    if context.quick:
        directions, phases, forces, lengths, bearings, grid = (0,), (0.5,), (100.0,), (0.1,), (0,), 75.0
    seed = context.seed
    trunk = [("largest", float(toward), phase, seed, grid) for toward in directions for phase in phases]
    head = [("on_head", force, length, float(toward), flight, seed) for flight in (False, True) for force in forces
            for length in lengths for toward in bearings]
    other = [("simbicon", float(toward), seed) for toward in bearings]
    done = context.trials(trial, [*trunk, *head, *other])
    found, heads, others = done[:len(trunk)], done[len(trunk):-len(other)], done[-len(other):]
    reached = np.array([best for best, _ in found]).reshape(len(directions), len(phases))
    rates = np.array([take.fell is None for take in heads]).reshape(2, len(forces), len(lengths), -1).mean(axis=-1)
    rows: list[Row] = [
        above("trunk, 0.1 s: median of the largest survived", "-", float(np.median(reached)), MEDIAN, "N s"),
        above("... least of all", "-", float(reached.min()), LEAST, "N s"),
        *(report(f"... {DIRECTIONS[toward]}, at {', '.join(f'{phase:g}' for phase in phases)} of a step", "-",
                 ", ".join(f"{value:g}" for value in line) + " N s")
          for toward, line in zip(directions, reached, strict=True)),
        *(report(f"head, {force:g} N, {when}: survived, for {' and '.join(f'{length:g}' for length in lengths)} s",
                 "survived in part", " and ".join(f"{rate * len(bearings):.0f} of {len(bearings)}" for rate in line))
          for when, block in zip(("stance", "flight"), rates, strict=True)
          for force, line in zip(forces, block, strict=True)),
        check(f"head, {forces[-1]:g} N for {lengths[-1]:g} s does not always fall", "survived sometimes",
              f"stance {100 * rates[0, -1, -1]:.0f} %, flight {100 * rates[1, -1, -1]:.0f} %",
              bool(rates[:, -1, -1].any())),
        report("trunk, 350 N for 0.2 s (70 N s), by direction", "SIMBICON survives it",
               f"{sum(take.fell is None for take in others)} of {len(others)}")]
    weakest = int(np.argmin(reached))
    toward, phase = trunk[weakest][1:3]
    return Result(rows, [
        table_picture(reached, [DIRECTIONS[toward] for toward in directions], [f"{phase:g}" for phase in phases],
                      "largest impulse survived [N s]", "share of the step since the left foot landed",
                      "Pushes on the trunk", MOST),
        *(table_picture(100 * block, [f"{force:g} N" for force in forces], [f"{length:g} s" for length in lengths],
                        f"head pushes survived in {when} [%]", "length of the push", f"Pushes on the head, {when}",
                        100.0, "{:.0f}") for when, block in zip(("stance", "flight"), rates, strict=True)),
        *side_view(found[weakest][1].last, f"{DIRECTIONS[int(toward)]} at {phase:g} of a step, its smallest fall: "
                   f"{found[weakest][1].how}", 3.0, 9, bearing=145.0),
        *side_view(others[0].last, f"350 N for 0.2 s, forward: {others[0].how}", 4.0, 9, bearing=145.0)],
        [f"It must go on for {AFTER:g} s. By bisection between {LEAST:g} and {MOST:g} N s in steps of {grid:g}; 0 is "
         "less than the least, the most may be more. A larger push may be survived where a smaller one is not: "
         "bisection does not see that.",
         "Head pushes: eight directions, in the middle of the left foot's step at 1.2 m/s, or at take-off at 2.5 m/s."],
        {"weakest": found[weakest][1].last})
