"""Rough ground with the controller for level ground, which is only told heights (section 5.5, test 21)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.behaviors import Behavior
from gambol.experiments.experiment import Context, Result, Row, count_of, experiment, report
from gambol.experiments.locomote.roaming import GROUP, roamed
from gambol.experiments.walked import Walked, side_view
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import COLORS, axes, svg
from gambol.world.terrain import Terrain
from gambol.world.terrains import make_terrain
from gambol.world.terrains.ground import APRON, Ground
from gambol.world.world import World

SEEDS, GOOD, FEW = 20, 18, 5
"""Trials of what must be passed, how many must be good, and trials of the other rungs."""
GAITS = {"walk": {"speed": 1.2, "gait": "walk"}, "run": {"speed": 2.5, "gait": "run"}}
PACE, SPARE = 0.3, 8.0
"""Slowest that counts as passing, m/s, and time to start, s."""
BEYOND = 1.0
"""It has passed when it is this far beyond the last obstacle, m."""
SPREAD = (0.3, 0.1)
"""The start varies by so much along and across the way, m."""


@dataclass(frozen=True)
class Rung:
    """One difficulty of a kind of ground."""

    size: float
    spec: str
    """of the terrain; `{seed}` is filled in"""
    must: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of ground from easy to hard."""

    name: str
    unit: str
    published: str
    rungs: tuple[Rung, ...]
    gaits: tuple[str, ...] = ("walk",)
    """any of these counts"""


def rungs(spec: str, sizes: Sequence[float], must: Sequence[float]) -> tuple[Rung, ...]:
    return tuple(Rung(size, spec.replace("{size}", f"{size:g}"), size in must) for size in sizes)


EITHER = ("walk", "run")
ANGLES, RISES = (5.0, 10.0, 15.0, 20.0, 25.0), (0.1, 0.15, 0.2, 0.25, 0.3)
KINDS: tuple[Kind, ...] = (
    Kind("incline up", "degrees", "15 degrees", rungs("slope:length=6,angle={size}", ANGLES, ANGLES[:3])),
    Kind("incline down", "degrees", "15 degrees", rungs("slope:length=6,angle=-{size}", ANGLES, ANGLES[:3])),
    Kind("stairs up and down", "m", "-", rungs("stairs:count=6,rise={size}", RISES, (0.15, 0.25))),
    Kind("stairs down and up", "m", "-", rungs("stairs:count=6,rise=-{size}", RISES, (0.15, 0.25))),
    Kind("step up", "m", "0.5 m", rungs("step:height={size}", (0.2, 0.3, 0.4, 0.5, 0.6), (0.5,)), EITHER),
    Kind("drop", "m", "1 m", rungs("step:height=-{size}", (0.25, 0.5, 0.75, 1.0), (1.0,)), EITHER),
    Kind("gaps", "m", "0.25 to 0.9 m", rungs("gaps:count=4,width={size}", (0.25, 0.5, 0.7, 0.9, 1.1), (0.25, 0.5, 0.9)),
         EITHER),
    Kind("stepping stones", "m apart", "crossed", rungs("stones:gap={size},seed={seed}", (0.15, 0.25, 0.35), (0.15,))),
    Kind("random heights on a 1 m grid", "m", "-",
         rungs("rough:height={size},grid=1,length=8,seed={seed}", (0.1, 0.2, 0.3, 0.4), (0.2,))),
    Kind("mixed course", "m high", "from end to end", rungs("course:height={size},seed={seed}", (0.06, 0.12), (0.12,))),
)


def finish(terrain: Terrain) -> float:
    """How far it must get along x, m."""
    if not isinstance(terrain, Ground):
        return APRON + BEYOND
    layout, settings = terrain.layout, terrain.params.as_dict()
    if terrain.name == "slope":
        return APRON + float(settings["length"]) + BEYOND
    if terrain.name == "step":
        return APRON + 2.0 * BEYOND
    if layout.fields:
        return max(field.corner[0] + field.cell * (field.nodes.shape[1] - 1) for field in layout.fields) + BEYOND
    starts = sorted(slab.center[0] - slab.half[0] for slab in layout.slabs)
    return starts[-1] + BEYOND  # the last slab is the ground after the obstacles


def crossed(spec: str, gait: str, seed: int) -> tuple[Walked, bool]:
    """One trial, and whether it got there; the start and what is random of the ground vary by seed."""
    terrain, rng = make_terrain(spec.replace("{seed}", str(seed))), np.random.default_rng([seed, 21])
    terrain.start = (float(rng.uniform(-SPREAD[0], SPREAD[0])), float(rng.uniform(-SPREAD[1], SPREAD[1])))
    goal = finish(terrain)

    def there(world: World, behavior: Behavior) -> bool:
        return bool(world.figure.com[0] > goal)

    take = roamed(SPARE + (goal - terrain.start[0]) / PACE, seed, dict(GAITS[gait]), until=there, terrain=terrain)
    return take, take.fell is None and bool(take.com[-1, 0] > goal - 0.1) and on_track(take.com, terrain)


