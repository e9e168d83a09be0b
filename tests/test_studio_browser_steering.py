"""Presets and steering in a real browser: what a viewer presses, drags and sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import Browser, needs_browser
from gambol.behaviors import BEHAVIORS, Steering
from gambol.studio import Studio, serve_studio
from gambol.world.world import World
from studio_tools import SOON
from studio_tools import wait_for as wait

pytestmark = needs_browser
PATIENCE = 90.0
"""Seconds for what takes simulated seconds: beside a browser that draws without a graphics card it is slow."""


def wait_for(condition: Callable[[], Any]) -> None:
    wait(condition, PATIENCE)


@pytest.fixture(scope="module")
def studio(browser: Browser) -> Iterator[Studio]:
    """A walk with one page, `main`, looking at it."""
    with serve_studio("walk", port=0) as running:
        browser("open", "main", url=running.url)
        browser("see", "main", name="sad")
        yield running


def params(studio: Studio) -> Any:
    session: Any = studio.source
    return session.behavior.params


def faces(studio: Studio) -> float:
    """Where the character faces, degrees."""
    session: Any = studio.source
    return float(np.degrees(session.call(lambda world: world.figure.heading).result(SOON)))


def arrow(picture: np.ndarray) -> tuple[float, float]:
    """The pixel, x and y, in the middle of the blue arrow on the ground."""
    r, g, b = np.moveaxis(picture, -1, 0)
    rows, columns = np.nonzero((b > r + 100) & (b > g + 30))
    assert len(rows) > 40, "no arrow to be seen"
    return float(np.median(columns)), float(np.median(rows))


def still_arrow(browser: Browser, path: Path) -> tuple[float, float]:
    """Where the arrow is once the page has caught up with a simulation that stands still."""
    browser("see", "main", name="Play")
    seen = [arrow(browser.picture("main", path))]

    def settled() -> bool:
        seen.append(arrow(browser.picture("main", path)))
        return seen[-1] == seen[-2]

    wait_for(settled)
    return seen[-1]


def test_a_style_is_a_button_and_the_sliders_show_it(studio: Studio, browser: Browser) -> None:
    browser("unfold", "main", name="Parameters")
    wait_for(lambda: browser("field", "main", name="step length (m)") == "0.4")
    browser("click", "main", name="sad")
    wait_for(lambda: params(studio).head_nod == 35.0)
    for name, value in (("step length (m)", "0.25"), ("lean (m)", "0.1"), ("head nod (degrees)", "35")):
        wait_for(lambda name=name, value=value: browser("field", "main", name=name) == value)
    browser("click", "main", name="normal")
    wait_for(lambda: browser("field", "main", name="lean (m)") == "0")
    wait_for(lambda: params(studio).step_length == 0.4 and params(studio).lean == 0.0)  # taken up at the next tick
    browser("unfold", "main", name="Parameters")


def test_arrow_keys_turn_the_character_and_not_the_camera(studio: Studio, browser: Browser) -> None:
    client = next(iter(studio.server.get_clients().values()))
    eye = np.array(client.camera.position)
    browser("press", "main", key="ArrowUp")
    wait_for(lambda: params(studio).step_length == pytest.approx(0.45))
    for _ in range(3):
        browser("press", "main", key="ArrowLeft", hold=400)  # long enough for a camera that listens
    wait_for(lambda: params(studio).heading == 45.0)
    browser("press", "main", key="ArrowRight")
    wait_for(lambda: params(studio).heading == 30.0)
    wait_for(lambda: faces(studio) > 20.0)
    np.testing.assert_allclose(client.camera.position, eye, atol=1e-6)
    browser("press", "main", key="ArrowDown")
    wait_for(lambda: params(studio).step_length == pytest.approx(0.4))


def test_the_arrow_on_the_ground_can_be_dragged(studio: Studio, browser: Browser, tmp_path: Path) -> None:
    session: Any = studio.source
    session.pause().result(SOON)
    session.set_param("heading", 0.0).result(SOON)
    before = still_arrow(browser, tmp_path / "before.png")
    assert before[0] > 380  # right of the character
    browser("drag", "main", **{"from": before, "to": (100, before[1])})
    wait_for(lambda: params(studio).heading < -90.0)
    wait_for(lambda: arrow(browser.picture("main", tmp_path / "after.png"))[0] < 240)


def test_a_click_on_the_ground_is_a_direction(studio: Studio, browser: Browser) -> None:
    session: Any = studio.source
    session.pause().result(SOON)
    session.set_param("heading", -160.0).result(SOON)
    browser("see", "main", name="Play")
    browser("point", "main", at=[540, 460])  # to the right: its front, for a viewer who starts before its right hand
    wait_for(lambda: 0.0 <= params(studio).heading <= 60.0)
    session.play().result(SOON)


def risen(world: World) -> float:
    """How far the centre of mass is above where it stands."""
    return float(world.figure.com[2] - world.figure.standing_height)


def test_a_jump_is_a_button(studio: Studio, browser: Browser) -> None:
    session: Any = studio.source
    session.switch("jump").result(SOON)
    session.reset().result(SOON)
    browser("click", "main", name="twist 90")
    wait_for(lambda: params(studio).twist == 90.0)
    wait_for(lambda: session.call(risen).result(SOON) > 0.15)
    wait_for(lambda: faces(studio) > 60.0)
    assert browser("errors") == []


def test_the_plan_is_drawn_ahead(studio: Studio, browser: Browser, tmp_path: Path,
                                 monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BEHAVIORS["locomote"], "steering", Steering("heading", "speed", "direction"))
    session: Any = studio.source
    session.switch("locomote").result(SOON)
    session.reset().result(SOON)
    browser("see", "main", name="run")
    browser("unfold", "main", name="View")
    assert pink(browser.picture("main", tmp_path / "without.png")) < 20
    browser("unfold", "main", name="Plan")
    wait_for(lambda: pink(browser.picture("main", tmp_path / "with.png")) > 150)
    browser("press", "main", key="ArrowUp")  # the box that has the focus does not keep the keys
    wait_for(lambda: params(studio).speed == pytest.approx(1.45))
    browser("press", "main", key="Shift+ArrowLeft")
    wait_for(lambda: params(studio).direction == 90.0)
    assert params(studio).heading == 0.0
    browser("unfold", "main", name="Plan")
    wait_for(lambda: pink(browser.picture("main", tmp_path / "again.png")) < 20)
    assert browser("errors") == []


def pink(picture: np.ndarray) -> int:
    """Pixels of the colour of the plan."""
    r, g, b = np.moveaxis(picture, -1, 0)
    return int(((r > g + 90) & (b > g + 30) & (r > 150)).sum())
