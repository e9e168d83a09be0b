"""Python files of the user's own, with behaviors, characters, terrains or features that they register."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from gambol.errors import BadInput, GambolError

LOADED: list[Path] = []
"""What was loaded, for processes that are to know it, too."""


def load(path: Path) -> None:
    """Run a file, unless it was run already."""
    if not path.is_file():
        raise BadInput(f"there is no file {path} to load")
    path = path.resolve()
    if path in LOADED:
        return
    spec = importlib.util.spec_from_file_location(f"gambol_loaded_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} is not a Python file")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except GambolError as error:
        raise BadInput(f"{path}: {error}") from None
    except SystemExit as error:
        raise BadInput(f"{path} ends the program, by sys.exit({error.code!r}); what is loaded must only register"
                       ) from None
    except Exception as error:
        raise BadInput(f"{path}: {type(error).__name__}: {error}") from None
    LOADED.append(path)
