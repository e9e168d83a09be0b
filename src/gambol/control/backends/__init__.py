"""Back ends: ways from what a behavior wants at a tick to torques. A behavior picks one."""

from gambol.control.backends.back_end import BackEnd
from gambol.control.backends.whole_body import WholeBodyQP

__all__ = ["BackEnd", "WholeBodyQP"]
