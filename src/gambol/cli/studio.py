"""`gambol studio` and `gambol view`: the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.app import Browser, File, Host, Port, app


@app.command()
def studio(behavior: Annotated[str, typer.Argument(help="what it should do at first")] = "balance",
           character: Annotated[str | None, typer.Option(help="a built-in character or an MJCF file",
                                                         show_default=False)] = None,
           terrain: Annotated[str | None, typer.Option(help="the ground, as name:key=value,...",
                                                       show_default=False)] = None,
           set_: Annotated[list[str], typer.Option("--set", help="a parameter of the behavior, param=value")] = [],  # noqa: B006
           preset: Annotated[str | None, typer.Option(help="a named set of parameters, see `gambol list`")] = None,
           params: Annotated[Path | None, typer.Option(help="a parameter file (.json) of the behavior")] = None,
           start: Annotated[str | None, typer.Option(help="how it begins: standing, sitting, supine, prone, left_side, "
                                                     "right_side, or a moment of a Motion, FILE.npz@2.5")] = None,
           prop: Annotated[list[str], typer.Option(help="a thing in the scene, as name:key=value,...")] = [],  # noqa: B006
           figure: Annotated[list[str], typer.Option(help="one more figure, as name=b,character=child,"
                                                     "behavior=balance,x=1,param=value")] = [],  # noqa: B006
           host: Host = "127.0.0.1", port: Port = 8080, browser: Browser = True) -> None:
    """Live in the browser: push it, steer it, change its body, record it."""
    from gambol.motion.moments import start_from
    from gambol.params import parse_settings
    from gambol.runs import Cast, Trial
    from gambol.runs.figure_text import parse_figure
    from gambol.studio import run_studio
    from gambol.world.props import make_props

    first = Cast(behavior, character, settings=parse_settings(",".join(set_)), preset=preset,
                 params=None if params is None else str(params),
                 start=None if start is None else start_from(start))
    trial = Trial((first, *map(parse_figure, figure)), terrain,
                  props=tuple(make_props(prop)) or None)
    run_studio(trial, port=port, host=host, open_browser=browser)


@app.command()
def view(file: File, host: Host = "127.0.0.1", port: Port = 8080, browser: Browser = True) -> None:
    """Play a Motion in the browser."""
    from gambol.studio import run_view

    run_view(file, port=port, host=host, open_browser=browser)
