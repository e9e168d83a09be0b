"""What behaviors share that move the whole body by features, objectives and a back end.

    @register
    class Lean(WholeBodyBehavior):
        \"\"\"leans to one side\"\"\"

        def act(self) -> np.ndarray:
            kinematics = self.sense()
            soles = patch_states(kinematics, self.world.surfaces)
            support = support_points(soles, planted(soles))
            return self.back_end.torques(kinematics, support, [hold_contacts(support), ...])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from gambol.behaviors.behavior import Behavior
from gambol.control.backends.back_end import BackEnd
from gambol.control.backends.whole_body import WholeBodyQP
from gambol.control.problem import WholeBodyProblem
from gambol.control.solvers import SOLVERS, Solver
from gambol.features import AngularMomentum, CenterOfMass, Kinematics, Pose
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.units import ADULT_HEIGHT
from gambol.world.figure import Figure

QUICKEST = 0.9
"""Natural rate of a critically damped spring, times the tick, up to which it comes to rest. Held for a tick T, the
acceleration `-w^2 x - 2 w v` turns the velocity about by `1 - 2 w T`: from w T = 1 on that grows from tick to tick, and
a pose that is held so shakes the body until it falls."""


class WholeBodyBehavior(Behavior):
    """Holds the kinematics of the figure, its size, the features of the whole body, and a back end.

    `start` sets these up: call it first in a `start` of your own. `resized` is called when the body has grown.
    """

    @dataclass
    class Params(BaseParams):
        solver: str = param("prioritized", choices=tuple(SOLVERS), doc="strict priorities, or one weighted problem")

    def start(self) -> None:
        figure = self.figure
        self.kinematics = Kinematics(figure)
        self.com, self.momentum, self.pose = CenterOfMass(), AngularMomentum(), Pose(figure)
        self.back_end = self.make_back_end()
        self._take_size()

    def make_back_end(self) -> BackEnd[Any]:
        """What turns wishes into torques; another one takes other wishes."""
        return WholeBodyQP(self.params if hasattr(self.params, "solver") else WholeBodyBehavior.Params())

    def sense(self) -> Kinematics:
        """The kinematics of this tick: the first call of an `act`."""
        if self.figure.revision != self._revision:
            self._take_size()
            self.resized()
        return self.kinematics.refresh()

    def _take_size(self) -> None:
        self._revision = self.figure.revision
        self.size = self.figure.standing_height / ADULT_HEIGHT
        """of the body against an adult's"""

    def resized(self) -> None:
        """The body has grown: measure anew what depends on its lengths. `size` is new already."""

    # -- the tick, for whoever looks on ----------------------------------------------------------------------------

    @property
    def solvers(self) -> dict[str, Solver]:
        """By name; each counts what it could not do."""
        return self.back_end.solvers if isinstance(self.back_end, WholeBodyQP) else {}

    @property
    def problem(self) -> WholeBodyProblem | None:
        """The whole-body problem of the last tick, if there was one."""
        return self.back_end.problem if isinstance(self.back_end, WholeBodyQP) else None

    @problem.setter
    def problem(self, problem: WholeBodyProblem | None) -> None:
        if not isinstance(self.back_end, WholeBodyQP):
            raise TypeError(f"{type(self.back_end).__name__} solves no whole-body problem")
        self.back_end.problem = problem

    def report(self) -> list[tuple[str, ...]]:
        return self.back_end.report()


def within_tick(kp: np.ndarray, tick: float) -> np.ndarray:
    """Stiffness of springs, 1/s2, no higher than can be held for a control tick, s."""
    return np.minimum(kp, (QUICKEST / tick) ** 2)


def zero_pose_up(figure: Figure, body: int) -> np.ndarray:
    """The vertical in a body's own axes when all joints are at zero, (3,)."""
    data = mujoco.MjData(figure.model)
    mujoco.mj_kinematics(figure.model, data)
    return data.xmat[body].reshape(3, 3)[2].copy()
