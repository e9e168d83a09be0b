"""Balance: feet planted, centre of mass above them, everything else calm (Tables 4.1 and 4.2 of the source).

| priority | objective | reference |
|---|---|---|
| 1 | contact: every sole point near the ground | its own place on the ground |
| 2 | com | over the middle of the sole points, at the commanded height |
| 3 | angular momentum | zero |
| 3 | pose | the rest pose; the legs give way first, so that a lower height is a squat |
| 3 | foot down | a foot that has lost the ground goes back to it |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.behaviors.behavior import Behavior, register
from gambol.control.contacts import SoleState, SupportPoints, planted, sole_states, support_points
from gambol.control.objectives import Objective, momentum, setpoint
from gambol.control.problem import WholeBodyProblem
from gambol.control.reference import SmoothReference
from gambol.control.solvers import PrioritizedSolver, Solver, WeightedSolver
from gambol.features import AngularMomentum, CenterOfMass, Kinematics, Pose
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.world.figure import Figure

CONTACT_KP = 400.0
FOOT_KP = 200.0
LEG_WEIGHT = 0.05
"""Weight of the legs' rest pose beside the rest of the body's: bending there costs least."""
FRICTION = 0.7
"""Friction the controller counts on: less than the true one, so that feet do not slide when it errs."""

SOLVERS: dict[str, type[Solver]] = {"prioritized": PrioritizedSolver, "weighted": WeightedSolver}


@register
class Balance(Behavior):
    """keeps its balance when pushed, on any body with feet; squats and stretches by its height"""

    needs = ("root", "feet")

    @dataclass
    class Params(BaseParams):
        height: float = param(1.0, low=0.6, high=1.08, doc="height of the centre of mass, as a share of standing")
        com_stiffness: float = param(200.0, unit="1/s2", low=20.0, high=600.0, doc="pull of the centre of mass")
        calm: float = param(20.0, unit="1/s", low=0.0, high=60.0, doc="how fast angular momentum is taken out")
        calm_weight: float = param(0.1, low=0.0, high=10.0, doc="angular momentum against pose")
        solver: str = param("prioritized", choices=tuple(SOLVERS), doc="strict priorities, or one weighted problem")

    def start(self) -> None:
        figure = self.figure
        self.kinematics = Kinematics(figure)
        self.com, self.momentum, self.pose = CenterOfMass(), AngularMomentum(), Pose(figure)
        self.pose_kp = pose_gains(figure)
        self.pose_weight = np.ones(figure.nu)
        self.pose_weight[figure.joint_index(figure.anatomy.joints_of("hip", "knee", "ankle"))] = LEG_WEIGHT
        self.solvers = {name: kind() for name, kind in SOLVERS.items()}
        self.reference = SmoothReference(figure.com)
        self.problem: WholeBodyProblem | None = None

    def act(self) -> np.ndarray:
        kinematics = self.kinematics.refresh()
        soles = sole_states(kinematics, self.world.terrain)
        support = support_points(soles, planted(soles), FRICTION)
        objectives = self.objectives(kinematics, support) + [foot_down(sole) for sole in soles if not sole.near.any()]
        self.problem = WholeBodyProblem(kinematics, support, objectives)
        return self.solvers[self.params.solver].torques(self.problem)

    def objectives(self, kinematics: Kinematics, support: SupportPoints) -> list[Objective]:
        """What it wants at this tick."""
        params = self.params
        objectives = [
            momentum(self.momentum, self.momentum.at(kinematics), np.zeros(3), 3, rate=params.calm,
                     weight=params.calm_weight),
            setpoint(self.pose, self.pose.at(kinematics), self.figure.rest, 3, kp=self.pose_kp,
                     weight=self.pose_weight)]
        if support.count:
            reference = self._move_reference(support)
            objectives += [hold_contacts(support),
                           setpoint(self.com, self.com.at(kinematics), reference.value, 2, kp=params.com_stiffness,
                                    velocity=reference.velocity, acceleration=reference.acceleration)]
        return objectives

    def _move_reference(self, support: SupportPoints) -> SmoothReference:
        """Let the reference of the COM glide over the middle of the feet, to the commanded height."""
        goal = support.position - support.height[:, None] * support.normal
        height = np.array([0.0, 0.0, self.params.height * self.figure.standing_height])
        self.reference.toward(goal.mean(axis=0) + height, self.world.tick_length)
        return self.reference

    def report(self) -> list[tuple[str, ...]]:
        return [] if self.problem is None else self.problem.table()


def hold_contacts(support: SupportPoints) -> Objective:
    """Keep sole points on the ground: a spring along the normal, pure damping along the surface."""
    kv = 2.0 * np.sqrt(CONTACT_KP)
    desired = -CONTACT_KP * support.height[:, None] * support.normal - kv * support.velocity
    rows = support.jacobian.reshape(3 * support.count, -1)
    return Objective("contact", 1, rows, (desired - support.bias).ravel())


def foot_down(sole: SoleState) -> Objective:
    """Bring a foot that is off the ground back to it, level."""
    kv = 2.0 * np.sqrt(FOOT_KP)
    rows = np.einsum("ki,kiv->kv", sole.normal, sole.jacobian)
    speed, bias = np.sum(sole.normal * sole.velocity, axis=1), np.sum(sole.normal * sole.bias, axis=1)
    return Objective("foot down", 3, rows, -FOOT_KP * sole.height - kv * speed - bias, 100.0)


def pose_gains(figure: Figure) -> np.ndarray:
    """Table 4.2, by role: ankles, shoulders and elbows are softer than the rest. (nu,), 1/s2."""
    gains = np.full(figure.nu, 2000.0)
    for part, gain in (("ankle", 500.0), ("shoulder", 250.0), ("elbow", 50.0), ("wrist", 50.0)):
        gains[figure.joint_index(figure.anatomy.joints_of(part))] = gain
    return gains
