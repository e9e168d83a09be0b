"""Takes of a walk for experiments, with what is needed to judge them: path, heading and steps over time.

    done = walked(60.0, seed=3, settings={"step_length": 0.6}, changes=[(20.0, "heading", 90.0)])
    done.fell, done.seconds, done.steps, done.speed(10.0), done.last
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gambol.behaviors import Behavior
from gambol.gains import Gains
from gambol.motion.ground_forces import Ground
from gambol.motion.motion import Motion
from gambol.planning.gait import GaitGains
from gambol.reporting.pictures import Picture, film
from gambol.runs.performance import Watch
from gambol.runs.run import Until, record
from gambol.runs.trial import Change
from gambol.world.terrain import Terrain
from gambol.world.world import World

RANGES = {"step_length": (0.0, 0.7), "swing_duration": (0.3, 0.7), "swing_height": (0.0, 0.1),
          "foot_spread": (0.0, 0.03), "swing_delay": (0.0, 0.3), "hip_shift": (0.0, 0.3), "lean": (-0.3, 0.3),
          "head_turn": (-180.0, 180.0)}
"""[delasa2011, table 4.3]; lengths in m, times in s, the head's turn in degrees."""
WHOLE_SPEED = 4.0
"""It starts from standing; speeds are measured from this time on, s."""
LAST = 6.0
"""Seconds kept of a take, to be shown."""
SAMPLE = 0.02


class Diary:
    """What a walk did, noted every 0.02 s."""

    def __init__(self, also: Watch | None = None) -> None:
        self.also = also
        self.rows: list[tuple[float, ...]] = []
        self.steps = 0
        self._ground: Ground | None = None

    def __call__(self, world: World, behavior: Behavior) -> None:
        if world.time >= SAMPLE * len(self.rows) - 1e-9:
            figure = world.figure
            if self._ground is None:
                self._ground = Ground.of(world.model)
            carried = self._ground.touches(figure.top, world.data.contact.geom)
            self.rows.append((world.time, *figure.com, figure.heading, float(not carried)))
        if self.also is not None:
            self.also(world, behavior)

    def count(self, behavior: Behavior) -> None:
        self.steps = getattr(behavior, "steps", 0)


@dataclass(frozen=True)
class Walked:
    """One walk: how it ended, its path seen from above, and its last seconds."""

    fell: str | None
    """why it fell, or None"""
    seconds: float
    steps: int
    time: np.ndarray
    com: np.ndarray
    """(rows, 2), m"""
    heading: np.ndarray
    """(rows,), rad"""
    last: Motion
    height: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """(rows,) of the COM in the world, m"""
    flying: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    """(rows,) it touches nothing that could carry it"""

    def speed(self, begin: float = WHOLE_SPEED) -> float:
        """Distance as the crow flies over time, from a time on, m/s; none if it did not get that far."""
        rows = self.time >= begin
        if rows.sum() < 2:
            return float("nan")
        time, com = self.time[rows], self.com[rows]
        return float(np.linalg.norm(com[-1] - com[0]) / (time[-1] - time[0]))

    def direction(self, seconds: float) -> float:
        """Direction of the way made in the last seconds, degrees."""
        rows = self.time >= self.time[-1] - seconds
        x, y = self.com[rows][-1] - self.com[rows][0]
        return float(np.degrees(np.arctan2(y, x)))

    def facing(self, seconds: float) -> float:
        """Mean direction that the hips faced in the last seconds, degrees."""
        angles = self.heading[self.time >= self.time[-1] - seconds]
        return float(np.degrees(np.arctan2(np.sin(angles).mean(), np.cos(angles).mean())))

    def speeds(self, over: float) -> np.ndarray:
        """Speed at every row, smoothed over about a step, (rows,)."""
        if len(self.time) < 2:
            return np.zeros(len(self.time))
        half = max(1, round(0.5 * over / SAMPLE))
        row = np.arange(len(self.time))
        first, final = np.maximum(row - half, 0), np.minimum(row + half, len(row) - 1)
        way = np.linalg.norm(self.com[final] - self.com[first], axis=1)
        return way / (self.time[final] - self.time[first])

    def flight(self, begin: float = WHOLE_SPEED) -> float:
        """Share of the time from then on in which it touches nothing that could carry it."""
        rows = self.flying[self.time >= begin]
        return float(rows.mean()) if len(rows) else float("nan")

    @property
    def how(self) -> str:
        """In words."""
        return f"{self.seconds:.0f} s" if self.fell is None else f"falls at {self.seconds:.1f} s"


def walked(seconds: float, seed: int, settings: Mapping[str, Any] | None = None, changes: Sequence[Change] = (),
           character: str = "human", until: Until | None = None, also: Watch | None = None,
           behavior: str = "walk", terrain: str | Terrain = "flat", gains: Gains | None = None) -> Walked:
    """Run a walk (or another behavior) and keep what is needed to judge it. `also` is called before every tick."""
    diary = Diary(also)

    def over(world: World, controller: Behavior) -> bool:
        diary.count(controller)  # before it may end, so that the last step counts
        return until is not None and until(world, controller)

    take = record(behavior, character, seconds=seconds, seed=seed, settings=settings, changes=changes, until=over,
                  each=diary, last=LAST, terrain=terrain, gains=gains)
    time, x, y, height, heading, flying = np.array(diary.rows).T
    return Walked(take.fell, take.seconds, diary.steps, time, np.column_stack([x, y]), heading, take.motion, height,
                  flying > 0)


def commanded_speed(step_length: float, swing_duration: float) -> float:
    return step_length / (swing_duration + GaitGains().double_support)


def side_view(motion: Motion, caption: str, seconds: float = 1.2, frames: int = 8, **view: Any) -> Sequence[Picture]:
    """Film strip of the last seconds of a motion, seen from the side."""
    end = motion.seconds
    times = np.linspace(max(end - seconds, 0.0), end, frames)
    return film(motion, times, caption, **{"bearing": 90.0, "elevation": -6.0, "size": (170, 300), "zoom": 1.6, **view})
