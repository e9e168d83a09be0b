"""Actuation: what the controls of a character mean, and which torque they give.

    figure.actuation.controls(torques, angles, rates)      controls that give these torques in this state
    figure.actuation.torques(controls, angles, rates)      what the actuators give for these controls in this state

`Motors` take the torque itself. `Servos` take set-points: the force follows from the error, as MuJoCo's `position`,
`velocity` and geared `motor` actuators have it. `Muscles` have their place here and are not simulated yet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import mujoco
import numpy as np

from gambol.errors import BadInput

if TYPE_CHECKING:
    from gambol.bodies.character import Character

ACTUATORS = ("motors", "file")
"""How a character from a file is driven: by one torque motor a joint, or by the actuators that its file gives it."""
_LAWS = (mujoco.mjtBias.mjBIAS_NONE, mujoco.mjtBias.mjBIAS_AFFINE)
_HELP = "read the character with actuators='motors' to drive it by torques"


@dataclass(frozen=True)
class Controls:
    """What a behavior returns that speaks to the actuators itself: torques of motors, set-points of servos, (nu,).

    A bare array is torques, on any character.
    """

    values: np.ndarray


class Actuation(ABC):
    """How the motors of one character work. All arrays end in the order of its motors; rows may come before."""

    kind: ClassVar[str]
    limit: np.ndarray
    """(nu,) N m, the largest torque of each joint, either way"""
    states: ClassVar[bool] = True
    """whether the torque depends on angles and rates, and what can be reached with it"""

    @abstractmethod
    def controls(self, torques: np.ndarray, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Controls, within their range, that give these torques or come nearest to them."""

    @abstractmethod
    def torques(self, controls: np.ndarray, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """What the joints get, limits included."""

    @abstractmethod
    def reach(self, angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest torque that can be had in this state; no torque counts as one that can."""

    @abstractmethod
    def within(self, controls: np.ndarray) -> np.ndarray:
        """The nearest controls in range."""


class Motors(Actuation):
    """The control is the torque, N m, up to a strength."""

    kind = "motors"
    states = False

    def __init__(self, limit: np.ndarray) -> None:
        self.limit = limit

    def controls(self, torques: np.ndarray, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return self.within(torques)

    def torques(self, controls: np.ndarray, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return self.within(controls)

    def reach(self, angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return -self.limit, self.limit

    def within(self, controls: np.ndarray) -> np.ndarray:
        limit = self.limit
        return np.minimum(np.maximum(controls, -limit), limit)


class Servos(Actuation):
    """The control is a set-point: `force = gain ctrl + bias0 + bias1 length + bias2 speed`, and `torque = gear force`.

    A position servo has gain kp and bias (0, -kp, -kv), a velocity servo gain kv and bias (0, 0, -kv), a geared motor
    no bias. Length and speed are gear times angle and rate. Force, control and the joint's torque have limits.
    """

    kind = "servos"

    def __init__(self, model: mujoco.MjModel, motors: np.ndarray) -> None:
        joints = model.actuator_trnid[motors, 0]
        self.gear = model.actuator_gear[motors, 0].copy()
        self.gain = model.actuator_gainprm[motors, 0].copy()
        affine = (model.actuator_biastype[motors] == mujoco.mjtBias.mjBIAS_AFFINE)[:, None]
        self._base, self._by_length, self._by_speed = np.where(affine, model.actuator_biasprm[motors, :3], 0.0).T
        self._ctrl = _limits(model.actuator_ctrlrange, model.actuator_ctrllimited, motors)
        self._force = _limits(model.actuator_forcerange, model.actuator_forcelimited, motors)
        self._joint = _limits(model.jnt_actfrcrange, model.jnt_actfrclimited, joints)
        most = self.gear * self._force
        if not affine.all():  # without a bias the range of the control limits the force
            most = np.where(affine[:, 0], most, self.gear * np.clip(self.gain * self._ctrl, *self._force))
        most = np.clip(np.sort(most, axis=0), *self._joint)
        self.limit = np.abs(most).max(axis=0, initial=0.0)

    def controls(self, torques: np.ndarray, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return self.within((torques / self.gear - self._bias(angles, rates)) / self.gain)

    def torques(self, controls: np.ndarray, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return self._given(self.within(controls), angles, rates)

    def reach(self, angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ends = np.stack([self._given(end, angles, rates) for end in self._ctrl])
        return np.minimum(ends.min(axis=0), 0.0), np.maximum(ends.max(axis=0), 0.0)

    def within(self, controls: np.ndarray) -> np.ndarray:
        return np.clip(controls, *self._ctrl)

    def _bias(self, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return self._base + self.gear * (self._by_length * angles + self._by_speed * rates)

    def _given(self, controls: np.ndarray, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        force = np.clip(self.gain * controls + self._bias(angles, rates), *self._force)
        return np.clip(self.gear * force, *self._joint)


class Muscles(Actuation):
    """Forces along paths, by activation: a place for them. They are not simulated yet."""

    kind = "muscles"

    @classmethod
    def read(cls, name: str) -> Muscles:
        """The muscles of a model, from the one of this name on."""
        raise BadInput(f"the actuator {name!r} is a muscle, and muscles are not simulated yet; {_HELP}")


def with_servos(character: Character, stiffness: float = 10.0, damping: float = 0.05) -> Character:
    """The same character with a position servo, as strong, for every motor.

    An error of 1 rad asks for `stiffness` times the strength; `damping` (s) is how much that counts a rate of 1 rad/s.
    """
    spec = character.spec.copy()
    for actuator in spec.actuators:
        strength = float(actuator.ctrlrange[1])
        kp = stiffness * strength
        actuator.set_to_position(kp=kp, kv=damping * kp)
        actuator.ctrllimited, actuator.ctrlrange = False, [0.0, 0.0]
        actuator.forcelimited, actuator.forcerange = True, [-strength, strength]
    return replace(character, spec=spec)


def read_actuation(model: mujoco.MjModel, motors: np.ndarray) -> Actuation:
    """How some actuators of a compiled model work, each on a joint of its own."""
    for motor in motors:
        check_actuator(model, int(motor))
    kinds = model.actuator_biastype[motors] == mujoco.mjtBias.mjBIAS_NONE
    plain = kinds.all() and (model.actuator_gainprm[motors, 0] == 1.0).all() and (
        np.abs(model.actuator_gear[motors]).sum(axis=1) == 1.0).all() and (model.actuator_gear[motors] >= 0.0).all()
    if plain:
        return Motors(model.actuator_ctrlrange[motors, 1].copy())
    servos = Servos(model, motors)
    for motor, joint, limit in zip(motors, model.actuator_trnid[motors, 0], servos.limit, strict=True):
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL:
            raise BadInput(f"the actuator {model.actuator(int(motor)).name!r} is a servo or has a gear, on a ball "
                           f"joint; {_HELP}")
        if not np.isfinite(limit):
            raise BadInput(f"the actuator {model.actuator(int(motor)).name!r} has no limit to its force; give it a "
                           f"forcerange")
    return servos


def check_actuator(model: mujoco.MjModel, actuator: int) -> None:
    """Refuse an actuator of a joint whose torque does not follow from control, angle and rate alone."""
    name = model.actuator(actuator).name
    if model.actuator_gaintype[actuator] == mujoco.mjtGain.mjGAIN_MUSCLE:
        Muscles.read(name)
    if model.actuator_dyntype[actuator] != mujoco.mjtDyn.mjDYN_NONE:
        raise BadInput(f"the actuator {name!r} has dynamics of its own (a filter or an integrator), which gambol does "
                       f"not run; {_HELP}")
    if not model.actuator_gear[actuator, :3].any():
        raise BadInput(f"the actuator {name!r} has gear 0 and moves nothing; {_HELP}")
    if (model.actuator_gaintype[actuator] != mujoco.mjtGain.mjGAIN_FIXED or not model.actuator_gainprm[actuator, 0]
            or mujoco.mjtBias(model.actuator_biastype[actuator]) not in _LAWS):
        raise BadInput(f"the actuator {name!r} is neither a motor nor a servo of position or velocity; {_HELP}")


def _limits(ranges: np.ndarray, limited: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Lowest and highest value, (2, n); endless where there is no limit."""
    return np.where(limited[which] > 0, ranges[which].T, [[-np.inf], [np.inf]])
