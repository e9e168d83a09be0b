"""How figures begin: lying limp, seated, at a moment of a Motion, on things; and what counts as a failure then."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import pytest

from foreign_tools import robot
from gambol.behaviors.behavior import Behavior
from gambol.bodies import make_character
from gambol.bodies.character import Character
from gambol.bodies.poses import FLOOR, POSES, seat_height
from gambol.control.pd import stable_pd
from gambol.errors import BadInput
from gambol.motion.moments import start_from, state_at
from gambol.motion.motion import Motion
from gambol.motion.verify import verify
from gambol.params import Params as BaseParams
from gambol.world.props import Ball, Box, Chair, Platform
from gambol.world.starts import ANYHOW, Start, needed_props
from gambol.world.terrains import make_terrain
from gambol.world.vary import Vary
from gambol.world.world import World

SUITE = importlib.util.find_spec("dm_control")
BODIES = ["human", "child", pytest.param("humanoid", marks=pytest.mark.skipif(
    SUITE is None, reason="dm_control is not installed; its model is read here"))]
LYING = {"supine": (0, 0.9), "prone": (0, -0.9), "left_side": (1, -0.6), "right_side": (1, 0.6)}
"""Which axis of the root (x ahead, y left) looks up or down, and how much at least."""


@pytest.fixture(scope="module")
def body():
    """Each character is read once."""
    known: dict[str, Character] = {}

    def find(name: str) -> Character:
        if name not in known:
            folder = Path(SUITE.submodule_search_locations[0]) if SUITE and SUITE.submodule_search_locations else None
            known[name] = (Character.from_mjcf(folder / "suite/humanoid.xml") if name == "humanoid" and folder
                           else make_character(name))
        return known[name]
    return find


def deepest(world: World) -> float:
    return max((-float(contact.dist) for contact in world.data.contact), default=0.0)


def hold(world: World, seconds: float) -> None:
    """Springs to the pose it begins in."""
    figure = world.figure
    goal, stiffness = figure.angles, 5.0 * figure.torque_limit
    damping = 2.0 * np.sqrt(stiffness * world.model.dof_M0[figure.joint_dofs])
    for _ in range(round(seconds * world.control_rate)):
        world.step(stable_pd(figure, goal, stiffness, damping, world.tick_length))


def carried(world: World, ticks: int = 25) -> float:
    """Mean force that holds the figure up, as a share of its weight."""
    total = 0.0
    for _ in range(ticks):
        hold(world, world.tick_length)
        total += float(world.data.qfrc_constraint[world.figure.dofs.start + 2])
    return total / ticks / (world.figure.mass * 9.81)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("pose", FLOOR)
def test_floor_poses_lie_at_rest_and_replay(body, name: str, pose: str) -> None:
    world = World(body(name), starts=[Start(pose=pose)])
    figure, (axis, least) = world.figure, LYING[pose]
    up = float(world.data.xmat[figure.root].reshape(3, 3)[2, axis])
    assert up / least >= 1.0, f"lies on another side: {up:.2f}"
    assert world.time == 0.0 and world.tick == 0
    assert deepest(world) < 0.005
    assert np.linalg.norm(world.data.qvel[figure.dofs][:3]) < 0.2
    assert world.contacts.com_height(figure) < 0.25 * figure.standing_height
    assert figure.standing_height == pytest.approx(World(body(name)).figure.standing_height, rel=0.02)
    assert {contact.other for contact in world.contacts.of(figure)} >= {"ground"}
    before = figure.com
    for _ in range(50):
        world.step(np.zeros(figure.nu))
    assert np.linalg.norm(figure.com - before) < 0.1
    verdict = verify(Motion.from_world(world))
    assert verdict.difference == 0.0 and not verdict.rule_breaks


@pytest.mark.parametrize("name", BODIES)
def test_who_sits_is_at_rest_on_a_seat_of_its_own_height(body, name: str) -> None:
    world = World(body(name), starts=[Start(pose="sitting", yaw=40.0)])
    figure = world.figure
    assert world.model.body("chair").id > 0 and deepest(world) < 0.005
    assert np.degrees(figure.heading) == pytest.approx(40.0, abs=3.0)
    assert {"chair", "ground"} <= {contact.other for contact in world.contacts.of(figure)}
    place = figure.com
    hold(world, 0.2)
    assert carried(world) == pytest.approx(1.0, abs=0.05)
    touching = {contact.other for contact in world.contacts.of(figure)}
    assert {"chair", "ground"} <= touching
    assert np.linalg.norm(figure.com - place) < 0.02 and np.abs(world.data.qvel[figure.dofs][:6]).max() < 0.4
    on_ground = {contact.role for contact in world.contacts.of(figure) if contact.other == "ground"}
    assert on_ground <= set(figure.anatomy.feet), "only feet are on the ground"
    assert verify(Motion.from_world(world)).difference == 0.0


def test_the_bodies_nobody_here_thought_of_lie_and_sit(tmp_path: Path) -> None:
    """A small robot whose names say nothing, with a ball joint in its spine."""
    character = Character.from_mjcf(robot(tmp_path))
    for pose in POSES[1:]:
        world = World(character, starts=[Start(pose=pose)])
        assert world.contacts.com_height(world.figure) < 0.8 * world.figure.standing_height, pose
        assert deepest(world) < 0.01


@pytest.mark.parametrize("pose", FLOOR)
def test_a_quadruped_lies_on_its_belly_back_and_sides(pose: str) -> None:
    world = World(make_character("quadruped"), starts=[Start(pose=pose)])
    up = world.data.xmat[world.figure.root].reshape(3, 3)[2]
    assert {"supine": -up[2], "prone": up[2], "left_side": -up[1], "right_side": up[1]}[pose] > 0.5
    assert world.contacts.com_height(world.figure) < 0.5 * world.figure.standing_height


def test_wide_jitter_differs_by_seed_and_repeats() -> None:
    def begin(pose: str, seed: int, jitter: float = 1.0) -> np.ndarray:
        world = World(make_character("child"), starts=[Start(pose=pose, spread=ANYHOW, jitter=jitter)], seed=seed)
        return world.data.qpos[:world.figure.nv + 1].copy()

    for pose in ("supine", "sitting"):
        first, again, other = begin(pose, 0), begin(pose, 0), begin(pose, 1)
        np.testing.assert_array_equal(first, again)
        assert np.abs(first[7:] - other[7:]).max() > 0.05
        np.testing.assert_array_equal(begin(pose, 0, 0.0), begin(pose, 1, 0.0))
    headings = [World(make_character("human"), starts=[Start(spread=ANYHOW)], seed=seed).figure.heading
                for seed in range(6)]
    assert np.ptp(headings) > 1.0


def test_a_reset_gives_the_same_start_again() -> None:
    world = World(make_character("human"), starts=[Start(pose="prone")], seed=2)
    first = world.data.qpos.copy()
    world.step(np.zeros(world.figure.nu))
    world.reset()
    np.testing.assert_array_equal(world.data.qpos, first)


@pytest.mark.parametrize(("name", "pose", "message"), [
    ("planar_biped", "supine", "held by the world"), ("chain", "sitting", "held by the world"),
    ("quadruped", "sitting", "takes two legs"), ("ostrich", "sitting", "takes a trunk above the hips")])
def test_poses_that_a_body_cannot_take_are_refused(name: str, pose: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        World(make_character(name), starts=[Start(pose=pose)])
    assert "\n" not in str(caught.value) and repr(name) in str(caught.value)


@pytest.mark.parametrize(("text", "message"), [
    ("kneeling", "unknown start 'kneeling'; it takes standing, sitting, supine"),
    ("supine:x=far", "x='far' is not a number"), ("supine:y=1e9", "out of range"), ("supine:yaw=400", "out of range"),
    ("supine:height=2", "unknown parameter 'height'"), ("walk.npz", "give one: walk.npz@2.5"),
    ("walk.npz@soon", "'soon' in 'walk.npz@soon' is not a time"), ("none.npz@1", "there is no file none.npz")])
def test_bad_starts_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        start_from(text)
    assert "\n" not in str(caught.value)


def test_starts_from_text() -> None:
    assert start_from("left_side") == Start(pose="left_side")
    assert start_from("supine:x=1,y=-2,yaw=90,jitter=0") == Start(pose="supine", x=1.0, y=-2.0, yaw=90.0, jitter=0.0)


# -- chairs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fixed", [True, False])
def test_who_sits_takes_the_chair_where_it_stands(fixed: bool) -> None:
    chair = Chair(name="seat", x=-2.0, y=1.0, yaw=150.0, fixed=fixed)
    world = World(make_character("human"), props=[Box(x=3.0), chair],
                  starts=[Start(pose="sitting")])
    assert np.abs(world.figure.position[:2] - (-2.0, 1.0)).max() < 0.15
    assert np.degrees(world.figure.heading) == pytest.approx(150.0, abs=3.0)
    assert world.model.body_dofnum[world.model.body("seat").id] == (0 if fixed else 6)
    hold(world, 0.2)
    assert "seat" in {contact.other for contact in world.contacts.of(world.figure)}
    assert carried(world) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("text", ["sitting:x=3", "sitting:y=0.5", "sitting:yaw=90", "sitting:x=-2,yaw=90"])
def test_who_sits_on_a_chair_that_is_there_takes_no_other_place(text: str) -> None:
    with pytest.raises(BadInput, match="'human' sits on the chair 'seat'; leave out x, y and yaw") as caught:
        World(make_character("human"), props=[Chair(name="seat", x=-2.0)], starts=[start_from(text)])
    assert "\n" not in str(caught.value)


def test_a_place_that_the_chair_has_is_said_again_by_what_is_believed() -> None:
    """The nominal world, too, finds the chair that was added where its figure is to sit."""
    world = World(make_character("human"), starts=[start_from("sitting:x=1,y=-1,yaw=-90")], vary=Vary.parse("mass=0.9"))
    np.testing.assert_array_equal(world.believed.data.qpos, world.data.qpos)
    assert np.abs(world.figure.position[:2] - (1.0, -1.0)).max() < 0.15
    World(make_character("human"), props=[Chair(x=1.0, yaw=270.0)], starts=[start_from("sitting:x=1,yaw=-90")])


@pytest.mark.parametrize("place", [{"x": 1.0}, {"y": 0.0}, {"yaw": 30.0}])
def test_who_is_held_by_the_world_is_not_moved(place: dict[str, float]) -> None:
    with pytest.raises(BadInput, match="'planar_biped' cannot be moved or turned: it is held by the world"):
        World(make_character("planar_biped"), starts=[Start(**place)])


def test_chairs_are_added_for_those_who_have_none() -> None:
    human, child = make_character("human"), make_character("child")
    sit = [Start(pose="sitting"), Start(pose="sitting", x=2.0, y=3.0, yaw=90.0), Start()]
    cast = (human, child, human)
    first, second = needed_props(sit, cast, [], make_terrain("flat"))
    assert (first.name, second.name) == ("chair", "chair2")
    assert isinstance(first, Chair) and isinstance(second, Chair)
    assert (second.x, second.y, second.yaw, second.seat) == (2.0, 3.0, 90.0, seat_height(child))
    assert 0.2 < second.seat < first.seat < 0.5
    only, = needed_props(sit, cast, [Chair()], make_terrain("flat"))
    assert only.name == "chair2"
    sit[1] = Start(pose="sitting")
    assert not needed_props(sit, cast, [Chair(), Chair(name="other")], make_terrain("flat"))


def test_a_chair_that_is_too_high_is_refused() -> None:
    with pytest.raises(BadInput, match=r"'tall' is 0.70 m high, too high for 'child': .* up to 0.\d+ m") as error:
        World(make_character("child"), props=[Chair(name="tall", seat=0.7)], starts=[Start(pose="sitting")])
    assert "\n" not in str(error.value) and float(str(error.value).split()[-2]) < 0.35


def test_a_low_chair_is_sat_on_with_knees_up() -> None:
    world = World(make_character("human"), props=[Chair(seat=0.25)], starts=[Start(pose="sitting")])
    knee, root = (world.data.body(world.figure.prefix + name).xpos[2] for name in ("left_shank", "pelvis"))
    assert knee > root and carried(world) == pytest.approx(1.0, abs=0.05)


# -- several at once -------------------------------------------------------------------------------------------------


def test_while_one_comes_to_rest_everything_else_is_held() -> None:
    cast = [make_character("human"), make_character("child"), make_character("human")]
    props = [Ball(x=4.0, z=2.0), Platform(x=8.0)]
    starts = [Start(), Start(pose="supine"), Start(pose="sitting", x=-3.0)]
    world, standing = World(cast, props=props, starts=starts), World(cast, props=props)
    figure, other = world.figure, standing.figure
    np.testing.assert_array_equal(world.data.qpos[figure.joint_qpos], standing.data.qpos[other.joint_qpos])
    np.testing.assert_array_equal(figure.position, other.position)
    for name in ("ball", "platform"):
        np.testing.assert_array_equal(world.data.body(name).xpos, standing.data.body(name).xpos)
    assert world.contacts.com_height(world.figures[1]) < 0.2
    assert np.abs(world.figures[1].position[:2]).max() < 0.2


def test_what_hangs_over_who_lies_down_does_not_come_down_before_time_begins() -> None:
    alone, below = (World(make_character("human"), props=[Box(x=x, z=0.7, size=0.5, mass=60.0)],
                          starts=[Start(pose="prone", x=0.0, y=0.0)]) for x in (9.0, 0.0))
    assert below.data.body("box").xpos[2] == pytest.approx(0.7)
    np.testing.assert_allclose(below.data.qpos[7:], alone.data.qpos[7:], atol=1e-6)


# -- a moment of a Motion ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fallen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a limp body that falls."""
    world = World(make_character("human"), starts=[Start(yaw=30.0)])
    for _ in range(100):
        world.step(np.zeros(world.figure.nu))
    return Motion.from_world(world).save(tmp_path_factory.mktemp("motion") / "fall.npz")


