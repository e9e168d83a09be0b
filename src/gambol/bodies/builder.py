"""Small words for building body trees with `MjSpec`: a part, its joints with limits and strength, its shapes.

Lengths in metres, masses in kilograms, angles in degrees where a person writes them (converted here, once).
Every joint with a strength gets one motor whose `ctrl` is the torque in N m; `motors()` creates them in the order of
the compiled joints, because MuJoCo orders actuators by creation and joints by tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import mujoco
import numpy as np

from gambol.bodies.patches import Patch
from gambol.bodies.shapes import Rgba, Shape, Triple

# Axes of a part that points down or up along z, x forward, y left.
PITCH, ROLL, YAW = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)

FORWARD, BACKWARD, UP, DOWN = (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)

FOOT_SOLREF = (0.004, 1.0)
FOOT_SOLIMP = (0.95, 0.99, 0.001, 0.5, 2.0)
SOLE_RADIUS = 0.01
PAD_RADIUS = 0.02
PAD_GROUP, PAD_COLOR = 3, (0.95, 0.60, 0.10, 1.0)
"""Viewers leave this group out unless they are told to show it."""
SOLE_COLOR = (0.13, 0.13, 0.15, 1.0)
ARMATURE = 0.01


class Builder:
    """Collects one character. `spec` is the tree so far."""

    def __init__(self, name: str, armature: float = ARMATURE) -> None:
        self.spec = mujoco.MjSpec()
        self.spec.modelname = name
        self.spec.compiler.degree = False  # MjSpec reads ranges as degrees unless told otherwise
        self.spec.compiler.autolimits = True
        self._armature = armature
        self._strength: dict[str, float] = {}
        self.patches: dict[str, Patch] = {}
        """role -> what can carry load besides the soles, so far"""

    def root(self, name: str, height: float) -> mujoco.MjsBody:
        """The floating base."""
        body = self.spec.worldbody.add_body(name=name, pos=[0, 0, height])
        body.add_freejoint(name="root")
        return body

    def part(self, parent: mujoco.MjsBody, name: str, pos: Triple,
             quat: Triple = (1.0, 0.0, 0.0, 0.0)) -> mujoco.MjsBody:
        return parent.add_body(name=name, pos=list(pos), quat=list(quat))

    def hinge(self, body: mujoco.MjsBody, name: str, axis: Triple, degrees: tuple[float, float] | None,
              strength: float) -> None:
        """A hinge at the part's origin with a range and the largest torque its motor gives (0: passive)."""
        joint = body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=list(axis), armature=self._armature)
        if degrees is not None:
            joint.range = list(np.deg2rad(degrees))
            joint.solref_limit = [0.01, 1.0]
        if strength > 0:
            self._strength[name] = strength

    def slide(self, body: mujoco.MjsBody, name: str, axis: Triple) -> None:
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=list(axis))

    def solids(self, body: mujoco.MjsBody, mass: float, shapes: Sequence[Shape]) -> None:
        """Shapes that collide and share the part's mass by volume: one density, save where they overlap."""
        total = sum(shape.volume for shape in shapes)
        for shape in shapes:
            _add_geom(body, shape, mass=mass * shape.volume / total)

    def looks(self, body: mujoco.MjsBody, shapes: Iterable[Shape]) -> None:
        """Shapes that are only seen: no mass, no contact."""
        for shape in shapes:
            _add_geom(body, shape, mass=0.0, contype=0, conaffinity=0)

    def inertial(self, body: mujoco.MjsBody, mass: float, com: Triple, inertia: Triple) -> None:
        """Mass and principal inertia from a table, whatever the shapes."""
        body.explicitinertial = True
        body.mass, body.ipos, body.inertia = mass, list(com), list(inertia)

    def rail(self, body: mujoco.MjsBody, name: str, heel: float, toe: float, y: float, bottom: float,
             radius: float = SOLE_RADIUS, color: Rgba = SOLE_COLOR) -> np.ndarray:
        """One stiff capsule under a foot. It meets a plane in the two points returned, heel and toe."""
        geom = body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[radius, 0, 0], mass=0,
                             fromto=[heel, y, bottom + radius, toe, y, bottom + radius], rgba=list(color),
                             condim=3)
        _stiffen(geom)
        return np.array([[heel, y, bottom], [toe, y, bottom]])

    def sole(self, body: mujoco.MjsBody, name: str, back: float, front: float, half_width: float,
             bottom: float, color: Rgba = SOLE_COLOR) -> np.ndarray:
        """Two stiff rails under a foot, heel to toe: on flat ground they touch in exactly four points.

        A capsule meets a plane at the two ends of its axis, so a pair of them gives four corner contacts, yet an edge
        of a stair under the arch of the foot is felt too. Returns the four points (heel left, heel right, toe left,
        toe right) in the foot's frame, on the ground side of the rails.
        """
        r = SOLE_RADIUS
        left, right = (self.rail(body, f"{name}_{side}_rail", back + r, front - r, sign * (half_width - r), bottom,
                                 color=color)
                       for side, sign in (("left", 1), ("right", -1)))
        return np.array([left[0], right[0], left[1], right[1]])

    def patch(self, role: str, kind: str, body: mujoco.MjsBody, points: Sequence[Triple], outward: Triple,
              radius: float = PAD_RADIUS) -> None:
        """A patch with stiff pads under its points: a ball under one, a capsule under each two that follow each other.

        Flesh is soft: on it a planned force would sink in, and the body with it. Pads have no mass, and they stand out
        of the flesh (`outward`, a unit vector) by so much that they touch first. Viewers do not show them.
        """
        places = np.array(points, dtype=float)
        centers = places - radius * np.array(outward)
        for k in range(0, len(centers), 2):
            name, two = f"{role}_pad_{k // 2 + 1}", centers[k:k + 2]
            if len(two) == 1:
                geom = body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_SPHERE, pos=two[0], size=[radius, 0, 0])
            else:
                geom = body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[radius, 0, 0],
                                     fromto=[*two[0], *two[1]])
            geom.mass, geom.condim, geom.group, geom.rgba = 0.0, 3, PAD_GROUP, list(PAD_COLOR)
            _stiffen(geom)
        self.patches[role] = Patch(kind, body.name, places)

    def motors(self) -> None:
        """One motor per actuated joint, in the order of the compiled joints."""
        order = [joint for joint in _tree_joints(self.spec.worldbody) if joint in self._strength]
        for joint in order:
            add_motor(self.spec, joint, self._strength[joint])


