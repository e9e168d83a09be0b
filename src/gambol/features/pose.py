"""The pose: angles of the actuated joints, and turns of ball joints."""

from __future__ import annotations

import numpy as np

from gambol.features.feature import Feature, FeatureState
from gambol.kinematics.kinematics import Kinematics
from gambol.world.actuated import span
from gambol.world.figure import Figure


class Pose(Feature):
    """Angles of the actuated joints, all or some (positions in the order of the motors). The root is left out.

    A ball joint has three rows: its value is the rotation vector, its velocity the turning rate in the part's own
    frame, which is what `qvel` holds, so the Jacobian is constant and there is no bias. Its error is `log(R' R_r)`.
    """

    name = "pose"

    def __init__(self, figure: Figure, joints: np.ndarray | None = None) -> None:
        self._every = joints is None
        positions = np.arange(figure.nu) if joints is None else joints
        self.joints = span(positions)
        self.drives = figure.drives.some(positions)
        columns = self.drives.dofs - figure.dofs.start
        self.columns, count = span(columns), len(columns)
        self._jacobian = np.zeros((count, figure.nv))
        self._jacobian[np.arange(count), columns] = 1.0
        self._bias = np.zeros(count)

    def at(self, kinematics: Kinematics) -> FeatureState:
        value = kinematics.angles if self._every else self.drives.angles(kinematics.data.qpos)
        return FeatureState(value, kinematics.rate[self.columns], self._jacobian, self._bias, self.joints)

    def error(self, value: np.ndarray, reference: np.ndarray) -> np.ndarray:
        """How far each joint has to turn, a ball about the axes of its part."""
        return self.drives.difference(value, reference)
