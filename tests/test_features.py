"""Every feature against finite differences: velocity, Jacobian and bias acceleration, on every body."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gambol.bodies import CHARACTERS, make_character
from gambol.features import (
    AngularMomentum,
    CenterOfMass,
    Feature,
    Kinematics,
    Orientation,
    Points,
    Pose,
    RelativePoints,
    SolePoints,
)
from gambol.world.figure import Figure
from gambol.world.world import World

STEP = 1e-6


def random_world(name: str, seed: int = 0) -> World:
    """A character somewhere in the air, bent and moving at random."""
    world = World(make_character(name))
    rng = np.random.default_rng(seed)
    world.data.qvel[:] = rng.uniform(-1, 1, world.model.nv)
    mujoco.mj_integratePos(world.model, world.data.qpos, rng.uniform(-0.4, 0.4, world.model.nv), 1.0)
    mujoco.mj_forward(world.model, world.data)
    return world


def features_of(figure: Figure) -> list[Feature]:
    last = sorted(figure.anatomy.bodies)[-1]
    features = [CenterOfMass(), CenterOfMass(np.array([[0.0, 0.6, 0.8]])), Pose(figure),
                Points(figure, last, np.array([[0.1, -0.2, 0.3], [0.0, 0.1, 0.0]])), Orientation(figure, last),
                RelativePoints(figure, last, np.array([[0.0, 0.2, -0.1]]))]
    return features + [SolePoints(figure, sole) for sole in figure.soles[:1]]


def moved(world: World, along: np.ndarray, by: float) -> World:
    """Another world displaced along a velocity."""
    other = World(world.characters[0])
    other.data.qpos[:] = world.data.qpos
    mujoco.mj_integratePos(other.model, other.data.qpos, along, by)
    other.data.qvel[:] = world.data.qvel
    mujoco.mj_forward(other.model, other.data)
    return other


def value_change(feature: Feature, before: World, after: World, span: float) -> np.ndarray:
    first = feature.at(Kinematics(before.figure)).value
    second = feature.at(Kinematics(after.figure)).value
    return feature.error(first, second) / span


@pytest.mark.parametrize("name", sorted(CHARACTERS))
def test_velocity_and_jacobian_are_derivatives_of_the_value(name: str) -> None:
    world = random_world(name)
    rate = world.data.qvel.copy()
    ahead, behind = moved(world, rate, STEP), moved(world, rate, -STEP)
    for feature in features_of(world.figure):
        state = feature.at(Kinematics(world.figure))
        change = value_change(feature, behind, ahead, 2 * STEP)
        np.testing.assert_allclose(state.velocity, change, atol=2e-6, err_msg=feature.name)
        np.testing.assert_allclose(state.jacobian @ rate, change, atol=2e-6, err_msg=feature.name)


@pytest.mark.parametrize("name", sorted(CHARACTERS))
def test_bias_is_the_acceleration_without_joint_acceleration(name: str) -> None:
    world = random_world(name, seed=1)
    rate = world.data.qvel.copy()
    ahead, behind = moved(world, rate, STEP), moved(world, rate, -STEP)
    for feature in [*features_of(world.figure), AngularMomentum()]:
        state = feature.at(Kinematics(world.figure))
        change = (feature.at(Kinematics(ahead.figure)).velocity - feature.at(Kinematics(behind.figure)).velocity)
        np.testing.assert_allclose(state.bias, change / (2 * STEP), atol=1e-4 * (1 + np.abs(state.bias).max()),
                                   err_msg=feature.name)


@pytest.mark.parametrize("name", ["human", "planar_biped"])
def test_angular_momentum_is_the_sum_over_bodies(name: str) -> None:
    world = random_world(name, seed=2)
    model, data, figure = world.model, world.data, world.figure
    mujoco.mj_subtreeVel(model, data)
    state = AngularMomentum().at(Kinematics(figure))
    np.testing.assert_allclose(state.jacobian @ data.qvel, data.subtree_angmom[figure.top], atol=1e-9)
    np.testing.assert_allclose(state.value, state.jacobian @ data.qvel, atol=1e-9)
    assert np.linalg.norm(state.value) > 0.1


def test_orientation_error_turns_the_part_to_the_reference() -> None:
    world = random_world("human", seed=3)
    feature = Orientation(world.figure, "head")
    value = feature.at(Kinematics(world.figure)).value
    turn = np.array([0.3, -0.5, 0.9])
    rotation = np.zeros(9)
    quaternion = np.zeros(4)
    mujoco.mju_axisAngle2Quat(quaternion, turn / np.linalg.norm(turn), np.linalg.norm(turn))
    mujoco.mju_quat2Mat(rotation, quaternion)
    np.testing.assert_allclose(feature.error(value, rotation.reshape(3, 3) @ value), turn, atol=1e-9)


def test_pose_bias_is_zero_and_root_is_left_out() -> None:
    world = random_world("human")
    state = Pose(world.figure).at(Kinematics(world.figure))
    assert state.jacobian.shape == (29, 35) and not state.jacobian[:, :6].any() and not state.bias.any()


@pytest.mark.parametrize("name", sorted(CHARACTERS))
def test_points_are_those_of_the_simulator_one_by_one(name: str) -> None:
    """All sole points, and a point of every body, from MuJoCo's joint axes: against its own Jacobians, body by body."""
    world = random_world(name, seed=4)
    model, data, figure, kinematics = world.model, world.data, world.figure, Kinematics(world.figure)
    rng = np.random.default_rng(0)
    cases = [(figure.sole_set.point_bodies, kinematics.sole_points())] if figure.soles else []
    cases.append((figure.bodies, kinematics.points(figure.bodies, data.xpos[figure.bodies] + rng.uniform(-1, 1, 3))))
    for bodies, (places, velocity, jacobian, bias) in cases:
        for k, body in enumerate(bodies):
            rows, change = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, rows, None, places[k], body)
            mujoco.mj_jacDot(model, data, change, None, places[k], body)
            np.testing.assert_allclose(jacobian[k], rows[:, figure.dofs], atol=1e-12)
            np.testing.assert_allclose(velocity[k], rows @ data.qvel, atol=1e-12)
            np.testing.assert_allclose(bias[k], change @ data.qvel, atol=1e-10)
