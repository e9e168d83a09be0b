"""One more figure from a short text: `name=b,character=child,behavior=balance,x=1,yaw=90,height=0.9`."""

from __future__ import annotations

from typing import Any

from gambol.errors import BadInput
from gambol.motion.moments import start_from
from gambol.params import parse_settings
from gambol.runs.cast import Cast
from gambol.world.starts import Start

CAST = ("name", "character", "behavior", "preset", "params", "actuators")
WHERE = ("x", "y", "yaw", "jitter")


def parse_figure(text: str) -> Cast:
    """What is neither who, what nor where is a parameter of the behavior."""
    settings = parse_settings(text)
    if "behavior" not in settings:
        raise BadInput(f"the figure {text!r} does nothing; say what, as in name=b,behavior=balance")
    who: dict[str, Any] = {name: settings.pop(name) for name in CAST if name in settings}
    where = {name: settings.pop(name) for name in WHERE if name in settings}
    pose = settings.pop("pose", None)
    cast = Cast(**who, settings=settings, start=None if pose is None else start_from(pose), where=where)
    cast.kind.Params.parse(cast.all_settings)  # refuses what does not exist
    Start.parse(where)
    return cast
