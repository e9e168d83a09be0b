"""Runs of several figures: whose a divergence is, whose fall ends it, at whom balls are thrown, what is done once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gambol.behaviors import BEHAVIORS, make_behavior
from gambol.behaviors.behavior import register
from gambol.behaviors.stand import Stand
from gambol.bodies import make_character
from gambol.errors import BadInput, Diverged
from gambol.explain.diary import Diary
from gambol.explain.evidence import Evidence
from gambol.motion import ground_forces, kinematics, measures
from gambol.runs import Cast, Performance, Run, Trial, run
from gambol.world.pushes import Push, Throw
from gambol.world.starts import Start
from gambol.world.world import World

BOTH = Cast("stand", name="a", start=Start(x=0.0)), Cast("stand", "child", name="b", start=Start(x=2.0, yaw=90.0))


@pytest.fixture
def broken() -> Iterator[None]:
    """A behavior that goes wrong after 0.1 s."""
    before = dict(BEHAVIORS)

    @register
    class Broken(Stand):
        """goes wrong"""

        def act(self) -> np.ndarray:
            return super().act() * (np.nan if self.world.time > 0.1 else 1.0)

    yield
    BEHAVIORS.clear()
    BEHAVIORS.update(before)


def falls_told(found: Run) -> list[str]:
    """Who fell by the events of the Motion."""
    return [event["figure"] for event in found.motion.meta["events"] if event["event"] == "fall"]


@pytest.mark.parametrize("to_fall", [True, "first", "any"])
def test_who_gives_no_number_falls_and_is_named(broken: None, to_fall: Any) -> None:
    trial = Trial((BOTH[0], Cast("broken", "child", name="b", start=Start(x=2.0))), seconds=0.5)
    found = run(trial, to_fall=to_fall)
    assert found.falls[0] is None and found.falls[1] is not None
    assert "the behavior of 'b' gave a torque that is not a number" in found.falls[1].reason
    assert found.seconds == found.falls[1].time == pytest.approx(0.1) and falls_told(found) == ["b"]
    assert [entry["fall"] is None for entry in found.motion.meta["figures"]] == [True, False]
    with pytest.raises(Diverged) as caught:
        run(trial)
    assert caught.value.figure == 1 and caught.value.last is not None


def test_one_alone_is_called_by_its_character_and_its_divergence_is_an_event(broken: None) -> None:
    found = run(Trial.of("broken", seconds=0.5), to_fall=True)
    assert found.fell is not None and "the behavior of 'human' gave" in found.fell
    assert found.motion.meta["events"] == [{"time": found.fell_at, "event": "fall", "reason": found.fell}]


def speed_up(*names: str) -> Callable[[World, Any], None]:
    """What makes figures run away after 0.1 s."""
    def watch(world: World, _: Any) -> None:
        for figure in world.figures:
            if world.time > 0.1 and figure.prefix.rstrip("/") in names:
                world.data.qvel[figure.dofs] = 1e5
    return watch


@pytest.mark.parametrize(("who", "blamed"), [(("b",), [1]), (("a",), [0]), (("a", "b"), [0, 1])])
def test_who_runs_away_is_named_and_where_all_do_all_have_fallen(who: tuple[str, ...], blamed: list[int]) -> None:
    found = run(Trial(BOTH, seconds=0.5), watch=speed_up(*who), to_fall=True)
    assert [index for index, fall in enumerate(found.falls) if fall is not None] == blamed
    assert falls_told(found) == list(who) and found.seconds < 0.2
    reason = next(fall.reason for fall in found.falls if fall is not None)
    assert "diverged" in reason and ("of 'b'" in reason) == (who == ("b",))


def test_anybodys_fall_may_end_a_run() -> None:
    trial = Trial(BOTH, seconds=1.5, pushes=(Push(0.1, "b/trunk", (0.0, 300.0, 0.0)),))
    whole, first, anybody = (run(trial, to_fall=how) for how in (False, "first", "any"))  # type: ignore[arg-type]
    assert whole.seconds == pytest.approx(1.5) and whole.falls[1] is not None
    assert first.falls == whole.falls and first.seconds == whole.seconds
    assert anybody.falls == (None, whole.falls[1]) and anybody.seconds == whole.falls[1].time < 1.4
    with pytest.raises(BadInput, match="unknown to_fall 'all'; known: any, first"):
        run(trial, to_fall="all")  # type: ignore[arg-type]


def test_a_performance_can_be_run_and_looked_into() -> None:
    performance, seen = Performance.of(Trial(BOTH, seconds=0.2)), []
    found = run(performance, each=lambda world, _: seen.append(performance.behaviors[1].world is world))
    assert all(seen) and len(seen) == len(found.motion.ctrl) == 50


def test_time_is_that_of_the_run_though_only_its_last_part_is_kept() -> None:
    found = run(Trial.of("stand", seconds=2.5), last=0.5)
    assert found.motion.seconds < 2.0
    assert found.summary["seconds"] == pytest.approx(2.5)
    assert found.summary["realtime_factor"] == pytest.approx(2.5 / found.wall, abs=0.001)


def test_a_motion_is_replayed_once_for_all_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    found, done = run(Trial(BOTH, seconds=0.1)), []

    def counted(what: str, function: Any) -> Any:
        return lambda *given: (done.append(what), function(*given))[1]

    monkeypatch.setattr(measures, "ground_load", counted("replay", ground_forces.ground_load))
    monkeypatch.setattr(measures, "Track", counted("track", kinematics.Track))
    assert len(found.summary["figures"]) == 2 and sorted(done) == ["replay", "track"]


# -- balls -------------------------------------------------------------------------------------------------------------


def test_a_ball_comes_from_where_its_target_looks_and_flies_with_it() -> None:
    world = World([make_character("human")] * 2, starts=[Start(x=0.0), Start(x=4.0, yaw=90.0)], names=("a", "b"),
                  projectiles=1)
    world.data.qvel[world.figures[1].dofs.start] = 0.5  # it goes along x
    world.throw(Throw(0.0, "b/trunk", bearing=0.0, distance=3.0, speed=6.0))
    target = world.data.xipos[world.figures[1].body_id("trunk")].copy()
    world.step([np.zeros(figure.nu) for figure in world.figures])
    ball = world.recorder.throws[0][2]
    np.testing.assert_allclose(ball[:2], target[:2] + [0.0, 3.0], atol=0.2)  # from its front, which is along y
    np.testing.assert_allclose(ball[7:9], [0.5, -6.0], atol=0.4)
    assert world.events == [{"time": 0.0, "event": "throw", "ball": "projectile1", "body": world.model.body(
        world.figures[1].body_id("trunk")).name}]


@pytest.mark.parametrize(("target", "told"), [("a/trunk", 1), ("b/trunk", 0), ("trunk", 1)])
def test_only_balls_thrown_at_it_are_evidence(target: str, told: int) -> None:
    throws = (Throw(0.1, target, mass=0.1), Throw(0.1, "b/head", mass=0.1))
    diary = Diary()
    motion = run(Trial(BOTH, seconds=0.2, throws=throws), watch=diary).motion
    assert len(motion.throw_tick) == 2
    assert len(Evidence(motion, diary).pushes) == told
    old = motion.with_meta(events=[])  # of before it was said at whom
    assert len(Evidence(old, diary).pushes) == 2


def test_a_motion_says_how_the_behavior_that_took_over_was_set() -> None:
    performance = Performance.of(Trial.of("balance", seconds=1.0))
    performance.tick()
    performance.switch(make_behavior("walk", performance.world, {"step_length": 0.3}))
    performance.tick()
    entry = performance.motion().meta["trial"]["figures"][0]
    assert entry["behavior"] == "walk" and entry["settings"]["step_length"] == 0.3
