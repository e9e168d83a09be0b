"""Bring your own character: a MuJoCo XML file becomes a Character.

The steps, each in a file of its own: read it (source), take the character out (extraction), measure how strong
its actuators are (strength) or keep them as they are (actuators), find out which way it faces (facing) and what its
parts are (inference), let a YAML file correct that (anatomy_file), find a standing pose (standing), fit it to gambol's
conventions (refit).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco
import numpy as np

from gambol.bodies.actuation import ACTUATORS
from gambol.bodies.anatomy import Anatomy
from gambol.bodies.body_tree import BodyTree, angle_joints
from gambol.bodies.character import Character
from gambol.bodies.mjcf import anatomy_file
from gambol.bodies.mjcf.actuators import keep_actuators
from gambol.bodies.mjcf.extraction import extract
from gambol.bodies.mjcf.facing import find_facing
from gambol.bodies.mjcf.inference import infer
from gambol.bodies.mjcf.patches import corrected, infer_patches, pad_geoms
from gambol.bodies.mjcf.refit import (
    add_motors,
    align_frame,
    place_tree,
    stiffen_feet,
    stiffen_pads,
    turn_tree,
)
from gambol.bodies.mjcf.soles import settled, sole_points
from gambol.bodies.mjcf.source import Source, load, one_line
from gambol.bodies.mjcf.standing import standing_pose, with_rest
from gambol.bodies.mjcf.strength import joint_strengths, measure_strengths
from gambol.errors import BadInput, unknown

STANDING_KEYS = ("stand", "home")
UPRIGHT = 0.7
"""A keyframe is a standing pose if the centre of mass is at least this high, compared with the zero pose."""


@dataclass
class Draft:
    """A character in the making: its MJCF tree and what was noted so far."""

    source: Source
    xml: ET.Element
    notes: list[str]
    _compiled: tuple[str, mujoco.MjModel] | None = None

    @property
    def top(self) -> ET.Element:
        body = self.xml.find("worldbody/body")
        assert body is not None
        return body

    def compile(self) -> mujoco.MjModel:
        """The tree as it is now; meshes take long, so an unchanged one is not compiled again."""
        text = ET.tostring(self.xml, encoding="unicode")
        if self._compiled is None or self._compiled[0] != text:
            self._compiled = (text, self._compile(text))
        return self._compiled[1]

    def _compile(self, text: str) -> mujoco.MjModel:
        try:
            return mujoco.MjModel.from_xml_string(text, self.source.assets)
        except ValueError as error:
            raise BadInput(f"{self.source.path}: what is left of the model after taking the character out does not "
                           f"compile: {one_line(error)}") from None


def read_mjcf(path: Path, anatomy_path: Path | None = None, actuators: str = "motors") -> Character:
    """Read a MuJoCo XML file, with its anatomy inferred or given, and torque motors or the actuators of the file."""
    if actuators not in ACTUATORS:
        raise unknown("kind of actuators", actuators, ACTUATORS)
    source = load(path)
    yaml_path = anatomy_file.find(Path(path), anatomy_path)
    xml, _, notes = extract(source)
    draft = Draft(source, xml, notes)
    start = starting_pose(draft)
    face_forward(draft, start)
    model = draft.compile()
    tree = BodyTree(model, with_rest(model, start))
    anatomy = infer(tree)
    given = anatomy_file.AnatomyFile()
    if yaml_path is not None:
        joints = [model.joint(j).name for j in range(model.njnt) if model.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE]
        given = anatomy_file.read(yaml_path, tree.names[1:], joints)
        anatomy = merge_given(tree, anatomy, given, yaml_path)
        notes.append(f"anatomy corrected by {yaml_path.name}")
    straighten_root(draft, tree, anatomy)
    model = draft.compile()
    rest, rest_notes = standing_pose(model, anatomy, with_rest(model, start), tree.height)
    rest |= given.rest
    notes += rest_notes if not given.rest else []
    tree = BodyTree(model, with_rest(model, rest))
    anatomy = settle(tree, anatomy, keep=given.soles)
    check_feet(anatomy, given, yaml_path)
    anatomy = replace(anatomy, patches=corrected(infer_patches(tree, anatomy), given.patches))
    feet = {tree.names[b] for role in anatomy.feet for b in tree.below(tree.names.index(anatomy.bodies[role]))}
    spec = finished_spec(draft, model, actuators)
    notes += stiffen_feet(spec, feet, floor_friction(source.model))
    notes += stiffen_pads(spec, [(tree.names[model.geom_bodyid[g]], g - model.body_geomadr[model.geom_bodyid[g]])
                                 for g in pad_geoms(tree, anatomy.patches.values())], feet)
    if not anatomy.soles:
        notes.append("no feet found: nothing at the end of a limb reaches the ground; give bodies and soles in an "
                     "anatomy file")
    return Character(source.name, spec, anatomy, rest, doc=f"read from {source.path.name}",
                     assets=used_assets(source, draft.xml), self_collision=True, notes=tuple(notes))


def starting_pose(draft: Draft) -> dict[str, float]:
    """Joint angles of the file's standing keyframe, if it has one that is upright; else none: its zero pose."""
    model = draft.source.model
    keys = [k for k in range(model.nkey) if model.key(k).name.lower().startswith(STANDING_KEYS)]
    if not keys:
        return {}
    zero = BodyTree(draft.compile())
    before = dict(draft.top.attrib)
    top = model.body(draft.top.get("name")).id
    address = model.jnt_qposadr[model.body_jntadr[top]]
    qpos, name = model.key_qpos[keys[0]], model.key(keys[0]).name
    place_tree(draft.top, qpos[address:address + 3], qpos[address + 3:address + 7])
    here = draft.compile()
    names = {here.joint(j).name for j in angle_joints(here)}
    pose = {model.joint(j).name: float(qpos[model.jnt_qposadr[j]]) for j in angle_joints(model)
            if model.joint(j).name in names}
    tree = BodyTree(here, with_rest(here, pose))
    if tree.com[tree.top][2] - tree.ground < UPRIGHT * (zero.com[zero.top][2] - zero.ground):
        draft.top.attrib.clear()
        draft.top.attrib.update(before)
        draft.notes.append(f"the keyframe {name!r} is not used: the character does not stand in it")
        return {}
    draft.notes.append(f"rest pose starts from the keyframe {name!r}")
    return pose


