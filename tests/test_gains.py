"""Gains: as a vector, as a dictionary, in a file; what a changed one does; what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gambol.behaviors import BEHAVIORS, make_behavior
from gambol.behaviors.balance import BalanceGains
from gambol.behaviors.jump_gains import JumpGains
from gambol.behaviors.locomote.gains import LocomoteGains
from gambol.behaviors.parameter_file import FORMAT, read_params, write_params
from gambol.behaviors.walk.gains import WalkGains
from gambol.bodies import make_character
from gambol.errors import BadInput
from gambol.gains import Gains
from gambol.params import param
from gambol.planning.footholds import FootholdGains
from gambol.planning.preview.gains import PreviewGains
from gambol.planning.preview.weights import Weights
from gambol.runs import Trial, run
from gambol.world.props import make_props
from gambol.world.starts import Start
from gambol.world.world import World


@dataclass(frozen=True)
class Wings(Gains):
    span: float = param(1.5, unit="m", low=0.5, high=3.0, doc="how wide")
    folded: bool = param(False, doc="whether they are folded")


@dataclass(frozen=True)
class Bird(Gains):
    mass: float = param(0.4, unit="kg", low=0.1, high=9.0, doc="how heavy")
    wings: Wings = field(default=Wings())
    beats: int = param(3, low=1, high=20, doc="how often")


def test_a_vector_holds_all_numbers_parts_included_and_no_flags() -> None:
    assert Bird.names() == ("mass", "wings.span", "beats")
    np.testing.assert_array_equal(Bird().vector(), [0.4, 1.5, 3.0])
    np.testing.assert_array_equal(Bird.bounds(), [[0.1, 0.5, 1.0], [9.0, 3.0, 20.0]])
    bird = Bird.from_vector([0.5, 2.0, 4.0])
    assert bird == Bird(0.5, Wings(2.0), 4) and type(bird.beats) is int


def test_a_dictionary_names_parts_with_dots() -> None:
    bird = Bird.from_dict({"wings.folded": True, "wings.span": 1.0})
    assert bird == Bird(wings=Wings(1.0, True)) and Bird.from_dict(bird.as_dict()) == bird
    assert bird.changes() == {"wings.span": 1.0, "wings.folded": True} and Bird().changes() == {}
    assert bird.changed({"mass": 1}) == Bird(1.0, Wings(1.0, True))


def test_gains_cannot_be_changed_in_place() -> None:
    with pytest.raises(FrozenInstanceError):
        Bird().mass = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(("values", "words"), [
    ({"wings.spam": 1.0}, r"did you mean 'wings\.span'"), ({"wings": 1.0}, "unknown gain"),
    ({"wings.span": float("nan")}, r"wings\.span=nan is not a finite number"), ({"mass": 10.0}, "out of range"),
    ({"mass": True}, "not a number"), ({"mass": None}, "not a number"), ({"beats": 2.5}, "whole number"),
    ({"mass": 10**400}, "not a number"), ({"wings.folded": 3}, "true or false")])
def test_bad_gains_are_refused_with_the_fix(values: Mapping[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Bird.from_dict(values)


def test_a_vector_of_another_length_or_with_nan_is_refused() -> None:
    with pytest.raises(BadInput, match="has 3 numbers"):
        Bird.from_vector([0.4, 1.5])
    with pytest.raises(BadInput, match="finite"):
        Bird.from_vector([0.4, np.nan, 3.0])


@pytest.mark.parametrize("kind", [WalkGains, LocomoteGains, Weights, PreviewGains, FootholdGains, JumpGains,
                                  BalanceGains])
def test_gains_of_behaviors_lie_in_their_ranges_and_say_what_they_are(kind: type[Gains]) -> None:
    low, high = kind.bounds()
    usual = kind().vector()
    assert ((low <= usual) & (usual <= high) & (low < high)).all()
    assert kind.from_vector(usual) == kind() and kind.from_dict(kind().as_dict()) == kind()
    assert all(info.doc for info in kind.describe()) and len(set(kind.names())) == len(kind.names())
    assert kind.from_vector(low) != kind() != kind.from_vector(high)


def controls(name: str, gains: Gains | None, ticks: int, terrain: str = "flat") -> np.ndarray:
    world = World(make_character("human"), terrain, seed=3)
    behavior, found = make_behavior(name, world, gains=gains), []
    for _ in range(ticks):
        found.append(behavior.act())
        world.step(found[-1])
    return np.array(found)


@pytest.mark.parametrize(("name", "changed", "ticks", "terrain"), [
    ("walk", {"gait.shift_gain": 2.0}, 60, "flat"), ("walk", {"pose.leg_weight": 0.03}, 20, "flat"),
    ("walk", {"carriage.head_kp": 250}, 20, "flat"), ("walk", {"support.counted_on": 0.1}, 20, "flat"),
    ("locomote", {"drive.capture_gain": 2.0}, 60, "flat"), ("locomote", {"preview.length": 20.0}, 60, "flat"),
    ("locomote", {"posture.arm_swing": 0.5}, 60, "flat"), ("locomote", {"limbs.rest": 0.95}, 20, "flat"),
    ("locomote", {"footholds.margin": 0.1}, 30, "stones"), ("locomote", {"footholds.uneven": 0.01}, 30, "rough"),
    ("locomote", {"preview.search.elsewhere": 0}, 30, "stones"),
    ("locomote", {"preview.schedule.double_least": 0.2}, 20, "flat"),
    ("locomote", {"preview.landings.apart": 0.2}, 20, "flat"),
    ("jump", {"crouch.lean": 3.0}, 140, "flat"), ("jump", {"stages.compression.arms": -0.5}, 140, "flat"),
    ("balance", {"support.counted_on": 0.05}, 20, "slope:angle=10")])
def test_a_changed_gain_changes_the_run_and_the_default_does_not(name: str, changed: dict[str, Any], ticks: int,
                                                                 terrain: str) -> None:
    kind = BEHAVIORS[name].Gains
    assert kind is not None
    usual = controls(name, None, ticks, terrain)
    assert np.array_equal(usual, controls(name, kind(), ticks, terrain))
    assert not np.array_equal(usual, controls(name, kind.from_dict(changed), ticks, terrain))


@pytest.mark.parametrize(("changed", "where"), [
    ({"support.prop_rate": 5.0}, {"props": make_props(["box:x=0,y=0,size=0.9,height=0.3,mass=40"]),
                                  "start": Start(x=0.0, y=0.0)}),
    ({"palms.into": 0.05}, {"terrain": "wall:distance=0.6,bearing=90", "settings": {"hands": "left"}})])
def test_gains_of_props_and_palms_count_where_there_is_something_to_touch(changed: dict[str, Any],
                                                                          where: dict[str, Any]) -> None:
    usual, other = (run(Trial.of("balance", seconds=0.2, gains=gains, **where)).motion.ctrl
                    for gains in (BalanceGains(), BalanceGains.from_dict(changed)))
    assert not np.array_equal(usual, other)


def test_a_motion_says_which_gains_were_changed() -> None:
    figures = [run(Trial.of("walk", seconds=0.1, gains=gains)).motion.meta["figures"][0]
               for gains in (None, WalkGains(), WalkGains.from_dict({"gait.roll": 0.3}))]
    assert [figure.get("gains") for figure in figures] == [None, None, {"gait.roll": 0.3}]


def test_gains_of_another_behavior_are_refused() -> None:
    world = World(make_character("human"))
    with pytest.raises(BadInput, match="'walk' takes WalkGains; got LocomoteGains"):
        make_behavior("walk", world, gains=LocomoteGains())
    with pytest.raises(BadInput, match="'stand' has no gains"):
        make_behavior("stand", world, gains=WalkGains())


# -- files -------------------------------------------------------------------------------------------------------------

def test_a_parameter_file_gives_back_what_was_written(tmp_path: Path) -> None:
    gains = WalkGains.from_dict({"gait.roll": 0.3, "gait.heel_off": False})
    path = write_params(tmp_path / "walk.json", "walk", {"step_length": "0.5", "hands": "pockets"}, gains)
    found = read_params(path, "walk")
    assert found.settings == {"step_length": 0.5, "hands": "pockets"} and found.gains == gains
    walk = make_behavior("walk", World(make_character("human")), found.settings, gains=found.gains)
    assert walk.params.step_length == 0.5 and walk.gait.gains.roll == 0.3  # type: ignore[attr-defined]


def test_a_file_may_name_only_some_or_nothing_at_all(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps({"format": FORMAT, "behavior": "walk", "gains": {"foot.fold": 0.4}}))
    assert read_params(path, "walk") == ({}, WalkGains.from_dict({"foot.fold": 0.4}))
    path.write_text(json.dumps({"format": FORMAT, "behavior": "stand", "params": {"stiffness": 2}}))
    assert read_params(path, "stand") == ({"stiffness": 2.0}, None)


@pytest.mark.parametrize(("name", "values"), [
    ("locomote", {"footholds.margin": 0.08, "preview.search.look_around": 2, "preview.threats.passing": 0.2}),
    ("jump", {"stages.thrust.arms": 1.2, "crouch.time": 0.6}), ("balance", {"palms.into": 0.02})])
def test_a_file_reaches_parts_of_parts(name: str, values: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps({"format": FORMAT, "behavior": name, "gains": values}))
    found = read_params(path, name)
    assert found.gains is not None and found.gains.changes() == values
    assert make_behavior(name, World(make_character("human")), {}, gains=found.gains).gains == found.gains
    assert read_params(write_params(tmp_path / "all.json", name, gains=found.gains), name).gains == found.gains


HEAD = f'{{"format": "{FORMAT}", "behavior": "walk"'


@pytest.mark.parametrize(("text", "words"), [
    (f'{{"format": "{FORMAT}", "behavior": "locomote"}}', "parameters of 'locomote', not of 'walk'"),
    (HEAD + ', "gains": {"gait.roll": NaN}}', "has NaN where a finite number"),
    (HEAD + ', "gains": {"gait.roll": 1e999}}', "finite"),
    (HEAD + ', "gains": {"gait.rol": 0.2}}', r"did you mean 'gait\.roll'"),
    (HEAD + ', "gains": {"gait.roll": 9}}', r"gait\.roll=9 is out of range; it takes 0 to 0\.6"),
    (HEAD + ', "gains": [1, 2]}', "'gains' must hold values by name"),
    (HEAD + ', "params": {"step_lenght": 0.2}}', "did you mean 'step_length'"),
    (HEAD + ', "parms": {}}', "did you mean 'params'"),
    (HEAD + ', "params": {}, "params": {}}', "gives 'params' twice"),
    ('{"behavior": "walk"}', "no parameter file: its format is None"), ("[1, 2]", "no parameter file"),
    ("walk: fast", "not JSON: Expecting value in line 1"), ("[" * 100_000, "not JSON"), ("\udcff", "not JSON")])
def test_files_that_do_not_fit_are_refused_in_one_line(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput, match=words) as caught:
        read_params(path, "walk")
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_a_file_that_is_not_there_and_gains_that_do_not_belong(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot read"):
        read_params(tmp_path / "none.json", "walk")
    with pytest.raises(BadInput, match="does not take WalkGains"):
        write_params(tmp_path / "x.json", "locomote", gains=WalkGains())
    assert not list(tmp_path.iterdir())
