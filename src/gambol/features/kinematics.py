"""What all features of one figure share in one control tick: mass matrix, frames, centroidal quantities.

Everything is for the figure's own degrees of freedom (nv columns) and is computed at most once a tick, on demand.
Velocities follow MuJoCo: a free joint has linear velocity in world axes and angular velocity in body axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from gambol.world.figure import Figure


def skew(vectors: np.ndarray) -> np.ndarray:
    """Cross-product matrices of vectors (..., 3): `skew(a) @ b == a x b`."""
    matrix = np.zeros((*vectors.shape, 3))
    matrix[..., 0, 1], matrix[..., 0, 2] = -vectors[..., 2], vectors[..., 1]
    matrix[..., 1, 0], matrix[..., 1, 2] = vectors[..., 2], -vectors[..., 0]
    matrix[..., 2, 0], matrix[..., 2, 1] = -vectors[..., 1], vectors[..., 0]
    return matrix


@dataclass(frozen=True)
class Frame:
    """Motion of a body's origin. The first half of every stack is linear, the second angular; world axes."""

    position: np.ndarray
    """(3,)"""
    rotation: np.ndarray
    """(3, 3)"""
    jacobians: np.ndarray
    """(6, nv)"""
    twist: np.ndarray
    """velocities, (6,)"""
    biases: np.ndarray
    """accelerations at zero joint acceleration, (6,)"""

    @property
    def jacobian(self) -> np.ndarray:
        return self.jacobians[:3]

    @property
    def velocity(self) -> np.ndarray:
        return self.twist[:3]

    @property
    def bias(self) -> np.ndarray:
        return self.biases[:3]

    @property
    def spin_jacobian(self) -> np.ndarray:
        return self.jacobians[3:]

    @property
    def spin(self) -> np.ndarray:
        return self.twist[3:]

    @property
    def spin_bias(self) -> np.ndarray:
        return self.biases[3:]

    def points(self, local: np.ndarray) -> PointStates:
        """Points fixed in the body, given in its axes (k, 3)."""
        arms = local @ self.rotation.T
        return point_states(self.position, arms, self.jacobians, np.array([self.twist, self.biases]))


