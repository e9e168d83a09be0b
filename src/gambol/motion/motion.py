"""A Motion: a time series of states, with the controls when it was simulated, and the model it belongs to.

One `.npz` file holds everything needed to replay it in plain MuJoCo (docs/motion-file.md).
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from gambol._version import __version__
from gambol.bodies.anatomy import Anatomy
from gambol.bodies.patches import KINDS
from gambol.errors import BadInput
from gambol.files import whole_file
from gambol.world.world import World

FORMAT = "gambol-motion/1"
ARRAYS = {"initial_state": 1, "ctrl": 2, "time": 1, "qpos": 2, "qvel": 2, "push_tick": 1, "push_body": 1,
          "push_wrench": 2, "throw_tick": 1, "throw_body": 1, "throw_state": 2}
"""Array keys of the file with their number of dimensions."""
INDICES = ("push_tick", "push_body", "throw_tick", "throw_body", "edit_tick")
EVENTS = {"push": ("push_wrench", 6), "throw": ("throw_state", 13)}
"""What is recorded of each push and throw, and how many numbers."""
ANATOMY = ("bodies", "joints", "soles")
REQUIRED = ("format", "model_xml", "time", "qpos", "qvel", "meta")

Edit = tuple[int, Mapping[str, np.ndarray]]


@dataclass(frozen=True)
class FigureInfo:
    """Whose names are whose: one character of the recorded scene."""

    character: str
    prefix: str
    anatomy: Anatomy

    def as_dict(self) -> dict[str, Any]:
        """Its entry under `figures` in `meta`."""
        return {"character": self.character, "prefix": self.prefix, **self.anatomy.as_dict()}

    @staticmethod
    def from_dict(entry: Mapping[str, Any]) -> FigureInfo:
        """The figure of an entry that `as_dict` wrote."""
        return FigureInfo(entry["character"], entry["prefix"], Anatomy.from_dict(entry))


@dataclass(frozen=True)
class Motion:
    """States over time (n + 1 rows) and controls (n rows) of one model."""

    model_xml: str
    time: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    initial_state: np.ndarray = field(default_factory=lambda: np.zeros(0))
    substeps: int = 1
    ctrl: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    push_tick: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    push_body: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    push_wrench: np.ndarray = field(default_factory=lambda: np.zeros((0, 6)))
    throw_tick: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    throw_body: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    throw_state: np.ndarray = field(default_factory=lambda: np.zeros((0, 13)))
    edits: tuple[Edit, ...] = ()
    assets: Mapping[str, bytes] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, np.ndarray] = field(default_factory=dict)
    """what else is known of each row, by name: the contacts of a synthesised motion"""

    # -- making ----------------------------------------------------------------------------------------------------

    @staticmethod
    def from_world(world: World, last: float | None = None, **meta: Any) -> Motion:
        """The take a world has recorded (or its last seconds), with whatever should be remembered about it."""
        arrays = world.recorder.arrays(last)
        edits = tuple(arrays.pop("edits"))
        figures = [FigureInfo(figure.character.name, figure.prefix, figure.anatomy).as_dict()
                   for figure in world.figures]
        about = {"character": world.characters[0].name, "terrain": world.terrain.text, "seed": world.seed,
                 "gambol": __version__,
                 "mujoco": mujoco.__version__, "figures": figures, "events": list(world.events), **meta}
        if world.vary is not None:
            about["vary"] = world.vary.text
        return Motion(model_xml=world.scene.xml, assets=dict(world.scene.assets), edits=edits, meta=about, **arrays)

    # -- reading ---------------------------------------------------------------------------------------------------

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The model as it was at the start, compiled from the text in the file."""
        try:
            return mujoco.MjModel.from_xml_string(self.model_xml, dict(self.assets))
        except ValueError as error:
            raise BadInput(f"the motion's model does not compile: {' '.join(str(error).split())}") from None

    @cached_property
    def figures(self) -> tuple[FigureInfo, ...]:
        """The characters in it, by what the file says of their anatomy."""
        return tuple(FigureInfo.from_dict(entry) for entry in self.meta.get("figures", []))

    @property
    def seconds(self) -> float:
        return float(self.time[-1] - self.time[0])

    @property
    def tick_length(self) -> float:
        return self.seconds / max(1, len(self.time) - 1)

    @property
    def simulated(self) -> bool:
        """Whether it has controls and can be replayed (a synthesised motion has none)."""
        return len(self.ctrl) > 0

    def sample(self, times: np.ndarray) -> np.ndarray:
        """`qpos` at any times, (len(times), nq): interpolated, rotations on the shortest arc."""
        times = np.clip(times, self.time[0], self.time[-1])
        after = np.clip(np.searchsorted(self.time, times), 1, len(self.time) - 1)
        before = after - 1
        share = (times - self.time[before]) / (self.time[after] - self.time[before])
        rows = np.empty((len(times), self.model.nq))
        velocity = np.zeros(self.model.nv)
        for row, a, b, s in zip(rows, before, after, share, strict=True):
            mujoco.mj_differentiatePos(self.model, velocity, 1.0, self.qpos[a], self.qpos[b])
            row[:] = self.qpos[a]
            mujoco.mj_integratePos(self.model, row, velocity, float(s))
        return rows

    def with_meta(self, **meta: Any) -> Motion:
        return replace(self, meta={**self.meta, **meta})

    # -- the file --------------------------------------------------------------------------------------------------

    def save(self, path: Path | str) -> Path:
        """Write the `.npz`, whole or not at all."""
        path = Path(path)
        content: dict[str, Any] = {"format": FORMAT, "model_xml": self.model_xml, "substeps": np.int64(self.substeps)}
        content |= {name: getattr(self, name) for name in ARRAYS if self.simulated or name in REQUIRED}
        content |= {f"asset/{name}": np.frombuffer(data, dtype=np.uint8) for name, data in self.assets.items()}
        content |= {f"extra/{name}": value for name, value in self.extra.items()}
        content["edit_tick"] = np.array([tick for tick, _ in self.edits], dtype=np.int64)
        for k, (_, fields) in enumerate(self.edits):
            content |= {f"edit/{k}/{name}": value for name, value in fields.items()}
        content["meta"] = json.dumps(meta := {name: value for name, value in self.meta.items() if name != "digest"})
        digests = {name: digest(content[name]) for name in sorted(content)}
        content["meta"] = json.dumps({**meta, "digest": digests})
        with whole_file(path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **content)
        return path

    @staticmethod
    def load(path: Path | str) -> Motion:
        """Read a `.npz`; anything that is not a whole, honest Motion file is refused with one clear line."""
        return _from_content(Path(path), read_content(Path(path)))


