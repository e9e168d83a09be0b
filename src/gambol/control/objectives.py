"""Objectives: what a feature should do now, as rows `A qacc = b` (or rows on torques), with a priority and a weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.features.feature import Feature, FeatureState

Gain = float | np.ndarray


@dataclass(frozen=True)
class Objective:
    """`weight * || A y - b ||^2` at a priority (1 is the highest), with y the accelerations or the torques."""

    name: str
    priority: int
    rows: np.ndarray
    """A, (r, nv) on accelerations or (r, nu) on torques"""
    target: np.ndarray
    """b, (r,)"""
    weight: Gain = 1.0
    """one number, or one a row"""
    on_torques: bool = False


def setpoint(feature: Feature, state: FeatureState, reference: np.ndarray, priority: int, *, kp: Gain,
             kv: Gain | None = None, weight: Gain = 1.0, velocity: Gain = 0.0, acceleration: Gain = 0.0) -> Objective:
    """Pull a feature to a reference as a spring and damper would (Eq. 3.16-3.19); critically damped unless kv is given.

    `acceleration_d = kp (y_r - y) + kv (y_r' - y') + y_r''`
    """
    kv = 2.0 * np.sqrt(kp) if kv is None else kv
    desired = (kp * feature.error(state.value, reference) + kv * (velocity - state.velocity) + acceleration)
    return Objective(feature.name, priority, state.jacobian, desired - state.bias, weight)


def momentum(feature: Feature, state: FeatureState, reference: np.ndarray, priority: int, *, rate: float,
             weight: Gain = 1.0) -> Objective:
    """Let the angular momentum approach a reference at a rate (1/s): `L' = rate (L_r - L)` (Eq. 3.24)."""
    return Objective(feature.name, priority, state.jacobian, rate * (reference - state.value) - state.bias, weight)


def minimum_torque(joints: np.ndarray, count: int, priority: int, *, weight: Gain = 1.0) -> Objective:
    """Spare the given motors (positions among `count`) (Eq. 3.31)."""
    rows = np.zeros((len(joints), count))
    rows[np.arange(len(joints)), joints] = 1.0
    return Objective("minimum torque", priority, rows, np.zeros(len(joints)), weight, on_torques=True)
