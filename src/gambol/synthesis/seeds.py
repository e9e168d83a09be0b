"""Running a scene: one seed with a checkpoint, or several side by side, ranked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gambol.jobs import Pool, stop_asked
from gambol.stopping import Stopping
from gambol.synthesis import checkpoint
from gambol.synthesis.measures import Measure, passed, rank
from gambol.synthesis.scene import Scene
from gambol.synthesis.scene_file import find_scene, parse_scene
from gambol.synthesis.shipped import SCENES
from gambol.synthesis.synthesize import News, Result, Solution, Tell, finish, synthesize


@dataclass(frozen=True)
class Orders:
    """How a scene is to be solved, whatever its seed."""

    solver: str = "gauss-newton"
    warm: np.ndarray | None = None
    """an earlier solution to start from"""
    resume: bool = False
    """whether to go on from a checkpoint"""


def solve_one(scene: Scene, seed: int, orders: Orders, tells: Sequence[Tell] = (), kept: Path | None = None) -> Result:
    """One seed, with its checkpoint at `kept` until it is finished."""
    marks = None if kept is None else checkpoint.Checkpoint(kept)
    resume = checkpoint.read(kept, scene.problem(), seed, orders.solver) if orders.resume and kept is not None else None

    def tell(news: News) -> bool:
        if marks is not None:
            marks(news)
        return any([hear(news) for hear in tells])

    result = synthesize(scene, seed, orders.solver, tell, orders.warm, resume)
    if marks is not None and result.solution.stopped is None:
        marks.remove()
    return result


@dataclass(frozen=True)
class Run:
    """What one seed came to, in a form that travels between processes."""

    seed: int
    z: np.ndarray
    measures: list[Measure]
    iterations: int
    seconds: float
    stopped: str | None

    @property
    def solved(self) -> bool:
        return passed(self.measures)

    @property
    def failed(self) -> list[str]:
        return [m.name for m in self.measures if not m.good]

    @property
    def rank(self) -> tuple[int, float]:
        return rank(self.measures)

    def result(self, scene: Scene, solver: str) -> Result:
        """The same as a finished scene, its Motion made anew."""
        plan = [m for m in self.measures if not m.name.startswith("full body")]
        solution = Solution(scene.problem(), self.z, plan, self.seed, self.iterations, self.seconds, self.stopped)
        return finish(scene, solution, solver, time.perf_counter() - self.seconds)


def _in_worker(text: str, content: str | None, seed: int, orders: Orders, kept: Path | None) -> Run:
    """One seed of a scene: what its file holds, or a shipped one's name."""
    scene = find_scene(text) if content is None else parse_scene(content, text, Path(text).stem)
    result = solve_one(scene, seed, orders, [stop_asked], kept)
    found = result.solution
    return Run(seed, found.z, result.measures, found.iterations, result.seconds, found.stopped)


def solve_seeds(text: str, seeds: Sequence[int], pool: Pool, orders: Orders, output: Path | None = None
                ) -> Iterator[Run]:
    """Runs of a scene (the path of its file, or a shipped one's name) as they end. Ctrl-C ends them all early.

    `output`: beside it, each seed has its checkpoint.
    """
    content = None if text in SCENES else Path(text).read_text(encoding="utf-8")
    jobs = [(text, content, seed, orders, None if output is None else checkpoint.beside(output, seed))
            for seed in seeds]
    with Stopping() as stopping:
        for _, run in pool.run(_in_worker, jobs, stopping):
            yield run
