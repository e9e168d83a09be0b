"""Sole points near the ground: where they are, how they move, and the friction cone they may push in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.features.kinematics import Kinematics, skew
from gambol.world.terrain import Terrain

NEAR = 0.01
"""A sole point closer to the ground than this is in contact, m."""
RAYS = 4
FORCE_UNIT = 100.0
"""One unit along a friction ray, N: keeps the unknowns of the whole-body problem of one order."""


@dataclass(frozen=True)
class SupportPoints:
    """The k sole points of all feet that touch the ground somewhere. Arrays (k, 3) unless said."""

    position: np.ndarray
    velocity: np.ndarray
    jacobian: np.ndarray
    """(k, 3, nv)"""
    bias: np.ndarray
    height: np.ndarray
    """(k,) distance to the ground along its normal, negative inside"""
    normal: np.ndarray
    near: np.ndarray
    """(k,) whether the point itself touches and can push"""
    rays: np.ndarray
    """(near points, RAYS, 3) edges of their friction pyramids, in units of FORCE_UNIT"""

    @property
    def count(self) -> int:
        return len(self.position)

    def ray_jacobian(self) -> np.ndarray:
        """(near points * RAYS, nv): generalized force of one unit along each ray."""
        return (self.rays @ self.jacobian[self.near]).reshape(-1, self.jacobian.shape[2])


def support_points(kinematics: Kinematics, terrain: Terrain, friction: float) -> SupportPoints:
    """The sole points of every foot that touches the ground with at least one of them."""
    soles = kinematics.figure.soles
    parts = [kinematics.frame(sole.body).points(sole.points) for sole in soles]
    position, velocity, jacobian, bias = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    ground = terrain.height(position[:, 0], position[:, 1])
    normal = terrain.normal(position[:, 0], position[:, 1])
    height = (position[:, 2] - ground) * normal[:, 2]
    near = height < NEAR
    touching = (part.any() for part in np.split(near, np.cumsum([len(sole.points) for sole in soles])[:-1]))
    planted = np.repeat(list(touching), [len(sole.points) for sole in soles])
    return SupportPoints(position[planted], velocity[planted], jacobian[planted], bias[planted], height[planted],
                         normal[planted], near[planted], friction_rays(normal[near], friction))


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
