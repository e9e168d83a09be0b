"""Trajectory: a solution sampled in time, in plain NumPy: frames, joints, activations, forces."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from gambol.synthesis import spline
from gambol.synthesis.problem import Problem
from gambol.synthesis.puppet import two_links
from gambol.units import GRAVITY

TINY = 1e-4
"""Step of the difference that gives angular velocity and acceleration, s."""


class Trajectory:
    """All frames of a solution at `rate` samples a second (midpoints, or with `ends` from the start to the end)."""

    def __init__(self, problem: Problem, z: np.ndarray, rate: float = 100.0, ends: bool = False) -> None:
        self.problem, self.z = problem, z
        layout = problem.layout
        count = round(rate * spline.PHASE)
        s = np.arange(count) / count if ends else (np.arange(count) + 0.5) / count
        before = np.concatenate([problem.start[None], z[:-1, :layout.knot]])
        phases = np.concatenate([before, z], axis=1)
        rows = np.einsum("suy,ky->ksu", layout.sample_map(s), phases).reshape(-1, layout.zero + 1)
        self.time = (np.arange(layout.phases)[:, None] + s).ravel() * spline.PHASE
        if ends:
            last = layout.sample_map(np.ones(1))[0] @ phases[-1]
            rows, self.time = np.concatenate([rows, last[None]]), np.append(self.time, layout.phases * spline.PHASE)
        self.rows = rows
        frames = np.arange(len(layout.frames))
        x, v, a = (rows[:, layout.at(frames, order)] for order in range(3))
        self.place, self.speed, self.acceleration = x[..., :3], v[..., :3], a[..., :3]
        self._turning = x[..., 3:], v[..., 3:], a[..., 3:]
        self.turn = _matrices(x[..., 3:])
        self.c = rows[:, 3 * layout.features:3 * layout.features + layout.activations]
        self.force = rows[:, 3 * layout.features + layout.activations:-1].reshape(len(rows), -1, 3)
        """per contact point, m/s^2 (times the first character's mass: N)"""

    @cached_property
    def spin(self) -> np.ndarray:
        """Angular velocities, by differences of the rotations themselves."""
        return self._spin_at(0.0)

    @cached_property
    def angular_acceleration(self) -> np.ndarray:
        return (self._spin_at(TINY) - self._spin_at(-TINY)) / (2 * TINY)

    def _spin_at(self, shift: float) -> np.ndarray:
        r, rate, second = self._turning
        ahead, behind = (Rotation.from_rotvec((r + t * rate + t * t / 2 * second).reshape(-1, 3))
                         for t in (shift + TINY, shift - TINY))
        return (ahead * behind.inv()).as_rotvec().reshape(r.shape) / (2 * TINY)

    @cached_property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of all contact points, (t, contacts, 3) each."""
        layout = self.problem.layout
        frames = [layout.frame_of(i) for i in range(len(layout.contacts))]
        local = np.array([self.problem._point(row) for row in layout.contacts])
        arms = np.einsum("tnab,nb->tna", self.turn[:, frames], local)
        return self.place[:, frames] + arms, self.speed[:, frames] + np.cross(self.spin[:, frames], arms)

    def joints(self, actor: int, limb: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Base, middle joint and wrist of a limb over time, (t, 3) each."""
        layout = self.problem.layout
        root, end = layout.roots[actor], layout.limbs[actor][limb]
        return two_links(self.problem.actors[actor].puppet.limbs[limb], self.place[:, root], self.turn[:, root],
                         self.place[:, end], self.turn[:, end])

    def load(self) -> np.ndarray:
        """Force at each activation, all points together, as a share of the lighter body's weight, (t, activations)."""
        layout = self.problem.layout
        total = np.zeros((len(self.time), layout.activations, 3))
        for i, row in enumerate(layout.contacts):
            total[:, row[3]] += self.force[:, i] / (GRAVITY * self.problem._contact(row)["unit"])
        return np.linalg.norm(total, axis=-1)


def _matrices(vectors: np.ndarray) -> np.ndarray:
    return Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(*vectors.shape, 3)
