"""What `gambol synthesize` says: it solves, writes, and tells what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from gambol.cli.solve_progress import progress
from gambol.errors import GambolError
from gambol.jobs import Pool
from gambol.stopping import Stopping
from gambol.synthesis.checkpoint import beside
from gambol.synthesis.scene import Scene
from gambol.synthesis.seeds import Orders, Run, solve_one, solve_seeds
from gambol.synthesis.synthesize import Result


class Reporter:
    """Results on `out`, progress on `err`; without `out`, neither. The Motion goes to `output`, if there is one."""

    def __init__(self, out: Console | None, err: Console, output: Path | None) -> None:
        self.out, self.err, self.output = out, err, output

    def one_seed(self, scene: Scene, seed: int, orders: Orders, watched: int | None = None, browser: bool = True
                 ) -> dict[str, Any]:
        """Solve one seed; `watched`: the port on which the studio shows it. Returns what --json prints."""
        with ExitStack() as stack:
            watching = None
            if watched is not None:
                from gambol.studio.server import show_page
                from gambol.studio.watch import Watching

                watching = stack.enter_context(Watching(scene, watched))
                self.err.print(watching.studio.url, markup=False)
                if browser:
                    show_page(watching.studio.url)
            with ExitStack() as solving:
                tells: list[Any] = [solving.enter_context(Stopping())]
                tells += [watching] if watching is not None else []
                tells += [solving.enter_context(progress(self.err, scene.name))] if self.out is not None else []
                kept = None if self.output is None else beside(self.output)
                result = solve_one(scene, seed, orders, tells, kept)
            self._finish(result)
            if watching is not None and self.out is not None:
                watching.finish(result)
                self.err.print("shown until Ctrl-C")
                watching.wait()
        return self._summary(result)

    def best_seed(self, text: str, scene: Scene, seeds: Sequence[int], pool: Pool, orders: Orders,
                  checkpoints: bool = True) -> dict[str, Any]:
        """Solve several seeds side by side and keep the best. `text`: the scene as the command line has it."""
        runs: list[Run] = []
        for run in solve_seeds(text, seeds, pool, orders, self.output if checkpoints else None):
            runs.append(run)
            if self.out is not None:
                off = ", ".join(str(m) for m in run.measures if not m.good)
                self.err.print(f"{scene.name}, seed {run.seed}: {'solved' if run.solved else 'off: ' + off}, "
                               f"{run.iterations} iterations, {run.seconds:.1f} s", markup=False)
        if not runs:
            raise GambolError("stopped before a seed was solved")
        runs.sort(key=lambda run: run.rank)
        if self.out is not None:
            self.out.print(ranking(runs))
        result = runs[0].result(scene, orders.solver)
        self._finish(result)
        rows = [{"seed": run.seed, "solved": run.solved, "iterations": run.iterations, "stopped": run.stopped,
                 "seconds": round(run.seconds, 3), "worst": round(run.rank[1], 4), "failed": run.failed}
                for run in runs]
        return {**self._summary(result), "ranked": rows}

    def _summary(self, result: Result) -> dict[str, Any]:
        return {**result.summary(), "motion": None if self.output is None else str(self.output)}

    def _finish(self, result: Result) -> None:
        if self.output is not None:
            result.motion.save(self.output)
        if self.out is None:
            return
        self.out.print(residuals(result))
        self.out.print(result.sentence(), markup=False)
        if self.output is not None:
            more = "; go on with --resume" if result.solution.stopped else ""
            self.out.print(f"wrote {self.output}{more}", markup=False)


def residuals(result: Result) -> Table:
    """Every residual beside its limit."""
    table = _table(f"{result.scene.name}, seed {result.solution.seed}: {result.solution.iterations} iterations, "
                   f"{result.seconds:.1f} s", ("residual", "value", "limit", ""))
    for m in result.measures:
        table.add_row(m.name, f"{m.value:.3g} {m.unit}", f"{'at least' if m.least else 'at most'} {m.limit:g}",
                      _verdict(m.good, "good"))
    return table


def ranking(runs: Sequence[Run]) -> Table:
    """Seeds, the best first."""
    table = _table("seeds, the best first", ("seed", "", "iterations", "s", "worst, of its limit", "off"))
    for run in runs:
        table.add_row(str(run.seed), _verdict(run.solved, "solved"), str(run.iterations), f"{run.seconds:.1f}",
                      f"{run.rank[1]:.2f}", ", ".join(run.failed))
    return table


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None)
    for column in columns:
        table.add_column(column, header_style="dim")
    return table


def _verdict(good: bool, word: str) -> str:
    return f"[green]{word}[/]" if good else "[red]off[/]"
