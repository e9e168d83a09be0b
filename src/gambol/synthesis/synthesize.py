"""From a scene to a Motion: the ladder of stages, climbed from the start pose with a seed.

    result = synthesize(Scene([Performer("human")], [Stand(), Position(x=2.0)]))
    result.motion.save("walk.npz")
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gambol.motion.motion import Motion
from gambol.synthesis import deciding
from gambol.synthesis.measures import Measure, gaps, measure, near, passed, rank
from gambol.synthesis.mending import MENDS, mend, to_mend
from gambol.synthesis.motion import to_motion
from gambol.synthesis.problem import Problem
from gambol.synthesis.scene import Scene
from gambol.synthesis.solvers import SOLVERS, Step
from gambol.synthesis.stages import CLIMBS, LADDER, WARM, Stage
from gambol.synthesis.trajectory import Trajectory
from gambol.synthesis.untangling import untangled
from gambol.synthesis.warm import written

FEW, ATTEMPTS = 5, len(CLIMBS)
"""How often at most a ladder is climbed for one seed; and how often if what was found is nearly good."""


@dataclass(frozen=True)
class News:
    """Where a climb stands after an iteration."""

    problem: Problem
    ladder: Sequence[Stage]
    index: int
    """of the stage"""
    step: Step
    seed: int
    solver: str
    before: int = 0
    """iterations of the stages before"""
    attempt: int = 0
    best: np.ndarray | None = None
    """solution of the best climb before"""
    mended: tuple[str, ...] = ()
    """what is being mended after the ladder, by name; what is off again is there again"""
    kept: np.ndarray | None = None
    """what there was before it was mended"""

    @property
    def stage(self) -> Stage:
        return self.ladder[self.index] if self.index < len(self.ladder) else mend(self.ladder[-1], self.mended)

    def costs(self) -> dict[str, float]:
        """Cost of each term by name, under the weights of the stage."""
        return self.problem.table(self.step.z, self.problem.params(self.stage))


Tell = Callable[[News], bool]
"""Called after each iteration; True stops early and keeps what there is."""


@dataclass(frozen=True)
class Solution:
    """What was found, and how good it is."""

    problem: Problem
    z: np.ndarray
    measures: list[Measure]
    seed: int
    iterations: int
    seconds: float
    stopped: str | None = None
    """name of the stage in which it was stopped early"""

    @property
    def solved(self) -> bool:
        return passed(self.measures)


def decided(problem: Problem, z: np.ndarray) -> np.ndarray:
    """Activations as they should be in the end."""
    layout, path = problem.layout, Trajectory(problem, z, rate=20.0)
    load, off = (values.reshape(len(z), -1, layout.activations).mean(axis=1) for values in (path.load(), gaps(path)))
    return deciding.decided(layout, load, off, z[:, layout.parts["c"]])


def climb(problem: Problem, seed: int = 0, solver: str = "gauss-newton", ladder: Sequence[Stage] = LADDER,
          tell: Tell | None = None, warm: np.ndarray | None = None, resume: News | None = None,
          attempt: int = 0, best: np.ndarray | None = None, mends: int = MENDS) -> Solution:
    """Climb the ladder from the start pose; from an earlier solution `warm`; or on from where `resume` stood.

    What is nearly good then is mended, at most `mends` times; the better is kept.
    """
    begin = time.perf_counter()
    rng = np.random.default_rng([seed, attempt] if attempt else seed)
    z, parts = problem.guess() if warm is None else warm, problem.layout.parts
    first = 0 if warm is None else [stage.name for stage in ladder].index(WARM)
    iterations, stopped = 0, None

    def solve(index: int, start: Step, mended: tuple[str, ...] = (), kept: np.ndarray | None = None) -> None:
        """One stage, on from `start`."""
        nonlocal z, iterations
        before = iterations
        news = News(problem, ladder, index, start, seed, solver, before, attempt, best, mended, kept)

        def watch(step: Step) -> bool:
            nonlocal stopped
            if tell is not None and tell(replace(news, step=step)):
                stopped = news.stage.name
            return stopped is not None

        step = SOLVERS[solver](problem, problem.params(news.stage), start, news.stage.iterations, watch,
                               news.stage.commit)
        z, iterations = step.z, before + step.iteration

    for index, stage in enumerate(ladder):
        noise = [stage.noise * rng.normal(size=(len(z), width)) for width in (problem.layout.knot,
                                                                              problem.layout.activations)]
        if index < (first if resume is None else resume.index):
            continue
        if resume is not None and index == resume.index:
            start, iterations = resume.step, resume.before
        else:
            z = z.copy()
            if stage.loose:
                z[:, parts["c"]] = deciding.unstuck(problem.layout, problem.start, z)
            z[:, :problem.layout.knot] += noise[0]
            z[:, parts["c"]] = decided(problem, z) if stage.commit else np.clip(z[:, parts["c"]] + noise[1], 0, 1)
            if stage.commit:
                z[:, parts["f"]] *= z[:, parts["c"]][:, problem.layout.force_owner]
            start = Step(untangled(problem, z))
        solve(index, start)
        if stopped:
            break
    first = len(ladder)
    mended: tuple[str, ...] = ()
    if resume is not None and resume.kept is not None:
        first, mended, iterations, z = resume.index, resume.mended, resume.before, resume.kept
    measures = measure(problem, z)
    for index in range(first, len(ladder) + mends):
        if resume is not None and index == resume.index:
            start = resume.step
        elif stopped or not (more := to_mend(measures)):
            break
        else:
            mended, start = (*mended, *more), Step(untangled(problem, z))
        kept = z
        solve(index, start, mended, kept)
        if rank(found := measure(problem, z)) < rank(measures):
            measures = found
        else:
            z = kept
    return Solution(problem, z, measures, seed, iterations, time.perf_counter() - begin, stopped)


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
        return {"solved": self.solved, "stopped": self.solution.stopped, "seconds": round(self.seconds, 3),
                "iterations": self.solution.iterations,
                "residuals": {m.name: m.value for m in self.measures},
                "limits": {m.name: m.limit for m in self.measures},
                "failed": [m.name for m in self.measures if not m.good], "seed": self.solution.seed}

    def sentence(self) -> str:
        """Whether it is solved, and if not, why not."""
        early = f"stopped early, in stage {self.solution.stopped}; " if self.solution.stopped else ""
        if self.solved:
            return f"{early}solved: every residual is within its limit"
        failed = [f"{m} (at {'least' if m.least else 'most'} {m.limit:g})" for m in self.measures if not m.good]
        return f"{early}not solved; what stayed off: " + ", ".join(failed)


def synthesize(scene: Scene, seed: int = 0, solver: str = "gauss-newton", tell: Tell | None = None,
               warm: np.ndarray | None = None, resume: News | None = None) -> Result:
    """Solve a scene and make the full-body Motion.

    What does not meet all measures is tried again with other noise, by `CLIMBS` in turn.
    """
    begin = time.perf_counter()
    problem, best, stopped, last = scene.problem(), None, None, warm
    first = 0 if resume is None else min(resume.attempt, ATTEMPTS - 1)
    if resume is not None and resume.best is not None:
        kept = Solution(problem, resume.best, measure(problem, resume.best), seed, 0, 0.0)
        best = finish(scene, kept, solver, begin)
    for attempt in range(first, ATTEMPTS):
        ladder, further = CLIMBS[attempt]
        solution = climb(problem, seed, solver, ladder, tell=tell, warm=last if further else warm, resume=resume,
                         attempt=attempt, best=None if best is None else best.solution.z)
        resume, last, found = None, solution.z, finish(scene, solution, solver, begin)
        best = found if best is None or rank(found.measures) < rank(best.measures) else best
        stopped = solution.stopped
        if found.solved or stopped or (attempt + 1 >= FEW and not near(best.measures)):
            break
    assert best is not None
    return replace(best, solution=replace(best.solution, stopped=stopped), seconds=time.perf_counter() - begin)


def finish(scene: Scene, solution: Solution, solver: str, begin: float) -> Result:
    """The full-body Motion of a solution that was begun at `begin` on the clock."""
    motion, measures = to_motion(scene, solution.z, solution.measures, seed=solution.seed, solver=solver,
                                 iterations=solution.iterations, stopped=solution.stopped)
    motion = motion.with_meta(solved=passed(measures), limits={m.name: m.limit for m in measures},
                              off=[m.name for m in measures if not m.good],
                              solution=written(solution.problem, solution.z))
    return Result(scene, solution, motion, measures, time.perf_counter() - begin)