def digest(value: Any) -> str:
    """Short fingerprint of one entry of the file."""
    array = np.asarray(value)
    return hashlib.sha256(str(array.dtype.kind).encode() + str(array.shape).encode() + array.tobytes()).hexdigest()[:16]


def read_content(path: Path) -> dict[str, np.ndarray]:
    """All arrays of an `.npz`, never unpickling anything."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder, not a Motion file (.npz)")
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    try:
        with path.open("rb") as start:
            if start.read(2) != b"PK":
                raise BadInput(f"{path} is not an .npz file")
        with np.load(path, allow_pickle=False) as file:
            content = {name: file[name] for name in file.files}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, NotImplementedError, RuntimeError, TypeError,
            MemoryError) as error:
        raise BadInput(f"{path} is damaged or not an .npz file: {error}") from None
    except ValueError as error:
        if "pickle" in str(error).lower():
            raise BadInput(f"{path} holds pickled objects, which gambol refuses to load; Motion files have none"
                           ) from None
        raise BadInput(f"{path} is damaged: {error}") from None
    for name, value in content.items():
        if not isinstance(value, np.ndarray):  # numpy gives the bytes of what is no array
            raise BadInput(f"{path}: {name!r} is not an array")
    return content


def _from_content(path: Path, content: dict[str, np.ndarray]) -> Motion:
    found = str(content["format"]) if "format" in content else "no format"
    if found != FORMAT:
        raise BadInput(f"{path} is not a gambol Motion file: found {found!r}, expected {FORMAT!r}")
    for name in REQUIRED:
        if name not in content:
            raise BadInput(f"{path} is not a whole Motion file: {name!r} is missing")
    _check_kinds(path, content)
    try:
        meta = json.loads(str(content["meta"]))
    except (json.JSONDecodeError, RecursionError) as error:
        raise BadInput(f"{path}: 'meta' is not JSON: {error}") from None
    _check_meta(path, meta)
    arrays = {name: content[name] for name in ARRAYS if name in content}
    for name in INDICES:
        if name in arrays:
            arrays[name] = arrays[name].astype(np.int64)
    edits = tuple((int(tick), {name.split("/", 2)[2]: value for name, value in content.items()
                               if name.startswith(f"edit/{k}/")})
                  for k, tick in enumerate(content.get("edit_tick", np.zeros(0, dtype=np.int64))))
    assets = {name.removeprefix("asset/"): value.tobytes() for name, value in content.items()
              if name.startswith("asset/")}
    extra = {name.removeprefix("extra/"): value for name, value in content.items() if name.startswith("extra/")}
    motion = Motion(model_xml=str(content["model_xml"]), substeps=int(content.get("substeps", 1)), edits=edits,
                    assets=assets, meta=meta, extra=extra, **arrays)
    _check_shapes(path, motion)
    _check_events(path, motion)
    _check_edits(path, motion, content)
    _check_numbers(path, motion)
    _check_figures(path, motion)
    return motion


def _check_kinds(path: Path, content: Mapping[str, np.ndarray]) -> None:
    """Every entry has the kind of values and the number of dimensions it should have."""
    for name in ("model_xml", "meta"):
        if content[name].ndim or content[name].dtype.kind != "U":
            raise BadInput(f"{path}: {name!r} should be text")
    for name, dimensions in {**ARRAYS, "edit_tick": 1}.items():
        if name in content and (content[name].ndim != dimensions or content[name].dtype.kind not in "fiu"):
            raise BadInput(f"{path}: {name!r} should be a numeric array of {dimensions} dimensions")
    for name in INDICES:
        if name in content and content[name].size and content[name].dtype.kind not in "iu":
            raise BadInput(f"{path}: {name!r} should hold whole numbers")
    substeps = content.get("substeps", np.int64(1))
    if substeps.ndim or substeps.dtype.kind not in "iu" or not 1 <= int(substeps) <= 1_000_000:
        raise BadInput(f"{path}: 'substeps' should be one whole number, at least 1")


def _check_meta(path: Path, meta: Any) -> None:
    if not isinstance(meta, dict):
        raise BadInput(f"{path}: 'meta' should be a JSON object, not {type(meta).__name__}")
    if not isinstance(meta.get("digest", {}), dict):
        raise BadInput(f"{path}: 'digest' in 'meta' should be a JSON object")
    for name in ("figures", "events"):
        entries = meta.get(name, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise BadInput(f"{path}: {name!r} in 'meta' should be a list of JSON objects")
    if not isinstance(meta.get("terrain", ""), str):
        raise BadInput(f"{path}: 'terrain' in 'meta' should be text")
    if not all(isinstance(event.get("time", 0.0), int | float) for event in meta.get("events", [])):
        raise BadInput(f"{path}: 'events' in 'meta': 'time' should be a number")
    for entry in meta.get("figures", []):
        for key in ("character", "prefix"):
            if not isinstance(entry.get(key), str):
                raise BadInput(f"{path}: 'figures' in 'meta': {key!r} is missing or not text")
        for key in ANATOMY:
            if not isinstance(entry.get(key), dict):
                raise BadInput(f"{path}: 'figures' in 'meta': {key!r} is missing or not a JSON object")
        if not all(isinstance(name, str) for name in entry["bodies"].values()):
            raise BadInput(f"{path}: 'figures' in 'meta': 'bodies' should hold names")
        if not all(isinstance(names, list) and all(isinstance(name, str) for name in names)
                   for names in entry["joints"].values()):
            raise BadInput(f"{path}: 'figures' in 'meta': 'joints' should hold lists of names")
        if not all(_is_points(points) for points in entry["soles"].values()):
            raise BadInput(f"{path}: 'figures' in 'meta': 'soles' should hold points of three finite numbers")
        patches = entry.get("patches", {})  # files of before there were any have none
        if not isinstance(patches, dict) or not all(_is_patch(patch) for patch in patches.values()):
            raise BadInput(f"{path}: 'figures' in 'meta': 'patches' should hold a kind, a body, points and heel each")


def _is_patch(value: Any) -> bool:
    return (isinstance(value, dict) and value.get("kind") in tuple(KINDS) and isinstance(value.get("body"), str)
            and isinstance(value.get("toes", ""), str) and _is_points(value.get("points"))
            and type(value.get("heel")) is int and 0 <= value["heel"] <= len(value["points"]))


def _is_points(value: Any) -> bool:
    try:
        points = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return False
    return points.ndim == 2 and points.shape[1] == 3 and bool(np.isfinite(points).all())


def _check_shapes(path: Path, motion: Motion) -> None:
    n = len(motion.time)
    if n < 1 or len(motion.qpos) != n or len(motion.qvel) != n:
        raise BadInput(f"{path}: time, qpos and qvel must have the same number of rows, at least one")
    if motion.simulated and len(motion.ctrl) != n - 1:
        raise BadInput(f"{path}: ctrl must have one row less than qpos; got {len(motion.ctrl)} and {n}")
    for name, value in motion.extra.items():
        if value.ndim < 1 or len(value) != n or value.dtype.kind not in "fiub":
            raise BadInput(f"{path}: 'extra/{name}' should be a numeric array with a row for each of 'time'")
    model = motion.model
    for name, width in (("qpos", model.nq), ("qvel", model.nv)):
        if getattr(motion, name).shape[1] != width:
            raise BadInput(f"{path}: the states do not fit the model: {name} has {getattr(motion, name).shape[1]} "
                           f"columns, the model {width}")
    if motion.simulated and motion.ctrl.shape[1] != model.nu:
        raise BadInput(f"{path}: ctrl has {motion.ctrl.shape[1]} columns, the model {model.nu} actuators")


def _check_events(path: Path, motion: Motion) -> None:
    """Pushes and throws happen to bodies of the model, within the take."""
    model, ticks = motion.model, len(motion.time) - 1
    for kind, (value, width) in EVENTS.items():
        at, bodies, rows = (getattr(motion, name) for name in (f"{kind}_tick", f"{kind}_body", value))
        if not len(at) == len(bodies) == len(rows):
            raise BadInput(f"{path}: '{kind}_tick', '{kind}_body' and {value!r} must have the same number of rows")
        if rows.shape[1] != width:
            raise BadInput(f"{path}: {value!r} has {rows.shape[1]} columns; it takes {width}")
        if not np.isfinite(rows).all():
            raise BadInput(f"{path}: {value!r} holds numbers that are not finite")
        if ((at < 0) | (at > ticks)).any():
            raise BadInput(f"{path}: '{kind}_tick' is outside the take, 0 to {ticks}")
        if ((bodies < 0) | (bodies >= model.nbody)).any():
            raise BadInput(f"{path}: '{kind}_body' names a body that the model does not have (0 to {model.nbody - 1})")
    for body in motion.throw_body:
        joint = model.body_jntadr[body]
        if joint < 0 or mujoco.mjtJoint(model.jnt_type[joint]) != mujoco.mjtJoint.mjJNT_FREE:
            raise BadInput(f"{path}: 'throw_body' names body {body}, which cannot be thrown: it has no free joint")


def _check_edits(path: Path, motion: Motion, content: Mapping[str, np.ndarray]) -> None:
    """Edits give arrays of the model other values, of the same shape."""
    ticks = len(motion.time) - 1
    if any(not 0 <= tick <= ticks for tick, _ in motion.edits):
        raise BadInput(f"{path}: 'edit_tick' is outside the take, 0 to {ticks}")
    known = {f"edit/{k}/{name}" for k, (_, fields) in enumerate(motion.edits) for name in fields}
    for name in content:
        if name.startswith("edit/") and name not in known:
            raise BadInput(f"{path}: {name!r} belongs to no entry of 'edit_tick'")
    for k, (_, fields) in enumerate(motion.edits):
        for name, value in fields.items():
            old = None if name.startswith("_") else getattr(motion.model, name, None)
            if not isinstance(old, np.ndarray):
                raise BadInput(f"{path}: 'edit/{k}/{name}': the model has no array {name!r}")
            if old.shape != value.shape or value.dtype.kind not in "fiub":
                raise BadInput(f"{path}: 'edit/{k}/{name}' should be a numeric array of shape {old.shape}; "
                               f"got {value.shape}")


def _check_numbers(path: Path, motion: Motion) -> None:
    """All finite, but for the last state of a take that was saved because it diverged."""
    last = -1 if "diverged" in motion.meta else None
    for name in ("time", "qpos", "qvel"):
        bad = ~np.isfinite(getattr(motion, name)[:last])
        if bad.any():
            raise BadInput(f"{path}: {name!r} is not finite in row {int(np.argwhere(bad)[0, 0])}")
    if not (np.diff(motion.time[:last]) > 0).all():
        raise BadInput(f"{path}: 'time' does not increase from row to row")


def _check_figures(path: Path, motion: Motion) -> None:
    """The parts that the file names are in its model."""
    for figure in motion.figures:
        parts = [(mujoco.mjtObj.mjOBJ_BODY, "body", name) for name in figure.anatomy.bodies.values()]
        parts += [(mujoco.mjtObj.mjOBJ_BODY, "body", name) for patch in figure.anatomy.patches.values()
                  for name in (patch.body, patch.toes) if name]
        parts += [(mujoco.mjtObj.mjOBJ_JOINT, "joint", name) for names in figure.anatomy.joints.values()
                  for name in names]
        for kind, word, name in parts:
            if mujoco.mj_name2id(motion.model, kind, figure.prefix + name) < 0:
                raise BadInput(f"{path}: 'figures' in 'meta': the model has no {word} {figure.prefix + name!r}")
        for role in figure.anatomy.soles:
            if role not in figure.anatomy.bodies:
                raise BadInput(f"{path}: 'figures' in 'meta': 'soles' of {role!r}, which is no part of it")
