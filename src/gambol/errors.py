"""The error family. A message is one line: what was wrong, what was found, what would be right.

The command line turns any `BadInput` into that line and exit status 2; everything else is a bug or a
physical event (`Diverged`) and says so.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class GambolError(Exception):
    """Base of everything gambol raises on purpose."""


class BadInput(GambolError):
    """The user's input cannot be used; the message names the fix."""


class MissingRole(BadInput):
    """A behavior asked for a part that this character does not have."""


class MissingGL(BadInput):
    """Pictures were asked for, but no OpenGL library can be used here; everything else works."""


class Diverged(GambolError):
    """The simulation produced NaN or ran away.

    `last` is the Motion of the last seconds before, if it was kept; `figure` which one did, None where that is not one.
    """

    def __init__(self, message: str, last: Any = None, figure: int | None = None) -> None:
        super().__init__(message)
        self.last, self.figure = last, figure


def unknown(kind: str, name: str, known: Iterable[str]) -> BadInput:
    """An error for a name that is not in the list, with the nearest one suggested."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return BadInput(f"unknown {kind} {name!r}{hint}; known: {', '.join(names)}")
