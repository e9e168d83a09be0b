"""Trials for the tests of the pool: processes find them by name."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from gambol.errors import BadInput
from gambol.jobs import stop_asked


def double(value: int) -> int:
    return 2 * value


def late(value: int) -> int:
    """The first is the last to end."""
    time.sleep(0.5 if value == 0 else 0.0)
    return value


def threads(value: int) -> str:
    return os.environ["OPENBLAS_NUM_THREADS"]


def refused(value: int) -> None:
    if value == 2:
        raise BadInput("no such thing")


def broken(value: int) -> float:
    return 1 / (value - 2)


def killed(value: int) -> None:
    if value == 2:
        os.kill(os.getpid(), signal.SIGKILL)


def sends_a_function(value: int) -> Callable[[], int]:
    return lambda: value


def until_asked(folder: Path, value: int) -> int:
    """Works until it is asked to stop."""
    (folder / str(value)).touch()
    while not stop_asked():
        time.sleep(0.01)
    return value
