"""The preview's models and plans: closed forms against slow references, and plans that hold together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial import ConvexHull

from gambol.planning.footing import FootSize
from gambol.planning.preview import pendulum, schedule
from gambol.planning.preview.cases import Case, cases, standing, swinging
from gambol.planning.preview.gains import USUAL
from gambol.planning.preview.optimizer import Candidate
from gambol.planning.preview.pendulum import SPRING, Stance, course
from gambol.planning.preview.plan import Plan
from gambol.planning.preview.rollout import roll_out
from gambol.planning.preview.schedule import KNOTS, SPRINGS, TIMES, Gait
from gambol.planning.preview.situation import Footplant, Goals, Situation, Support
from gambol.units import GRAVITY

CASES = cases()
ROLLED = ("first step", "mid-swing", "turn", "run", "flight", "stairs")
LENGTHS = np.array([0.2, 0.4, 0.6, 0.8, 1.0])


def drawn(case: Case, count: int, seed: int = 0) -> np.ndarray:
    """Random plans of a case within the bounds of its gait, (count, 29); legs push, so that nothing falls."""
    low, high = schedule.bounds(case.gait, case.situation, case.goals)
    plans = np.random.default_rng(seed).uniform(low, high, (count, len(low)))
    plans[:, SPRINGS] = 1.75 + 0.2 * np.random.default_rng(seed + 1).uniform(-1, 1, (count, 5))
    return plans


def plan_of(case: Case, unknowns: np.ndarray) -> Plan:
    return Plan(Candidate(case.gait, unknowns, 0.0), case.situation)


def stance(place: np.ndarray, velocity: np.ndarray, duration: np.ndarray, pressures: np.ndarray, springs: np.ndarray,
           literal: bool) -> tuple[Stance, np.ndarray]:
    """One stance phase on level ground, and place and velocity (b, 6) at its end."""
    phases, places, velocities = course(place, velocity, duration[None], [0], np.zeros((1, len(duration))), pressures,
                                        springs, literal)
    return phases[0], np.concatenate([places[1], velocities[1]], axis=1)


def random_phase(rng: np.random.Generator, literal: bool) -> tuple[Stance, np.ndarray, np.ndarray]:
    """... and the state (6,) at its start and its end."""
    place, velocity = rng.uniform([-0.2, -0.2, 0.8], [0.2, 0.2, 1.1], (1, 3)), rng.uniform(-1.0, 1.0, (1, 3))
    pressures, springs = rng.uniform(-0.1, 0.1, (2, 2, 1)), rng.uniform(1.6, 2.0, (2, 1))
    phase, end = stance(place, velocity, rng.uniform(0.1, 0.8, 1), pressures, springs, literal)
    return phase, np.concatenate([place[0], velocity[0]]), end[0]


# -- models ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("literal", [False, True])
def test_closed_forms_are_what_integration_gives(literal: bool) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        phase, start, end = random_phase(rng, literal)
        duration = float(phase.duration[0])

        def pull(t: float, y: np.ndarray, phase: Stance = phase) -> np.ndarray:
            pressure, rest = phase.pressure[:, 0] + phase.drift[:, 0] * t, phase.spring[0] + phase.stretch[0] * t
            return np.concatenate([y[3:], phase.rate[0]**2 * (y[:2] - pressure), [SPRING * (rest - y[2]) - GRAVITY]])

        found = solve_ivp(pull, (0.0, duration), start, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        np.testing.assert_allclose(end, found, atol=1e-8)
        place, acceleration = (part[:, 0, 0] for part in phase.at(phase.duration[:, None]))
        np.testing.assert_allclose(place, found[:3], atol=1e-8)
        np.testing.assert_allclose(acceleration, pull(duration, found)[3:], atol=1e-7)


def test_the_rate_is_gravity_over_height_in_the_text_and_the_mean_push_over_height_in_ours() -> None:
    place, still, zero = np.array([[0.0, 0.0, 0.95]]), np.zeros((1, 3)), np.zeros((2, 2, 1))
    strong = np.full((2, 1), 0.95 + 2.0 * GRAVITY / SPRING)  # the spring carries twice the weight at first
    phases = [stance(place, still, np.array([0.05]), zero, strong, literal)[0]
              for literal in (True, False)]
    assert phases[0].rate[0] == pytest.approx(np.sqrt(GRAVITY / 0.95))
    assert phases[1].rate[0] == pytest.approx(np.sqrt(2.0 * GRAVITY / 0.95), rel=0.01)


@pytest.mark.parametrize(("state", "roll", "table"), [
    ((0.05, 0.0), 0.0, (0.005, 0.3, 3.8, 23.0, 92.0)),        # standing, 5 cm off
    ((-0.25, 1.2), 0.1, (0.02, 1.3, 12.5, 58.0, 176.0))])     # walking; its state is not known, this one fits
def test_the_quintic_errs_as_in_the_reference_program(state: tuple[float, float], roll: float,
                                                      table: tuple[float, ...]) -> None:
    count = len(LENGTHS)
    place, velocity = np.tile([state[0], 0.0, 0.95], (count, 1)), np.tile([state[1], 0.0, 0.0], (count, 1))
    pressures = np.zeros((2, 2, count))
    pressures[1, 0] = roll
    phase, _ = stance(place, velocity, LENGTHS, pressures, np.full((2, count), 1.75), literal=True)
    error = 1e3 * np.abs(pendulum.quintic(phase, LENGTHS[:, None]) - phase.at(LENGTHS[:, None])[0])[0, :, 0]
    np.testing.assert_allclose(error, table, rtol=0.2)


def test_the_quintic_errs_upward_as_in_the_reference_program() -> None:
    count = len(LENGTHS)
    place, velocity = np.tile([0.0, 0.0, 0.95], (count, 1)), np.tile([0.0, 0.0, -0.1827], (count, 1))
    first = np.full(count, 0.95 - 0.0876 + GRAVITY / SPRING)  # its state is not known either
    phase, _ = stance(place, velocity, LENGTHS, np.zeros((2, 2, count)), np.array([first, first + 0.4509]),
                      literal=True)
    error = 1e3 * np.abs(pendulum.quintic(phase, LENGTHS[:, None]) - phase.at(LENGTHS[:, None])[0])[2, :, 0]
    np.testing.assert_allclose(error, (0.003, 0.12, 0.67, 0.2, 15.0), rtol=0.2)


def test_flight_falls() -> None:
    place, velocity = pendulum.flight(np.array([[0.0, 0.0, 1.0]]), np.array([[2.0, -1.0, 3.0]]), np.array([0.4]))
    np.testing.assert_allclose(place[0], [0.8, -0.4, 1.0 + 1.2 - 0.5 * GRAVITY * 0.16])
    np.testing.assert_allclose(velocity[0], [2.0, -1.0, 3.0 - 0.4 * GRAVITY])


# -- plans -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROLLED)
def test_a_plan_does_not_jump_from_phase_to_phase(name: str) -> None:
    case = CASES[name]
    for unknowns in drawn(case, 10):
        plan = plan_of(case, unknowns)
        for time in plan.starts[1:-1]:
            if not 0.0 < time < plan.seconds - 1e-6:
                continue
            before, after = plan.at(time - 1e-9), plan.at(time + 1e-9)
            for now, then in ((before.com, after.com), (before.velocity, after.velocity),
                              (before.yaw, after.yaw), (before.turning, after.turning)):
                np.testing.assert_allclose(now, then, atol=1e-5)
            if before.pressure is not None and after.pressure is not None:
                np.testing.assert_allclose(before.pressure, after.pressure, atol=1e-5)


@pytest.mark.parametrize("name", ROLLED)
def test_velocities_and_accelerations_are_those_of_the_path(name: str) -> None:
    case, step = CASES[name], 1e-4
    for unknowns in drawn(case, 5, seed=4):
        plan = plan_of(case, unknowns)
        for start, duration in zip(plan.starts[:-1], plan.times, strict=True):
            if duration < 0.01:
                continue
            time = start + duration * 0.4
            before, now, after = (plan.at(time + shift) for shift in (-step, 0.0, step))
            np.testing.assert_allclose((after.com - before.com) / (2 * step), now.velocity, rtol=1e-5, atol=1e-5)
            faster = (after.velocity - before.velocity) / (2 * step)
            np.testing.assert_allclose(faster, now.acceleration, rtol=1e-5, atol=1e-4)
            assert (after.yaw - before.yaw) / (2 * step) == pytest.approx(now.turning, abs=1e-6)
            assert (after.turning - before.turning) / (2 * step) == pytest.approx(now.turn, abs=1e-6)


def test_nothing_carries_in_flight() -> None:
    case = CASES["run"]
    plan = plan_of(case, drawn(case, 1)[0])
    assert plan.flies and plan.times[2] >= USUAL.schedule.flight_least
    start, moment = plan.at(plan.starts[2]), plan.at(plan.starts[2] + 0.04)
    assert moment.phase == 2 and moment.pressure is None
    np.testing.assert_allclose(moment.acceleration, [0.0, 0.0, -GRAVITY])
    np.testing.assert_allclose(moment.com, start.com + 0.04 * start.velocity - [0.0, 0.0, 0.5 * GRAVITY * 0.04**2])
    assert moment.turning == pytest.approx(start.turning) and moment.turn == 0.0


def test_phases_of_no_length_drop_out() -> None:
    walk, run = CASES["mid-swing"], CASES["flight"]
    plan, flying = (plan_of(case, drawn(case, 1)[0]) for case in (walk, run))
    seen = {plan.at(time).phase for time in np.linspace(0.0, plan.seconds, 200)}
    assert seen == {1, 3, 4} and plan.at(0.0).phase == 1
    seen = {flying.at(time).phase for time in np.linspace(0.0, flying.seconds, 400)}
    assert seen >= {2, 4} and not flying.times[:2].any()
    np.testing.assert_allclose(plan.at(0.0).com, walk.situation.com)
    changed = plan.unknowns.copy()  # what belongs to a phase that is none does not matter
    changed[KNOTS][:2] += 0.2
    changed[SPRINGS][0] += 0.3
    for time in np.linspace(0.0, plan.seconds, 7):
        np.testing.assert_allclose(plan_of(walk, changed).at(time).com, plan.at(time).com, atol=1e-12)


def test_after_its_end_a_plan_stays_what_it_was_at_its_end() -> None:
    """A walker's plan ends on a foot, not in a flight of no length."""
    for name, last in (("stand", 0), ("mid-swing", 4)):
        case = CASES[name]
        plan = plan_of(case, drawn(case, 1)[0])
        for time in (plan.seconds, plan.seconds + 0.3):
            moment = plan.at(time)
            assert moment.phase == last and moment.pressure is not None
            np.testing.assert_allclose(moment.com, plan.preview.places[6][0], atol=1e-12)


