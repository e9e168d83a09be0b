"""The terminal: results on `out`, complaints and progress on `err`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

out = Console(highlight=False, soft_wrap=True)
"""stdout: results"""
err = Console(stderr=True, highlight=False, soft_wrap=True)
"""stderr: progress and complaints"""


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None] | None]:
    """A bar on stderr that vanishes when done; nothing where there is no terminal."""
    if not err.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bars:
        task = bars.add_task(label, total=1.0)
        yield lambda share: bars.update(task, completed=share)


def milestones(label: str) -> Callable[[float], None]:
    """Where there is no terminal: a line on stderr for every tenth of long work."""
    told = [0]

    def progress(share: float) -> None:
        tenths = int(10 * share + 1e-9)
        if tenths > told[0]:
            told[0] = tenths
            err.print(f"{label}: {10 * tenths} %", markup=False)

    return progress
