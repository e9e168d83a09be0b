"""The short way to a run of one figure: `simulate`. All else is in `gambol.runs`.

    run = simulate("balance", seconds=5, pushes=[Push(t=1, body="trunk", force=(200, 0, 0))])
    print(run.summary["fell"])
    run.motion.save("out.npz")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gambol.bodies.character import Character
from gambol.runs.performance import Watch
from gambol.runs.run import Progress, Run, run
from gambol.runs.trial import Trial
from gambol.world.props import Prop
from gambol.world.pushes import Push, Throw
from gambol.world.terrain import Terrain

__all__ = ["Run", "simulate"]


def simulate(behavior: str, character: str | Character | None = None, terrain: str | Terrain | None = None, *,
             seconds: float = 10.0, seed: int = 0, settings: Mapping[str, Any] | None = None,
             preset: str | None = None, pushes: Sequence[Push] = (), throws: Sequence[Throw] | None = None,
             props: Sequence[Prop] | None = None, progress: Progress | None = None, watch: Watch | None = None) -> Run:
    """Run a behavior for a while. A fall does not end the run; Ctrl-C does, and keeps what there is.

    What is not given is as the behavior's default scene has it: mostly a human on flat ground.
    """
    trial = Trial.of(behavior, character, settings=dict(settings or {}), preset=preset, terrain=terrain,
                     seconds=seconds, seed=seed, pushes=tuple(pushes), props=None if props is None else tuple(props),
                     throws=None if throws is None else tuple(throws))
    return run(trial, progress=progress, watch=watch, interruptible=True)
