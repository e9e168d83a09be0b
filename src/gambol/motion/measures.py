"""Measures: what can be read off a Motion, in SI units. Series have a row for every tick, summaries are one number.

    measured = Measured(motion)
    measured.series("com")            (rows, 3)
    measured.columns("com")           ("com_x", "com_y", "com_z")
    measured.summary("steps")         7.0
    summaries(motion)                 {"distance": 3.1, "speed": 1.2, "steps": 7, ...}

`SERIES` and `SUMMARIES` list them with unit and meaning, for the table writer, plots and the command line.
Kinematics and the replay that finds ground forces are computed once, when first needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from gambol.errors import unknown
from gambol.motion.ground_forces import GroundLoad, Progress, foot_forces, ground_load
from gambol.motion.kinematics import Track, share_of
from gambol.motion.motion import Motion
from gambol.motion.torques import joint_torques, torque_ratios
from gambol.motion.underfoot import clearance
from gambol.rotations import rotate
from gambol.world.patches import point_bodies

UNLOADED = 0.1
"""Seconds a foot must have been off the ground for its next touch to be a step."""
LOADED = 0.01
"""Share of the body weight that counts as standing on a foot."""
LIFTED = 0.005
"""Metres a foot must have been lifted for its next touch to be a step: shifting weight is not stepping."""
TRAVELLED = 0.1
"""Metres below which a motion has gone nowhere, and a cost of transport means nothing."""
XYZ = ("x", "y", "z")
T = TypeVar("T")


class Measured:
    """One figure of a motion, ready to be measured."""

    def __init__(self, motion: Motion, figure: int = 0, progress: Progress | None = None,
                 beside: Measured | None = None) -> None:
        self.motion, self.share, self.figure, self.progress = motion, share_of(motion, figure), figure, progress
        self._beside = beside
        """another figure of the same motion: what is of all of them is computed once"""

    @cached_property
    def track(self) -> Track:
        return Track(self.motion) if self._beside is None else self._beside.track

    @cached_property
    def load(self) -> GroundLoad:
        """How the ground acts on every body."""
        return ground_load(self.motion, self.progress) if self._beside is None else self._beside.load

    @property
    def forces(self) -> np.ndarray:
        """Ground force on every body, (rows, nbody, 3)."""
        return self.load.forces

    @cached_property
    def masses(self) -> np.ndarray:
        """kg, (rows,): body edits may change it"""
        found = np.full(len(self.motion.time), self.motion.model.body_mass[self.share.bodies].sum())
        for tick, fields in self.motion.edits:
            if "body_mass" in fields:
                found[max(0, tick):] = fields["body_mass"][self.share.bodies].sum()
        return found

    @property
    def mass(self) -> float:
        """kg, at the end"""
        return float(self.masses[-1])

    @property
    def weights(self) -> np.ndarray:
        """N, (rows,)"""
        return self.masses * float(np.linalg.norm(self.motion.model.opt.gravity))

    @property
    def weight(self) -> float:
        """N, at the end"""
        return float(self.weights[-1])

    def series(self, name: str) -> np.ndarray:
        """A registered series, (rows, columns)."""
        return _known("series", name, SERIES).compute(self)

    def columns(self, name: str) -> tuple[str, ...]:
        """Names of the columns of a series; with the figure's prefix if it is not alone."""
        return tuple(self.share.label + column for column in _known("series", name, SERIES).columns(self))

    def summary(self, name: str) -> float | None:
        """A registered summary; None where it means nothing (no controls, not travelled)."""
        value = _known("summary", name, SUMMARIES).compute(self)
        return None if value is None or math.isnan(value) else value

    def summaries(self) -> dict[str, float | None]:
        """All of them by name."""
        return {name: self.summary(name) for name in SUMMARIES}


@dataclass(frozen=True)
class Series:
    """A quantity over time."""

    name: str
    unit: str
    doc: str
    columns: Callable[[Measured], tuple[str, ...]]
    compute: Callable[[Measured], np.ndarray]
    simulated: bool = False
    """needs the controls of a simulated motion"""


@dataclass(frozen=True)
class Summary:
    """One number about a whole motion."""

    name: str
    unit: str
    doc: str
    compute: Callable[[Measured], float | None]


