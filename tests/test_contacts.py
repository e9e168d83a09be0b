"""Contacts of patches on surfaces: slippery ground, props that carry, platforms that move, loose crates."""

from __future__ import annotations

import copy

import mujoco
import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import Builder
from gambol.bodies.character import Character
from gambol.control.contact.objectives import props_rest
from gambol.control.contact.patches import _looked_at, patch_states, planted
from gambol.control.contact.support import SupportPoints, support_points
from gambol.control.problem import WholeBodyProblem
from gambol.features import Kinematics
from gambol.runs.run import record
from gambol.units import GRAVITY
from gambol.world.figure import Figure
from gambol.world.props import Platform, make_props
from gambol.world.pushes import Push, Throw
from gambol.world.starts import Start, State
from gambol.world.world import World

CRATE = "box:x=0,y=0,size=0.9,height=0.3,mass=40"


def sledge() -> Character:
    """One foot and nothing else: 10 kg on a sole of 0.3 by 0.2 m."""
    b = Builder("sledge")
    root = b.root("sledge", 0.05)
    points = b.sole(root, "sledge", -0.15, 0.15, 0.1, -0.05)
    root.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.15, 0.1, 0.02], mass=10.0, contype=0, conaffinity=0)
    return Character("sledge", b.spec, Anatomy({"root": "sledge", "left_foot": "sledge"}, soles={"left_foot": points}))


@pytest.mark.parametrize(("terrain", "props", "friction"), [
    ("flat:friction=0.2", [], 0.2), ("flat:friction=0.05", [], 0.05), ("flat", [], 1.0),
    ("flat", ["platform:amplitude=0,size=4,friction=0.2"], 0.2)])
def test_a_foot_slides_as_far_as_the_friction_of_its_surface_predicts(
        terrain: str, props: list[str], friction: float) -> None:
    world = World(sledge(), terrain, make_props(props), starts=[Start(jitter=0.0)])
    for _ in range(50):
        world.step(np.zeros(0))
    figure, impulse = world.figure, 15.0
    states = patch_states(Kinematics(figure).refresh(), world.surfaces)
    touch = states[0].touch
    felt = states[0].friction if touch is None else touch.friction
    np.testing.assert_allclose(felt, friction)
    began, speed = figure.com[0], impulse / figure.mass
    world.push(Push(world.time, "root", (impulse / 0.004, 0.0, 0.0), 0.004))
    for _ in range(round(1.2 * speed / (friction * GRAVITY) / world.tick_length)):
        world.step(np.zeros(0))
    assert figure.com[0] - began == pytest.approx(speed**2 / (2 * friction * GRAVITY), rel=0.05)


@pytest.mark.parametrize("height", [0.1, 0.5])
def test_who_stands_on_a_box_is_carried_by_it(height: float) -> None:
    world = World(make_character("human"), props=make_props([f"box:x=0,y=0,size=0.6,height={height},mass=20"]))
    behavior = make_behavior("balance", world)
    world.push(Push(0.3, "trunk", (150.0, 100.0, 0.0), 0.1))
    while world.time < 2.5:
        world.step(behavior.act())
        assert behavior.failed() is None
    carried = sum(contact.force[2] for contact in world.contacts.of(world.figure) if contact.other == "box")
    assert carried == pytest.approx(world.figure.mass * GRAVITY, rel=0.02)


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("underside", [-0.1, 0.0], ids=["flush", "proud"])
def test_a_platform_takes_who_stands_on_it_along(axis: str, underside: float) -> None:
    world = World(make_character("human"),
                  props=make_props([f"platform:axis={axis},amplitude=0.15,period=2,z={underside}"]))
    behavior = make_behavior("balance", world)
    way, platform = "xy".index(axis), world.model.body("platform").id
    lag = world.figure.sole_points().mean(axis=0) - world.data.xpos[platform]
    while world.time < 4.0:
        world.step(behavior.act())
        assert behavior.failed() is None
    slipped = world.figure.sole_points().mean(axis=0) - world.data.xpos[platform] - lag
    assert abs(slipped[way]) < 0.01


