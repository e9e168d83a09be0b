"""Features: quantities of the state with value, velocity, Jacobian and bias acceleration."""

from gambol.features.centroidal import AngularMomentum, CenterOfMass
from gambol.features.feature import Feature, FeatureState
from gambol.features.points import Orientation, Points, RelativePoints, SolePoints
from gambol.features.pose import Pose
from gambol.kinematics.kinematics import Kinematics

__all__ = ["AngularMomentum", "CenterOfMass", "Feature", "FeatureState", "Kinematics", "Orientation", "Points", "Pose",
           "RelativePoints", "SolePoints"]
