"""Presets of the built-in behaviors, each in the scene that it names; scenes as text."""

from __future__ import annotations

import pytest

from gambol.behaviors import BEHAVIORS
from gambol.behaviors.scenes import DefaultScene, scene_of
from gambol.bodies import make_character
from gambol.motion.verify import verify
from gambol.runs import Performance, Trial, run
from gambol.world.props import Box, Chair, Platform, make_prop
from gambol.world.pushes import Throw
from gambol.world.starts import Start
from gambol.world.terrains import make_terrain

PRESETS = [(behavior, preset) for behavior, kind in BEHAVIORS.items() for preset in kind.presets]


@pytest.mark.parametrize(("behavior", "preset"), PRESETS)
def test_every_preset_goes_for_a_second_without_a_fall(behavior: str, preset: str) -> None:
    made = run(Trial.of(behavior, preset=preset, seconds=1.0))
    assert made.fell is None and verify(made.motion).ok


@pytest.mark.parametrize(("preset", "part", "other"), [
    ("on the floor", "left_foot", "ground"), ("on a box", "left_foot", "box"),
    ("on a loose crate", "left_foot", "crate"), ("on a chair", "left_foot", "chair"),
    ("on a platform", "left_foot", "platform"), ("palm on a wall", "left_hand", "ground")])
def test_balance_is_shown_where_the_name_of_the_preset_says(preset: str, part: str, other: str) -> None:
    performance = Performance.of(Trial.of("balance", preset=preset))
    world, figure = performance.world, performance.world.figure
    while world.time < 1.5:
        performance.tick()
    contacts = [contact for contact in world.contacts.of(figure) if contact.other == other]
    assert part in {contact.role for contact in contacts}
    assert sum(contact.force[2] for contact in contacts) == pytest.approx(figure.mass * 9.81, rel=0.1)
    assert performance.falls == [None]


def test_what_the_user_names_comes_before_the_scene_of_a_preset() -> None:
    trial = Trial.of("balance", "child", preset="on a box", props=()).resolved()
    assert (trial.first.character, trial.props, trial.terrain) == ("child", (), "flat")


def test_a_preset_without_a_scene_has_none() -> None:
    assert all(scene_of(values) is None for values in BEHAVIORS["walk"].presets.values())


@pytest.mark.parametrize("prop", [Box(), Box(name="crate", x=0.25, color="wood"), Chair(fixed=True, yaw=-30.0),
                                  Platform(axis="y", period=1.5, amplitude=0.1)])
def test_the_text_of_a_prop_makes_it_again(prop: Box | Chair | Platform) -> None:
    assert make_prop(prop.text) == prop


@pytest.mark.parametrize("start", [Start(), Start(x=0.0, y=-1.5), Start(pose="sitting", yaw=45.0, jitter=0.5)])
def test_the_text_of_a_start_makes_it_again(start: Start) -> None:
    assert Start.parse(start.text) == start


def test_a_scene_can_be_printed() -> None:
    scene = DefaultScene(make_character("child"), make_terrain("slope:angle=3"), (Box(x=2.0),), (Throw(0.5),),
                         Start(pose="supine"))
    said = scene.as_dict()
    assert (said["character"], said["props"], said["start"]) == ("child", ["box:x=2"], "supine")
    assert said["terrain"].startswith("slope:angle=3") and Throw.parse(said["throws"][0]) == Throw(0.5)
    assert DefaultScene("human44").as_dict() == {"character": "human44"}
