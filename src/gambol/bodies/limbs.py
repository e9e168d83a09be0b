"""Limbs that several characters share: legs, joints of several axes, and the role tables that go with them.

Every leg is thigh, shank and foot, whatever the animal, so that a behavior meets the same roles. The crouch of the
rest pose is built into the frames of the parts (`LegPlan.lean`): all joints at zero is the animal standing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np

from gambol.bodies.builder import PITCH, ROLL, YAW, Builder
from gambol.bodies.shapes import turn

Range = tuple[float, float]
AXES = {"pitch": PITCH, "roll": ROLL, "yaw": YAW}
SIDES = (("left", 1.0), ("right", -1.0))


class Drive(NamedTuple):
    """A hinge's range (degrees) and largest torque (N m)."""

    degrees: Range
    strength: float


@dataclass(frozen=True)
class LegPlan:
    """Measures and joints of a leg. `None` leaves a joint out."""

    hip: tuple[float, float, float]
    """the left hip in its parent's frame"""
    thigh: float
    shank: float
    hip_flexion: Drive
    hip_abduction: Drive | None
    hip_rotation: Drive | None
    knee: Drive
    ankle_flexion: Drive
    ankle_inversion: Drive | None
    lean: tuple[float, float] = (0.0, 0.0)
    """how far the lower ends of thigh and shank are forward of straight down in the zero pose, degrees"""
    knee_forward: bool = True
    """whether the knee points forward as a human's, or backward as an elbow and a bird's heel"""


class Leg(NamedTuple):
    thigh: mujoco.MjsBody
    shank: mujoco.MjsBody
    foot: mujoco.MjsBody


def swivel(b: Builder, body: mujoco.MjsBody, name: str, drive: Drive, axes: Iterable[str] = tuple(AXES)) -> None:
    """Hinges about several axes in one point; all three make a ball-like joint."""
    for axis in axes:
        b.hinge(body, f"{name}_{axis}", AXES[axis], *drive)


def swivel_joints(name: str, axes: Iterable[str] = tuple(AXES)) -> tuple[str, ...]:
    return tuple(f"{name}_{axis}" for axis in axes)


def leg(b: Builder, parent: mujoco.MjsBody, side: str, sign: float, plan: LegPlan) -> Leg:
    """The three parts of a leg with their joints. Positive angles flex, abduct, turn out and bend the knee."""
    back, out, twist = (0.0, -1.0, 0.0), (sign, 0.0, 0.0), (0.0, 0.0, sign)
    lean_thigh, lean_shank = plan.lean
    x, y, z = plan.hip
    thigh = b.part(parent, f"{side}_thigh", (x, sign * y, z), turn(pitch=-lean_thigh))
    b.hinge(thigh, f"{side}_hip_flexion", back, *plan.hip_flexion)
    if plan.hip_abduction:
        b.hinge(thigh, f"{side}_hip_abduction", _as_seen_upright(out, lean_thigh), *plan.hip_abduction)
    if plan.hip_rotation:
        b.hinge(thigh, f"{side}_hip_rotation", twist, *plan.hip_rotation)
    shank = b.part(thigh, f"{side}_shank", (0, 0, -plan.thigh), turn(pitch=lean_thigh - lean_shank))
    b.hinge(shank, f"{side}_knee", (0.0, 1.0, 0.0) if plan.knee_forward else back, *plan.knee)
    foot = b.part(shank, f"{side}_foot", (0, 0, -plan.shank), turn(pitch=lean_shank))
    b.hinge(foot, f"{side}_ankle_flexion", back, *plan.ankle_flexion)
    if plan.ankle_inversion:
        b.hinge(foot, f"{side}_ankle_inversion", out, *plan.ankle_inversion)
    return Leg(thigh, shank, foot)


def leg_height(plan: LegPlan) -> float:
    """Hip above ankle in the zero pose."""
    thigh, shank = np.cos(np.deg2rad(plan.lean))
    return float(plan.thigh * thigh + plan.shank * shank)


def leg_roles(b: Builder, sides: Iterable[str]) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Bodies and joints by role of the legs that were built."""
    sides = tuple(sides)
    bodies = {f"{side}_{part}": f"{side}_{part}" for side in sides for part in ("thigh", "shank", "foot")}
    built = [joint.name for joint in b.spec.joints]
    joints = {f"{side}_{group}": tuple(name for name in built if name.startswith(f"{side}_{group}"))
              for side in sides for group in ("hip", "knee", "ankle")}
    return bodies, joints


def _as_seen_upright(axis: tuple[float, float, float], lean: float) -> tuple[float, ...]:
    """A horizontal axis of the world, in the frame of a part that leans."""
    angle = np.deg2rad(lean)
    return (float(axis[0] * np.cos(angle)), 0.0, float(-axis[0] * np.sin(angle)))
