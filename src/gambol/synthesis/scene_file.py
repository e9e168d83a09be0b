"""Scenes from YAML, read with the safe loader. Every complaint names the line and what would be right.

    character: human
    start: {pose: standing}
    obstacles: [{x: 1.0, height: 0.2}]
    tasks: [stand, position: {x: 2.0}]
    phases: 16
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from gambol.bodies import is_file
from gambol.errors import BadInput, unknown
from gambol.synthesis.scene import TASKS, Obstacle, Performer, Scene, Task
from gambol.synthesis.shipped import FOLDER, SCENES
from gambol.world.props import Box as PropBox

KEYS = ("name", "character", "characters", "start", "friction", "grip", "obstacles", "props", "tasks", "phases")


class Noted(NamedTuple):
    """A value of the file with its line."""

    value: Any
    line: int


def find_scene(text: str) -> Scene:
    """A scene by the path of its file, or a shipped one by its name."""
    if text in SCENES:
        return read_scene(FOLDER / f"{text}.yaml")
    if Path(text).suffix not in (".yaml", ".yml"):
        raise unknown("scene", text, SCENES)
    return read_scene(text)


def read_scene(path: Path | str) -> Scene:
    """Read a scene file."""
    path = Path(path)
    if not path.is_file():
        raise BadInput(f"there is no scene file {path}")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not text") from None
    return parse_scene(text, str(path), path.stem)


def parse_scene(text: str, path: str = "scene", name: str = "scene") -> Scene:
    """A scene from YAML text; `path` is what complaints call it."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark is not None else path
        raise BadInput(f"{where}: not YAML: {getattr(error, 'problem', None) or 'unreadable'}") from None
    reader = _Reader(path)
    if node is None:
        raise BadInput(f"{path} is empty; a scene has {', '.join(KEYS)}")
    top = reader.mapping(reader.noted(node), "a scene", KEYS)
    try:
        return reader.scene(top, name)
    except _Placed as error:
        raise BadInput(str(error)) from None
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


