"""Jumps: heights and bodies, twists, kick, split and forward (section 4.2 of the source; tests 9, 10 and 11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.behaviors import BEHAVIORS, Behavior
from gambol.behaviors.jump import Jump, Stage
from gambol.bodies import make_character
from gambol.experiments.experiment import Context, Result, Row, above, below, check, count_of, experiment, report
from gambol.motion.motion import Motion
from gambol.planning.footing import way
from gambol.reporting.pictures import Picture, film
from gambol.reporting.plots import axes, legend, plot_series, svg
from gambol.runs.run import Run, record
from gambol.world.world import World

TRIALS = 10
LONGEST = 9.0
"""A jump that is not over by then has not come to rest, s."""
STILL_SPEED, STILL_FOR = 0.05, 2.0
"""It stands still when its COM is slower than this (m/s) for so long (s)."""
HEADING = 20.0
"""How far the heading may be off, degrees."""
HEIGHTS = (0.1, 0.15, 0.25, 0.35, 0.45)
LEGS, ARMS = ("thigh", "shank"), ("upper_arm", "forearm")
BODIES: dict[str, tuple[str, tuple[str, ...], float]] = {
    "legs x 0.8": ("human", LEGS, 0.8), "legs x 1.25": ("human", LEGS, 1.25), "arms x 1.5": ("human", ARMS, 1.5),
    "child": ("child", (), 1.0), "asymmetric": ("asymmetric", (), 1.0), "ostrich": ("ostrich", (), 1.0),
    "dinosaur": ("dinosaur", (), 1.0)}
"""Name: a character, the parts of it that are longer on both sides, and how much."""


class Watch:
    """Sees every tick of a take, and ends it when it has stood still for long enough after its jump."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, ...]] = []
        self._still_since = 0.0

    def __call__(self, world: World, controller: Behavior) -> bool:
        figure, data = world.figure, world.data
        com, feet = figure.com, np.array([data.xpos[sole.body] for sole in figure.soles])
        trunk, line = data.xmat[figure.body_id("trunk")].reshape(3, 3).copy(), feet[0] - feet[1]
        if not self.rows:
            self._start, self._last, self._trunk, self._line, self._way = com, com, trunk, line, way(figure.heading)
        forward = self._way[0]
        nose, legs = (trunk @ self._trunk.T)[:, :2] @ forward, feet.mean(axis=0) - com
        speed = float(np.linalg.norm(com - self._last)) / world.tick_length
        self._last = com
        self.rows.append((world.time, float(data.ncon == 0), float(figure.sole_points()[:, 2].min()),
                          com[2] - self._start[2], forward @ (com - self._start)[:2],
                          _turn(self._way, way(figure.heading)[0]), _turn(self._way, nose[:2]),
                          float(np.arcsin(np.clip(-nose[2], -1.0, 1.0))),
                          _turn(np.array([self._line[:2], (-self._line[1], self._line[0])]), line[:2]),
                          float(np.arctan2(forward @ legs[:2], -legs[2])), speed))
        assert isinstance(controller, Jump)
        if not controller.jumps or controller.stage is not Stage.STANDING or speed > STILL_SPEED:
            self._still_since = world.time
        return world.time - self._still_since >= STILL_FOR

    def hop(self, take: Run, keep: bool = False) -> Hop:
        """What it has seen."""
        time, airborne, clearance, height, ahead, *angles, _ = np.array(self.rows).T
        turns = [np.degrees(np.unwrap(angle)) for angle in angles]
        return Hop(take.fell, take.fell is None and take.seconds < LONGEST - 1e-6, time, airborne, clearance, height,
                   ahead, turns[0], turns[1], turns[2], turns[3], turns[4], take.motion if keep else None)


def _turn(frame: np.ndarray, vector: np.ndarray) -> float:
    """Angle of a horizontal vector from the first to the second axis of a frame, rad."""
    ahead, left = frame @ vector
    return float(np.arctan2(left, ahead))