def face_forward(draft: Draft, start: dict[str, float]) -> None:
    """Turn the tree so that it faces +x."""
    model = draft.compile()
    facing = find_facing(BodyTree(model, with_rest(model, start)))
    if abs(facing.turn) > 1e-6:
        turn_tree(draft.top, facing.turn)
        draft.notes.append(f"turned by {np.rad2deg(facing.turn):.0f} degrees about the vertical to face +x "
                           f"({facing.reason})")


def straighten_root(draft: Draft, tree: BodyTree, anatomy: Anatomy) -> None:
    """The heading of a character is the x axis of its root, so that axis has to point forward."""
    root = anatomy.bodies["root"]
    quat = tree.data.xquat[tree.names.index(root)].copy()
    quat *= 1 if quat[0] >= 0 else -1
    angle = 2 * np.arccos(np.clip(quat[0], -1, 1))
    if angle < np.deg2rad(10):
        return
    if align_frame(draft.xml, root, quat):
        draft.notes.append(f"the axes of {root!r} turned by {np.rad2deg(angle):.0f} degrees: x forward, z up "
                           f"(the body itself is unchanged)")
    else:
        draft.notes.append(f"the axes of {root!r} are not x forward, z up, and constraints or a skin refer to them: "
                           f"headings will be off by up to {np.rad2deg(angle):.0f} degrees")


def merge_given(tree: BodyTree, anatomy: Anatomy, given: anatomy_file.AnatomyFile, path: Path) -> Anatomy:
    """Put the user's anatomy over the inferred one; feet named without soles get theirs from their geoms."""
    merged = anatomy_file.merge(anatomy, given, path)
    soles = dict(merged.soles)
    for role, body in merged.bodies.items():
        if role.endswith("foot") and role not in soles and role not in given.soles:
            points = sole_points(tree, tree.names.index(body))
            if not len(points):
                raise BadInput(f"{path}: the body {body!r} of {role!r} has no colliding geoms to stand on; "
                               f"give its points under soles")
            soles[role] = points
    return replace(merged, soles=soles)


def settle(tree: BodyTree, anatomy: Anatomy, keep: Collection[str]) -> Anatomy:
    """Fit the inferred sole points to the geoms in the rest pose; those the user gave stay."""
    soles = {role: points if role in keep else settled(tree, tree.names.index(anatomy.bodies[role]), points)
             for role, points in anatomy.soles.items()}
    return replace(anatomy, soles=soles)


def check_feet(anatomy: Anatomy, given: anatomy_file.AnatomyFile, path: Path | None) -> None:
    """Of patches that the user gave, those of feet, and no others, are soles and paws, each on its own foot."""
    for role, patch in given.patches.items():
        if patch is None:
            continue
        if patch.is_foot and role not in anatomy.feet:
            raise BadInput(f"{path}: patches.{role} is of the kind {patch.kind!r}, but {role!r} is no foot; feet: "
                           f"{', '.join(anatomy.feet) or 'none'}")
        if role in anatomy.feet and not (patch.is_foot and patch.body == anatomy.bodies[role]):
            raise BadInput(f"{path}: patches.{role} is that of a foot: it must be a sole or a paw of "
                           f"{anatomy.bodies[role]!r}; got a {patch.kind} of {patch.body!r}")


def floor_friction(model: mujoco.MjModel) -> float:
    """Sliding friction of the file's own floor, which the feet would have felt there; 1 where it has none."""
    planes = np.flatnonzero((model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE) & (model.geom_bodyid == 0))
    return float(model.geom_friction[planes, 0].max()) if len(planes) else 1.0


def finished_spec(draft: Draft, model: mujoco.MjModel, actuators: str) -> mujoco.MjSpec:
    """The final tree with its motors, or with the actuators of the file."""
    strengths = measure_strengths(draft.source.model)
    assets = used_assets(draft.source, draft.xml)
    spec = mujoco.MjSpec.from_string(ET.tostring(draft.xml, encoding="unicode"), assets=assets)
    spec.modelname = draft.source.name
    if actuators == "file":
        draft.notes += keep_actuators(spec, model, draft.source, strengths)
        return spec
    draft.notes += strengths.notes
    driven = joint_strengths(draft.source.model, strengths.limit)
    draft.notes += add_motors(spec, model, driven)
    if draft.source.model.nu:
        draft.notes.append("actuators replaced by one torque motor per joint, as strong as they were")
    return spec


def used_assets(source: Source, xml: ET.Element) -> dict[str, bytes]:
    """Files that the finished tree still refers to."""
    named = {value for element in xml.iter() for key, value in element.attrib.items() if key.startswith("file")}
    return {name: content for name, content in source.assets.items() if name in named}
