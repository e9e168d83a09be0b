"""One run from start to finish: a behavior on a character in a world, recorded, summed up.

    run = simulate("balance", seconds=5, pushes=[Push(t=1, body="trunk", force=(200, 0, 0))])
    print(run.summary["fell"])
    run.motion.save("out.npz")
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.behaviors import Behavior, make_behavior
from gambol.bodies import find_character
from gambol.bodies.actuation import Controls
from gambol.bodies.character import Character
from gambol.errors import BadInput, Diverged, GambolError
from gambol.motion import measures
from gambol.motion.motion import Motion
from gambol.world.props import Prop
from gambol.world.pushes import Push, Throw
from gambol.world.terrain import Terrain
from gambol.world.world import World

BLACK_BOX = 2.0
"""Seconds saved for replay when a simulation goes bad."""

Progress = Callable[[float], None]
Watch = Callable[[World, Behavior], None]
"""Called at every tick, when the behavior has decided and nothing has moved yet: to look, not to touch."""


@dataclass(frozen=True)
class Run:
    """What came out: the recorded Motion and its summary (the keys of `gambol run --json`)."""

    motion: Motion
    summary: dict[str, Any]


def simulate(behavior: str, character: str | Character = "human", terrain: str | Terrain = "flat", *,
             seconds: float = 10.0, seed: int = 0, settings: Mapping[str, Any] | None = None,
             pushes: Sequence[Push] = (), throws: Sequence[Throw] = (), props: Sequence[Prop] = (),
             progress: Progress | None = None, watch: Watch | None = None) -> Run:
    """Run a behavior for a while. A fall does not end the run; Ctrl-C does, and keeps what there is."""
    if not (np.isfinite(seconds) and 0 < seconds <= 3600):
        raise BadInput(f"seconds={seconds:g} is out of range; it takes more than 0, at most 3600 s")
    who = find_character(character) if isinstance(character, str) else character
    world = World(who, terrain, props, seed=seed, projectiles=min(len(throws), 8))
    controller = make_behavior(behavior, world, settings)
    for push in pushes:
        world.push(push)
    for throw in throws:
        world.throw(throw)
    fall, wall = _run_loop(world, controller, seconds, progress, watch)
    motion = Motion.from_world(world, behavior=behavior, params=controller.params.as_dict(), fall=fall)
    return Run(motion, _summary(world, motion, fall, wall))


def _run_loop(world: World, controller: Behavior, seconds: float,
              progress: Progress | None, watch: Watch | None) -> tuple[dict[str, Any] | None, float]:
    """Step to the end; returns the first fall (time and reason) and the wall time of control and physics."""
    fall: dict[str, Any] | None = None
    ticks = max(1, round(seconds * world.control_rate))
    begin = time.perf_counter()
    try:
        with _interruptible() as interrupted:
            for tick in range(ticks):
                if interrupted():
                    world.events.append({"time": world.time, "event": "interrupted"})
                    break
                torques = _ask(controller)
                if watch is not None:
                    watch(world, controller)
                world.step(torques)
                if fall is None and (reason := world.contacts.fallen(world.figure, controller.uses)):
                    fall = {"time": world.time, "reason": reason}
                    world.events.append({"time": world.time, "event": "fall", "reason": reason})
                if progress is not None and tick % 25 == 0:
                    progress(tick / ticks)
    except Diverged as error:
        raise _with_black_box(error, world, controller) from None
    return fall, time.perf_counter() - begin


def _ask(controller: Behavior) -> np.ndarray | Controls:
    """What a behavior returns. It may only look: pushing, throwing, editing, going back in time are not its to do."""
    before = controller.world.interventions
    torques = controller.act()
    if controller.world.interventions != before:
        raise GambolError(f"behavior {controller.name!r} acted on the world other than by torques")
    return torques


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Ctrl-C is noted, not raised, so that it falls between two ticks and what was recorded stays whole."""
    noted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, before)


def _with_black_box(error: Diverged, world: World, controller: Behavior) -> Diverged:
    """The same error, with the last seconds kept for replay."""
    motion = Motion.from_world(world, BLACK_BOX, behavior=controller.name, params=controller.params.as_dict(),
                               diverged=str(error))
    return Diverged(str(error), last=motion)


def _summary(world: World, motion: Motion, fall: dict[str, Any] | None, wall: float) -> dict[str, Any]:
    figures = measures.summaries(motion)
    return {"fell": fall is not None, "fell_at": round(fall["time"], 4) if fall else None,
            "seconds": round(motion.seconds, 4), **figures,
            "realtime_factor": round(motion.seconds / wall, 3), "seed": world.seed, "motion": None}