def test_the_floor_that_carries_a_loose_crate_is_in_the_model() -> None:
    """The forces planned under the crate are those that the floor gives, a push on who stands on it included."""
    world = World(make_character("human"), props=make_props([CRATE]))
    behavior = make_behavior("balance", world)
    world.push(Push(0.5, "trunk", (150.0, 80.0, 0.0), 0.1))
    box, wrench, planned, given = world.model.geom("box/box").id, np.zeros(6), [], []
    while world.time < 0.9:
        torques = behavior.act()
        problem, support = behavior.problem, support_of(world)
        assert support.loose is not None
        floor = support.loose.behind(support.jacobian.shape[2])  # per unit along each ray; a free joint's z is third
        planned.append(problem.solution[problem.n_force - len(floor):problem.n_force] @ floor[:, -4])
        world.data.ctrl[world.figure.ctrl] = torques
        now = copy.copy(world.data)
        mujoco.mj_forward(world.model, now)
        given.append(0.0)
        for k, contact in enumerate(now.contact):
            if box in contact.geom and world.contacts.ground_geoms[contact.geom].any():
                mujoco.mj_contactForce(world.model, now, k, wrench)
                given[-1] += wrench[0]
        world.step(torques)
    weight = (world.figure.mass + 40.0) * GRAVITY
    off = np.abs(np.array(planned) - given)[25:] / weight  # after it has settled
    assert off.max() < 0.1
    assert np.median(off) < 0.01


def test_who_shares_a_crate_knows_what_the_other_presses_with() -> None:
    """The floor under the crate carries both, and each of them plans that."""
    beside = [Start(x=0.0, y=0.35), Start(x=0.0, y=-0.35)]
    world = World([make_character("human"), make_character("child")], starts=beside,
                  props=make_props(["box:x=0,y=0,size=1.6,height=0.3,mass=40"]))
    behaviors = [make_behavior("balance", world, index=index) for index in range(2)]
    while world.time < 0.6:
        world.step([behavior.act() for behavior in behaviors])
    weight = (sum(figure.mass for figure in world.figures) + 40.0) * GRAVITY
    for behavior in behaviors:
        problem, support = behavior.problem, support_of(world, behavior.figure)
        assert support.loose is not None and problem.solution is not None
        floor = support.loose.behind(support.jacobian.shape[2])
        planned = problem.solution[problem.n_force - len(floor):problem.n_force] @ floor[:, -4]
        assert planned == pytest.approx(weight, rel=0.01)
        assert behavior.failed() is None


def test_a_behavior_says_itself_that_a_crate_is_to_rest() -> None:
    """The problem has the crate's motion, and no wish of its own about it."""
    world = World(make_character("human"), props=make_props([CRATE]))
    kinematics, support = Kinematics(world.figure).refresh(), support_of(world)
    assert not WholeBodyProblem(kinematics, support, []).rows
    (rest,) = props_rest(support)
    assert rest.rows.shape == (6, world.figure.nv + 6) and not rest.rows[:, :world.figure.nv].any()
    bare = World(make_character("human"))
    assert props_rest(support_of(bare)) == []


@pytest.mark.parametrize(("prop", "reason"), [
    ("box:x=0,y=0,size=4,height=0.3,mass=400", "touches box"), ("box:x=3,y=0,size=0.3", "touches the ground")])
def test_a_hand_on_what_carries_is_a_fall_as_on_the_ground(prop: str, reason: str) -> None:
    run = record("balance", props=make_props([prop]), start=Start(x=0.0, y=0.0), seconds=2.5,
                 pushes=[Push(0.5, "trunk", (600.0, 0.0, 0.0), 0.1)])
    assert run.fell is not None and reason in run.fell, run.fell
    assert run.fell_at < 1.6


def test_a_hand_on_what_does_not_carry_is_no_fall() -> None:
    """The forearms lie on a table that stands before it."""
    table = Platform(name="table", x=0.6, y=0.0, z=0.98, size=0.8, thickness=0.1, amplitude=0.0)
    world = World(make_character("human"), props=[table], starts=[Start(x=0.0, y=0.0, jitter=0.0)])
    for side in ("left", "right"):
        world.data.qpos[world.model.joint(f"human/{side}_elbow").qposadr[0]] = 1.5
    mujoco.mj_forward(world.model, world.data)
    assert {"left_hand", "right_hand"} <= {contact.role for contact in world.contacts.of(world.figure)
                                           if contact.other == "table"}
    assert world.contacts.fallen(world.figure) is None


def support_of(world: World, figure: Figure | None = None) -> SupportPoints:
    soles = patch_states(Kinematics(figure or world.figure).refresh(), world.surfaces)
    return support_points(soles, planted(soles))