def corners(foot: FootSize, place: np.ndarray, yaw: float) -> np.ndarray:
    """(4, 2) of a sole on the ground."""
    c, s = np.cos(yaw), np.sin(yaw)
    box = np.array([[x, y] for x in (-foot.back, foot.front) for y in (-foot.half_width, foot.half_width)])
    return place[:2] + box @ np.array([[c, s], [-s, c]])


def outside(points: np.ndarray, area: np.ndarray) -> float:
    """How far points (n, 2) are outside the hull of others, at most, m."""
    sides = ConvexHull(area).equations
    return float((points @ sides[:, :2].T + sides[:, 2]).max())


@pytest.mark.parametrize("name", ["stand", *ROLLED])
def test_the_pressure_is_always_under_feet_that_carry(name: str) -> None:
    case = CASES[name]
    situation = case.situation.with_(feet=(Footplant(np.array([0.1, 0.09, 0.0]), 0.3),
                                           Footplant(np.array([-0.2, -0.12, 0.0]), -0.2)))
    here, other = situation.feet[situation.stance], situation.feet[situation.other]
    size = situation.legs[0].foot
    plans = drawn(case, 30, seed=9)
    preview = roll_out(plans, situation, np.full(len(plans), case.gait is Gait.STAND))
    shares = np.linspace(0.0, 1.0, 6)
    for row in range(len(plans)):
        stood, waits = corners(size, here.place, here.yaw), corners(size, other.place, other.yaw)
        lands = corners(size, preview.foothold[row], preview.yaws[row, 3])
        areas = [np.concatenate([stood, waits]), stood, np.concatenate([stood, lands]), lands]
        for phase, index, area in zip(preview.stances, (0, 1, 3, 4), areas, strict=True):
            duration = plans[row, TIMES][index]
            if duration > pendulum.SHORT:
                assert outside(phase.pressure[:, row] + np.outer(shares * duration, phase.drift[:, row]), area) < 1e-9


