"""The wheel: it holds every module and every data file, for what git ignores is left out of it without a word."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import pytest

from gambol.synthesis.shipped import FOLDER, SCENES

wheel = pytest.importorskip("hatchling.builders.wheel")

PROJECT = Path(__file__).parents[1]
DATA = {"policies/weights.npz": b"PK", "behaviors/walk/tuned.json": b"{}", "bodies/creatures/out/robot.xml": b"<x/>",
        "studio/dist/page.html": b"", "motion/clip.bvh": b"", "experiments/demo.csv": b""}
"""Kinds of files that a room may bring along, in the package's copy."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a wheel is built from, with more data in it."""
    root = tmp_path_factory.mktemp("project")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(PROJECT / name, root / name)
    shutil.copytree(PROJECT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name, content in DATA.items():
        path = root / "src" / "gambol" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def test_the_wheel_holds_all_modules_and_data_files(project: Path, tmp_path: Path) -> None:
    (built,) = wheel.WheelBuilder(str(project)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        held = {name for name in archive.namelist() if name.startswith("gambol/")}
        about = archive.read(next(name for name in archive.namelist() if name.endswith("METADATA"))).decode()
    source = project / "src"
    wanted = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    assert {f"gambol/{name}" for name in DATA} <= wanted
    scenes = {f"gambol/synthesis/{FOLDER.name}/{name}.yaml" for name in SCENES}
    assert len(scenes) > 20 and scenes <= wanted
    assert sorted(wanted - held) == [], "add it to git: is it named in .gitignore?"
    assert sorted(held - wanted) == []
    assert set(re.findall(r"^Provides-Extra: (.*)$", about, re.M)) == {"cluster", "dev", "synthesis"}
