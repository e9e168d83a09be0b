"""Scenes: those shipped read, bad files are refused with line and fix, Python and YAML say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from gambol.errors import BadInput

pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis.scene import Performer, Place, PropBox, Scene, Strike
from gambol.synthesis.scene_file import find_scene, parse_scene
from gambol.synthesis.shipped import SCENES


def test_all_shipped_scenes_read() -> None:
    assert len(SCENES) >= 12
    for name in SCENES:
        scene = find_scene(name)
        assert scene.problem().layout.phases == scene.phases


@pytest.mark.parametrize(("text", "message"), [
    ("", "empty"),
    ("tasks: [stnad]", "scene:1: unknown task 'stnad' (did you mean 'stand'?)"),
    ("tasks: [stand]\nphasses: 3", "scene:2: unknown key of a scene 'phasses' (did you mean 'phases'?)"),
    ("tasks:\n  - position: {x: far}", "scene:2: x of position should be a number, not 'far'"),
    ("tasks: [stand]\nstart: {pose: flying}", "unknown pose 'flying'"),
    ("tasks: [stand]\ncharacter: humn", "scene:2: unknown character 'humn' (did you mean 'human'?)"),
    ("tasks: [stand]\ncharacters: [{}, {character: no.xml}]", "scene:2: cannot read a character from 'no.xml'"),
    ("tasks: [stand]\nobstacles: [{height: 1}]", "scene:2: an obstacle needs x"),
    ("tasks: [stand]\nphases: 0", "phases=0 is out of range"),
    ("tasks:\n  - strike: {point: [1, 2]}", "scene:2: point of strike takes 3 numbers, not 2"),
    ("phases: 3", "a scene needs `tasks`"),
    ("tasks: [stand]\nfriction: -1", "friction=-1 is out of range"),
    ("tasks: [stand]\ncharacters: [{burden: -2}]", "burden=-2 is out of range"),
    ("tasks: [stand]\ncharacters: [{burden: much}]", "burden of a character should be a number"),
    ("tasks: [stand]\ncharacters: [{effort: 2}]", "unknown key of a character 'effort'"),
    ("tasks: [stand]\ncharacter: ~", "scene:2: a character is a name"),
    ("tasks: [stand]\ncharacters: [null, {character: humn}]", "scene:2: unknown character 'humn'"),
    (f"tasks: [stand]\ncharacter: {'x' * 300}.xml", "scene:2: "),
    ("tasks: [stand, position: {x: 1, who: 0.5}]", "scene:1: who of position should be a whole number, not 0.5"),
    ("tasks:\n  - stand\n  - strike: {limb: tail}", "scene:3: unknown limb 'tail'"),
    ("tasks: {a: [", "not YAML"),
    ("tasks: [place: {prop: crate}]", "unknown prop 'crate'"),
    ("tasks: [!!python/object/apply:os.system [ls]]", "a task is a name"),
])
def test_bad_scenes_are_refused_with_line_and_fix(text: str, message: str) -> None:
    with pytest.raises(BadInput) as complaint:
        parse_scene(text).problem()
    assert message in str(complaint.value)


def test_python_and_yaml_say_the_same() -> None:
    text = ("props: [{name: crate, x: 1.0, mass: 3.0}]\nphases: 4\n"
            "tasks: [strike: {limb: left_foot, at: 1.0}, place: {prop: crate, x: 2.0}]")
    there = Scene([Performer()], [Strike(limb="left_foot", at=1.0), Place(prop="crate", x=2.0)],
                  props=[PropBox(name="crate", x=1.0, mass=3.0)], phases=4)
    assert parse_scene(text) == there
    asked = there.problem().asked
    assert asked["hit_weight"][1].any() and asked["place_weight"][3, 1].all()


def test_a_character_may_be_a_file_beside_the_scene(robot_file: Path) -> None:
    path = robot_file.parent / "scene.yaml"
    path.write_text(f"character: {robot_file.name}\ntasks: [stand]\nphases: 1", encoding="utf-8")
    scene = find_scene(str(path))
    assert scene.performers[0].character == str(robot_file)
    assert sum(limb.is_foot for limb in scene.performers[0].puppet.limbs) == 2
