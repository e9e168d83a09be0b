"""The steps by which a biped comes to rest after a Reference that ends in the middle of a walk, as more of it.

A pendulum of constant height, its capture point xi, and a foot at p: `xi' = w (xi - p)`. A foot that lands at

    a = xi - b exp(-w T) / 2,   b: from it to where the other one will stand beside it

lets xi run to the middle of both in the time T of the last step, and there it stays: `capture.steady_offset` of a step
without length. If that is too far to step, the foot comes down as far as it reaches, and one more step follows.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import exp
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from gambol.motion.reference import Reference
from gambol.planning import capture
from gambol.rotations import yaw_matrix
from gambol.units import ADULT_HEIGHT
from gambol.world.figure import Figure

FEET = ("left_foot", "right_foot")
SLOW = 0.2
"""A COM slower than this (m/s, of an adult) needs no steps to come to rest."""
SWING, SOONEST, DOUBLE, REST = 0.35, 0.12, 0.04, 0.8
"""Time of a step, least time of the one that is under way, time on both feet before it, time at the end, s."""
REACH, CLEAR, MOST_STEPS = 0.75, 0.06, 5
"""Longest way of a foot ahead of the other, m; how high it goes; and after so many steps it is left to the feedback."""
STRAIGHT = 0.98
"""Height of the COM at the end, as a share of standing."""
ROOM = 0.6
"""Share of a sole in which the pressure point may be while one foot carries."""


@dataclass
class _Walker:
    """The pendulum and its feet, on the ground, (2,)."""

    com: np.ndarray
    capture: np.ndarray
    feet: list[np.ndarray]
    """middles of both soles"""
    rows: list[np.ndarray]
    """of the COM: place, velocity, acceleration, (3, 2) each"""

    def go(self, pressure: np.ndarray, rate: float, times: int, tick: float) -> None:
        """Some ticks with a pressure point."""
        grown = exp(rate * tick)
        for _ in range(times):
            middle = 0.5 * (self.capture + pressure + (self.capture - pressure) * grown)
            self.com = middle + (self.com - middle) / grown
            self.capture = pressure + (self.capture - pressure) * grown
            self.rows.append(np.array([self.com, rate * (self.capture - self.com), rate**2 * (self.com - pressure)]))


def halted(reference: Reference, figure: Figure, speed: float = 1.0) -> Reference:
    """The reference with steps that bring it to rest, if it ends in a walk of a biped; else as it is.

    `speed` is how fast it will be followed: at that speed the steps take the time that they need.
    """
    size = figure.standing_height / ADULT_HEIGHT
    velocity = speed * reference.com_velocity[-1, :2]
    if (set(reference.patches) != set(FEET) or not reference.down[-1].any()
            or np.linalg.norm(velocity) < SLOW * size**0.5):
        return reference
    return _Halt(reference, figure, speed, size).made()


class _Halt:
    """Plans the steps, and lays the rest of the body over them."""

    def __init__(self, reference: Reference, figure: Figure, speed: float, size: float) -> None:
        self.reference, self.figure, self.speed, self.size = reference, figure, speed, size
        self.tick, self.pace = 1.0 / (reference.rate * speed), size**0.5
        self.resting = figure.posed(figure.rest)
        self.soles = [figure.patches[role] for role in reference.patches]
        root = reference.turns[-1, reference.parts.index("root")]
        resting = self.resting.xmat[figure.root].reshape(3, 3)
        facing = root @ resting.T
        self.facing = yaw_matrix(float(np.arctan2(facing[1, 0], facing[0, 0])))
        self.middles = [sole.points.mean(axis=0) @ self.resting.xmat[sole.body].reshape(3, 3).T for sole in self.soles]
        """from each foot's origin to the middle of its sole, at rest"""
        self.half = [np.ptp((sole.points @ self.resting.xmat[sole.body].reshape(3, 3).T)[:, :2], axis=0) / 2
                     for sole in self.soles]
        place = self.resting.xpos[[sole.body for sole in self.soles]] + self.middles
        self.beside = place[1, :2] - place[0, :2]
        """from the left sole's middle to the right one's, at rest, facing ahead"""
        if reference.patches[0] == FEET[1]:
            self.beside = -self.beside
        height = float(reference.com[-1, 2] - place[:, 2].mean())
        self.rate = capture.natural_rate(height)
        com, velocity = reference.com[-1, :2], speed * reference.com_velocity[-1, :2]
        feet = [reference.places[-1, k, :2] + (self.facing @ self.middles[k])[:2] for k in (0, 1)]
        self.walker = _Walker(com, capture.capture_point(com, velocity, self.rate), feet, [])
        self.places = [[reference.places[-1, k].copy()] for k in (0, 1)]
        self.foot_turns = [[self._foot_turn(k)] for k in (0, 1)]
        self.down: list[tuple[bool, bool]] = []

    def made(self) -> Reference:
        """Steps, then rest."""
        reference, walker = self.reference, self.walker
        down = reference.down[-1].tolist()
        if all(down):
            way = walker.capture - walker.com
            swing = int(np.argmin([way.dot(foot) for foot in walker.feet]))
            self._stand(1 - swing, DOUBLE)
            left = SWING
        else:
            swing = down.index(False)
            left = max(SWING - (reference.seconds - float(reference.lifted[-1, swing])) / self.speed / self.pace,
                       SOONEST)
        for _ in range(MOST_STEPS):
            last = self._step(swing, left * self.pace)
            swing, left = 1 - swing, SWING
            if last:
                break
            self._stand(1 - swing, DOUBLE)
        self._step(swing, SWING * self.pace, beside=True)
        self._stand(None, REST)
        return self._joined()

    def _ticks(self, seconds: float) -> int:
        return max(round(seconds / self.tick), 1)

    def _pressure(self, stance: int) -> np.ndarray:
        """As near to the capture point as a foot lets it."""
        turn = self.facing[:2, :2]
        away = turn.T @ (self.walker.capture - self.walker.feet[stance])
        most = ROOM * self.half[stance]
        return self.walker.feet[stance] + turn @ np.clip(away, -most, most)

    def _stand(self, on: int | None, seconds: float) -> None:
        """On both feet, the pressure under one of them or where the body comes to rest."""
        times = self._ticks(seconds * self.pace)
        self.walker.go(self.walker.capture.copy() if on is None else self._pressure(on), self.rate, times, self.tick)
        for k in (0, 1):
            self._rest_foot(k, times)
        self.down += [(True, True)] * times

    def _step(self, swing: int, seconds: float, beside: bool = False) -> bool:
        """One step; whether the body can come to rest when the next foot has come beside this one."""
        walker, stance, times = self.walker, 1 - swing, self._ticks(seconds)
        across = self.facing[:2, :2] @ self.beside * (1.0 if swing == 0 else -1.0)  # from this foot to the other one
        if beside:
            pressure = walker.capture + (across * 0.5) / (exp(self.rate * seconds) - 1.0)
            goal, enough = walker.feet[stance] - across, True
        else:
            pressure = self._pressure(stance)
            landing = pressure + (walker.capture - pressure) * exp(self.rate * seconds)
            goal = landing - 0.5 * across * exp(-self.rate * SWING * self.pace)
            ahead = goal - walker.feet[stance] + across
            length = float(np.linalg.norm(ahead))
            enough = length <= REACH * self.size
            if not enough:
                goal = walker.feet[stance] - across + ahead * REACH * self.size / length
        walker.go(self._within(stance, pressure), self.rate, times, self.tick)
        self._swing_foot(swing, goal, times)
        self._rest_foot(stance, times)
        flags = [True, True]
        flags[swing] = False
        self.down += [(flags[0], flags[1])] * times
        walker.feet[swing] = goal
        return enough

    def _within(self, stance: int, pressure: np.ndarray) -> np.ndarray:
        turn, most = self.facing[:2, :2], ROOM * self.half[stance]
        foot = self.walker.feet[stance]
        return foot + turn @ np.clip(turn.T @ (pressure - foot), -most, most)

    # -- feet --------------------------------------------------------------------------------------------------------

    def _foot_turn(self, k: int) -> np.ndarray:
        role = self.reference.patches[k]
        if role in self.reference.parts:
            return self.reference.turns[-1, self.reference.parts.index(role)]
        return self._level(k)

    def _level(self, k: int) -> np.ndarray:
        found: np.ndarray = self.facing @ self.resting.xmat[self.soles[k].body].reshape(3, 3)
        return found

    def _rest_foot(self, k: int, times: int) -> None:
        self.places[k] += [self.places[k][-1]] * times
        self.foot_turns[k] += [self.foot_turns[k][-1]] * times

    def _swing_foot(self, k: int, goal: np.ndarray, times: int) -> None:
        """Along the ground from rest to rest, up and down over it."""
        begin, turned = self.places[k][-1], self.foot_turns[k][-1]
        middle = self.facing @ self.middles[k]
        end = np.append(goal - middle[:2], -middle[2])
        s = np.arange(1, times + 1) / times
        smooth = _smooth(s)[:, None]
        path = begin + smooth * (end - begin)
        lift = max(CLEAR * self.size - max(float(begin[2] - end[2]), 0.0), 0.02 * self.size)
        path[:, 2] += lift * np.sin(np.pi * s) ** 2
        self.places[k] += list(path)
        self.foot_turns[k] += list(_turned(turned, self._level(k), smooth[:, 0]))

    # -- all of it ---------------------------------------------------------------------------------------------------

    def _joined(self) -> Reference:
        reference, figure, tick, speed = self.reference, self.figure, self.tick, self.speed
        flat = np.array(self.walker.rows)
        n = len(flat)
        s = np.minimum(np.arange(1, n + 1) * tick / ((SWING + SWING) * self.pace), 1.0)
        smooth = _smooth(s)
        up = self._rise(np.arange(1, n + 1) * tick)
        com, velocity, acceleration = (np.concatenate([flat[:, k], up[:, k:k + 1]], axis=1) for k in (0, 1, 2))
        places = np.stack([np.array(rows[1:]) for rows in self.places], axis=1)
        speeds = np.gradient(places, tick, axis=0)
        turns = np.stack([self._part(k, smooth) for k in range(len(reference.parts))], axis=1)
        spins = _spins(turns, tick)
        full = figure.model.qpos0.copy()
        figure.drives.put(figure.rest, full)
        first = int(figure.model.jnt_qposadr[figure.joints[0]])
        qpos = np.tile(reference.qpos[-1], (n, 1))
        qpos[:, 7:] += smooth[:, None] * (full[first + 7:first + qpos.shape[1]] - qpos[:, 7:])
        qvel = np.zeros((n, reference.qvel.shape[1]))
        if qpos.shape[1] == qvel.shape[1] + 1:  # no ball joints
            qvel[:, 6:] = np.gradient(qpos[:, 7:], tick, axis=0)
        new: dict[str, Any] = {
            "qpos": qpos, "qvel": qvel / speed, "com": com, "com_velocity": velocity / speed,
            "com_acceleration": acceleration / speed**2, "momentum": np.zeros((n, 3)),
            "pressure_shift": np.zeros((n, 2)), "turns": turns, "spins": spins / speed,
            "spin_rates": np.zeros_like(spins), "touching": np.repeat(np.array(self.down)[:, :, None], 2, axis=2),
            "places": places, "speeds": speeds / speed,
            "accelerations": np.gradient(speeds, tick, axis=0) / speed**2}
        joined: dict[str, Any] = {field.name: np.concatenate([getattr(reference, field.name), new[field.name]])
                                  for field in fields(reference) if field.name in new}
        return replace(reference, **joined)

    def _rise(self, times: np.ndarray) -> np.ndarray:
        """(n, 3) height of the COM, its rate and acceleration: to standing, in the time of two steps."""
        lasts = 2.0 * SWING * self.pace
        begin, speed = float(self.reference.com[-1, 2]), self.speed * float(self.reference.com_velocity[-1, 2])
        ground = float(np.mean([self.places[k][-1][2] + (self.facing @ self.middles[k])[2] for k in (0, 1)]))
        gap = ground + STRAIGHT * self.figure.standing_height - begin
        b, c = 3.0 * gap / lasts**2 - 2.0 * speed / lasts, speed / lasts**2 - 2.0 * gap / lasts**3
        t = np.minimum(times, lasts)
        moving = times < lasts
        return np.stack([begin + speed * t + b * t**2 + c * t**3, moving * (speed + 2 * b * t + 3 * c * t**2),
                         moving * (2 * b + 6 * c * t)], axis=1)

    def _part(self, k: int, smooth: np.ndarray) -> np.ndarray:
        """How a part is turned along the rows."""
        role = self.reference.parts[k]
        if role in self.reference.patches:
            return np.array(self.foot_turns[self.reference.patches.index(role)][1:])
        end = self.facing @ self.resting.xmat[self.figure.body_id(role)].reshape(3, 3)
        return _turned(self.reference.turns[-1, k], end, smooth)


def _smooth(s: np.ndarray) -> np.ndarray:
    found: np.ndarray = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    return found


def _turned(begin: np.ndarray, end: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """(n, 3, 3) from one rotation to another, by the shortest way."""
    way = Rotation.from_matrix(end @ begin.T).as_rotvec()
    found: np.ndarray = Rotation.from_rotvec(shares[:, None] * way).as_matrix() @ begin
    return found


def _spins(turns: np.ndarray, tick: float) -> np.ndarray:
    """(n, parts, 3) rates of rotations, differences of rows."""
    steps = turns[1:] @ turns[:-1].swapaxes(-1, -2)
    rates = Rotation.from_matrix(steps.reshape(-1, 3, 3)).as_rotvec().reshape(*steps.shape[:2], 3) / tick
    return np.concatenate([rates, np.zeros_like(rates[:1])])
