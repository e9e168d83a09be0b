"""The pose: angles of the actuated joints."""

from __future__ import annotations

import numpy as np

from gambol.features.feature import Feature, FeatureState
from gambol.features.kinematics import Kinematics
from gambol.world.figure import Figure


class Pose(Feature):
    """Angles of the actuated joints, all or some (positions in the order of the motors). The root is left out."""

    name = "pose"

    def __init__(self, figure: Figure, joints: np.ndarray | None = None) -> None:
        self.joints = joints = np.arange(figure.nu) if joints is None else joints
        self.qpos = figure.joint_qpos[joints]
        self.columns = figure.joint_dofs[joints] - figure.dofs.start
        self._jacobian = np.zeros((len(joints), figure.nv))
        self._jacobian[np.arange(len(joints)), self.columns] = 1.0
        self._bias = np.zeros(len(joints))

    def at(self, kinematics: Kinematics) -> FeatureState:
        return FeatureState(kinematics.data.qpos[self.qpos], kinematics.rate[self.columns], self._jacobian, self._bias,
                            self.joints)
