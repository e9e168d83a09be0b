"""`gambol studio` and `gambol view`: the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli import trial_options as options
from gambol.cli.app import Browser, Host, Port, app


@app.command()
def studio(behavior: Annotated[str, typer.Argument(help="what it should do at first")] = "balance",
           character: options.Character = None, terrain: options.Terrain = None, seed: options.Seed = 0,
           set_: options.Settings = [], preset: options.Preset = None, params: options.ParamsFile = None,  # noqa: B006
           start: options.StartText = None, jitter: options.JitterFactor = None, vary: options.VaryText = None,
           actuators: options.Actuators = "motors", figure: options.Figures = [], push: options.Pushes = [],  # noqa: B006
           throw: options.Throws = [], prop: options.Props = [],  # noqa: B006
           host: Host = "127.0.0.1", port: Port = 8080, browser: Browser = True) -> None:
    """Live in the browser: push it, steer it, change its body, record it."""
    from gambol.studio import run_studio

    first = options.first_cast(behavior, character, set_, preset, params, start, jitter, actuators)
    trial = options.trial_of(first, figure, terrain, prop, push, throw, vary, seed)
    run_studio(trial, port=port, host=host, open_browser=browser)


@app.command()
def view(file: Annotated[Path, typer.Argument(help="a Motion file (.npz) or a recorded clip (.bvh)",
                                              show_default=False)],
         character: Annotated[str, typer.Option(help="who a clip is retargeted to")] = "human",
         host: Host = "127.0.0.1", port: Port = 8080, browser: Browser = True) -> None:
    """Play a Motion, or a recorded clip on a character, in the browser."""
    from gambol.studio import run_view

    run_view(file, port=port, host=host, open_browser=browser, character=character)