class _Placed(BadInput):
    """A complaint that already names its line."""


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path

    def bad(self, line: int, message: object) -> _Placed:
        return _Placed(f"{self.path}:{line}: {message}")

    def noted(self, node: yaml.Node) -> Noted:
        """The tree with line numbers; scalars by the safe loader's rules."""
        line = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            return Noted({str(key.value): self.noted(value) for key, value in node.value}, line)
        if isinstance(node, yaml.SequenceNode):
            return Noted([self.noted(item) for item in node.value], line)
        try:
            return Noted(yaml.safe_load(node.value) if getattr(node, "style", None) is None else node.value, line)
        except (yaml.YAMLError, ValueError) as error:
            raise self.bad(line, f"cannot read {node.value!r}: {error}") from None

    def mapping(self, noted: Noted, what: str, known: Any) -> dict[str, Noted]:
        if not isinstance(noted.value, dict):
            raise self.bad(noted.line, f"{what} should be `key: value` pairs; known: {', '.join(known)}")
        for key, value in noted.value.items():
            if key not in known:
                raise self.bad(value.line, unknown(f"key of {what}", key, known))
        return noted.value

    def items(self, noted: Noted | None, what: str) -> list[Noted]:
        if noted is None:
            return []
        if not isinstance(noted.value, list):
            raise self.bad(noted.line, f"{what} should be a list, one `- ...` a line")
        return noted.value

    def number(self, noted: Noted, what: str) -> float:
        value = noted.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            given = "something else" if isinstance(value, list | dict) else repr(value)
            raise self.bad(noted.line, f"{what} should be a number, not {given}")
        return float(value)

    def built(self, kind: Any, noted: Noted, what: str, skip: tuple[str, ...] = ()) -> Any:
        """A dataclass from `key: value` pairs, each checked against the kind of its default."""
        fields = {f.name: f for f in dataclasses.fields(kind) if f.name not in skip}
        given = self.mapping(Noted({}, noted.line) if noted.value is None else noted, what, fields)
        values: dict[str, Any] = {}
        for key, value in given.items():
            default = fields[key].default
            if isinstance(default, tuple):
                parts = self.items(value, f"{key} of {what}") if default or isinstance(value.value, list) else [value]
                if default and len(parts) != len(default):
                    raise self.bad(value.line, f"{key} of {what} takes {len(default)} numbers, not {len(parts)}")
                values[key] = tuple(self.number(part, f"{key} of {what}") for part in parts)
            elif isinstance(default, str):
                if isinstance(value.value, list | dict):
                    raise self.bad(value.line, f"{key} of {what} should be a word")
                values[key] = str(value.value)
            elif isinstance(default, bool):
                if not isinstance(value.value, bool):
                    raise self.bad(value.line, f"{key} of {what} should be true or false, not {value.value!r}")
                values[key] = value.value
            else:
                number = self.number(value, f"{key} of {what}")
                if isinstance(default, int) and number % 1:
                    raise self.bad(value.line, f"{key} of {what} should be a whole number, not {number:g}")
                values[key] = int(number) if isinstance(default, int) else number
        try:
            return kind(**values)
        except BadInput as error:
            raise self.bad(noted.line, error) from None
        except TypeError:
            missing = [n for n, f in fields.items() if f.default is dataclasses.MISSING and n not in values]
            raise self.bad(noted.line, f"{what} needs {', '.join(missing)}") from None

    def several(self, kind: Any, noted: Noted | None, what: str, each: str) -> list[Any]:
        return [self.built(kind, item, each) for item in self.items(noted, what)]

    def scene(self, top: dict[str, Noted], name: str) -> Scene:
        if "character" in top and "characters" in top:
            raise self.bad(top["characters"].line, "give either `character` or `characters`, not both")
        if "characters" in top:
            performers = [self.performer(item) for item in self.items(top["characters"], "characters")]
        else:
            given: dict[str, Noted] = {key: top[key] for key in ("character", "friction", "grip") if key in top}
            if "start" in top:
                given |= self.mapping(top["start"], "start", ("pose", "x", "y", "z", "yaw"))
            performers = [self.performer(Noted(given, top.get("start", Noted(0, 1)).line))]
        if "tasks" not in top:
            raise self.bad(1, f"a scene needs `tasks`; known: {', '.join(TASKS)}")
        phases = self.number(top["phases"], "phases") if "phases" in top else float(Scene.phases)
        asked = self.items(top["tasks"], "tasks")
        scene = Scene(performers, [self.task(item) for item in asked],
                      self.several(Obstacle, top.get("obstacles"), "obstacles", "an obstacle"),
                      self.several(PropBox, top.get("props"), "props", "a prop"),
                      int(phases), str(top["name"].value) if "name" in top else name)
        for task, item in zip(scene.tasks, asked, strict=True):
            try:
                scene.check(task)
            except BadInput as error:
                raise self.bad(item.line, error) from None
        return scene

    def performer(self, noted: Noted) -> Performer:
        """A character and how it starts; a file is looked for beside the scene first."""
        performer: Performer = self.built(Performer, noted, "a character")
        name = (noted.value or {}).get("character", Noted("human", noted.line))
        if not isinstance(name.value, str):
            raise self.bad(name.line, "a character is a name, or the path of an MJCF file in quotes")
        try:
            beside = Path(self.path).parent / Path(name.value).expanduser()
            if is_file(name.value) and beside.is_file():
                performer = dataclasses.replace(performer, character=str(beside))
            performer.puppet  # noqa: B018  what is wrong with its body is said now, with its line
        except (BadInput, OSError) as error:
            raise self.bad(name.line, error) from None
        return performer

    def task(self, noted: Noted) -> Task:
        """`stand`, or `position: {x: 2}`."""
        name, settings = noted.value, Noted({}, noted.line)
        if isinstance(noted.value, dict) and len(noted.value) == 1:
            name, settings = next(iter(noted.value.items()))
        if not isinstance(name, str):
            raise self.bad(noted.line, f"a task is a name or `name: {{...}}`; known: {', '.join(TASKS)}")
        if name not in TASKS:
            raise self.bad(noted.line, unknown("task", name, TASKS))
        task: Task = self.built(TASKS[name], settings, name)
        return task