SERIES: dict[str, Series] = {}
SUMMARIES: dict[str, Summary] = {}


def every_figure(motion: Motion, progress: Progress | None = None) -> list[Measured]:
    """All figures of a motion, with one pass of kinematics and one replay for all of them."""
    found: list[Measured] = []
    for figure in range(len(motion.figures)):
        found.append(Measured(motion, figure, progress, beside=found[0] if found else None))
    return found


def summaries(motion: Motion, figure: int = 0) -> dict[str, float | None]:
    """All summaries by name."""
    return Measured(motion, figure).summaries()


def _known(kind: str, name: str, table: dict[str, T]) -> T:
    if name not in table:
        raise unknown(kind, name, table)
    return table[name]


def _series(unit: str, columns: Callable[[Measured], tuple[str, ...]], simulated: bool = False) -> Callable:
    """Register a function of a `Measured` by its name."""
    def add(function: Callable[[Measured], np.ndarray]) -> Callable[[Measured], np.ndarray]:
        doc = " ".join((function.__doc__ or "").split())
        SERIES[function.__name__] = Series(function.__name__, unit, doc, columns, function, simulated)
        return function
    return add


def _summary(unit: str) -> Callable:
    def add(function: Callable[[Measured], float | None]) -> Callable[[Measured], float | None]:
        SUMMARIES[function.__name__] = Summary(function.__name__, unit, " ".join((function.__doc__ or "").split()),
                                               function)
        return function
    return add


def _xyz(name: str) -> Callable[[Measured], tuple[str, ...]]:
    return lambda measured: tuple(f"{name}_{axis}" for axis in XYZ)


def _by_joint(suffix: str) -> Callable[[Measured], tuple[str, ...]]:
    return lambda measured: tuple(joint + suffix for joint in measured.share.drives.names)


# -- series --------------------------------------------------------------------------------------------------------


@_series("m", _xyz("root"))
def root_position(measured: Measured) -> np.ndarray:
    """position of the root body"""
    return measured.track.position[:, measured.share.root]


@_series("1", lambda measured: tuple(f"root_q{c}" for c in "wxyz"))
def root_orientation(measured: Measured) -> np.ndarray:
    """orientation of the root body, a quaternion with the scalar first"""
    return measured.track.quaternion[:, measured.share.root]


@_series("rad", _by_joint(""))
def joint_angle(measured: Measured) -> np.ndarray:
    """angle of every actuated joint (m for a slide; the rotation vector of a ball joint)"""
    return np.array([measured.share.drives.angles(row) for row in measured.motion.qpos])


@_series("rad/s", _by_joint("_rate"))
def joint_rate(measured: Measured) -> np.ndarray:
    """rate of every actuated joint (m/s for a slide)"""
    return measured.motion.qvel[:, measured.share.drives.dofs]


@_series("N m", _by_joint("_torque"), simulated=True)
def joint_torque(measured: Measured) -> np.ndarray:
    """torque of every motor on its joint from this row to the next; the last row repeats the one before"""
    torques = joint_torques(measured.motion, measured.share)
    return np.vstack([torques, torques[-1:]])


@_series("m", _xyz("com"))
def com(measured: Measured) -> np.ndarray:
    """centre of mass"""
    return measured.track.com[:, measured.share.top]


@_series("m/s", _xyz("com_velocity"))
def com_velocity(measured: Measured) -> np.ndarray:
    """velocity of the centre of mass"""
    return measured.track.com_velocity[:, measured.share.top]


@_series("kg m2/s", _xyz("angular_momentum"))
def angular_momentum(measured: Measured) -> np.ndarray:
    """angular momentum about the centre of mass"""
    return measured.track.angular_momentum[:, measured.share.top]


@_series("m/s", lambda measured: ("root_speed",))
def root_speed(measured: Measured) -> np.ndarray:
    """horizontal speed of the root body over the tick"""
    step = np.diff(root_position(measured)[:, :2], axis=0, prepend=root_position(measured)[:1, :2])
    return np.linalg.norm(step, axis=1, keepdims=True) / max(measured.motion.tick_length, 1e-12)