def on_track(path: np.ndarray, terrain: Terrain) -> bool:
    """Whether a path (rows, 2) goes over the obstacles, not around them."""
    breadth = float(terrain.params.as_dict().get("breadth", np.inf))
    return bool(np.abs(path[path[:, 0] > APRON, 1]).max(initial=0.0) < 0.5 * breadth)


def outcome(spec: str, gait: str, seeds: Sequence[int]) -> tuple[int, int, Walked]:
    """Passed, tried, and a take to show: the first bad one if there is one. A rung is left at the third fall."""
    takes: list[tuple[Walked, bool]] = []
    for seed in seeds:
        takes.append(crossed(spec, gait, seed))
        if sum(not well for _, well in takes) > len(seeds) - GOOD * len(seeds) // SEEDS:
            break
    shown = next((take for take, well in takes if not well), takes[0][0])
    return sum(well for _, well in takes), len(takes), shown


@experiment("rough-ground", group=GROUP, source="section 5.5 (test 21)",
            published="drop 1 m; step 0.5 m; gaps 0.25 to 0.9 m; inclines -15 to 15 degrees; stones; a mixed course")
def rough_ground(context: Context) -> Result:
    """Inclines, stairs, steps, drops, gaps, stones, random heights and a course; the largest passed of each kind"""
    kinds = KINDS
    if context.quick:
        kinds = (Kind("incline up", "degrees", "15", rungs("slope:length=1,angle={size}", (5.0,), ())),)
    cases = [(kind, rung, gait) for kind in kinds for rung in kind.rungs for gait in kind.gaits]
    count = {True: SEEDS, False: 1 if context.quick else FEW}
    done = context.trials(outcome, [(rung.spec, gait, range(context.seed, context.seed + count[rung.must]))
                                    for _, rung, gait in cases])
    found = {(kind.name, rung.size, gait): result for (kind, rung, gait), result in zip(cases, done, strict=True)}
    rows: list[Row] = []
    films: list[Picture] = []
    figure, (bars,) = axes(1, height=1.0 + 0.17 * len(cases))
    bars.set_yticks(range(len(cases)), [f"{kind.name} {rung.size:g} {kind.unit}, {gait}" for kind, rung, gait in cases],
                    fontsize=6)
    for place, (good, tried, _) in enumerate(done):
        bars.barh(place, good / tried, 0.7, color=COLORS[0] if good * SEEDS >= GOOD * tried else COLORS[1])
    bars.set(title="share passed", xlim=(0.0, 1.0))
    bars.invert_yaxis()
    for kind in kinds:
        rows += kind_rows(kind, found)
        for rung in kind.rungs:
            for gait in kind.gaits:
                take = found[kind.name, rung.size, gait][2]
                if rung.must or context.quick:
                    films += side_view(take.last, f"{kind.name} {rung.size:g} {kind.unit}, {gait}: {take.how}",
                                       min(take.seconds, 4.0), 9, size=(180, 240), zoom=1.0)
    first = next(iter(found.values()))[2]
    return Result(rows, [Picture("Share of trials passed", svg(figure)), *films],
                  [f"A trial passes if it gets {BEYOND:g} m beyond the obstacles without a fall, and not around them. "
                   f"The start varies by {SPREAD[0]:g} m along and {SPREAD[1]:g} m across the way; random ground by "
                   "its seed. A rung is left when too many trials have failed."], {"first": first.last})


def kind_rows(kind: Kind, found: dict[tuple[str, float, str], tuple[int, int, Walked]]) -> list[Row]:
    """What must be passed, in the best gait; and the largest that is passed in nine of ten trials."""
    rows, largest = [], None
    for rung in kind.rungs:
        results = {gait: found[kind.name, rung.size, gait] for gait in kind.gaits}
        best = max(results, key=lambda gait: results[gait][0] / results[gait][1])
        good, tried, take = results[best]
        if good * SEEDS >= GOOD * tried:
            largest = f"{rung.size:g} {kind.unit} ({best}, {good} of {tried})"
        words = f"{kind.name} {rung.size:g} {kind.unit}" + (f", {best}" if len(kind.gaits) > 1 else "")
        if rung.must:
            rows.append(count_of(words, kind.published, good, tried, GOOD))
        else:
            rows.append(report(words, "-", f"{good} of {tried}" + (f"; {take.fell}" if take.fell else "")))
    rows.append(report(f"{kind.name}: largest passed in nine of ten", kind.published, largest or "none"))
    return rows
