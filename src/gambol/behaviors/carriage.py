"""How a biped carries itself, in words that walk and locomote share: parts upright, little angular momentum, the rest
pose with arms against the legs; and the foot in the air.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gambol.behaviors.whole_body import within_tick
from gambol.control.contact.patches import BIAS
from gambol.control.objectives import STILL, Gain, Objective, minimum_torque, momentum, setpoint
from gambol.features import AngularMomentum, Kinematics, Orientation, Pose
from gambol.gains import Gains
from gambol.params import param
from gambol.world.figure import Figure

UPRIGHT = ("root", "trunk", "head")
NO_TURN = np.zeros(3)
"""Angular momentum that it keeps to."""


@dataclass(frozen=True)
class CarriageGains(Gains):
    """How a biped carries itself."""

    upright_kp: float = param(200.0, unit="1/s2", low=20.0, high=1000.0, doc="stiffness of hips and chest held upright")
    upright_weight: float = param(10.0, low=0.1, high=200.0, doc="how much that counts")
    head_kp: float = param(300.0, unit="1/s2", low=20.0, high=1000.0, doc="stiffness of the head held upright")
    head_weight: float = param(1.0, low=0.01, high=50.0, doc="how much that counts")
    calm_rate: float = param(20.0, unit="1/s", low=1.0, high=100.0, doc="how fast angular momentum is taken out")
    arm_torque: float = param(1e-3, low=0.0, high=0.1, doc="how much torque of the arms is spared")
    level_kp: float = param(400.0, unit="1/s2", low=20.0, high=2000.0, doc="stiffness of a foot in the air held level")
    level_weight: float = param(10.0, low=0.1, high=200.0, doc="how much that counts")


class Carriage:
    """Objectives of what neither carries nor swings a foot; measured on the figure as it is."""

    def __init__(self, figure: Figure, resting: Mapping[str, np.ndarray], pose_kp: np.ndarray,
                 pose_weight: np.ndarray, gains: CarriageGains, tick: float) -> None:
        self.figure, self.gains = figure, gains
        self.momentum, self.pose = AngularMomentum(), Pose(figure)
        self.upright = {role: Orientation(figure, role) for role in resting}
        self.rest_turn = dict(resting)
        """how each part is turned at rest, when the figure faces ahead"""
        self.pull = {role: (gains.head_kp, gains.head_weight) if role == "head" else
                     (gains.upright_kp, gains.upright_weight) for role in resting}
        self.pose_kp, self.pose_weight = within_tick(pose_kp, tick), pose_weight
        self.pose_kv = 2.0 * np.sqrt(self.pose_kp)
        self.arms = figure.joint_index(figure.anatomy.arm_joints)

    def facing(self, kinematics: Kinematics, turns: Mapping[str, np.ndarray], velocity: Gain = STILL,
               acceleration: Gain = STILL) -> list[Objective]:
        """Hips, chest and head turned from how they are at rest, and turning."""
        objectives = []
        for role, feature in self.upright.items():
            kp, weight = self.pull[role]
            objectives.append(setpoint(feature, feature.at(kinematics), turns[role].dot(self.rest_turn[role]), 3, kp=kp,
                                       weight=weight, velocity=velocity, acceleration=acceleration))
        return objectives

    def calm(self, kinematics: Kinematics, calm: np.ndarray, pose: np.ndarray, rate: np.ndarray,
             weight: np.ndarray) -> list[Objective]:
        """Little angular momentum, as much as it counts about each axis; a pose that changes at a rate; spared arms."""
        gains = self.gains
        objectives = [momentum(self.momentum, self.momentum.at(kinematics), NO_TURN, 3, rate=gains.calm_rate,
                               weight=calm),
                      setpoint(self.pose, self.pose.at(kinematics), pose, 3, kp=self.pose_kp, kv=self.pose_kv,
                               weight=weight, velocity=rate)]
        if len(self.arms):
            objectives.append(minimum_torque(self.arms, self.figure.nu, 3, weight=gains.arm_torque))
        return objectives

    def level(self, kinematics: Kinematics, foot: Orientation, turn: np.ndarray, ahead: np.ndarray) -> Objective:
        """No roll about the way (2,) and the right yaw, of a foot in the air."""
        gains = self.gains
        level = setpoint(foot, foot.at(kinematics), turn, 3, kp=gains.level_kp)
        about = np.array([[ahead[0], ahead[1], 0.0], [0.0, 0.0, 1.0]])
        return Objective("swing foot level", 3, about.dot(level.rows), about.dot(level.target), gains.level_weight)


def rest_turns(figure: Figure, xmat: np.ndarray) -> dict[str, np.ndarray]:
    """How those parts are turned that are held upright, of the axes (bodies, 9) of a figure at rest."""
    return {role: xmat[figure.body_id(role)].reshape(3, 3).copy() for role in UPRIGHT if figure.has(role)}


def swing_ends(middle: np.ndarray, rows: np.ndarray, going: np.ndarray, weight: Gain, tilt: np.ndarray,
               tilt_rows: np.ndarray, tipping: np.ndarray, pitch: float) -> list[Objective]:
    """The middle of a foot in the air accelerates as it should, and so does the height of its toe over its heel.

    Accelerations in m/s2 stand against angular ones of the pose: on a small body they are small, so weights are over
    the square of its size.
    """
    return [Objective("swing", 3, rows, going - middle[BIAS], weight),
            Objective("swing pitch", 3, tilt_rows[2:], np.array([tipping - tilt[8]]), pitch)]
