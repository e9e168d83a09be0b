"""Patches at one moment: where their points are, how they move, how far the nearest surface is and how slippery."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gambol.kinematics.kinematics import Kinematics
from gambol.lazy import lazy
from gambol.world.patches import FigurePatch, PatchSet
from gambol.world.surfaces import Surfaces, Touch

NEAR = 0.01
"""A point closer to a surface than this is in contact, m."""

POSITION, VELOCITY, BIAS, NORMAL = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)
MOTION, HEIGHT, WIDTH = slice(0, 9), 12, 13
"""Columns of the table that has all about points but their Jacobians: one table is quicker than five arrays."""


class PatchPoints:
    """Points of patches at one moment: arrays (k, 3) unless said."""

    ends: slice | np.ndarray = slice(None)
    """which of them their middle goes by: not the balls of feet with toes"""

    def __init__(self, table: np.ndarray, jacobian: np.ndarray, near: np.ndarray) -> None:
        self.table, self.jacobian, self.near = table, jacobian, near
        """(k, WIDTH), (k, 3, nv), and (k,) which points touch a surface and can push"""

    @property
    def position(self) -> np.ndarray:
        return self.table[:, POSITION]

    @property
    def velocity(self) -> np.ndarray:
        return self.table[:, VELOCITY]

    @property
    def bias(self) -> np.ndarray:
        return self.table[:, BIAS]

    @property
    def normal(self) -> np.ndarray:
        return self.table[:, NORMAL]

    @property
    def height(self) -> np.ndarray:
        """(k,) distance to the surface along its normal, negative inside"""
        return self.table[:, HEIGHT]

    @lazy
    def ground(self) -> np.ndarray:
        """The points put down on the surface."""
        return self.position - self.table[:, HEIGHT:] * self.normal

    @lazy
    def center(self) -> np.ndarray:
        """Their middle, put down on the surface, (3,)."""
        return self._mean(self.ground)

    @lazy
    def drift(self) -> np.ndarray:
        """Mean of their velocities, (3,)."""
        return self._mean(self.velocity)

    def _mean(self, values: np.ndarray) -> np.ndarray:
        values = values[self.ends]
        return even(len(values)).dot(values)


class PatchState(PatchPoints):
    """The points of one patch; of a foot the heel's first."""

    def __init__(self, patch: FigurePatch, rotation: np.ndarray, table: np.ndarray, jacobian: np.ndarray,
                 near: np.ndarray, friction: float = 1.0, touch: Touch | None = None, key: bytes | None = None) -> None:
        self.table, self.jacobian, self.near = table, jacobian, near
        self.patch, self.role, self.body, self.rotation = patch, patch.role, patch.body, rotation
        """where the axes of its body point, (3, 3)"""
        self.key = patch.key if key is None else key
        """the points in the body's axes, as bytes: what depends on these places alone is looked up by it"""
        self.friction, self.touch = friction, touch
        """sliding friction on the terrain; and what it touches besides, if anything is near"""
        self.heel, self.toe, self.tip, self.ends = patch.heel, patch.toe, patch.tip, patch.ends
        """slices of a foot's points: heel, toe, front end of the toe, and heel and front end together"""
        self.touches = True in near.tolist()
        """whether it touches a surface anywhere"""
        self.together: list[PatchState] = [self]
        self.whole: tuple[np.ndarray, np.ndarray, np.ndarray] = (table, jacobian, near)
        """all patches that were asked for at once, and their points together"""

    @property
    def all_ends(self) -> np.ndarray:
        """Which points `ends` are, (k,)."""
        every = np.zeros(len(self.table), dtype=bool)
        every[self.ends] = True
        return every

    def changed(self, table: np.ndarray, jacobian: np.ndarray, key: bytes | None = None) -> PatchState:
        """The same patch with its points elsewhere."""
        return PatchState(self.patch, self.rotation, table, jacobian, table[:, HEIGHT] < NEAR, self.friction,
                          self.touch, self.key if key is None else key)


class FarPatch(PatchState):
    """A patch that touches nothing: places, velocities and Jacobians of its points are computed when asked for."""

    def __init__(self, kinematics: Kinematics, surfaces: Surfaces, patch: FigurePatch) -> None:
        self.patch, self.role, self.body, self.key = patch, patch.role, patch.body, patch.key
        self.heel, self.toe = patch.heel, patch.toe
        self.touches, self.near = False, _mask(len(patch.points), False)
        self._asked = kinematics, surfaces

    @lazy
    def _found(self) -> PatchState:
        kinematics, surfaces = self._asked
        return _looked_at(kinematics, surfaces, kinematics.figure.patch_set((self.role,)))[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._found, name)


