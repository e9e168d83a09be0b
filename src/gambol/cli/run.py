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
            check_writable(path, suffixes)
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