def add_motor(spec: mujoco.MjSpec, joint: str, strength: float) -> None:
    """A torque motor: `ctrl` in N m, limited to +-strength."""
    motor = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_motor()
    motor.ctrlrange = [-strength, strength]
    motor.ctrllimited = True


def rows(x: tuple[float, float], y: float, z: tuple[float, float]) -> list[tuple[float, float, float]]:
    """Two lines of a patch's points, at y and -y, from one x and z to the other."""
    return [(x[end], side * y, z[end]) for side in (1, -1) for end in (0, 1)]


def _stiffen(geom: mujoco.MjsGeom) -> None:
    """What carries load decides about its contacts, by a priority, and is stiff."""
    geom.friction, geom.priority = [1.0, 0.005, 0.0001], 1
    geom.solref, geom.solimp = list(FOOT_SOLREF), list(FOOT_SOLIMP)


def _add_geom(body: mujoco.MjsBody, shape: Shape, **properties: float) -> None:
    size = (*shape.size, 0.0, 0.0)[:3]
    body.add_geom(type=shape.type, pos=list(shape.pos), quat=list(shape.quat), size=list(size),
                  rgba=list(shape.color), **properties)


def _tree_joints(body: mujoco.MjsBody) -> list[str]:
    names = [joint.name for joint in body.joints]
    for child in body.bodies:
        names += _tree_joints(child)
    return names