@dataclass(frozen=True)
class Hop:
    """One jump, a value a tick: s, m, degrees. Heights and places from those at the start."""

    fell: str | None
    rested: bool
    """it stood still for STILL_FOR at the end"""
    time: np.ndarray
    airborne: np.ndarray
    clearance: np.ndarray
    """of the lowest sole point over the ground"""
    height: np.ndarray
    """of the COM"""
    ahead: np.ndarray
    heading: np.ndarray
    trunk_yaw: np.ndarray
    trunk_pitch: np.ndarray
    """forward positive"""
    legs_yaw: np.ndarray
    """of the line from foot to foot"""
    legs_pitch: np.ndarray
    """of the feet about the COM, ahead positive"""
    motion: Motion | None = None
    """kept of the first trial, for pictures"""

    @property
    def flight(self) -> float:
        """Time without any contact, from take-off to touch-down, s."""
        rows = self.air.stop - self.air.start if self.airborne.any() else 0
        return float(rows * (self.time[1] - self.time[0]))

    @property
    def air(self) -> slice:
        """The longest stretch of rows without any contact: a jittered start may be off the ground for a moment."""
        edges = np.flatnonzero(np.diff(self.airborne, prepend=0.0, append=0.0)).reshape(-1, 2)
        if not len(edges):
            return slice(0, 1)
        first, last = edges[np.argmax(np.diff(edges, axis=1))]
        return slice(int(first), int(last))

    def good(self, turn: float = 0.0) -> bool:
        """Left the ground, landed, never fell, stands still, faces the right way."""
        off = (self.heading[-1] - turn + 180.0) % 360.0 - 180.0
        return self.fell is None and self.rested and self.flight > 0.0 and bool(abs(off) < HEADING)

    def counter(self, legs: np.ndarray, trunk: np.ndarray) -> tuple[float, float]:
        """How far the legs had turned in flight when they had turned most, and how far the trunk had then, degrees."""
        legs, trunk = legs[self.air] - legs[self.air][0], trunk[self.air] - trunk[self.air][0]
        most = int(np.argmax(np.abs(legs)))
        return float(legs[most]), float(trunk[most])


def hop(settings: Mapping[str, Any], seed: int, body: str = "human", keep: bool = False) -> Hop:
    """One jump of a body (a character or one of BODIES) from a jittered start."""
    name, limbs, factor = BODIES.get(body, (body, (), 1.0))
    character = make_character(name)
    if limbs:
        character = character.scaled(limb={f"{side}_{limb}": factor for side in ("left", "right") for limb in limbs})
    watch = Watch()
    take = record("jump", character, seconds=LONGEST, seed=seed, settings={"rest": 0.0, **settings}, until=watch)
    return watch.hop(take, keep)


def hops(context: Context, cases: Mapping[str, tuple[Mapping[str, Any], str]], trials: int) -> dict[str, list[Hop]]:
    """Every case (settings and body), so many times."""
    todo = [(settings, context.seed + k, body, k == 0) for settings, body in cases.values() for k in range(trials)]
    done = iter(context.trials(hop, todo))
    return {name: [next(done) for _ in range(trials)] for name in cases}


def span(values: Sequence[float], digits: int = 2) -> str:
    """Smallest to largest."""
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"


def strip(one: Hop, caption: str, bearing: float) -> Sequence[Picture]:
    """Before, crouch, thrust, five moments of the flight, impact, after."""
    assert one.motion is not None
    air = one.time[one.air]
    first, last, end = float(air[0]), float(air[-1]), float(one.time[-1])
    times = [0.4, first - 0.2, first - 0.06, *np.linspace(first + 0.03, last - 0.01, 5), last + 0.12, last + 1.2]
    return film(one.motion, np.clip(times, 0.0, end), caption, bearing=bearing, elevation=-6.0, size=(130, 250))


def motions(found: Mapping[str, Sequence[Hop]]) -> dict[str, Motion]:
    return {name: group[0].motion for name, group in found.items() if group[0].motion is not None}


# -- heights and bodies ------------------------------------------------------------------------------------------------


@experiment("jump-heights", group="jumps", source="section 4.2, Fig. 4.4 (test 9)",
            published="different heights and bodies with only hop parameters changed; consistent landings")