@_series("m", lambda measured: tuple(f"{role}_height" for role in measured.share.feet))
def foot_height(measured: Measured) -> np.ndarray:
    """height of the lowest sole point of each foot above what is under it: terrain, a prop or another figure"""
    share = measured.share
    heights = [clearance(measured.track, share.top, place, share.anatomy.all_patches[role].heel)
               for role, place in sole_places(measured).items()]
    return np.stack(heights, axis=1) if heights else np.zeros((len(measured.motion.time), 0))


@_series("N", lambda measured: tuple(f"{role}_force_{axis}" for role in measured.share.feet for axis in XYZ),
         simulated=True)
def foot_force(measured: Measured) -> np.ndarray:
    """force on each foot from all that it stands on or touches: terrain, props, other figures; not thrown balls"""
    by_foot = foot_forces(measured.motion, measured.forces, measured.figure)
    return np.concatenate([np.zeros((len(measured.motion.time), 0)), *by_foot.values()], axis=1)


@_series("N", _xyz("ground_force"), simulated=True)
def ground_force(measured: Measured) -> np.ndarray:
    """the same force on the whole figure: what carries it, less what presses down on it"""
    return measured.forces[:, measured.share.bodies].sum(axis=1)


# -- summaries -----------------------------------------------------------------------------------------------------


@_summary("m")
def distance(measured: Measured) -> float:
    """horizontal distance of the root from where it started"""
    place = root_position(measured)[:, :2]
    return float(np.linalg.norm(place[-1] - place[0]))


@_summary("m/s")
def speed(measured: Measured) -> float:
    """distance over time"""
    return distance(measured) / measured.motion.seconds if measured.motion.seconds > 0 else 0.0


@_summary("1")
def steps(measured: Measured) -> int | None:
    """touchdowns of a foot that had been off the ground for at least 0.1 s"""
    if not measured.motion.simulated or not measured.share.feet:
        return None
    return count_touchdowns(feet_loaded(measured), foot_height(measured) > LIFTED, measured.motion.tick_length)


@_summary("1")
def cost_of_transport(measured: Measured) -> float | None:
    """work of the motors, all counted positive, per (mean) weight and distance; none if it went nowhere"""
    if not measured.motion.simulated or distance(measured) < TRAVELLED:
        return None
    rates = joint_rate(measured)
    power = joint_torques(measured.motion, measured.share) * (rates[1:] + rates[:-1]) / 2
    work = np.abs(power).sum() * measured.motion.tick_length
    return float(work / (measured.weights.mean() * distance(measured)))


@_summary("1")
def max_torque_ratio(measured: Measured) -> float | None:
    """largest share of a motor's strength, as it was then, that was used"""
    if not measured.motion.simulated or not measured.share.nu:
        return None
    return float(torque_ratios(measured.motion, measured.share).max())


# -- helpers -------------------------------------------------------------------------------------------------------


def sole_places(measured: Measured) -> dict[str, np.ndarray]:
    """Foot role -> places of its sole points, (rows, points, 3)."""
    track, found = measured.track, {}
    share = measured.share
    for role, patch in share.anatomy.all_patches.items():
        if role in share.anatomy.soles:
            bodies, places = point_bodies(share, role, patch)
            found[role] = track.position[:, bodies] + rotate(track.quaternion[:, bodies], places[None])
    return found


def count_touchdowns(loaded: np.ndarray, lifted: np.ndarray, tick_length: float) -> int:
    """Times a foot (a column) is loaded again after at least 0.1 s without load in which it was lifted."""
    return sum(len(swings(load, lift, tick_length))
               for load, lift in zip(np.atleast_2d(loaded.T), np.atleast_2d(lifted.T), strict=True))


def swings(load: np.ndarray, lift: np.ndarray, tick_length: float) -> list[tuple[int, int]]:
    """First row in the air and row of the touchdown of each step of one foot."""
    changes = np.flatnonzero(np.diff(load.astype(int))) + 1
    edges = np.concatenate([[0], changes])
    return [(int(begin), int(end)) for begin, end in zip(edges, changes, strict=False)
            if not load[begin] and (end - begin) * tick_length >= UNLOADED - 1e-9 and lift[begin:end].any()]


def feet_loaded(measured: Measured) -> np.ndarray:
    """Which feet the ground carries, (rows, feet)."""
    return foot_force(measured)[:, 2::3] > LOADED * measured.weights[:, None]