def test_a_motion_start_is_the_state_that_was_recorded(fallen: Path) -> None:
    motion = Motion.load(fallen)
    world = World(make_character("human"), props=[Box(x=5.0)], starts=[start_from(f"{fallen}@0.2")], seed=9)
    nq, nv = motion.qpos.shape[1], motion.qvel.shape[1]
    address = world.model.jnt_qposadr[world.figure.joints[0]]
    np.testing.assert_array_equal(world.data.qpos[address:address + nq], motion.qpos[50])
    np.testing.assert_array_equal(world.data.qvel[world.figure.dofs], motion.qvel[50])
    assert len(motion.qvel[50]) == nv and world.time == 0.0
    between = state_at(motion, 0.202).joints["left_knee"][0]
    assert min(motion_knee(motion, 50), motion_knee(motion, 51)) <= between <= max(
        motion_knee(motion, 50), motion_knee(motion, 51))


def motion_knee(motion: Motion, row: int) -> float:
    joint = motion.model.joint(motion.figures[0].prefix + "left_knee")
    return float(motion.qpos[row, joint.qposadr[0]])


def test_a_motion_start_can_be_moved_and_turned(fallen: Path) -> None:
    here = World(make_character("human"), starts=[start_from(f"{fallen}@0.3")])
    start = start_from(f"{fallen}@0.3")
    start.x, start.y, start.yaw = 2.0, -1.0, 90.0
    there = World(make_character("human"), starts=[start])
    np.testing.assert_allclose(there.figure.position[:2], (2.0, -1.0), atol=1e-9)
    assert np.degrees(there.figure.heading - here.figure.heading) % 360 == pytest.approx(90.0, abs=1e-6)
    assert np.linalg.norm(there.data.qvel[:3]) == pytest.approx(np.linalg.norm(here.data.qvel[:3]))
    assert there.data.qvel[1] == pytest.approx(here.data.qvel[0])


