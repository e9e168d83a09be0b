"""Evidence: what was planned and what happened in one run, on one clock. A row is a control tick."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np

from gambol.explain.diary import Diary
from gambol.motion import measures
from gambol.motion.kinematics import body_names, share_of
from gambol.motion.measures import Measured
from gambol.motion.motion import Motion
from gambol.motion.torques import torque_ratios
from gambol.rotations import conjugate, multiply, rotate

LOOK_BACK = 1.0
"""Seconds before a fall in which its causes are looked for."""
AT_LIMIT = 0.02
"""A joint this near its limit is at it, rad."""
SATURATED = 0.99
"""A motor that uses this share of its strength has no more to give."""
COM, COM_PLANNED = ("com x", "com y", "com z"), ("com x planned", "com y planned", "com z planned")
SPEED_PLANNED = ("speed x planned", "speed y planned", "speed z planned")
PRESSURE_PLANNED = ("pressure x planned", "pressure y planned")


@dataclass(frozen=True)
class Push:
    """Something from outside."""

    time: float
    end: float
    text: str


class Evidence:
    """A motion and a diary; everything is computed when first asked for."""

    def __init__(self, motion: Motion, diary: Diary) -> None:
        self.motion, self.diary, self.measured = motion, diary, Measured(motion)
        self.count = min(len(motion.ctrl), len(diary.rows))
        self.time = motion.time[:self.count]
        self.tick = motion.tick_length
        self.fall: dict[str, Any] | None = motion.meta.get("fall")

    @property
    def fell_at(self) -> float | None:
        return None if self.fall is None else float(self.fall["time"])

    @property
    def end(self) -> float:
        """The time of the fall, or of the end of the run."""
        return float(self.motion.time[-1]) if self.fell_at is None else self.fell_at

    @property
    def planned(self) -> bool:
        """Whether the behavior told of its plans."""
        return self.diary.has(*COM_PLANNED)

    @property
    def before(self) -> np.ndarray:
        """Rows before the fall: what comes after says nothing."""
        return self.time < self.end

    @property
    def late(self) -> np.ndarray:
        """Rows of the last second before the fall, or all of them."""
        return self.before & (self.time >= self.end - LOOK_BACK) if self.fall is not None else self.before

    # -- centre of mass and pressure -------------------------------------------------------------------------------

    @cached_property
    def com(self) -> np.ndarray:
        """(rows, 3), m"""
        return measures.com(self.measured)[:self.count]

    @cached_property
    def velocity(self) -> np.ndarray:
        """(rows, 3), m/s"""
        return measures.com_velocity(self.measured)[:self.count]

    @cached_property
    def com_planned(self) -> np.ndarray:
        return self.diary.numbers(*COM_PLANNED)[:self.count]

    @cached_property
    def velocity_planned(self) -> np.ndarray:
        return self.diary.numbers(*SPEED_PLANNED)[:self.count]

    @cached_property
    def pressure(self) -> np.ndarray:
        """Where the ground really carried it while a tick lasted, (rows, 2), m."""
        return self.measured.load.pressure_point(self.measured.share.bodies)[1:self.count + 1]

    @cached_property
    def pressure_planned(self) -> np.ndarray:
        return self.diary.numbers(*PRESSURE_PLANNED)[:self.count]

    # -- attitude --------------------------------------------------------------------------------------------------

    @cached_property
    def heading(self) -> np.ndarray:
        """Where the root faces, (rows,), rad."""
        forward = rotate(self._turn, np.array([1.0, 0.0, 0.0]))
        return np.arctan2(forward[:, 1], forward[:, 0])

    @cached_property
    def lean(self) -> np.ndarray:
        """How the root leans from how it stood at first, ahead and to its left, (rows, 2), degrees."""
        first = np.broadcast_to(conjugate(self._turn[:1]), self._turn.shape)
        up = rotate(multiply(self._turn, first), np.array([0.0, 0.0, 1.0]))
        flat = self.along(up[:, :2])
        size = np.linalg.norm(flat, axis=1, keepdims=True)
        return np.degrees(np.arctan2(size, up[:, 2:])) * flat / np.maximum(size, 1e-9)

    @property
    def _turn(self) -> np.ndarray:
        return self.measured.track.quaternion[:self.count, self.measured.share.root]

    def along(self, vectors: np.ndarray, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Horizontal vectors of the world as the figure sees them: ahead and to its left, (rows, 2)."""
        cos, sin = np.cos(self.heading[rows]), np.sin(self.heading[rows])
        x, y = vectors[..., 0], vectors[..., 1]
        return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)

    # -- feet, joints, motors --------------------------------------------------------------------------------------

    @cached_property
    def feet(self) -> dict[str, np.ndarray]:
        """Foot role -> whether the ground carries it, (rows,)."""
        return dict(zip(self.measured.share.feet, measures.feet_loaded(self.measured)[1:self.count + 1].T, strict=True))

    @cached_property
    def feet_planned(self) -> dict[str, np.ndarray]:
        """Foot role -> whether it should carry by the behavior's own account; nothing if it gives none."""
        if not self.diary.has("support", "stance"):
            return {}
        support, stance = (self.diary.words(name)[:self.count] for name in ("support", "stance"))
        return {role: (support == "double") | ((support == "single") & self.stands_on(role, stance))
                for role in self.feet}

    def stands_on(self, role: str, stance: np.ndarray) -> np.ndarray:
        """Where a foot is the one that the behavior calls its stance."""
        return np.array([bool(word) and role.startswith(word) for word in stance])

    @cached_property
    def slip(self) -> dict[str, np.ndarray]:
        """Foot role -> how fast it slides while it carries, (rows,), m/s: a foot that rolls keeps one point still."""
        slides = {}
        for role, place in measures.sole_places(self.measured).items():
            moved = np.linalg.norm(np.diff(place[:self.count + 1, :, :2], axis=0), axis=-1).min(axis=1) / self.tick
            slides[role] = np.where(self.feet[role], moved, 0.0)
        return slides

    @cached_property
    def joints(self) -> tuple[str, ...]:
        return self.measured.share.drives.names

    @cached_property
    def at_limit(self) -> np.ndarray:
        """Which joints are at the end of their range, (rows, joints)."""
        model, drives = self.motion.model, self.measured.share.drives
        angles = measures.joint_angle(self.measured)[:self.count]
        low, high = model.jnt_range[drives.joints].T
        near = (angles < low + AT_LIMIT) | (angles > high - AT_LIMIT)
        near[:, model.jnt_limited[drives.joints] == 0] = False
        near[:, drives.balls.ravel()] = False
        return near

    @cached_property
    def torque_ratio(self) -> np.ndarray:
        """Share of its strength that each motor uses, (rows, motors)."""
        return torque_ratios(self.motion, self.measured.share)[:self.count]

    @property
    def saturated(self) -> np.ndarray:
        """Which motors give all they have, (rows, motors)."""
        return self.torque_ratio >= SATURATED

    # -- from outside ----------------------------------------------------------------------------------------------

    @cached_property
    def pushes(self) -> list[Push]:
        """Pushes, each from its first tick to its last, and balls; none of those for others."""
        motion, found = self.motion, []
        names = body_names(motion)
        for body in np.setdiff1d(motion.push_body, self._others):
            ticks, wrenches = (part[motion.push_body == body] for part in (motion.push_tick, motion.push_wrench))
            for run in np.split(np.arange(len(ticks)), np.flatnonzero(np.diff(ticks) > 1) + 1):
                impulse = wrenches[run, :3].sum(axis=0) * self.tick
                force = np.linalg.norm(wrenches[run, :3], axis=1).max()
                begin, end = motion.time[ticks[run[0]]], motion.time[ticks[run[-1]] + 1]
                row = min(int(ticks[run[0]]), self.count - 1)
                found.append(Push(float(begin), float(end), f"it was pushed {self.side(impulse, row)} on the "
                                  f"{names[int(body)]}: {force:.0f} N, {np.linalg.norm(impulse):.0f} N s"))
        for tick, ball, state in zip(motion.throw_tick, motion.throw_body, motion.throw_state, strict=True):
            if self._thrown_at(float(motion.time[tick]), names[ball]) in self._others:
                continue
            time, row = float(motion.time[tick]), min(int(tick), self.count - 1)
            found.append(Push(time, time, f"a ball was thrown at it that flew {self.side(state[7:10], row)} at "
                              f"{np.linalg.norm(state[7:10]):.0f} m/s"))
        return sorted(found, key=lambda push: push.time)

    def _thrown_at(self, time: float, ball: str) -> int:
        """The body that a ball was thrown at; the world's, 0, where the Motion does not say."""
        for event in self.motion.meta.get("events", []):
            if event.get("event") == "throw" and event.get("time") == time and event.get("ball") == ball:
                return max(0, mujoco.mj_name2id(self.motion.model, mujoco.mjtObj.mjOBJ_BODY, str(event.get("body"))))
        return 0

    @cached_property
    def _others(self) -> np.ndarray:
        """Bodies of other figures."""
        return np.concatenate([np.zeros(0, dtype=int), *(share_of(self.motion, index).bodies
                                                         for index in range(1, len(self.motion.figures)))])

    def side(self, vector: np.ndarray, row: int) -> str:
        """A direction in words, as the figure sees it."""
        ahead, left = self.along(vector[None, :2], slice(row, row + 1))[0]
        return side(float(ahead), float(left))


def side(ahead: float, left: float) -> str:
    """The nearest of eight directions in words."""
    along = "forward" if ahead > 0 else "backward"
    across = "to its left" if left > 0 else "to its right"
    angle = np.degrees(np.arctan2(abs(left), abs(ahead)))
    return along if angle < 22.5 else across if angle > 67.5 else f"{along} and {across}"
