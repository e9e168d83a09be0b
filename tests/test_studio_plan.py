"""The plan drawn ahead of the character, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gambol.behaviors import BEHAVIORS, Behavior, register
from gambol.behaviors.behavior import Outlook
from gambol.bodies import make_character
from gambol.params import Params as BaseParams
from gambol.planning.footing import FootSize
from gambol.studio import Studio, serve_studio
from gambol.studio.ahead import CORNERS, footprint, look_ahead, plans_ahead, sole_outline
from gambol.studio.overlays import Plan, sampled
from gambol.world.world import World
from studio_tools import SOON, press, viewer, wait_for

FOOT = FootSize(back=0.1, front=0.16, half_width=0.05, ahead=0.05, below=0.08)


@pytest.fixture
def prophet() -> Iterator[type[Behavior]]:
    """A behavior that goes limp but knows where it will step."""
    @register
    class Prophet(Behavior):
        """has a plan"""

        @dataclass
        class Params(BaseParams):
            pass

        feet = 1
        asked = 0

        def act(self) -> np.ndarray:
            return np.zeros(self.figure.nu)

        def outlook(self) -> Outlook | None:
            type(self).asked += 1
            path = np.linspace([0.0, 0.0, 1.0], [1.0, 0.2, 1.0], 10 + self.feet)
            return Outlook(path, path[:3] * [1, 1, 0], np.array([[0.6, 0.1, 0.0]] * self.feet).reshape(-1, 3),
                           np.full(self.feet, 0.5))

    yield Prophet
    del BEHAVIORS["prophet"]


def test_a_footprint_is_as_long_as_the_foot_and_turned_by_the_yaw() -> None:
    outline = sole_outline(FOOT)
    assert np.allclose([outline[:, 0].min(), outline[:, 0].max()], [-0.1, 0.16], atol=1e-9)
    assert np.abs(outline[:, 1]).max() <= 0.05 + 1e-9
    place = np.array([2.0, -1.0, 0.3])
    left = footprint(outline, place, np.pi / 2, np.array([0.0, 0.0, 1.0]))
    assert np.allclose(left[:, 2], 0.3) and left[:, 1].max() == pytest.approx(-1.0 + 0.16)
    uphill = np.array([-np.sin(0.3), 0.0, np.cos(0.3)])
    rise = footprint(outline, place, 0.0, uphill)[:, 2] - 0.3
    assert np.allclose(rise, np.tan(0.3) * outline[:, 0])


def test_paths_of_any_length_are_drawn_in_as_many_pieces() -> None:
    for count in (2, 5, 33, 90):
        path = np.linspace([0.0, 0, 0], [1.0, 1, 1], count)
        drawn = sampled(path, 33)
        assert len(drawn) == 33 and np.array_equal(drawn[[0, -1]], path[[0, -1]])


def test_the_plan_of_a_locomotion_is_ahead_of_it() -> None:
    behavior = BEHAVIORS["locomote"](World(make_character("human")))
    assert look_ahead(behavior) is None  # it has not looked yet
    behavior.act()
    ahead = look_ahead(behavior)
    assert ahead is not None and ahead.prints.shape == (2, CORNERS, 3)
    assert ahead.com[-1, 0] > ahead.com[0, 0] + 0.2 and ahead.prints[1, :, 0].mean() > ahead.com[0, 0] + 0.2
    assert plans_ahead(BEHAVIORS["locomote"]) and not plans_ahead(BEHAVIORS["balance"])


def test_the_box_is_there_for_those_who_plan_and_costs_nothing_unless_ticked(prophet: Any) -> None:
    with serve_studio("balance", port=0) as studio, viewer(studio.port) as connection:
        session: Any = studio.source
        box = studio.panel.view.boxes[Plan.label]
        wait_for(lambda: box.disabled)
        session.switch("prophet").result(SOON)
        wait_for(lambda: not box.disabled)
        wait_for(lambda: session.status.time > 0.2)
        assert prophet.asked == 0 and session.frame.ahead is None
        press(connection, box, True)
        overlay = plan_of(studio)
        wait_for(lambda: overlay.feet.visible and np.ptp(overlay.feet.vertices[:, 0]) > 0.1)
        nodes = len(studio.server.scene._handle_from_node_name)
        for feet in (0, 2, 1):
            prophet.feet = feet
            wait_for(lambda feet=feet: overlay.feet.visible is (feet > 0))
        assert len(studio.server.scene._handle_from_node_name) == nodes  # moved, not made anew
        press(connection, box, False)
        wait_for(lambda: session.frame.ahead is None and not overlay.group.visible)
        press(connection, box, True)
        session.switch("balance").result(SOON)
        wait_for(lambda: box.disabled and not overlay.com.visible)


def test_a_plan_that_fails_is_told_and_the_studio_lives(prophet: Any) -> None:
    prophet.outlook = lambda self: 1 / 0
    with serve_studio("prophet", port=0) as studio, viewer(studio.port):
        session: Any = studio.source
        session.foresee.set()
        wait_for(lambda: "ZeroDivisionError" in (session.status.problem or ""))
        session.foresee.clear()
        session.reset().result(SOON)
        wait_for(lambda: session.status.time > 0.05 and session.status.problem is None)


def plan_of(studio: Studio) -> Plan:
    return next(overlay for overlay in studio.panel.view.overlays if isinstance(overlay, Plan))
