"""The whole-body problem of one tick: find contact forces and accelerations that the body can really produce.

Unknowns `x = [forces along friction rays; accelerations of the actuated joints]`. The accelerations of the joints that
nothing drives (the root) follow from their rows of the dynamics, so these hold exactly and never make a problem
infeasible:

    M_uu qacc_u = G_u' f - M_ua qacc_a - h_u            u: not driven, a: driven
    tau         = M_a qacc + h_a - G_a' f

Bounds: forces push only (f >= 0), accelerations keep joints inside their range (soft), torques within strength. A point
that fulfils the hard ones always exists (no force, no torque).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.control.bounded import NONE
from gambol.control.contacts import SupportPoints
from gambol.control.objectives import Objective
from gambol.features.kinematics import Kinematics

LIMIT_MARGIN = 0.02
"""Joints are kept this far inside their range, rad."""
LIMIT_RATE = 20.0
"""How fast joints may run into their limits, 1/s: braking begins where `speed = rate / 2 * distance`."""
LIMIT_NEAR = 300.0
"""A limit whose bound on the acceleration is looser than this is left out, rad/s2."""


@dataclass(frozen=True)
class Rows:
    """An objective in the unknowns: `A x = b`, rows already multiplied by the root of the weight."""

    name: str
    priority: int
    A: np.ndarray
    b: np.ndarray
    weight: float


class WholeBodyProblem:
    """Objectives and bounds of one tick in the reduced unknowns. Building it and solving it are two calls."""

    def __init__(self, kinematics: Kinematics, support: SupportPoints, objectives: Sequence[Objective],
                 limit_rate: float = LIMIT_RATE) -> None:
        figure = kinematics.figure
        self.figure, self.limit_rate = figure, limit_rate
        driven, free = figure.driven, figure.undriven
        mass, bias = kinematics.mass_matrix, kinematics.bias_force
        force = support.ray_jacobian()
        self.n_force, self.n_joint = len(force), figure.nu
        self.n = self.n_force + self.n_joint
        # qacc = lift @ x + drop, all nv of them
        self.lift = np.zeros((figure.nv, self.n))
        self.drop = np.zeros(figure.nv)
        self.lift[driven, self.n_force + np.arange(figure.nu)] = 1.0
        if len(free):
            inverse = np.linalg.inv(mass[np.ix_(free, free)])
            self.lift[free, :self.n_force] = inverse @ force[:, free].T
            self.lift[free, self.n_force:] = -inverse @ mass[np.ix_(free, driven)]
            self.drop[free] = -inverse @ bias[free]
        # tau = torque @ x + torque_0
        self.torque = mass[driven] @ self.lift
        self.torque[:, :self.n_force] -= force[:, driven].T
        self.torque_0 = mass[driven] @ self.drop + bias[driven]
        self.torque_limit = figure.torque_limit
        self.lower, self.upper, self.soft = self._bounds()
        self.solution: np.ndarray | None = None
        self.rows = [self._reduce(objective) for objective in objectives]

    def _bounds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Bounds on x, and which of them are soft."""
        lower, upper, soft = np.full(self.n, -NONE), np.full(self.n, NONE), np.zeros(self.n, dtype=bool)
        lower[:self.n_force] = 0.0
        low, high = self.figure.joint_limits
        angle, rate = self.figure.angles, self.figure.rates
        kp, kv = self.limit_rate**2, 2.0 * self.limit_rate
        least = kp * (low + LIMIT_MARGIN - angle) - kv * rate
        most = kp * (high - LIMIT_MARGIN - angle) - kv * rate
        near_low, near_high = least > -LIMIT_NEAR, most < LIMIT_NEAR
        lower[self.n_force:][near_low] = least[near_low]
        upper[self.n_force:][near_high] = np.maximum(most, least)[near_high]
        soft[self.n_force:] = near_low | near_high
        return lower, upper, soft

    def _reduce(self, objective: Objective) -> Rows:
        if objective.on_torques:
            A, b = objective.rows @ self.torque, objective.target - objective.rows @ self.torque_0
        else:
            A, b = objective.rows @ self.lift, objective.target - objective.rows @ self.drop
        root = np.sqrt(objective.weight)
        return Rows(objective.name, objective.priority, A * root[:, None] if np.ndim(root) else A * root, b * root,
                    float(np.max(objective.weight)))

    def accelerations(self, x: np.ndarray) -> np.ndarray:
        return self.lift @ x + self.drop

    def torques(self, x: np.ndarray) -> np.ndarray:
        return np.clip(self.torque @ x + self.torque_0, -self.torque_limit, self.torque_limit)

    def residuals(self) -> list[tuple[str, int, float, float]]:
        """Name, priority, weight and remaining error of each objective at the solution, if there is one."""
        x = self.solution
        if x is None:
            return []
        return [(row.name, row.priority, row.weight, float(np.linalg.norm(row.A @ x - row.b))) for row in self.rows]

    def table(self) -> list[tuple[str, ...]]:
        """The same as text, a row an objective, the highest priority first."""
        return [(name, str(priority), f"{weight:g}", f"{residual:.3g}")
                for name, priority, weight, residual in sorted(self.residuals(), key=lambda row: row[1])]
