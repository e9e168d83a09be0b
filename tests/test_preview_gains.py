"""Gains of previews and footholds: each one reaches what it is about, and none breaks it within its range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from gambol.planning.footholds import FootholdGains, along, grade, ledge, survey
from gambol.planning.preview import schedule
from gambol.planning.preview.cases import Case, adult, cases, standing, swinging
from gambol.planning.preview.gains import USUAL, PreviewGains
from gambol.planning.preview.heels import risen
from gambol.planning.preview.optimizer import Candidate
from gambol.planning.preview.plan import Plan
from gambol.planning.preview.planner import Planner, _elsewhere, _waiting
from gambol.planning.preview.schedule import FOOT, KNOTS, NEXT, SPRINGS, TIMES, Gait
from gambol.planning.preview.situation import Goals, Ground, Support
from gambol.planning.preview.terms import residuals
from gambol.planning.preview.threats import Threat, foreseen
from gambol.world.terrains import make_terrain

BALL = Threat(np.array([0.2, 0.1]), np.array([0.0, 1.0]), 0.5, 0.6)


def pillars(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Up and down, steeply."""
    return 0.4 * np.floor(3.0 * np.sin(2.0 * x)) + 0.0 * y


def moments() -> Iterator[tuple[Case, np.ndarray]]:
    """Moments of all kinds, and for each some plans, good and bad."""
    rng, weak = np.random.default_rng(1), [replace(leg, ankle=3.0, knee=3.6, lean=0.3) for leg in adult()]
    jump = Goals(0.9, 0.3, fly=20.0, apex=0.04, flight=0.1, speed=2.6)
    steep = Ground(pillars, lambda x, y: np.abs(np.sin(9.0 * x)) + 0.0 * y, True, 0.7)
    found = list(cases().values())
    found += [Case(case.situation.with_(ground=steep, threats=(BALL, Threat(BALL.place, BALL.across, 1.6, 0.6)),
                                        velocity=case.situation.velocity - [0.0, 0.0, 1.5],
                                        legs=(weak[0], weak[1])), goals, case.gait)
              for case in found for goals in (case.goals, jump)]
    for case in found:
        guess = schedule.cold(case.gait, case.situation, case.goals)
        plans = guess + np.linspace(0.0, 2.0, 12)[:, None] * schedule.SCALE * rng.standard_normal((12, len(guess)))
        plans[:, TIMES] = np.abs(plans[:, TIMES]) * (guess[TIMES] > 0.0)
        plans[6:, SPRINGS] -= 1.5
        plans[8:, KNOTS] = np.clip(plans[8:, KNOTS], 0.0, 1.0)
        plans[10:, NEXT] += 0.8
        plans[::4, FOOT] -= 0.8
        plans[1::4, NEXT] -= 0.8
        yield case, plans


def judged(gains: PreviewGains) -> list[Any]:
    """What terms, bounds and first guesses say of all that."""
    found: list[Any] = []
    for case, plans in _moments():
        moment = case.situation, case.goals
        found.append(residuals(plans, *moment, np.full(len(plans), case.gait is Gait.STAND), gains))
        assert np.isfinite(found[-1]).all()
        low, high = schedule.bounds(case.gait, *moment, gains)
        assert (low <= high).all()
        found += [low, high, schedule.cold(case.gait, *moment, gains)]
    return found


@cache
def _moments() -> list[tuple[Case, np.ndarray]]:
    return list(moments())


def chosen(gains: PreviewGains) -> list[Any]:
    """Gaits that are possible, balls that count, plans that a planner starts from and takes up."""
    slow = swinging().with_(velocity=np.array([0.5, 0.0, 0.0]))
    goals = [Goals(length, 0.5, fly=fly) for length in (0.6, 1.0, 1.4) for fly in (0.0, 20.0, 200.0)]
    found: list[Any] = [schedule.gaits(slow, goal, gains.schedule) for goal in goals]
    com = standing().com
    found += [foreseen(com + [away, 0.0, 0.0], np.array([-speed, 0.0, 0.0]), com, np.zeros(3), 0.6, gains.threats)
              is None for away in (0.5, 3.0, 6.0) for speed in (0.6, 3.0)]
    case, planner = cases()["stairs"], Planner(gains)
    guess = schedule.cold(Gait.WALK, case.situation, case.goals)
    found += [_waiting(guess, gains.search), np.array(_elsewhere(guess, case.situation, case.goals, gains.search))]
    planner.gait = Gait.WALK
    costs = np.linspace(0.5, 1.0, 11)
    found += [planner._choose([Candidate(gait, guess, cost), kept], kept).cost for cost in costs
              for gait in (Gait.WALK, Gait.RUN) for kept in [Candidate(Gait.WALK, guess, 1.0)]]
    found += [Plan(Candidate(Gait.WALK, guess, 0.0), case.situation, gains=gains).climbs]
    return found


