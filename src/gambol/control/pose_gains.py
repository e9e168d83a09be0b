"""How stiffly each joint is drawn to its rest angle, and how much that counts: by role, standing and walking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.gains import Gains
from gambol.params import param
from gambol.world.figure import Figure

LEG_WEIGHT, ARM_WEIGHT, SPINE_WEIGHT = 0.05, 0.2, 5.0
"""Weights of the rest pose of who stands: bending the legs costs least, then the arms; the spine bends last, so that
hips and arms turn the body and the spine does not run into its stops."""
TOE_KP = 300.0
"""Stiffness of toes, 1/s2."""


@dataclass(frozen=True)
class WalkingPoseGains(Gains):
    """The rest pose of who walks."""

    leg_kp: float = param(2000.0, unit="1/s2", low=50.0, high=5000.0, doc="stiffness of legs, for all joints alike")
    leg_weight: float = param(0.02, low=0.0, high=1.0, doc="how much legs count: little, or they would not swing")
    arm_weight: float = param(0.3, low=0.0, high=10.0, doc="how much arms count")
    spine_weight: float = param(0.2, low=0.0, high=10.0, doc="how much the spine counts")
    neck_weight: float = param(0.02, low=0.0, high=10.0, doc="how much the neck counts")
    toe_weight: float = param(0.02, low=0.0, high=1.0, doc="how much toes count: stiff, they would not let the heel "
                                                           "rise, and the leg behind would be straight too soon")


STANDARD = WalkingPoseGains()


def pose_gains(figure: Figure) -> np.ndarray:
    """Stiffness of each joint, (nu,), 1/s2: ankles, shoulders and elbows are softer [delasa2011, table 4.2]."""
    gains = np.full(figure.nu, 2000.0)
    for part, gain in (("ankle", 500.0), ("shoulder", 250.0), ("elbow", 50.0), ("wrist", 50.0), ("toes", TOE_KP)):
        gains[figure.joint_index(figure.anatomy.joints_of(part))] = gain
    return gains


def pose_weights(figure: Figure) -> np.ndarray:
    """How much each joint's rest angle counts, (nu,)."""
    weights = np.ones(figure.nu)
    for parts, weight in ((("hip", "knee", "ankle", "toes"), LEG_WEIGHT), (("shoulder", "elbow", "wrist"), ARM_WEIGHT),
                          (("spine",), SPINE_WEIGHT)):
        weights[figure.joint_index(figure.anatomy.joints_of(*parts))] = weight
    return weights


def walking_gains(figure: Figure, walking: WalkingPoseGains = STANDARD) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and weight of the rest pose while legs walk, a joint each."""
    gains, weights = pose_gains(figure), np.ones(figure.nu)
    legs = figure.joint_index(figure.anatomy.joints_of("hip", "knee", "ankle"))
    toes = figure.joint_index(figure.anatomy.joints_of("toes"))
    gains[legs], weights[legs], weights[toes] = walking.leg_kp, walking.leg_weight, walking.toe_weight
    for part, weight in (("neck", walking.neck_weight), ("spine", walking.spine_weight)):
        weights[figure.joint_index(figure.anatomy.joints_of(part))] = weight
    weights[figure.joint_index(figure.anatomy.arm_joints)] = walking.arm_weight
    return gains, weights