def test_a_motion_of_another_body_or_time_is_refused(fallen: Path) -> None:
    with pytest.raises(BadInput, match=r"of another body: 'quadruped' has 30 joints, .* has 'front_left"):
        World(make_character("quadruped"), starts=[start_from(f"{fallen}@0.1")])
    with pytest.raises(BadInput, match=r"7 s is not in the motion, which lasts 0\.4 s"):
        start_from(f"{fallen}@7")


# -- on things, and what is a failure -------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [0.0, 0.3])
def test_who_is_placed_on_a_box_begins_on_it(x: float) -> None:
    """Also with the toes over its edge."""
    world = World(make_character("human"), props=[Box(x=0.0, size=0.6, height=0.3, mass=20.0)],
                  starts=[Start(x=x, y=0.0, jitter=0.0)])
    figure = world.figure
    assert figure.sole_points()[:, 2].min() == pytest.approx(0.3, abs=1e-4)
    assert world.contacts.com_height(figure) == pytest.approx(World(make_character("human")).figure.standing_height,
                                                              rel=0.01)
    assert world.contacts.fallen(figure) is None
    assert {contact.other for contact in world.contacts.of(figure)} <= {"box"}


@pytest.mark.parametrize("over", [Box(x=0.0, z=3.0, height=0.1), Box(x=0.4, z=0.7, size=0.5, height=0.03)])
def test_who_is_placed_below_something_or_before_a_table_stands_on_the_ground(over: Box) -> None:
    world = World(make_character("human"), props=[over], starts=[Start(x=0.0, y=0.0)])
    assert world.figure.sole_points()[:, 2].min() == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("long", [2.5, 1.1])
