"""Follow: takes of the package's own behaviors are done again, at other speeds, under pushes, and stood after."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from gambol.behaviors import Behavior, make_behavior
from gambol.behaviors.follow.behavior import Follow
from gambol.behaviors.follow.clock import Phase, PhaseClock
from gambol.behaviors.follow.footholds import Footholds
from gambol.behaviors.follow.gains import ClockGains, FollowGains, FootholdGains
from gambol.bodies import make_character
from gambol.errors import BadInput
from gambol.motion.motion import Motion
from gambol.motion.verify import verify
from gambol.planning.reference.halt import halted
from gambol.planning.reference.placed import heading_of, moved, part_of_reference
from gambol.planning.reference.series import smooth, tidied
from gambol.planning.reference.take import reference_of_take
from gambol.runs import Run, Trial, run
from gambol.runs.trial_text import trial_from
from gambol.world.pushes import Push
from gambol.world.starts import Start
from gambol.world.world import World

FIXED = FollowGains.from_dict({"footholds.adapt": 0.0})
LEFT, RIGHT = 100.0, -100.0
"""Sideways pushes, N; for 0.1 s each."""


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Four seconds of walking, by each of the walkers, as files."""
    folder = tmp_path_factory.mktemp("takes")
    return {name: str(run(Trial.of(name, seconds=4.0)).motion.save(folder / f"{name}.npz"))
            for name in ("walk", "locomote")}


class Watched:
    """How near a run kept to its reference, a row a tick until the reference ends."""

    def __init__(self) -> None:
        self.joints: list[float] = []
        self.com: list[float] = []
        self.clock = 0.0

    def __call__(self, world: World, behavior: Behavior) -> None:
        assert isinstance(behavior, Follow)
        self.clock = behavior.clock.time
        if not behavior.clock.over:
            reference, phase = behavior.reference, behavior.phase
            planned = reference.at(behavior.tracking.angles, phase.time)
            self.joints.append(float(np.degrees(np.abs(behavior.figure.angles - planned)).mean()))
            self.com.append(float(np.linalg.norm((behavior.figure.com - reference.at(reference.com, phase.time))[:2])))


def follow(path: str, seconds: float, pushes: tuple[Push, ...] = (), gains: FollowGains | None = None,
           **settings: object) -> tuple[Run, Watched]:
    watched = Watched()
    trial = Trial.of("follow", settings={"motion": path, **settings}, seconds=seconds, pushes=pushes, gains=gains)
    return run(trial, watch=watched, to_fall=True), watched


@pytest.mark.parametrize("name", ["walk", "locomote"])
def test_a_take_is_done_again_to_its_end_and_the_new_one_verifies(takes: dict[str, str], name: str) -> None:
    done, watched = follow(takes[name], 4.2)
    assert done.fell is None and watched.clock > 4.0
    assert np.mean(watched.joints) < 3.0 and max(watched.com) < 0.25
    assert verify(done.motion).ok


def test_it_can_be_slower_and_takes_as_much_longer(takes: dict[str, str]) -> None:
    slow, watched = follow(takes["walk"], 4.4, speed=0.8)
    assert slow.fell is None and 3.3 < watched.clock < 3.9
    assert np.mean(watched.joints) < 3.0


@pytest.mark.parametrize(("force", "time"), [(LEFT, 1.65), (RIGHT, 1.2)])
def test_footholds_that_adapt_survive_a_push_that_fixed_ones_do_not(takes: dict[str, str], force: float, time: float
                                                                    ) -> None:
    pushes = (Push(time, "trunk", (0.0, force, 0.0), 0.1),)
    assert follow(takes["walk"], 4.0, pushes)[0].fell is None
    assert follow(takes["walk"], 4.0, pushes, FIXED)[0].fell is not None


def test_it_begins_in_the_middle_of_a_walk_with_its_velocity(takes: dict[str, str]) -> None:
    part, watched = follow(takes["walk"], 1.4, begin=2.0)
    take = Motion.load(takes["walk"])
    row = int(np.abs(take.time - 2.0).argmin())
    assert np.allclose(part.motion.qpos[0], take.qpos[row]) and np.allclose(part.motion.qvel[0], take.qvel[row])
    assert part.fell is None and watched.clock == pytest.approx(1.4, abs=0.1)
    assert np.mean(watched.joints) < 3.0


