"""Ball joints: the pose of a body with a free root, balls and hinges, against finite differences; and it balances."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gambol import Character, Push, simulate
from gambol.bodies.anatomy import Anatomy
from gambol.errors import BadInput
from gambol.features import Kinematics, Pose
from gambol.motion.measures import Measured, joint_angle
from gambol.motion.verify import verify
from gambol.world.world import World

STEP = 1e-6
LEG = """
<body name="{side}_thigh" pos="0 {y} 0">
  <joint name="{side}_hip" type="ball" armature="0.01" damping="0.1"/>
  <geom type="capsule" fromto="0 0 0 0.03 0 -0.2" size="0.03" mass="0.8"/>
  <body name="{side}_shank" pos="0.03 0 -0.2">
    <joint name="{side}_knee" type="hinge" axis="0 1 0" range="-0.5 1.5" armature="0.01" damping="0.1"/>
    <geom type="capsule" fromto="0 0 0 -0.03 0 -0.2" size="0.025" mass="0.4"/>
    <body name="{side}_foot" pos="-0.03 0 -0.2">
      <joint name="{side}_ankle_y" type="hinge" axis="0 1 0" armature="0.01" damping="0.1"/>
      <joint name="{side}_ankle_x" type="hinge" axis="1 0 0" armature="0.01" damping="0.1"/>
      <geom type="box" pos="0.02 0 -0.02" size="0.09 0.04 0.01" mass="0.3" solref="0.008 1" priority="1"/>
    </body>
  </body>
