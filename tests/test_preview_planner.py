"""The planner against CMA, its slow reference; footholds; the pace of steps; from contact to contact."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gambol.planning import step_targets
from gambol.planning.contact_phase import Event, StrideGains, Strides
from gambol.planning.footholds import FootholdGains, along, grade, survey
from gambol.planning.preview import landings, planner, schedule
from gambol.planning.preview.cases import Case, cases
from gambol.planning.preview.gains import USUAL, PreviewGains
from gambol.planning.preview.optimizer import Judge, improve
from gambol.planning.preview.planner import Planner, _fit_shifts
from gambol.planning.preview.reference import cma_plan
from gambol.planning.preview.rollout import roll_out
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Goals, Support
from gambol.planning.step_targets import NATURAL
from gambol.world.terrains import make_terrain

CASES = cases()
AS_GOOD = 1.05
SETTLING = 4


def judge_of(case: Case) -> Judge:
    return Judge(case.situation, case.goals, USUAL)


def settled_cost(case: Case) -> float:
    """Cost of the plan of the case's gait after some plans from the same moment, by one that is free to change it."""
    planner = Planner(PreviewGains.from_dict({"search.steady": 1.0}))
    for _ in range(1 + SETTLING):
        planner.plan(case.situation, case.goals, USUAL.search.event_steps)
    return float(judge_of(case).costs(planner.last[case.gait][None], case.gait)[0])


# -- against CMA: all moments are in benchmarks/planner.py -------------------------------------------------------------


@pytest.mark.parametrize("name", ["mid-swing", "pushed outward", "run", "stairs"])
def test_plans_are_as_good_as_the_reference(name: str) -> None:
    case = CASES[name]
    assert settled_cost(case) <= AS_GOOD * cma_plan(judge_of(case), case.gait, seed=1).cost


def test_the_reference_keeps_to_bounds_counts_its_evaluations_and_repeats_itself() -> None:
    case = CASES["mid-swing"]
    low, high = schedule.bounds(case.gait, case.situation, case.goals)
    judge, state = judge_of(case), np.random.get_state()[1].copy()  # noqa: NPY002
    first, again = (cma_plan(judge, case.gait, seed=3, evaluations=300) for _ in range(2))
    assert (low - 1e-12 <= first.unknowns).all() and (first.unknowns <= high + 1e-12).all()
    assert first.cost == again.cost == pytest.approx(judge.costs(first.unknowns[None], case.gait)[0])
    assert 600 <= judge.evaluations <= 640
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002  (others' dice are left alone)


def test_improving_never_makes_it_worse_and_keeps_to_bounds() -> None:
    rng = np.random.default_rng(5)
    for name in ("first step", "stairs", "flight"):
        case = CASES[name]
        low, high = schedule.bounds(case.gait, case.situation, case.goals)
        starts = rng.uniform(low, high, (4, len(low)))
        before = judge_of(case).costs(starts, case.gait)
        for cost, found in zip(before, improve(judge_of(case), [(case.gait, u) for u in starts], 3), strict=True):
            assert found.cost <= cost and (low - 1e-9 <= found.unknowns).all() and (found.unknowns <= high + 1e-9).all()


@pytest.mark.parametrize("name", CASES)
def test_no_first_guess_is_the_end(name: str) -> None:
    case = CASES[name]
    judge, guess = judge_of(case), schedule.cold(case.gait, case.situation, case.goals)
    found = improve(judge, [(case.gait, guess)], 8)[0]
    assert found.cost < 0.7 * judge.costs(guess[None], case.gait)[0]


def test_a_body_at_rest_stands_and_one_that_should_walk_steps() -> None:
    case = CASES["first step"]
    stood, stepped = (Planner().plan(case.situation, goals) for goals in (Goals(0.0, timed=False), case.goals))
    assert stood.gait is Gait.STAND and len(stood.footholds) == 0
    assert stepped.gait is Gait.WALK and stepped.footholds.shape == (2, 3)
    np.testing.assert_allclose(stood.at(0.7).com[:2], [0.0, 0.0], atol=0.06)
    assert Planner().plan(CASES["run"].situation, CASES["run"].goals).flies


def test_a_push_moves_the_foothold_with_it() -> None:
    usual, inward, outward = (Planner().plan(CASES[name].situation, CASES[name].goals).foothold
                              for name in ("mid-swing", "pushed inward", "pushed outward"))
    assert inward[1] < usual[1] - 0.03 < outward[1] - 0.03  # the right foot swings: a push to the right widens its step


def test_plans_keep_off_edges() -> None:
    case = CASES["stairs"]
    planner = Planner()
    for _ in range(3):
        plan = planner.plan(case.situation, case.goals, USUAL.search.event_steps)
    unfit = case.situation.ground.unfit
    assert unfit is not None and unfit(*plan.footholds[:, :2].T).max() < 0.03


@pytest.mark.parametrize(("name", "rough", "support", "steps", "waits"), [
    ("first step", True, Support.DOUBLE, USUAL.search.cold_steps, True),
    ("first step", True, Support.SINGLE, USUAL.search.cold_steps, False),
    ("first step", False, Support.DOUBLE, USUAL.search.event_steps, False),
    ("run", True, Support.SINGLE, USUAL.search.event_steps, False)])
def test_a_walker_on_rough_ground_looks_harder_and_thinks_of_pushing_longer_with_both_feet(
        name: str, rough: bool, support: Support, steps: int, waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, list[float]]] = []

    def watched(judge: Judge, starts: Any, steps: int, least: float) -> Any:
        asked.append((steps, [float(plan[0]) for _, plan in starts]))
        return improve(judge, starts, steps, least)

    monkeypatch.setattr(planner, "improve", watched)
    case, walker, ground = CASES[name], Planner(), CASES["stairs" if rough else "first step"].situation.ground
    for _ in range(2):
        walker.plan(case.situation.with_(support=support, ground=ground), case.goals, USUAL.search.event_steps)
    assert asked[-1][0] == steps and (USUAL.search.waits in asked[-1][1]) == waits


