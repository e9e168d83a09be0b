"""Characters of other sizes: the whole body by height, or single limbs by a factor. The structure stays the same.

A part scaled by s keeps its density: mass goes with s^3, inertia with s^5. The joints at both its ends get stronger by
s^3, for the muscles of a joint lie in both parts that meet there, most in the upper one: a thigh carries those of hip
and knee. Where both parts grow, the larger factor counts. The parts that hang on it move along with its ends and keep
their own size. Legs that have become longer than the others rest folded (`folding.py`). Names, numbers and order of
everything stay, so `World.morph` can take the result into a running world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.character import Character
from gambol.bodies.shape.folding import folded
from gambol.errors import BadInput, unknown

FACTOR_RANGE = (0.25, 4.0)
HEIGHT_RANGE = (0.2, 5.0)

_SLIDE = mujoco.mjtJoint.mjJNT_SLIDE


def scale(character: Character, height: float | None, limb: Mapping[str, float]) -> Character:
    """A character with limbs (body roles) longer by a factor, then brought to a standing height in metres."""
    factors: dict[str, float] = {}
    for role, factor in limb.items():
        if role not in character.anatomy.bodies:
            raise unknown("limb", role, character.anatomy.bodies)
        _check(f"the length factor of {role!r}", factor, FACTOR_RANGE, "")
        body = character.anatomy.bodies[role]
        factors[body] = factors.get(body, 1.0) * factor
    if factors:
        character = _scale_parts(character, factors)
    if height is not None:
        _check("the height", height, HEIGHT_RANGE, " m")
        character = _scale_all(character, height / standing_height(character))
    return character


def standing_height(character: Character) -> float:
    """Crown to sole in the zero pose, metres. Without a head or soles, the highest or lowest point counts."""
    model = character.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    anatomy = character.anatomy
    spans = np.array([_vertical_span(model, data, geom) for geom in range(model.ngeom)])
    owner = model.geom_bodyid
    head = owner == model.body(anatomy.bodies["head"]).id if "head" in anatomy.bodies else owner > 0
    low = [spans[owner > 0, 0].min()]
    if anatomy.soles:
        low = [float((data.body(anatomy.bodies[role]).xmat.reshape(3, 3)[2] @ point)
                     + data.body(anatomy.bodies[role]).xpos[2])
               for role, points in anatomy.soles.items() for point in np.asarray(points)]
    top = spans[head if head.any() else owner > 0, 1].max()
    return float(top - min(low))


def _check(what: str, value: float, allowed: tuple[float, float], unit: str) -> None:
    if not allowed[0] <= value <= allowed[1]:
        raise BadInput(f"{what} must be from {allowed[0]:g} to {allowed[1]:g}{unit}; got {value:g}{unit}")


def _scale_parts(character: Character, factors: Mapping[str, float]) -> Character:
    """Scale single bodies, by name."""
    spec = character.spec.copy()
    moved: dict[str, float] = {}
    for name, factor in factors.items():
        body = spec.body(name)
        _scale_body(body, factor)
        for joint in body.joints:
            _scale_joint(joint, factor)
        for joint in (*body.joints, *(joint for child in body.bodies for joint in child.joints)):
            moved[joint.name] = max(factor, moved.get(joint.name, 0.0))
    _scale_strength(spec, moved)
    left = _scale_meshes(spec, factors)
    notes = character.notes + tuple(f"mesh {name!r} is shared by parts of other scale and keeps its size"
                                    for name in left)
    anatomy = _scale_patches(character.anatomy, factors, character.spec)
    return folded(replace(character, spec=spec, anatomy=anatomy, notes=notes), character)


def _scale_all(character: Character, s: float) -> Character:
    """Scale every part, its strength, and the place where it hangs in the world."""
    spec = character.spec.copy()
    bodies = [body for body in spec.bodies if body.name != "world"]
    for body in bodies:
        _scale_body(body, s)
        for joint in body.joints:
            _scale_joint(joint, s)
    for item in (*spec.worldbody.bodies, *spec.worldbody.frames):
        item.pos = item.pos * s
    for mesh in spec.meshes:
        mesh.scale = mesh.scale * s
    _scale_strength(spec, {joint.name: s for joint in spec.joints})
    for tendon in spec.tendons:
        tendon.range, tendon.springlength = tendon.range * s, tendon.springlength * s
    slides = {joint.name for joint in spec.joints if joint.type == _SLIDE}
    rest = {name: value * (s if name in slides else 1.0) for name, value in character.rest.items()}
    anatomy = _scale_patches(character.anatomy, {body.name: s for body in bodies}, character.spec)
    return replace(character, spec=spec, anatomy=anatomy, rest=rest)


def _scale_body(body: mujoco.MjsBody, s: float) -> None:
    """Everything in a body's frame, the origins of its children included."""
    for geom in body.geoms:
        # Unset lengths and masses are NaN and stay so; without a mass the density gives it, and that stays too.
        geom.pos, geom.fromto, geom.size, geom.mass = geom.pos * s, geom.fromto * s, geom.size * s, geom.mass * s**3
    for site in body.sites:
        site.pos, site.fromto, site.size = site.pos * s, site.fromto * s, site.size * s
    for item in (*body.bodies, *body.joints, *body.frames, *body.cameras, *body.lights):
        item.pos = item.pos * s
    if body.explicitinertial:
        body.ipos, body.mass = body.ipos * s, body.mass * s**3
        body.inertia, body.fullinertia = body.inertia * s**5, body.fullinertia * s**5