PointStates = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Position, velocity (k, 3), Jacobian (k, 3, nv) and bias acceleration (k, 3)"""
IDENTITY = np.eye(3)
MINUS_SKEW = -skew(IDENTITY).reshape(3, 9)
"""`(arm @ MINUS_SKEW).reshape(3, 3)` is `-skew(arm)`"""


def point_states(position: np.ndarray, arms: np.ndarray, jacobians: np.ndarray, motion: np.ndarray) -> PointStates:
    """Points at world-frame `arms` (k, 3) from origins whose frames are given, one for all or one for each (k, ...).

    `motion` (2, 6): twist and biases of the origin.
    """
    carry = np.empty((len(arms), 3, 6))  # twist of the origin to velocity of a point: v + w x arm
    carry[:, :, :3] = IDENTITY
    carry[:, :, 3:] = (arms @ MINUS_SKEW).reshape(-1, 3, 3)
    moved = carry @ motion.swapaxes(-1, -2)
    spin = motion[..., 0, 3:]
    along, square = (arms * spin).sum(axis=-1), (spin * spin).sum(axis=-1)
    centripetal = along[:, None] * spin - square[..., None] * arms  # w x (w x arm)
    return position + arms, moved[..., 0], carry @ jacobians, moved[..., 1] + centripetal


class Kinematics:
    """One figure at one moment. Make a new one, or call `refresh`, every tick."""

    def __init__(self, figure: Figure) -> None:
        self.figure, self.model, self.data = figure, figure.model, figure.data
        model = self.model
        self._full = np.zeros((model.nv, model.nv))
        self._room: dict[int, tuple[np.ndarray, list[tuple[np.ndarray, ...]]]] = {}
        self._frames: dict[int, Frame] = {}

    def refresh(self) -> Kinematics:
        """Forget everything computed for the last tick."""
        self._frames.clear()
        for name in ("mass_matrix", "bias_force", "rate", "com", "com_jacobian", "com_velocity", "com_bias",
                     "momentum_matrix", "momentum_bias", "_about_com"):
            self.__dict__.pop(name, None)
        return self

    @cached_property
    def mass_matrix(self) -> np.ndarray:
        """(nv, nv)"""
        mujoco.mj_fullM(self.model, self.data, self._full)
        own = self.figure.dofs
        return self._full[own, own]

    @cached_property
    def bias_force(self) -> np.ndarray:
        """Coriolis, centrifugal, gravity less passive forces, (nv,): `M qacc + bias = tau + J' f`."""
        own = self.figure.dofs
        return self.data.qfrc_bias[own] - self.data.qfrc_passive[own]

    @cached_property
    def rate(self) -> np.ndarray:
        """Velocity, (nv,)."""
        return self.data.qvel[self.figure.dofs].copy()

    def frame(self, body: int) -> Frame:
        """Motion of a body's origin."""
        frame = self._frames.get(body)
        if frame is None:
            jacobians, motion = self._move((body,))
            frame = self._frames[body] = Frame(self.data.xpos[body].copy(), self.data.xmat[body].reshape(3, 3).copy(),
                                               jacobians[0], *motion[0])
        return frame

    def _move(self, bodies: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians (b, 6, nv), twists and biases (b, 2, 6) of the origins of some bodies."""
        model, data, places = self.model, self.data, self.data.xpos
        stack, views = self._buffers(len(bodies))
        for body, (linear, angular, linear_dot, angular_dot) in zip(bodies, views, strict=True):
            mujoco.mj_jac(model, data, linear, angular, places[body], body)
            mujoco.mj_jacDot(model, data, linear_dot, angular_dot, places[body], body)
        stack = stack[..., self.figure.dofs]
        return stack[:, 0].copy(), stack @ self.rate

    def _buffers(self, count: int) -> tuple[np.ndarray, list[tuple[np.ndarray, ...]]]:
        """Room for the Jacobians of some bodies, (count, 2, 6, nv), and its parts, each three rows."""
        if count not in self._room:
            stack = np.zeros((count, 2, 6, self.model.nv))
            self._room[count] = stack, [tuple(one.reshape(4, 3, -1)) for one in stack]
        return self._room[count]

    def sole_points(self) -> PointStates:
        """All sole points, the feet in their order."""
        figure, data = self.figure, self.data
        bodies, own = figure.sole_bodies, figure.sole_of_point
        jacobians, motion = self._move(bodies)
        arms = (data.xmat[bodies].reshape(-1, 3, 3)[own] @ figure.sole_local[:, :, None])[:, :, 0]
        return point_states(data.xpos[bodies][own], arms, jacobians[own], motion[own])

    # -- centroidal quantities: the six root rows of the dynamics hold them, where there is a free root ------------

    @cached_property
    def com(self) -> np.ndarray:
        return self.figure.com

    @cached_property
    def com_jacobian(self) -> np.ndarray:
        """(3, nv)"""
        if self.figure.floating:
            return self.mass_matrix[:3] / self.figure.mass
        jac = np.zeros((3, self.model.nv))
        mujoco.mj_jacSubtreeCom(self.model, self.data, jac, self.figure.top)
        return jac[:, self.figure.dofs]

    @cached_property
    def com_velocity(self) -> np.ndarray:
        return self.com_jacobian @ self.rate

    @cached_property
    def com_bias(self) -> np.ndarray:
        """Acceleration of the COM at zero joint acceleration, (3,)."""
        if self.figure.floating:
            start = self.figure.dofs.start
            return self.data.qfrc_bias[start:start + 3] / self.figure.mass + self.model.opt.gravity
        masses = self.model.body_mass[self.figure.bodies]
        return masses @ self._com_biases()[0] / masses.sum()

    @cached_property
    def momentum_matrix(self) -> np.ndarray:
        """Angular momentum about the COM is this times the velocity, (3, nv)."""
        if self.figure.floating:
            return self._about_com @ self.mass_matrix[:6]
        matrix = np.zeros((3, self.model.nv))
        mujoco.mj_angmomMat(self.model, self.data, matrix, self.figure.top)
        return matrix[:, self.figure.dofs]

    @cached_property
    def momentum_bias(self) -> np.ndarray:
        """Rate of change of the angular momentum at zero joint acceleration, (3,)."""
        if self.figure.floating:
            start = self.figure.dofs.start
            return self._about_com @ self.data.qfrc_bias[start:start + 6]
        model, data, bodies = self.model, self.data, self.figure.bodies
        linear, angular, spin = self._com_biases()
        turn = data.ximat[bodies].reshape(-1, 3, 3)
        inertia = (turn * model.body_inertia[bodies][:, None, :]) @ turn.swapaxes(1, 2)
        arms = data.xipos[bodies] - self.com
        return (_times(inertia, angular) + np.cross(spin, _times(inertia, spin))
                + model.body_mass[bodies, None] * np.cross(arms, linear)).sum(axis=0)

    @cached_property
    def _about_com(self) -> np.ndarray:
        """The root's six momenta to angular momentum about the COM: `[-skew(com - root), R]`, (3, 6)."""
        top, matrix = self.figure.top, np.empty((3, 6))
        matrix[:, :3] = ((self.com - self.data.xpos[top]) @ MINUS_SKEW).reshape(3, 3)
        matrix[:, 3:] = self.data.xmat[top].reshape(3, 3)
        return matrix

    def _com_biases(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of every body: bias accelerations of its own COM, linear and angular, and its spin, (nbody, 3) each."""
        bodies = self.figure.bodies
        jacobians, motion = self._move(bodies)
        arms = self.data.xipos[bodies] - self.data.xpos[bodies]
        return point_states(self.data.xpos[bodies], arms, jacobians, motion)[3], motion[:, 1, 3:], motion[:, 0, 3:]


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Each matrix (k, 3, 3) times its vector (k, 3)."""
    return (matrices @ vectors[:, :, None])[:, :, 0]