# -- warm starts -------------------------------------------------------------------------------------------------------


def later(case: Case, plan: Plan, time: float, **changes: object) -> Case:
    """The same case when the plan has been followed for a while."""
    moment = plan.at(time)
    situation = case.situation.with_(com=moment.com, velocity=moment.velocity, yaw=moment.yaw, turning=moment.turning,
                                     since=case.situation.since + time, **changes)
    return Case(situation, case.goals, case.gait)


def level_plan(case: Case, seed: int) -> np.ndarray:
    """A random plan that neither rises nor falls: its pendulum then has the same rate from whenever it is looked at."""
    plan = drawn(case, 1, seed)[0]
    plan[SPRINGS] = case.situation.com[2] + GRAVITY / SPRING
    plan[KNOTS].reshape(5, 2)[1, 1] = 0.5  # the middle of the foot can be told between the feet too
    return plan


def level_case(name: str) -> Case:
    case = CASES[name]
    velocity = case.situation.velocity * [1.0, 1.0, 0.0]
    return Case(case.situation.with_(velocity=velocity), case.goals, case.gait)


@pytest.mark.parametrize("name", ["stand", "first step", "mid-swing", "turn"])
@pytest.mark.parametrize("seed", range(3))
def test_a_plan_goes_on_as_before_when_time_has_passed(name: str, seed: int) -> None:
    case = level_case(name)
    unknowns = level_plan(case, seed)
    plan, first = plan_of(case, unknowns), 0 if case.situation.support is Support.DOUBLE else 1
    passed = 0.4 * plan.times[first]
    after = later(case, plan, passed)
    again = plan_of(after, schedule.elapsed(unknowns, passed, case.situation.support, case.gait))
    for time in np.linspace(0.0, plan.seconds - passed - 1e-6, 9):
        old, new = plan.at(time + passed), again.at(time)
        np.testing.assert_allclose(new.com, old.com, atol=1e-6)
        np.testing.assert_allclose(new.velocity, old.velocity, atol=1e-6)
        np.testing.assert_allclose(new.pressure, old.pressure, atol=1e-6)
        assert new.yaw == pytest.approx(old.yaw, abs=1e-6)


