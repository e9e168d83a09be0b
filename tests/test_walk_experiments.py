"""Experiments on the walk: the quick ones pass, and what they measure with is right on made-up data."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from gambol.behaviors.walk.gains import WalkGains
from gambol.errors import BadInput
from gambol.experiments import EXPERIMENTS, Context
from gambol.experiments.walk.ablation import ABLATIONS, Ablation, without
from gambol.experiments.walk.looks import heel_leads, humps, lag, mean_stance, slips
from gambol.experiments.walk.ranges import EVERY, apart, drawn
from gambol.experiments.walked import RANGES, Walked, commanded_speed, walked

NAMES = {"walk-ranges", "walk-changes", "walk-speeds", "walk-turns", "walk-lean", "walk-looks", "walk-pushes",
         "retargeting", "morphing", "walk-ablation"}


def test_all_are_of_the_group_walk() -> None:
    assert {entry.name for entry in EXPERIMENTS.values() if entry.group == "walk"} == NAMES


@pytest.mark.parametrize("name", ["walk-turns", "retargeting"])
def test_quick_experiment_passes(name: str) -> None:
    result = EXPERIMENTS[name].run(Context(seed=1, quick=True, workers=1))
    assert [row for row in result.rows if row.verdict == "fail"] == []
    assert result.verdict == "pass" and b"<svg" in result.pictures[0].data[:1000] and result.motions


def test_a_walk_is_told_by_path_steps_and_its_last_seconds() -> None:
    done = walked(2.0, seed=3)
    assert done.fell is None and done.steps >= 1 and done.seconds == pytest.approx(2.0)
    assert done.time[-1] == pytest.approx(1.98, abs=0.03) and done.com.shape == (len(done.time), 2)
    assert done.how == "2 s" and done.last.seconds == pytest.approx(2.0)
    assert np.isnan(done.speed(5.0))  # it did not walk that long


def made_up(velocity: tuple[float, float], last: Walked) -> Walked:
    time = np.arange(0.0, 10.0, 0.02)
    return Walked("tripped", 10.0, 17, time, time[:, None] * np.array(velocity), np.full(len(time), np.pi), last.last)


def test_speed_and_direction_of_a_straight_path() -> None:
    done = made_up((-0.3, 0.4), walked(0.1, seed=0))
    assert done.speed(4.0) == pytest.approx(0.5) and done.speeds(1.2)[100] == pytest.approx(0.5)
    assert done.direction(2.0) == pytest.approx(np.degrees(np.arctan2(0.4, -0.3)))
    assert apart(done.facing(2.0), -180.0) < 1e-6 and done.how == "falls at 10.0 s"


def test_angles_between_directions() -> None:
    assert apart(175.0, -175.0) == pytest.approx(10.0) and apart(90.0, -90.0) == pytest.approx(180.0)


def test_draws_stay_in_their_ranges_and_repeat_by_seed() -> None:
    changes = drawn(60.0, 7)
    assert len(changes) == 20 * len(RANGES) and changes == drawn(60.0, 7) != drawn(60.0, 8)
    assert {time % EVERY for time, _, _ in changes} == {0.0}
    assert all(RANGES[name][0] <= value <= RANGES[name][1] for _, name, value in changes)


def test_ranges_are_what_the_behavior_takes() -> None:
    params = importlib.import_module("gambol.behaviors.walk.behavior").Walk.Params
    for name, both in RANGES.items():
        for value in both:
            params().set(name, value)
    assert commanded_speed(0.58, 0.5) == pytest.approx(1.0)


def test_every_ablation_changes_gains_that_are_there() -> None:
    usual = WalkGains().as_dict()
    assert ABLATIONS[0].gains == WalkGains()
    for entry in ABLATIONS[1:]:
        changed = {name: value for name, value in entry.gains.as_dict().items() if value != usual[name]}
        assert changed == dict(entry.sets) != {}, entry.name
    with pytest.raises(BadInput, match=r"did you mean 'gait\.roll'"):
        assert Ablation("typo", "-", {"gait.rol": 0.0}).gains


def test_an_ablation_changes_the_walk() -> None:
    usual, without_roll = (without(name, "default", 1.6, 3) for name in ("nothing", "roll of the pressure"))
    assert usual.fell is None and not np.array_equal(usual.com, without_roll.com)


def test_heels_lead_toes_by_the_time_between_them() -> None:
    height = np.zeros((100, 4))
    height[20:, :2] = 0.1    # the heel is up from row 20 on, the toe from row 45 to 80
    height[45:80, 2:] = 0.1
    np.testing.assert_allclose(heel_leads(height, 0.004), [100.0])
    np.testing.assert_allclose(heel_leads(height[:, ::-1], 0.004), [-100.0])
    assert len(heel_leads(np.zeros((10, 4)), 0.004)) == 0


def test_lag_is_the_shift_that_fits_best() -> None:
    time = 0.004 * np.arange(1000)
    early, late = np.sin(5.0 * time), np.sin(5.0 * (time - 0.12))
    assert lag(late, early, 0.004) == pytest.approx(0.12) and lag(early, late, 0.004) == pytest.approx(-0.12)


def test_slip_counts_points_that_touch_under_load() -> None:
    points = np.zeros((10, 2, 3))
    points[:, 0, 0] = 0.001 * np.arange(10)  # one slides at 0.25 m/s, the other is in the air
    points[:, 1] = [0.0, 0.0, 0.1]
    np.testing.assert_allclose(slips(points, np.ones(10, dtype=bool), 0.004), np.full(9, 25.0))
    assert len(slips(points, np.zeros(10, dtype=bool), 0.004)) == 0


def test_humps_of_a_mean_stance() -> None:
    share = np.linspace(0.0, 1.0, 150)
    stance = np.interp(share, [0.0, 0.2, 0.5, 0.8, 1.0], [0.1, 1.1, 0.7, 1.1, 0.1])
    load = np.tile(np.concatenate([np.zeros(100), stance]), 3)
    course = mean_stance(np.append(load, 0.0))
    assert len(course) == 101 and course.max() == pytest.approx(1.1, abs=0.02)
    assert humps(course).startswith("2:") and humps(mean_stance(np.zeros(50))) == "no whole stance"
