"""`gambol run`: simulate a behavior, record it, say what came of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from gambol.cli.app import Json, app
from gambol.console import out, progress_bar
from gambol.errors import BadInput, Diverged, GambolError
from gambol.params import parse_settings


@app.command()
def run(behavior: Annotated[str, typer.Argument(help="what it should do, see `gambol list`", show_default=False)],
        character: Annotated[str | None, typer.Option(help="a built-in character or an MJCF file; else the "
                                                     "behavior's own, or a human", show_default=False)] = None,
        terrain: Annotated[str | None, typer.Option(help="the ground, as name:key=value,...; else the behavior's own, "
                                                    "or flat", show_default=False)] = None,
        seconds: Annotated[float, typer.Option(help="how long to simulate")] = 10.0,
        seed: Annotated[int, typer.Option(help="seed of the random start", min=0)] = 0,
        set_: Annotated[list[str], typer.Option("--set", help="a parameter of the behavior, param=value")] = [],  # noqa: B006
        preset: Annotated[str | None, typer.Option(help="a named set of parameters, see `gambol list`")] = None,
        params: Annotated[Path | None, typer.Option(help="a parameter file (.json) of the behavior: {\"format\": "
                                                       "\"gambol-params/1\", \"behavior\": \"balance\", "
                                                       "\"params\": {\"height\": 0.9}}")] = None,
        start: Annotated[str | None, typer.Option(help="how it begins: standing, sitting, supine, prone, left_side, "
                                                  "right_side, or a moment of a Motion, FILE.npz@2.5")] = None,
        jitter: Annotated[float | None, typer.Option(help="how much its start differs by the seed; 0: not at all",
                                                     show_default="1")] = None,
        vary: Annotated[str | None, typer.Option(help="how the true body differs from what the behavior believes: "
                                                 "mass=0.8,friction=0.6,strength=0.5,lock=left_elbow,pack=5")] = None,
        actuators: Annotated[str, typer.Option(help="of an MJCF file: motors, or those of the file")] = "motors",
        figure: Annotated[list[str], typer.Option(help="one more figure, as name=b,character=child,behavior=balance,"
                                                  "x=1,param=value")] = [],  # noqa: B006
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
    from gambol.motion.moments import start_from
    from gambol.runs import Cast, Trial
    from gambol.runs import run as run_trial
    from gambol.runs.figure_text import parse_figure
    from gambol.world.props import make_props
    from gambol.world.pushes import Push, Throw
    from gambol.world.vary import Vary

    for path, suffixes in ((output, (".npz",)), (video, (".mp4", ".gif")), (explain, (".html",))):
        if path is not None:
            check_writable(path, suffixes)
    settings = parse_settings(",".join(set_))
    first = Cast(behavior, character, settings=settings, preset=preset, params=None if params is None else str(params),
                 start=None if start is None else start_from(start),
                 where={} if jitter is None else {"jitter": jitter}, actuators=actuators)
    trial = Trial((first, *map(parse_figure, figure)), terrain, props=tuple(make_props(prop)) or None,
                  pushes=tuple(map(Push.parse, push)), throws=tuple(map(Throw.parse, throw)) or None, seconds=seconds,
                  seed=seed, vary=None if vary is None else Vary.parse(vary))
    diary = Diary() if explain is not None else None
    try:
        with progress_bar(f"{behavior}, {seconds:g} s") as progress:
            result = run_trial(trial, watch=diary, progress=progress, interruptible=True)
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
    _print_summary(summary, [None if fall is None else fall.reason for fall in result.falls])
    for path in (output, video, explain):
        if path is not None:
            out.print(f"wrote {path}")


def _print_summary(summary: dict[str, Any], reasons: list[str | None]) -> None:
    figures = summary["figures"]
    for figure, reason in zip(figures, reasons, strict=True):
        who = figure["behavior"] if len(figures) == 1 else f"{figure['name']}, {figure['behavior']}"
        out.print(f"{who}: {_fate(figure, reason)}", markup=False)
    out.print(f"{summary['seconds']:g} s simulated, {summary['realtime_factor']:.1f} times real time")


def _fate(figure: dict[str, Any], reason: str | None) -> str:
    fate = f"fell at {figure['fell_at']:.2f} s ({reason})" if reason is not None else "did not fall"
    ratio = figure["max_torque_ratio"]
    torque = "no motors" if ratio is None else f"largest torque {100 * ratio:.0f} % of its limit"
    return f"{fate}; {figure['distance']:.2f} m, {figure['steps']} steps, {torque}"


def _with_black_box_saved(error: Diverged, beside: Path) -> GambolError:
    if error.last is None:
        return error
    try:
        path = error.last.save(beside.with_suffix(".diverged.npz"))
    except BadInput as refusal:
        return GambolError(f"{error}; the last seconds could not be kept: {refusal}")
    return GambolError(f"{error}; the last seconds are in {path}")
