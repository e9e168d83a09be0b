"""Recorded clips done under physics: a walk of the project's own, read back as if a stranger had recorded it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clip_tools import CMU, clip_text, renamed
from gambol.behaviors.follow.source import reference_from
from gambol.bodies import make_character
from gambol.errors import BadInput
from gambol.motion.verify import verify
from gambol.runs import Trial, run
from gambol.world.world import World


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("clips") / "walk.bvh"
    path.write_text(renamed(clip_text(), CMU))
    return str(path)


@pytest.mark.parametrize("character", ["human", "child"])
def test_a_clip_is_walked_under_physics_and_comes_to_rest(clip: str, character: str) -> None:
    reference = reference_from(clip, World(make_character(character)).figure)
    done = run(Trial.of("follow", character, settings={"motion": clip}, seconds=reference.seconds + 2.0))
    assert done.fell is None, done.fell
    assert verify(done.motion).ok
    way = np.linalg.norm(done.motion.qpos[-1, :2] - done.motion.qpos[0, :2])
    meant = np.linalg.norm(reference.com[-1, :2] - reference.com[0, :2])
    assert meant - 0.3 < way < meant + 0.8  # the steps that bring it to rest are added
    assert np.linalg.norm(done.motion.qvel[-1, :2]) < 0.05


def test_it_begins_as_fast_as_the_clip(clip: str) -> None:
    world_run = run(Trial.of("follow", settings={"motion": clip}, seconds=0.02))
    reference = reference_from(clip, World(make_character("human")).figure)
    np.testing.assert_allclose(world_run.motion.qpos[0, 7:], reference.qpos[0, 7:], atol=1e-9)
    assert np.linalg.norm(world_run.motion.qvel[0, :2] - reference.com_velocity[0, :2]) < 0.3
    assert reference_from(clip, World(make_character("human")).figure) is reference  # kept ready


def test_a_clip_is_followed_mirrored(clip: str) -> None:
    figure = World(make_character("human")).figure
    plain, mirrored = reference_from(clip, figure), reference_from(clip, figure, mirrored=True)
    np.testing.assert_allclose(mirrored.com[:, 0], plain.com[:, 0], atol=0.05)
    side = plain.touching[:, 0].any(axis=1) != plain.touching[:, 1].any(axis=1)
    assert (plain.down[side, 0] == mirrored.down[side, 1]).mean() > 0.9
    assert run(Trial.of("follow", settings={"motion": clip, "mirrored": True}, seconds=2.0)).fell is None
    with pytest.raises(BadInput, match="only recorded clips"):
        reference_from("take.npz", figure, mirrored=True)


def test_a_clip_that_is_none_is_told_in_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.bvh"
    bad.write_text("HIERARCHY\nROOT box\n{\n OFFSET 0 0 0\n CHANNELS 3 Xposition Yposition Zposition\n End Site\n {\n"
                   "  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.01\n0 0 0\n0 0 0\n")
    for path in (bad, tmp_path / "none.bvh"):
        done = subprocess.run([sys.executable, "-m", "gambol", "run", "follow", "--motion", str(path)],
                              capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
