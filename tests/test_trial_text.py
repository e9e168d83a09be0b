"""What a Motion says of how it began is enough to repeat it, and is checked when it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foreign_tools import robot
from gambol.behaviors.walk.gains import WalkGains
from gambol.bodies import make_character
from gambol.errors import BadInput
from gambol.motion.moments import start_from, state_at
from gambol.motion.motion import Motion
from gambol.runs import Cast, Performance, Trial, run
from gambol.runs.trial_text import trial_from
from gambol.world.props import Ball, Box, Platform, make_prop
from gambol.world.pushes import Push, Throw
from gambol.world.starts import ANYHOW, Start
from gambol.world.terrains import make_terrain
from gambol.world.vary import Vary
from studio_tools import SOON, advance, open_session

PLAIN = run(Trial.of("stand", seconds=0.02)).motion


def told(motion: Motion) -> Any:
    """As it comes out of a file."""
    return json.loads(json.dumps(motion.meta["trial"]))


def test_a_motion_says_all_that_is_needed_to_repeat_it(tmp_path: Path) -> None:
    before = run(Trial.of("balance", seconds=0.1)).motion.save(tmp_path / "before.npz")
    third = 1.0 / 3.0
    gains = WalkGains.from_dict({"turn_rate": third})
    trial = Trial((Cast("walk", preset="sad", settings={"lean": "0.15"}, gains=gains,
                        start=Start(x=third, y=0.0, yaw=20.0, jitter=0.5, spread=ANYHOW)),
                   Cast("balance", name="b", start=start_from(f"{before}@0.05"), where={"y": 3.0}),
                   Cast("stand", str(robot(tmp_path)), start=Start("prone", y=-3.0))),
                  make_terrain("rough:height=0.02,seed=4"), (Box(name="crate", x=4.0, mass=third), Ball(x=5.0)),
                  (Push(0.1, "b/trunk", (third, 20.0, 0.0)),), (Throw(0.1, speed=10.0 / 3.0),), 0.3, 7,
                  ((0.1, "b/height", third + 0.6),), Vary.parse("b/mass=0.8123456789,friction=0.9"), 250.0)
    first = run(trial).motion
    path = first.save(tmp_path / "first.npz")
    again = run(trial_from(Motion.load(path).meta["trial"])).motion
    for name in ("qpos", "qvel", "ctrl", "push_wrench", "throw_state"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first, name))
    assert told(again) == told(first)


def test_it_says_what_was_left_open_too() -> None:
    text = told(PLAIN)
    assert text["figures"] == [{
        "name": "human", "behavior": "stand", "preset": None, "settings": {}, "gains": {}, "character": "human",
        "actuators": "motors", "start": "standing", "x": None, "y": None, "yaw": 0.0, "jitter": 1.0,
        "spread": {"joints": 0.01, "rates": 0.05, "heading": 0.0, "seat": 0.0}, "rate": 250.0}]
    assert (text["terrain"], text["props"], text["vary"], text["seed"]) == ("flat", [], "", 0)
    assert (text["seconds"], text["control_rate"], text["physics_rate"]) == (0.02, None, 1000.0)


def test_the_studio_says_what_is_on_stage_now() -> None:
    with open_session(Trial.of("balance", changes=[(9.0, "height", 0.9)])) as session:
        session.switch("stand").result(SOON)
        session.set_param("stiffness", 2.0).result(SOON)
        advance(session, 0.1)
        text = told(session.motion().result(SOON))
    assert text["figures"][0]["behavior"] == "stand" and text["figures"][0]["settings"] == {"stiffness": 2.0}
    assert text["changes"] == []


@pytest.mark.parametrize(("trial", "words"), [
    (Trial.of("stand", make_character("human")), "the character was made in Python"),
    (Trial.of("stand", props=(Platform(waypoints=((0.0, 0.0, 0.0, 0.0), (1.0, 0.1, 0.0, 0.0))),)), "a prop was made"),
    (Trial.of("stand", start=Start(state=state_at(PLAIN, 0.0))), "the state it began in was made")])
def test_what_has_no_text_is_not_made_up(trial: Trial, words: str) -> None:
    text = told(Performance.of(trial).motion())
    with pytest.raises(BadInput, match=words):
        trial_from(text)


@pytest.mark.parametrize("prop", ["box", "ball:x=2,radius=0.2", "chair:name=seat,fixed=True", "platform:axis=z"])
def test_props_are_written_as_they_are_read(prop: str) -> None:
    assert make_prop(make_prop(prop).text) == make_prop(prop) and make_prop(prop).text == prop


@pytest.mark.parametrize("wrong", [
    None, [], {}, {"figures": []}, {"figures": [1]}, {"seed": float("inf")}, {"seconds": "long"}, {"props": ["moon"]},
    {"changes": [1]}, {"vary": 3}, {"terrain": 5}, {"pushes": [{}]}])
def test_what_is_no_trial_is_refused_in_one_line(wrong: Any) -> None:
    found = {**told(PLAIN), **wrong} if wrong else wrong
    with pytest.raises(BadInput) as refusal:
        trial_from(found)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("wrong", [{"spread": {"width": 1.0}}, {"yaw": "far"}, {"start": "kneeling"}, {"behavior": 3},
                                   {"preset": []}, {"gains": {"x": 1}}, {"actuators": None}, {"name": "3d"}])
def test_a_figure_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    text = told(PLAIN)
    with pytest.raises(BadInput):
        trial_from({**text, "figures": [{**text["figures"][0], **wrong}]})
