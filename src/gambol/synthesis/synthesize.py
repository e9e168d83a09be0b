"""From a scene to a Motion: the ladder of stages, climbed from the start pose with a seed.

    result = synthesize(Scene([Performer("human")], [Stand(), Position(x=2.0)]))
    result.motion.save("walk.npz")
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.motion.motion import Motion
from gambol.synthesis.layout import LOADED
from gambol.synthesis.measures import Measure, measure, passed
from gambol.synthesis.motion import to_motion
from gambol.synthesis.problem import Problem
from gambol.synthesis.scene import Scene
from gambol.synthesis.solvers import SOLVERS
from gambol.synthesis.stages import LADDER, Stage
from gambol.synthesis.trajectory import Trajectory

Tell = Callable[[str, int, float, np.ndarray], bool]
"""Called after each iteration: stage, iteration, cost, solution; True stops early and keeps what there is."""


@dataclass(frozen=True)
class Solution:
    """What was found, and how good it is."""

    problem: Problem
    z: np.ndarray
    measures: list[Measure]
    seed: int
    iterations: int
    seconds: float

    @property
    def solved(self) -> bool:
        return passed(self.measures)


def decided(problem: Problem, z: np.ndarray) -> np.ndarray:
    """Activations as they should be in the end: 1 in phases with load, else 0."""
    load = Trajectory(problem, z, rate=20.0).load()
    return (load.reshape(len(z), -1, problem.layout.activations).mean(axis=1) > LOADED).astype(float)


def climb(problem: Problem, seed: int = 0, solver: str = "gauss-newton", ladder: Sequence[Stage] = LADDER,
          tell: Tell | None = None) -> Solution:
    """Climb the ladder from the start pose."""
    begin = time.perf_counter()
    rng = np.random.default_rng(seed)
    z, parts = problem.guess(), problem.layout.parts
    iterations, stopped = 0, False
    for stage in ladder:
        z = z.copy()
        z[:, :problem.layout.knot] += stage.noise * rng.normal(size=(len(z), problem.layout.knot))
        z[:, parts["c"]] = np.clip(z[:, parts["c"]] + stage.noise * rng.normal(size=z[:, parts["c"]].shape), 0, 1)

        def watch(iteration: int, cost: float, there: np.ndarray, stage: Stage = stage) -> bool:
            nonlocal stopped
            stopped = tell is not None and tell(stage.name, iteration, cost, there)
            return stopped

        if stage.commit:
            z[:, parts["c"]] = decided(problem, z)
        outcome = SOLVERS[solver](problem, problem.params(stage), z, stage.iterations, watch, stage.commit)
        z, iterations = outcome.z, iterations + outcome.iterations
        if stopped:
            break
    return Solution(problem, z, measure(problem, z), seed, iterations, time.perf_counter() - begin)


@dataclass(frozen=True)
class Result:
    """A finished scene: the Motion and what is left of every wish."""

    scene: Scene
    solution: Solution
    motion: Motion
    measures: list[Measure]
    seconds: float
    """from the scene to the Motion, compilation included"""

    @property
    def solved(self) -> bool:
        return passed(self.measures)

    def summary(self) -> dict[str, Any]:
        """What `gambol synthesize --json` prints, without the path."""
        return {"solved": self.solved, "seconds": round(self.seconds, 3), "iterations": self.solution.iterations,
                "residuals": {m.name: m.value for m in self.measures},
                "limits": {m.name: m.limit for m in self.measures},
                "failed": [m.name for m in self.measures if not m.good], "seed": self.solution.seed}

    def sentence(self) -> str:
        """Whether it is solved, and if not, why not."""
        if self.solved:
            return "solved: every residual is within its limit"
        failed = [f"{m} (at {'least' if m.least else 'most'} {m.limit:g})" for m in self.measures if not m.good]
        return "not solved; what stayed off: " + ", ".join(failed)


def synthesize(scene: Scene, seed: int = 0, solver: str = "gauss-newton", tell: Tell | None = None) -> Result:
    """Solve a scene and make the full-body Motion."""
    begin = time.perf_counter()
    solution = climb(scene.problem(), seed, solver, tell=tell)
    motion, measures = to_motion(scene, solution.z, solution.measures, seed=seed, solver=solver,
                                 iterations=solution.iterations)
    motion = motion.with_meta(solved=passed(measures))
    return Result(scene, solution, motion, measures, time.perf_counter() - begin)
