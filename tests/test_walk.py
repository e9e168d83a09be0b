"""Walk: it goes where it is told at the speed it is told, on every biped, and looks like a walk."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.behaviors.walk.behavior import Walk
from gambol.bodies import make_character
from gambol.control.contact.edges import on_edge
from gambol.control.contact.patches import PatchState, patch_states
from gambol.errors import MissingRole
from gambol.features import Kinematics
from gambol.motion.measures import Measured, summaries
from gambol.motion.motion import Motion
from gambol.motion.verify import verify
from gambol.planning.footing import FootSize, FootState, stands
from gambol.planning.gait import Gait, Wish
from gambol.world.world import World


def walk(seconds: float, character: str = "human", seed: int = 5, **settings: float) -> tuple[World, Walk, Motion]:
    world = World(make_character(character), seed=seed)
    behavior = make_behavior("walk", world, settings)
    while world.time < seconds:
        world.step(behavior.act())
        assert world.contacts.fallen(world.figure) is None, f"fell at {world.time:.2f} s"
    return world, behavior, Motion.from_world(world)  # type: ignore[return-value]


def speed_after(motion: Motion, begin: float) -> float:
    rows = motion.time > begin
    com = Measured(motion).series("com")[rows]
    return float(np.linalg.norm(com[-1, :2] - com[0, :2]) / (motion.time[-1] - begin))


@pytest.mark.parametrize(("length", "duration"), [(0.2, 0.5), (0.4, 0.5), (0.6, 0.4)])
def test_it_walks_at_the_commanded_speed(length: float, duration: float) -> None:
    _, behavior, motion = walk(6.0, step_length=length, swing_duration=duration)
    commanded = length / (duration + behavior.double)
    assert speed_after(motion, 3.0) == pytest.approx(commanded, rel=0.1)
    assert verify(motion).ok and summaries(motion)["steps"] >= 8


@pytest.mark.parametrize("name", ["child", "ostrich", "dinosaur", "asymmetric"])
def test_other_bipeds_walk_unchanged(name: str) -> None:
    _, behavior, motion = walk(5.0, name)
    assert behavior.steps >= 6 and speed_after(motion, 2.0) > 0.3


def test_it_turns_a_corner() -> None:
    world, _, motion = walk(9.0, heading=90.0)
    com = Measured(motion).series("com")
    last = com[motion.time > 7.0]
    way = np.degrees(np.arctan2(*(last[-1] - last[0])[1::-1]))
    assert way == pytest.approx(90.0, abs=10.0)
    assert np.degrees(world.figure.heading) == pytest.approx(90.0, abs=10.0)


def test_arms_swing_against_legs_heels_rise_and_hips_turn_against_shoulders() -> None:
    world, _, motion = walk(6.0, step_length=0.5)
    rows = motion.time > 3.0
    angle = {name: motion.qpos[rows, address] for name, address in
             zip(world.figure.joint_names, world.figure.joint_qpos, strict=True)}
    legs = angle["left_hip_flexion"] - angle["right_hip_flexion"]
    arms = angle["left_shoulder_flexion"] - angle["right_shoulder_flexion"]
    assert np.corrcoef(legs, arms)[0, 1] < -0.6 and np.degrees(np.ptp(arms)) > 20
    twist = angle["lower_spine_yaw"] + angle["upper_spine_yaw"]
    assert abs(np.corrcoef(legs, twist)[0, 1]) > 0.5
    assert np.degrees(angle["left_knee"]).min() > -1.0  # never bent the wrong way


def test_leaning_does_not_change_the_speed() -> None:
    speeds = [speed_after(walk(5.0, lean=lean)[2], 2.5) for lean in (-0.2, 0.2)]
    assert speeds[0] == pytest.approx(speeds[1], rel=0.1)


def test_parameters_may_change_while_it_walks() -> None:
    world = World(make_character("human"), seed=2)
    behavior = make_behavior("walk", world)
    for settings in ({"step_length": 0.3}, {"swing_duration": 0.4, "swing_height": 0.1}, {"step_length": 0.55}):
        for name, value in settings.items():
            behavior.params.set(name, value)
        for _ in range(500):
            world.step(behavior.act())
            assert world.contacts.fallen(world.figure) is None


def test_walk_needs_two_feet() -> None:
    with pytest.raises(MissingRole, match="two feet"):
        make_behavior("walk", World(make_character("quadruped")))


def test_hands_go_to_the_pockets_and_the_head_nods() -> None:
    figure = walk(3.0, hands="pockets", head_nod=35.0)[0].figure  # type: ignore[arg-type]
    pelvis, hand, head = (figure.data.body(figure.body_id(name)) for name in ("root", "left_hand", "head"))
    assert np.linalg.norm(hand.xpos - pelvis.xpos) < 0.35  # hanging, it would be 0.45 m away
    nose = head.xmat.reshape(3, 3)[:, 0]
    assert np.degrees(np.arcsin(-nose[2])) > 20.0


def test_the_neck_leans_ahead_of_the_com() -> None:
    figure = walk(5.0, lean=0.3)[0].figure
    assert figure.data.xpos[figure.body_id("head")][0] - figure.com[0] > 0.15


def test_it_takes_over_a_walk_in_motion() -> None:
    for moment in (3.08, 3.36):
        world, _, _ = walk(moment, seed=3)
        behavior = make_behavior("walk", world)
        while world.time < moment + 3.0:
            world.step(behavior.act())
            assert world.contacts.fallen(world.figure) is None


def test_it_walks_the_same_anywhere() -> None:
    torques = []
    for x in (0.0, 20.0):
        world = World(make_character("human"), seed=3)
        world.data.qpos[0] += x
        mujoco.mj_step1(world.model, world.data)
        behavior = make_behavior("walk", world)
        for _ in range(300):
            torque = behavior.act()
            world.step(torque)
        torques.append(torque)
    np.testing.assert_allclose(torques[0], torques[1], atol=0.5)


def test_it_walks_on_with_a_longer_arm_that_grows_while_it_walks() -> None:
    base = make_character("human")
    world = World(base, seed=3)
    behavior = make_behavior("walk", world)
    for tick in range(1250):
        if 500 <= tick < 1000 and tick % 25 == 0:
            world.morph(base.scaled(limb={"left_upper_arm": 1.0 + (tick - 475) / 500}))
        world.step(behavior.act())
        assert world.contacts.fallen(world.figure) is None
    assert behavior.steps >= 5  # type: ignore[attr-defined]


@pytest.mark.parametrize(("factor", "heel"), [(1.3, 0.5), (1.5, 0.0)])
def test_it_walks_with_a_longer_leg_flat_or_on_its_toes(factor: float, heel: float) -> None:
    """The ankle of a leg that is folded far has no room for a flat foot: held flat it stops the leg.

    On its toes a foot gives no torque: a centre of mass that went its way strictly would turn the trunk down.
    """
    character = make_character("human").scaled(limb={"left_thigh": factor})
    world = World(character, seed=0)
    behavior = make_behavior("walk", world)
    assert [stand.heel for stand in behavior.stands] == [heel, 0.5]
    while world.time < 4.0 and world.contacts.fallen(world.figure) is None:
        world.step(behavior.act())
    assert world.contacts.fallen(world.figure) is None and behavior.steps >= 5


@pytest.mark.parametrize("pitch", [0.0, 0.4, 0.9])
def test_toes_that_a_foot_stands_on_are_where_their_rounding_meets_the_ground(pitch: float) -> None:
    """Points of a flat sole are up to a centimetre off on a steep foot: it would count as lifted, and push no more."""
    world = World(make_character("human").scaled(limb={"left_thigh": 1.5}))
    model, data, figure = world.model, world.data, world.figure
    foot, toes = figure.soles[0].body, stands(figure)[0]
    data.qpos[3:7] = [np.cos(pitch / 2), 0.0, np.sin(pitch / 2), 0.0]
    data.qvel[:] = np.random.default_rng(0).uniform(-1, 1, model.nv)

    def edge() -> tuple[np.ndarray, PatchState]:
        mujoco.mj_forward(model, data)
        kinematics = Kinematics(figure)
        flat = patch_states(kinematics, world.surfaces)[0]
        return flat.height, on_edge(flat, kinematics.frame(foot), toes.up, toes.rounding)

    data.qpos[2] -= edge()[1].height.min() + 1e-4
    flat, state = edge()
    edges = (model.geom_bodyid == foot) & (model.geom_type == mujoco.mjtGeom.mjGEOM_CAPSULE)
    touching = data.contact.dist[edges[data.contact.geom].any(axis=1)]
    assert state.height.min() == pytest.approx(-1e-4, abs=1e-9)
    assert state.height.min() == pytest.approx(touching.min(), abs=1e-6)
    assert flat.min() - state.height.min() > 5e-4 and state.near[2:].all() and not state.near[:2].any()
    for k, place in enumerate(state.position):
        rows, change = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, rows, None, place, foot)
        mujoco.mj_jacDot(model, data, change, None, place, foot)
        np.testing.assert_allclose(state.jacobian[k], rows, atol=1e-12)
        np.testing.assert_allclose(state.velocity[k], rows @ data.qvel, atol=1e-12)
        np.testing.assert_allclose(state.bias[k], change @ data.qvel, atol=1e-10)


def test_a_standing_foot_lets_its_heel_go_at_once_but_puts_it_down_only_when_it_lands() -> None:
    base = make_character("human")
    world = World(base)
    behavior = make_behavior("walk", world)
    for factor, heel in ((1.5, 0.0), (1.2, 0.0)):
        world.morph(base.scaled(limb={"left_thigh": factor}))
        behavior.act()
        assert behavior.gait.states[0] is not FootState.SWING
        assert behavior.stands[0].heel == heel and behavior.gait.feet[0] is behavior.stands[0].size
    behavior.gait.states[0] = FootState.SWING
    behavior._restand()
    assert behavior.stands[0].heel == 0.5


def test_swings_of_a_leg_that_is_heavy_for_the_body_last_longer() -> None:
    human = make_behavior("walk", World(make_character("human")))
    assert 0.25 < human.least_swing < 0.3  # so that it keeps the whole range of its parameter
    heavy = make_behavior("walk", World(make_character("human").scaled(limb={"left_thigh": 2.0})))
    assert heavy.least_swing > 1.1 * 0.5 * heavy.gait.pace
    assert heavy.gait.duration == heavy.least_swing
    size = FootSize(0.1, 0.1, 0.04, 0.07, 0.07)
    gait = Gait(1.0, [size, size], [1.0, -1.0], Wish(0.4, 0.5, 0.02), 0.0, np.zeros(3))
    gait.least = 0.6
    durations = []
    for _ in range(3):
        gait._plan(Wish(0.4, 0.5, 0.02))
        durations.append(gait.duration)
    assert durations == pytest.approx([0.5 + gait.gains.slower, 0.6, 0.6])
