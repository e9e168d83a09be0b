"""What carries a figure, as it is read off a Motion: terrain, props and other figures, but no thrown ball."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import mujoco
import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.experiments.contacts.shoulders import on_shoulders
from gambol.experiments.walked import Diary
from gambol.motion.ground_forces import Ground
from gambol.motion.kinematics import apply_edit
from gambol.motion.measures import Measured, every_figure, sole_places, summaries
from gambol.motion.motion import Motion
from gambol.motion.underfoot import BETWEEN
from gambol.motion.verify import replay_tick
from gambol.runs import Trial, run
from gambol.world.figure import Figure
from gambol.world.props import make_props
from gambol.world.pushes import Throw
from gambol.world.recorder import STATE
from gambol.world.starts import Start
from gambol.world.surfaces import UNDERFOOT, Surfaces
from gambol.world.world import World
from short_motion import standing

BOX = make_props(["box:x=0,y=0,size=1,height=0.5,mass=200"])


@cache
def on_box() -> Motion:
    """A human balances on a box; a ball flies past."""
    return run(Trial.of("balance", props=BOX, start=Start(x=0.0, y=0.0), throws=(Throw(0.1, bearing=80.0),),
                        seconds=0.6)).motion


def test_a_box_carries_who_stands_on_it() -> None:
    measured = Measured(on_box())
    assert len(on_box().throw_tick) == 1
    before = on_box().time < 0.3  # the ball has not come yet
    feet = measured.series("foot_force")[before]
    assert (feet[:, 2] + feet[:, 5])[40:].mean() == pytest.approx(measured.weight, rel=0.03)
    assert np.abs(measured.series("foot_height")[before][40:]).max() < 0.005
    assert measured.summary("steps") == 0
    place = measured.load.pressure_point(measured.share.bodies)[60]
    np.testing.assert_allclose(place, measured.series("com")[60, :2], atol=0.03)


def test_a_foot_is_as_high_as_it_is_above_what_is_below_it() -> None:
    motion = on_box()
    qpos, root = motion.qpos.copy(), motion.model.joint("human/root").qposadr[0]
    qpos[50, root + 2] += 0.1
    qpos[51, root] += 2.0
    qpos[52, root + 2] -= 0.2  # deep in the box: that is not below it then
    heights = Measured(replace(motion, qpos=qpos)).series("foot_height")
    np.testing.assert_allclose(heights[49:53], np.repeat([[0.0], [0.1], [0.5], [0.3]], 2, axis=1), atol=0.005)


def test_both_figures_feel_the_contact_between_them() -> None:
    motion = run(on_shoulders(0.8, seed=1)).motion
    bearer, borne = every_figure(motion)
    late = motion.time > 0.5
    feet = [figure.series("foot_force")[late, 2::3].sum(axis=1).mean() for figure in (bearer, borne)]
    assert feet[0] == pytest.approx(bearer.weight + borne.weight, rel=0.03)
    assert feet[1] == pytest.approx(borne.weight, rel=0.05)
    assert bearer.series("ground_force")[late, 2].mean() == pytest.approx(bearer.weight, rel=0.03)
    for figure in (bearer, borne):
        assert np.abs(figure.series("foot_height")[late]).max() < 0.004
        assert figure.summary("steps") == 0
    # What stands on its shoulders does not carry the bearer: its pressure point is that of its feet.
    load, row = bearer.load, len(motion.time) - 1
    of_feet = load.pressure_point(np.array(sorted(bearer.share.foot_bodies)))[row]
    np.testing.assert_array_equal(load.pressure_point(bearer.share.bodies)[row], of_feet)


def test_heights_are_those_that_surfaces_say_row_by_row_and_edit_by_edit() -> None:
    """The quick way through a whole Motion against the slow one: a world put into every row."""
    world = World([make_character("human"), make_character("child")], "slope:angle=4",
                  make_props(["box:x=0.1,y=0.1,size=0.2,height=0.1,mass=50", "ball:x=0.1,y=-0.12,radius=0.06"]), seed=2,
                  starts=[Start(x=0.1, y=0.0), Start(x=0.75, y=0.0)], projectiles=1)
    child, hold = make_character("child"), [make_behavior("stand", world, index=index) for index in range(2)]
    for tick in range(120):
        if tick in (40, 60):
            world.morph(child.scaled(1.0 + 0.002 * tick), 1)
        world.step([behavior.act() for behavior in hold])
    motion = Motion.from_world(world)
    assert [tick for tick, _ in motion.edits] == [40, 60]
    qpos, rng = motion.qpos.copy(), np.random.default_rng(3)
    for name in ("human1/root", "child2/root"):  # over, into and beside each other, the box and the ball
        first = motion.model.joint(name).qposadr[0]
        qpos[:, first:first + 3] += rng.uniform([-0.4, -0.2, -0.05], [0.7, 0.2, 1.0], (len(qpos), 3))
    motion = replace(motion, qpos=qpos)
    for index, measured in enumerate(every_figure(motion)):
        np.testing.assert_allclose(measured.series("foot_height"), _slow_heights(motion, world, index, measured),
                                   atol=1e-9)


def test_heights_follow_edits() -> None:
    """The box becomes 3 cm higher in row 60."""
    motion, fields = on_box(), {}
    box = motion.model.geom("box/box").id
    for name, at in (("geom_size", (box, 2)), ("geom_aabb", (box, 5)), ("geom_rbound", box)):
        fields[name] = getattr(motion.model, name).copy()
        fields[name][at] += 0.03
    heights = Measured(replace(motion, edits=((60, fields),))).series("foot_height")
    np.testing.assert_allclose(heights[58:62], np.repeat([[0.0], [0.0], [-0.03], [-0.03]], 2, axis=1), atol=0.002)


def _slow_heights(motion: Motion, world: World, index: int, measured: Measured) -> np.ndarray:
    model = mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))
    data = mujoco.MjData(model)
    figures = [Figure(figure.character, figure.prefix, model, data) for figure in world.figures]
    surfaces = Surfaces(model, data, world.terrain, figures)
    heels = {role: patch.heel for role, patch in measured.share.anatomy.all_patches.items()}
    found = []
    for row, qpos in enumerate(motion.qpos):
        for _, fields in (edit for edit in motion.edits if edit[0] == row):
            apply_edit(model, fields)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        heights = []
        for role, places in sole_places(measured).items():
            points, heel = places[row], heels[role]
            ends = points[:heel].mean(axis=0), points[heel:].mean(axis=0)
            on_way = [ends[0] + share * (ends[1] - ends[0]) for share in BETWEEN]
            above = [z - float(surfaces.height(x, y, z + UNDERFOOT, figures[index])) for x, y, z in points]
            for x, y, z in on_way:  # between its ends only things count
                under = float(surfaces.height(x, y, z + UNDERFOOT, figures[index]))
                if under > world.terrain.height(x, y):
                    above.append(z - under)
            heights.append(min(above))
        found.append(heights)
    return np.array(found)


SCENE = """<mujoco><worldbody><geom name="terrain/floor" type="plane" size="1 1 1"/><geom name="post" size=".1"/>
<body name="a"><freejoint/><geom size=".1"/><body pos="0 0 1"><joint/><geom size=".1"/></body></body>
<body name="b"><freejoint/><geom size=".1"/></body><body name="projectile1"><freejoint/><geom size=".1"/></body>
<body name="fixed"><geom size=".1"/></body></worldbody></mujoco>"""
FLOOR, POST, A, A_TOO, B, BALL, FIXED = range(7)


@pytest.mark.parametrize(("pair", "sides"), [
    ((FLOOR, A), [(A, FLOOR, 1.0)]), ((A, FLOOR), [(A, FLOOR, -1.0)]), ((POST, B), [(B, POST, 1.0)]),
    ((FIXED, A_TOO), [(A_TOO, FIXED, 1.0)]), ((A, A_TOO), []), ((A_TOO, B), [(B, A_TOO, 1.0), (A_TOO, B, -1.0)]),
    ((A, BALL), [(BALL, A, 1.0)]), ((BALL, A), [(BALL, A, -1.0)]), ((FLOOR, BALL), [(BALL, FLOOR, 1.0)])])
def test_who_is_carried_by_whom(pair: tuple[int, int], sides: list[tuple[int, int, float]]) -> None:
    model = mujoco.MjModel.from_xml_string(SCENE)
    ground = Ground.of(model)
    assert list(ground.sides(np.array([pair]))) == [(0, *side) for side in sides]
    a = int(model.body("a").id)
    assert ground.touches(a, np.array([pair])) == any(carried in (A, A_TOO) for carried, _, _ in sides)


def test_nobody_is_carried_by_a_thrown_ball() -> None:
    """While it pushes against the trunk the ground force is that of the ground alone."""
    motion = run(Trial.of("stand", throws=(Throw(0.0, distance=0.5, speed=10.0),), seconds=0.1)).motion
    model, wrench, struck = motion.model, np.zeros(6), False
    data, ball = mujoco.MjData(model), model.geom("projectile1").id
    mujoco.mj_setState(model, data, motion.initial_state, STATE)
    found = Measured(motion).series("ground_force")
    for tick in range(len(motion.ctrl)):
        replay_tick(motion, model, data, tick)
        force = np.zeros(3)
        for k, contact in enumerate(data.contact):
            mujoco.mj_contactForce(model, data, k, wrench)
            struck |= ball in contact.geom and wrench[0] > 100.0 and model.geom("terrain/floor").id not in contact.geom
            if ball not in contact.geom:
                force += contact.frame.reshape(3, 3).T @ wrench[:3]  # the floor is the first geom
        np.testing.assert_allclose(found[tick + 1], force, atol=1e-9)
    assert struck


def test_who_stands_on_a_box_does_not_fly_and_who_is_above_a_box_does() -> None:
    world, diary = World(make_character("human"), props=BOX, starts=[Start(x=0.0, y=0.0)]), Diary()
    hold = make_behavior("stand", world)
    while world.time < 0.1:
        diary(world, hold)
        world.step(hold.act())
    assert not any(row[-1] for row in diary.rows[2:])
    world.data.joint("human/root").qpos[2] += 1.0  # in the air; the box stays where it is, on the floor
    mujoco.mj_step1(world.model, world.data)
    assert world.contacts.ground_geoms[world.data.contact.geom].any()
    diary(world, hold)
    assert diary.rows[-1][-1]


def test_one_alone_on_terrain_is_measured_as_before() -> None:
    """Its floor is all there is: no thing is looked for, and the heights are those above the terrain, to the bit."""
    measured = Measured(standing())
    for column, places in enumerate(sole_places(measured).values()):
        np.testing.assert_array_equal(measured.series("foot_height")[:, column], places[..., 2].min(axis=1))
    assert summaries(standing())["steps"] == 0