# -- footholds ---------------------------------------------------------------------------------------------------------


def unfit_at(spec: str, x: list[float], center: float = 1.5, level: float = 0.0) -> np.ndarray:
    seen = survey(make_terrain(spec).height, np.array([center, 0.0]), level, 0.25)
    assert seen is not None
    return seen.unfit(np.array(x), np.zeros(len(x)))


def test_level_ground_is_fit_everywhere() -> None:
    assert survey(make_terrain("flat").height, np.zeros(2), 0.0, 0.25) is None
    assert survey(make_terrain("slope:angle=8").height, np.array([6.0, 0.0]), 0.63, 0.25) is None


def test_edges_of_stairs_are_unfit_and_their_middles_fit() -> None:
    edges, middles = (unfit_at("stairs:rise=0.15,run=0.6", [1.5 + 0.6 * k + shift for k in range(2)])
                      for shift in (0.0, 0.3))
    assert (edges > 0.1).all() and (middles == 0.0).all()


def test_a_sole_may_hang_over_an_edge_but_not_stand_against_a_riser() -> None:
    stairs = "stairs:rise=0.15,run=0.6"  # edges at 1.5, 2.1
    over_edge, at_riser = unfit_at(stairs, [1.5 + 0.14, 2.1 - 0.14])
    assert over_edge == 0.0 < at_riser


def test_shins_keep_off_edges_the_farther_the_higher_they_are() -> None:
    x = np.arange(0.8, 1.5, 0.01)
    last = [x[unfit_at(f"step:height={height}", x.tolist()) == 0.0].max() for height in (0.15, 0.25, 0.35, 0.5)]
    assert (np.diff(last) < -0.02).all() and last[0] - last[-1] > 0.15


def test_plans_start_from_the_next_ground_beyond_a_gap_and_from_all_stairs_that_are_near() -> None:
    along, gap, stairs = np.array([1.0, 0.0]), "gaps:width=0.9,platform=3", "stairs:rise=0.15"
    for spec, place, beyond, most in ((gap, 1.3, 1.0, 1.5), (stairs, 1.65, 0.0, 0.6)):
        seen = survey(make_terrain(spec).height, np.array([place, 0.0]), 0.0, 0.25)
        assert seen is not None
        shifts = _fit_shifts(seen.unfit, np.array([place, 0.0]), along, 5)
        assert shifts == sorted(shifts, key=abs) and beyond < max(shifts) < most
        ahead = [shift for shift in shifts if shift > 0.03]
        assert len(ahead) == (1 if beyond else 2)


@pytest.mark.parametrize(("height", "com", "owes"), [(0.5, 1.0, True), (0.5, 1.45, False), (0.0, 0.7, False)])
def test_a_body_left_far_below_a_high_foothold_owes_the_rest(height: float, com: float, owes: bool) -> None:
    situation, standing_ = CASES["mid-swing"].situation, np.array([False])
    u = schedule.cold(Gait.WALK, situation, CASES["mid-swing"].goals)[None]
    preview = roll_out(u, situation, standing_)
    preview.following[:, 2], preview.places[6][:, 2] = height, com
    assert (landings.footing(preview, situation, standing_, USUAL)[0, -1] > 0.0) == owes


