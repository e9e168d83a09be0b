"""The anatomy file: a small YAML beside the model that overrides what was inferred.

    bodies: {root: pelvis, left_foot: ankle_l}        role -> body
    joints: {left_hip: [hip_l_x, hip_l_y]}            role -> joints, proximal first
    soles:  {left_foot: [[-0.05, 0, -0.08], ...]}     foot role -> points in the foot's frame, heel first
    patches: {left_palm: {kind: palm, body: hand_l, points: [[0.02, 0, -0.09]]}}
    rest:   {knee_l: 0.3}                             joint -> radians

A role given as null is emptied.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.character import Character
from gambol.bodies.patches import Patch
from gambol.errors import BadInput, unknown

SECTIONS = ("bodies", "joints", "soles", "patches", "rest")
PATCH_KEYS = ("kind", "body", "points", "heel", "toes")


@dataclass(frozen=True)
class AnatomyFile:
    """What a user's file says; None empties a role."""

    bodies: Mapping[str, str | None] = field(default_factory=dict)
    joints: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    soles: Mapping[str, np.ndarray | None] = field(default_factory=dict)
    patches: Mapping[str, Patch | None] = field(default_factory=dict)
    rest: Mapping[str, float] = field(default_factory=dict)


def find(model: Path, given: Path | None) -> Path | None:
    """The anatomy file to use: the given one, else `MODEL.anatomy.yaml` beside the model if there."""
    if given is not None:
        if not given.is_file():
            raise BadInput(f"no anatomy file {str(given)!r}; write one with: gambol inspect {model} "
                           f"--write-anatomy {given}")
        return given
    beside = model.with_name(model.stem + ".anatomy.yaml")
    return beside if beside.is_file() else None


def read(path: Path, bodies: Collection[str], joints: Collection[str]) -> AnatomyFile:
    """Read and check an anatomy file against the names of the model."""
    try:
        text = path.read_text(encoding="utf-8")
        content = yaml.safe_load(text)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    if content is None:
        return AnatomyFile()
    if not isinstance(content, dict):
        raise BadInput(f"{path}: expected sections {', '.join(SECTIONS)}; got {_kind(content)}")
    for section in content:
        if section not in SECTIONS:
            raise _in_file(path, unknown("section", str(section), SECTIONS))
    tables = {section: _table(path, section, content.get(section)) for section in SECTIONS}
    return AnatomyFile(
        {role: _body(path, role, value, bodies) for role, value in tables["bodies"].items()},
        {role: _joints(path, role, value, joints) for role, value in tables["joints"].items()},
        {role: _points(path, f"soles.{role}", value) for role, value in tables["soles"].items()},
        {role: _patch(f"{path}:{_line(text, role)}", role, value, bodies)
         for role, value in tables["patches"].items()},
        {_name(path, "joint", joint, joints): _number(path, f"rest of {joint!r}", value)
         for joint, value in tables["rest"].items()})


def merge(anatomy: Anatomy, given: AnatomyFile, path: Path | None) -> Anatomy:
    """What is given goes over what was inferred."""
    bodies = {**anatomy.bodies, **given.bodies}
    joints = {**anatomy.joints, **given.joints}
    soles = {**anatomy.soles, **given.soles}
    moved = {role for role in given.bodies if given.bodies[role] != anatomy.bodies.get(role)}
    for role in moved - set(given.soles):
        soles.pop(role, None)  # points in the frame of another body mean nothing here
    merged = Anatomy({role: body for role, body in bodies.items() if body is not None},
                     {role: names for role, names in joints.items() if names is not None},
                     {role: points for role, points in soles.items() if points is not None},
                     {role: patch for role, patch in given.patches.items() if patch is not None})
    for role in merged.soles:
        if role not in merged.bodies:
            raise BadInput(f"{path}: soles of {role!r}, but no body plays that role; add it under bodies")
    if "root" not in merged.bodies:
        raise BadInput(f"{path}: the role 'root' cannot be empty; name a body")
    return merged


