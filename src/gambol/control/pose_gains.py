"""How stiffly each joint is drawn to its rest angle, and how much that counts: by role, standing and walking."""

from __future__ import annotations

import numpy as np

from gambol.world.figure import Figure

LEG_WEIGHT, ARM_WEIGHT, SPINE_WEIGHT = 0.05, 0.2, 5.0
"""Weights of the rest pose of who stands: bending the legs costs least, then the arms; the spine bends last, so that
hips and arms turn the body and the spine does not run into its stops."""
WALKING_LEG_KP, WALKING_LEG_WEIGHT = 2000.0, 0.02
"""Rest pose of legs that walk: stiff for all joints alike, but of little weight, so that it does not hold back the
swing."""
TOE_KP, WALKING_TOE_WEIGHT = 300.0, 0.02
"""Stiffness of toes, 1/s2, and how much it counts in a walk: stiff, they would not let the heel rise, and the leg
behind would be straight before its foot leaves the ground."""
WALKING_ARM_WEIGHT, WALKING_SPINE_WEIGHT, WALKING_NECK_WEIGHT = 0.3, 0.2, 0.02
"""Weights of the rest pose of who walks."""


def pose_gains(figure: Figure) -> np.ndarray:
    """Table 4.2, by role: ankles, shoulders and elbows are softer than the rest. (nu,), 1/s2."""
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


def walking_gains(figure: Figure) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and weight of the rest pose while legs walk, a joint each."""
    gains, weights = pose_gains(figure), np.ones(figure.nu)
    legs = figure.joint_index(figure.anatomy.joints_of("hip", "knee", "ankle"))
    toes = figure.joint_index(figure.anatomy.joints_of("toes"))
    gains[legs], weights[legs], weights[toes] = WALKING_LEG_KP, WALKING_LEG_WEIGHT, WALKING_TOE_WEIGHT
    for part, weight in (("neck", WALKING_NECK_WEIGHT), ("spine", WALKING_SPINE_WEIGHT)):
        weights[figure.joint_index(figure.anatomy.joints_of(part))] = weight
    weights[figure.joint_index(figure.anatomy.arm_joints)] = WALKING_ARM_WEIGHT
    return gains, weights