def alike(some: list[Any], others: list[Any]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))


EFFORT = {f"search.{name}" for name in ("cold_steps", "event_steps", "warm_steps", "look_around")}


@pytest.mark.parametrize("name", sorted(set(PreviewGains.names()) - EFFORT))
def test_each_gain_of_a_preview_reaches_it_and_breaks_nothing(name: str) -> None:
    info = next(info for info in PreviewGains.describe() if info.name == name)
    ends = [PreviewGains.from_dict({name: end}) for end in (info.low, info.high)]
    assert not all(alike(_usual()[0], judged(gains)) and alike(_usual()[1], chosen(gains)) for gains in ends)


@cache
def _usual() -> tuple[list[Any], list[Any]]:
    return judged(USUAL), chosen(USUAL)


def test_a_planner_looks_as_hard_as_its_gains_say(monkeypatch: pytest.MonkeyPatch) -> None:
    from gambol.planning.preview import planner
    asked: list[tuple[int, int]] = []
    improve = planner.improve

    def watched(judge: Any, starts: Any, steps: int, least: float) -> Any:
        asked.append((len(starts), steps))
        return improve(judge, starts, steps, least)

    monkeypatch.setattr(planner, "improve", watched)
    gains = PreviewGains.from_dict({"search.cold_steps": 3, "search.warm_steps": 1, "search.look_around": 2})
    case, walker = cases()["stairs"], Planner(gains)
    situation = case.situation.with_(support=Support.DOUBLE)
    for _ in range(5):
        walker.plan(situation, case.goals)
    assert [steps for _, steps in asked] == [3, 3, 1, 3, 1]
    assert [count > 1 for count, _ in asked] == [False, True, False, True, False]


def mapped(gains: FootholdGains) -> list[Any]:
    """What is said of some grounds."""
    found: list[Any] = []
    x, y = np.meshgrid(np.linspace(-2.5, 2.5, 40), np.linspace(-1.0, 1.0, 9))
    for spec, place, level in (("stairs:rise=0.15", 1.2, 0.0), ("stairs:rise=0.3", 1.2, 0.0), ("rough", 1.2, 0.0),
                               ("gaps:width=0.5,platform=3", 1.2, 0.0), ("gaps:width=2,platform=3,depth=2", 1.2, 0.0),
                               ("step:height=0.7", 1.2, 0.0), ("step:height=-0.8", 2.2, -0.8)):
        ground = make_terrain(spec).height
        profile = along(ground, np.array([place - 0.3, 0.0]), 0.0, 1.0, gains)
        found += [profile, grade(profile, gains), ledge(profile, gains)]
        for runs in (False, True):
            seen = survey(ground, np.array([place, 0.0]), level, 0.25, 0.0, 1.0, runs, True, gains)
            found.append(None if seen is None else seen.unfit(x + place, y))
    return [*found, *(ledge(np.clip(slope * (np.arange(50) - 20), 0.0, 0.45), gains) for slope in (0.1, 1.0))]


@pytest.mark.parametrize("name", FootholdGains.names())
def test_each_gain_of_footholds_reaches_the_map_and_breaks_nothing(name: str) -> None:
    info = next(info for info in FootholdGains.describe() if info.name == name)
    ends = [FootholdGains.from_dict({name: end}) for end in (info.low, info.high)]
    assert not all(alike(_usual_map(), mapped(gains)) for gains in ends)


@cache
def _usual_map() -> list[Any]:
    return mapped(FootholdGains())


def test_a_jumper_s_heel_rises_sooner() -> None:
    assert float(risen(0.1, False)) == 0.0 < float(risen(0.1, True)) < USUAL.rising.most
