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
from gambol.control.dual import Objectives
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
        self._reduce(sorted(objectives, key=lambda objective: objective.priority))

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

    def _reduce(self, objectives: Sequence[Objective]) -> None:
        """The objectives in the unknowns, the highest priority first, as one stack of rows.

        Those of the last level that are about single joints are not written as rows: each is a weight on one unknown.
        """
        self._objectives, last = objectives, objectives[-1].priority if objectives else 0
        self._rows: list[Rows] | None = None
        dense = [each for each in objectives if each.joints is None or each.priority < last]
        self._dense, self._single = dense, [each for each in objectives if each.joints is not None
                                            and each.priority == last]
        self._ends = list(accumulate(len(each.target) for each in dense))
        total = self._ends[-1] if dense else 0
        self._A, self._b, root = np.empty((total, self.n)), np.empty(total), np.empty(total)
        begin = first = start = 0
        for index, (objective, end) in enumerate(zip(dense, self._ends, strict=True)):
            root[begin:end] = objective.weight
            begin = end
            if index + 1 == len(dense) or dense[index + 1].on_torques != objective.on_torques:
                self._reduce_alike(dense[first:index + 1], self._A[start:end], self._b[start:end])
                first, start = index + 1, end
        np.sqrt(root, out=root)
        self._A *= root[:, None]
        self._b *= root

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

    @property
    def rows(self) -> list[Rows]:
        """The objectives one by one. They may be changed in place, or exchanged, before the problem is solved."""
        if self._rows is None:
            stack = {id(each): (self._A[end - len(each.target):end], self._b[end - len(each.target):end])
                     for each, end in zip(self._dense, self._ends, strict=True)}
            self._rows = []
            for each in self._objectives:
                A, b = stack[id(each)] if id(each) in stack else self._single_rows(each)
                self._rows.append(Rows(each.name, each.priority, A, b, each.weight))
        return self._rows

    @rows.setter
    def rows(self, rows: list[Rows]) -> None:
        self._rows = rows

    def _single_rows(self, objective: Objective) -> Level:
        """An objective about single joints, as rows."""
        assert objective.joints is not None
        root = np.sqrt(np.broadcast_to(objective.weight, objective.target.shape))
        A = np.zeros((len(root), self.n))
        A[np.arange(len(root)), self.n_force + objective.joints] = root
        return A, objective.target * root

    def levels(self) -> tuple[list[int], list[Level]]:
        """The priorities there are, the highest first, and the rows of each."""
        rows = self.rows
        priorities = sorted({row.priority for row in rows})
        return priorities, [_stack([row for row in rows if row.priority == priority]) for priority in priorities]

    def split(self) -> tuple[list[int], list[Level], Objectives]:
        """The priorities, the rows of each level but the last, and the last: rows, and weights on single unknowns."""
        weight, pull = np.zeros(self.n), np.zeros(self.n)
        if self._rows is not None:  # somebody may have changed them
            priorities, levels = self.levels()
            return priorities, levels[:-1], Objectives(weight, pull, levels[-1])
        for each in self._single:
            weight[self.n_force:][each.joints] += each.weight
            pull[self.n_force:][each.joints] += each.weight * each.target
        last = self._objectives[-1].priority
        ends = {each.priority: end for each, end in zip(self._dense, self._ends, strict=True)}
        begins = [0, *ends.values()]
        levels = [(self._A[begin:end], self._b[begin:end]) for begin, end in zip(begins, ends.values(), strict=False)]
        if last not in ends:
            return [*ends, last], levels, Objectives(weight, pull, (self._A[:0], self._b[:0]))
        return list(ends), levels[:-1], Objectives(weight, pull, levels[-1])

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
