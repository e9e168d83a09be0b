"""One more figure from a short text: `name=b,character=child,behavior=balance,x=1,yaw=90,height=0.9`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gambol.errors import BadInput
from gambol.params import parse_settings
from gambol.runs.trial import Cast
from gambol.world.starts import Start

CAST = ("name", "character", "behavior", "preset")
PLACE = ("pose", "x", "y", "yaw", "jitter")


def parse_figure(text: str) -> Cast:
    """What is neither who, what nor where is a parameter of the behavior."""
    settings = parse_settings(text)
    if "behavior" not in settings:
        raise BadInput(f"the figure {text!r} does nothing; say what, as in name=b,behavior=balance")
    who: dict[str, Any] = {name: settings.pop(name) for name in CAST if name in settings}
    where = {name: settings.pop(name) for name in PLACE if name in settings}
    cast = Cast(**who, settings=settings, start=start_of(where) if where else None)
    cast.kind.Params.parse(cast.all_settings)  # refuses what does not exist
    return cast


def start_of(where: Mapping[str, str]) -> Start:
    """A Start from texts by name: pose, x, y, yaw, jitter."""
    x, y = (_coordinate(axis, where[axis]) if axis in where else None for axis in ("x", "y"))
    return replace(Start.parse({name: value for name, value in where.items() if name not in ("x", "y")}), x=x, y=y)


def _coordinate(axis: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise BadInput(f"{axis}={text!r} is not a number; it takes -1000 to 1000 m") from None
    if not (math.isfinite(value) and abs(value) <= 1000.0):
        raise BadInput(f"{axis}={text} is out of range; it takes -1000 to 1000 m")
    return value
