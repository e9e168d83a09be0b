"""Experiments: named, seeded reproductions of published results, each figure beside ours.

    @experiment("chain", group="planar", source="[delasa2011, fig. 3.2]", published="COM residual zero for 15 s")
    def chain(context: Context) -> Result:
        \"\"\"A chain's COM draws a figure eight\"\"\"
        ...
        return Result(rows=[below("COM error", "-", worst, 1e-4, "m")], pictures=[Picture("path", svg(figure))])
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np

from gambol.errors import unknown
from gambol.jobs import Pool
from gambol.motion.motion import Motion
from gambol.reporting.pictures import Picture

Verdict = Literal["pass", "fail", "report"]
T = TypeVar("T")
WORKERS = 2


@dataclass(frozen=True)
class Row:
    """One figure: what was published, what we got, and whether that is good. `report` makes no claim."""

    metric: str
    published: str
    ours: str
    verdict: Verdict


@dataclass(frozen=True)
class Result:
    """What an experiment found."""

    rows: Sequence[Row]
    pictures: Sequence[Picture] = ()
    notes: Sequence[str] = ()
    motions: dict[str, Motion] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """`fail` if any row fails, `pass` if any passes, else `report`."""
        verdicts = {row.verdict for row in self.rows}
        return "fail" if "fail" in verdicts else "pass" if "pass" in verdicts else "report"

    def as_dict(self) -> dict[str, Any]:
        """What was found, as `gambol reproduce --json` prints it: no pictures and no motions."""
        return {"verdict": self.verdict, "seconds": self.seconds, "rows": [asdict(row) for row in self.rows],
                "notes": list(self.notes)}


@dataclass(frozen=True)
class Context:
    """What an experiment may depend on."""

    seed: int = 0
    quick: bool = False
    """shorter runs and fewer trials, for tests and a first look"""
    progress: Callable[[float], None] | None = None
    workers: int = WORKERS
    """processes that share the trials, if there is no pool"""
    pool: Pool | None = None

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def tell(self, share: float) -> None:
        """Report progress, 0 to 1."""
        if self.progress is not None:
            self.progress(share)

    def trials(self, function: Callable[..., T], arguments: Iterable[tuple[Any, ...]]) -> list[T]:
        """`function(*a)` for every a, in order, side by side. The function must be one of a module's own."""
        pool = Pool(self.workers) if self.pool is None else self.pool
        return pool.map(function, arguments, self.progress)


@dataclass(frozen=True)
class Experiment:
    """A reproduction by name."""

    name: str
    group: str
    source: str
    """where the result was published: section, table, figure"""
    doc: str
    published: str
    """the published figure, in words"""
    function: Callable[[Context], Result]

    def run(self, context: Context) -> Result:
        begin = time.perf_counter()
        result = self.function(context)
        return replace(result, seconds=time.perf_counter() - begin)

    def as_dict(self) -> dict[str, Any]:
        """What is reproduced, as `gambol reproduce --json` prints it."""
        return {"group": self.group, "source": self.source, "doc": self.doc, "published": self.published}


EXPERIMENTS: dict[str, Experiment] = {}


def experiment(name: str, *, group: str, source: str, published: str
               ) -> Callable[[Callable[[Context], Result]], Callable[[Context], Result]]:
    """Decorator: make an experiment known by name. The first line of its docstring is its description."""

    def known(function: Callable[[Context], Result]) -> Callable[[Context], Result]:
        doc = (function.__doc__ or "").strip().split("\n")[0]
        EXPERIMENTS[name] = Experiment(name, group, source, doc, published, function)
        return function

    return known


def select(names: Sequence[str]) -> list[Experiment]:
    """Experiments by name or by group, in the order asked for; all of them if none is named."""
    if not names:
        return list(EXPERIMENTS.values())
    groups = {entry.group for entry in EXPERIMENTS.values()}
    chosen: dict[str, Experiment] = {}
    for name in names:
        if name in EXPERIMENTS:
            chosen[name] = EXPERIMENTS[name]
        elif name in groups:
            chosen |= {entry.name: entry for entry in EXPERIMENTS.values() if entry.group == name}
        else:
            raise unknown("experiment", name, set(EXPERIMENTS) | groups)
    return list(chosen.values())


# -- rows --------------------------------------------------------------------------------------------------------------


def below(metric: str, published: str, value: float, limit: float, unit: str = "") -> Row:
    """Passes if a figure is at most its limit."""
    good = bool(np.isfinite(value)) and value <= limit
    return Row(metric, published, f"{with_unit(value, unit)} (at most {with_unit(limit, unit)})",
               "pass" if good else "fail")


def above(metric: str, published: str, value: float, limit: float, unit: str = "") -> Row:
    """Passes if a figure is at least its limit."""
    good = bool(np.isfinite(value)) and value >= limit
    return Row(metric, published, f"{with_unit(value, unit)} (at least {with_unit(limit, unit)})",
               "pass" if good else "fail")


def count_of(metric: str, published: str, passed: int, total: int, least: int) -> Row:
    """Passes if at least so many trials of all passed."""
    return Row(metric, published, f"{passed} of {total} (at least {least})", "pass" if passed >= least else "fail")


def check(metric: str, published: str, ours: str, good: bool) -> Row:
    """Passes if something is so."""
    return Row(metric, published, ours, "pass" if good else "fail")


def report(metric: str, published: str, ours: str) -> Row:
    """A figure without a claim."""
    return Row(metric, published, ours, "report")


def with_unit(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}".strip()