@pytest.mark.parametrize("end", [2.6, 3.0])
def test_it_comes_to_rest_from_the_middle_of_a_step(takes: dict[str, str], end: float) -> None:
    done, _ = follow(takes["locomote"], end + 2.5, end=end)
    assert done.fell is None and np.abs(done.motion.qvel[-1]).max() < 0.1
    take = Motion.load(takes["locomote"])
    assert done.motion.qpos[-1, 0] > take.qpos[int(np.abs(take.time - end).argmin()), 0]


def test_the_steps_to_rest_are_ones_that_a_pendulum_can_do(takes: dict[str, str]) -> None:
    figure = World(make_character("human")).figure
    whole = reference_of_take(Motion.load(takes["locomote"]), figure)
    standing = part_of_reference(whole, 0.0, 0.1)
    assert halted(standing, figure) is standing
    going = part_of_reference(whole, 0.0, 3.0)
    for speed in (1.0, 0.8):
        whole = halted(going, figure, speed)
        tail = part_of_reference(whole, going.seconds, 0.0)
        assert speed * np.linalg.norm(whole.com_velocity[-1]) < 0.1 and whole.down[-1].all()
        for name in ("com", "places", "com_velocity"):  # no jumps
            steps = np.abs(np.diff(getattr(tail, name), axis=0)).max()
            assert steps < 0.06, (name, steps)
        pressure = tail.com[:, :2] - speed**2 * tail.com_acceleration[:, :2] * tail.com[:, 2:] / 9.81
        near = np.linalg.norm(tail.places[:, :, :2] - pressure[:, None], axis=2)
        far = np.where(tail.down, near, np.inf).min(axis=1)
        assert np.median(far) < 0.2 and far.max() < 0.35


def test_a_figure_that_stands_elsewhere_walks_from_where_it_stands(takes: dict[str, str]) -> None:
    trial = Trial.of("follow", settings={"motion": takes["walk"]}, start=Start(x=5.0, y=1.0, yaw=90.0), seconds=3.0)
    done = run(trial, to_fall=True)
    root = done.motion.qpos[:, :2]
    gone = root[-1] - root[0]
    assert done.fell is None and np.allclose(root[0], (5.0, 1.0), atol=0.05)
    assert gone[1] > 1.0 and abs(gone[0]) < 0.3


def test_the_same_run_comes_out_of_what_a_motion_says_of_it(takes: dict[str, str]) -> None:
    first = run(Trial.of("follow", settings={"motion": takes["walk"]}, seconds=0.4)).motion
    again = run(trial_from(first.meta["trial"])).motion
    assert np.array_equal(first.qpos, again.qpos)


def test_a_reference_that_is_cut_and_moved_is_the_same_motion(takes: dict[str, str]) -> None:
    figure = World(make_character("human")).figure
    whole = reference_of_take(Motion.load(takes["walk"]), figure)
    part = part_of_reference(whole, 1.0, 2.0)
    assert part.seconds == pytest.approx(1.0) and np.array_equal(part.com[0], whole.com[250])
    other = moved(part, 0.7, part.qpos[0, :2], np.array([3.0, -1.0]))
    assert np.allclose(other.qpos[0, :2], (3.0, -1.0))
    assert heading_of(other.qpos[0, 3:7]) - heading_of(part.qpos[0, 3:7]) == pytest.approx(0.7)
    between = [np.linalg.norm(each.places[:, 0] - each.com, axis=1) for each in (part, other)]
    assert np.allclose(*between)
    assert np.allclose(np.gradient(other.com, 1 / other.rate, axis=0)[1:-1], other.com_velocity[1:-1], atol=1e-6)
    assert np.allclose(other.turns[:, 0, :, 0] @ np.array([0.0, 0.0, 1.0]), part.turns[:, 0, 2, 0])


def test_contacts_of_a_take_are_those_that_its_feet_had(takes: dict[str, str]) -> None:
    take, world = Motion.load(takes["walk"]), World(make_character("human"))
    figure = world.figure
    reference = reference_of_take(take, figure)
    agree = []
    for row in range(0, len(take.time), 10):
        world.data.qpos[:] = take.qpos[row]
        mujoco.mj_kinematics(world.model, world.data)
        soles = np.split(figure.sole_points()[:, 2], 2)
        agree.append([(soles[foot] < 0.003).any() == reference.down[row, foot] for foot in (0, 1)])
    assert np.mean(agree) > 0.93
    assert 0.5 < reference.down.mean() < 0.8 and reference.down.any(axis=1).all()


def test_smoothing_keeps_value_and_slope_at_the_ends() -> None:
    line = np.linspace(1.0, 3.0, 50)
    assert np.allclose(smooth(line, 6.0, 1.0), line)
    assert np.abs(np.diff(smooth(np.tile([0.0, 1.0], 20), 4.0, 1.0))[5:-5]).max() < 0.05


