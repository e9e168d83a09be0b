"""Actuation: servos give what MuJoCo says they give, take torques as set-points, and stand."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from foreign_tools import robot
from gambol.behaviors import make_behavior
from gambol.bodies import find_character, make_character
from gambol.bodies.actuation import Controls, Motors, Servos, read_actuation, with_servos
from gambol.bodies.character import Character
from gambol.bodies.mjcf.inspection import inspect
from gambol.errors import BadInput
from gambol.motion.measures import Measured, summaries
from gambol.motion.motion import Motion
from gambol.motion.rules import figure_bodies, model_breaks
from gambol.motion.verify import verify
from gambol.world.pushes import Push
from gambol.world.world import World

BALL = '<motor joint="s" gear="0 20 0 0 0 0" ctrlrange="-1 1"/>'
"""The one actuator of the small robot that servos cannot stand for."""


@pytest.fixture()
def driven(tmp_path: Path) -> Character:
    """The small robot as its file drives it: by position and velocity servos, and a motor with a gear."""
    return Character.from_mjcf(robot(tmp_path, ball=f"{BALL}=> "), actuators="file")


def run(world: World, seconds: float, push: Push | None = None) -> Motion:
    behavior = make_behavior("balance", world)
    if push is not None:
        world.push(push)
    while world.time < seconds:
        world.step(behavior.act())
    return Motion.from_world(world, behavior="balance")


def random_states(world: World, count: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Controls, angles and rates, far beyond all limits."""
    rng, figure = np.random.default_rng(0), world.figure
    states = []
    for _ in range(count):
        world.data.ctrl[:] = rng.normal(0.0, 3.0, world.model.nu)
        world.data.qpos[7:] = rng.normal(0.0, 1.0, world.model.nq - 7)
        world.data.qvel[:] = rng.normal(0.0, 3.0, world.model.nv)
        mujoco.mj_forward(world.model, world.data)
        states.append((world.data.ctrl[figure.ctrl].copy(), figure.angles, figure.rates))
    return states


def test_servos_give_what_mujoco_gives(driven: Character) -> None:
    world = World(driven, props=())
    figure = world.figure
    assert isinstance(figure.actuation, Servos) and figure.nu == 6
    for _ in range(20):
        (ctrl, angles, rates), = random_states(world, 1)
        np.testing.assert_allclose(figure.actuation.torques(ctrl, angles, rates),
                                   world.data.qfrc_actuator[figure.joint_dofs], atol=1e-9)


def test_torques_become_set_points_that_give_them(driven: Character) -> None:
    world = World(driven)
    actuation, rng = world.figure.actuation, np.random.default_rng(1)
    reached = 0
    for _, angles, rates in random_states(world, 50):
        low, high = actuation.reach(angles, rates)
        assert (low <= 0).all() and (high >= 0).all() and (high <= actuation.limit).all()
        wanted = rng.uniform(low, high)
        given = actuation.torques(actuation.controls(wanted, angles, rates), angles, rates)
        ends = np.stack([actuation.torques(np.full(6, end), angles, rates) for end in (-1e9, 1e9)])
        within = (wanted > ends.min(axis=0)) & (wanted < ends.max(axis=0))
        np.testing.assert_allclose(given[within], wanted[within], atol=1e-9)
        reached += within.sum()
    assert reached > 100


def test_the_controller_counts_on_what_servos_can_reach(driven: Character) -> None:
    world = World(driven)
    behavior = make_behavior("balance", world)
    behavior.act()
    low, high = world.figure.actuation.reach(world.figure.angles, world.figure.rates)
    np.testing.assert_array_equal(behavior.problem.limits()[1][behavior.problem.n:], high)
    assert (low != -world.figure.torque_limit).any()


def test_controls_are_taken_as_they_are_and_torques_are_turned_into_them() -> None:
    character = with_servos(make_character("human"))
    by_torque, by_angle = World(character), World(character)
    torques = 0.1 * by_torque.figure.torque_limit
    figure = by_angle.figure
    set_points = figure.actuation.controls(torques, figure.angles, figure.rates)
    by_torque.step(torques)
    by_angle.step(Controls(set_points))
    np.testing.assert_array_equal(by_torque.data.qpos, by_angle.data.qpos)
    assert np.abs(by_torque.data.ctrl - torques).max() > 0.1
    with pytest.raises(BadInput, match="takes"):
        by_angle.step(Controls(set_points[1:]))
    motors = World(make_character("human"))
    motors.step(Controls(np.full(motors.figure.nu, 1e6)))
    np.testing.assert_array_equal(motors.data.ctrl, motors.figure.torque_limit)


def test_a_human_on_servos_keeps_its_balance_and_replays() -> None:
    world = World(with_servos(make_character("human"), stiffness=2.0))
    motion = run(world, 5.0, Push(1.0, "trunk", (200.0, 0.0, 0.0), 0.1))
    assert world.contacts.fallen(world.figure) is None
    assert verify(motion).ok
    assert 0.1 < summaries(motion)["max_torque_ratio"] <= 1.0


