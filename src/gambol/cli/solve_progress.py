"""Progress of a climb: a live table of stage, iteration and costs on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from gambol.synthesis.synthesize import News, Tell

EVERY = 0.25
"""Seconds between two looks at the costs."""
SHOWN = 10
"""Terms in the live table: the dearest."""


@contextmanager
def progress(console: Console, label: str) -> Iterator[Tell]:
    """What to hand to `climb`. It never stops anything."""
    if not console.is_terminal:
        yield Lines(console, label)
        return
    first = Text(f"{label}: preparing (the first scene of its kind takes a while)")
    with Live(first, console=console, transient=True, refresh_per_second=4) as live:
        yield Board(live, label)


class Board:
    """The live table."""

    def __init__(self, live: Live, label: str) -> None:
        self.live, self.label, self._last = live, label, 0.0

    def __call__(self, news: News) -> bool:
        now = time.monotonic()
        if now - self._last > EVERY:
            self._last = now
            self.live.update(board(self.label, news))
        return False


def board(label: str, news: News) -> Group:
    """The ladder with the stage marked, and the dearest terms."""
    ladder = Text(f"{label}, seed {news.seed}: ")
    for index, stage in enumerate((*news.ladder, *[news.stage] * (news.index - len(news.ladder) + 1))):
        ladder.append(stage.name + " ", style="bold" if index == news.index else "dim")
    ladder.append(f"\niteration {news.step.iteration} of at most {news.stage.iterations} "
                  f"({news.before + news.step.iteration} in all), cost {news.step.cost:.4g}")
    table = Table(box=None, header_style="dim")
    for column in ("term", "cost", ""):
        table.add_column(column, justify="right" if column == "cost" else "left")
    costs = news.dearest(SHOWN)
    most = max((cost for _, cost in costs), default=0.0) or 1.0
    for name, cost in costs:
        table.add_row(name, f"{cost:.3g}", "▆" * round(24 * cost / most))
    return Group(ladder, table)


class Lines:
    """A line when a stage begins and every tenth iteration, with the dearest terms."""

    def __init__(self, console: Console, label: str) -> None:
        self.console, self.label = console, label

    def __call__(self, news: News) -> bool:
        if news.step.iteration == 1 or news.step.iteration % 10 == 0:
            terms = ", ".join(f"{name} {cost:.3g}" for name, cost in news.dearest(4))
            self.console.print(f"{self.label}: {news.stage.name} {news.step.iteration}/{news.stage.iterations}, "
                               f"cost {news.step.cost:.4g} ({terms})", markup=False)
        return False
