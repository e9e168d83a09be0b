"""One more figure from a short text: `name=b,character=child,behavior=balance,start=prone,x=1,yaw=90,height=0.9`.

What it says besides parameters no behavior may call a parameter: `RESERVED` in `behaviors/behavior.py`.
"""

from __future__ import annotations

from typing import Any

from gambol.errors import BadInput
from gambol.motion.moments import start_from
from gambol.params import parse_settings
from gambol.runs.cast import Cast
from gambol.world.starts import Start

CAST = ("name", "character", "behavior", "preset", "params", "actuators")
WHERE = ("x", "y", "yaw", "jitter")
START = ("start", "pose")
"""How it begins; `pose` is what it was called before."""


def parse_figure(text: str) -> Cast:
    """What is neither who, what nor where is a parameter of the behavior."""
    settings = parse_settings(text)
    if "behavior" not in settings:
        raise BadInput(f"the figure {text!r} does nothing; say what, as in name=b,behavior=balance")
    who: dict[str, Any] = {name: settings.pop(name) for name in CAST if name in settings}
    where = {name: settings.pop(name) for name in WHERE if name in settings}
    starts = [settings.pop(name) for name in START if name in settings]
    if len(starts) > 1:
        raise BadInput(f"the figure {text!r} says twice how it begins")
    cast = Cast(**who, settings=settings, start=start_from(starts[0]) if starts else None, where=where)
    cast.kind.Params.parse(cast.all_settings)  # refuses what does not exist
    Start.parse(where)
    return cast
