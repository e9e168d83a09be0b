"""The force QP: forces inside the body that come nearest to those wanted at its frames, without a mass matrix.

A reaction frame (on the trunk) works against each action frame (points of the feet): the pair j has a force f_j that
acts on the foot at the action frame's place p_j, and its opposite on the trunk at the same place. The joints between
make it: `tau = J' f`, with J the Jacobian of the p_j against the trunk. Wanted are forces at all frames:

    sum_j -f_j = F,    sum_j (p_j - p) x -f_j = M,    f_j = F_j       reaction frame, action frames that are free

An action frame that the ground holds (pinned) takes what force it must: its rows are left out. So the problem is

    min |A f - b|_W    with  |f| <= most,  |J' f| <= strength,  f in the column space of J

This module says what the problem is and what a solution must keep to. `ForceQP.solve` is left open.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.control.backends.back_end import BackEnd
from gambol.control.backends.virtual_forces import VirtualForce, part_jacobian
from gambol.control.contact.support import SupportPoints
from gambol.kinematics.kinematics import Kinematics, skew
from gambol.world.figure import Figure

MOST = 2000.0
"""Most force of a pair along each axis, N."""


@dataclass(frozen=True)
class ForceProblem:
    """What a solver is given at a tick, n numbers wanted of it: three a pair."""

    A: np.ndarray
    """(rows, n)"""
    b: np.ndarray
    """(rows,) N and N m"""
    weight: np.ndarray
    """(rows,) of the squared errors"""
    jacobian: np.ndarray
    """(n, nu): `f @ jacobian` are the torques"""
    strength: np.ndarray
    """(nu,) N m"""
    most: float = MOST

    def torques(self, f: np.ndarray) -> np.ndarray:
        """(nu,)"""
        return f @ self.jacobian

    def error(self, f: np.ndarray) -> float:
        """Root of the sum of weighted squares."""
        return float(np.linalg.norm(np.sqrt(self.weight) * (self.A @ f - self.b)))

    def allows(self, f: np.ndarray, tolerance: float = 1e-6) -> bool:
        """Whether the forces are finite, within bounds, and such that the joints can make them."""
        if not np.isfinite(f).all() or (np.abs(f) > self.most * (1.0 + tolerance)).any():
            return False
        if (np.abs(self.torques(f)) > self.strength * (1.0 + tolerance)).any():
            return False
        made = self.basis @ (self.basis.T @ f)
        return bool(np.linalg.norm(made - f) <= tolerance * max(float(np.linalg.norm(f)), 1.0))

    @property
    def basis(self) -> np.ndarray:
        """(n, r) orthonormal: what forces the joints can make."""
        U, size, _ = np.linalg.svd(self.jacobian, full_matrices=False)
        return U[:, size > 1e-6 * size[0]]


class ForceQP(BackEnd[VirtualForce]):
    """Wishes on the reaction body are forces there; all others are action frames, pinned if their body is held."""

    def __init__(self, figure: Figure, reaction: int, reaction_weight: float = 1.0) -> None:
        self.figure, self.reaction, self.reaction_weight = figure, reaction, reaction_weight
        self.problem: ForceProblem | None = None

    def torques(self, kinematics: Kinematics, support: SupportPoints, wishes: Sequence[VirtualForce]) -> np.ndarray:
        wishes = [wish for wish in wishes if np.isfinite(wish.force).all()]  # one that is no number is left out
        self.problem = force_problem(kinematics, support, wishes, self.reaction, self.reaction_weight)
        limit = self.figure.torque_limit
        return np.clip(np.nan_to_num(self.problem.torques(self.solve(self.problem))), -limit, limit)

    @abstractmethod
    def solve(self, problem: ForceProblem) -> np.ndarray:
        """Forces of the pairs, (n,): of those that `problem.allows`, the ones with the least `problem.error`."""


def force_problem(kinematics: Kinematics, support: SupportPoints, wishes: Sequence[VirtualForce], reaction: int,
                  reaction_weight: float = 1.0) -> ForceProblem:
    """The problem of one tick, from forces wanted on the reaction body and at action frames."""
    pulls = [wish for wish in wishes if wish.body == reaction]
    actions = [wish for wish in wishes if wish.body != reaction]
    pinned = {state.body for state, mask in support.held if (state.near & mask).any()}
    center = kinematics.data.xipos[reaction]
    places = np.array([action.place for action in actions]).reshape(-1, 3)
    free = [k for k, action in enumerate(actions) if action.body not in pinned]
    count = 3 * len(actions)
    on_feet = np.eye(count).reshape(-1, 3, count)[free].reshape(-1, count)
    on_trunk = np.concatenate([-np.tile(np.eye(3), len(actions)),
                               -np.concatenate([*skew(places - center), np.zeros((3, 0))], axis=1)])
    wanted = [sum((pull.force for pull in pulls), np.zeros(3)),
              sum((np.cross(pull.place - center, pull.force) for pull in pulls), np.zeros(3)),
              *(actions[k].force for k in free)]
    weight = np.concatenate([np.full(6, reaction_weight), np.ones(3 * len(free))])
    rows = [part_jacobian(kinematics, action.body, action.place) - part_jacobian(kinematics, reaction, action.place)
            for action in actions]
    jacobian = np.concatenate([np.zeros((0, kinematics.figure.nv)), *rows])[:, kinematics.figure.driven]
    return ForceProblem(np.concatenate([on_trunk, on_feet]), np.concatenate(wanted), weight, jacobian,
                        kinematics.figure.torque_limit.copy())