def test_to_lie_on_a_box_is_a_fall(long: float) -> None:
    """Also with feet that hang over its end."""
    bed = Box(x=0.0, size=long, height=0.8, mass=200.0)
    world = World(make_character("human"), props=[bed], starts=[Start(pose="supine", x=0.0, y=0.0)])
    assert world.figure.position[2] > 0.8
    assert (world.figure.sole_points()[:, 2].min() > 0.79) == (long > 2.0)
    assert "below half" in (world.contacts.fallen(world.figure) or "")


def test_to_touch_a_box_is_no_fall() -> None:
    leaning = World(make_character("human"), props=[Box(x=0.345, z=0.9, size=0.5, height=0.5, mass=200.0)])
    leaning.step(np.zeros(leaning.figure.nu))
    assert {"box"} <= {contact.other for contact in leaning.contacts.of(leaning.figure)}
    assert leaning.contacts.fallen(leaning.figure) is None


def test_only_who_has_no_place_stands_in_the_row() -> None:
    def across(*starts: Start) -> list[float]:
        world = World([make_character("human")] * len(starts), starts=starts)
        return [round(float(world.data.qpos[world.model.jnt_qposadr[world.model.body_jntadr[figure.root]] + 1]), 6)
                for figure in world.figures]

    assert across(Start(), Start(y=-2.0)) == [0.0, -2.0]
    assert across(Start(), Start(), Start(y=3.0)) == [-0.6, 0.6, 3.0]
    assert across(Start(), Start(x=1.0)) == [-0.6, 0.6]


