"""Where what is followed comes from: a file, read once as long as it stays what it is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gambol.behaviors.scenes import DefaultScene
from gambol.errors import BadInput
from gambol.motion.moments import state_at
from gambol.motion.motion import Motion
from gambol.motion.reference import Reference
from gambol.planning.reference.take import reference_of_take
from gambol.world.figure import Figure
from gambol.world.starts import Start


def reference_from(path: str, figure: Figure) -> Reference:
    """What a file has for a figure to follow; BadInput if that is nothing."""
    return reference_of_take(_motion(path), figure, path)


def scene_from(path: str, begin: float) -> DefaultScene:
    """Who is in a file, in the state of a time in it, s."""
    motion = _motion(path)
    return DefaultScene(_character(motion), start=Start(state=state_at(motion, begin, source=f"{path}@{begin:g}")))


def _motion(path: str) -> Motion:
    if not path:
        raise BadInput("follow needs a motion: --motion FILE.npz, or --set motion=FILE.npz")
    file = Path(path)
    return _read(path, file.stat().st_mtime_ns if file.is_file() else 0)


@lru_cache(maxsize=4)
def _read(path: str, changed: int) -> Motion:
    return Motion.load(path)


def _character(motion: Motion) -> str | None:
    """Who is in a motion, as a name or a file; None if it does not say."""
    if not motion.figures:
        return None
    try:
        found = motion.meta["trial"]["figures"][0]["character"]
    except (KeyError, IndexError, TypeError):
        found = None
    return found if isinstance(found, str) else motion.figures[0].character
