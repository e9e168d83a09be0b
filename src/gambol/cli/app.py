"""The application that commands register with, the options they share, and what becomes of errors.

Exit status: 0 done (a fall is a result, not an error), 2 bad input with one clear line, 1 anything else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from gambol import plugins
from gambol.console import err
from gambol.errors import BadInput, GambolError, MissingGL

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
                  help="Simulated characters that move by themselves.")

Json = Annotated[bool, typer.Option("--json", help="print one JSON object on stdout and nothing else there")]
File = Annotated[Path, typer.Argument(help="a Motion file (.npz)", show_default=False)]
Host = Annotated[str, typer.Option(help="address to serve on")]
Port = Annotated[int, typer.Option(help="port to serve on; the next free one if taken", min=1, max=65535)]
Ray = Annotated[str | None, typer.Option("--ray", metavar="ADDRESS", help="share the work out on a Ray cluster: "
                                         "HOST:PORT of its head, or auto for the one that runs on this machine")]
Browser = Annotated[bool, typer.Option(help="open the browser")]


@app.callback()
def load(load_: Annotated[list[Path], typer.Option("--load", help="a Python file with behaviors, characters, "
                                                   "terrains or features of your own")] = []) -> None:  # noqa: B006
    """Simulated characters that move by themselves."""
    for path in load_:
        plugins.load(path)


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
