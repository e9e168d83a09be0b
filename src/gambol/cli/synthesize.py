"""`gambol synthesize`: trajectory optimisation from tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.app import Browser, Json, Port, Ray, app
from gambol.console import err, out
from gambol.errors import BadInput, unknown


@app.command()
def synthesize(scene: Annotated[str, typer.Argument(help="SCENE.yaml, or a shipped scene, see `gambol list`",
                                                    show_default=False)],
               output: Annotated[Path | None, typer.Option("-o", "--output",
                                                           help="write the Motion here (.npz)")] = None,
               seed: Annotated[int, typer.Option(help="seed of everything random", min=0)] = 0,
               seeds: Annotated[int, typer.Option(help="solve with so many seeds, from --seed on, and keep the best",
                                                  min=1, max=1000)] = 1,
               workers: Annotated[int, typer.Option(help="processes that share the seeds", min=1, max=64)] = 2,
               ray: Ray = None,
               resume: Annotated[bool, typer.Option("--resume", help="go on from the checkpoint beside the output, if "
                                                    "there is one")] = False,
               from_: Annotated[Path | None, typer.Option("--from", help="start from the solution in this Motion, of a "
                                                          "scene that differs in its goals")] = None,
               watch: Annotated[bool, typer.Option("--watch", help="show it in the browser while solving")] = False,
               port: Port = 8080, browser: Browser = True,
               solver: Annotated[str, typer.Option(help="gauss-newton or lbfgs")] = "gauss-newton",
               json_: Json = False) -> None:
    """Trajectory optimisation from tasks: a Motion in which contacts are found, not given."""
    from gambol.synthesis import engine  # noqa: F401  first, for it says how to install what is missing

    # isort: split
    from gambol.cli.solve_report import Reporter
    from gambol.files import check_writable
    from gambol.jobs import Pool
    from gambol.synthesis.scene_file import find_scene
    from gambol.synthesis.seeds import Orders
    from gambol.synthesis.solvers import SOLVERS
    from gambol.synthesis.warm import earlier

    if output is not None:
        check_writable(output, (".npz",))
    if solver not in SOLVERS:
        raise unknown("solver", solver, SOLVERS)
    if resume and output is None:
        raise BadInput("--resume goes on from the checkpoint beside the output; name it with -o")
    if watch and seeds > 1:
        raise BadInput("--watch shows one seed; leave out --seeds")
    if ray is not None and seeds == 1:
        raise BadInput("--ray shares out seeds; say how many with --seeds")
    if ray is not None and resume:
        raise BadInput("--resume goes on from checkpoints on this machine, and other nodes have none; leave out --ray")
    asked = find_scene(scene)
    warm = None if from_ is None else earlier(from_, asked.problem().layout)
    orders = Orders(solver, warm, resume)
    reporter = Reporter(None if json_ else out, err, output)
    if seeds > 1:
        with Pool(workers, ray) as pool:
            summary = reporter.best_seed(scene, asked, range(seed, seed + seeds), pool, orders, ray is None)
    else:
        summary = reporter.one_seed(asked, seed, orders, port if watch else None, browser)
    if json_:
        print(json.dumps(summary))