def _scale_joint(joint: mujoco.MjsJoint, s: float) -> None:
    """Passive torques go with s^3 as the motors' do: stress times area times lever."""
    hinge = joint.type != _SLIDE
    joint.armature = joint.armature * (s**5 if hinge else s**3)
    for name in ("stiffness", "damping", "frictionloss"):
        setattr(joint, name, getattr(joint, name) * (s**3 if hinge else s))
    if not hinge:
        joint.range, joint.ref, joint.springref = joint.range * s, joint.ref * s, joint.springref * s


def _scale_strength(spec: mujoco.MjSpec, factors: Mapping[str, float]) -> None:
    """Motors of joints by the factors of the parts they move: stress times area, times lever at a hinge.

    Servos get stronger likewise and keep their gains and the range of their set-points.
    """
    by_joint = {joint.name: factors[joint.name] ** (2 if joint.type == _SLIDE else 3)
                for joint in spec.joints if joint.name in factors}
    for joint in spec.joints:
        joint.actfrcrange = joint.actfrcrange * by_joint.get(joint.name, 1.0)
    for motor in spec.actuators:
        strength = by_joint.get(motor.target, 1.0)
        motor.forcerange = motor.forcerange * strength
        if motor.biastype == mujoco.mjtBias.mjBIAS_NONE:
            motor.ctrlrange = motor.ctrlrange * strength


def _scale_meshes(spec: mujoco.MjSpec, factors: Mapping[str, float]) -> list[str]:
    """Scale the meshes whose users all scale alike; returns those left alone although a user scaled."""
    left = []
    for mesh in spec.meshes:
        users = {factors.get(geom.parent.name, 1.0) for geom in spec.geoms if geom.meshname == mesh.name}
        if len(users) == 1:
            mesh.scale = mesh.scale * users.pop()
        elif users:
            left.append(mesh.name)
    return left


def _scale_patches(anatomy: Anatomy, factors: Mapping[str, float], spec: mujoco.MjSpec) -> Anatomy:
    """Patches go with their bodies; where toes are, with the foot's end and then with the toes. `spec`: before."""
    soles = {role: np.asarray(points) * factors.get(anatomy.bodies[role], 1.0)
             for role, points in anatomy.soles.items()}
    patches = {}
    for role, patch in anatomy.patches.items():
        points = patch.points * factors.get(patch.body, 1.0)
        if patch.toes:
            joint = np.asarray(spec.body(patch.toes).pos)
            points[patch.heel:] = (joint * factors.get(patch.body, 1.0)
                                   + factors.get(patch.toes, 1.0) * (patch.points[patch.heel:] - joint))
        patches[role] = replace(patch, points=points)
        if role in soles:
            soles[role] = points
    return replace(anatomy, soles=soles, patches=patches)


def _vertical_span(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> tuple[float, float]:
    """Lowest and highest point of a geom."""
    up, size, z = data.geom_xmat[geom].reshape(3, 3)[2], model.geom_size[geom], float(data.geom_xpos[geom, 2])
    kind = mujoco.mjtGeom(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        heights = model.mesh_vert[first:first + model.mesh_vertnum[mesh]] @ up
        return z + float(heights.min()), z + float(heights.max())
    reach = {mujoco.mjtGeom.mjGEOM_SPHERE: size[0],
             mujoco.mjtGeom.mjGEOM_CAPSULE: size[0] + abs(up[2]) * size[1],
             mujoco.mjtGeom.mjGEOM_CYLINDER: abs(up[2]) * size[1] + size[0] * np.sqrt(max(0.0, 1 - up[2] ** 2)),
             mujoco.mjtGeom.mjGEOM_ELLIPSOID: np.linalg.norm(up * size),
             mujoco.mjtGeom.mjGEOM_BOX: np.abs(up) @ size}.get(kind, 0.0)
    return z - float(reach), z + float(reach)
