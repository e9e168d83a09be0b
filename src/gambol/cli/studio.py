"""`gambol studio` and `gambol view`: the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from gambol.cli.app import Browser, File, Host, Port, app


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
