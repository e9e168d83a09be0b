"""Behaviors: the baseline falls where balance stands, on every body, and every take verifies."""

from __future__ import annotations

import ast
from pathlib import Path

import mujoco
import numpy as np
import pytest

from gambol import behaviors
from gambol.behaviors import BEHAVIORS, make_behavior
from gambol.behaviors.stand import Stand
from gambol.bodies import make_character
from gambol.errors import BadInput, GambolError, MissingRole
from gambol.motion.verify import verify
from gambol.rollout import simulate
from gambol.runs import Trial
from gambol.runs import run as run_trial
from gambol.world.pushes import Push
from gambol.world.starts import Start
from gambol.world.world import World


def shove(newtons: float, angle: float = 0.0) -> Push:
    radians = np.radians(angle)
    return Push(t=0.5, body="trunk", force=(newtons * np.cos(radians), newtons * np.sin(radians), 0.0))


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
@pytest.mark.parametrize("seed", [3, 11])
def test_balance_survives_a_shove_of_25_newton_seconds(angle: float, seed: int) -> None:
    run = simulate("balance", seconds=3, seed=seed, pushes=[shove(250, angle)])
    assert not run.summary["fell"], run.motion.meta["fall"]
    assert verify(run.motion).difference == 0.0


def test_stand_falls_under_the_same_shove_but_stands_without() -> None:
    assert simulate("stand", seconds=3, pushes=[shove(250)]).summary["fell"]
    quiet = simulate("stand", seconds=3)
    assert not quiet.summary["fell"] and verify(quiet.motion).difference == 0.0


@pytest.mark.parametrize("pose", ["sitting", "left_side"])
def test_stand_may_hold_how_it_began(pose: str) -> None:
    stayed, risen = (run_trial(Trial.of("stand", settings={"hold": hold}, start=Start(pose), seconds=1.0))
                     for hold in ("start", "rest"))
    way = np.linalg.norm(np.diff(stayed.motion.qpos[[0, -1], :3], axis=0))
    assert way < 0.02 and stayed.fell is None
    assert risen.fell is not None, "the rest pose is no way to sit or to lie"


@pytest.mark.parametrize(("pose", "falls"), [("standing", True), ("sitting", False)])
def test_who_holds_how_it_began_is_judged_if_it_began_standing(pose: str, falls: bool) -> None:
    run = run_trial(Trial.of("stand", settings={"hold": "start"}, start=Start(pose), seconds=2.0,
                             pushes=[Push(0.2, "trunk", (900.0, 0.0, 0.0), 0.2)]))
    assert (run.fell is not None) == falls


def test_who_takes_over_somebody_on_the_floor_holds_that() -> None:
    world = World(make_character("human"))
    world.push(Push(0.1, "trunk", (900.0, 0.0, 0.0), 0.2))
    first = make_behavior("stand", world, {"hold": "start"})
    while world.time < 2.0:
        world.step(first.act())
    assert first.failed() is not None and make_behavior("stand", world, {"hold": "start"}).failed() is None


@pytest.mark.parametrize("name", ["child", "asymmetric", "ostrich", "dinosaur", "quadruped", "wide_biped"])
def test_balance_works_on_other_bodies_unchanged(name: str) -> None:
    mass = World(make_character(name)).figure.mass
    run = simulate("balance", name, seconds=2.5, pushes=[shove(2.0 * mass)])
    assert not run.summary["fell"], run.motion.meta["fall"]
    assert verify(run.motion).difference == 0.0


def test_balance_follows_its_height() -> None:
    world = World(make_character("human"))
    behavior = make_behavior("balance", world)
    tall = world.figure.standing_height
    heights = []
    for target in (1.0, 0.75, 1.0):
        behavior.params.set("height", target)
        for _ in range(500):
            world.step(behavior.act())
        heights.append(world.contacts.com_height(world.figure) / tall)
    np.testing.assert_allclose(heights, [1.0, 0.75, 1.0], atol=0.01)
    assert world.contacts.fallen(world.figure) is None


