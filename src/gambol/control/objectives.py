"""Objectives: what a feature should do now, as rows `A qacc = b` (or rows on torques), with a priority and a weight."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gambol.features.feature import Feature, FeatureState

Gain = float | np.ndarray
STILL = 0.0
"""A reference that rests: known by identity, so that nothing is spent on zeros."""
TARGET_DAMPING = 1e-4
"""Damping of the target objective: takes over when less than about 0.03 s are left."""


@dataclass(slots=True)
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
    joints: np.ndarray | slice | None = None
    """if each row is the acceleration of one actuated joint: which, in the order of the motors"""


def setpoint(feature: Feature, state: FeatureState, reference: np.ndarray, priority: int, *, kp: Gain,
             kv: Gain | None = None, weight: Gain = 1.0, velocity: Gain = STILL,
             acceleration: Gain = STILL) -> Objective:
    """Pull a feature to a reference as a spring and damper would; critically damped unless kv is given.

    This is [delasa2011, eq. 3.16 to 3.19]: `acceleration_d = kp (y_r - y) + kv (y_r' - y') + y_r''`
    """
    kv = 2.0 * kp**0.5 if kv is None else kv
    lag = state.velocity if velocity is STILL else state.velocity - velocity
    target = kp * feature.error(state.value, reference) - kv * lag - state.bias
    if acceleration is not STILL:
        target = target + acceleration
    return Objective(feature.name, priority, state.jacobian, target, weight, joints=state.joints)


def target_acceleration(value: np.ndarray, velocity: np.ndarray, goal: Gain, goal_velocity: Gain,
                        time_left: float) -> np.ndarray:
    """Acceleration now that brings a point to a state in a given time, changing linearly.

    `a = (6 (y_T - y) - 2 (y_T' + 2 y') T) / T^2`, from the damped least-squares solution of the two end conditions, so
    that the command fades out instead of blowing up as the time runs out [delasa2011, appendix A, eq. A.20]. The sign
    of [delasa2011, eq. A.16] is corrected.
    """
    T = max(time_left, 1e-3)
    early, late, half, damping = T * T / 3, T * T / 6, T / 2, TARGET_DAMPING**2
    # normal equations of [early late; half half; damping]: two unknowns, solved by hand
    first, mixed, second = early**2 + half**2 + damping, early * late + half**2, late**2 + half**2 + damping
    place, speed = goal - value - velocity * T, goal_velocity - velocity
    scale = 1.0 / (first * second - mixed**2)
    return (scale * (second * early - mixed * late)) * place + (scale * (second - mixed) * half) * speed


def target(feature: Feature, state: FeatureState, goal: np.ndarray, priority: int, *, time_left: float,
           velocity: Gain = 0.0, weight: Gain = 1.0) -> Objective:
    """Bring a feature to a goal with a given velocity in a given time, planned anew every tick.

    This is [delasa2011, eq. 3.21 to 3.23].
    """
    desired = target_acceleration(state.value, state.velocity, goal, velocity + 0.0 * state.velocity, time_left)
    return Objective(feature.name, priority, state.jacobian, desired - state.bias, weight, joints=state.joints)


def momentum(feature: Feature, state: FeatureState, reference: np.ndarray, priority: int, *, rate: float,
             weight: Gain = 1.0) -> Objective:
    """Let the angular momentum approach a reference at a rate (1/s): `L' = rate (L_r - L)` [delasa2011, eq. 3.24]."""
    return Objective(feature.name, priority, state.jacobian, rate * (reference - state.value) - state.bias, weight)


def minimum_torque(joints: np.ndarray, count: int, priority: int, *, weight: Gain = 1.0) -> Objective:
    """Spare the given motors (positions among `count`) [delasa2011, eq. 3.31]."""
    rows, target = _single_torques(tuple(joints.tolist()), count)
    return Objective("minimum torque", priority, rows, target, weight, on_torques=True)


@lru_cache
def _single_torques(joints: tuple[int, ...], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that pick single torques, and zeros."""
    rows, target = np.eye(count)[list(joints)], np.zeros(len(joints))
    rows.flags.writeable = target.flags.writeable = False
    return rows, target