def jump_heights(context: Context) -> Result:
    """Standing jumps of several heights, on bodies with other limbs"""
    trials = 1 if context.quick else TRIALS
    heights = (0.15, 0.35) if context.quick else HEIGHTS
    bodies = ("legs x 1.25",) if context.quick else tuple(BODIES)
    cases: dict[str, tuple[Mapping[str, Any], str]] = {f"{height:g} m": ({"height": height}, "human")
                                                       for height in heights}
    cases |= {body: ({}, body) for body in bodies}
    found = hops(context, cases, trials)
    asked = [found[f"{height:g} m"] for height in heights]
    flights = [float(np.mean([one.flight for one in group])) for group in asked]
    clear = [float(np.mean([one.clearance.max() for one in group])) for group in asked]
    apex = [float(np.mean([one.height.max() for one in group])) for group in asked]
    rows = [count_of(f"{name}: left the ground, landed, stood still for 2 s", "lands", sum(one.good() for one in group),
                     trials, trials) for name, group in found.items()]
    rows += [check("flight grows with the height asked for", "grows", text(flights, "s"), growing(flights)),
             check("so does the clearance of the soles", "grows", text(clear, "m"), growing(clear)),
             report("apex of the COM above standing", "-", text(apex, "m"))]
    rows += [report(f"{body}: flight, clearance", "-", f"{span([one.flight for one in found[body]])} s, "
                    f"{span([one.clearance.max() for one in found[body]])} m") for body in bodies]
    usual = hop({}, context.seed) if context.quick else found["0.25 m"][0]
    rows.append(above("flight at the default height of 0.25 m", "-", usual.flight, 0.15, "s"))
    figure, (curves, lines) = axes(2)
    for height, group in zip(heights, asked, strict=True):
        curves.plot(group[0].time, group[0].height, label=f"{height:g} m")
    curves.set(title="COM above standing", xlabel="time [s]", ylabel="m", xlim=(0.0, 3.5))
    legend(curves)
    lines.plot(heights, flights, "o-", label="flight [s]")
    lines.plot(heights, clear, "o-", label="clearance of the soles [m]")
    lines.plot(heights, apex, "o-", label="apex of the COM [m]")
    lines.set(title="measured, by height asked for", xlabel="height asked for [m]")
    legend(lines, 3)
    shown = [name for name in (f"{heights[-1]:g} m", "legs x 1.25", "dinosaur") if name in found]
    return Result(rows, [Picture("Heights", svg(figure)),
                         *(picture for name in shown for picture in strip(found[name][0], name, 90.0))],
                  [f"{trials} jittered starts each. Only `height` changes; a body is scaled by its limbs, strength "
                   "included, and lengths of the jump scale with the standing height of its COM."],
                  motions(found))


def growing(values: Sequence[float]) -> bool:
    return bool((np.diff(values) > 0).all())


def text(values: Sequence[float], unit: str) -> str:
    return ", ".join(f"{value:.2f}" for value in values) + f" {unit}"


# -- twists ------------------------------------------------------------------------------------------------------------


@experiment("jump-twists", group="jumps", source="section 4.2 (test 10)",
            published="90 and 180 degrees; only crouch depth, thrust duration and angular momentum differ")
def jump_twists(context: Context) -> Result:
    """Jumps with a quarter and a half turn"""
    trials = 1 if context.quick else TRIALS
    presets = BEHAVIORS["jump"].presets
    found = hops(context, {name: (presets[name], "human") for name in ("twist 90", "twist 180")}, trials)
    rows: list[Row] = []
    figure, (turns,) = axes(1)
    for name, group in found.items():
        angle = float(presets[name]["twist"])
        ends = [one.heading[-1] for one in group]
        rows += [count_of(f"{name}: landed, stands still for 2 s, heading within {HEADING:g} degrees", name,
                          sum(one.good(angle) for one in group), trials, trials),
                 below(f"{name}: heading missed, largest", "-", max(abs(end - angle) for end in ends), HEADING,
                       "degrees"),
                 report(f"{name}: turned in the air", "-",
                        f"{span([float(np.ptp(one.heading[one.air])) for one in group], 0)} degrees"),
                 report(f"{name}: flight", "-", f"{span([one.flight for one in group])} s")]
        for one in group:
            turns.plot(one.time, one.heading, color="#2c6e91" if angle == 90.0 else "#e07b39", linewidth=0.8)
    turns.set(title="heading", xlabel="time [s]", ylabel="degrees", xlim=(0.5, 3.0))
    return Result(rows, [Picture("Heading of every take", svg(figure)),
                         *(picture for name in found for picture in strip(found[name][0], name, 150.0))],
                  ["The momentum is found from the angle, the flight time and the inertia of the present pose. Besides "
                   "the twist only height and crouch differ, and those only for 180 degrees."],
                  motions(found))


