"""Every example runs as a user runs it, says what it did, and its takes verify; so do the snippets of the docs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gambol.motion.verify import verify_file

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = {
    "01_hello": ("hello.npz: 4 s, did not fall", ["hello.npz"]),
    "02_push_survey": ("push_survey.csv", ["push_survey.csv"]),
    "03_own_behavior": ("squat.npz: 4 s, did not fall", ["squat.npz"]),
    "04_own_character": ("7.0 kg, pushed with 20 N for 0.1 s, did not fall", ["pip.npz", "big_pip.npz"]),
    "05_terrain_and_throws": ("throws.npz: 2 balls on rough", ["throws.npz", "platform.npz"]),
    "06_export": ("push_skinned.glb", ["push.glb", "push_skinned.glb", "push.bvh", "push.csv"]),
    "07_morph": ("did not fall; verify: ok, largest difference 0", ["morph.npz"]),
    "08_wave_on_one_leg": ("wave_child.npz: 6.5 s, 2 pushes of 1 N s, 1 of 1 did not fall",
                           ["wave_human.npz", "wave_child.npz"]),
    "09_go_anywhere": ("steps; wrote", ["tour.npz"]),
    "10_synthesize": ("punch.npz: 1.5 s, solved", ["punch.npz"]),
    "11_own_feature": ("hand_over_foot.npz: 3 s, solved", ["hand_over_foot.npz"]),
    "12_palm_on_a_wall": ("hands=left: human44 stands, child stands", ["palm_none.npz", "palm_left.npz"]),
}
PLANNED = ("10_synthesize", "11_own_feature")
"""Examples whose motions are planned, not simulated: there is nothing to replay."""
PAGES = ("README.md", "docs/concepts.md", "docs/contributing.md", "docs/export.md", "docs/jobs.md", "docs/running.md",
         "docs/terrains.md")


def run(script: Path, folder: Path, *arguments: str) -> str:
    """What a script prints, run in a folder with the Python of the tests."""
    done = subprocess.run([sys.executable, str(script), *arguments], cwd=folder, capture_output=True, text=True,
                          timeout=240)
    if "MissingGL" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return done.stdout


def snippets() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
        found += [(f"{page}-{k + 1}", block) for k, block in enumerate(blocks)]
    return found


def test_every_example_is_tested() -> None:
    assert sorted(EXAMPLES) == sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, tmp_path: Path) -> None:
    if name in PLANNED:
        pytest.importorskip("jax", reason="the extra `synthesis` is not installed")
    line, files = EXAMPLES[name]
    elsewhere, target = tmp_path / "elsewhere", tmp_path / "target"
    elsewhere.mkdir()
    target.mkdir()
    printed = run(ROOT / "examples" / f"{name}.py", elsewhere, str(target))
    assert line in printed, printed
    assert sorted(path.name for path in target.iterdir()) == sorted(files)
    assert not list(elsewhere.iterdir())
    for file in files:
        assert (target / file).stat().st_size > 0
        if file.endswith(".npz") and name not in PLANNED:
            verdict = verify_file(target / file)
            assert verdict.ok, verdict.sentences()
    if name == "08_wave_on_one_leg":
        assert printed.count("1 of 1 did not fall") == 2, printed
    if name == "12_palm_on_a_wall":
        assert "hands=none: human44 fell, child stands" in printed, printed
    if name == "02_push_survey":  # balance survives what stand does not
        rows = [line.split(",") for line in (target / "push_survey.csv").read_text().splitlines()[1:]]
        survived = {(row[0], row[1]): int(row[3]) for row in rows}
        assert survived["balance", "30"] == 1 and survived["stand", "30"] == 0


@pytest.mark.parametrize("code", [code for _, code in snippets()], ids=[name for name, _ in snippets()])
def test_snippet_of_the_docs(code: str, tmp_path: Path) -> None:
    """As written, in an empty folder. Those that draw need OpenGL."""
    script = tmp_path / "snippet.py"
    script.write_text(code, encoding="utf-8")
    run(script, tmp_path)


@pytest.mark.parametrize("name", ["README.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))])
def test_links_of_the_docs_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert "://" in link or (page.parent / link).exists(), f"{name} links to {link}"
