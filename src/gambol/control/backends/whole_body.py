"""The whole-body QP: accelerations by priority, with the dynamics, friction, strength and joint limits of the body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gambol.control.backends.back_end import BackEnd
from gambol.control.contact.support import SupportPoints
from gambol.control.objectives import Objective
from gambol.control.problem import LIMIT_RATE, WholeBodyProblem
from gambol.control.solvers import SOLVERS, Solver
from gambol.kinematics.kinematics import Kinematics


class Choice(Protocol):
    """Names a solver; a behavior's Params do, and may change it at any time."""

    solver: str


class WholeBodyQP(BackEnd[Objective]):
    """A `WholeBodyProblem` each tick, solved by one of the solvers."""

    def __init__(self, choice: Choice, limit_rate: float = LIMIT_RATE) -> None:
        self.choice, self.limit_rate = choice, limit_rate
        """`limit_rate`: how fast joints may run into their limits, 1/s"""
        self.solvers: dict[str, Solver] = {name: kind() for name, kind in SOLVERS.items()}
        self.problem: WholeBodyProblem | None = None
        """the one of the last tick, solved"""

    def torques(self, kinematics: Kinematics, support: SupportPoints, wishes: Sequence[Objective]) -> np.ndarray:
        self.problem = WholeBodyProblem(kinematics, support, wishes, self.limit_rate)
        return self.solvers[self.choice.solver].torques(self.problem)

    def report(self) -> list[tuple[str, ...]]:
        return [] if self.problem is None else self.problem.table()
