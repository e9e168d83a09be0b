"""Balls that fly at a walker: which count, how near is too near, and that the plan goes aside."""

from __future__ import annotations

import numpy as np

from gambol.planning.preview.cases import cases
from gambol.planning.preview.gains import USUAL
from gambol.planning.preview.planner import Planner
from gambol.planning.preview.threats import Threat, ahead, foreseen, nearness

COM, STILL = np.array([1.0, 2.0, 1.0]), np.zeros(3)


def test_only_a_ball_that_will_pass_near_and_soon_is_a_threat() -> None:
    at, velocity = COM + [5.0, 0.0, 0.3], np.array([-5.0, 0.0, 1.0])
    threat = foreseen(at, velocity, COM, STILL, 0.6)
    assert threat is not None and abs(threat.passes - 1.0) < 1e-9
    assert foreseen(at, -velocity, COM, STILL, 0.6) is None  # goes away
    assert foreseen(at + [0.0, 0.7, 0.0], velocity, COM, STILL, 0.6) is None  # passes aside
    assert foreseen(at + [9.0, 0.0, 0.0], velocity, COM, STILL, 0.6) is None  # comes much later
    assert foreseen(at, np.zeros(3), COM, STILL, 0.6) is None  # lies there
    assert foreseen(at - [4.0, 0.0, 0.0], np.zeros(3), COM, np.array([1.2, 0.0, 0.0]), 0.6) is None  # lies in its way
    # one that walks into the path of a ball that would have missed it
    assert foreseen(at + [0.0, 0.7, 0.0], velocity, COM, np.array([0.0, 0.7, 0.0]), 0.6) is not None


def test_nearness_is_what_is_missing_of_the_room_when_the_ball_passes() -> None:
    threat = Threat(COM[:2], np.array([0.0, 1.0]), 0.5, 0.6)
    times = np.array([0.5, 0.5, 0.5, 0.5 + 3 * USUAL.threats.passing])
    places = COM + np.outer([0.2, -0.2, 0.7, 0.0], [0.0, 1.0, 0.0])
    assert np.allclose(nearness(threat, times, places)[:3], [0.4, 0.4, 0.0])
    assert nearness(threat, times, places)[3] < 1e-3
    places[:, 0] += 4.0  # along the path it is as near
    assert np.allclose(nearness(threat, times, places)[:3], [0.4, 0.4, 0.0])


def test_after_the_end_of_a_preview_the_body_is_thought_to_go_on() -> None:
    threat = Threat(COM[:2], np.array([0.0, 1.0]), 0.5, 0.6)
    place, going = np.tile(COM, (3, 1)), np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    assert np.allclose(ahead(threat, np.array([0.2, 0.2, 0.6]), place, going), [0.6, 0.3, 0.0])


def test_a_walker_plans_to_be_aside_of_a_ball() -> None:
    case = cases()["mid-swing"]
    com, going = case.situation.com, case.situation.velocity
    threat = foreseen(com + [6.0, 0.0, 0.0], going + [-7.0, 0.0, 0.0], com, going, 0.6)
    assert threat is not None
    paths = [Planner().plan(situation, case.goals).at(threat.passes).com[1] - com[1]
             for situation in (case.situation, case.situation.with_(threats=(threat,)))]
    assert abs(paths[1]) > abs(paths[0]) + 0.1
