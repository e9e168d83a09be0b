"""What carries weight in contact-invariant optimisation: activations, continuation, the number of phases.

Needs the extra `synthesis`; JAX is imported only when an experiment runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gambol.experiments.experiment import Context, Result, Row, experiment, report

if TYPE_CHECKING:
    from gambol.synthesis.measures import Measure
    from gambol.synthesis.problem import Problem
    from gambol.synthesis.stages import Stage

SEEDS = 3
Found = tuple["list[Measure]", int]
"""Measures and iterations of one climb."""


def climbed(problem: Problem, seed: int, ladder: Sequence[Stage] | None = None) -> Found:
    from gambol.synthesis.stages import LADDER
    from gambol.synthesis.synthesize import climb

    found = climb(problem, seed, ladder=LADDER if ladder is None else ladder)
    return found.measures, found.iterations


def frozen(problem: Problem, seed: int) -> Found:
    """The ladder with every activation held at 1."""
    from gambol.synthesis.measures import measure
    from gambol.synthesis.solvers import Step, gauss_newton
    from gambol.synthesis.stages import LADDER

    rng, z, iterations, knot = np.random.default_rng(seed), problem.guess(1.0), 0, problem.layout.knot
    for stage in LADDER:
        z = z.copy()
        z[:, :knot] += stage.noise * rng.normal(size=(len(z), knot))
        step = gauss_newton(problem, problem.params(stage), Step(z), stage.iterations, keep=True)
        z, iterations = step.z, iterations + step.iteration
    return measure(problem, z), iterations


def outcome(what: str, found: Sequence[Found]) -> Row:
    """How many passed, and the median of everything that was off."""
    solved = sum(all(m.good for m in measures) for measures, _ in found)
    off: dict[str, list[Measure]] = {}
    for measures, _ in found:
        for m in measures:
            if not m.good:
                off.setdefault(m.name, []).append(m)
    worst = [str(sorted(row, key=lambda m: m.excess)[len(row) // 2]) + f" in {len(row)}" for row in off.values()]
    return report(what, "-", f"{solved} of {len(found)} pass, {np.median([n for _, n in found]):.0f} iterations"
                  + (f"; off: {', '.join(worst)}" if worst else ""))


def compare(context: Context, problems: dict[str, Problem], ways: dict[str, Callable[[Problem, int], Found]]
            ) -> list[Row]:
    count = 1 if context.quick else SEEDS
    rows, todo = [], len(problems) * len(ways)
    for name, problem in problems.items():
        for what, way in ways.items():
            rows.append(outcome(f"{name}, {what}", [way(problem, context.seed + k) for k in range(count)]))
            context.tell(len(rows) / todo)
    return rows


@experiment("synthesis-ablation", group="synthesis", source="[mordatch2015, section 3.3.5]",
            published="continuation is often important")
def ablation(context: Context) -> Result:
    """Walk and get up with activations frozen at 1, or with stages left out"""
    from gambol.synthesis.scene_file import find_scene
    from gambol.synthesis.stages import LADDER

    names = ("stand",) if context.quick else ("walk", "getup_back")
    ways: dict[str, Callable[[Problem, int], Found]] = {
        "as it is": climbed, "activations frozen at 1": frozen,
        "without the first two stages": lambda problem, seed: climbed(problem, seed, LADDER[2:]),
        "the last two stages alone": lambda problem, seed: climbed(problem, seed, LADDER[-2:])}
    return Result(compare(context, {name: find_scene(name).problem() for name in names}, ways))


@experiment("synthesis-phases", group="synthesis", source="[mordatch2015, section 3.5]",
            published="too few phases: an unphysical leap; too many: idle ones")
def phases(context: Context) -> Result:
    """A walk of 2 m in too few, enough and too many phases"""
    from dataclasses import replace

    from gambol.synthesis.scene_file import find_scene

    counts = (3,) if context.quick else (3, 10, 20)
    scene = find_scene("walk")
    problems = {f"walk, {count} phases": replace(scene, phases=count).problem() for count in counts}
    return Result(compare(context, problems, {"as it is": climbed}))