# -- kick, split, forward ----------------------------------------------------------------------------------------------


@experiment("jump-acrobatics", group="jumps", source="section 4.2, Fig. 4.5 (test 11)",
            published="scissor kick, air split and forward jump; the torso counter-rotates in flight")
def jump_acrobatics(context: Context) -> Result:
    """Scissor kick, air split and forward jump; what the trunk does against the legs"""
    trials = 1 if context.quick else TRIALS
    presets = BEHAVIORS["jump"].presets
    names = ("scissor kick", "air split", "forward")
    found = hops(context, {name: (presets[name], "human") for name in names}, trials)
    rows = [count_of(f"{name}: landed, stands still for 2 s", "lands", sum(one.good() for one in group), trials, trials)
            for name, group in found.items()]
    legs, trunk = counters(found["scissor kick"], "yaw")
    rows.append(check("scissor kick: the trunk turns against the legs, in every take", "counter-rotates",
                      f"{span(trunk, 0)} degrees; line of the feet {span(legs, 0)}", opposed(legs, trunk)))
    bent, swung = ([float((angle[one.air] - angle[one.air][0]).max()) for one in found["forward"]
                    for angle in (series(one, "pitch")[which],)] for which in (1, 0))
    rows.append(report("forward: most that the trunk bends toward the legs as they swing ahead", "counter-rotates",
                       f"{span(bent, 0)} degrees; legs {span(swung, 0)}"))
    rows.append(report("air split: turn of the trunk about the vertical", "-",
                       f"{span(counters(found['air split'], 'yaw')[1], 1)} degrees: the legs' turns cancel"))
    rows.append(below("forward: distance missed, of 0.4 m, largest", "-",
                      max(abs(one.ahead[-1] - presets["forward"]["forward"]) for one in found["forward"]), 0.1, "m"))
    rows += [report(f"{name}: flight, apex", "-", f"{span([one.flight for one in group])} s, "
                    f"{span([one.height.max() for one in group])} m") for name, group in found.items()]
    figure, (kick, forward) = axes(2)
    plot_counter(kick, found["scissor kick"][0], "yaw", "scissor kick: about the vertical")
    plot_counter(forward, found["forward"][0], "pitch", "forward: trunk forward, feet ahead")
    views = {"scissor kick": 90.0, "air split": 180.0, "forward": 90.0}
    return Result(rows, [Picture("Trunk against legs in the air", svg(figure)),
                         *(picture for name in names for picture in strip(found[name][0], name, views[name]))],
                  ["Angles are from take-off to the moment when the legs have turned most. Legs: the line from foot to "
                   "foot seen from above, or the feet about the COM seen from the side. In the kick nothing holds the "
                   "turn of hips and trunk about the vertical, so it is an answer; the lean of the trunk has a "
                   "reference that grows in flight, so in the forward jump it is only in part."],
                  motions(found))


def counters(group: Sequence[Hop], axis: str) -> tuple[list[float], list[float]]:
    """Of every take: how far the legs turned, and the trunk with them."""
    pairs = [one.counter(*series(one, axis)) for one in group]
    return [legs for legs, _ in pairs], [trunk for _, trunk in pairs]


def series(one: Hop, axis: str) -> tuple[np.ndarray, np.ndarray]:
    """Angles of the legs and of the trunk about an axis."""
    return (one.legs_yaw, one.trunk_yaw) if axis == "yaw" else (one.legs_pitch, one.trunk_pitch)


def opposed(legs: Sequence[float], trunk: Sequence[float]) -> bool:
    """Whether the trunk always turns against the legs, by more than a degree."""
    return all(one * other < 0 and abs(other) > 1.0 for one, other in zip(legs, trunk, strict=True))


def plot_counter(axis: Any, one: Hop, about: str, title: str) -> None:
    values = np.column_stack([angle[one.air] - angle[one.air][0] for angle in series(one, about)])
    plot_series(axis, one.time[one.air], values, ("legs", "trunk"), title, "degrees")
