"""Recorded clips through the command line: what `inspect` finds, what `view` plays, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from clip_tools import CMU, clip_text, renamed, with_t_pose
from gambol.bodies import make_character
from gambol.planning.reference.build import reference_of_clip
from gambol.planning.reference.shown import motion_of
from gambol.studio import serve_view
from test_cli import call

TWO_JOINTS = """HIERARCHY
ROOT a
{ OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation
  JOINT b { OFFSET 0 1 0 CHANNELS 3 Xrotation Yrotation Zrotation End Site { OFFSET 0 1 0 } } }
MOTION
Frames: 2
Frame Time: 0.5
0 0 0 0 0 0
0 0 0 0 0 0
"""


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clip") / "walk.bvh"
    path.write_text(with_t_pose(renamed(clip_text(), CMU)))
    return path


def test_inspect_tells_what_was_found(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "inspect", str(clip), "--json")
    found = json.loads(out)
    assert status == 0 and not err
    assert found["roles"]["left_thigh"] == "LeftUpLeg" and found["roles"]["found by"] == "names"
    assert found["clip"]["pose of reference"].startswith("T-pose") and found["clip"]["fps"] == "120"
    assert float(found["clip"]["scale"].split()[0]) == pytest.approx(0.01, rel=0.01)
    assert found["clip"]["seconds"] == "4.00"
    assert len(re.findall(r"[0-9.]+-[0-9.]+", found["contacts"]["left_foot"])) >= 3
    assert float(found["fit"]["direction error"].split()[0]) < 3.5
    status, out, _ = call(capsys, "inspect", str(clip), "--character", "child")
    assert status == 0 and "LeftUpLeg" in out and "child" in out


def test_view_plays_a_clip_on_a_character(clip: Path) -> None:
    with serve_view(clip, port=0, character="child") as studio:
        motion = studio.source.motion  # type: ignore[attr-defined]
        assert motion.figures[0].character == "child" and motion.seconds == pytest.approx(4.0, abs=0.05)
        assert np.ptp(motion.qpos[:, 0]) > 0.5


def test_a_character_from_a_file_is_found_again(clip: Path, tmp_path: Path) -> None:
    child = tmp_path / "young.xml"
    child.write_text(make_character("child").spec.to_xml())
    reference = reference_of_clip(clip, str(child), end=1.0)
    assert reference.character == str(child) and motion_of(reference).figures[0].anatomy.feet
    assert reference.report["direction_error"] < 5.0


@pytest.mark.parametrize("text, arguments, said", [
    (TWO_JOINTS, (), "no two legs"), ("HIERARCHY\nROOT", (), "line 2"),
    (None, (), "there is no file"), ("clip", ("--character", "quadruped"), "two legs"),
    ("clip", ("--character", "planar_biped"), "no free root"), ("clip", ("--character", "hman"), "'human'")])
@pytest.mark.parametrize("command", ["inspect", "view"])
def test_bad_input_is_one_line(command: str, text: str | None, arguments: tuple[str, ...], said: str, clip: Path,
                               tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = clip if text == "clip" else tmp_path / "bad.bvh"
    if text is not None and text != "clip":
        path.write_text(text)
    status, out, err = call(capsys, command, str(path), *arguments)
    assert status == 2 and not out and said in err and err.count("\n") == 1


def test_options_of_models_are_not_for_clips(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "inspect", str(clip), "--write-anatomy", "x.yaml")
    assert status == 2 and "for models" in err
