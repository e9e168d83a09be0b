"""What every back end does: turn the wishes of a tick into torques."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

from gambol.control.contact.support import SupportPoints
from gambol.kinematics.kinematics import Kinematics

Wish = TypeVar("Wish")


class BackEnd(ABC, Generic[Wish]):
    """Torques from the state of a figure, the points that carry it, and wishes of one kind.

    Called once a control tick. The torques it gives are finite and within the strength of the motors, whatever it is
    asked for; it may keep what makes the next tick quicker, and nothing else.
    """

    @abstractmethod
    def torques(self, kinematics: Kinematics, support: SupportPoints, wishes: Sequence[Wish]) -> np.ndarray:
        """Torques for this tick, (nu,), N m, in the order of the figure's motors."""

    def report(self) -> list[tuple[str, ...]]:
        """What was wanted at the last tick, a row (name, priority, weight, what is left of it) a wish."""
        return []
