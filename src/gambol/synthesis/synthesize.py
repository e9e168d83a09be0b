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
SEVERAL = 2
"""How often at most with several characters: a climb takes them half a minute, and a third was never of use."""


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

    def dearest(self, count: int) -> list[tuple[str, float]]:
        """The terms that cost most, the dearest first."""
        return sorted(self.costs().items(), key=lambda pair: -pair[1])[:count]


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
    climber = _Climber(problem, ladder, seed, solver, attempt, best, tell)
    z = climber.climbed(problem.guess() if warm is None else warm,
                        0 if warm is None else [stage.name for stage in ladder].index(WARM), resume)
    z, measures = climber.mended(z, mends, resume)
    return Solution(problem, z, measures, seed, climber.iterations, time.perf_counter() - begin, climber.stopped)


@dataclass
class _Climber:
    """One climb: what all its stages share, and how far it has come."""

    problem: Problem
    ladder: Sequence[Stage]
    seed: int
    solver: str
    attempt: int
    best: np.ndarray | None
    tell: Tell | None
    iterations: int = 0
    stopped: str | None = None
    """name of the stage in which it was told to stop"""

    def climbed(self, z: np.ndarray, first: int, resume: News | None) -> np.ndarray:
        """All stages of the ladder from the one at `first` on, or from where `resume` stood."""
        rng = np.random.default_rng([self.seed, self.attempt] if self.attempt else self.seed)
        layout = self.problem.layout
        for index, stage in enumerate(self.ladder):
            noise = [stage.noise * rng.normal(size=(len(z), width)) for width in (layout.knot, layout.activations)]
            if index < (first if resume is None else resume.index) or self.stopped:
                continue
            if resume is not None and index == resume.index:
                start, self.iterations = resume.step, resume.before
            else:
                start = Step(self._prepared(z, stage, *noise))
            z = self._solved(index, start)
        return z

    def _prepared(self, z: np.ndarray, stage: Stage, moves: np.ndarray, switches: np.ndarray) -> np.ndarray:
        """What a stage starts from: with noise, contacts as it wants them, and no foot tangled."""
        layout, z = self.problem.layout, z.copy()
        parts = layout.parts
        if stage.loose:
            z[:, parts["c"]] = deciding.unstuck(layout, self.problem.start, z)
        z[:, :layout.knot] += moves
        z[:, parts["c"]] = decided(self.problem, z) if stage.commit else np.clip(z[:, parts["c"]] + switches, 0, 1)
        if stage.commit:
            z[:, parts["f"]] *= z[:, parts["c"]][:, layout.force_owner]
        return untangled(self.problem, z)

    def mended(self, z: np.ndarray, mends: int, resume: News | None) -> tuple[np.ndarray, list[Measure]]:
        """The better of what there is and what mending makes of it, with its measures."""
        first = len(self.ladder)
        names: tuple[str, ...] = ()
        if resume is not None and resume.kept is not None:
            first, names, self.iterations, z = resume.index, resume.mended, resume.before, resume.kept
        measures = measure(self.problem, z)
        for index in range(first, len(self.ladder) + mends):
            if resume is not None and index == resume.index:
                start = resume.step
            elif self.stopped or not (more := to_mend(measures)):
                break
            else:
                names, start = (*names, *more), Step(untangled(self.problem, z))
            found = self._solved(index, start, names, z)
            if rank(now := measure(self.problem, found)) < rank(measures):
                z, measures = found, now
        return z, measures

    def _solved(self, index: int, start: Step, mended: tuple[str, ...] = (), kept: np.ndarray | None = None
                ) -> np.ndarray:
        """One stage, on from `start`."""
        before = self.iterations
        news = News(self.problem, self.ladder, index, start, self.seed, self.solver, before, self.attempt, self.best,
                    mended, kept)

        def watch(step: Step) -> bool:
            if self.tell is not None and self.tell(replace(news, step=step)):
                self.stopped = news.stage.name
            return self.stopped is not None

        step = SOLVERS[self.solver](self.problem, self.problem.params(news.stage), start, news.stage.iterations, watch,
                                    news.stage.commit)
        self.iterations = before + step.iteration
        return step.z


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
    most = ATTEMPTS if len(scene.performers) == 1 else SEVERAL
    first = 0 if resume is None else min(resume.attempt, most - 1)
    if resume is not None and resume.best is not None:
        kept = Solution(problem, resume.best, measure(problem, resume.best), seed, 0, 0.0)
        best = finish(scene, kept, solver, begin)
    for attempt in range(first, most):
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
    motion, measures = to_motion(scene, solution.z, solution.measures, solution.problem, seed=solution.seed,
                                 solver=solver, iterations=solution.iterations, stopped=solution.stopped)
    motion = motion.with_meta(solved=passed(measures), limits={m.name: m.limit for m in measures},
                              off=[m.name for m in measures if not m.good],
                              solution=written(solution.problem, solution.z))
    return Result(scene, solution, motion, measures, time.perf_counter() - begin)
