"""A Motion: a time series of states, with the controls when it was simulated, and the model it belongs to.

One `.npz` file holds everything needed to replay it in plain MuJoCo (docs/motion-file.md).
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.errors import BadInput
from gambol.motion.files import whole_file
from gambol.world.world import World

FORMAT = "gambol-motion/1"
ARRAYS = {"initial_state": 1, "ctrl": 2, "time": 1, "qpos": 2, "qvel": 2, "push_tick": 1, "push_body": 1,
          "push_wrench": 2, "throw_tick": 1, "throw_body": 1, "throw_state": 2}
"""Array keys of the file with their number of dimensions."""
REQUIRED = ("format", "model_xml", "time", "qpos", "qvel", "meta")

Edit = tuple[int, Mapping[str, np.ndarray]]


@dataclass(frozen=True)
class FigureInfo:
    """Whose names are whose: one character of the recorded scene."""

    character: str
    prefix: str
    anatomy: Anatomy


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

    # -- making ----------------------------------------------------------------------------------------------------

    @staticmethod
    def from_world(world: World, last: float | None = None, **meta: Any) -> Motion:
        """The take a world has recorded (or its last seconds), with whatever should be remembered about it."""
        arrays = world.recorder.arrays(last)
        edits = tuple(arrays.pop("edits"))
        figures = [{"character": figure.character.name, "prefix": figure.prefix,
                    "bodies": dict(figure.anatomy.bodies),
                    "joints": {role: list(names) for role, names in figure.anatomy.joints.items()},
                    "soles": {role: np.asarray(points).tolist() for role, points in figure.anatomy.soles.items()}}
                   for figure in world.figures]
        about = {"character": world.characters[0].name, "terrain": world.terrain.text, "seed": world.seed,
                 "mujoco": mujoco.__version__, "figures": figures, "events": list(world.events), **meta}
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
        return tuple(FigureInfo(entry["character"], entry["prefix"],
                                Anatomy(entry["bodies"], {k: tuple(v) for k, v in entry["joints"].items()},
                                        {k: np.array(v) for k, v in entry["soles"].items()}))
                     for entry in self.meta.get("figures", []))

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
        content["edit_tick"] = np.array([tick for tick, _ in self.edits], dtype=np.int64)
        for k, (_, fields) in enumerate(self.edits):
            content |= {f"edit/{k}/{name}": value for name, value in fields.items()}
        content["meta"] = json.dumps({**self.meta, "digest": {name: digest(content[name]) for name in sorted(content)}})
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
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise BadInput(f"{path} is not a Motion file (.npz)")
            return {name: file[name] for name in file.files}
    except (zipfile.BadZipFile, EOFError, OSError, KeyError, NotImplementedError) as error:
        raise BadInput(f"{path} is damaged or not an .npz file: {error}") from None
    except ValueError as error:
        if "pickle" in str(error).lower():
            raise BadInput(f"{path} holds pickled objects, which gambol refuses to load; Motion files have none"
                           ) from None
        raise BadInput(f"{path} is damaged: {error}") from None


def _from_content(path: Path, content: dict[str, np.ndarray]) -> Motion:
    found = str(content["format"]) if "format" in content else "no format"
    if found != FORMAT:
        raise BadInput(f"{path} is not a gambol Motion file: found {found!r}, expected {FORMAT!r}")
    for name in REQUIRED:
        if name not in content:
            raise BadInput(f"{path} is not a whole Motion file: {name!r} is missing")
    for name, dimensions in ARRAYS.items():
        if name in content and (content[name].ndim != dimensions or content[name].dtype.kind not in "fiu"):
            raise BadInput(f"{path}: {name!r} should be a numeric array of {dimensions} dimensions")
    try:
        meta = json.loads(str(content["meta"]))
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}: 'meta' is not JSON: {error}") from None
    arrays = {name: content[name] for name in ARRAYS if name in content}
    edits = tuple((int(tick), {name.split("/", 2)[2]: value for name, value in content.items()
                               if name.startswith(f"edit/{k}/")})
                  for k, tick in enumerate(content.get("edit_tick", np.zeros(0, dtype=np.int64))))
    assets = {name.removeprefix("asset/"): value.tobytes() for name, value in content.items()
              if name.startswith("asset/")}
    motion = Motion(model_xml=str(content["model_xml"]), substeps=int(content.get("substeps", 1)), edits=edits,
                    assets=assets, meta=meta, **arrays)
    _check_shapes(path, motion)
    return motion


def _check_shapes(path: Path, motion: Motion) -> None:
    n = len(motion.time)
    if n < 1 or len(motion.qpos) != n or len(motion.qvel) != n:
        raise BadInput(f"{path}: time, qpos and qvel must have the same number of rows, at least one")
    if motion.simulated and len(motion.ctrl) != n - 1:
        raise BadInput(f"{path}: ctrl must have one row less than qpos; got {len(motion.ctrl)} and {n}")
    model = motion.model
    if motion.qpos.shape[1] != model.nq or motion.qvel.shape[1] != model.nv:
        raise BadInput(f"{path}: the states do not fit the model: qpos has {motion.qpos.shape[1]} columns, "
                       f"the model {model.nq}")
    if motion.simulated and motion.ctrl.shape[1] != model.nu:
        raise BadInput(f"{path}: ctrl has {motion.ctrl.shape[1]} columns, the model {model.nu} actuators")