def test_time_that_passes_changes_nothing_of_a_flight_and_of_heights() -> None:
    for name, passed in (("flight", 0.05), ("run", 0.08)):
        case = CASES[name]
        unknowns = drawn(case, 1, seed=2)[0]
        unknowns[TIMES][1:3] = (0.2, 0.15) if name == "run" else (0.0, 0.15)
        plan = plan_of(case, unknowns)
        shorter = schedule.elapsed(unknowns, passed, case.situation.support, case.gait)
        again = plan_of(later(case, plan, passed), shorter)
        for time in np.linspace(0.0, plan.seconds - passed - 1e-6, 9):
            assert again.at(time).com[2] == pytest.approx(plan.at(time + passed).com[2], abs=1e-6)


@pytest.mark.parametrize(("name", "support"), [("mid-swing", Support.DOUBLE), ("run", Support.SINGLE)])
def test_a_plan_goes_on_as_before_when_the_foot_has_landed(name: str, support: Support) -> None:
    """The second step has become the first."""
    case = level_case(name)
    unknowns = level_plan(case, 5)
    unknowns[KNOTS].reshape(5, 2)[2, 1] = 0.5
    if case.gait is Gait.RUN:
        unknowns[TIMES][5] = unknowns[TIMES][2] = 0.1
    plan = plan_of(case, unknowns)
    at = plan.lands
    feet = (case.situation.feet[0], Footplant(plan.foothold, plan.foothold_yaw))
    landed = later(case, plan, at, support=support, stance=1, feet=feet).situation
    after = Case(landed.with_(since=0.0, swung=0.0), case.goals, case.gait)
    again = plan_of(after, schedule.shifted(unknowns, case.gait, case.situation.feet[0].place[:2]))
    np.testing.assert_allclose(again.foothold, plan.preview.following[0], atol=1e-6)
    for time in np.linspace(0.0, plan.seconds - at - 1e-6, 9):
        old, new = plan.at(at + time), again.at(time)
        np.testing.assert_allclose(new.com, old.com, atol=1e-6)
        if old.pressure is not None:
            np.testing.assert_allclose(new.pressure, old.pressure, atol=1e-6)