@pytest.mark.parametrize("degrees", [0, 135])
def test_a_push_on_a_loose_crate_is_survived(degrees: int) -> None:
    world = World(make_character("human"), props=make_props([CRATE]))
    behavior = make_behavior("balance", world)
    angle = np.radians(degrees)
    world.push(Push(0.5, "trunk", (200.0 * np.cos(angle), 200.0 * np.sin(angle), 0.0), 0.1))
    while world.time < 3.0:
        world.step(behavior.act())
        assert behavior.failed() is None


@pytest.mark.parametrize("x", [0.08, 0.105, 0.135, 0.2])
def test_patches_that_are_not_looked_at_closely_are_what_a_close_look_finds(x: float) -> None:
    """A block before the knees, from inside them to well away."""
    place = Start(x=0.0, y=0.0, jitter=0.0)
    rest = World(make_character("human44"), starts=[place])
    block = Platform(name="block", x=x + 0.1, y=0.0, z=0.3, size=0.2, thickness=0.4, amplitude=0.0)
    world = World(make_character("human44"), props=[block], starts=[Start(state=state_of(rest))])
    figure, kinematics = world.figure, Kinematics(world.figure).refresh()
    roles = tuple(figure.patches)
    for state, role in zip(patch_states(kinematics, world.surfaces, figure.patch_set(roles)), roles, strict=True):
        close = _looked_at(kinematics, world.surfaces, figure.patch_set((role,)))[0]
        assert state.touches == close.touches, role
        np.testing.assert_array_equal(state.near, close.near)
        for name in ("height", "normal", "position", "velocity", "jacobian", "rotation"):
            np.testing.assert_allclose(getattr(state, name), getattr(close, name), err_msg=f"{role} {name}")
    knees = patch_states(kinematics, world.surfaces, figure.patch_set(("left_knee", "right_knee")))
    touching = [state.touches for state in knees]
    assert touching == [x < 0.11] * 2, [state.height for state in knees]


def state_of(world: World) -> State:
    """The first figure's joints as they are."""
    joints = [world.data.joint(int(joint)) for joint in world.figure.joints]
    return State({joint.name.removeprefix(world.figure.prefix): (joint.qpos.copy(), joint.qvel.copy())
                  for joint in joints}, "a world")


@pytest.mark.parametrize(("body", "hands", "falls"), [("human", "none", True), ("human", "left", False),
                                                      ("human44", "left", False)])
def test_a_palm_on_a_wall_is_support(body: str, hands: str, falls: bool) -> None:
    push = Push(1.5, "trunk", (0.0, 550.0, 0.0), 0.1)
    run = record("balance", body, seconds=3.5, settings={"hands": hands}, terrain="wall:distance=0.6,bearing=90",
                 pushes=[push])
    assert (run.fell is not None) == falls, run.fell


@pytest.mark.parametrize(("prop", "taken"), [
    ("box:x=0,y=0.75,size=0.3,height=1.6,mass=60", True), ("box:x=0,y=0.75,size=0.3,height=1.6,mass=3", False),
    ("platform:x=0,y=0.75,size=0.3,z=0,thickness=1.6,amplitude=0", True)])
def test_a_palm_goes_to_what_is_firm(prop: str, taken: bool) -> None:
    """A heavy box or a block that is fixed carries a palm; a light box would topple and is left alone."""
    world = World(make_character("human44"), props=make_props([prop]), starts=[Start(x=0.0, y=0.0)])
    behavior = make_behavior("balance", world, {"hands": "left"})
    touched: set[str] = set()
    while world.time < 2.5:
        world.step(behavior.act())
        assert behavior.failed() is None
        if world.tick % 10 == 0:
            touched |= {contact.other for contact in world.contacts.of(world.figure) if contact.role == "left_hand"}
    assert touched == ({prop.split(":")[0]} if taken else set())


def test_a_palm_does_not_reach_for_what_flies() -> None:
    world = World(make_character("human44"), projectiles=1)
    behavior = make_behavior("balance", world, {"hands": "both"})
    world.throw(Throw(0.1, "trunk", mass=0.3, speed=4.0, bearing=60.0))
    while world.time < 0.8:
        world.step(behavior.act())
        assert all(palm.spot is None for palm in behavior.palms.palms)
