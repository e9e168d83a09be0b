"""The shipped scenes: YAML files whose first line says what they are. Needs no JAX."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "scenes"


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("#").strip()


SCENES: dict[str, str] = {path.stem: _first_line(path) for path in sorted(FOLDER.glob("*.yaml"))}
"""Name and one line on each."""
