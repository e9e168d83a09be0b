"""`gambol run`: simulate a behavior, record it, say what came of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from gambol.cli import trial_options as options
from gambol.cli.app import Json, app
from gambol.console import out, progress_bar
from gambol.errors import BadInput, Diverged, GambolError


@app.command()
def run(behavior: Annotated[str, typer.Argument(help="what it should do, see `gambol list`", show_default=False)],
        character: options.Character = None, terrain: options.Terrain = None,
        seconds: Annotated[float, typer.Option(help="how long to simulate")] = 10.0, seed: options.Seed = 0,
        set_: options.Settings = [], preset: options.Preset = None, params: options.ParamsFile = None,  # noqa: B006
        motion: options.MotionFile = None, start: options.StartText = None, jitter: options.JitterFactor = None,
        vary: options.VaryText = None, actuators: options.Actuators = "motors",
        figure: options.Figures = [], push: options.Pushes = [],  # noqa: B006
        throw: options.Throws = [], prop: options.Props = [],  # noqa: B006
        output: Annotated[Path | None, typer.Option("-o", "--output", help="write the Motion here (.npz)")] = None,
        video: Annotated[Path | None, typer.Option(help="write a video here (.mp4 or .gif)")] = None,
        explain: Annotated[Path | None, typer.Option(help="write a page here (.html) that shows plan and reality, and "
                                                     "why it fell or did not")] = None,
        json_: Json = False) -> None:
    """Simulate a behavior and record it."""
    from gambol.explain.diary import Diary
    from gambol.files import check_writable
    from gambol.motion.export import export as export_motion
    from gambol.runs import run as run_trial

    for path, suffixes in ((output, (".npz",)), (video, (".mp4", ".gif")), (explain, (".html",))):
        if path is not None:
            check_writable(path, suffixes)
    first = options.first_cast(behavior, character, set_, preset, params, start, jitter, actuators, motion)
    trial = replace(options.trial_of(first, figure, terrain, prop, push, throw, vary, seed), seconds=seconds)
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
