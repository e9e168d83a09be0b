"""Back ends: ways from what a behavior wants at a tick to torques. A behavior picks one.

| back end | takes | needs | minds |
|---|---|---|---|
| `WholeBodyQP` | objectives: accelerations by priority and weight | mass matrix, contacts | all bounds, friction |
| `VirtualForces` | a pose; forces at points of the body | Jacobians, contacts | strength |
| `ForceQP` | forces at frames of the body | Jacobians | strength, most force |
"""

from gambol.control.backends.back_end import BackEnd
from gambol.control.backends.force_qp import ForceProblem, ForceQP, force_problem
from gambol.control.backends.virtual_forces import VirtualForce, VirtualForces, spring_force
from gambol.control.backends.whole_body import WholeBodyQP

__all__ = ["BackEnd", "ForceProblem", "ForceQP", "VirtualForce", "VirtualForces", "WholeBodyQP", "force_problem",
           "spring_force"]