def test_short_gaps_and_contacts_are_none() -> None:
    flags = np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1], dtype=bool)
    assert tidied(flags, 3).astype(int).tolist() == [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]


def test_who_follows_somebody_down_has_not_fallen_and_who_stays_behind_has(tmp_path: Path) -> None:
    squat = run(Trial.of("balance", seconds=3.0, changes=((0.5, "height", 0.65),))).motion.save(tmp_path / "squat.npz")
    done = follow(str(squat), 3.0)[0]
    low = [share_of_height(motion) for motion in (Motion.load(squat), done.motion)]
    assert done.fell is None and low[0] < 0.75 and low[1] == pytest.approx(low[0], abs=0.02)
    world = World(make_character("human"))
    behavior = make_behavior("follow", world, {"motion": str(squat)})
    assert isinstance(behavior, Follow) and behavior.failed() is None
    behavior.phase = Phase(2.9, 725, 1.0, {})
    assert behavior.failed() is None
    world.data.subtree_com[:, 2] -= 0.7
    assert "below the motion it follows" in str(behavior.failed())


def share_of_height(motion: Motion) -> float:
    """Height of the root at the end against the begin."""
    return float(motion.qpos[-1, 2] / motion.qpos[0, 2])


def test_bad_input_is_told_in_one_line(takes: dict[str, str], tmp_path: Path) -> None:
    text = tmp_path / "no_motion.npz"
    np.savez(text, a=np.zeros(3))
    for settings, character, words in [({}, None, "needs a motion"), ({"motion": "none.npz"}, None, "no file"),
                                       ({"motion": str(text)}, None, "not a gambol Motion"),
                                       ({"motion": takes["walk"]}, "child", "of another body"),
                                       ({"motion": takes["walk"]}, "quadruped", "of another body"),
                                       ({"motion": takes["walk"], "begin": 9.0}, None, "lasts 4 s"),
                                       ({"motion": takes["walk"], "begin": 3.0, "end": 2.0}, None, "nothing to follow"),
                                       ({"motion": 3}, None, "is not text")]:
        with pytest.raises(BadInput, match=words) as refusal:
            run(Trial.of("follow", character, settings=settings, seconds=0.1))
        assert "\n" not in str(refusal.value)


def test_the_command_takes_the_character_from_the_motion_and_refuses_what_is_none(tmp_path: Path) -> None:
    take = run(Trial.of("balance", "child", seconds=0.5)).motion.save(tmp_path / "child.npz")
    command = [sys.executable, "-m", "gambol", "run", "follow", "--motion"]
    result = subprocess.run([*command, str(take), "--seconds", "0.5", "--json"], capture_output=True, text=True)
    summary = json.loads(result.stdout)
    assert summary["figures"][0]["character"] == "child" and not summary["fell"]
    result = subprocess.run([*command, str(tmp_path / "none.npz")], capture_output=True, text=True)
    assert result.returncode == 2 and "there is no file" in result.stderr and result.stderr.count("\n") == 1


def test_it_can_go_round_and_round(takes: dict[str, str]) -> None:
    """A stride of the walk again and again goes farther than the stride."""
    again = Trial.of("follow", settings={"motion": takes["walk"], "begin": 2.0, "end": 3.1, "loop": True}, seconds=5.0)
    done = run(again, to_fall=True)
    assert done.fell is None and done.motion.qpos[-1, 0] - done.motion.qpos[0, 0] > 2.0


@dataclass
class Sole:
    """As much of a patch as the clock looks at."""

    role: str
    points: int

    @property
    def touches(self) -> bool:
        return self.points > 0

    @property
    def near(self) -> np.ndarray:
        return np.arange(4) < self.points


