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
from itertools import accumulate

import numpy as np
from scipy.linalg import lapack

from gambol.control.bounded import NONE
from gambol.control.contacts import SupportPoints
from gambol.control.objectives import Gain, Objective
from gambol.control.priorities import Level
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
    weight: Gain


@dataclass(frozen=True)
class Constraints:
    """`lower <= rows x <= upper`."""

    rows: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    soft: np.ndarray
    """which rows may be violated at a price"""
    places: np.ndarray
    """which of the problem's quantities each row bounds"""


class WholeBodyProblem:
    """Objectives and bounds of one tick in the reduced unknowns. Building it and solving it are two calls."""

    def __init__(self, kinematics: Kinematics, support: SupportPoints, objectives: Sequence[Objective],
                 limit_rate: float = LIMIT_RATE) -> None:
        figure = kinematics.figure
        self.figure, self.limit_rate = figure, limit_rate
        force = support.ray_jacobian()
        self.n_force, self.n_joint = len(force), figure.nu
        self.n = self.n_force + self.n_joint
        self._eliminate(kinematics.mass_matrix, kinematics.bias_force, force)
        self.torque_limit = figure.torque_limit
        self.lower, self.upper, self.soft = self._bounds()
        self.solution: np.ndarray | None = None
        self.rows = self._built = self._reduce(sorted(objectives, key=lambda objective: objective.priority))

    def _eliminate(self, mass: np.ndarray, bias: np.ndarray, force: np.ndarray) -> None:
        """Everything by x: `qacc_u = root x + root_0` and `tau = torque x + torque_0`."""
        driven, free, contacts = self.figure.driven_span, self.figure.undriven_span, self.n_force
        by_driven = mass[driven]
        self.torque = np.empty((self.n_joint, self.n))
        np.negative(force[:, driven].T, out=self.torque[:, :contacts])
        self.torque[:, contacts:] = by_driven[:, driven]
        self.torque_0 = bias[driven]
        coupling = by_driven[:, free]
        known = np.empty((coupling.shape[1], self.n + 1), order="F")
        known[:, :contacts] = force[:, free].T
        np.negative(coupling.T, out=known[:, contacts:-1])
        np.negative(bias[free], out=known[:, -1])
        if len(known):
            known = lapack.dposv(mass[free][:, free], known)[1]
        self.root, self.root_0 = known[:, :-1], known[:, -1]
        self.torque += coupling @ self.root
        self.torque_0 = self.torque_0 + coupling @ self.root_0

    def _bounds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Bounds on x, and which are soft, of these and of the torques'."""
        contacts = self.n_force
        lower, upper, soft = np.zeros(self.n), np.full(self.n, NONE), np.zeros(self.n + self.n_joint, dtype=bool)
        low, high = self.figure.joint_limits
        kp, kv = self.limit_rate**2, 2.0 * self.limit_rate
        drift = kp * self.figure.angles + kv * self.figure.rates
        least, most = kp * (low + LIMIT_MARGIN) - drift, kp * (high - LIMIT_MARGIN) - drift
        near_low, near_high = least > -LIMIT_NEAR, most < LIMIT_NEAR
        lower[contacts:] = np.where(near_low, least, -NONE)
        upper[contacts:][near_high] = np.maximum(most, least)[near_high]
        np.logical_or(near_low, near_high, out=soft[contacts:self.n])
        return lower, upper, soft

    def _reduce(self, objectives: Sequence[Objective]) -> list[Rows]:
        """The objectives in the unknowns, as parts of one stack of rows."""
        ends = list(accumulate(len(objective.target) for objective in objectives))
        total = ends[-1] if ends else 0
        self._A, self._b, root = np.empty((total, self.n)), np.empty(total), np.empty(total)
        rows, begin, first = [], 0, 0
        for index, (objective, end) in enumerate(zip(objectives, ends, strict=True)):
            root[begin:end] = objective.weight
            rows.append(Rows(objective.name, objective.priority, self._A[begin:end], self._b[begin:end],
                             objective.weight))
            begin = end
            if index + 1 == len(objectives) or objectives[index + 1].on_torques != objective.on_torques:
                start = ends[first - 1] if first else 0
                self._reduce_alike(objectives[first:index + 1], self._A[start:end], self._b[start:end])
                first = index + 1
        np.sqrt(root, out=root)
        self._A *= root[:, None]
        self._b *= root
        return rows

    def _reduce_alike(self, objectives: Sequence[Objective], A: np.ndarray, b: np.ndarray) -> None:
        """Write `A x = b` of some objectives, all on accelerations or all on torques."""
        given = objectives[0].rows if len(objectives) == 1 else np.concatenate([each.rows for each in objectives])
        wanted = objectives[0].target if len(objectives) == 1 else np.concatenate([each.target for each in objectives])
        if objectives[0].on_torques:
            np.matmul(given, self.torque, out=A)
            np.subtract(wanted, given @ self.torque_0, out=b)
            return
        by_root = given[:, self.figure.undriven_span]
        np.matmul(by_root, self.root, out=A)
        A[:, self.n_force:] += given[:, self.figure.driven_span]
        np.subtract(wanted, by_root @ self.root_0, out=b)

    # -- what solvers ask for --------------------------------------------------------------------------------------

    def levels(self) -> tuple[list[int], list[Level]]:
        """The priorities there are, the highest first, and the rows of each."""
        priorities = sorted({row.priority for row in self.rows})
        if self.rows is not self._built:  # somebody exchanged them
            return priorities, [_stack([row for row in self.rows if row.priority == priority])
                                for priority in priorities]
        levels, begin = [], 0
        for priority in priorities:
            end = begin + sum(len(row.b) for row in self.rows if row.priority == priority)
            levels.append((self._A[begin:end], self._b[begin:end]))
            begin = end
        return priorities, levels

    def quantities(self, x: np.ndarray) -> np.ndarray:
        """All that is bounded: the unknowns, then the torques, (n + n_joint,)."""
        return np.concatenate([x, self.torque @ x + self.torque_0])

    def quantity_rows(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows (k, n) and offsets (k,) of some of them: `rows x + offsets`. `places` counts up."""
        units = int(np.searchsorted(places, self.n))
        rows, offsets = np.zeros((len(places), self.n)), np.zeros(len(places))
        rows[np.arange(units), places[:units]] = 1.0
        torques = places[units:] - self.n
        rows[units:], offsets[units:] = self.torque[torques], self.torque_0[torques]
        return rows, offsets

    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest value of each of them."""
        return (np.concatenate([self.lower, -self.torque_limit]), np.concatenate([self.upper, self.torque_limit]))

    def constraints(self) -> Constraints:
        """All bounds as rows, those that are none left out."""
        lower, upper = self.limits()
        places = np.flatnonzero((lower > -NONE) | (upper < NONE))
        rows, offsets = self.quantity_rows(places)
        return Constraints(rows, lower[places] - offsets, upper[places] - offsets, self.soft[places], places)

    def accelerations(self, x: np.ndarray) -> np.ndarray:
        """Of all degrees of freedom, (nv,)."""
        acceleration = np.empty(self.figure.nv)
        acceleration[self.figure.driven_span] = x[self.n_force:]
        acceleration[self.figure.undriven_span] = self.root @ x + self.root_0
        return acceleration

    def torques(self, x: np.ndarray) -> np.ndarray:
        limit = self.torque_limit
        return np.minimum(np.maximum(self.torque @ x + self.torque_0, -limit), limit)

    # -- what people ask for ---------------------------------------------------------------------------------------

    def residuals(self) -> list[tuple[str, int, float, float]]:
        """Name, priority, weight and remaining error of each objective at the solution, if there is one."""
        x = self.solution
        if x is None:
            return []
        return [(row.name, row.priority, float(np.max(row.weight)), float(np.linalg.norm(row.A @ x - row.b)))
                for row in self.rows]

    def table(self) -> list[tuple[str, ...]]:
        """The same as text, a row an objective, the highest priority first."""
        return [(name, str(priority), f"{weight:g}", f"{residual:.3g}")
                for name, priority, weight, residual in sorted(self.residuals(), key=lambda row: row[1])]


def _stack(rows: Sequence[Rows]) -> Level:
    return np.concatenate([row.A for row in rows]), np.concatenate([row.b for row in rows])
