"""`gambol reproduce` and `gambol bench`: published figures beside ours, and how fast."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from gambol.cli.app import Json, Ray, app
from gambol.console import milestones, out, progress_bar

if TYPE_CHECKING:
    from gambol.experiments.experiment import Experiment, Result


@app.command()
def reproduce(experiments: Annotated[list[str] | None, typer.Argument(
                  help="names or groups, see `gambol list`; all if none is given", show_default=False)] = None,
              report: Annotated[Path | None, typer.Option(help="write a page with pictures here (.html)")] = None,
              seed: Annotated[int, typer.Option(help="seed of everything random", min=0)] = 0,
              quick: Annotated[bool, typer.Option("--quick", help="short runs and few trials")] = False,
              workers: Annotated[int, typer.Option(help="processes that share the trials", min=1, max=64)] = 2,
              ray: Ray = None,
              json_: Json = False) -> None:
    """Published results and ours, side by side."""
    from gambol.experiments.experiment import Context, select
    from gambol.experiments.report import write_report
    from gambol.files import check_writable
    from gambol.jobs import Pool

    chosen = select(experiments or [])
    if report is not None:
        check_writable(report, (".html",))
    results = []
    with Pool(workers, ray) as pool:
        for entry in chosen:
            with progress_bar(entry.name) as bar:
                told = bar or (None if quick else milestones(entry.name))
                result = entry.run(Context(seed, quick, told, workers, pool))
            results.append((entry, result))
            if not json_:
                _print_result(entry, result)
    if report is not None:
        write_report(report, results, seed, quick)
    if json_:
        print(json.dumps({"seed": seed, "quick": quick, "report": None if report is None else str(report),
                          "failed": [entry.name for entry, result in results if result.verdict == "fail"],
                          "experiments": {entry.name: entry.as_dict() | result.as_dict()
                                          for entry, result in results}}))
    elif report is not None:
        out.print(f"wrote {report}")


@app.command()
def bench() -> None:
    """Benchmarks, one metric a line, each a ratio measured in one run."""
    from gambol.cli.bench import run_benchmarks

    for line in run_benchmarks():
        out.print(line, markup=False)


def _print_result(entry: Experiment, result: Result) -> None:
    colors = {"pass": "green", "fail": "red", "report": "dim"}
    table = Table(title=f"{entry.name}: {entry.doc} ({entry.source}; {result.seconds:.1f} s)", title_justify="left",
                  title_style="bold", box=None)
    for column in ("figure", "published", "ours", ""):
        table.add_column(column, header_style="dim")
    for row in result.rows:
        table.add_row(escape(row.metric), escape(row.published), escape(row.ours),
                      f"[{colors[row.verdict]}]{row.verdict}[/]")
    out.print(table)
    out.print()
