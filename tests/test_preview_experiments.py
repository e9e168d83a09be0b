"""Experiments on `locomote`: the quick ones work, and what they judge by is right on made-up data."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gambol.experiments import EXPERIMENTS, Context
from gambol.experiments.locomote import pushes as preview_pushes
from gambol.experiments.locomote import rough_ground
from gambol.experiments.locomote.dodging import CLEAR, Thrown
from gambol.experiments.locomote.dodging import row_of as balls_row
from gambol.experiments.locomote.gaits import SPRINTS, apex_of, speed_row, told, wishes
from gambol.experiments.locomote.planner_alone import SETTINGS, TABLE_5_1, alone
from gambol.experiments.locomote.pushes import GRID, LEAST, MOST, PushAt, largest
from gambol.experiments.locomote.replanning import Follower, followed
from gambol.experiments.locomote.rough_ground import GOOD, KINDS, SEEDS, crossed, finish, kind_rows, on_track, outcome
from gambol.experiments.locomote.steering import courses, row_of
from gambol.experiments.walked import Walked
from gambol.world.terrains import make_terrain

NAMES = {"planner-alone", "gaits", "steering", "rough-ground", "preview-pushes", "preview-looks", "replanning",
         "preview-bodies", "dodging"}


def test_all_are_of_the_group_preview() -> None:
    assert {entry.name for entry in EXPERIMENTS.values() if entry.group == "preview"} == NAMES


@pytest.mark.parametrize("name", ["steering", "preview-bodies"])
def test_quick_experiment_passes(name: str) -> None:
    result = EXPERIMENTS[name].run(Context(seed=1, quick=True, workers=1))
    assert [row for row in result.rows if row.verdict == "fail"] == []
    assert result.verdict == "pass" and b"<svg" in result.pictures[0].data[:1000] and result.motions


def test_a_ball_counts_as_dodged_only_if_it_passed_clear_of_one_that_still_stands() -> None:
    stood: Any = SimpleNamespace(fell=None)
    fell: Any = SimpleNamespace(fell="tripped")
    balls = [Thrown(stood, 2 * CLEAR, False), Thrown(stood, 0.5 * CLEAR, False), Thrown(stood, 2 * CLEAR, True),
             Thrown(fell, 2 * CLEAR, False)]
    assert [ball.clear for ball in balls] == [True, False, False, False]
    assert balls_row("", balls, 1).verdict == "pass" and balls_row("", balls, 2).verdict == "fail"


def made_up(flying: np.ndarray | None = None, fell: str | None = None, speed: float = 1.0, turn: float = 0.0) -> Walked:
    """Ten seconds straight on; facing `turn` degrees."""
    time = np.arange(0.0, 10.0, 0.02)
    flying = np.zeros(len(time), dtype=bool) if flying is None else flying
    nothing: Any = None
    return Walked(fell, 10.0, 17, time, np.outer(speed * time, [1.0, 0.0]), np.full(len(time), np.radians(turn)),
                  nothing, 1.0 + 0.07 * flying, flying)


def test_goals_are_drawn_within_ranges_and_repeat_by_seed() -> None:
    changes = wishes(60.0, 7)
    assert changes == wishes(60.0, 7) != wishes(60.0, 8) and {time % 3.0 for time, _, _ in changes} == {0.0}
    speeds = [value for _, name, value in changes if name == "speed"]
    assert len(speeds) == 20 and min(speeds) == 0.0 and SPRINTS[0] <= max(speeds) <= SPRINTS[-1]
    assert {name for _, name, _ in changes} == {"speed", "jump"}
    changes = [(0.0, "speed", 1.0), (3.0, "speed", 2.0), (3.0, "jump", 0.1)]
    assert told(changes, 4.0) == "speed 1.00, then speed 2.00 jump 0.10"


def test_a_speed_is_held_only_if_near_and_if_walks_walk_and_runs_fly() -> None:
    bounds = np.arange(500) % 10 < 3  # in the air 30 % of the time
    assert speed_row("", 1.0, [made_up()], 2.0).verdict == "pass"
    assert speed_row("", 1.3, [made_up()], 2.0).verdict == "fail"
    assert speed_row("", 1.0, [made_up(fell="tripped")], 2.0).verdict == "fail"
    assert speed_row("", 1.0, [made_up(bounds)], 2.0).verdict == "fail"
    assert speed_row("", 2.5, [made_up(bounds, speed=2.4)], 2.0).verdict == "pass"
    assert speed_row("", 2.5, [made_up(speed=2.4)], 2.0).verdict == "fail"


def test_apex_is_the_rise_in_flights() -> None:
    assert apex_of(made_up(np.arange(500) % 20 < 8), 1.0) == pytest.approx(0.07) and apex_of(made_up(), 1.0) == 0.0


def test_courses_end_where_they_should_face() -> None:
    for course in courses():
        commanded = [value for _, name, value in sorted(course.changes) if name == "heading"]
        assert (commanded or [0.0])[-1] == course.facing and all(-180.0 <= value <= 180.0 for value in commanded)
        assert all(time < course.seconds for time, _, _ in course.changes)
    turn = courses()[1]
    assert row_of(turn, [made_up(turn=20.0)]).verdict == "pass"
    assert row_of(turn, [made_up(turn=31.0)]).verdict == row_of(turn, [made_up(turn=20.0, fell="x")]).verdict == "fail"


def test_the_way_is_over_beyond_the_last_obstacle() -> None:
    for kind in KINDS:
        for rung in kind.rungs:
            terrain = make_terrain(rung.spec.replace("{seed}", "3"))
            goal = finish(terrain)
            assert np.ptp(terrain.height(np.linspace(goal - 0.5, goal + 1.5, 50), 0.0)) < 1e-6, rung.spec
    assert {kind.name for kind in KINDS if any(rung.must for rung in kind.rungs)} == {kind.name for kind in KINDS}


def test_a_trial_on_rough_ground_ends_when_it_is_across() -> None:
    take, there = crossed("slope:length=1,angle=0", "walk", 1)
    assert there and take.fell is None and take.com[-1, 0] == pytest.approx(3.5, abs=0.1)
    assert -0.3 <= take.com[0, 0] <= 0.3 and abs(take.com[0, 0]) > 0.01  # its start is its seed's


def test_a_rung_is_left_when_too_many_have_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def alternating(spec: str, gait: str, seed: int) -> tuple[Walked, bool]:
        return made_up(speed=float(seed)), seed % 2 == 0

    monkeypatch.setattr(rough_ground, "crossed", alternating)
    good, tried, shown = outcome("flat", "walk", range(SEEDS))
    assert (good, tried) == (3, 6) and shown.com[1, 0] == pytest.approx(0.02)  # left at the third fall; shows seed 1
    kind = replace(KINDS[0], rungs=KINDS[0].rungs[:2])
    found = {(kind.name, 5.0, "walk"): (GOOD, SEEDS, made_up()), (kind.name, 10.0, "walk"): (3, 6, made_up(fell="x"))}
    rows = kind_rows(kind, found)
    assert [row.verdict for row in rows] == ["pass", "fail", "report"] and rows[-1].ours.startswith("5 degrees")


@pytest.mark.parametrize("limit", [10.0, 25.0, 62.0, 500.0])
def test_bisection_finds_the_largest_push(limit: float, monkeypatch: pytest.MonkeyPatch) -> None:
    def survives(push: PushAt, settings: dict[str, Any], seed: int) -> Walked:
        return made_up(fell=None if 0.1 * push.force[0] <= limit else "pushed over")

    monkeypatch.setattr(preview_pushes, "shoved", survives)
    best, shown = largest(0.0, 0.5, 0)
    assert best == (0.0 if limit < LEAST else min(GRID * (limit // GRID), MOST))
    assert (shown.fell is None) == (limit > MOST)


def test_a_push_comes_at_its_share_of_a_step_of_the_left_foot() -> None:
    pushes: list[Any] = []
    world: Any = SimpleNamespace(time=0.0, push=pushes.append)
    strides = SimpleNamespace(steps=0, stance=1, support=SimpleNamespace(value="single"))
    behavior: Any = SimpleNamespace(strides=strides)
    push = PushAt(300.0, 0.1, 90.0, 0.25)
    for time, steps, stance in ((2.6, 1, 0), (3.1, 2, 1), (3.3, 2, 1), (3.6, 3, 0), (4.1, 4, 1)):
        world.time, strides.steps, strides.stance = time, steps, stance
        push(world, behavior)
    assert len(pushes) == 1 and pushes[0].t == pytest.approx(3.6 + 0.25 * 0.5)
    assert pushes[0].force == pytest.approx((0.0, 300.0, 0.0)) and not push.over(world, behavior)
    flight = PushAt(300.0, 0.1, 0.0, 0.0, "head", flight=True)
    for support in ("single", "flight"):
        strides.support = SimpleNamespace(value=support)
        flight(world, behavior)
    assert len(pushes) == 2 and (pushes[1].body, pushes[1].t) == ("head", 4.1)


def test_the_planner_walks_on_its_own_by_the_source_s_weights() -> None:
    setting = next(entry for entry in SETTINGS if entry.name == "walk, Table 5.1")
    trace = alone(setting, 1.5, ours=False)
    assert not trace.collapsed and len(trace.stances) >= 2 and trace.flight < 0.03
    assert trace.speed(0.5) == pytest.approx(1.23, rel=0.1)
    assert (TABLE_5_1.duration, TABLE_5_1.length, TABLE_5_1.heading, TABLE_5_1.acceleration, TABLE_5_1.leg,
            TABLE_5_1.hip) == (10, 10, 1, 0.05, 10, 10)


def test_following_is_measured_against_the_plan_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    watcher = Follower()
    plan = SimpleNamespace(at=lambda time: SimpleNamespace(com=np.array([time, 0.0, 1.0])))
    behavior: Any = SimpleNamespace(plan=plan, planned=6.0, limbs=SimpleNamespace(pace=2.0, size=4.0))
    world: Any = SimpleNamespace(time=7.0, figure=SimpleNamespace(com=np.array([2.0, 0.0, 4.3])))
    watcher(world, behavior)
    watcher(world, behavior)
    behavior.planned = 7.0
    watcher(world, behavior)
    assert watcher.plans == 2 and watcher.errors[:2] == pytest.approx([0.3, 0.3]) and watcher.errors[2] > 2.0
    monkeypatch.setattr("gambol.experiments.locomote.replanning.SETTLES", 0.1)
    done = followed({"when": "ticks", "replan": 25}, 0.4, 0)
    assert done.take.fell is None and done.rate < 30.0 and done.mean < 0.03 and done.factor > 0.0


def test_who_goes_around_an_obstacle_has_not_crossed_it() -> None:
    stairs = make_terrain("stairs:breadth=3")
    straight = np.stack([np.linspace(0.0, 6.0, 50), np.zeros(50)], axis=1)
    around = straight + [0.0, 1.0] * np.where(straight[:, :1] > 2.0, 1.6, 0.0)
    assert on_track(straight, stairs) and not on_track(around, stairs)
    assert on_track(around, make_terrain("flat"))
