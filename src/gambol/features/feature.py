"""A Feature: a quantity of the state that objectives can steer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from gambol.kinematics.kinematics import Kinematics


@dataclass(slots=True)
class FeatureState:
    """A feature at one moment: `acceleration = jacobian @ qacc + bias`."""

    value: np.ndarray
    velocity: np.ndarray
    """(r,)"""
    jacobian: np.ndarray
    """(r, nv)"""
    bias: np.ndarray
    """(r,)"""
    joints: np.ndarray | slice | None = None
    """if each row is the acceleration of one actuated joint: which, in the order of the motors"""


class Feature(ABC):
    """A quantity with value, velocity, Jacobian and bias acceleration. One class a quantity."""

    name: str

    @abstractmethod
    def at(self, kinematics: Kinematics) -> FeatureState:
        """The feature at this moment."""

    def error(self, value: np.ndarray, reference: np.ndarray) -> np.ndarray:
        """How far to go, (r,): the motion that would bring the value to the reference."""
        return reference - value
