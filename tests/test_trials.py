"""What a Trial says: names, figures from text, where they begin, and that it can be compared."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import make_dataclass
from pathlib import Path

import numpy as np
import pytest

from foreign_tools import robot
from gambol.behaviors import BEHAVIORS
from gambol.behaviors.behavior import RESERVED, register
from gambol.behaviors.stand import Stand
from gambol.bodies import make_character
from gambol.bodies.character import Character
from gambol.errors import BadInput
from gambol.motion.moments import start_from, state_at
from gambol.params import param
from gambol.runs import Cast, Performance, Trial, figure_text, run
from gambol.runs.figure_text import parse_figure
from gambol.world.props import Box
from gambol.world.pushes import Push
from gambol.world.starts import Start
from gambol.world.terrains import make_terrain

OWN = ["child", make_character("human").scaled(height=1.4), make_character("quadruped")]


@pytest.fixture
def own_behaviors() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    before = dict(BEHAVIORS)
    yield
    BEHAVIORS.clear()
    BEHAVIORS.update(before)


@pytest.mark.parametrize("character", OWN, ids=["by name", "scaled", "quadruped"])
def test_a_trial_is_compared_by_what_it_says(character: str | Character) -> None:
    motion = run(Trial.of("stand", seconds=0.02)).motion

    def trial(height: float, angle: float, moment: float, force: object) -> Trial:
        own = character if isinstance(character, str) else character.scaled(height=height)
        return Trial((Cast("stand", own, start=Start(state=state_at(motion, moment))),), make_terrain(
            f"slope:angle={angle}"), pushes=(Push(0.1, "trunk", force),))  # type: ignore[arg-type]

    one = trial(1.3, 4.0, 0.0, (20.0, 0.0, 0.0))
    assert one == pickle.loads(pickle.dumps(one)) == trial(1.3, 4.0, 0.0, np.array([20.0, 0.0, 0.0]))
    assert one != trial(1.3, 4.0, 0.02, (20.0, 0.0, 0.0)) and one != trial(1.3, 5.0, 0.0, (20.0, 0.0, 0.0))
    assert one != trial(1.3, 4.0, 0.0, (21.0, 0.0, 0.0))
    assert (one == trial(1.31, 4.0, 0.0, (20.0, 0.0, 0.0))) == isinstance(character, str)
    assert one.terrain != "slope:angle=4" and one.first.start != Start() and Cast("stand", one.first.character) != one


@pytest.mark.parametrize(("file", "name"), [
    ("3d_human", "figure_3d_human"), ("_robot", "figure_robot"), ("terrain", "terrain2"), ("box", "box2"),
    ("\u00e4ffchen", "figure_\u00e4ffchen"), ("projectile1", "figure_projectile1"), ("my robot.v2", "my_robot")])
def test_a_file_of_any_name_gives_a_figure_of_a_fit_name(tmp_path: Path, file: str, name: str) -> None:
    path = robot(tmp_path).rename(tmp_path / f"{file}.xml")
    performance = Performance.of(Trial.of("stand", str(path), props=(Box(x=3.0),)), balls=1)
    assert performance.trial.first.name == name and performance.world.figure.prefix == f"{name}/"
    performance.tick()
    assert performance.trial.resolved() == performance.trial


def test_a_chair_that_is_put_there_does_not_take_the_name_of_a_figure() -> None:
    both = run(Trial((Cast("stand"), parse_figure("name=chair,behavior=stand,start=sitting,x=2,y=0")), seconds=0.01))
    assert both.motion.model.body("chair2").id > 0 and both.motion.figures[1].prefix == "chair/"


def test_a_figure_begins_as_its_text_says(tmp_path: Path) -> None:
    path = run(Trial.of("stand", seconds=0.1)).motion.save(tmp_path / "stood.npz")
    assert parse_figure("behavior=stand,start=prone,x=1") == parse_figure("behavior=stand,pose=prone,x=1")
    assert parse_figure(f"behavior=stand,start={path}@0.1").start == start_from(f"{path}@0.1")


def test_no_parameter_may_be_called_like_what_a_figure_says(own_behaviors: None) -> None:
    assert {*figure_text.CAST, *figure_text.WHERE, *figure_text.START} == set(RESERVED)
    for name in RESERVED:
        fields = [(name, float, param(1.0, low=0.0, high=2.0, doc="hidden"))]
        kind = type("Hidden", (Stand,), {"Params": make_dataclass("HiddenParams", fields, bases=(Stand.Params,))})
        with pytest.raises(BadInput, match=f"'hidden' cannot have a parameter '{name}'"):
            register(kind)
    assert "hidden" not in BEHAVIORS


def test_two_figures_in_one_place_are_refused(tmp_path: Path) -> None:
    path = run(Trial.of("balance", seconds=0.1)).motion.save(tmp_path / "one.npz")
    for first, second in ((Start(x=0.0, y=0.0), "x=0,y=0"), (Start(x=0.0, y=0.0), "x=0.1,y=0,character=child"),
                          (start_from(f"{path}@0.1"), f"start={path}@0.1")):
        trial = Trial((Cast("balance", start=first), parse_figure(f"name=b,behavior=balance,{second}")))
        with pytest.raises(BadInput, match=r"'human' and 'b' begin in one place, \d+ cm deep") as refusal:
            Performance.of(trial)
        assert "\n" not in str(refusal.value)
    Performance.of(Trial((Cast("balance", start=Start(x=0.0, y=0.0)), Cast("balance", start=Start(x=0.25, y=0.0)))))


@pytest.mark.parametrize(("actuators", "words"), [("file", "'human' has its actuators"), ("nonsense", "unknown kind")])
def test_kinds_of_actuators_are_refused_for_a_character_that_has_them(actuators: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        run(Trial.of("stand", make_character("human"), actuators=actuators, seconds=0.1))
