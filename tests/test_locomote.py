"""Locomote: it goes at any speed and any way by planning ahead, over rough ground, and is hard to knock over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.behaviors.locomote import behavior as behavior_module
from gambol.behaviors.locomote import perception
from gambol.behaviors.locomote.behavior import Locomote
from gambol.bodies import make_character
from gambol.control.contact.edges import drawn_in
from gambol.control.contact.gains import SupportGains
from gambol.control.contact.patches import HEIGHT, PatchState, patch_states
from gambol.control.contact.support import SupportPoints, support_points
from gambol.errors import MissingRole
from gambol.features import Kinematics
from gambol.motion.measures import Measured
from gambol.motion.motion import Motion
from gambol.motion.verify import verify
from gambol.planning import step_targets
from gambol.planning.footing import FootState
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Support
from gambol.world.pushes import Push, Throw
from gambol.world.world import World


def started(terrain: str = "flat", character: str = "human", **settings: float | str) -> tuple[World, Locomote]:
    world = World(make_character(character), terrain, seed=7)
    behavior = make_behavior("locomote", world, settings)
    assert isinstance(behavior, Locomote)
    return world, behavior


def go(seconds: float, terrain: str = "flat", character: str = "human", pushes: tuple[Push, ...] = (),
       **settings: float | str) -> tuple[World, Locomote, float]:
    """A run that must not fall; also the share of time in flight."""
    world, behavior = started(terrain, character, **settings)
    for push in pushes:
        world.push(push)
    ticks = flying = 0
    while world.time < seconds:
        world.step(behavior.act())
        ticks, flying = ticks + 1, flying + (behavior.strides.support is Support.FLIGHT)
        assert world.contacts.fallen(world.figure) is None, f"fell at {world.time:.2f} s"
    return world, behavior, flying / ticks


def travelled(world: World, begin: float) -> np.ndarray:
    """Velocity of the COM along the ground since a time, m/s."""
    motion = Motion.from_world(world)
    com = Measured(motion).series("com")[motion.time > begin]
    return (com[-1, :2] - com[0, :2]) / (motion.time[-1] - begin)


def test_it_walks_straight_at_about_the_commanded_speed_and_the_take_is_honest() -> None:
    world, behavior, flight = go(5.0, speed=1.1)
    ahead, aside = travelled(world, 2.0)
    assert ahead == pytest.approx(1.1, rel=0.15) and abs(aside) < 0.1
    assert flight == 0.0 and behavior.steps >= 7
    assert verify(Motion.from_world(world)).ok


def test_it_runs_with_flights() -> None:
    world, _, flight = go(5.0, speed=2.4)
    assert travelled(world, 3.0)[0] > 1.8 and flight > 0.03


def test_it_hops_and_lands_on_knees_that_can_give_way() -> None:
    world = World(make_character("human"), "flat", seed=7)
    behavior = make_behavior("locomote", world, {"speed": 0.0, "jump": 0.15})
    assert isinstance(behavior, Locomote)
    bends, highest, before = [], 0.0, behavior.steps
    while world.time < 4.0:
        world.step(behavior.act())
        assert world.contacts.fallen(world.figure) is None, f"fell at {world.time:.2f} s"
        highest = max(highest, world.figure.com[2])
        if behavior.steps > before:
            knee = behavior.limbs.folds[behavior.strides.stance]
            bends, before = [*bends, float(knee @ world.figure.angles)], behavior.steps
    assert len(bends) >= 4 and min(bends) > 0.1
    assert highest > world.figure.standing_height + 0.08 and np.hypot(*world.figure.com[:2]) < 1.0


def test_points_of_a_standing_sole_in_the_air_carry_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(make_character("human"), "flat")
    behavior = make_behavior("locomote", world, {"speed": 0.0})
    masks: list[list[int]] = []

    def states(*args: Any) -> list[PatchState]:
        every = patch_states(*args)
        every[0].table[:2, HEIGHT] = 0.02  # it rocks on its toes
        return every

    def points(soles: Sequence[PatchState], held: Sequence[np.ndarray], gains: SupportGains) -> SupportPoints:
        masks.append([int(mask.sum()) for mask in held])
        return support_points(soles, held, gains)

    monkeypatch.setattr(perception, "patch_states", states)
    monkeypatch.setattr(behavior_module, "support_points", points)
    behavior.act()
    assert sorted(masks[0]) == [2, 4]


def test_it_stands_still_when_told_to_and_steps_only_to_turn() -> None:
    world, behavior, _ = go(1.5, speed=0.0)
    assert behavior.steps == 0 and np.hypot(*travelled(world, 0.5)) < 0.05
    world, behavior, _ = go(4.0, speed=0.0, heading=90.0)
    assert behavior.steps >= 2 and np.degrees(world.figure.heading) == pytest.approx(90.0, abs=15.0)


@pytest.mark.parametrize("direction", [90.0, 180.0])
def test_it_goes_sideways_and_backwards_facing_ahead(direction: float) -> None:
    world, _, _ = go(4.0, speed=0.5, direction=direction)
    way = travelled(world, 1.5)
    wanted = np.array([np.cos(np.radians(direction)), np.sin(np.radians(direction))])
    assert way @ wanted > 0.3 and abs(way @ wanted[::-1]) < 0.15
    assert abs(np.degrees(world.figure.heading)) < 20.0


@pytest.mark.parametrize("angle", [0.0, 90.0, 225.0])
def test_a_push_of_40_newton_seconds_is_caught_by_steps(angle: float) -> None:
    force = tuple(400.0 * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0]))
    go(5.5, pushes=(Push(t=2.6, body="trunk", force=force, duration=0.1),), speed=1.1)


@pytest.mark.parametrize("terrain", ["slope:angle=10", "gaps:width=0.3", "rough:height=0.15"])
def test_it_goes_on_over_rough_ground(terrain: str) -> None:
    world, _, _ = go(6.0, terrain, speed=1.0)
    assert world.figure.com[0] > 2.5


def test_a_runner_leaps_a_gap_of_90_centimetres() -> None:
    world, behavior = started("gaps:width=0.9", speed=2.5, gait="run")
    for _ in range(round(4.0 * world.control_rate)):
        world.step(behavior.act())
        assert world.contacts.fallen(world.figure) is None
        if behavior.strides.support is Support.FLIGHT and behavior.plan is not None:  # what it left, not what is below
            assert behavior.plan.situation.feet[behavior.strides.stance].place[2] > -0.1
        if world.figure.com[0] > 2.8:
            return
    raise AssertionError("it did not get across")


@pytest.mark.parametrize(("length", "lift", "bow"), [(0.6, 0.3, 0.7), (0.6, 0.5, 1.0), (0.6, -0.3, 0.0),
                                                     (0.95, 0.3, 0.0)])
def test_a_bent_leg_that_lifts_the_body_bends_the_trunk(length: float, lift: float, bow: float) -> None:
    _, behavior = started()
    behavior.act()
    limbs, stance, place = behavior.limbs, behavior.strides.stance, behavior.figure.data.xpos
    limbs.leg_lengths[stance] = float(np.linalg.norm(place[limbs.thighs[stance]] - place[limbs.feet[stance]])) / length
    assert behavior.plan is not None
    moment = behavior.plan.at(0.0)
    behavior.plan.preview.places[3][0, 2] = moment.com[2] + lift
    assert behavior.bearing.bow(behavior.plan, moment, behavior.strides) == pytest.approx(bow)


@pytest.mark.parametrize("name", ["human", "ostrich", "dinosaur"])
def test_legs_that_rest_bent_bend_no_trunk(name: str) -> None:
    _, behavior = started(character=name)
    behavior.act()
    assert behavior.plan is not None
    moment = behavior.plan.at(0.0)
    behavior.plan.preview.places[3][0, 2] = moment.com[2] + 0.3
    assert behavior.bearing.bow(behavior.plan, moment, behavior.strides) == 0.0
    assert behavior.limbs.legs[0].forward == (name != "ostrich")


@pytest.mark.parametrize("name", ["child", "asymmetric"])
def test_other_bodies_walk_with_the_same_parameters(name: str) -> None:
    _, behavior, _ = go(4.0, character=name, speed=0.9)
    assert behavior.steps >= 5


def test_outlook_and_notes_show_the_plan() -> None:
    world, behavior, _ = go(1.5, speed=1.1)
    outlook, notes = behavior.outlook(), behavior.notes()
    assert outlook is not None and len(outlook.footholds) == 2
    assert outlook.com[0] == pytest.approx(world.figure.com, abs=0.03)
    assert (np.diff(outlook.com[:, 0]) > 0).all() and outlook.footholds[1, 0] > outlook.footholds[0, 0]
    assert notes["com x planned"] == pytest.approx(notes["com x"], abs=0.03)


def test_fewer_plans_still_walk() -> None:
    go(4.0, speed=1.1, replan=25, when="ticks")


def test_a_start_after_a_stop_keeps_both_feet_flat_while_the_weight_shifts() -> None:
    world, behavior, _ = go(2.0, speed=0.8)
    behavior.params.set("speed", 0.0)
    while world.time < 4.5:
        world.step(behavior.act())
    assert behavior.plan is not None and behavior.plan.gait is Gait.STAND
    behavior.params.set("speed", 0.8)
    while behavior.strides.support is Support.DOUBLE:
        world.step(behavior.act())
        if behavior.strides.support is Support.DOUBLE:
            assert behavior.strides.states(world.time, False) == [FootState.SUPPORT, FootState.SUPPORT]
        assert world.time < 6.0


def test_a_body_that_grows_keeps_its_step() -> None:
    world, behavior, _ = go(1.6, speed=1.0)
    for support in (Support.DOUBLE, Support.SINGLE):  # a foot has just left the ground
        while behavior.strides.support is not support:
            world.step(behavior.act())
    before = (behavior.strides.stance, behavior.steps)
    world.morph(make_character("human").scaled(limb={"head": 1.05}))
    world.step(behavior.act())
    assert behavior.strides.support is Support.SINGLE and (behavior.strides.stance, behavior.steps) == before


def test_a_sole_over_an_edge_is_held_beside_a_flat_one() -> None:
    world = World(make_character("human"), "step:height=-0.3")
    kinematics = Kinematics(world.figure)
    left, right = patch_states(kinematics.refresh(), world.surfaces)
    table = left.table.copy()
    table[2:, 12] = 0.3  # toes in the air
    hanging = PatchState(world.figure.soles[0], left.rotation, table, left.jacobian, table[:, 12] < 0.01)
    drawn = drawn_in(hanging, world.terrain, 0.04)
    assert drawn.near.all()
    assert support_points([drawn, right], [np.ones(4, dtype=bool)] * 2).count == 8


def test_toes_over_an_edge_and_a_risen_heel_leave_the_edge() -> None:
    world = World(make_character("human"), "step:height=-0.3")
    left, _ = patch_states(Kinematics(world.figure).refresh(), world.surfaces)
    table, edge = left.table.copy(), 1.5
    table[:, 0] += edge - table[:2, 0].mean() - 0.2  # toes beyond the edge
    table[:2, 2] += 0.12
    table[2:, 2] -= 0.03
    table[:, 12] = table[:, 2] - world.terrain.height(table[:, 0], table[:, 1])
    assert (table[:, 12] > 0.04).all()
    tipped = PatchState(world.figure.soles[0], left.rotation, table, left.jacobian, table[:, 12] < 0.01)
    drawn = drawn_in(tipped, world.terrain, 0.04)
    assert np.abs(drawn.position[2:, 0] - edge).max() < 0.02 and (drawn.height[2:] < 0.04).all()
    table[:, 2] += 1.0
    table[:, 12] += 1.0
    lifted = PatchState(world.figure.soles[0], left.rotation, table, left.jacobian, table[:, 12] < 0.01)
    assert drawn_in(lifted, world.terrain, 0.04) is lifted


def test_ankles_tell_how_far_a_shank_can_lean() -> None:
    world = World(make_character("human"))
    behavior = make_behavior("locomote", world)
    assert isinstance(behavior, Locomote)
    figure, limbs = world.figure, behavior.limbs
    flexion = figure.joint_names.index("left_ankle_flexion")
    assert np.flatnonzero(limbs.tips[0]).tolist() == [flexion]
    stop = figure.joint_limits[1 if limbs.tips[0][flexion] > 0 else 0][flexion]
    assert limbs.tipped(0) == pytest.approx(abs(stop - figure.angles[flexion]))


def test_presets_name_every_goal() -> None:
    goals = {"speed", "jump", "gait", "step_length", "step_duration"}
    assert all(set(values) == goals for values in Locomote.presets.values())
    assert step_targets.steps(0.0, "run").fly == 0.0
    jump = step_targets.steps(2.0, jump=0.3)
    assert jump.length / jump.whole == pytest.approx(2.0)
    assert step_targets.steps(1.2, length=0.6).whole == pytest.approx(0.5)
    assert step_targets.steps(1.2, duration=0.4).length == pytest.approx(0.48)


def test_it_says_what_is_missing() -> None:
    with pytest.raises(MissingRole, match="left and a right foot"):
        make_behavior("locomote", World(make_character("quadruped")))


@pytest.mark.parametrize("dodge", [0.6, 0.0])
def test_it_steps_aside_of_a_ball_if_it_is_to(dodge: float) -> None:
    world = World(make_character("human"), projectiles=1)
    behavior = make_behavior("locomote", world, {"speed": 0.0, "dodge": dodge})
    world.throw(Throw(t=0.5, distance=10.0, speed=8.0, mass=1.0))
    nearest = np.inf
    while world.time < 2.2:
        world.step(behavior.act())
        ball = world.data.body(world.projectiles[0].name).xpos
        nearest = min(nearest, float(np.hypot(*(ball - world.figure.com)[:2])))
    assert (nearest > 0.35) == (dodge > 0) and world.contacts.fallen(world.figure, behavior.uses) is None


def test_steps_are_trimmed_until_the_speed_is_right_and_never_run_away() -> None:
    trim, speed = step_targets.Trim(), 0.0
    for _ in range(30):  # a body that does four fifths of what it is told
        speed += 0.8 * (0.8 * 1.5 * trim.factor - speed)
        trim.stepped(1.5, speed)
    assert abs(speed - 1.5) < 0.02
    trim.stepped(1.5, 2.5)  # much too fast, and not steady: at once less
    assert trim.factor < 1.1
    trim.reset()
    assert trim.factor == 1.0
    for speed in (0.0, 0.4, 0.8):  # gaining speed teaches nothing
        trim.stepped(1.5, speed)
    assert trim.factor == 1.0


def test_plans_grow_with_the_body() -> None:
    _, behavior, _ = go(1.5, speed=1.0)
    planner = behavior.planner
    before = {gait: plan.copy() for gait, plan in planner.last.items()}
    stood = planner.stood.copy()
    planner.resized(0.5)
    assert all(np.allclose(planner.last[gait][25:], 0.5 * plan[25:]) for gait, plan in before.items())
    assert all(np.allclose(planner.last[gait][:25], plan[:25]) for gait, plan in before.items())
    assert np.allclose(planner.stood, 0.5 * stood)
