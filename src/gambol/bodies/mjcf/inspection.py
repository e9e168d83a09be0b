"""What `gambol inspect` shows of a character, as plain rows; printing is the command line's business."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.bodies.actuation import read_actuation
from gambol.bodies.body_tree import BodyTree
from gambol.bodies.character import Character
from gambol.bodies.mjcf.standing import with_rest
from gambol.bodies.patches import Patch

BODY_ROLES = ("root", "trunk", "head", "tail")
SIDED_BODIES = ("thigh", "shank", "foot", "upper_arm", "forearm", "hand")
JOINT_ROLES = ("lower_spine", "upper_spine", "neck", "tail")
SIDED_JOINTS = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")


@dataclass(frozen=True)
class JointRow:
    """One joint: its role ('' if none), range (rad, or None) and strength (N m; 0: passive)."""

    role: str
    joint: str
    range: tuple[float, float] | None
    strength: float
    rest: float


@dataclass(frozen=True)
class Inspection:
    """All there is to say about a character."""

    name: str
    mass: float
    height: float
    dofs: int
    motors: int
    bodies: tuple[tuple[str, str], ...]
    """(role, body)"""
    joints: tuple[JointRow, ...]
    soles: tuple[tuple[str, np.ndarray], ...]
    """(foot role, (k, 3) points)"""
    patches: tuple[tuple[str, Patch], ...]
    """(role, patch), without the soles"""
    empty: tuple[str, ...]
    """usual roles that nobody plays"""
    notes: tuple[str, ...]


def inspect(character: Character) -> Inspection:
    """Measure a character in its rest pose."""
    model = character.compile()
    tree = BodyTree(model, with_rest(model, character.rest))
    anatomy = character.anatomy
    limits = read_actuation(model, np.arange(model.nu)).limit
    strength = {int(model.actuator_trnid[a, 0]): float(limits[a]) for a in range(model.nu)}
    role_of = {joint: role for role, names in anatomy.joints.items() for joint in names}
    rows = []
    for joint in range(model.njnt):
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            continue
        name = model.joint(joint).name
        span = tuple(float(v) for v in model.jnt_range[joint]) if model.jnt_limited[joint] else None
        rows.append(JointRow(role_of.get(name, ""), name, span,  # type: ignore[arg-type]
                             strength.get(joint, 0.0), float(tree.data.qpos[model.jnt_qposadr[joint]])))
    order = list(anatomy.joints)
    rows.sort(key=lambda row: order.index(row.role) if row.role else len(order))
    return Inspection(character.name, float(model.body_subtreemass[0]), _height(tree), model.nv, model.nu,
                      tuple(anatomy.bodies.items()), tuple(rows), tuple(anatomy.soles.items()),
                      tuple((role, patch) for role, patch in anatomy.patches.items() if role not in anatomy.soles),
                      empty_roles(character), character.notes)


def empty_roles(character: Character) -> tuple[str, ...]:
    """Usual roles, for the limbs this character has, that nobody plays."""
    anatomy = character.anatomy
    legs = [foot.removesuffix("foot") for foot in anatomy.feet] or ["left_", "right_"]
    arms = ["left_", "right_"] if len(legs) <= 2 else []
    wanted = [role for role in BODY_ROLES if role != "tail"]
    wanted += [leg + part for leg in legs for part in SIDED_BODIES[:3]]
    wanted += [arm + part for arm in arms for part in SIDED_BODIES[3:]]
    wanted_joints = [role for role in JOINT_ROLES if role != "tail"]
    wanted_joints += [leg + joint for leg in legs for joint in SIDED_JOINTS[:3]]
    wanted_joints += [arm + joint for arm in arms for joint in SIDED_JOINTS[3:]]
    return (*(role for role in wanted if role not in anatomy.bodies),
            *(f"{role} (joints)" for role in wanted_joints if role not in anatomy.joints))


def inspect_rows(character: Character) -> list[tuple[str, str, str]]:
    """The same as rows of text: (section, name, value)."""
    seen = inspect(character)
    rows = [("body", "mass", f"{seen.mass:.4g} kg"), ("body", "height", f"{seen.height:.4g} m"),
            ("body", "degrees of freedom", f"{seen.dofs}, {seen.motors} with a motor")]
    rows += [("role", role, body) for role, body in seen.bodies]
    rows += [("joint", row.role or "(no role)", _joint_text(row)) for row in seen.joints]
    rows += [("sole", role, "; ".join("{:.3f} {:.3f} {:.3f}".format(*point) for point in points))
             for role, points in seen.soles]
    rows += [("patch", role, f"{patch.kind} of {patch.body}: "
              + "; ".join("{:.3f} {:.3f} {:.3f}".format(*point) for point in patch.points))
             for role, patch in seen.patches]
    rows += [("empty", role, "") for role in seen.empty]
    rows += [("note", "", note) for note in seen.notes]
    return rows


def _joint_text(row: JointRow) -> str:
    limits = "any angle" if row.range is None else "{:.0f} to {:.0f} deg".format(*np.rad2deg(row.range))
    motor = f"{row.strength:.4g} N m" if row.strength else "passive"
    rest = f", rest {np.rad2deg(row.rest):.0f} deg" if abs(row.rest) > 1e-3 else ""
    return f"{row.joint}: {limits}, {motor}{rest}"


def _height(tree: BodyTree) -> float:
    """From the lowest to the highest point of the geoms' bounding spheres' content, colliding or not."""
    model, data = tree.model, tree.data
    tops = [data.geom_xpos[g][2] + abs_extent(model, data, g) for g in range(model.ngeom)]
    return float(max(tops, default=tree.ground) - tree.ground)


def abs_extent(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Half the vertical extent of a geom, from its bounding box."""
    center, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    turn = data.geom_xmat[geom].reshape(3, 3)
    return float((turn @ center)[2] + np.abs(turn[2]) @ half)
