"""Features that scenes ask for: what a moment holds, what the solver makes of them, and one's own from a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gambol import plugins
from gambol.errors import BadInput
from gambol.synthesis.features import FEATURES, Quantity, feature

jax = pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.cli import main  # noqa: E402
from gambol.synthesis.checkpoint import fingerprint  # noqa: E402
from gambol.synthesis.measures import Measure, _features  # noqa: E402
from gambol.synthesis.mending import MORE, mend, to_mend  # noqa: E402
from gambol.synthesis.moment import Moment, Wanted  # noqa: E402
from gambol.synthesis.scene import Feature, Performer, PropBox, Scene, Stand  # noqa: E402
from gambol.synthesis.scene_file import parse_scene  # noqa: E402
from gambol.synthesis.stages import LADDER  # noqa: E402
from gambol.synthesis.synthesize import synthesize  # noqa: E402
from gambol.synthesis.tasks import knot_rows, no_tasks  # noqa: E402
from gambol.synthesis.trajectory import Trajectory  # noqa: E402

PARTS = (("trunk", "left_foot", "right_foot", "left_hand", "right_hand"), ("box",))
OWN = '''
from gambol.synthesis.features import feature
@feature(limit=0.03)
def {name}(moment):
    "height of the right hand"
    return moment.place("right_hand")[2]
'''


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene([Performer()], [Stand()], props=[PropBox("box", x=1.0)], phases=2)


def test_a_moment_is_what_the_trajectory_has_then(scene: Scene) -> None:
    problem = scene.problem()
    layout = problem.layout
    z = problem.guess() + 0.1 * np.random.default_rng(0).normal(size=problem.guess().shape)
    path = Trajectory(problem, z, rate=2.0, ends=True)
    moment = Moment(layout, PARTS, 0, jax.numpy.asarray(z[1, :layout.knot]))
    for part, frame in (("trunk", 0), ("right_foot", 2), ("left_hand", 3), ("box", layout.roots[1])):
        np.testing.assert_allclose(moment.place(part), path.place[2, frame], atol=1e-12)
        np.testing.assert_allclose(moment.speed(part), path.speed[2, frame], atol=1e-9)
    np.testing.assert_allclose(moment.axes("right_foot"), path.turn[2, 2], atol=1e-9)
    apart = np.linalg.norm(path.place[2, 3] - path.place[2, layout.roots[1]])
    assert float(moment.distance("left_hand", "box")) == pytest.approx(apart, abs=1e-6)


@pytest.mark.parametrize(("ask", "message"), [
    (lambda moment: moment.place("tail"), "feature odd: unknown part 'tail'"),
    (lambda moment: moment.axes("left_hand"), "hands are points"),
    (lambda moment: moment.place("trunk", who=1), "no character 1; there are 1"),  # the box is none
    (lambda moment: moment.axes("trunk"), "array of shape (3, 3)"),
    (lambda moment: [], "array of shape (0,)"),
    (lambda moment: None, "feature odd cannot be computed"),
    (lambda moment: float(moment.place()[2]), "feature odd cannot be computed"),
    (lambda moment: nowhere, "feature odd cannot be computed: NameError")])  # type: ignore[name-defined]  # noqa: F821
def test_features_that_cannot_be_are_refused(scene: Scene, ask: object, message: str) -> None:
    wanted = Wanted(Quantity("odd", ask, "m", 0.1, ""), PARTS, 0)  # type: ignore[arg-type]
    with pytest.raises(BadInput) as complaint:
        wanted.size(scene.problem().layout)
    assert message in str(complaint.value)


def test_features_in_yaml_take_a_number_or_a_row() -> None:
    text = "tasks: [feature: {name: hands_apart, target: 0.2}, feature: {name: left_hand, target: [1, 0, 1], at: 0.5}]"
    scene = parse_scene(f"{text}\nphases: 2")
    assert scene.tasks == (Feature(name="hands_apart", target=0.2),
                           Feature(name="left_hand", target=(1.0, 0.0, 1.0), at=0.5))
    (first, on), (second, early) = scene.problem().asked["wanted"]
    assert first.tolist() == [[0.0], [0.2]] and on.tolist() == [0.0, 1.0]
    assert second[0].tolist() == [1.0, 0.0, 1.0] and early.tolist() == [1.0, 0.0]


def test_a_feature_asked_for_twice_is_there_once(scene: Scene) -> None:
    twice = Scene(scene.performers, [Feature(name="feet_apart", target=(0.3,), at=0.5),
                                     Feature(name="feet_apart", target=(0.5,))], phases=2)
    ((target, weight),) = twice.problem().asked["wanted"]
    assert target.tolist() == [[0.3], [0.5]] and weight.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("task", "message"), [
    ("{name: hands_appart, target: 1}", "scene:1: unknown feature 'hands_appart' (did you mean 'hands_apart'?)"),
    ("{name: left_hand, target: 1}", "scene:1: feature left_hand needs a target of 3 numbers, not of 1"),
    ("{name: hands_apart}", "scene:1: feature hands_apart needs a target of 1 number, not of 0"),
    ("{name: [left_hand], target: 1}", "scene:1: name of feature should be a word"),
    ("{name: left_hand, target: [1, a, 2]}", "scene:1: target of feature should be a number, not 'a'"),
    ("{target: 1}", "unknown feature ''")])
def test_bad_features_are_refused(task: str, message: str) -> None:
    with pytest.raises(BadInput) as complaint:
        parse_scene(f"tasks: [feature: {task}]").problem()
    assert message in str(complaint.value)


def test_what_is_asked_for_comes_true() -> None:
    found = synthesize(Scene([Performer()], [Stand(), Feature(name="hands_apart", target=0.3)], phases=2))
    (measure,) = [m for m in found.solution.measures if m.name == "feature hands_apart"]
    hands = Trajectory(found.solution.problem, found.solution.z, rate=2.0, ends=True).place[-1, [3, 4]]
    assert np.linalg.norm(hands[0] - hands[1]) == pytest.approx(0.3, abs=0.05)
    assert measure.value == pytest.approx(abs(np.linalg.norm(hands[0] - hands[1]) - 0.3), abs=1e-4)
    assert measure.good and found.solved, found.sentence()


@pytest.mark.parametrize("function", [
    lambda moment: jax.numpy.arccos(moment.axes()[2, 2]), lambda moment: jax.numpy.sqrt(moment.place()[2] - 2.0)])
def test_what_has_no_value_or_slope_at_the_start_is_refused(function: object) -> None:
    layout = (problem := Scene([Performer()], [Stand()], phases=2).problem()).layout
    with pytest.raises(BadInput, match="feature odd has no"):
        Wanted(Quantity("odd", function, "m", 0.1, ""), PARTS[:1], 0).check(layout, problem.start)  # type: ignore[arg-type]


def test_two_characters_and_a_box_have_parts_of_their_own() -> None:
    scene = Scene([Performer(), Performer(x=2.0)], [Feature(name="hands_apart", target=0.3, who=1),
                                                    Feature(name="hands_apart", target=0.1)],
                  props=[PropBox("box", x=1.0)], phases=1)
    problem = scene.problem()
    layout = problem.layout
    z = problem.guess() + 0.1 * np.random.default_rng(0).normal(size=problem.guess().shape)
    place = Trajectory(problem, z, rate=2.0, ends=True).place[-1]
    hers = place[layout.roots[1] + 3:layout.roots[1] + 5]
    second, first = problem.wanted
    moment = Moment(layout, first.parts, 0, jax.numpy.asarray(z[0, :layout.knot]))
    np.testing.assert_allclose(moment.place("left_hand", who=1), hers[0], atol=1e-12)
    np.testing.assert_allclose(moment.place("box", who=1), place[layout.roots[2]], atol=1e-12)
    apart = np.linalg.norm(hers[0] - hers[1])
    assert float(moment.distance("left_hand", "right_hand", who=1)) == pytest.approx(apart, abs=1e-6)
    assert float(second.value(layout, z[0, :layout.knot])[0]) == pytest.approx(apart, abs=1e-6)
    (found,) = _features(problem, z)  # one figure: the worst of both
    his = np.linalg.norm(place[3] - place[4])
    assert found.value == pytest.approx(max(abs(apart - 0.3), abs(his - 0.1)), abs=1e-6)


@pytest.mark.parametrize("name", ["trunk", "left_foot", "box"])
def test_props_are_not_called_as_something_else_is(name: str) -> None:
    with pytest.raises(BadInput, match="give it another name"):
        Scene([Performer()], [Stand()], props=[PropBox(name), PropBox("box", x=1.0), PropBox("box", x=2.0)])


def test_the_unit_of_a_feature_does_not_matter() -> None:
    layout = (problem := Scene([Performer()], [Stand()], phases=1).problem()).layout
    rows = []
    for scale in (1.0, 1000.0):
        tall = Quantity("tall", lambda moment, scale=scale: scale * moment.place()[2], "", 0.02 * scale, "")
        wanted = (Wanted(tall, PARTS[:1], 0),)
        asked = {**no_tasks(layout, wanted), "wanted": ((np.full((1, 1), 0.5 * scale), np.ones(1)),)}
        knot = {**{key: value[0] for key, value in asked.items() if key != "wanted"},
                "wanted": tuple((target[0], weight[0]) for target, weight in asked["wanted"])}
        rows.append(knot_rows(layout, problem.start, knot, problem.constants()["limb"], {"task": 1.0}, wanted)["task"])
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-12)
    assert np.abs(rows[0]).max() > 0.1


def test_features_can_be_mended() -> None:
    off = Measure("feature hands_apart", 0.06, 0.05, "m")
    assert to_mend([off]) == (off.name,)
    assert mend(LADDER[-1], (off.name,)).full()["task"] == MORE * LADDER[-1].full()["task"]


def test_a_checkpoint_knows_what_a_feature_computes() -> None:
    def stamp(function: object, limit: float = 0.05) -> str:
        FEATURES["mine"] = Quantity("mine", function, "m", limit, "")  # type: ignore[arg-type]
        return fingerprint(Scene([Performer()], [Feature(name="mine", target=1.0)], phases=1).problem(), LADDER)

    try:
        first = stamp(lambda moment: moment.place()[2])
        assert first == stamp(lambda moment: moment.place("trunk")[2])
        assert len({first, stamp(lambda moment: moment.place()[1]), stamp(lambda moment: moment.place()[2], 0.1)}) == 3
    finally:
        del FEATURES["mine"]


def test_features_of_ones_own_are_known_in_every_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--load` reaches the processes that solve seeds."""
    path, scene = tmp_path / "own.py", tmp_path / "scene.yaml"
    path.write_text(OWN.format(name="right_hand_height"), encoding="utf-8")
    scene.write_text("tasks: [feature: {name: right_hand_height, target: 1.0}]\nphases: 1", encoding="utf-8")
    try:
        with pytest.raises(SystemExit) as end:
            main(["--load", str(path), "synthesize", str(scene), "--seeds", "2", "--workers", "1", "--json"])
    finally:
        plugins.LOADED.clear()
        FEATURES.pop("right_hand_height", None)
    assert not end.value.code
    assert json.loads(capsys.readouterr().out)["residuals"]["feature right_hand_height"] < 0.03


def test_a_file_is_loaded_once(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text("from gambol import plugins as p\np.count = getattr(p, 'count', 0) + 1\n", encoding="utf-8")
    try:
        plugins.load(path)
        plugins.load(tmp_path / "." / "own.py")
        assert plugins.count == 1  # type: ignore[attr-defined]
    finally:
        plugins.LOADED.clear()


def test_a_name_of_gambols_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(OWN.format(name="hands_apart"), encoding="utf-8")
    with pytest.raises(BadInput, match=r"own\.py: there is a feature 'hands_apart' in gambol already"):
        plugins.load(path)


@pytest.mark.parametrize("words", [{"unit": len}, {"limit": 0.0}, {"limit": "3 cm"}, {"limit": float("nan")}])
def test_features_need_a_unit_and_a_limit(words: dict) -> None:
    with pytest.raises(BadInput):
        feature(**words)
