"""The whole-body problem of one tick: find contact forces and accelerations that the body can really produce.

Unknowns `x = [forces along friction rays; accelerations of the actuated joints]`. The accelerations of the joints that
nothing drives (the root) follow from their rows of the dynamics, so these hold exactly and never make a problem
infeasible:

    M_uu qacc_u = G_u' f - M_ua qacc_a - h_u            u: not driven, a: driven
    tau         = M_a qacc + h_a - G_a' f

A loose prop that the figure bears on belongs to the system: its six accelerations are not driven either, its contacts
with the floor are forces along friction rays, and the contact between the two acts on both.

Bounds: forces push only (f >= 0), accelerations keep joints inside their range (soft), torques within strength. A point
that fulfils the hard ones always exists (no force, no torque).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

import numpy as np
from scipy.linalg import lapack

from gambol.control.contact.loose import LooseProps
from gambol.control.contact.support import SupportPoints
from gambol.control.objectives import Gain, Objective
from gambol.control.qp.bounded import NONE
from gambol.control.qp.priorities import Level
from gambol.kinematics.kinematics import Kinematics
from gambol.lazy import lazy

LIMIT_MARGIN = 0.02
"""Joints are kept this far inside their range, rad."""
LIMIT_RATE = 20.0
"""How fast joints may run into their limits, 1/s: braking begins where `speed = rate / 2 * distance`."""
LIMIT_NEAR = 300.0
"""A limit whose bound on the acceleration is looser than this is left out, rad/s2."""
PRIORITY = attrgetter("priority")
INWARD = np.array([[-1.0], [1.0]])
"""A lowest acceleration times this, and a highest: how far they are from holding a joint that rests."""


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


@dataclass(slots=True)
class Stack:
    """All levels, the highest first: `sum_i weight_i (A_i x - b_i)^2` of each level's rows.

    To the last level belongs `sum_j own_weight_j x_j^2 - 2 pull_j x_j` as well.
    """

    priorities: list[int]
    ends: list[int]
    """where the rows of each level end"""
    A: np.ndarray
    b: np.ndarray
    weight: np.ndarray
    """(rows,)"""
    own_weight: np.ndarray
    pull: np.ndarray
    """(n,) weight times centre"""


class WholeBodyProblem:
    """Objectives and bounds of one tick in the reduced unknowns. Building it and solving it are two calls."""

    def __init__(self, kinematics: Kinematics, support: SupportPoints, objectives: Sequence[Objective],
                 limit_rate: float = LIMIT_RATE) -> None:
        self.figure = kinematics.figure
        self._mass, self._bias = kinematics.mass_matrix, kinematics.bias_force
        self._free = self.figure.undriven_span
        """degrees of freedom that nothing drives: the root's, passive joints', and those of loose props"""
        self._wider = 0
        """columns for loose props behind the figure's own"""
        if self.figure.loads:
            self._bias = self._bias - carried_loads(kinematics, support)
        if support.loose is not None:
            self._join(support.loose)
        self._force = support.ray_jacobian()
        self.n_force, self.n_joint = len(self._force), self.figure.nu
        self.n = self.n_force + self.n_joint
        self._eliminate()
        self._bound(limit_rate, kinematics.angles, kinematics.rate[self.figure.driven_span])
        self.solution: np.ndarray | None = None
        self._asked: tuple[np.ndarray | None, np.ndarray] = None, self._bias
        self._reduce(sorted(objectives, key=PRIORITY))

    def _join(self, props: LooseProps) -> None:
        """Props that bear on the figure become part of the system: their equations of motion are eliminated, too."""
        own, self._wider = self.figure.nv, len(props.dofs)
        mass = np.zeros((own + self._wider, own + self._wider))
        mass[:own, :own], mass[own:, own:] = self._mass, props.mass
        self._mass, self._bias = mass, np.concatenate([self._bias, props.bias_force])
        self._free = np.concatenate([self.figure.undriven, np.arange(own, own + self._wider)])

    def _eliminate(self) -> None:
        """Accelerations that nothing drives by x: `M_uu qacc_u = known' [x; 1]`."""
        driven, free, contacts = self.figure.driven_span, self._free, self.n_force
        self._driven_mass = by_driven = self._mass[driven]
        coupling = by_driven[:, free]
        self._known = known = np.empty((self.n + 1, coupling.shape[1]))
        known[:contacts] = self._force[:, free]
        np.negative(coupling, out=known[contacts:-1])
        np.negative(self._bias[free], out=known[-1])
        self._root_inverse = _inverse(self._mass[free][:, free])

    def _bound(self, limit_rate: float, angles: np.ndarray, rates: np.ndarray) -> None:
        """Bounds on x and on the torques, and which are soft."""
        fixed, most = _fixed_bounds(*self.figure.limit_keys, self.n_force, limit_rate)
        bounds, joints = fixed.copy(), slice(self.n_force, self.n)
        self._low, self._high = bounds
        self.soft = np.zeros(len(self._low), dtype=bool)
        limits = most - (limit_rate**2 * angles + (2.0 * limit_rate) * rates)
        near = np.less(limits * INWARD, LIMIT_NEAR)
        np.putmask(bounds[:, joints], near, limits)
        np.logical_or(near[0], near[1], out=self.soft[joints])
        np.maximum(self._low[joints], self._high[joints], out=self._high[joints])
        if self.figure.actuation.states:  # what a servo can give depends on where the joint is
            self._low[self.n:], self._high[self.n:] = self.figure.actuation.reach(angles, rates)

    def _reduce(self, objectives: Sequence[Objective]) -> None:
        """The objectives in the unknowns, the highest priority first, as one stack of rows.

        Those of the last level that are about single joints are not written as rows: each is a weight on one unknown.
        Rows on torques are rows on accelerations and forces: `tau = M_a qacc + h_a - G_a' f`.
        """
        self._objectives, last = objectives, objectives[-1].priority if objectives else 0
        self._single: list[Objective] = []
        self._dense: list[Objective] = []
        self._ends: list[int] = []
        self._level_ends: dict[int, int] = {}
        given, wanted, total = [], [], 0
        on_torques: list[tuple[Objective, int]] = []
        for each in objectives:
            if each.joints is not None and each.priority == last:
                self._single.append(each)
                self._level_ends[last] = total
                continue
            self._dense.append(each)
            if each.on_torques:
                on_torques.append((each, total))
            rows = each.rows.dot(self._driven_mass) if each.on_torques else each.rows
            if self._wider and rows.shape[1] == self.figure.nv:  # the objective has no columns for loose props
                rows = np.concatenate([rows, np.zeros((len(rows), self._wider))], axis=1)
            given.append(rows)
            wanted.append(each.target)
            total += len(each.target)
            self._ends.append(total)
            self._level_ends[each.priority] = total
        self._weight = _row_weights(self._dense, total)
        if not total:
            self._A, self._b = np.empty((0, self.n)), np.empty(0)
            return
        rows, driven = np.concatenate(given), self.figure.driven_span
        by_root = rows[:, self._free].dot(self._root_inverse)
        self._A, self._b = by_root.dot(self._known[:-1].T), np.concatenate(wanted)
        self._A[:, self.n_force:] += rows[:, driven]
        self._b -= by_root.dot(self._known[-1])
        for each, begin in on_torques:
            end = begin + len(each.target)
            self._A[begin:end, :self.n_force] -= each.rows.dot(self._force[:, driven].T)
            self._b[begin:end] -= each.rows.dot(self._bias[driven])

    # -- what solvers ask for --------------------------------------------------------------------------------------

    @property
    def freedoms(self) -> int:
        """Degrees of freedom of figure and loose props: more rows on accelerations than these depend on each other."""
        return self.figure.nv + self._wider

    @lazy
    def rows(self) -> list[Rows]:
        """The objectives one by one, for people and for slow references."""
        root = np.sqrt(self._weight)
        A, b = self._A * root[:, None], self._b * root
        part = {id(each): slice(end - len(each.target), end)
                for each, end in zip(self._dense, self._ends, strict=True)}
        found = []
        for each in self._objectives:
            own = part.get(id(each))
            rows, wanted = self._single_rows(each) if own is None else (A[own], b[own])
            found.append(Rows(each.name, each.priority, rows, wanted, each.weight))
        return found

    def _single_rows(self, objective: Objective) -> Level:
        """An objective about single joints, as rows."""
        assert objective.joints is not None
        root = np.sqrt(np.broadcast_to(objective.weight, objective.target.shape))
        A = np.zeros((len(root), self.n))
        A[np.arange(len(root)), np.arange(self.n_force, self.n)[objective.joints]] = root
        return A, objective.target * root

    def levels(self) -> tuple[list[int], list[Level]]:
        """The priorities there are, the highest first, and the rows of each."""
        rows = self.rows
        priorities = sorted({row.priority for row in rows})
        return priorities, [_stack([row for row in rows if row.priority == priority]) for priority in priorities]

    def stack(self, ridge: np.ndarray) -> Stack:
        """All levels as one stack of rows with their weights, and the weights on single unknowns, ridge included."""
        weight, pull = ridge.copy(), np.zeros(self.n)
        joint_weight, joint_pull = weight[self.n_force:], pull[self.n_force:]
        for each in self._single:
            joint_weight[each.joints] += each.weight
            joint_pull[each.joints] += each.weight * each.target
        ends = self._level_ends
        return Stack(list(ends), list(ends.values()), self._A, self._b, self._weight, weight, pull)

    def _torques(self, x: np.ndarray) -> np.ndarray:
        """Torques by x, (n_joint,), kept for whoever asks again."""
        if x is not self._asked[0]:
            rest = self._bias - x[:self.n_force].dot(self._force)
            torques = self._driven_mass.dot(self._every_acceleration(x)) + rest[self.figure.driven_span]
            self._asked = x, torques
        return self._asked[1]

    def quantities(self, x: np.ndarray) -> np.ndarray:
        """All that is bounded: the unknowns, then the torques, (n + n_joint,)."""
        return np.concatenate([x, self._torques(x)])

    @lazy
    def _torque_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows (n_joint, n) and offsets: torques by x."""
        coupling, driven = self._driven_mass[:, self._free], self.figure.driven_span
        rows = coupling.dot(self._root_inverse).dot(self._known.T)
        rows[:, :self.n_force] -= self._force[:, driven].T
        rows[:, self.n_force:-1] += self._driven_mass[:, driven]
        rows[:, -1] += self._bias[driven]
        return rows[:, :-1], rows[:, -1]

    def quantity_rows(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows (k, n) and offsets (k,) of some of them: `rows x + offsets`. `places` counts up."""
        units = int(np.searchsorted(places, self.n))
        rows, offsets = np.zeros((len(places), self.n)), np.zeros(len(places))
        rows[np.arange(units), places[:units]] = 1.0
        if units < len(places):
            torques, (by_x, at_zero) = places[units:] - self.n, self._torque_rows
            rows[units:], offsets[units:] = by_x[torques], at_zero[torques]
        return rows, offsets

    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest value of each of them."""
        return self._low, self._high

    def constraints(self) -> Constraints:
        """All bounds as rows, those that are none left out."""
        lower, upper = self.limits()
        places = np.flatnonzero((lower > -NONE) | (upper < NONE))
        rows, offsets = self.quantity_rows(places)
        return Constraints(rows, lower[places] - offsets, upper[places] - offsets, self.soft[places], places)

    def accelerations(self, x: np.ndarray) -> np.ndarray:
        """Of all degrees of freedom of the figure, (nv,)."""
        return self._every_acceleration(x)[:self.figure.nv]

    def _every_acceleration(self, x: np.ndarray) -> np.ndarray:
        """... and of loose props behind them."""
        acceleration = np.empty(self.figure.nv + self._wider)
        acceleration[self.figure.driven_span] = x[self.n_force:]
        acceleration[self._free] = (x.dot(self._known[:-1]) + self._known[-1]).dot(self._root_inverse)
        return acceleration

    def torques(self, x: np.ndarray) -> np.ndarray:
        return np.minimum(np.maximum(self._torques(x), self._low[self.n:]), self._high[self.n:])

    def contact_force(self, x: np.ndarray) -> np.ndarray:
        """Generalized force of all its contacts, (nv,); of a free root the first three are their sum, N."""
        force: np.ndarray = x[:self.n_force].dot(self._force[:, :self.figure.nv])
        return force

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


def carried_loads(kinematics: Kinematics, support: SupportPoints) -> np.ndarray:
    """Generalized force of what other figures press with, (nv,), but where that is an unknown of the problem.

    It is where a patch is held to the figure that presses: counted twice it would lift who stands on shoulders.
    """
    roots = kinematics.model.body_rootid
    unknown = {(body, source) for state, _ in support.held if state.touch is not None
               for body in state.patch.bodies.tolist()  # toes are bodies, too
               for source in roots[state.touch.body].tolist()}
    loads = [load for load in kinematics.figure.loads if (load.body, load.source) not in unknown]
    total = np.zeros(kinematics.figure.nv)
    if loads:
        bodies, places = np.array([load.body for load in loads]), np.array([load.place for load in loads])
        total += np.einsum("kiv,ki->v", kinematics.points(bodies, places)[2], [load.force for load in loads])
    return total


def _row_weights(objectives: Sequence[Objective], total: int) -> np.ndarray:
    """The weight of each row of some objectives: as a list it is made quicker than as arrays."""
    weights: list[float] = []
    for each in objectives:
        weights += each.weight.tolist() if isinstance(each.weight, np.ndarray) else [each.weight] * len(each.target)
    if len(weights) != total:
        raise ValueError("an objective needs one weight, or one for each of its rows")
    return np.array(weights)


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """Of a small symmetric positive matrix: with it, what is solved for several times a tick is a plain product."""
    return lapack.dposv(matrix, _unit(len(matrix)))[1] if matrix.size else matrix


@lru_cache
def _unit(count: int) -> np.ndarray:
    return np.eye(count)


@lru_cache(maxsize=64)
def _fixed_bounds(strength: bytes, angles: bytes, forces: int, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """What does not change from tick to tick.

    Bounds of forces, accelerations (none yet) and torques, (2, n + n_joint) low and high, and between what joints at
    zero and at rest may be accelerated, (2, n_joint).
    """
    limit, range_ = np.frombuffer(strength), np.frombuffer(angles).reshape(2, -1)
    low = np.concatenate([np.zeros(forces), np.full(len(limit), -NONE), -limit])
    high = np.concatenate([np.full(forces + len(limit), NONE), limit])
    return np.array([low, high]), rate**2 * (range_ - LIMIT_MARGIN * INWARD)


def _stack(rows: Sequence[Rows]) -> Level:
    return np.concatenate([row.A for row in rows]), np.concatenate([row.b for row in rows])
