"""Steering in the studio: directions, keys and pad, presets, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gambol.behaviors import BEHAVIORS, Behavior, Steering, register
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.studio import Studio, serve_studio
from gambol.studio.paramcontrols import preset_values
from gambol.studio.steering import angle_in, bearing, heading_in, pace_step, within
from studio_tools import SOON, press, viewer, wait_for

WALK = BEHAVIORS["walk"]
HEADING, PACE = WALK.Params.info("heading"), WALK.Params.info("step_length")


def test_headings_wrap_around_and_fall_on_the_steps_of_the_slider() -> None:
    assert [heading_in(HEADING, degrees) for degrees in (0, 7.6, 190, -190, 360, 180)] == [0, 10, -170, 170, 0, -180]


def test_directions_stay_as_they_are_if_they_can() -> None:
    assert [angle_in(HEADING, degrees) for degrees in (0, 90, 180, -90, 200)] == [0, 90, 180, -90, -160]


def test_the_pace_stays_in_its_range() -> None:
    assert pace_step(PACE) == pytest.approx(0.05)
    assert within(PACE, 0.7 + 0.05) == 0.7 and within(PACE, -0.1) == 0.0


def test_a_ray_to_the_ground_gives_a_direction() -> None:
    eye, center = np.array([3.0, -3.0, 2.0]), np.array([1.0, 1.0, 0.1])
    for degrees in (0.0, 65.0, -120.0):
        place = center + 2.0 * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])
        assert bearing(eye, 0.3 * (place - eye), center, 0.2) == pytest.approx(degrees)
    assert bearing(eye, np.array([1.0, 0.0, 0.1]), center, 0.2) is None  # the sky
    assert bearing(eye, center + [0.1, 0.0, 0.0] - eye, center, 0.2) is None  # too close to say


@pytest.mark.parametrize("name", sorted(name for name, kind in BEHAVIORS.items() if kind.steering is not None))
def test_what_is_declared_exists(name: str) -> None:
    kind = BEHAVIORS[name]
    assert kind.steering is not None
    assert kind.Params.info(kind.steering.heading).unit == "degrees"
    assert isinstance(kind.Params.info(kind.steering.pace).default, float)


def test_a_style_does_not_turn_the_character() -> None:
    values = preset_values(WALK, "sad")
    assert "heading" not in values and values["lean"] == 0.1 and values["hip_shift"] == 0.0


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with serve_studio("walk", port=0, running=False) as running:
        yield running


def heading(studio: Studio) -> Any:
    session: Any = studio.source
    return session.behavior.params.heading


def test_the_pad_turns_and_changes_the_pace(studio: Studio) -> None:
    session: Any = studio.source
    with viewer(studio.port) as connection:
        wait_for(lambda: studio.panel.steering.declared is not None)
        steering, controls = studio.panel.steering, studio.panel.params.controls
        for face in "◀◀◀▶":
            press(connection, steering.pad, face)
        wait_for(lambda: heading(studio) == 30.0)
        press(connection, steering.pad, "▲")
        wait_for(lambda: session.behavior.params.step_length == pytest.approx(0.45))
        assert controls["heading"].value == 30.0 and controls["step_length"].value == pytest.approx(0.45)
        press(connection, studio.panel.params.presets, "sad")
        wait_for(lambda: session.behavior.params.lean == 0.1)
        wait_for(lambda: controls["lean"].value == 0.1 and controls["step_length"].value == 0.25)
        assert heading(studio) == 30.0


def test_many_presses_at_once_are_all_counted(studio: Studio) -> None:
    """viser runs callbacks side by side; a turn starts where the last one ended."""
    with viewer(studio.port) as connection:
        wait_for(lambda: studio.panel.steering.declared is not None)
        studio.panel.steering.head_for(0.0).result(SOON)
        for _ in range(10):
            press(connection, studio.panel.steering.pad, "◀")
        wait_for(lambda: heading(studio) == 150.0)


def test_what_cannot_be_steered_has_no_controls_for_it(studio: Studio) -> None:
    session: Any = studio.source
    with viewer(studio.port):
        session.switch("balance").result(SOON)
        wait_for(lambda: studio.panel.steering.declared is None)
        assert not studio.panel.steering.group.visible
        assert not studio.server.gui._command_handle_from_uuid
        session.switch("walk").result(SOON)
        wait_for(lambda: studio.panel.steering.declared is not None)
        assert studio.panel.steering.group.visible
        assert len(studio.server.gui._command_handle_from_uuid) == 4


def test_a_new_behavior_gets_it_by_saying_so(studio: Studio) -> None:
    session: Any = studio.source

    @register
    class Drift(Behavior):
        """goes limp, but can be steered"""

        steering = Steering(heading="course", pace="speed")

        @dataclass
        class Params(BaseParams):
            course: float = param(90.0, unit="degrees", low=0.0, high=360.0, doc="which way")
            speed: float = param(1.0, unit="m/s", low=0.0, high=2.0, doc="how fast")

        def act(self) -> np.ndarray:
            return np.zeros(self.figure.nu)

    try:
        with viewer(studio.port) as connection:
            session.switch("drift").result(SOON)
            wait_for(lambda: "course" in studio.panel.params.controls)
            wait_for(lambda: studio.panel.steering.declared == Drift.steering)
            press(connection, studio.panel.steering.pad, "▶")
            press(connection, studio.panel.steering.pad, "▼")
            wait_for(lambda: session.behavior.params.as_dict() == {"course": 75.0, "speed": pytest.approx(0.9)})
            session.switch("walk").result(SOON)
    finally:
        del BEHAVIORS["drift"]


def test_who_says_so_goes_sideways_and_backwards(studio: Studio) -> None:
    session: Any = studio.source

    @register
    class Crab(Behavior):
        """goes limp, but sideways"""

        steering = Steering(heading="course", pace="speed", direction="aside")

        @dataclass
        class Params(BaseParams):
            course: float = param(0.0, unit="degrees", low=-180.0, high=180.0, doc="where it faces")
            speed: float = param(1.0, unit="m/s", low=0.0, high=2.0, doc="how fast")
            aside: float = param(0.0, unit="degrees", low=-180.0, high=180.0, doc="which way from there")

        def act(self) -> np.ndarray:
            return np.zeros(self.figure.nu)

    try:
        with viewer(studio.port) as connection:
            session.switch("crab").result(SOON)
            steering = studio.panel.steering
            wait_for(lambda: steering.declared == Crab.steering)
            assert len(studio.server.gui._command_handle_from_uuid) == 8
            for face, degrees in zip("⇦⇩⇨", (90.0, 180.0, -90.0), strict=True):
                press(connection, steering.way_pad, face)
                wait_for(lambda degrees=degrees: session.behavior.params.aside == degrees)
            wait_for(lambda: steering.way.visible)
            assert session.behavior.params.course == 0.0
            center = np.array(studio.stage.root.position) + np.array(steering.group.position)
            eye, place = np.array([0.0, 0.0, 5.0]), center + [2.0, 0.0, 0.0]  # a click ahead of it
            steering._clicked(SimpleNamespace(ray_origin=eye, ray_direction=place - eye, client=None))
            wait_for(lambda: session.behavior.params.course == 90.0)  # to its right is now there
            press(connection, steering.way_pad, "⇧")
            wait_for(lambda: not steering.way.visible)
            session.switch("walk").result(SOON)
            wait_for(lambda: len(studio.server.gui._command_handle_from_uuid) == 4)
    finally:
        del BEHAVIORS["crab"]