def to_yaml(character: Character) -> str:
    """The anatomy of a character as the text of such a file, to start from."""
    anatomy = character.anatomy
    content: dict[str, Any] = {
        "bodies": dict(anatomy.bodies),
        "joints": {role: list(names) for role, names in anatomy.joints.items()},
        "soles": {role: [[round(float(v), 5) for v in point] for point in points]
                  for role, points in anatomy.soles.items()},
        "patches": {role: _plain(patch) for role, patch in anatomy.patches.items()},
        "rest": {joint: round(float(angle), 5) for joint, angle in character.rest.items()}}
    header = (f"# Anatomy of {character.name}: change what is wrong, delete what is right (it is inferred again),\n"
              f"# give a role as null to empty it. Soles, patches: metres in the body's frame, of feet heel first.\n"
              f"# Rest: radians.\n")
    return header + "\n".join(_section(name, table) for name, table in content.items())


def _plain(patch: Patch) -> dict[str, Any]:
    """A patch as such a file has it."""
    rounded = [[round(float(v), 5) for v in point] for point in patch.points]
    plain: dict[str, Any] = {"kind": patch.kind, "body": patch.body, "points": rounded}
    return plain | ({"heel": patch.heel, "toes": patch.toes} if patch.toes else {})


def _section(name: str, table: Mapping[str, Any]) -> str:
    text = yaml.safe_dump({name: dict(table)}, default_flow_style=None, sort_keys=False, width=110, allow_unicode=True)
    return str(text)


def _table(path: Path, section: str, value: object) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise BadInput(f"{path}: {section} must be a table of names; got {_kind(value)}")
    return value


def _body(path: Path, role: str, value: object, known: Collection[str]) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadInput(f"{path}: bodies.{role} must be the name of a body; got {_kind(value)}")
    return _name(path, "body", value, known)


def _joints(path: Path, role: str, value: object, known: Collection[str]) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadInput(f"{path}: joints.{role} must be a list of joint names; got {_kind(value)}")
    return tuple(_name(path, "joint", name, known) for name in value)


def _patch(place: str, role: str, value: object, known: Collection[str]) -> Patch | None:
    """One entry of `patches`; `place` is the file and the line."""
    if value is None:
        return None
    if not isinstance(value, dict) or not {"kind", "body", "points"} <= value.keys():
        raise BadInput(f"{place}: patches.{role} needs kind, body and points; got "
                       f"{', '.join(map(str, value)) if isinstance(value, dict) else _kind(value)}")
    for key in value:
        if key not in PATCH_KEYS:
            raise _in_file(place, unknown(f"key of patches.{role}", str(key), PATCH_KEYS))
    body, toes = (None if value.get(key) is None else _name(place, "body", str(value[key]), known)
                  for key in ("body", "toes"))
    points, heel = _points(place, f"patches.{role}.points", value["points"]), value.get("heel", -1)
    if body is None or points is None:
        raise BadInput(f"{place}: patches.{role} has no {'body' if body is None else 'points'}")
    if isinstance(heel, bool) or not isinstance(heel, int) or (heel != -1 and not 0 < heel < len(points)):
        raise BadInput(f"{place}: patches.{role}.heel must be how many of its {len(points)} points are the heel's; "
                       f"got {_kind(heel)}")
    try:
        return Patch(str(value["kind"]), body, points, heel, toes or "")
    except BadInput as error:
        raise _in_file(place, error) from None


def _line(text: str, role: str) -> int:
    """On which line of the file a patch stands."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for section, entries in root.value if isinstance(root, yaml.MappingNode) else ():
        if section.value == "patches" and isinstance(entries, yaml.MappingNode):
            return next((key.start_mark.line + 1 for key, _ in entries.value if key.value == role), 1)
    return 1


def _points(path: Path | str, what: str, value: object) -> np.ndarray | None:
    if value is None:
        return None
    rows = value if isinstance(value, list) else []
    if not rows or not all(isinstance(row, list) and len(row) == 3 for row in rows):
        raise BadInput(f"{path}: {what} must be a list of points [x, y, z]; got {_kind(value)}")
    return np.array([[_number(path, what, v) for v in row] for row in rows])


def _number(path: Path | str, what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise BadInput(f"{path}: {what} must be a number; got {_kind(value)}")
    return float(value)


def _name(path: Path | str, kind: str, name: str, known: Collection[str]) -> str:
    if name not in known:
        raise _in_file(path, unknown(kind, name, known))
    return name


def _in_file(path: Path | str, error: BadInput) -> BadInput:
    return BadInput(f"{path}: {error}")


def _kind(value: object) -> str:
    words = {dict: "a table", list: "a list", str: "the text", bool: "the value", type(None): "nothing"}
    word = words.get(type(value), "the value")
    return word if isinstance(value, (dict, type(None))) else f"{word} {value!r}"