def test_torques_of_servos_are_measured_from_the_states() -> None:
    """Against a replay that asks MuJoCo at every physics step."""
    world = World(with_servos(make_character("human"), stiffness=2.0))
    motion = run(world, 2.0, Push(0.5, "trunk", (200.0, 0.0, 0.0), 0.1))
    fresh = World(with_servos(make_character("human"), stiffness=2.0))
    model, data = fresh.model, fresh.data
    given = np.zeros(motion.ctrl.shape)
    for tick, ctrl in enumerate(motion.ctrl):
        data.ctrl[:], data.xfrc_applied[:] = ctrl, 0.0
        for k in np.flatnonzero(motion.push_tick == tick):
            data.xfrc_applied[motion.push_body[k]] = motion.push_wrench[k]
        for _ in range(motion.substeps):
            mujoco.mj_step(model, data)
            given[tick] += data.qfrc_actuator[fresh.figure.joint_dofs] / motion.substeps
    np.testing.assert_array_equal(data.qpos, motion.qpos[-1])
    measured = Measured(motion).series("joint_torque")[:-1]
    error = np.sqrt(np.mean((measured - given) ** 2))
    assert error < 0.02 * np.sqrt(np.mean(given**2))


def test_a_file_is_driven_by_motors_or_by_its_own_actuators(tmp_path: Path) -> None:
    path = robot(tmp_path, ball=f"{BALL}=> ")
    motors, own = (find_character(str(path), actuators=kind) for kind in ("motors", "file"))
    assert isinstance(World(motors).figure.actuation, Motors)
    assert any("torque motor per joint" in note for note in motors.notes)
    assert any("actuators as in the file" in note for note in own.notes)
    assert any("force limit of 3 servos" in note for note in own.notes)
    for character in (motors, own):
        world = World(character)
        behavior = make_behavior("stand", world)
        for _ in range(100):
            world.step(behavior.act())
        assert verify(Motion.from_world(world)).ok
    rows = {row.joint: row.strength for row in inspect(own).joints}
    assert rows["h1"] == pytest.approx(60.0) and rows["a1"] == pytest.approx(30.0) and rows["s_x"] == 0.0


@pytest.mark.parametrize(("old", "new", "said"), [
    (BALL, BALL, "neither a hinge nor a slide"),
    (BALL, '<position joint="k1" kp="9"/>', "has two actuators"),
    (BALL, '<position body="b1" kp="9"/>', "does not act on a joint"),
    ('<position joint="k1" kp="80"/>', '<position joint="k1" kp="80" timeconst="0.1"/>', "dynamics of its own"),
    ('<position joint="k1" kp="80"/>', '<muscle joint="k1" force="9"/>', "muscles are not simulated yet"),
    ('<position joint="k1" kp="80"/>', '<general joint="k1" gaintype="affine" gainprm="1 2 3"/>', "neither a motor")])
def test_actuators_that_cannot_be_kept_are_refused_with_the_way_out(tmp_path: Path, old: str, new: str,
                                                                    said: str) -> None:
    text = robot(tmp_path).read_text().replace(old, new)
    if old != BALL:
        text = text.replace(BALL, "")
    if "body=" in new:
        text = text.replace(new, '<adhesion body="b1" ctrlrange="0 1"/>')
    path = tmp_path / "other.xml"
    path.write_text(text)
    with pytest.raises(BadInput, match=said) as refusal:
        Character.from_mjcf(path, actuators="file")
    assert "actuators='motors'" in str(refusal.value) and "\n" not in str(refusal.value)
    assert World(Character.from_mjcf(path)).figure.actuation.kind == "motors"


def test_kinds_of_actuators_have_names(robot_file: Path) -> None:
    for ask in (lambda: find_character(str(robot_file), actuators="servos"),
                lambda: find_character("human", actuators="servos")):
        with pytest.raises(BadInput, match=r"unknown kind of actuators 'servos'.*file, motors"):
            ask()
    with pytest.raises(BadInput, match="built in and has motors"):
        find_character("human", actuators="file")


def test_a_servo_without_limit_is_refused_and_found(tmp_path: Path) -> None:
    character = with_servos(make_character("child"))
    spec = character.spec
    spec.actuators[0].forcelimited = False
    with pytest.raises(BadInput, match="no limit to its force"):
        World(character)
    model = spec.compile()
    motion = Motion(model_xml=spec.to_xml(), time=np.zeros(1), qpos=model.qpos0[None], qvel=np.zeros((1, model.nv)))
    assert any("no limit to its force" in line for line in model_breaks(model, figure_bodies(motion, model)))


def test_larger_bodies_have_stronger_servos_with_the_same_gains() -> None:
    small = with_servos(make_character("human"))
    large = small.scaled(height=2.0)
    models = [character.compile() for character in (small, large)]
    limits = [read_actuation(model, np.arange(model.nu)).limit for model in models]
    assert (limits[1] > 1.3 * limits[0]).all()
    np.testing.assert_array_equal(models[0].actuator_gainprm, models[1].actuator_gainprm)
    world = World(small)
    world.morph(large)
    np.testing.assert_allclose(world.figure.torque_limit, limits[1], rtol=1e-5)
    world.step(np.zeros(world.figure.nu))
    assert verify(Motion.from_world(world)).ok
