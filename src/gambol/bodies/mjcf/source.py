"""Reading somebody's MJCF file: one clear line if it cannot be used, and text plus assets that compile anywhere."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from gambol.errors import BadInput


@dataclass(frozen=True)
class Source:
    """A model as its author wrote it."""

    path: Path
    name: str
    """short name made from the file's, safe as a prefix in a scene"""
    model: mujoco.MjModel
    """compiled as the file says: the reference for strengths, masses and keyframes"""
    text: str
    """the same model as canonical MJCF: includes resolved, radians, every body and joint named, asset paths flat"""
    assets: dict[str, bytes]


def one_line(error: Exception) -> str:
    """MuJoCo's message, which may have several lines, as one."""
    return " ".join(str(error).split()).removeprefix("Error: ").removeprefix("XML Error: ")


def load(path: Path) -> Source:
    """Read and compile a model file."""
    path = Path(path)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise BadInput(f"cannot read a character from {str(path)!r}: it {what}; give the path of a MuJoCo XML file")
    if path.suffix == ".npz":
        raise BadInput(f"{path} is a Motion, no MuJoCo XML model; `gambol view` shows it and `gambol verify` checks it")
    try:
        spec = mujoco.MjSpec.from_file(str(path.resolve()))
    except (ValueError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not a MuJoCo XML model: {one_line(error)}") from None
    name_everything(spec)
    assets = flatten_assets(spec, path)
    spec.compiler.saveinertial = _inertia_is_special(spec.compiler)
    try:
        with warnings.catch_warnings():  # deprecated attributes are the author's business
            warnings.simplefilter("ignore")
            model = spec.compile()
            text = spec.to_xml()
    except ValueError as error:
        raise BadInput(f"MuJoCo cannot compile {path}: {one_line(error)}") from None
    require_free_joint(path, model)
    return Source(path, short_name(path.stem), model, text, assets)


def short_name(stem: str) -> str:
    """A name that can be the prefix of a character in a scene, and cannot be taken for the ground."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", stem) or "model"
    return f"{name}_model" if name == "terrain" else name


def name_everything(spec: mujoco.MjSpec) -> None:
    """Anatomy speaks in names, so bodies and joints without one get one."""
    bodies = {body.name for body in spec.bodies}
    joints = {joint.name for joint in spec.joints}
    for body in spec.bodies:
        if not body.name:
            body.name = _fresh(f"{body.parent.name if body.parent else ''}_part".lstrip("_"), bodies)
        for joint in body.joints:
            if not joint.name:
                free = joint.type == mujoco.mjtJoint.mjJNT_FREE
                joint.name = _fresh("root" if free else f"{body.name}_joint", joints)


def _fresh(stem: str, taken: set[str]) -> str:
    candidates = (stem if k == 1 else f"{stem}{k}" for k in range(1, len(taken) + 3))
    name = next(c for c in candidates if c not in taken)
    taken.add(name)
    return name


def require_free_joint(path: Path, model: mujoco.MjModel) -> None:
    """A character floats; a model that is fixed to the world is refused with the fix."""
    if (model.jnt_type == mujoco.mjtJoint.mjJNT_FREE).any():
        return
    if model.nbody < 2:
        raise BadInput(f"{path} has no bodies; a character is a body with a <freejoint/> and parts jointed to it")
    tops = np.flatnonzero(model.body_parentid == 0)[1:]
    top = max(tops, key=lambda b: model.body_subtreemass[b])
    joints = [model.joint(j).name for j in range(model.njnt) if model.jnt_bodyid[j] == top]
    have = f" (it has {', '.join(repr(j) for j in joints)} instead)" if joints else ""
    raise BadInput(f"{path} has no free joint, so its root cannot move freely{have}; give body "
                   f"{model.body(top).name!r} a <freejoint/> and no other joint")


def flatten_assets(spec: mujoco.MjSpec, path: Path) -> dict[str, bytes]:
    """Read every file the model refers to and refer to it by a flat name.

    The name starts with a piece of the content's hash, so that files of one name from two models can share a scene.
    """
    assets: dict[str, bytes] = {}
    for asset, kind in _assets(spec):
        directory = getattr(asset.compiler, kind)
        if asset.file:
            asset.file = _take(asset.file, directory, path, spec, assets)
        for k, file in enumerate(getattr(asset, "cubefiles", ())):
            if file:
                asset.cubefiles[k] = _take(file, directory, path, spec, assets)
    spec.meshdir = spec.texturedir = ""
    spec.compiler.meshdir = spec.compiler.texturedir = ""
    spec.modelfiledir = ""
    spec.assets = assets
    return assets


def _assets(spec: mujoco.MjSpec) -> Iterator[tuple[mujoco.MjsMesh, str]]:
    for asset in (*spec.meshes, *spec.hfields, *spec.skins):
        yield asset, "meshdir"
    for asset in spec.textures:
        yield asset, "texturedir"


def _take(file: str, directory: str, path: Path, spec: mujoco.MjSpec, assets: dict[str, bytes]) -> str:
    content = spec.assets.get(file)
    if content is None:
        home = path.resolve().parent
        tried = (home / directory / file, home / file, home / directory / Path(file).name)
        found = next((candidate for candidate in tried if candidate.is_file()), None)
        if found is None:
            raise BadInput(f"{path} refers to the file {file!r}, which is not there; looked for {tried[0]}")
        content = found.read_bytes()
    name = f"{hashlib.sha256(content).hexdigest()[:10]}_{Path(file).name}"
    assets[name] = content
    return name


def _inertia_is_special(compiler: mujoco.MjsCompiler) -> bool:
    """Whether masses come from settings of the whole file, which a scene would lose: then write them out."""
    plain = mujoco.MjSpec().compiler
    settings = ("inertiafromgeom", "settotalmass", "boundmass", "boundinertia", "balanceinertia")
    return (any(getattr(compiler, name) != getattr(plain, name) for name in settings)
            or list(compiler.inertiagrouprange) != list(plain.inertiagrouprange))
