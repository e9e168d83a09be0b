"""Flights in previews: what is charged at take-off and landing, what legs can bear, when heels rise."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gambol.planning import step_targets
from gambol.planning.preview import goal_terms, legs, schedule
from gambol.planning.preview.cases import HEIGHT, adult, cases, flying, running, standing, swinging
from gambol.planning.preview.gains import USUAL
from gambol.planning.preview.optimizer import Candidate
from gambol.planning.preview.plan import Moment, Plan
from gambol.planning.preview.planner import Planner
from gambol.planning.preview.rollout import roll_out
from gambol.planning.preview.schedule import KNOTS, SPRINGS, TIMES, Gait
from gambol.planning.preview.situation import Goals
from gambol.units import GRAVITY

RUN = Goals(1.0, 0.28, fly=20.0, apex=0.04, flight=0.1, speed=2.6)
LEAP = Goals(0.0, 0.4, fly=500.0, apex=0.2, flight=0.4, speed=0.0)


def moving(up: float, ahead: float = 2.6, flight: float = 0.1, last: float | None = None, down: float = 0.0,
           onward: float = 2.0) -> Any:
    """A preview of one plan that takes off and flies as told, and whose feet come so far."""
    velocities = [np.array([[ahead, 0.0, 0.0]]) for _ in range(7)]
    velocities[2] = np.array([[ahead, 0.0, up]])
    velocities[5] = np.array([[ahead, 0.0, up if last is None else last]])
    return SimpleNamespace(velocities=velocities, times=np.array([[0.0, 0.2, flight, 0.0, 0.28, 0.05]]),
                           foothold=np.array([[1.0, 0.0, -down]]), following=np.array([[onward, 0.0, -down]]))


def flights(preview: Any, goals: Goals = RUN, situation: Any = None, still: bool = False) -> np.ndarray:
    return goal_terms.flights(preview, situation or running(), goals, np.array([still]), USUAL)[0]


def test_a_flight_as_asked_costs_nothing() -> None:
    assert flights(moving(0.5 * GRAVITY * RUN.flight)) == pytest.approx(0.0)


def test_too_little_speed_upward_ahead_or_a_short_flight_cost() -> None:
    enough = 0.5 * GRAVITY * RUN.flight
    assert np.flatnonzero(flights(moving(0.0))).tolist() == [0, 4]
    assert np.flatnonzero(flights(moving(enough, ahead=2.0))).tolist() == [1, 2]
    assert np.flatnonzero(flights(moving(enough, flight=0.06))).tolist() == [3]


def test_who_jumps_down_may_fly_longer_and_take_off_more_slowly() -> None:
    enough, long = 0.5 * GRAVITY * RUN.flight, RUN.flight + 0.4
    assert flights(moving(enough, flight=long))[3] > 0.0 and flights(moving(0.0, last=enough))[4] < 0.0
    assert flights(moving(enough - USUAL.aims.drops, flight=long, last=enough, down=1.0)) == pytest.approx(0.0)
    assert flights(moving(enough - USUAL.aims.drops - 0.3, last=enough, down=1.0))[4] < 0.0


def test_a_runner_who_dances_on_the_spot_pays_for_it() -> None:
    enough, edges = 0.5 * GRAVITY * RUN.flight, running().with_(ground=cases()["stairs"].situation.ground)
    assert flights(moving(enough, onward=RUN.length), situation=edges)[5] == 0.0
    assert flights(moving(enough, onward=0.3), situation=edges)[5] < 0.0
    assert flights(moving(enough, onward=0.3))[5] == 0.0  # on even ground there is nothing to dance at


def test_time_over_what_was_wanted_is_free_up_to_a_limit() -> None:
    assert goal_terms._beyond(np.array([-0.1, 0.2, 0.5]), 0.3) == pytest.approx([-0.1, 0.0, 0.2])


def test_nothing_is_charged_for_a_flight_under_way_but_the_next_one_is() -> None:
    assert np.flatnonzero(flights(moving(-1.0, flight=0.02, last=0.0), situation=flying())).tolist() == [0]
    wanted = goal_terms.steps(roll_out(schedule.cold(Gait.RUN, flying(), RUN)[None], flying(), np.array([False])),
                         flying(), RUN, np.array([False]), USUAL, False)
    assert wanted[0, 5] == 0.0


def test_a_walker_must_not_sink_at_the_end_and_one_who_stands_may() -> None:
    walk = Goals(0.7, 0.5)
    assert flights(moving(0.0, last=-0.5), walk, swinging())[0] < 0.0
    assert flights(moving(0.0, last=-0.2), walk, swinging())[0] == 0.0
    assert flights(moving(0.0, last=-0.5), walk, standing(), still=True)[0] == 0.0


def lifted(take_off: float, landing: float, flight: float = 0.4) -> Any:
    """A preview of one hop in place: heights of the COM as it leaves and comes down."""
    places = [np.array([[0.07, 0.085, HEIGHT]]) for _ in range(7)]
    places[2][0, 2] = places[5][0, 2] = take_off
    places[3] = np.array([[0.07, -0.085, landing]])
    places[5][0, 1] = -0.085
    return SimpleNamespace(times=np.array([[0.0, 0.2, flight, 0.0, 0.4, 0.05]]), yaws=np.zeros((1, 7)), places=places,
                           foothold=np.array([[0.0, -0.085, 0.0]]))


def straight(preview: Any, situation: Any = None, toes: float = 0.0) -> np.ndarray:
    u = np.zeros((1, schedule.SIZE))
    u[:, KNOTS] = toes
    return legs.straight(preview, u, situation or swinging(0.0), USUAL)[0]


def test_legs_that_are_straight_at_take_off_or_landing_cost() -> None:
    assert straight(lifted(HEIGHT, HEIGHT)) == pytest.approx(0.0)
    assert np.flatnonzero(straight(lifted(1.05, HEIGHT))).tolist() == [0, 2]
    assert np.flatnonzero(straight(lifted(HEIGHT, 1.05))).tolist() == [1]
    assert np.flatnonzero(straight(lifted(1.05, HEIGHT), flying())).tolist() == [2]


def test_toes_make_a_leg_longer_at_take_off_only() -> None:
    heel, toes = straight(lifted(1.05, 1.05)), straight(lifted(1.05, 1.05), toes=1.0)
    assert toes[0] < heel[0] and toes[2] < heel[2] and toes[1] == heel[1]


def test_walkers_are_not_asked() -> None:
    assert straight(lifted(1.05, 1.05, flight=0.0)).size == 0


def overload(up: float, length: float, toes: float) -> np.ndarray:
    """Of ankle and knee at most, of legs that bear 3 and 3.6 m2/s2."""
    u = np.zeros((1, schedule.SIZE))
    u[:, KNOTS] = toes
    left, right = (replace(leg, ankle=3.0, knee=3.6) for leg in adult())
    nodes = len(legs.NODES)
    return legs.overload(np.full((2, 1, nodes), up), np.full((2, 1, nodes), length), legs.pressed(u),
                         (left, right)).max((0, 1, 2))


def test_the_ankle_bears_less_on_the_toes_and_the_knee_less_when_it_is_bent() -> None:
    assert overload(0.0, 0.8, 0.5) == pytest.approx(0.0)
    ankle, knee = overload(10.0, 0.84, 1.0)
    assert ankle > 0.0 and knee == 0.0
    ankle, knee = overload(10.0, 0.6, 0.3)
    assert ankle == 0.0 and knee > 0.0


def plan_of(name: str, goals: Goals, gait: Gait) -> Plan:
    situation = cases()[name].situation
    return Plan(Candidate(gait, schedule.cold(gait, situation, goals), 0.0), situation)


@pytest.mark.parametrize(("ahead", "height", "rising", "walks", "jumps"), [
    (0.25, 1.0, 0.0, True, True), (0.25, 0.8, 0.0, False, False),
    (0.05, 1.05, 0.5, False, True), (0.05, 1.05, -0.5, False, False)])
def test_a_heel_rises_under_a_long_leg_ahead_of_it_or_of_a_body_that_jumps(ahead: float, height: float, rising: float,
                                                                          walks: bool, jumps: bool) -> None:
    ankle = -cases()["run"].situation.legs[0].foot.ahead
    moment = Moment(1, np.array([ankle + ahead, 0.0, height]), np.array([0.0, 0.0, rising]), np.zeros(3), None, 0.0,
                    0.0, 0.0)
    assert plan_of("mid-swing", Goals(), Gait.WALK).stretched(moment) is walks
    assert plan_of("run", RUN, Gait.RUN).stretched(moment) is jumps


def test_first_guesses_of_leaps_fly_as_long_as_asked_and_push_for_it() -> None:
    low, high = (schedule.cold(Gait.RUN, running(0.0), goals) for goals in (RUN, LEAP))
    assert high[TIMES][2] == pytest.approx(LEAP.flight) and low[TIMES][2] == pytest.approx(RUN.flight)
    assert (high[SPRINGS] > low[SPRINGS])[1:].all()  # the first belongs to a phase that is over
    assert (schedule.cold(Gait.WALK, swinging(), Goals())[SPRINGS] < low[SPRINGS])[1:].all()


def test_take_off_is_not_put_off() -> None:
    low, _ = schedule.bounds(Gait.RUN, running(), RUN)
    assert low[TIMES][1] < USUAL.schedule.lands_least


def test_plans_of_gaits_out_of_the_question_are_forgotten() -> None:
    planner = Planner()
    planner.plan(running(), RUN)
    assert set(planner.last) == {Gait.RUN}
    planner.plan(swinging(), Goals())
    assert set(planner.last) == {Gait.WALK}


def test_walkers_make_up_for_missing_speed_by_quicker_steps_and_jumpers_by_longer_ones() -> None:
    walk, hop = step_targets.steps(1.5), step_targets.steps(0.8, jump=0.1)
    faster, farther = walk.trimmed(1.2), hop.trimmed(1.2)
    assert faster.length / faster.duration == pytest.approx(1.2 * walk.length / walk.duration)
    assert faster.duration < 0.9 * walk.duration and faster.length < 1.05 * walk.length
    assert farther.duration == hop.duration and farther.length == pytest.approx(1.2 * hop.length)
