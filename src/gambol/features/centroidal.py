"""Features of the body as a whole: its centre of mass and its angular momentum."""

from __future__ import annotations

import numpy as np

from gambol.features.feature import Feature, FeatureState
from gambol.kinematics.kinematics import Kinematics


class CenterOfMass(Feature):
    """Position of the COM: all of it, or its parts along given directions (rows of unit vectors)."""

    name = "com"

    def __init__(self, directions: np.ndarray | None = None) -> None:
        self.directions = directions

    def at(self, kinematics: Kinematics) -> FeatureState:
        k = kinematics
        state = FeatureState(k.com, k.com_velocity, k.com_jacobian, k.com_bias)
        if self.directions is None:
            return state
        d = self.directions
        return FeatureState(d @ state.value, d @ state.velocity, d @ state.jacobian, d @ state.bias)


class AngularMomentum(Feature):
    """Whole-body angular momentum about the COM [delasa2011, eq. 3.25]. Its `velocity` slot holds the momentum itself.

    Momentum is a velocity-like quantity: `L' = P J qacc + bias`, so the Jacobian and bias give its first derivative.
    """

    name = "angular momentum"

    def at(self, kinematics: Kinematics) -> FeatureState:
        k = kinematics
        return FeatureState(k.momentum, k.momentum, k.momentum_matrix, k.momentum_bias)