class TestClock:
    """The right foot is up from 0.57 s to 0.96 s of the walk, the left one from 1.08 s to 1.52 s."""

    @pytest.fixture()
    def clock(self, takes: dict[str, str]) -> PhaseClock:
        figure = World(make_character("human")).figure
        reference = reference_of_take(Motion.load(takes["walk"]), figure)
        return PhaseClock(reference, ClockGains(), 1.0)

    @staticmethod
    def tick(clock: PhaseClock, left: int, right: int, short: float = 0.0) -> Phase:
        soles: Any = [Sole("left_foot", left), Sole("right_foot", right)]
        return clock.tick(soles, 0.004, 1.0, short)

    def test_it_runs_on_while_contacts_are_as_planned(self, clock: PhaseClock) -> None:
        clock.time = 0.8
        phase = self.tick(clock, 4, 0)
        assert phase.rate == 1.0 and phase.down == {"left_foot": True, "right_foot": False}
        assert clock.time == pytest.approx(0.804)

    def test_it_waits_for_a_foot_that_is_late_but_not_for_ever(self, clock: PhaseClock) -> None:
        lands = float(clock.reference.lands[round(0.8 * 250), 1])
        clock.time = lands + 0.01
        rates = [self.tick(clock, 4, 0).rate for _ in range(40)]
        assert rates[0] == ClockGains().late_rate and rates[-1] == 1.0
        assert rates.count(rates[0]) * 0.004 == pytest.approx(ClockGains().wait, abs=0.01)

    def test_it_takes_a_foot_that_is_early_late_in_its_swing_only(self, clock: PhaseClock) -> None:
        lifted, lands = 0.57, float(clock.reference.lands[round(0.8 * 250), 1])
        clock.time = lifted + 0.9 * (lands - lifted)
        assert not self.tick(clock, 4, 1).down["right_foot"]
        phase = self.tick(clock, 4, 3)
        assert phase.down["right_foot"] and phase.rate == ClockGains().early_rate
        clock.time = lifted + 0.4 * (lands - lifted)
        assert not self.tick(clock, 4, 3).down["right_foot"]

    def test_it_hastens_on_both_feet_when_the_pressure_is_out_of_reach(self, clock: PhaseClock) -> None:
        clock.time = 0.5
        assert self.tick(clock, 4, 4, short=0.5).rate == pytest.approx(2.0)
        clock.time = 0.8
        assert self.tick(clock, 4, 0, short=0.5).rate == 1.0

    def test_at_the_end_it_stands_still(self, clock: PhaseClock) -> None:
        clock.time = clock.reference.seconds
        assert self.tick(clock, 4, 4, short=0.5).rate == 0.0 and clock.over


class TestFootholds:
    """At 0.8 s of the walk the left foot carries, and the right one is in the air."""

    @pytest.fixture()
    def footholds(self, takes: dict[str, str]) -> Footholds:
        figure = World(make_character("human")).figure
        return Footholds(reference_of_take(Motion.load(takes["walk"]), figure), FootholdGains(), 1.0)

    @staticmethod
    def goal(footholds: Footholds, error: tuple[float, float], pressed: tuple[float, float]) -> np.ndarray:
        for _ in range(100):
            phase = Phase(0.8, 200, 1.0, {"left_foot": True, "right_foot": False})
            footholds.swing("right_foot", phase, np.array(error), np.array(pressed), 3.2, 0.004)
        return footholds.step

    def test_a_step_takes_up_what_is_left_of_the_error_when_it_lands(self, footholds: Footholds) -> None:
        lands = float(footholds.reference.lands[200, 1])
        left = 0.04 + (0.1 - 0.04) * np.exp(3.2 * (lands - 0.8))
        assert self.goal(footholds, (0.1, 0.0), (0.04, 0.0)) == pytest.approx([left, 0.0], abs=1e-6)

    def test_in_calm_a_step_goes_back_toward_the_path_and_no_farther(self, footholds: Footholds) -> None:
        footholds.glide = np.array([0.2, 0.0])
        assert self.goal(footholds, (0.01, 0.0), (0.02, 0.0)) == pytest.approx([-0.03, 0.0])
        footholds.glide = np.array([0.02, 0.0])
        assert self.goal(footholds, (0.01, 0.0), (0.02, 0.0)) == pytest.approx([-0.02, 0.0])
        footholds.glide = np.array([0.2, 0.0])
        assert self.goal(footholds, (0.1, 0.0), (0.2, 0.0)) == pytest.approx([0.0, 0.0])

    def test_it_stays_where_the_pressure_holds_the_error(self, footholds: Footholds) -> None:
        assert np.array_equal(self.goal(footholds, (0.1, -0.05), (0.2, -0.06)), [0.0, 0.0])

    def test_it_goes_no_farther_than_it_may_nor_across_the_foot_that_stands(self, footholds: Footholds) -> None:
        assert self.goal(footholds, (5.0, 0.0), (0.0, 0.0))[0] == pytest.approx(0.6)
        step, reference = self.goal(footholds, (0.0, 0.5), (0.0, 0.0)), footholds.reference
        lands = reference.row(float(reference.lands[200, 1]))
        assert reference.places[200, 0, 1] - reference.places[lands, 1, 1] - step[1] == pytest.approx(0.02, abs=0.02)
