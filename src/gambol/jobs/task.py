"""One trial as it travels: a function with its arguments there, what came of it back, both as bytes.

Whatever goes wrong on the way (arguments that cannot be read there, an error in the function, a result that cannot be
sent) comes back as an `Outcome`, so that whoever runs trials can do so without an eye on their errors.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gambol.errors import BadInput, GambolError, MissingGL

KEPT = (BadInput, MissingGL)
"""Errors that stay what they are on their way back, for the command line tells them apart."""
LONGEST = 40
"""Characters that an argument takes at most in a message."""

_asked: Callable[[], bool] = lambda: False  # noqa: E731


def stop_asked(news: object = None) -> bool:
    """Inside a trial: whether it should end early with what it has. As a `tell` of long work it stops it then."""
    return _asked()


def listen(asked: Callable[[], bool]) -> None:
    """Set what `stop_asked` asks in this process."""
    global _asked
    _asked = asked


@dataclass(frozen=True)
class Outcome:
    """What came of a trial: its value, or what went wrong."""

    value: Any = None
    failed: str = ""
    """one line; empty if nothing went wrong"""
    kind: type[GambolError] | None = None
    """of the error, if it is one of `KEPT`"""
    details: str = ""
    """the traceback"""

    @classmethod
    def of_error(cls, error: BaseException) -> Outcome:
        details = "".join(traceback.format_exception(error))
        if isinstance(error, GambolError):
            return cls(failed=str(error), kind=next((kind for kind in KEPT if isinstance(error, kind)), None),
                       details=details)
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
        return cls(failed=f"{type(error).__name__}: {error}{place}", details=details)


def performed(payload: bytes, prepare: Callable[[], None]) -> bytes:
    """Run a trial and pack what came of it. `prepare` runs first, for it may load what the trial is made of."""
    try:
        prepare()
        function, arguments = pickle.loads(payload)
        outcome = Outcome(function(*arguments))
    except (Exception, SystemExit) as error:
        outcome = Outcome.of_error(error)
    try:
        return pickle.dumps(outcome)
    except Exception as error:
        return pickle.dumps(Outcome(failed=f"what it returned cannot be sent back: {error}"))


def brief(arguments: tuple[Any, ...]) -> str:
    """Arguments in short, for messages."""
    return ", ".join(map(_brief, arguments))


def _brief(value: Any) -> str:
    plain = isinstance(value, str | int | float | tuple | range | Path) or value is None
    text = str(value) if isinstance(value, Path) else repr(value) if plain else type(value).__name__
    if not plain and hasattr(value, "seed"):
        text += f" with seed {value.seed}"
    return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"
