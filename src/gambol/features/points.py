"""Features of parts: points on them, the soles of the feet, their orientation."""

from __future__ import annotations

import numpy as np

from gambol.features.feature import Feature, FeatureState
from gambol.kinematics.kinematics import Kinematics
from gambol.rotations import rotation_vector
from gambol.world.figure import Figure
from gambol.world.patches import FigurePatch


class Points(Feature):
    """World positions of points fixed in one part, stacked: 3 rows a point."""

    def __init__(self, figure: Figure, role: str, local: np.ndarray) -> None:
        self.name, self.body, self.local = role, figure.body_id(role), np.atleast_2d(local)

    def at(self, kinematics: Kinematics) -> FeatureState:
        position, velocity, jacobian, bias = kinematics.frame(self.body).points(self.local)
        return FeatureState(position.ravel(), velocity.ravel(), jacobian.reshape(position.size, -1), bias.ravel())


class RelativePoints(Points):
    """Points fixed in one part, measured from the COM: where a limb is about the body as a whole."""

    def at(self, kinematics: Kinematics) -> FeatureState:
        k, points = kinematics, super().at(kinematics)
        count = len(self.local)
        return FeatureState(points.value - np.tile(k.com, count),
                            points.velocity - np.tile(k.com_velocity, count),
                            points.jacobian - np.tile(k.com_jacobian, (count, 1)),
                            points.bias - np.tile(k.com_bias, count))


class SolePoints(Points):
    """The points a foot stands on."""

    def __init__(self, figure: Figure, sole: FigurePatch) -> None:
        super().__init__(figure, sole.role, sole.points)


class Orientation(Feature):
    """Orientation of a part as a rotation matrix; errors are world-frame rotation vectors."""

    def __init__(self, figure: Figure, role: str) -> None:
        self.name, self.body = f"{role} orientation", figure.body_id(role)

    def at(self, kinematics: Kinematics) -> FeatureState:
        frame = kinematics.frame(self.body)
        return FeatureState(frame.rotation, frame.spin, frame.spin_jacobian, frame.spin_bias)

    def error(self, value: np.ndarray, reference: np.ndarray) -> np.ndarray:
        """`log(R_ref R')`, angle at most pi."""
        return rotation_vector(reference.dot(value.T))