def test_steepness_counts_until_it_is_behind() -> None:
    heights = make_terrain("stairs:rise=0.15,count=4,landing=6").height  # up from 1.5 to 2.4
    near, past = (max(grade(along(heights, np.array([x, 0.0]), 0.0))) for x in (2.6, 3.3))
    assert near > 0.4 > past == 0.0


def test_gaps_are_unfit_and_farther_in_is_worse() -> None:
    before, edge, middle, beyond = unfit_at("gaps:width=0.5,platform=3", [1.0, 1.5, 1.75, 2.3])
    assert before == beyond == 0.0 and 0.0 < edge < middle and middle > 0.25


def test_wide_lower_ground_is_fit_unless_it_is_too_deep() -> None:
    assert unfit_at("step:height=-0.5", [2.5])[0] == 0.0 < unfit_at("step:height=-0.5", [1.55])[0]
    assert unfit_at("step:height=0.5", [2.5])[0] == 0.0
    assert unfit_at("step:height=0.9", [2.5])[0] > 0.5  # too high
    assert unfit_at("gaps:width=2,platform=3,depth=2", [2.5])[0] > 0.5  # too deep, however wide


@pytest.mark.parametrize(("width", "fit"), [(0.6, False), (2.0, True)])
def test_a_ditch_is_stepped_into_only_if_it_is_wide(width: float, fit: bool) -> None:
    def ditch(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(np.abs(x - 1.0) < 0.5 * width, -0.5, 0.0) + 0.0 * y

    seen = survey(ditch, np.array([1.0, 0.0]), 0.0, 0.25)
    assert seen is not None and (seen.unfit(np.array([1.0]), np.zeros(1))[0] == 0.0) == fit


def test_unfitness_changes_steadily_and_has_a_margin() -> None:
    x = np.linspace(0.8, 2.6, 400)
    unfit = unfit_at("gaps:width=0.5,platform=3", x.tolist())
    assert np.abs(np.diff(unfit)).max() < 3.0 * (x[1] - x[0])
    fit = x[unfit == 0.0]
    edge = fit[fit < 1.75].max()
    margin = FootholdGains().margin
    assert unfit_at("gaps:width=0.5,platform=3", [edge + margin])[0] > 0.5 * margin and edge < 1.5 - margin


def test_steepness_ahead() -> None:
    assert grade(along(make_terrain("flat").height, np.zeros(2), 0.0)) == (0.0, 0.0)
    slope = make_terrain("slope:angle=10").height
    assert grade(along(slope, np.array([5.0, 0.0]), 0.0)) == pytest.approx((np.tan(np.radians(10)), 0.0), rel=0.01)
    assert grade(along(slope, np.array([5.0, 0.0]), np.pi)) == pytest.approx((0.0, np.tan(np.radians(10))), rel=0.01)
    assert grade(along(make_terrain("gaps:width=0.5").height, np.array([1.0, 0.0]), 0.0)) == (0.0, 0.0)  # bridged
    assert grade(along(make_terrain("stairs:rise=0.25,run=0.3").height, np.array([1.0, 0.0]), 0.0))[0] > 0.5


# -- pace --------------------------------------------------------------------------------------------------------------


def test_faster_is_longer_steps_in_less_time() -> None:
    walks = [step_targets.steps(speed, "walk") for speed in np.linspace(0.1, 3.0, 30)]
    assert (np.diff([step.length for step in walks]) > 0).all()
    assert (np.diff([step.duration for step in walks]) <= 0).all()
    assert all(NATURAL.brisk <= step.duration <= NATURAL.slow and step.fly == 0 for step in walks)
    assert step_targets.steps(0.0).length == 0.0
    for speed in (0.5, 1.2, 1.8, 2.5, 3.5):
        step = step_targets.steps(speed)
        assert step.length == pytest.approx(speed * step.whole)
        assert (step.fly > 0) == (speed > NATURAL.walks_to)
    assert step_targets.steps(1.0, "run").fly > 0 and step_targets.steps(3.0, "walk").fly == 0


def test_walkers_are_trimmed_by_quicker_steps_unless_their_time_was_asked_for() -> None:
    walk, run = step_targets.steps(1.2), step_targets.steps(2.5)
    assert walk.trimmed(1.2).duration < walk.duration and walk.trimmed(1.2, True).duration == walk.duration
    assert walk.trimmed(1.2, True).length == pytest.approx(1.2 * walk.length)
    assert run.trimmed(1.2).duration == run.duration < run.trimmed(1.2).whole
    assert step_targets.steps(1.8).trimmed(9.0).duration == NATURAL.quickest


def test_jumps_are_as_high_as_asked_and_as_long_as_the_speed_makes_them() -> None:
    low, high = step_targets.steps(0.5, jump=0.1), step_targets.steps(0.5, jump=0.3)
    assert (low.apex, high.apex) == (0.1, 0.3) and high.length > low.length and low.fly > 0
    assert step_targets.steps(0.0, jump=0.2).length == 0.0


def test_speed_is_gained_and_lost_over_several_steps() -> None:
    assert step_targets.toward(3.0, 0.0) == pytest.approx(NATURAL.gain) and step_targets.toward(3.0, 2.9) == 3.0
    assert step_targets.toward(0.0, 2.0) == pytest.approx(2.0 - NATURAL.loss)
    assert step_targets.toward(0.0, 0.3) == 0.0
    speeds = [step_targets.toward(3.0, now) for now in np.linspace(-1.0, 3.5, 40)]
    assert (np.diff(speeds) >= 0).all()


# -- from contact to contact -------------------------------------------------------------------------------------------


STRIDES = StrideGains()
COM = np.array([0.3, 0.0, 1.0])


def plan(**changes: Any) -> Any:
    return SimpleNamespace(**{"gait": Gait.WALK, "lifts": 0.1, "leaves": 0.4, "lands": 0.4, "flies": False,
                              "foothold": np.array([0.5, -0.1, 0.0]), **changes})


def sole(height: float, rising: float = 0.0, x: float = 0.5) -> Any:
    return SimpleNamespace(height=np.array([height + 0.05, height + 0.05, height, height]),
                           velocity=np.tile([0.0, 0.0, rising], (4, 1)), center=np.array([x, -0.1, 0.0]))


def swinging(since: float) -> Strides:
    """On the left foot, the right one in the air since a time before 1 s."""
    strides = Strides(0.0, COM, 1.0)
    strides.support, strides.lifted = Support.SINGLE, [0.0, 1.0 - since]
    return strides


STOOD = sole(0.0)


def test_a_foot_lifts_when_the_plan_says_so() -> None:
    strides = Strides(0.0, COM, 1.0)
    assert strides.event(1.0, 0.09, plan(), [STOOD, STOOD], COM) is None
    assert strides.event(1.0, 0.3, plan(gait=Gait.STAND), [STOOD, STOOD], COM) is None
    assert strides.event(1.0, 0.1, plan(), [STOOD, STOOD], COM) is Event.LIFTED
    assert strides.support is Support.SINGLE and strides.swung(1.2) == pytest.approx(0.2)


def test_a_foot_that_touches_in_time_has_landed_and_carries() -> None:
    strides = swinging(since=0.35)
    assert strides.event(1.0, 0.35, plan(), [STOOD, sole(0.5 * STRIDES.touching)], COM) is Event.LANDED
    assert (strides.support, strides.stance, strides.steps, strides.exchanged) == (Support.DOUBLE, 1, 1, 1.0)
    np.testing.assert_allclose(strides.origin, COM[:2])


@pytest.mark.parametrize(("since", "foot", "why"), [
    (0.1, sole(0.0), "a toe that brushes the ground early in the swing"),
    (0.35, sole(0.0, rising=2 * STRIDES.rising), "it goes up"),
    (0.35, sole(2 * STRIDES.touching), "it is in the air"),
    (0.3, sole(0.0, x=0.5 - 2 * STRIDES.close), "it is far from its foothold, and not yet due")])
def test_what_is_no_landing(since: float, foot: Any, why: str) -> None:
    strides = swinging(since)
    assert strides.event(1.0, since, plan(), [STOOD, foot], COM) is None, why
    assert strides.support is Support.SINGLE and strides.steps == 0


def test_a_late_foot_lands_anywhere() -> None:
    assert swinging(0.45).event(1.0, 0.45, plan(), [STOOD, sole(0.0, x=0.1)], COM) is Event.LANDED


def test_a_walker_does_not_take_off() -> None:
    strides = swinging(0.3)
    assert strides.event(1.0, 0.45, plan(leaves=0.4, lands=0.6), [STOOD, sole(0.1)], COM) is None


def test_a_runner_takes_off_and_lands_on_one_foot() -> None:
    strides, run = swinging(0.3), plan(gait=Gait.RUN, flies=True, leaves=0.2, lands=0.4)
    assert strides.event(1.0, 0.1, run, [STOOD, sole(0.1)], COM) is None
    assert strides.event(1.0, 0.2, run, [STOOD, sole(0.1)], COM) is Event.TOOK_OFF
    assert strides.support is Support.FLIGHT and strides.lifted[0] == 1.0
    assert strides.event(1.2, 0.4, run, [sole(0.2), STOOD], COM) is Event.LANDED
    assert strides.support is Support.SINGLE and strides.stance == 1
