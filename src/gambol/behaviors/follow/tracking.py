"""What following asks of the body besides its centre of mass: turns of its parts, feet in the air, momentum, pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.behaviors.follow.clock import Phase
from gambol.behaviors.follow.gains import PartGains
from gambol.behaviors.whole_body import within_tick
from gambol.control.contact.patches import PatchState
from gambol.control.objectives import Objective, momentum, setpoint
from gambol.features import AngularMomentum, Kinematics, Orientation, Points, Pose
from gambol.motion.reference import Reference
from gambol.world.figure import Figure


@dataclass(frozen=True)
class Swing:
    """A foot in the air: how far its place is from that in the reference, how that changes, whether it is late."""

    offset: np.ndarray
    speed: np.ndarray
    """(2,)"""
    late: bool


class Tracking:
    """Objectives of one figure; made anew with every Reference."""

    def __init__(self, figure: Figure, reference: Reference, gains: PartGains, tightness: float, tick: float) -> None:
        self.reference, self.gains = reference, gains
        self.momentum, self.pose = AngularMomentum(), Pose(figure)
        self.turned = {role: Orientation(figure, role) for role in reference.parts}
        self.points = {role: Points(figure, role, np.zeros(3)) for role in reference.patches}
        self.angles, self.rates = _angles(figure, reference)
        self.kp = within_tick(np.full(figure.nu, tightness * gains.pose_kp), tick)
        self.turn_kp, self.swing_kp = within_tick(tightness * np.array([gains.turn_kp, gains.swing_kp]), tick).tolist()
        self.weight = np.full(figure.nu, gains.rest_weight)
        self.weight[figure.joint_index(figure.anatomy.joints_of("hip", "knee", "ankle"))] = gains.leg_weight

    def bearing(self, kinematics: Kinematics, phase: Phase) -> list[Objective]:
        """Hips, chest and head turn as they do in the reference."""
        gains, reference = self.gains, self.reference
        objectives = []
        for part, role in enumerate(reference.parts):
            if role in reference.patches:
                continue
            weight = gains.turn_weight * (gains.head if role == "head" else 1.0)
            objectives.append(self._turn(kinematics, phase, part, self.turn_kp, weight))
        return objectives

    def whole(self, kinematics: Kinematics, phase: Phase) -> list[Objective]:
        """Angular momentum and pose."""
        gains, reference, rate = self.gains, self.reference, phase.rate
        turning = momentum(self.momentum, self.momentum.at(kinematics), rate * reference.momentum[phase.row], 3,
                           rate=gains.momentum_rate, weight=gains.momentum_weight)
        pose = setpoint(self.pose, self.pose.at(kinematics), reference.at(self.angles, phase.time), 3, kp=self.kp,
                        weight=self.weight, velocity=rate * reference.at(self.rates, phase.time))
        return [turning, pose]

    def rolling(self, kinematics: Kinematics, phase: Phase, patch: PatchState) -> list[Objective]:
        """A foot that carries with one end only is tipped as in the reference."""
        part = self._part(patch.role)
        return [] if part is None else [self._turn(kinematics, phase, part, self.turn_kp, self.gains.turn_weight,
                                                   accelerating=False)]

    def swing(self, kinematics: Kinematics, phase: Phase, patch: PatchState, swing: Swing) -> list[Objective]:
        """A foot in the air goes along its path, moved by its offset; one that is late feels for the ground."""
        reference, gains, rate = self.reference, self.gains, phase.rate
        index = reference.patches.index(patch.role)
        place, speed = (reference.at(values, phase.time)[index] for values in (reference.places, reference.speeds))
        place, speed = place + np.append(swing.offset, 0.0), rate * speed + np.append(swing.speed, 0.0)
        if swing.late:
            place, speed = place - [0.0, 0.0, gains.press], speed - [0.0, 0.0, gains.press_speed]
        feature = self.points[patch.role]
        onward = rate**2 * reference.at(reference.accelerations, phase.time)[index]
        objectives = [setpoint(feature, feature.at(kinematics), place, 3, kp=self.swing_kp, weight=gains.swing_weight,
                               velocity=speed, acceleration=onward)]
        part = self._part(patch.role)
        if part is not None:
            objectives.append(self._turn(kinematics, phase, part, self.swing_kp, gains.foot_turn_weight))
        return objectives

    def _part(self, role: str) -> int | None:
        return self.reference.parts.index(role) if role in self.reference.parts else None

    def _turn(self, kinematics: Kinematics, phase: Phase, part: int, kp: float, weight: float,
              accelerating: bool = True) -> Objective:
        reference, row, rate = self.reference, phase.row, phase.rate
        feature = self.turned[reference.parts[part]]
        onward = rate**2 * reference.spin_rates[row, part] if accelerating else np.zeros(3)
        return setpoint(feature, feature.at(kinematics), reference.turns[row, part], 3, kp=kp, weight=weight,
                        velocity=rate * reference.spins[row, part], acceleration=onward)


def _angles(figure: Figure, reference: Reference) -> tuple[np.ndarray, np.ndarray]:
    """Angles and rates of the actuated joints, (n, nu) each, in the order of the motors."""
    first = int(figure.model.jnt_qposadr[figure.joints[0]])
    full = np.zeros(figure.model.nq)
    angles = np.zeros((len(reference.qpos), figure.nu))
    for row, qpos in enumerate(reference.qpos):
        full[first:first + len(qpos)] = qpos
        angles[row] = figure.drives.angles(full)
    return angles, reference.qvel[:, figure.driven]
