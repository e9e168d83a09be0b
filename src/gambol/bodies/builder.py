"""Small words for building body trees with `MjSpec`: a part, its joints with limits and strength, its shapes.

Lengths in metres, masses in kilograms, angles in degrees where a person writes them (converted here, once).
Every joint with a strength gets one motor whose `ctrl` is the torque in N m; `motors()` creates them in the order of
the compiled joints, because MuJoCo orders actuators by creation and joints by tree.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

Rgba = tuple[float, float, float, float]
Triple = Sequence[float]

# Axes of a part that points down or up along z, x forward, y left.
PITCH, ROLL, YAW = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)

FOOT_SOLREF = (0.004, 1.0)
FOOT_SOLIMP = (0.95, 0.99, 0.001, 0.5, 2.0)
SOLE_RADIUS = 0.01
ARMATURE = 0.01


class Builder:
    """Collects one character. `spec` is the tree so far."""

    def __init__(self, name: str) -> None:
        self.spec = mujoco.MjSpec()
        self.spec.modelname = name
        self.spec.compiler.degree = False  # MjSpec reads ranges as degrees unless told otherwise
        self.spec.compiler.autolimits = True
        self._strength: dict[str, float] = {}

    def root(self, name: str, height: float) -> mujoco.MjsBody:
        """The floating base."""
        body = self.spec.worldbody.add_body(name=name, pos=[0, 0, height])
        body.add_freejoint(name="root")
        return body

    def part(self, parent: mujoco.MjsBody, name: str, pos: Triple) -> mujoco.MjsBody:
        return parent.add_body(name=name, pos=list(pos))

    def hinge(self, body: mujoco.MjsBody, name: str, axis: Triple, degrees: tuple[float, float] | None,
              strength: float, armature: float = ARMATURE) -> None:
        """A hinge at the part's origin with a range and the largest torque its motor gives (0: passive)."""
        joint = body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=list(axis), armature=armature)
        if degrees is not None:
            joint.range = list(np.deg2rad(degrees))
            joint.solref_limit = [0.01, 1.0]
        if strength > 0:
            self._strength[name] = strength

    def slide(self, body: mujoco.MjsBody, name: str, axis: Triple) -> None:
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=list(axis))

    def capsule(self, body: mujoco.MjsBody, start: Triple, end: Triple, radius: float, mass: float, color: Rgba,
                name: str = "") -> None:
        self._shape(body, mujoco.mjtGeom.mjGEOM_CAPSULE, mass, color, name, size=[radius, 0, 0],
                    fromto=[*start, *end])

    def ellipsoid(self, body: mujoco.MjsBody, center: Triple, radii: Triple, mass: float, color: Rgba,
                  quat: Triple | None = None, name: str = "") -> None:
        self._shape(body, mujoco.mjtGeom.mjGEOM_ELLIPSOID, mass, color, name, size=list(radii), pos=list(center),
                    quat=quat)

    def box(self, body: mujoco.MjsBody, center: Triple, half: Triple, mass: float, color: Rgba,
            name: str = "") -> None:
        self._shape(body, mujoco.mjtGeom.mjGEOM_BOX, mass, color, name, size=list(half), pos=list(center))

    def decoration(self, body: mujoco.MjsBody, kind: str, center: Triple, size: Triple, color: Rgba,
                   quat: Triple | None = None) -> None:
        """A shape that is only seen: no mass, no contact."""
        geom = body.add_geom(type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}"), size=list(size),
                             pos=list(center), rgba=list(color), mass=0, contype=0, conaffinity=0)
        if quat is not None:
            geom.quat = list(quat)

    def sole(self, body: mujoco.MjsBody, name: str, back: float, front: float, half_width: float,
             bottom: float, friction: float = 1.0) -> np.ndarray:
        """Two stiff rails under a foot, heel to toe: on flat ground they touch in exactly four points.

        A capsule meets a plane at the two ends of its axis, so a pair of them gives four corner contacts, yet an edge
        of a stair under the arch of the foot is felt too. Returns the four points (heel left, heel right, toe left,
        toe right) in the foot's frame, on the ground side of the rails.
        """
        r = SOLE_RADIUS
        y = half_width - r
        for side, sign in (("left", 1), ("right", -1)):
            geom = body.add_geom(name=f"{name}_{side}_rail", type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[r, 0, 0],
                                 fromto=[back + r, sign * y, bottom + r, front - r, sign * y, bottom + r],
                                 mass=0, rgba=[0.13, 0.13, 0.15, 1], friction=[friction, 0.005, 0.0001],
                                 condim=3, priority=1)
            geom.solref = list(FOOT_SOLREF)
            geom.solimp = list(FOOT_SOLIMP)
        return np.array([[back + r, y, bottom], [back + r, -y, bottom], [front - r, y, bottom], [front - r, -y, bottom]])

    def motors(self) -> None:
        """One motor per actuated joint, in the order of the compiled joints."""
        order = [joint for joint in _tree_joints(self.spec.worldbody) if joint in self._strength]
        for joint in order:
            add_motor(self.spec, joint, self._strength[joint])

    def _shape(self, body: mujoco.MjsBody, kind: mujoco.mjtGeom, mass: float, color: Rgba, name: str,
               quat: Triple | None = None, **geometry: list[float]) -> None:
        geom = body.add_geom(type=kind, mass=mass, rgba=list(color), **geometry)
        if name:
            geom.name = name
        if quat is not None:
            geom.quat = list(quat)


def add_motor(spec: mujoco.MjSpec, joint: str, strength: float) -> None:
    """A torque motor: `ctrl` in N m, limited to +-strength."""
    motor = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_motor()
    motor.ctrlrange = [-strength, strength]
    motor.ctrllimited = True


def _tree_joints(body: mujoco.MjsBody) -> list[str]:
    names = [joint.name for joint in body.joints]
    for child in body.bodies:
        names += _tree_joints(child)
    return names
