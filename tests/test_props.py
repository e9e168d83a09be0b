"""Props: they rest where they should, platforms keep to their path, and recordings replay in plain MuJoCo."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from gambol.bodies.creatures.human import human
from gambol.bodies.creatures.quadruped import quadruped
from gambol.errors import BadInput
from gambol.world.paths import Sinusoid, Waypoints
from gambol.world.props import COLORS, PROPS, Ball, Box, Chair, Platform, Projectile, Prop, make_prop, make_props
from gambol.world.pushes import Throw
from gambol.world.scene import compile_scene
from gambol.world.starts import Start
from gambol.world.terrains import make_terrain
from gambol.world.world import World, put_projectile


def simulate(*props: Prop, seconds: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = compile_scene((), make_terrain("flat"), props, 1000.0).model
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(1000 * seconds))
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("prop", [Box(x=1, size=0.3, mass=5), Box(size=0.6, width=0.4, height=0.2, mass=12, yaw=30),
                                  Ball(y=2, radius=0.11, mass=0.4), Chair(x=-1, yaw=90, mass=7)])
def test_props_have_their_mass_and_stay_where_they_are_put(prop: Box | Ball | Chair) -> None:
    model, data = simulate(prop, seconds=0.5)
    body = data.body(prop.name)
    assert model.body(prop.name).mass[0] == pytest.approx(prop.mass, rel=1e-5)
    np.testing.assert_allclose(body.xpos, [prop.x, prop.y, 0.0], atol=1e-3)
    yaw = math.atan2(body.xmat[3], body.xmat[0])
    assert math.degrees(yaw) == pytest.approx(prop.yaw, abs=0.1)
    assert np.abs(data.qvel).max() < 1e-2
    assert all(model.geom(g).name.startswith((prop.name, "terrain/")) for g in range(model.ngeom))


@pytest.mark.parametrize("prop", ["box:x=0,y=0,size=0.6,height=0.2{}", "platform:amplitude=0{}",
                                  "chair:x=0,y=0,fixed=yes{}"])
@pytest.mark.parametrize("friction", [0.3, 0.8, 1.0])
def test_soles_are_as_stiff_on_props_as_on_the_floor(prop: str, friction: float) -> None:
    """Only slipping differs."""
    def soles(*props: Prop) -> set[tuple[object, ...]]:
        world = World(human(), props=props, starts=[Start(x=0.0, y=0.0, jitter=0.0)])
        for _ in range(5):
            world.step(np.zeros(world.figure.nu))
        return {(contact.dim, float(contact.friction[0]), *contact.solref, *contact.solimp)
                for contact in world.data.contact if "foot" in "".join(world.model.geom(g).name for g in contact.geom)}

    (floor,), (on_prop,) = soles(), soles(make_prop(prop.format(f",friction={friction}")))
    assert on_prop[1] == friction and (on_prop[0], *on_prop[2:]) == (floor[0], *floor[2:])


@pytest.mark.parametrize("friction", [0.1, 0.3, 0.6])
def test_a_box_that_is_shoved_slides_as_far_as_its_friction_says(friction: float) -> None:
    model = compile_scene((), make_terrain("flat"), (Box(x=0.0, height=0.1, friction=friction),), 1000.0).model
    data, speed = mujoco.MjData(model), 1.5
    data.qvel[0] = speed
    mujoco.mj_step(model, data, 3000)
    assert data.qpos[0] == pytest.approx(speed**2 / (2 * 9.81 * friction), rel=0.03)
    assert np.abs(data.qvel).max() < 1e-6


def test_a_box_that_spins_comes_to_rest() -> None:
    """No torsional friction is needed for that: its corners rub."""
    model = compile_scene((), make_terrain("flat"), (Box(x=0.0, size=0.04, height=0.3),), 1000.0).model
    data = mujoco.MjData(model)
    data.qvel[5] = 6.0
    mujoco.mj_step(model, data, 500)
    assert np.abs(data.qvel).max() < 1e-6 and abs(data.qpos[2]) < 1e-3


def test_a_ball_bounces_little_and_rolls_out() -> None:
    """As it did before other props became stiffer."""
    heights, spins = [], []
    for ball, speed in ((Ball(x=0.0, z=1.0), 0.0), (Ball(x=0.0), 1.5)):
        model = compile_scene((), make_terrain("flat"), (ball,), 1000.0).model
        data = mujoco.MjData(model)
        data.qvel[0] = speed
        for _ in range(3000):
            mujoco.mj_step(model, data)
            (spins if speed else heights).append(float(data.qvel[4] if speed else data.qpos[2]))
    assert max(heights[600:]) < 0.02 and abs(heights[-1]) < 1e-3
    assert spins[500] == pytest.approx(8.63, abs=0.02), "it slides, then it rolls: 5/7 of the speed"
    assert spins[-1] == pytest.approx(7.45, abs=0.02), "rolling friction"


def test_box_sizes() -> None:
    model, _ = simulate(Box(size=0.6, width=0.4, height=0.2), seconds=0)
    np.testing.assert_allclose(model.geom("box/box").size, [0.3, 0.2, 0.1])
    model, _ = simulate(Box(size=0.6), seconds=0)
    np.testing.assert_allclose(model.geom("box/box").size, 0.3)


def test_a_chair_carries_a_person() -> None:
    _, data = simulate(Chair(mass=8), Box(name="person", z=0.46, size=0.3, height=0.8, mass=80), seconds=1.0)
    assert data.body("person").xpos[2] == pytest.approx(0.45, abs=2e-3)
    assert data.body("chair").xmat[8] > 0.9999


@pytest.mark.parametrize("path", [Sinusoid(1, 0.3, 2.0), Waypoints(((0.5, 0, 0, 0), (1.5, 1, 2, 0.5), (3, -1, 0, 0)))])
def test_paths_have_consistent_derivatives(path: Sinusoid | Waypoints) -> None:
    step = 1e-5
    for time in (0.1, 0.7, 1.2, 2.3, 2.9, 4.0):
        (p0, v0, _), (p1, v1, _) = path.at(time - step), path.at(time + step)
        _, velocity, acceleration = path.at(time)
        np.testing.assert_allclose((p1 - p0) / (2 * step), velocity, atol=1e-8)
        np.testing.assert_allclose((v1 - v0) / (2 * step), acceleration, atol=1e-7)


def test_waypoints_are_met_at_rest() -> None:
    path = Waypoints(((1, 0, 0, 0), (2, 1, 2, 3)))
    for time, point in ((0.0, 0), (1.0, 0), (2.0, [1, 2, 3]), (9.0, [1, 2, 3])):
        position, velocity, acceleration = path.at(time)
        np.testing.assert_allclose(position, np.zeros(3) + point)
        assert not velocity.any() and not acceleration.any()


@pytest.mark.parametrize("platform", [
    Platform(x=3, z=0, amplitude=0.3, period=2.0), Platform(x=3, z=0, axis="y", amplitude=0.1, period=0.8, yaw=30),
    Platform(x=3, axis="z", z=0.5, amplitude=0.2, period=2.0), Platform(x=3, z=0, mass=300, amplitude=0.3, period=2.0),
    Platform(x=3, z=0, waypoints=((0.2, 0, 0, 0), (1.0, 0.4, 0.2, 0.3), (1.6, 0, 0, 0)))])
def test_platform_tracks_its_path_under_load(platform: Platform) -> None:
    top = platform.z + platform.thickness + platform.path.at(0.0)[0][2]
    load = Box(name="load", x=3 + platform.path.at(0.0)[0][0], y=platform.path.at(0.0)[0][1], z=top, mass=80)
    world = World(human(), props=[platform, load])
    home = np.array([platform.x, platform.y, platform.z])
    errors, riding = [], []
    for _ in range(500):
        world.step(np.zeros(world.figure.nu))
        errors.append(world.data.body("platform").xpos - home - platform.path.at(world.time)[0])
        riding.append(world.data.body("load").xpos[2] - world.data.body("platform").xpos[2])
    assert np.abs(errors).max() < 2e-3
    np.testing.assert_allclose(riding, platform.thickness, atol=5e-3)
    travel = np.ptp([platform.path.at(t)[0] for t in np.linspace(0, 2, 50)], axis=0)
    assert travel.max() > 0.1


@pytest.mark.parametrize("rate", [50, 100, 500])
def test_platform_tracks_its_path_at_any_control_rate(rate: int) -> None:
    platform = Platform(x=3, z=0, amplitude=0.3, period=2.0)
    world, errors = World(human(), props=[platform], control_rate=rate), []
    for _ in range(rate):
        world.step(np.zeros(world.figure.nu))
        errors.append(world.data.body("platform").xpos[0] - 3 - platform.path.at(world.time)[0][0])
    assert np.abs(errors).max() < 1e-3


def test_recording_with_platform_and_thrown_ball_replays_exactly() -> None:
    world = World(human(), props=[Platform(x=0.8, z=0, size=0.5, amplitude=0.5, period=1.0), Box(x=-1), Chair(y=1.5)],
                  projectiles=2)
    world.throw(Throw(t=0.1, mass=5.0, radius=0.13))
    world.throw(Throw(t=0.2, bearing=90.0))
    for _ in range(150):
        world.step(np.zeros(world.figure.nu))
    take = world.recorder.arrays()
    assert len(take["throw_tick"]) == 2
    model = mujoco.MjModel.from_xml_string(world.scene.xml)
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, take["initial_state"], mujoco.mjtState.mjSTATE_INTEGRATION)
    for tick, ctrl in enumerate(take["ctrl"]):
        for when, fields in take["edits"]:
            if when == tick:
                for name, value in fields.items():
                    getattr(model, name)[:] = value
        for k in np.flatnonzero(take["throw_tick"] == tick):
            put_projectile(model, data, take["throw_body"][k], take["throw_state"][k])
        if tick not in take["throw_tick"]:
            np.testing.assert_array_equal(data.qpos, take["qpos"][tick])
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data, int(take["substeps"]))
    np.testing.assert_array_equal(data.qpos, take["qpos"][-1])
    np.testing.assert_array_equal(data.qvel, take["qvel"][-1])
    assert np.ptp(take["ctrl"], axis=0).max() > 0.5  # the platform was driven


@pytest.mark.parametrize("terrain", ["flat", "gaps", "rough"])
def test_projectiles_wait_until_thrown_and_then_hit(terrain: str) -> None:
    world = World(human(), terrain, projectiles=2)
    waiting = world.data.body("projectile2").xpos.copy()
    world.throw(Throw(t=0.0, mass=4.0, speed=20.0, distance=2.0, radius=0.12))
    hit = False
    for _ in range(60):
        world.step(np.zeros(world.figure.nu))
        hit |= any(contact.other == "projectile1" for contact in world.contacts.of(world.figure))
    assert hit
    np.testing.assert_allclose(world.data.body("projectile2").xpos, waiting, atol=1e-3)


def test_projectile_edit_is_what_compiling_gives() -> None:
    ball = Projectile(0)
    edited = compile_scene((), make_terrain("flat"), (ball,), 1000.0).model
    for name, value in ball.edit(edited, 5.0, 0.2).items():
        getattr(edited, name)[:] = value
    compiled = compile_scene((), make_terrain("flat"), (Projectile(0, 5.0, 0.2),), 1000.0).model
    for name in ("body_mass", "body_subtreemass", "body_inertia", "body_invweight0", "dof_invweight0", "dof_M0",
                 "geom_size", "geom_rbound", "geom_aabb"):
        np.testing.assert_allclose(getattr(edited, name), getattr(compiled, name), rtol=1e-5, err_msg=name)


def test_props_from_text() -> None:
    assert make_prop("box:x=1,size=0.3,mass=5") == Box(x=1.0, size=0.3, mass=5.0)
    assert make_prop("chair") == Chair()
    assert make_prop("ball:name=football,color=yellow") == Ball(name="football", color="yellow")
    assert make_prop("platform:axis=y,period=2") == Platform(axis="y", period=2.0)
    for name, kind in PROPS.items():
        assert kind.doc and make_prop(name).name == name
        assert all(info.doc for info in kind.describe())
    assert all(len(color) == 4 for color in COLORS.values())


@pytest.mark.parametrize(("text", "message"), [
    ("bx:x=1", "unknown prop 'bx' .did you mean 'box'"),
    ("box:sise=1", "unknown box setting 'sise' .did you mean 'size'"),
    ("box:mass=-1", "mass=-1 is out of range; it takes 0.01 to 100000 kg"),
    ("box:mass=nan", "not a finite number"),
    ("box:mass=heavy", "mass='heavy' is not a number"),
    ("box:1", "not of the form key=value"),
    ("ball:color=plaid", "unknown value for color 'plaid'"),
    ("box:name=a/b", "letters, digits and underscores"),
    ("platform:waypoints=3", "unknown platform setting 'waypoints'"),
])
def test_bad_props_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        make_prop(text)
    assert "\n" not in str(caught.value)


def test_bad_props_in_python() -> None:
    with pytest.raises(BadInput, match="size=nan is not a finite number"):
        Box(size=math.nan)
    with pytest.raises(BadInput, match="times of waypoints must increase; got 1, 1"):
        Platform(waypoints=((1, 0, 0, 0), (1, 1, 0, 0)))
    with pytest.raises(BadInput, match="four finite numbers"):
        Platform(waypoints=((1, 0, 0),))  # type: ignore[arg-type]


def test_props_of_one_kind_are_numbered_unless_named() -> None:
    assert [prop.name for prop in make_props(["box", "ball", "box:x=2", "box:name=box2", "box"])] == [
        "box", "ball", "box3", "box2", "box4"]


@pytest.mark.parametrize(("name", "message"), [
    ("terrain", "like the ground"), ("human", "like a character"), ("world", "like the world"),
    ("projectile1", "thrown balls are"), ("twin", "two props are called 'twin'")])
def test_names_that_are_taken_are_refused(name: str, message: str) -> None:
    for kind in (Box, Platform):
        with pytest.raises(BadInput, match=message):
            World(human(), props=[Box(name="twin"), kind(name=name)], projectiles=1)


def test_a_ball_of_any_other_name_and_a_thrown_one_go_together() -> None:
    world = World(human(), props=[Ball(name="ball1")], projectiles=1)
    assert world.model.body("ball1").id != world.model.body("projectile1").id


@pytest.mark.parametrize("kind", list(PROPS))
def test_props_do_not_begin_inside_the_character(kind: str) -> None:
    for character in (human(), quadruped()):
        world = World(character, props=[make_prop(kind)])
        prop = world.model.body(kind).id
        for contact in world.data.contact:
            bodies = {int(world.model.geom_bodyid[g]) for g in contact.geom}
            assert prop not in bodies or 0 in bodies or contact.dist > -1e-3


@pytest.mark.parametrize("text", ["slope:angle=10.123456789", "boxes:height=0.1,seed=3", "stairs:rise=0.1234567"])
def test_the_text_of_a_terrain_makes_it_again(text: str) -> None:
    terrain = make_terrain(text)
    assert make_terrain(terrain.text).params == terrain.params and ".0," not in terrain.text