class Rest(Behavior):
    """does nothing, and says so"""

    @dataclass
    class Params(BaseParams):
        pass

    name, doc = "rest", "does nothing"
    jitter = ANYHOW

    def start(self) -> None:
        self.standing = False

    def act(self) -> np.ndarray:
        return np.zeros(self.figure.nu)


def test_who_begins_lying_is_judged_when_it_says_that_it_stands() -> None:
    world = World(make_character("human"), starts=[Start(pose="supine", spread=Rest.jitter)])
    behavior = Rest(world)
    for _ in range(10):
        world.step(behavior.act())
        assert behavior.failed() is None
    behavior.standing = True
    assert behavior.failed() == "centre of mass below half its standing height"
    upright = World(make_character("human"))
    assert behavior.failed(upright) is None, "the world that is asked decides"


MESHED = """<mujoco><asset><mesh name="m" vertex=".1 .1 .1 -.1 .1 .1 .1 -.1 .1 .1 .1 -.1 -.1 -.1 .1 -.1 .1 -.1 .1 -.1
 -.1 -.1 -.1 -.1"/></asset><worldbody><body name="lump"><freejoint/><geom type="mesh" mesh="m" mass="10"/>
 <body name="arm" pos=".1 0 0"><joint name="bend" axis="0 1 0" range="-60 60"/>
 <geom type="capsule" size=".02" fromto="0 0 0 .2 0 0"/></body></body></worldbody>
 <actuator><motor joint="bend" ctrlrange="-5 5"/></actuator></mujoco>"""


def test_a_mesh_of_another_figure_has_a_top(tmp_path: Path) -> None:
    """It is that of the box around it; MuJoCo ends the program when it is asked for a mesh's ray this way."""
    path = tmp_path / "lump.xml"
    path.write_text(MESHED)
    world = World([Character.from_mjcf(path), make_character("child")], starts=[Start(x=0.0, y=0.0)] * 2)
    mesh, = np.flatnonzero(world.model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)
    x, y, z = world.data.geom_xpos[mesh]
    assert world.surfaces.top(int(mesh), x, y) == pytest.approx(z + 0.1, abs=0.02)
    assert world.surfaces.top(int(mesh), x + 0.5, y) == -np.inf
