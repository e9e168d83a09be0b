"""Sole points near the ground: where they are, how they move, and the friction cone they may push in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from gambol.features.kinematics import Kinematics, skew
from gambol.world.terrain import Terrain

NEAR = 0.01
"""A sole point closer to the ground than this is in contact, m."""
RAYS = 4
FORCE_UNIT = 100.0
"""One unit along a friction ray, N: keeps the unknowns of the whole-body problem of one order."""


@dataclass(frozen=True)
class SoleState:
    """The sole points of one foot at one moment. Arrays (k, 3) unless said, the heel's points first."""

    role: str
    position: np.ndarray
    velocity: np.ndarray
    jacobian: np.ndarray
    """(k, 3, nv)"""
    bias: np.ndarray
    height: np.ndarray
    """(k,) distance to the ground along its normal, negative inside"""
    normal: np.ndarray

    @cached_property
    def near(self) -> np.ndarray:
        """(k,) which points touch the ground and can push"""
        return self.height < NEAR

    @cached_property
    def center(self) -> np.ndarray:
        """Middle of the sole, put down on the ground."""
        return (self.position - self.height[:, None] * self.normal).sum(axis=0) / len(self.height)


@dataclass(frozen=True)
class SupportPoints:
    """The k sole points that are to stay where they are, of all feet together. Arrays as in SoleState."""

    position: np.ndarray
    velocity: np.ndarray
    jacobian: np.ndarray
    bias: np.ndarray
    height: np.ndarray
    normal: np.ndarray
    rays: np.ndarray
    """(near points, RAYS, 3) edges of the friction pyramids of those that touch, in units of FORCE_UNIT"""

    @property
    def count(self) -> int:
        return len(self.position)

    @cached_property
    def near(self) -> np.ndarray:
        return self.height < NEAR

    def ray_jacobian(self) -> np.ndarray:
        """(near points * RAYS, nv): generalized force of one unit along each ray."""
        touching = self.jacobian if len(self.rays) == self.count else self.jacobian[self.near]
        return (self.rays @ touching).reshape(-1, self.jacobian.shape[2])


def sole_states(kinematics: Kinematics, terrain: Terrain) -> list[SoleState]:
    """All feet of a figure."""
    soles = kinematics.figure.soles
    parts = [kinematics.frame(sole.body).points(sole.points) for sole in soles]
    places = np.concatenate([part[0] for part in parts])
    ground, normals = terrain.surface(places[:, 0], places[:, 1])
    heights = (places[:, 2] - ground) * normals[:, 2]
    states, begin = [], 0
    for sole, (position, velocity, jacobian, bias) in zip(soles, parts, strict=True):
        own = slice(begin, begin + len(position))
        states.append(SoleState(sole.role, position, velocity, jacobian, bias, heights[own], normals[own]))
        begin = own.stop
    return states


FIELDS = ("position", "velocity", "jacobian", "bias", "height", "normal")


def support_points(soles: Sequence[SoleState], held: Sequence[np.ndarray], friction: float) -> SupportPoints:
    """The points of some feet that are to be held: a mask (k,) for each foot."""
    whole = [bool(mask.all()) for mask in held]
    chosen = [np.concatenate([getattr(sole, name) if all_of_it else getattr(sole, name)[mask]
                              for sole, mask, all_of_it in zip(soles, held, whole, strict=True)]) for name in FIELDS]
    normal, near = chosen[5], chosen[4] < NEAR
    touching = normal if near.all() else normal[near]
    return SupportPoints(*chosen, rays=_cached_rays(touching.tobytes(), friction))


def planted(soles: Sequence[SoleState]) -> list[np.ndarray]:
    """Masks that hold every point of every foot that touches the ground anywhere."""
    return [np.full(len(sole.height), sole.near.any()) for sole in soles]


@lru_cache(maxsize=256)
def _cached_rays(normals: bytes, friction: float) -> np.ndarray:
    """Normals of the ground are the same from tick to tick, mostly: no need to compute their pyramids again."""
    rays = friction_rays(np.frombuffer(normals).reshape(-1, 3), friction)
    rays.flags.writeable = False
    return rays


def friction_rays(normal: np.ndarray, friction: float) -> np.ndarray:
    """Edges of friction pyramids inside the cones around the normals (k, 3): (k, RAYS, 3), length FORCE_UNIT."""
    reference = np.where(np.abs(normal[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = reference - normal * np.sum(reference * normal, axis=1, keepdims=True)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = (skew(normal) @ first[..., None])[..., 0]
    angle = np.pi / 4 + np.arange(RAYS) * 2 * np.pi / RAYS
    rays = (normal[:, None] + friction * (np.cos(angle)[:, None] * first[:, None]
                                          + np.sin(angle)[:, None] * second[:, None]))
    return rays * FORCE_UNIT / np.sqrt(1.0 + friction**2)
