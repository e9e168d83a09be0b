"""Features that scenes ask for: what a moment holds, what the solver makes of them, and one's own from a file."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from gambol import own
from gambol.errors import BadInput
from gambol.synthesis.features import FEATURES, Feature

jax = pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis.measures import Measure  # noqa: E402
from gambol.synthesis.mending import to_mend  # noqa: E402
from gambol.synthesis.moment import Moment, Wanted  # noqa: E402
from gambol.synthesis.scene import Asked, Performer, PropBox, Scene, Stand  # noqa: E402
from gambol.synthesis.scene_file import parse_scene  # noqa: E402
from gambol.synthesis.seeds import _begin  # noqa: E402
from gambol.synthesis.synthesize import synthesize  # noqa: E402
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
    (lambda moment: moment.place("tail"), "unknown part of a feature 'tail'"),
    (lambda moment: moment.axes("left_hand"), "hands are points"),
    (lambda moment: moment.place("trunk", who=3), "character 3"),
    (lambda moment: moment.axes("trunk"), "array of shape (3, 3)")])
def test_features_that_cannot_be_are_refused(scene: Scene, ask: object, message: str) -> None:
    wanted = Wanted(Feature("odd", ask, "m", 0.1, ""), PARTS, 0)  # type: ignore[arg-type]
    with pytest.raises(BadInput) as complaint:
        wanted.size(scene.problem().layout)
    assert message in str(complaint.value)


def test_features_in_yaml_take_a_number_or_a_row() -> None:
    text = "tasks: [feature: {name: hands_apart, target: 0.2}, feature: {name: left_hand, target: [1, 0, 1], at: 0.5}]"
    scene = parse_scene(f"{text}\nphases: 2")
    assert scene.tasks == (Asked(name="hands_apart", target=0.2),
                           Asked(name="left_hand", target=(1.0, 0.0, 1.0), at=0.5))
    (first, on), (second, early) = scene.problem().asked["wanted"]
    assert first.tolist() == [[0.0], [0.2]] and on.tolist() == [0.0, 1.0]
    assert second[0].tolist() == [1.0, 0.0, 1.0] and early.tolist() == [1.0, 0.0]


def test_a_feature_asked_for_twice_is_there_once(scene: Scene) -> None:
    twice = Scene(scene.performers, [Asked(name="feet_apart", target=(0.3,), at=0.5),
                                     Asked(name="feet_apart", target=(0.5,))], phases=2)
    ((target, weight),) = twice.problem().asked["wanted"]
    assert target.tolist() == [[0.3], [0.5]] and weight.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("task", "message"), [
    ("{name: hands_appart, target: 1}", "scene:1: unknown feature 'hands_appart' (did you mean 'hands_apart'?)"),
    ("{name: left_hand, target: 1}", "feature left_hand has 3 numbers, its target 1"),
    ("{name: left_hand, target: [1, a, 2]}", "scene:1: target of feature should be a number, not 'a'"),
    ("{target: 1}", "unknown feature ''")])
def test_bad_features_are_refused(task: str, message: str) -> None:
    with pytest.raises(BadInput) as complaint:
        parse_scene(f"tasks: [feature: {task}]").problem()
    assert message in str(complaint.value)


def test_what_is_asked_for_comes_true() -> None:
    found = synthesize(Scene([Performer()], [Stand(), Asked(name="hands_apart", target=0.3)], phases=2))
    (measure,) = [m for m in found.solution.measures if m.name == "feature hands_apart"]
    hands = Trajectory(found.solution.problem, found.solution.z, rate=2.0, ends=True).place[-1, [3, 4]]
    assert np.linalg.norm(hands[0] - hands[1]) == pytest.approx(0.3, abs=0.05)
    assert measure.value == pytest.approx(abs(np.linalg.norm(hands[0] - hands[1]) - 0.3), abs=1e-4)
    assert measure.good and found.solved, found.sentence()


def test_features_can_be_mended() -> None:
    assert to_mend([Measure("feature hands_apart", 0.06, 0.05, "m")]) == ("feature hands_apart",)


def known(name: str) -> bool:
    return name in FEATURES


def test_features_of_ones_own_are_known_in_every_process(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(OWN.format(name="right_hand_height"), encoding="utf-8")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin, ((path,),)) as pool:
        assert pool.submit(known, "right_hand_height").result()
        assert not known("right_hand_height")


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(OWN.format(name="hands_apart"), encoding="utf-8")
    with pytest.raises(BadInput, match="there is a feature 'hands_apart' already"):
        own.load(path)


def test_programs_that_know_a_feature_are_not_kept_under_a_name(scene: Scene) -> None:
    asked = Scene(scene.performers, [Asked(name="feet_apart", target=(0.3,))], phases=2).problem()
    plain = Scene(scene.performers, [Stand()], phases=2).problem()
    assert asked.program.costs.name is None and asked.program.gradient.name is None
    assert plain.program.costs.name is not None and asked.program is not plain.program
