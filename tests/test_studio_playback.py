"""Recorded motions in the studio, without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gambol.errors import BadInput
from gambol.motion.motion import Motion
from gambol.studio import serve_view
from gambol.studio.parts import FORMATS, file_bytes
from gambol.studio.playback import Player
from studio_tools import SOON, advance, open_session, viewer, wait_for


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with open_session() as session:
        session.push("trunk", 100.0, 0.0, 0.1).result(SOON)
        advance(session, 1.0)
        return session.motion().result(SOON).save(tmp_path_factory.mktemp("take") / "take.npz")


def test_a_motion_is_played_sought_and_looped(take: Path) -> None:
    with serve_view(take, port=0) as studio, viewer(studio.port):
        player: Any = studio.source
        wait_for(lambda: player.status.time > 0.2)
        player.scrub(0.5)
        wait_for(lambda: player.frame is not None and player.frame.time == 0.5)
        assert not player.status.playing
        player.step(1)
        wait_for(lambda: player.frame.time == pytest.approx(0.5 + 1 / 30))
        player.set(loop=False, speed=2.0)
        player.play(True)
        wait_for(lambda: not player.status.playing)
        assert player.status.time == pytest.approx(player.motion.seconds)
        player.seek(1e9)
        assert player.status.time == player.motion.seconds


def test_the_rows_of_a_motion_show_their_forces(take: Path) -> None:
    player = Player(Motion.load(take))
    try:
        player.watched.set()
        player.scrub(0.3)
        wait_for(lambda: player.frame is not None and player.frame.time == 0.3)
        assert player.frame is not None
        assert 0.2 < player.frame.measures["ground force"] < 3.0
    finally:
        player.close()


@pytest.mark.parametrize("suffix", [suffix for suffix in FORMATS if suffix != ".mp4"])
def test_every_format_can_be_downloaded(take: Path, suffix: str) -> None:
    assert len(file_bytes(Motion.load(take), suffix)) > 1000


def test_a_file_that_is_no_motion_is_bad_input(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.npz"
    wrong.write_bytes(b"hello")
    for path in (wrong, tmp_path / "missing.npz"):
        with pytest.raises(BadInput):
            serve_view(path)
