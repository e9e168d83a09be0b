"""The command line. Every command is thin: parse, call one function, print.

Exit status: 0 done (a fall is a result, not an error), 2 bad input with one clear line, 1 anything else.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from typer.exceptions import TyperException

from gambol import plugins
from gambol.errors import BadInput, Diverged, GambolError, MissingGL, unknown
from gambol.params import ParamInfo, parse_settings

if TYPE_CHECKING:
    from gambol.experiments.experiment import Experiment, Result

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
                  help="Simulated characters that move by themselves.")
out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Json = Annotated[bool, typer.Option("--json", help="print one JSON object on stdout and nothing else there")]
File = Annotated[Path, typer.Argument(help="a Motion file (.npz)", show_default=False)]
Host = Annotated[str, typer.Option(help="address to serve on")]
Port = Annotated[int, typer.Option(help="port to serve on; the next free one if taken", min=1, max=65535)]
Browser = Annotated[bool, typer.Option(help="open the browser")]


@app.callback()
def load(load_: Annotated[list[Path], typer.Option("--load", help="a Python file with behaviors, characters, "
                                                   "terrains or features of your own")] = []) -> None:  # noqa: B006
    """Simulated characters that move by themselves."""
    for path in load_:
        plugins.load(path)


@app.command("list")
def list_(json_: Json = False) -> None:
    """Characters, behaviors, terrains, props, scenes, features and experiments, with one line on each."""
    from gambol.behaviors import BEHAVIORS
    from gambol.bodies import CHARACTERS
    from gambol.experiments import EXPERIMENTS
    from gambol.synthesis.features import FEATURES
    from gambol.synthesis.shipped import SCENES
    from gambol.world.props import PROPS
    from gambol.world.terrain import TERRAINS

    names = {
        "characters": {name: _first_line(make.__doc__) for name, make in CHARACTERS.items()},
        "behaviors": {name: kind.doc for name, kind in BEHAVIORS.items()},
        "terrains": {name: kind.doc for name, kind in TERRAINS.items()},
        "props": {name: kind.doc for name, kind in PROPS.items()},
        "scenes": SCENES,
        "features": {name: f"{found.doc} ({found.unit})" for name, found in FEATURES.items()},
        "experiments": {name: entry.doc for name, entry in EXPERIMENTS.items()}}
    params = {name: kind.Params.describe() for registry in (BEHAVIORS, TERRAINS) for name, kind in registry.items()}
    params |= {name: list(kind.describe()) for name, kind in PROPS.items()}
    if json_:
        print(json.dumps({**names, "params": {name: [_param_row(p) for p in infos] for name, infos in params.items()}}))
        return
    for title, entries in names.items():
        table = Table(title=title, title_justify="left", title_style="bold", box=None, show_header=False)
        for name, doc in entries.items():
            table.add_row(name, escape(doc))
            for info in params.get(name, []) if title in ("behaviors", "terrains", "props") else []:
                table.add_row("", f"[dim]{info.name}={_plain(info.default)}   {escape(info.doc)} "
                                  f"({escape(info.range_text)})[/dim]")
        out.print(table)
        out.print()


@app.command()
def run(behavior: Annotated[str, typer.Argument(help="what it should do, see `gambol list`", show_default=False)],
        character: Annotated[str, typer.Option(help="a built-in character or an MJCF file")] = "human",
        terrain: Annotated[str, typer.Option(help="the ground, as name:key=value,...")] = "flat",
        seconds: Annotated[float, typer.Option(help="how long to simulate")] = 10.0,
        seed: Annotated[int, typer.Option(help="seed of the random start", min=0)] = 0,
        set_: Annotated[list[str], typer.Option("--set", help="a parameter of the behavior, param=value")] = [],  # noqa: B006
        push: Annotated[list[str], typer.Option(help="t=2,body=trunk,force=300:0:0,duration=0.1")] = [],  # noqa: B006
        throw: Annotated[list[str], typer.Option(help="t=2,body=trunk,mass=3,speed=8,bearing=90")] = [],  # noqa: B006
        prop: Annotated[list[str], typer.Option(help="a thing in the scene, as name:key=value,...")] = [],  # noqa: B006
        output: Annotated[Path | None, typer.Option("-o", "--output", help="write the Motion here (.npz)")] = None,
        video: Annotated[Path | None, typer.Option(help="write a video here (.mp4 or .gif)")] = None,
        explain: Annotated[Path | None, typer.Option(help="write a page here (.html) that shows plan and reality, and "
                                                     "why it fell or did not")] = None,
        json_: Json = False) -> None:
    """Simulate a behavior and record it."""
    from gambol.explain.diary import Diary
    from gambol.files import check_writable
    from gambol.motion.export import export as export_motion
    from gambol.rollout import simulate
    from gambol.world.props import make_props
    from gambol.world.pushes import Push, Throw

    for path, suffixes in ((output, (".npz",)), (video, (".mp4", ".gif")), (explain, (".html",))):
        if path is not None:
            _check_suffix(path, suffixes)
            check_writable(path)
    settings = parse_settings(",".join(set_))
    pushes, throws = [Push.parse(text) for text in push], [Throw.parse(text) for text in throw]
    props = make_props(prop)
    diary = Diary() if explain is not None else None
    try:
        with progress_bar(f"{behavior}, {seconds:g} s") as progress:
            result = simulate(behavior, character, terrain, seconds=seconds, seed=seed, settings=settings,
                              pushes=pushes, throws=throws, props=props, progress=progress, watch=diary)
    except Diverged as error:
        raise _with_black_box_saved(error, output or Path(f"{behavior}.npz")) from None
    summary = dict(result.summary)
    if output is not None:
        summary["motion"] = str(result.motion.save(output))
    if video is not None:
        with progress_bar(f"drawing {video.name}") as progress:
            export_motion(result.motion, video, progress=progress)
    if explain is not None and diary is not None:
        from gambol.explain.page import explain as write_explanation  # draws with Matplotlib: not at start

        write_explanation(result.motion, diary, explain)
    if json_:
        print(json.dumps(summary))
        return
    _print_summary(behavior, summary)
    for path in (output, video, explain):
        if path is not None:
            out.print(f"wrote {path}")


@app.command()
def studio(behavior: Annotated[str, typer.Argument(help="what it should do at first")] = "balance",
           character: Annotated[str, typer.Option(help="a built-in character or an MJCF file")] = "human",
           terrain: Annotated[str, typer.Option(help="the ground, as name:key=value,...")] = "flat",
           host: Host = "127.0.0.1", port: Port = 8080, browser: Browser = True) -> None:
    """Live in the browser: push it, steer it, change its body, record it."""
    from gambol.studio import run_studio

    run_studio(behavior, character, terrain, port=port, host=host, open_browser=browser)


@app.command()
def view(file: File, host: Host = "127.0.0.1", port: Port = 8080, browser: Browser = True) -> None:
    """Play a Motion in the browser."""
    from gambol.studio import run_view

    run_view(file, port=port, host=host, open_browser=browser)


@app.command()
def export(file: File, target: Annotated[Path, typer.Argument(help="OUT.glb, .bvh, .mp4, .gif or .csv",
                                                              show_default=False)],
           skinned: Annotated[bool, typer.Option(help="glTF: one skinned mesh with a skeleton")] = False,
           fps: Annotated[float | None, typer.Option(help="frames per second", min=1, max=1000)] = None,
           json_: Json = False) -> None:
    """Write a Motion as glTF, BVH, video or CSV."""
    from gambol.motion.export import export as export_motion
    from gambol.motion.motion import Motion

    motion = Motion.load(file)
    options: dict[str, Any] = {"fps": fps} if fps is not None else {}
    if skinned:
        if target.suffix.lower() != ".glb":
            raise BadInput(f"--skinned is for .glb only, not {target.suffix or 'no suffix'!r}")
        options["skinned"] = True
    with progress_bar(f"writing {target.name}") as progress:
        written = export_motion(motion, target, progress=progress, **options)
    if json_:
        print(json.dumps({"written": [str(path) for path in written]}))
    else:
        for path in written:
            out.print(f"wrote {path} ({path.stat().st_size / 1024:.0f} KiB)")


@app.command()
def verify(file: File, json_: Json = False) -> None:
    """Replay a Motion in plain MuJoCo; report the largest difference and any undeclared force."""
    from gambol.motion.verify import verify_file

    with progress_bar("replaying") as progress:
        verdict = verify_file(file, progress)
    if json_:
        print(json.dumps({"ok": verdict.ok, "ticks": verdict.ticks, "difference": verdict.difference,
                          "first_tick": verdict.first_tick, "unexplained_ticks": verdict.unexplained,
                          "undeclared_force": verdict.force, "changed": verdict.changed,
                          "rule_breaks": verdict.rule_breaks, "position_jump": verdict.jump,
                          "time_difference": verdict.time_difference, "fingerprints": verdict.fingerprints,
                          "declared": asdict(verdict.declared)}))
    else:
        for line in verdict.sentences():
            out.print(line, markup=False)
    if not verdict.ok:
        raise typer.Exit(1)


@app.command()
def inspect(model: Annotated[Path, typer.Argument(help="an MJCF model (.xml)", show_default=False)],
            anatomy: Annotated[Path | None, typer.Option(help="a YAML file that says what the parts are")] = None,
            write_anatomy: Annotated[Path | None, typer.Option(help="write what was found as such a file")] = None,
            json_: Json = False) -> None:
    """The anatomy that was found in a model, and what is missing."""
    from gambol.bodies.character import Character
    from gambol.bodies.mjcf.anatomy_file import to_yaml
    from gambol.bodies.mjcf.inspection import inspect_rows
    from gambol.files import whole_file

    character = Character.from_mjcf(model, anatomy)
    rows = list(inspect_rows(character))
    if write_anatomy is not None:
        with whole_file(write_anatomy) as temporary:
            temporary.write_text(to_yaml(character))
    if json_:
        sections: dict[str, dict[str, str]] = {}
        for section, name, value in rows:
            sections.setdefault(section, {})[name] = value
        print(json.dumps(sections))
        return
    table = Table(box=None, show_header=False)
    last = ""
    for section, name, value in rows:
        table.add_row("" if section == last else f"[bold]{escape(section)}[/bold]", escape(name), escape(value))
        last = section
    out.print(table)
    if write_anatomy is not None:
        out.print(f"wrote {write_anatomy}")


@app.command()
def synthesize(scene: Annotated[str, typer.Argument(help="SCENE.yaml, or a shipped scene, see `gambol list`",
                                                    show_default=False)],
               output: Annotated[Path | None, typer.Option("-o", "--output",
                                                           help="write the Motion here (.npz)")] = None,
               seed: Annotated[int, typer.Option(help="seed of everything random", min=0)] = 0,
               seeds: Annotated[int, typer.Option(help="solve with so many seeds, from --seed on, and keep the best",
                                                  min=1, max=1000)] = 1,
               workers: Annotated[int, typer.Option(help="processes that share the seeds", min=1, max=64)] = 2,
               resume: Annotated[bool, typer.Option("--resume", help="go on from the checkpoint beside the output, if "
                                                    "there is one")] = False,
               from_: Annotated[Path | None, typer.Option("--from", help="start from the solution in this Motion, of a "
                                                          "scene that differs in its goals")] = None,
               watch: Annotated[bool, typer.Option("--watch", help="show it in the browser while solving")] = False,
               port: Port = 8080, browser: Browser = True,
               solver: Annotated[str, typer.Option(help="gauss-newton or lbfgs")] = "gauss-newton",
               json_: Json = False) -> None:
    """Trajectory optimisation from tasks: a Motion in which contacts are found, not given."""
    from gambol.files import check_writable
    from gambol.synthesis import engine  # noqa: F401  says how to install what is missing
    from gambol.synthesis.command import Teller
    from gambol.synthesis.scene_file import find_scene
    from gambol.synthesis.seeds import Orders
    from gambol.synthesis.solvers import SOLVERS
    from gambol.synthesis.warm import earlier

    if output is not None:
        _check_suffix(output, (".npz",))
        check_writable(output)
    if solver not in SOLVERS:
        raise unknown("solver", solver, SOLVERS)
    if resume and output is None:
        raise BadInput("--resume goes on from the checkpoint beside the output; name it with -o")
    if watch and seeds > 1:
        raise BadInput("--watch shows one seed; leave out --seeds")
    asked = find_scene(scene)
    warm = None if from_ is None else earlier(from_, asked.problem().layout)
    orders = Orders(solver, warm, resume)
    teller = Teller(None if json_ else out, err, output)
    if seeds > 1:
        summary = teller.best_seed(scene, asked, range(seed, seed + seeds), workers, orders)
    else:
        summary = teller.one_seed(asked, seed, orders, port if watch else None, browser)
    if json_:
        print(json.dumps(summary))


@app.command()
def reproduce(experiments: Annotated[list[str] | None, typer.Argument(
                  help="names or groups, see `gambol list`; all if none is given", show_default=False)] = None,
              report: Annotated[Path | None, typer.Option(help="write a page with pictures here (.html)")] = None,
              seed: Annotated[int, typer.Option(help="seed of everything random", min=0)] = 0,
              quick: Annotated[bool, typer.Option("--quick", help="short runs and few trials")] = False,
              workers: Annotated[int, typer.Option(help="processes that share the trials", min=1, max=64)] = 2,
              json_: Json = False) -> None:
    """Published results and ours, side by side."""
    from gambol.experiments.experiment import Context, select
    from gambol.experiments.report import write_report
    from gambol.files import check_writable

    chosen = select(experiments or [])
    if report is not None:
        _check_suffix(report, (".html",))
        check_writable(report)
    results = []
    for entry in chosen:
        with progress_bar(entry.name) as progress:
            result = entry.run(Context(seed, quick, progress or (None if quick else milestones(entry.name)), workers))
        results.append((entry, result))
        if not json_:
            _print_result(entry, result)
    if report is not None:
        write_report(report, results, seed, quick)
    if json_:
        print(json.dumps({"seed": seed, "quick": quick, "report": None if report is None else str(report),
                          "failed": [entry.name for entry, result in results if result.verdict == "fail"],
                          "experiments": {entry.name: {
                              "verdict": result.verdict, "seconds": result.seconds, "source": entry.source,
                              "rows": [asdict(row) for row in result.rows], "notes": list(result.notes)}
                              for entry, result in results}}))
    elif report is not None:
        out.print(f"wrote {report}")


@app.command()
def bench() -> None:
    """Benchmarks, one metric a line, each a ratio measured in one run."""
    from gambol.bench import run_benchmarks

    for line in run_benchmarks():
        out.print(line, markup=False)


# -- helpers -----------------------------------------------------------------------------------------------------------


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


def _print_result(entry: "Experiment", result: "Result") -> None:
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


def _print_summary(behavior: str, summary: dict[str, Any]) -> None:
    fate = f"fell at {summary['fell_at']:.2f} s" if summary["fell"] else "did not fall"
    out.print(f"{behavior}: {fate}; {summary['seconds']:g} s simulated, "
              f"{summary['realtime_factor']:.1f} times real time")
    ratio = summary["max_torque_ratio"]
    torque = "no motors" if ratio is None else f"largest torque {100 * ratio:.0f} % of its limit"
    out.print(f"distance {summary['distance']:.2f} m, {summary['steps']} steps, {torque}")


def _with_black_box_saved(error: Diverged, beside: Path) -> GambolError:
    if error.last is None:
        return error
    try:
        path = error.last.save(beside.with_suffix(".diverged.npz"))
    except BadInput as refusal:
        return GambolError(f"{error}; the last seconds could not be kept: {refusal}")
    return GambolError(f"{error}; the last seconds are in {path}")


def _check_suffix(path: Path, allowed: Sequence[str]) -> None:
    if path.suffix.lower() not in allowed:
        raise BadInput(f"cannot write {path}: the name must end in {' or '.join(allowed)}")


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n")[0]


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _param_row(info: ParamInfo) -> dict[str, Any]:
    return {"name": info.name, "default": info.default, "unit": info.unit, "low": info.low, "high": info.high,
            "choices": list(info.choices), "doc": info.doc}


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the `gambol` command."""
    status = 0
    try:
        words = list(sys.argv[1:] if arguments is None else arguments)
        status = app(args=words or ["--help"], standalone_mode=False) or 0
    except MissingGL as error:
        status = _complain(error, 1)
    except BadInput as error:
        status = _complain(error, 2)
    except GambolError as error:
        status = _complain(error, 1)
    except typer.Abort:
        status = 1
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except TyperException as error:  # the parser's own complaints
        status = _complain(error.format_message(), error.exit_code)
    sys.exit(status)


def _complain(message: object, status: int) -> int:
    err.print(f"gambol: {' '.join(str(message).split())}", markup=False)
    return status
