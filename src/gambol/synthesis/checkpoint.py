"""Checkpoints: where a climb stands, on disk after every iteration, so that a killed one goes on where it was.

The file is an `.npz` without pickled objects, written whole or not at all. It belongs to one scene, seed and solver.
Gauss-Newton goes on exactly as if it had not been stopped; L-BFGS-B starts its memory of slopes anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import jax
import numpy as np

from gambol.errors import BadInput
from gambol.files import whole_file
from gambol.motion.motion import read_content
from gambol.synthesis.measures import NEAR
from gambol.synthesis.mending import ITERATIONS, MENDS, MORE, RAISED, raised
from gambol.synthesis.problem import Problem
from gambol.synthesis.solvers import Step
from gambol.synthesis.stages import CLIMBS, WEIGHTS, Stage
from gambol.synthesis.synthesize import News
from gambol.synthesis.untangling import MUCH, NEAREST, SAMPLES, TRIED

FORMAT = "gambol-checkpoint/3"
ENTRIES = ("format", "scene", "seed", "solver", "index", "before", "z", "cost", "iteration", "damping", "factor",
           "small", "attempt", "best", "mended", "kept")


def beside(output: Path, seed: int | None = None) -> Path:
    """Where the checkpoint of an output is, one a seed where there are several."""
    return output.with_suffix(".checkpoint.npz" if seed is None else f".seed{seed}.checkpoint.npz")


def fingerprint(problem: Problem, ladder: Sequence[Stage]) -> str:
    """Stands for all numbers of a scene, the weights, the ladder, the order of climbs, untangling and mending."""
    mending, untangling = (MENDS, MORE, ITERATIONS, RAISED, NEAR), (SAMPLES, MUCH, TRIED.tolist(), NEAREST)
    wanted = [one.text(problem.layout) for one in problem.wanted]
    found = hashlib.sha256(f"{problem.layout} {wanted} {WEIGHTS} {ladder} {CLIMBS} {mending} {untangling}".encode())
    for leaf in jax.tree.leaves(problem.constants()):
        found.update(np.ascontiguousarray(leaf, dtype=float).tobytes())
    return found.hexdigest()


class Checkpoint:
    """Writes a climb's news to a file; as a `tell` it never stops anything."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ladder: Sequence[Stage] = ()
        self._scene = ""

    def __call__(self, news: News) -> bool:
        if news.ladder is not self._ladder:
            self._ladder, self._scene = news.ladder, fingerprint(news.problem, news.ladder)
        step = news.step
        with whole_file(self.path) as temporary, temporary.open("wb") as file:
            np.savez(file, allow_pickle=False, format=FORMAT, scene=self._scene, seed=news.seed, solver=news.solver,
                     index=news.index, before=news.before, z=step.z, cost=step.cost, iteration=step.iteration,
                     damping=step.damping, factor=step.factor, small=step.small,
                     attempt=news.attempt, best=np.zeros(0) if news.best is None else news.best,
                     mended=np.array(news.mended, dtype=str),
                     kept=np.zeros(0) if news.kept is None else news.kept)
        return False

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def read(path: Path, problem: Problem, seed: int, solver: str, ladder: Sequence[Stage] | None = None) -> News | None:
    """Where the climb stood; None if there is no checkpoint yet. One of something else is refused.

    The ladder is that of the attempt it stood in, if no other is given.
    """
    if not path.exists():
        return None
    content = read_content(path)
    if str(content.get("format")) != FORMAT or any(name not in content for name in ENTRIES):
        raise BadInput(f"{path} is not a checkpoint of `gambol synthesize`")
    try:
        found = {name: content[name].item() for name in ENTRIES if name not in ("z", "best", "mended", "kept")}
        step = Step(content["z"].astype(float), float(found["cost"]), int(found["iteration"]), float(found["damping"]),
                    float(found["factor"]), int(found["small"]))
        best, kept = (content[name].astype(float) if content[name].size else None for name in ("best", "kept"))
        mended = tuple(str(name) for name in content["mended"])
        index, before, attempt = (int(found[name]) for name in ("index", "before", "attempt"))
    except (TypeError, ValueError):
        raise BadInput(f"{path} is damaged; leave out --resume to start anew") from None
    ladder = CLIMBS[min(attempt, len(CLIMBS) - 1)][0] if ladder is None else ladder
    if str(content["scene"]) != fingerprint(problem, ladder):
        raise BadInput(f"{path} is the checkpoint of another scene, or of another version of gambol; "
                       "leave out --resume to start anew")
    for name, asked in (("seed", seed), ("solver", solver)):
        if found[name] != asked:
            raise BadInput(f"{path} is of {name} {found[name]}, not {asked}; "
                           f"resume with --{name} {found[name]}, or leave out --resume to start anew")
    mending = index >= len(ladder)
    sane = (0 <= index < len(ladder) + MENDS and mending == bool(mended) == (kept is not None)
            and all(raised(name) for name in mended) and attempt >= 0 and min(step.iteration, step.small, before) >= 0
            and 0.0 < step.damping < np.inf and step.factor > 0.0)
    whole = all(z.shape == problem.guess().shape and np.isfinite(z).all()
                for z in (step.z, best, kept) if z is not None)
    if not whole or not sane:
        raise BadInput(f"{path} is damaged; leave out --resume to start anew")
    return News(problem, ladder, index, step, seed, solver, before, attempt, best, mended, kept)