def test_heights_go_on_as_before_when_the_foot_has_landed() -> None:
    """Whatever the springs: the height does not depend on where the pressure is."""
    case = CASES["mid-swing"]
    unknowns = drawn(case, 1, seed=6)[0]
    plan = plan_of(case, unknowns)
    feet = (case.situation.feet[0], Footplant(plan.foothold, plan.foothold_yaw))
    after = later(case, plan, plan.lands, support=Support.DOUBLE, stance=1, feet=feet)
    again = plan_of(after, schedule.shifted(unknowns, case.gait, case.situation.feet[0].place[:2]))
    for time in np.linspace(0.0, plan.seconds - plan.lands - 1e-6, 9):
        assert again.at(time).com[2] == pytest.approx(plan.at(plan.lands + time).com[2], abs=1e-9)


def test_a_standing_body_keeps_its_pressure_when_it_changes_its_stance_foot() -> None:
    case = level_case("stand")
    unknowns = level_plan(case, 1)
    plan = plan_of(case, unknowns)
    again = plan_of(Case(case.situation.with_(stance=1), case.goals, Gait.STAND),
                    schedule.shifted(unknowns, Gait.STAND, np.zeros(2)))
    for time in (0.0, 0.3, 0.7):
        np.testing.assert_allclose(again.at(time).pressure, plan.at(time).pressure, atol=1e-9)


# -- bounds ------------------------------------------------------------------------------------------------------------


def free(gait: Gait, situation: Situation) -> list[bool]:
    """Which phases may last."""
    return (schedule.bounds(gait, situation, Goals())[1][TIMES] > 0).tolist()


def test_bounds_allow_what_the_support_does() -> None:
    double, single = standing(), swinging()
    flying = single.with_(support=Support.FLIGHT)
    assert free(Gait.STAND, double) == [True] + 5 * [False]
    assert free(Gait.WALK, double) == [True, True, False, True, True, False]
    assert free(Gait.WALK, single) == [False, True, False, True, True, False]
    assert free(Gait.RUN, double) == [True, True, True, False, True, True]
    assert free(Gait.RUN, single) == [False, True, True, False, True, True]
    assert free(Gait.RUN, flying) == [False, False, True, False, True, True]
    assert schedule.gaits(flying, Goals()) == [Gait.RUN]
    assert Gait.STAND in schedule.gaits(double, Goals(0.0)) and Gait.STAND not in schedule.gaits(single, Goals(0.0))


@pytest.mark.parametrize("name", CASES)
def test_first_guesses_are_within_bounds(name: str) -> None:
    case = CASES[name]
    low, high = schedule.bounds(case.gait, case.situation, case.goals)
    guess = schedule.cold(case.gait, case.situation, case.goals)
    assert (low <= high).all() and (low <= guess).all() and (guess <= high).all()


def test_bounds_leave_a_walker_time_and_only_the_part_of_the_sole_that_carries() -> None:
    situation = swinging().with_(swung=0.1, sole=(0.5, 0.8))
    low, high = schedule.bounds(Gait.WALK, situation, Goals())
    usual = USUAL.schedule
    assert low[TIMES][1] == pytest.approx(usual.swing_least - 0.1) and low[TIMES][3] == usual.double_least
    foot = situation.legs[situation.stance].foot
    back, front = USUAL.soles.back * foot.back, USUAL.soles.front * foot.front
    for bound, share in ((low, 0.5), (high, 0.8)):  # measured on the sole, not between the ends of what is planned on
        for knot in bound[KNOTS].reshape(5, 2)[1:3, 0]:
            assert knot * (back + front) - back == pytest.approx(share * (foot.back + foot.front) - foot.back)
    assert low[KNOTS].reshape(5, 2)[3, 0] == 0.0 and (high[KNOTS][6:] == 1.0).all()
    low, high = schedule.bounds(Gait.WALK, situation.with_(sole=(0.0, 1.0)), Goals())
    assert (low[KNOTS][2:] == 0.0).all() and (high[KNOTS][2:] == 1.0).all()
    late, _ = schedule.bounds(Gait.WALK, swinging().with_(swung=5.0), Goals())
    assert late[TIMES][1] == usual.lands_least
    still, _ = schedule.bounds(Gait.STAND, standing().with_(sole=(0.85, 1.0)), Goals(0.0))
    assert still[KNOTS][2] == 0.0  # the weight of a standing body may be on either foot, wherever that carries