def patch_states(kinematics: Kinematics, surfaces: Surfaces, patches: PatchSet | None = None) -> list[PatchState]:
    """Some patches of a figure, or its soles. Only soles and what may touch something are looked at closely."""
    figure = kinematics.figure
    patches = figure.sole_set if patches is None else patches
    if patches.feet:
        return _looked_at(kinematics, surfaces, patches)
    places = patches.placed.dot(kinematics.patch_frames(patches).reshape(-1, 3))
    ground, normal = surfaces.surface(places[:, 0], places[:, 1])
    reached = surfaces.reached(figure, patches, places, (places[:, 2] - ground) * normal[:, 2], NEAR)
    close = [patch.role for patch, near in zip(patches.patches, reached, strict=True) if near or patch.is_foot]
    found = iter(_looked_at(kinematics, surfaces, figure.patch_set(tuple(close))) if close else ())
    return [next(found) if near or patch.is_foot else FarPatch(kinematics, surfaces, patch)
            for patch, near in zip(patches.patches, reached, strict=True)]


def _looked_at(kinematics: Kinematics, surfaces: Surfaces, patches: PatchSet) -> list[PatchState]:
    """All about some patches."""
    figure, frames = kinematics.figure, kinematics.patch_frames(patches)
    position, velocity, jacobian, bias = kinematics.patch_points(patches, frames)
    ground, normal = surfaces.surface(position[:, 0], position[:, 1])
    height = (position[:, 2] - ground) * normal[:, 2]
    touch = None
    if not (surfaces.bare and patches.feet):
        touch = surfaces.touch(figure, patches, position, height, normal)
        if touch is not None:
            height, normal = touch.distance, touch.normal
    table, near = np.concatenate([position, velocity, bias, normal, height[:, None]], axis=1), height < NEAR
    states = [PatchState(patch, frames[frame, :3].T, table[own], jacobian[own], near[own], surfaces.friction(patch),
                         None if touch is None else touch.part(own))
              for patch, own, frame in zip(patches.patches, patches.slices, patches.main_frame, strict=True)]
    for state in states:
        state.together, state.whole = states, (table, jacobian, near)
    return states


def part_of(state: PatchState, points: np.ndarray) -> PatchState:
    """A patch of some of its points only, a mask (k,)."""
    if all(points.tolist()):
        return state
    local = np.frombuffer(state.key).reshape(-1, 3)[points]
    touch = None if state.touch is None else state.touch.part(points)
    part = PatchState(state.patch, state.rotation, state.table[points], state.jacobian[points], state.near[points],
                      state.friction, touch, local.tobytes())
    heels = int(points[state.heel].sum())
    part.heel, part.toe = slice(0, heels), slice(heels, len(local))
    tips = int(points[state.tip].sum())
    part.tip = slice(len(local) - tips, len(local))
    part.ends = np.r_[part.heel, part.tip] if state.patch.hinges and heels and tips else slice(None)
    return part


def planted(states: Sequence[PatchState]) -> list[np.ndarray]:
    """Masks that hold every point of every patch that touches a surface anywhere."""
    return [_mask(len(state.near), state.touches) for state in states]


def middle_and_tilt(sole: PatchState, heel: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """A sole's middle, where the heel counts by its share, and toe minus heel: a table (2, WIDTH), rows (2, 3, nv)."""
    count = len(sole.height)
    shares = _shares(sole.heel.stop, sole.tip.start, count, heel)
    return shares.dot(sole.table), shares.dot(sole.jacobian.reshape(count, -1)).reshape(2, 3, -1)


@lru_cache
def _shares(heels: int, tip: int, count: int, share: float) -> np.ndarray:
    """(2, count) weights of the sole points in the middle, and in toe minus heel."""
    heel, toe = (np.arange(count) < heels) / heels, (np.arange(count) >= tip) / (count - tip)
    return np.array([share * heel + (1.0 - share) * toe, toe - heel])


@lru_cache
def even(count: int) -> np.ndarray:
    """Equal shares, (count,)."""
    return np.full(count, 1.0 / count)


@lru_cache
def _mask(count: int, value: bool) -> np.ndarray:
    mask = np.full(count, value)
    mask.flags.writeable = False
    return mask