</body>"""
CORNERS = tuple((x, y, -0.03) for x in (-0.07, 0.11) for y in (0.04, -0.04))


def motor(joint: str, gear: str = "1 0 0") -> str:
    return f'<motor joint="{joint}" gear="{gear} 0 0 0" ctrlrange="-50 50"/>'


def toddler(hip_axes: tuple[str, ...] = ("0 0 1", "1 0 0", "0 1 0")) -> Character:
    """A torso on two legs: balls for hips, hinges below; the motors of a hip are not in the order of x, y, z."""
    legs = "".join(LEG.format(side=side, y=y) for side, y in (("left", 0.08), ("right", -0.08)))
    driven = "".join(motor(f"{side}_hip", gear) for side in ("left", "right") for gear in hip_axes)
    driven += "".join(motor(side + joint) for side in ("left", "right") for joint in ("_knee", "_ankle_y", "_ankle_x"))
    spec = mujoco.MjSpec.from_string(f"""<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
      <body name="torso" pos="0 0 0.43"><freejoint/>
        <geom type="box" pos="0 0 0.12" size="0.07 0.1 0.12" mass="4"/>{legs}</body>
      </worldbody><actuator>{driven}</actuator></mujoco>""")
    parts = {f"{side}_{part}": f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shank", "foot")}
    joints = {f"{side}_{part}": tuple(f"{side}_{part}{end}" for end in ends) for side in ("left", "right")
              for part, ends in (("hip", ("_x", "_y", "_z")), ("knee", ("",)), ("ankle", ("_y", "_x")))}
    return Character("toddler", spec, Anatomy({"root": "torso", "trunk": "torso"} | parts, joints,
                                              {f"{side}_foot": CORNERS for side in ("left", "right")}))


def random_world(seed: int) -> World:
    world = World(toddler())
    rng = np.random.default_rng(seed)
    mujoco.mj_integratePos(world.model, world.data.qpos, rng.uniform(-1.2, 1.2, world.model.nv), 1.0)
    world.data.qvel[:] = rng.uniform(-1, 1, world.model.nv)
    mujoco.mj_forward(world.model, world.data)
    return world


def moved(world: World, along: np.ndarray, by: float) -> World:
    other = World(toddler())
    other.data.qpos[:] = world.data.qpos
    mujoco.mj_integratePos(other.model, other.data.qpos, along, by)
    other.data.qvel[:] = world.data.qvel
    mujoco.mj_forward(other.model, other.data)
    return other


def test_every_motor_has_its_own_coordinate() -> None:
    figure = World(toddler()).figure
    assert figure.joint_names[:7] == ("left_hip_z", "left_hip_x", "left_hip_y", "right_hip_z", "right_hip_x",
                                      "right_hip_y", "left_knee")
    assert sorted(figure.driven) == list(range(6, 18)) and list(figure.undriven) == list(range(6))
    assert np.isfinite(figure.joint_limits[:, 6]).all() and np.isinf(figure.joint_limits[:, :3]).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_motor_pushes_along_its_own_degree_of_freedom(seed: int) -> None:
    world = random_world(seed)
    figure = world.figure
    for k in range(figure.nu):
        world.data.ctrl[:] = 0.0
        world.data.ctrl[k] = 1.0
        mujoco.mj_forward(world.model, world.data)
        np.testing.assert_allclose(world.data.qfrc_actuator, np.eye(world.model.nv)[figure.joint_dofs[k]], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_velocity_jacobian_and_bias_are_derivatives(seed: int) -> None:
    world = random_world(seed)
    pose, rate = Pose(world.figure), world.data.qvel.copy()
    ahead, behind = (moved(world, rate, by) for by in (STEP, -STEP))
    state, after, before = (pose.at(Kinematics(w.figure)) for w in (world, ahead, behind))
    change = pose.error(before.value, after.value) / (2 * STEP)
    np.testing.assert_allclose(state.velocity, change, atol=1e-6)
    np.testing.assert_allclose(state.jacobian @ rate, change, atol=1e-6)
    np.testing.assert_allclose(state.bias, (after.velocity - before.velocity) / (2 * STEP), atol=1e-6)
    subtracted = (after.value - before.value) / (2 * STEP)  # not the same: rotation vectors cannot be subtracted
    assert np.abs(subtracted - change).max() > 0.05


@pytest.mark.parametrize("seed", range(3))
def test_the_error_is_the_motion_to_the_reference(seed: int) -> None:
    """Moved by its error, in the coordinates of `qvel`, a body is in the reference pose."""
    world, goal = random_world(seed), random_world(seed + 10)
    pose = Pose(world.figure)
    reference = pose.at(Kinematics(goal.figure)).value
    error = pose.error(pose.at(Kinematics(world.figure)).value, reference)
    arrived = moved(world, pose._jacobian.T @ error, 1.0)
    np.testing.assert_allclose(arrived.figure.angles, reference, atol=1e-9)


def test_the_way_is_the_short_one_beyond_half_a_turn() -> None:
    figure = World(toddler()).figure
    pose, value, goal = Pose(figure), np.zeros(figure.nu), np.zeros(figure.nu)
    value[0], goal[0] = 3.0, -3.0  # about one axis, 6 rad apart
    assert pose.error(value, goal)[0] == pytest.approx(2 * np.pi - 6.0)


def test_a_pose_of_some_joints_takes_whole_balls() -> None:
    world = random_world(0)
    figure = world.figure
    some = figure.joint_index(("left_knee", *figure.anatomy.joints_of("right_hip")))
    state = Pose(figure, some).at(Kinematics(figure))
    np.testing.assert_array_equal(state.value, figure.angles[some])
    np.testing.assert_array_equal(state.velocity, figure.rates[some])
    with pytest.raises(BadInput, match="'left_hip' comes with left_hip_x; a ball joint takes three motors"):
        Pose(figure, figure.joint_index(("left_hip_x",)))


@pytest.mark.parametrize("axes", [("1 0 0", "0 1 0"), ("1 0 0", "0 1 0", "0 1 0"), ("1 0 0", "0 1 0", "0 1 1"),
                                  ("1 0 0", "0 1 0", "0 0 2")])
def test_other_motors_of_a_ball_are_refused(axes: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="a ball joint takes three motors, with gear 1 0 0, 0 1 0 and 0 0 1"):
        World(toddler(axes))


def test_a_body_on_ball_joints_balances() -> None:
    """The behavior knows nothing of it."""
    run = simulate("balance", toddler(), seconds=2, seed=3, pushes=[Push(0.3, "trunk", (0, 10, 0))])
    assert not run.summary["fell"]
    assert verify(run.motion).ok
    angles = joint_angle(Measured(run.motion))
    assert angles.shape[1] == 12 and 0.01 < np.abs(angles[-1]).max() < 1.0
