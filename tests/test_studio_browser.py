"""The studio in a real browser: headless Chromium, driven by Node."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import viser

from browser import SCENE_WIDTH, Browser, needs_browser
from gambol.motion.verify import verify_file
from gambol.studio import Studio, serve_studio, serve_view
from studio_tools import SOON, wait_for

pytestmark = needs_browser


@pytest.fixture(scope="module")
def studio(browser: Browser) -> Iterator[Studio]:
    """A live studio with one page, `main`, looking at it."""
    with serve_studio("balance", port=0) as running:
        browser("open", "main", url=running.url)
        browser("see", "main", name="Push")
        yield running


def shirt(picture: np.ndarray) -> np.ndarray:
    """Pixels that are as teal as the human's shirt, lit or in shade."""
    r, g, b = np.moveaxis(picture, -1, 0)
    return (g > r + 40) & (b > r + 40) & (g > 70) & (r < 90)


def test_the_character_is_seen(studio: Studio, browser: Browser, tmp_path: Path) -> None:
    wait_for(lambda: shirt(browser.picture("main", tmp_path / "seen.png")).sum() > 1500)
    picture = browser.picture("main", tmp_path / "seen.png")
    _, columns = np.nonzero(shirt(picture))
    assert 0.3 * SCENE_WIDTH < np.median(columns) < 0.7 * SCENE_WIDTH
    studio.stage.root.visible = False
    wait_for(lambda: shirt(browser.picture("main", tmp_path / "gone.png")).sum() < 100)
    studio.stage.root.visible = True
    assert browser("errors") == []


def test_a_click_pushes(studio: Studio, browser: Browser) -> None:
    session: Any = studio.source
    session.reset().result(SOON)
    browser("click", "main", name="Push")
    wait_for(lambda: len(session.motion().result(SOON).push_tick) >= 20)
    assert np.linalg.norm(session.motion().result(SOON).push_wrench[0, :3]) == pytest.approx(150.0)


def test_a_recording_downloads_and_verifies(studio: Studio, browser: Browser, tmp_path: Path) -> None:
    session: Any = studio.source
    browser("unfold", "main", name="Record")
    browser("click", "main", name="Record")
    wait_for(lambda: session.status.recording is not None and session.status.recording > 0.3)
    browser("click", "main", name="Stop recording")
    browser("read", "main", text="ready to download")
    path = tmp_path / "take.npz"
    assert browser("download", "main", name=".npz", path=str(path)) == "human-balance.npz"
    verdict = verify_file(path)
    assert verdict.ok and verdict.ticks > 50


def test_two_tabs_stay_in_step_and_one_may_leave(studio: Studio, browser: Browser) -> None:
    session: Any = studio.source
    browser("open", "second", url=studio.url)
    browser("see", "second", name="Pause")
    browser("click", "second", name="Pause")
    browser("see", "main", name="Play")
    assert not session.status.running
    browser("click", "main", name="Play")
    browser("see", "second", name="Pause")
    browser("close", "second")
    wait_for(lambda: len(studio.server.get_clients()) == 1)
    then = session.call(lambda world: world.time).result(SOON)
    wait_for(lambda: session.call(lambda world: world.time).result(SOON) > then + 0.1)


def test_fifty_visits_leave_nothing(studio: Studio, browser: Browser) -> None:
    def visit(times: int) -> None:
        browser("visit", "main", url=studio.url.replace("http", "ws"), protocol=f"viser-v{viser.__version__}",
                times=times)
        wait_for(lambda: len(studio.server._websock_server._live_connections) == 1)
        gc.collect()

    visit(5)
    files, threads = open_files(), threading.active_count()
    visit(50)
    assert open_files() <= files + 2
    assert threading.active_count() <= threads + 2


def test_a_motion_is_played(studio: Studio, browser: Browser, tmp_path: Path) -> None:
    session: Any = studio.source
    path = session.motion().result(SOON).save(tmp_path / "take.npz")
    browser("close", "main")
    with serve_view(path, port=0) as view:
        browser("open", "view", url=view.url)
        browser("read", "view", text="take.npz")
        wait_for(lambda: shirt(browser.picture("view", tmp_path / "view.png")).sum() > 1500)
        browser("click", "view", name="Pause")
        browser("see", "view", name="Play")
        player: Any = view.source
        assert not player.status.playing
        browser("close", "view")


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
