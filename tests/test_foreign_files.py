"""Files of one's own character: the anatomy file beside a model, and files that are refused in one line."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.bodies.character import Character
from gambol.bodies.mjcf import anatomy_file
from gambol.errors import BadInput


def test_anatomy_file_round_trip(robot_file):
    character = Character.from_mjcf(robot_file)
    beside = robot_file.with_name("robot.anatomy.yaml")
    beside.write_text(anatomy_file.to_yaml(character))
    again = Character.from_mjcf(robot_file)
    assert any("robot.anatomy.yaml" in note for note in again.notes)
    assert dict(again.anatomy.bodies) == dict(character.anatomy.bodies)
    assert dict(again.anatomy.joints) == dict(character.anatomy.joints)
    assert dict(again.rest) == pytest.approx(dict(character.rest), abs=1e-4)
    for role, points in character.anatomy.soles.items():
        np.testing.assert_allclose(again.anatomy.soles[role], points, atol=1e-4)


def test_anatomy_file_overrides(robot_file, tmp_path):
    given = tmp_path / "mine.yaml"
    given.write_text("bodies: {head: b1, trunk: b0, right_foot: null}\njoints: {neck: [s_y]}\n"
                     "soles: {left_foot: [[0, 0, -0.07]], right_foot: null}\nrest: {k1: 0.5}\n")
    character = Character.from_mjcf(robot_file, given)
    assert character.anatomy.bodies["head"] == "b1" and character.anatomy.bodies["trunk"] == "b0"
    assert character.anatomy.feet == ("left_foot",) and "right_foot" not in character.anatomy.bodies
    np.testing.assert_array_equal(character.anatomy.soles["left_foot"], [[0, 0, -0.07]])
    assert character.anatomy.joints["neck"] == ("s_y",) and character.rest["k1"] == 0.5


@pytest.mark.parametrize(("text", "message"), [
    ("bodies: {left_foot: ff1}", "unknown body 'ff1'.*did you mean 'f1'"),
    ("joints: {left_knee: [kk1]}", "unknown joint 'kk1'.*did you mean 'k1'"),
    ("rest: {k9: 0.1}", "unknown joint 'k9'"),
    ("rest: {k1: much}", "rest of 'k1' must be a number; got the text 'much'"),
    ("rest: {k1: .nan}", "must be a number"),
    ("bodies: [f1]", "bodies must be a table"),
    ("bodies: {left_foot: [f1]}", "must be the name of a body; got a list"),
    ("joints: {left_knee: 3}", "must be a list of joint names"),
    ("soles: {left_foot: [[0, 0]]}", r"list of points \[x, y, z\]"),
    ("soles: {tail: [[0, 0, 0]]}", "no body plays that role"),
    ("bodies: {root: null}", "'root' cannot be empty"),
    ("feet: {left_foot: f1}", "unknown section 'feet'"),
    ("bodies: {left_foot: f1", "is not YAML"),
    ("- 1", "expected sections"),
    ("!!python/object/apply:os.system ['true']", "is not YAML"),
])
def test_bad_anatomy_files(robot_file, tmp_path, text, message):
    given = tmp_path / "bad.yaml"
    given.write_text(text)
    with pytest.raises(BadInput, match=message) as error:
        Character.from_mjcf(robot_file, given)
    assert str(error.value).startswith(str(given)) and "\n" not in str(error.value)


@pytest.mark.parametrize(("content", "message"), [
    (None, "does not exist"),
    ("<mujoco><worldbody>", "is not a MuJoCo XML model"),
    ("not xml at all", "is not a MuJoCo XML model"),
    ("<mujoco><worldbody><bod/></worldbody></mujoco>", "is not a MuJoCo XML model: .*bod"),
    ("<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>", "cannot compile"),
    ("<mujoco/>", "has no bodies"),
    ('<mujoco><asset><mesh name="m" file="gone.stl"/></asset><worldbody><body><freejoint/><geom size="1"/></body>'
     "</worldbody></mujoco>", "'gone.stl', which is not there"),
    ('<mujoco><include file="gone.xml"/></mujoco>', "gone.xml"),
    ('<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody></mujoco>',
     r"has no free joint.*\(it has 'j' instead\); give body 'b' a <freejoint/>"),
])
def test_bad_models(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its log where it stands
    path = tmp_path / "model.xml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadInput, match=message) as error:
        Character.from_mjcf(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_missing_anatomy_file_says_how_to_write_one(robot_file):
    with pytest.raises(BadInput, match="--write-anatomy"):
        Character.from_mjcf(robot_file, robot_file.with_name("nothing.yaml"))
