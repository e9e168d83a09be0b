"""Running a Trial from start to finish, and what comes of it.

    one = run(Trial.of("balance", seconds=5, pushes=[Push(1, "trunk", (200, 0, 0))]))
    one.fell, one.fell_at, one.summary["max_torque_ratio"]
    one.motion.save("out.npz")

    take = record("jump", seconds=8, seed=3, until=calm_after(3.0))      ends with a fall, or when it is decided
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gambol.behaviors import Behavior
from gambol.bodies.character import Character
from gambol.errors import Diverged, unknown
from gambol.motion.kinematics import share_of
from gambol.motion.measures import every_figure
from gambol.motion.motion import Motion
from gambol.runs.performance import Fall, Performance, Watch
from gambol.runs.trial import Trial
from gambol.world.world import World

BLACK_BOX = 2.0
"""Seconds saved for replay when a simulation goes bad."""
TOLD = 25
"""Ticks from one word of progress to the next."""
Progress = Callable[[float], None]
Until = Callable[[World, Behavior], bool]
"""Whether a run is over: all that was to be seen has been."""
ToFall = bool | Literal["first", "any"]
"""Whose fall ends a run: the first figure's (true says the same), anybody's, or nobody's."""


@dataclass(frozen=True)
class Run:
    """What came out: the recorded Motion, and how it went for each figure, the first one above all."""

    motion: Motion
    falls: tuple[Fall | None, ...]
    """by figure"""
    seconds: float
    """when it ended, s"""
    wall: float
    """time that control and physics took, s"""

    @property
    def fell(self) -> str | None:
        """Why the first figure fell, or None."""
        return None if self.falls[0] is None else self.falls[0].reason

    @property
    def fell_at(self) -> float | None:
        """s"""
        return None if self.falls[0] is None else self.falls[0].time

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The keys of `gambol run --json`; measured when first asked for."""
        found = [measured.summaries() for measured in every_figure(self.motion)]
        about = self.motion.meta["figures"]
        figures = [{"name": about[index]["name"], "character": about[index]["character"],
                    "behavior": about[index]["behavior"], **_fate(fall), **found[index]}
                   for index, fall in enumerate(self.falls)]
        return {**_fate(self.falls[0]), "seconds": round(self.seconds, 4), **found[0],
                "realtime_factor": round(self.seconds / self.wall, 3), "seed": self.motion.meta["seed"],
                "motion": None, "figures": figures}

    def angles(self, role: str) -> np.ndarray:
        """Angles of the joints of a role (`left_knee`) of the first figure over time, (rows, joints)."""
        share = share_of(self.motion)
        drives, names = share.drives, share.anatomy.joints[role]
        return self.motion.qpos[:, np.array([drives.qpos[drives.names.index(name)] for name in names])]


def run(trial: Trial | Performance, *, until: Until | None = None, each: Watch | None = None,
        watch: Watch | None = None, last: float | None = None, progress: Progress | None = None,
        to_fall: ToFall = False, interruptible: bool = False) -> Run:
    """Run a trial to its end, or until `until` says so; as a Performance that is at its start it can be looked into.

    `each` is called before every tick, `watch` when all is decided and nothing has moved yet. The Motion has all of
    the run or its `last` seconds. A fall does not end the run, unless it is to go only `to_fall`: then that of the
    first figure ends it, or with "any" anybody's, and a simulation that diverges counts as one: of whose it was, of all
    where that cannot be said. Where a run is `interruptible`, Ctrl-C ends it, and what there is is kept.
    """
    if to_fall not in (False, True, "first", "any"):
        raise unknown("to_fall", str(to_fall), ("first", "any"))
    performance = trial if isinstance(trial, Performance) else Performance.of(trial)
    performance.each, performance.watch = each, watch
    world, behavior = performance.world, performance.behavior
    ticks = max(1, math.ceil(performance.trial.seconds * world.control_rate - 1e-6))
    falls = performance.falls
    judged = slice(0, 1 if to_fall != "any" else None)
    begin = time.perf_counter()
    try:
        with _interruption(interruptible) as interrupted:
            for tick in range(ticks):
                if interrupted():
                    world.events.append({"time": world.time, "event": "interrupted"})
                    break
                if until is not None and until(world, behavior):
                    break
                performance.tick()
                if to_fall and any(falls[judged]):
                    break
                if progress is not None and tick % TOLD == 0:
                    progress(tick / ticks)
    except Diverged as error:
        if not to_fall:
            motion = performance.motion(BLACK_BOX, diverged=str(error))
            raise Diverged(str(error), motion, error.figure) from None
        _fall_all(performance, range(len(falls)) if error.figure is None else (error.figure,), str(error))
    wall = time.perf_counter() - begin
    return Run(performance.motion(last), tuple(falls), world.time, wall)


def record(behavior: str, character: str | Character | None = None, *, until: Until | None = None,
           each: Watch | None = None, last: float | None = None, **trial: Any) -> Run:
    """Run one figure until it falls, `until` says so, or the time is over: for experiments.

    What else is given is part of the Trial: `seconds`, `seed`, `settings`, `changes`, `pushes`, `terrain`, `throws`.
    """
    given = {name: value for name, value in trial.items() if value is not None}
    return run(Trial.of(behavior, character, **given), until=until, each=each, last=last, to_fall=True)


def _fall_all(performance: Performance, figures: Iterable[int], reason: str) -> None:
    """Some figures fall for a reason that is not of their behaviors, those of them that still stand."""
    falls, now = performance.falls, performance.world.time
    for index in figures:
        if falls[index] is None:
            falls[index] = Fall(now, reason)
            name = {"figure": performance.trial.figures[index].name} if len(falls) > 1 else {}
            performance.world.events.append({"time": now, "event": "fall", "reason": reason, **name})


def _fate(fall: Fall | None) -> dict[str, Any]:
    return {"fell": fall is not None, "fell_at": round(fall.time, 4) if fall else None}


@contextmanager
def _interruption(wanted: bool) -> Iterator[Callable[[], bool]]:
    """Ctrl-C is noted, not raised, so that it falls between two ticks and what was recorded stays whole."""
    noted: list[int] = []
    if not wanted or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, before)
