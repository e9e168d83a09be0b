"""Parameter files: what a behavior is asked for and the gains it does it with, kept as JSON.

    {"format": "gambol-params/1", "behavior": "walk", "params": {"step_length": 0.5}, "gains": {"gait.roll": 0.3}}

`params` and `gains` may be left out, and each may name only some: the others are as they are by default. Everything is
checked when it is read, so that a file cannot do more than a person who sets values one by one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from gambol.behaviors.behavior import BEHAVIORS, Behavior
from gambol.errors import BadInput, unknown
from gambol.files import whole_file
from gambol.gains import Gains

FORMAT = "gambol-params/1"
KEYS = ("format", "behavior", "params", "gains")


class Parameters(NamedTuple):
    """What `make_behavior` takes."""

    settings: dict[str, Any]
    """values of Params by name"""
    gains: Gains | None
    """None for a behavior that has none"""


def read_params(path: str | Path, behavior: str) -> Parameters:
    """The parameters for a behavior that a file holds; BadInput says in a line what does not fit."""
    kind, found = _kind(behavior), _read(Path(path))
    for key in found:
        if key not in KEYS:
            raise BadInput(f"{path}: {unknown('key', key, KEYS)}")
    if found.get("format") != FORMAT:
        raise BadInput(f"{path} is no parameter file: its format is {found.get('format')!r}, not {FORMAT!r}")
    if found.get("behavior") != behavior:
        raise BadInput(f"{path} has parameters of {found.get('behavior')!r}, not of {behavior!r}")
    for part in ("params", "gains"):
        if not isinstance(found.get(part, {}), dict):
            raise BadInput(f"{path}: {part!r} must hold values by name, {{\"name\": value}}")
    try:
        return _checked(kind, found.get("params", {}), found.get("gains", {}))
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def write_params(path: str | Path, behavior: str, settings: Mapping[str, Any] | None = None,
                 gains: Gains | None = None) -> Path:
    """Keep settings and all gains of a behavior in a file that `read_params` reads."""
    kind = _kind(behavior)
    if gains is not None and (kind.Gains is None or not isinstance(gains, kind.Gains)):
        raise BadInput(f"{behavior!r} does not take {type(gains).__name__}")
    values = {} if gains is None else gains.as_dict()
    found = _checked(kind, dict(settings or {}), values)
    content = {"format": FORMAT, "behavior": behavior, "params": found.settings, "gains": values}
    with whole_file(Path(path)) as temporary:
        temporary.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n")
    return Path(path)


def _kind(behavior: str) -> type[Behavior]:
    if behavior not in BEHAVIORS:
        raise unknown("behavior", behavior, BEHAVIORS)
    return BEHAVIORS[behavior]


def _checked(kind: type[Behavior], settings: Mapping[str, Any], gains: Mapping[str, Any]) -> Parameters:
    params = kind.Params.parse(dict(settings))
    if kind.Gains is None and gains:
        raise BadInput(f"{kind.name!r} has no gains; it takes params only")
    return Parameters({name: getattr(params, name) for name in settings},
                      None if kind.Gains is None else kind.Gains.from_dict(gains))


def _read(path: Path) -> dict[str, Any]:
    """A JSON object without doubles and without what is no number."""

    def refuse(constant: str) -> NoReturn:
        raise BadInput(f"{path} has {constant} where a finite number should be")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise BadInput(f"{path} gives {name!r} twice")
        return dict(pairs)

    try:
        found = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse, object_pairs_hook=once)
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"{path} is not JSON: {error.msg} in line {error.lineno}") from None
    except (ValueError, RecursionError):
        raise BadInput(f"{path} is not JSON") from None
    if not isinstance(found, dict):
        raise BadInput(f"{path} is no parameter file: it must hold {{\"format\": \"{FORMAT}\", ...}}")
    return found
