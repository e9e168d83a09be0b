"""Trials for the tests of the pool: processes find them by name."""

from __future__ import annotations

import ctypes
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


def threads(value: int) -> list[int]:
    """Of each OpenBLAS that NumPy and SciPy have loaded into this process, as it says itself."""
    import numpy  # noqa: F401
    import scipy.linalg  # noqa: F401

    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    loaded = [ctypes.CDLL(path) for path in sorted({line.split()[-1] for line in maps if "libscipy_openblas" in line
                                                    or "libopenblas" in line})]
    names = [f"{start}openblas_get_num_threads{end}" for start in ("scipy_", "") for end in ("64_", "")]
    return [next(getattr(library, name) for name in names if hasattr(library, name))() for library in loaded]


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
