"""Steep stairs: landing on the toes, ankles at their stops, feet over edges, knees that fold."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.behaviors.limbs import LimbGains
from gambol.behaviors.locomote.behavior import Drive, Locomote
from gambol.behaviors.locomote.posture import PostureGains
from gambol.bodies import make_character
from gambol.control.contact.patches import PatchState, patch_states
from gambol.planning.footholds import FootholdGains, along, grade, survey
from gambol.planning.preview import legs
from gambol.planning.preview.cases import adult, cases
from gambol.planning.preview.gains import USUAL
from gambol.planning.preview.heels import tiptoe, toe_off
from gambol.planning.preview.optimizer import Judge
from gambol.planning.preview.schedule import Gait, cold
from gambol.planning.preview.situation import Ground, Leg, Support
from gambol.planning.step_targets import NATURAL, careful
from gambol.world.terrains import make_terrain
from gambol.world.world import World

RISE = 0.25


def started(terrain: str) -> tuple[World, Locomote]:
    world = World(make_character("human"), terrain, seed=7)
    behavior = make_behavior("locomote", world, {"speed": 1.2, "gait": "walk"})
    assert isinstance(behavior, Locomote)
    return world, behavior


def test_it_walks_down_steep_stairs_and_lands_on_its_toes() -> None:
    world, behavior = started(f"stairs:count=3,rise={-RISE}")
    steps, raised = 0, []
    while world.figure.com[0] < 2.4:
        world.step(behavior.act())
        assert world.contacts.fallen(world.figure) is None, f"fell at {world.time:.2f} s"
        assert world.time < 12.0, "it does not get on"
        if behavior.steps > steps:
            steps = behavior.steps
            sole = behavior.senses.soles()[behavior.strides.stance]
            if sole.position[2:, 2].mean() < -0.5 * RISE:
                raised.append(float(sole.position[:2, 2].mean() - sole.position[2:, 2].mean()))
    assert len(raised) >= 2 and max(raised) > 0.04


def test_feet_land_on_their_toes_only_where_it_goes_down_far() -> None:
    assert tiptoe(0.05) == 0.0 and tiptoe(-RISE) == 0.0
    assert 0.0 < tiptoe(0.15) < tiptoe(RISE) <= USUAL.rising.tiptoe_most == tiptoe(1.0)


def test_on_steep_ground_a_foot_behind_pushes_with_its_toes() -> None:
    assert toe_off(0.0) == toe_off(0.5) == 0.0  # stairs of 0.15 m
    assert 0.0 < toe_off(0.7) < toe_off(2.0 * RISE / FootholdGains().stride) == toe_off(2.0) == USUAL.rising.toe_off
    case = cases()["first step"]
    ahead, behind = case.situation.feet[case.situation.stance], case.situation.feet[case.situation.other]
    ahead = replace(ahead, place=ahead.place + [0.3, 0.0, 0.0])
    feet = (ahead, behind) if case.situation.stance == 0 else (behind, ahead)
    costs = []
    for steep in (0.0, 1.0):  # the body is so far ahead that the leg behind is stretched
        situation = case.situation.with_(feet=feet, com=case.situation.com + [0.35, 0.0, 0.05],
                                         ground=Ground(steep=steep))
        plan = cold(Gait.WALK, situation, case.goals)[None]
        costs.append(float(Judge(situation, case.goals, USUAL).costs(plan, Gait.WALK)[0]))
    assert costs[0] > costs[1] + 0.1


@pytest.mark.parametrize(("spec", "grades"), [("stairs:count=4,rise=0.25", (0.25 / 0.3, 0.0)),
                                              ("step:height=0.5", (0.5 / 0.6, 0.0)),
                                              ("stairs:count=4,rise=-0.15", (0.0, 0.5))])
def test_the_ground_is_as_steep_as_its_steepest_strides(spec: str, grades: tuple[float, float]) -> None:
    assert grade(along(make_terrain(spec).height, np.array([1.0, 0.0]), 0.0)) == pytest.approx(grades, abs=0.01)


def test_steep_ground_is_walked_slowly() -> None:
    assert careful(0.1) == 1.0 > careful(0.3) > careful(0.5) > careful(3.0) == NATURAL.slowest


def too_lean(ahead: float, up: float, toes: float, leg: Leg) -> float:
    place = np.full((1, 1, 1), ahead), np.full((1, 1, 1), up)
    return float(legs.too_lean(*place, np.hypot(*place), np.full((1, 1, 1), toes), (leg,))[0, 0, 0])


def test_a_shank_leans_no_further_than_its_ankle_bends_unless_the_heel_rises() -> None:
    leg = replace(adult()[0], lean=np.radians(40.0))
    straight = leg.longest
    assert too_lean(0.0, 0.95 * straight, 0.0, leg) == 0.0  # standing
    low = too_lean(0.1, 0.7 * straight, 0.0, leg)
    bent = np.arctan2(0.1, 0.7 * straight) + np.arccos(np.hypot(0.1, 0.7 * straight) / straight)
    assert low == pytest.approx(bent - leg.lean) and low > 0.1
    assert too_lean(0.2, 0.7 * straight, 0.0, leg) > low  # farther ahead
    assert too_lean(0.1, 0.7 * straight, 1.0, leg) == 0.0  # on its toes
    assert too_lean(0.1, 0.7 * straight, 0.0, replace(leg, lean=np.inf)) == 0.0


def test_legs_know_how_far_their_shanks_lean() -> None:
    leans = {}
    for name in ("human", "ostrich"):
        behavior = make_behavior("locomote", World(make_character(name)))
        assert isinstance(behavior, Locomote)
        leans[name] = behavior.limbs.legs[0].lean
    assert leans["human"] == pytest.approx(np.radians(40.0) - LimbGains().ankle_spare, abs=0.02)  # the ankle's stop
    assert leans["ostrich"] == np.inf  # its knee bends back


def test_heels_may_hang_over_an_edge_sooner_than_toes() -> None:
    edge, sole = 1.5, 0.25
    seen = [survey(make_terrain(f"step:height={height}").height, np.array([edge, 0.0]), 0.0, sole)
            for height in (-0.3, 0.3)]
    assert seen[0] is not None and seen[1] is not None
    along = np.linspace(-0.3, 0.3, 61)
    upper = [along[each.unfit(edge + along, 0.0 * along) == 0.0] for each in (seen[0], seen[1])]
    toes, heels = -upper[0][upper[0] < 0.1].max(), upper[1][upper[1] > -0.1].min()  # from the edge to the middle
    assert heels < toes - 0.03


@pytest.mark.parametrize(("support", "drawn"), [(Support.DOUBLE, {0, 1}), (Support.SINGLE, {0}),
                                                (Support.FLIGHT, set())])
def test_every_foot_that_stands_is_drawn_in(support: Support, drawn: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    world, behavior = started("flat")
    soles = patch_states(behavior.kinematics.refresh(), world.surfaces)
    behavior.strides.support, behavior.strides.stance = support, 0
    asked: list[PatchState] = []
    monkeypatch.setattr(behavior.senses, "_drawn_in", lambda sole: asked.append(sole) or sole)
    behavior.senses.carrying(soles)
    assert {soles.index(sole) for sole in asked} == drawn


def test_a_knee_folds_farther_for_a_foot_that_must_go_up() -> None:
    _, behavior = started("flat")
    behavior.act()
    level, up, far = (behavior.swing._fold(behavior.kinematics, 0, 0.0, rise)[0].target for rise in (0.0, 0.25, 9.0))
    assert (np.abs(up) > np.abs(level) + 100.0).all()
    assert (np.abs(far) < 1.5 * np.abs(up)).all()


def test_a_leg_is_longer_while_its_heel_is_up() -> None:
    _, behavior = started("flat")
    behavior.act()
    strides, limbs = behavior.strides, behavior.limbs
    foot, place = strides.stance, np.zeros(3)
    raised, plan = behavior.senses._raised, behavior.plan
    assert raised(foot, place, plan) < 0.01
    assert raised(foot, place - [0.0, 0.0, 0.05], plan) == pytest.approx(0.05 / limbs.size, abs=0.01)
    assert raised(strides.other, place - [0.0, 0.0, 0.05], plan) == 0.0
    strides.on_toes = True  # what rises at the end of a stance is counted elsewhere
    assert raised(foot, place - [0.0, 0.0, 0.05], plan) == 0.0


def test_plans_hear_of_a_raised_heel(monkeypatch: pytest.MonkeyPatch) -> None:
    _, behavior = started("flat")
    behavior.act()
    stance, soles = behavior.strides.stance, behavior.senses.soles()
    monkeypatch.setattr(behavior.senses, "_raised", lambda foot, place, plan: 0.05 * (foot == stance))
    seen = behavior.senses.situation(soles, behavior.plan, 0.0, 0.0, 0.0).legs
    for foot, leg in enumerate(seen):
        assert leg.longest == pytest.approx(behavior.limbs.legs[foot].longest + 0.05 * (foot == stance))


@pytest.mark.parametrize(("down", "toes"), [(RISE, True), (0.0, False), (-RISE, False)])
def test_a_swinging_foot_points_down_on_its_way_down(down: float, toes: bool) -> None:
    _, behavior = started("flat")
    behavior.act()
    plan = behavior.plan
    assert plan is not None
    ground = plan.situation.feet[plan.situation.stance].place[2]
    plan.__dict__["foothold"] = np.array([0.3, 0.0, ground - down])
    assert (behavior._toes(plan) > 0.05) == toes
    assert plan.climbs == (down < 0.0)


@pytest.mark.parametrize(("pressure", "rising", "up"), [(-0.15, 0.3, False), (-0.15, -0.3, True), (-0.05, 0.3, True)])
def test_a_heel_that_carries_stays_down_while_the_body_rises(pressure: float, rising: float, up: bool,
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    _, behavior = started("flat")
    behavior.act()
    behavior.strides.support = Support.SINGLE
    monkeypatch.setattr(behavior.limbs, "tipped", lambda foot: 0.0)  # the ankle is at its stop
    body, facing = np.array([0.0, 0.0, 1.0]), behavior.limbs.facing(behavior.strides.stance)
    monkeypatch.setattr(behavior, "kinematics", SimpleNamespace(com=body, com_velocity=np.array([0.3, 0.0, rising])))
    standing = SimpleNamespace(position=np.array([[-0.2, 0.0, 0.0]] * 2 + [[0.01, 0.0, 0.0]] * 2), toe=slice(2, 4))
    wanted = np.array([0.01, 0.0]) + pressure * np.array([np.cos(facing), np.sin(facing)])
    drive = Drive(wanted, up=0.0, rate=3.0)
    assert behavior._heel_rises([standing, standing], drive, SimpleNamespace(phase=0)) == up


@pytest.mark.parametrize(("gait", "low", "calm"), [(Gait.WALK, False, "striding"), (Gait.WALK, True, "calm"),
                                                   (Gait.RUN, False, "calm"), (Gait.STAND, False, "calm")])
def test_a_walkers_legs_may_swing_and_a_hard_landing_is_calmed(gait: Gait, low: bool, calm: str) -> None:
    _, behavior = started("flat")
    behavior.act()
    plan = behavior.plan
    assert plan is not None
    plan.gait = gait
    soles, now = behavior.senses.soles(), plan.at(0.0)
    held = behavior.bearing.held(behavior.kinematics, soles, plan, now, behavior.strides, low)
    weights = next(each.weight for each in held if each.name == "angular momentum")
    gains = PostureGains()
    counts = getattr(gains, calm)
    assert np.array_equal(weights, [counts, counts, gains.spin]) and gains.striding < gains.calm
