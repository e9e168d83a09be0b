"""A Trial as plain JSON, as a Motion keeps it under `trial` in its meta, and back: to repeat the run.

    again = run(trial_from(Motion.load("out.npz").meta["trial"]))

Everything is in it as text and numbers, to the last bit. What was an object made in Python and has no text (a
Character, a prop or a terrain of a kind that is not registered, a state that is from no file) is null there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from gambol.errors import BadInput
from gambol.motion.moments import start_from
from gambol.runs.cast import Cast
from gambol.runs.trial import Trial
from gambol.world.props import Prop, make_prop
from gambol.world.pushes import Push, Throw
from gambol.world.starts import Jitter, Start
from gambol.world.terrain import Terrain
from gambol.world.terrains import TERRAINS
from gambol.world.vary import Vary

PLACE = ("x", "y", "yaw", "jitter")


def trial_text(trial: Trial, rates: Sequence[float], physics_rate: float) -> dict[str, Any]:
    """A resolved trial, of which each figure acts at its own of `rates` (Hz)."""
    return {"figures": [{**_cast_text(cast), "rate": float(rate)}
                        for cast, rate in zip(trial.figures, rates, strict=True)],
            "terrain": _terrain_text(trial.terrain), "props": [_prop_text(prop) for prop in trial.props or ()],
            "pushes": [push.text for push in trial.pushes], "throws": [throw.text for throw in trial.throws or ()],
            "changes": [[float(time), name, value] for time, name, value in trial.changes],
            "vary": trial.vary.text if trial.vary is not None else "",
            "seconds": float(trial.seconds), "seed": int(trial.seed),
            "control_rate": None if trial.control_rate is None else float(trial.control_rate),
            "physics_rate": float(physics_rate)}


def trial_from(found: Any) -> Trial:
    """The trial of such a text; BadInput if it is none, or if something in it has no text."""
    try:
        return Trial(tuple(map(_cast, found["figures"])), _said(found["terrain"], "the terrain"),
                     props=tuple(make_prop(_said(text, "a prop")) for text in found["props"]),
                     pushes=tuple(map(Push.parse, found["pushes"])), throws=tuple(map(Throw.parse, found["throws"])),
                     changes=tuple((float(time), str(name), value) for time, name, value in found["changes"]),
                     vary=Vary.parse(found["vary"]) if found["vary"] else None, seconds=float(found["seconds"]),
                     seed=int(found["seed"]), physics_rate=float(found["physics_rate"]),
                     control_rate=None if found["control_rate"] is None else float(found["control_rate"]))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise BadInput(f"this does not say how a run began: {type(error).__name__}: {error}") from None


def _cast_text(cast: Cast) -> dict[str, Any]:
    start = cast.spread_start
    source = start.pose if start.state is None else start.state.source
    return {"name": cast.name, "behavior": cast.behavior, "preset": cast.preset, "settings": cast.parsed(),
            "gains": {} if cast.gains is None else cast.gains.changes(),
            "character": cast.character if isinstance(cast.character, str) else None, "actuators": cast.actuators,
            "start": source if start.state is None or "@" in source else None,
            **{name: getattr(start, name) for name in PLACE}, "spread": asdict(start.spread)}


def _cast(entry: Mapping[str, Any]) -> Cast:
    start: Start = start_from(_said(entry["start"], "the state it began in"))
    for name in PLACE:
        if entry[name] is not None:
            start.set(name, entry[name])
    start.spread = Jitter(**{str(name): float(value) for name, value in entry["spread"].items()})
    preset = None if entry["preset"] is None else _said(entry["preset"], "the preset")
    cast = Cast(_said(entry["behavior"], "the behavior"), _said(entry["character"], "the character"),
                _said(entry["name"], "the name"), dict(entry["settings"]), preset, start=start,
                actuators=_said(entry["actuators"], "the kind of actuators"))
    if not entry["gains"]:
        return cast
    if cast.kind.Gains is None:
        raise BadInput(f"{cast.behavior!r} has no gains")
    return replace(cast, gains=cast.kind.Gains.from_dict(entry["gains"]))


def _said(text: Any, what: str) -> str:
    if not isinstance(text, str):
        raise BadInput(f"the run cannot be repeated from text: {what} was made in Python")
    return text


def _terrain_text(terrain: str | Terrain | None) -> str | None:
    if not isinstance(terrain, Terrain):
        return terrain
    return terrain.text if TERRAINS.get(terrain.name) is type(terrain) else None


def _prop_text(prop: Prop) -> str | None:
    """None if it could not be made from its text again."""
    text = getattr(prop, "text", None)
    try:
        return text if text is not None and make_prop(text) == prop else None
    except BadInput:
        return None