def test_a_squat_is_made_by_the_legs_and_stays_upright() -> None:
    world = World(make_character("human"))
    behavior = make_behavior("balance", world, {"height": 0.75})
    for _ in range(750):
        world.step(behavior.act())
    bent = dict(zip(world.figure.joint_names, np.abs(world.figure.angles - world.figure.rest), strict=True))
    assert bent["left_knee"] > 0.8 and bent["right_knee"] > 0.8
    assert max(value for name, value in bent.items() if "spine" in name) < 0.15


def test_a_lifted_foot_goes_back_to_the_ground() -> None:
    world = World(make_character("human"))
    joints = dict(zip(world.figure.joint_names, world.figure.joint_qpos, strict=True))
    world.data.qpos[joints["left_hip_flexion"]] += 0.5  # start on one leg
    world.data.qpos[joints["left_knee"]] += 0.9
    mujoco.mj_step1(world.model, world.data)
    world.recorder.restart()
    behavior = make_behavior("balance", world)
    for _ in range(750):
        world.step(behavior.act())
    assert world.contacts.fallen(world.figure) is None
    assert {contact.role for contact in world.contacts.of(world.figure)} == {"left_foot", "right_foot"}


def test_balance_stands_on_a_slope_and_on_steps() -> None:
    for terrain in ("slope:angle=8", "rough:height=0.05"):
        world = World(make_character("human"), terrain)
        behavior = make_behavior("balance", world)
        for _ in range(500):
            world.step(behavior.act())
        assert world.contacts.fallen(world.figure) is None, terrain


def test_objective_table_lists_all_objectives_by_priority() -> None:
    world = World(make_character("human"))
    behavior = make_behavior("balance", world)
    assert behavior.report() == []
    behavior.act()
    assert [row[:2] for row in behavior.report()] == [("contact", "1"), ("com", "2"), ("angular momentum", "3"),
                                                      ("pose", "3")]


def test_unknown_behavior_parameter_and_missing_role_are_explained() -> None:
    world = World(make_character("human"))
    with pytest.raises(BadInput, match="did you mean 'balance'"):
        make_behavior("balnce", world)
    with pytest.raises(BadInput, match="did you mean 'height'"):
        make_behavior("balance", world, {"heigt": 1})
    with pytest.raises(MissingRole, match="no feet"):
        make_behavior("balance", World(make_character("chain")))


@pytest.mark.parametrize("cheat", ["push", "rewind"])
def test_a_behavior_may_only_give_torques(cheat: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Cheat(Stand):
        def act(self) -> np.ndarray:
            if cheat == "push":
                self.world.push(Push(t=self.world.time, body="trunk", force=(0, 0, 700)))
            elif self.world.tick == 10:
                self.world.reset()
            return super().act()

    monkeypatch.setitem(BEHAVIORS, "cheat", Cheat)
    with pytest.raises(GambolError, match="other than by torques"):
        simulate("cheat", seconds=0.2)


def test_every_behavior_describes_itself_and_its_parameters() -> None:
    for name, kind in BEHAVIORS.items():
        assert kind.name == name and kind.doc
        for info in kind.Params.describe():
            assert info.doc and info.range_text
            assert info.parse(info.default) == info.default


def test_registry_hands_out_independent_parameters() -> None:
    world = World(make_character("human"))
    first, second = make_behavior("balance", world), make_behavior("balance", world)
    first.params.set("height", 0.8)
    assert second.params.height == 1.0


def test_behaviors_do_not_import_each_other() -> None:
    """What two of them share is in a file of its own, which is no behavior."""
    room = Path(behaviors.__file__).parent
    families = {kind.__module__.split(".")[2] for kind in BEHAVIORS.values() if kind.__module__.startswith("gambol.")}
    assert {"balance", "jump", "locomote", "stand", "walk"} <= families
    for family in families:
        paths = [*room.glob(f"{family}.py"), *room.glob(f"{family}/*.py")]
        for node in (node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gambol.behaviors."):
                imported = str(node.module).split(".")[2]
                assert imported == family or imported not in families, f"{family} imports {node.module}"
