"""The live session of the studio, without a browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gambol.behaviors import BEHAVIORS
from gambol.behaviors.behavior import register
from gambol.behaviors.scenes import DefaultScene, Preset
from gambol.behaviors.stand import Stand
from gambol.errors import BadInput
from gambol.experiments.contacts.shoulders import on_shoulders
from gambol.motion.moments import state_at
from gambol.motion.verify import verify, verify_file
from gambol.runs import Cast, Trial, run
from gambol.studio.clock import MOST_DEBT, Pace
from gambol.studio.playback import Player, about
from gambol.world.props import make_props
from gambol.world.starts import ANYHOW, Jitter, Start
from studio_tools import SOON, advance, open_session, wait_for


def test_it_runs_by_the_clock_and_stops_when_told() -> None:
    with open_session(running=True) as session:
        wait_for(lambda: session.call(lambda world: world.time).result(SOON) > 0.1)
        session.pause().result(SOON)
        then = session.call(lambda world: world.time).result(SOON)
        time.sleep(0.1)
        assert session.call(lambda world: world.time).result(SOON) == then
        session.reset().result(SOON)
        assert session.call(lambda world: world.time).result(SOON) == 0.0


def test_what_is_owed_is_bounded() -> None:
    pace = Pace(speed=2.0)
    assert pace.owed(10.0) == 0.0
    assert pace.owed(10.01) == pytest.approx(0.02)
    pace.paid(0.02)
    assert pace.owed(100.0) == MOST_DEBT


def test_frames_are_made_only_while_somebody_looks() -> None:
    with open_session(running=True) as session:
        wait_for(lambda: session.call(lambda world: world.time).result(SOON) > 0.05)
        assert session.frame is None
        session.watched.set()
        wait_for(lambda: session.frame is not None)


def test_looking_changes_nothing() -> None:
    """A watched run gives the very states of one that nobody sees."""
    ends = []
    for watched in (False, True):
        with open_session() as session:
            if watched:
                session.watched.set()
            session.push("trunk", 120.0, 30.0, 0.1).result(SOON)
            advance(session, 0.5)
            ends.append(session.call(lambda world: world.data.qpos.copy()).result(SOON))
    np.testing.assert_array_equal(*ends)


def test_a_frame_shows_weight_on_the_feet() -> None:
    with open_session(Trial.of("balance")) as session:
        session.watched.set()
        advance(session, 0.5)
        wait_for(lambda: session.frame is not None and session.frame.time > 0.4)
        frame = session.frame
        assert frame is not None
        assert 0.7 < frame.measures["ground force"] < 1.3
        assert 0.8 < frame.measures["COM height"] < 1.2
        assert len(frame.support) >= 3
        assert 0.0 < frame.measures["torque ratio"] <= 1.0


def test_on_a_box_the_height_is_above_the_box_live_and_played_again() -> None:
    """And so it is on another's shoulders."""
    box = Trial.of("balance", props=make_props(["box:x=0,y=0,size=1,height=0.5,mass=200"]), start=Start(x=0.0, y=0.0))
    for trial, first in ((box, 0.5), (Trial(on_shoulders(1.0).figures[::-1]), 1.5)):
        with open_session(trial) as session:
            session.watched.set()
            advance(session, 0.2)
            wait_for(lambda: session.frame is not None and session.frame.time > 0.15)
            stood = session.call(lambda world: world.contacts.com_height(world.figure)).result(SOON)
            assert session.frame is not None
            assert session.frame.measures["COM height"] == pytest.approx(stood, abs=0.01)
            assert session.frame.ground == pytest.approx(first, abs=0.05)
            player = Player(session.motion().result(SOON))
        try:
            frame = player._mirrors.frame(0.2)
            assert frame.measures["COM height"] == pytest.approx(stood, abs=0.01)
        finally:
            player.close()


def test_a_push_goes_where_it_points_and_is_recorded() -> None:
    with open_session() as session:
        session.push("trunk", 300.0, 90.0, 0.1).result(SOON)
        advance(session, 0.4)
        motion = session.motion().result(SOON)
        assert session.call(lambda world: world.figure.com[1]).result(SOON) > 0.02
    assert len(motion.push_tick) == 25
    np.testing.assert_allclose(np.linalg.norm(motion.push_wrench[:, :3], axis=1), 300.0)
    assert verify(motion).ok


def test_balls_can_be_thrown() -> None:
    with open_session() as session:
        session.throw(body="trunk", mass=2.0, speed=8.0, bearing=90.0).result(SOON)
        advance(session, 0.6)
        motion = session.motion().result(SOON)
    assert len(motion.throw_tick) == 1
    assert verify(motion).ok
    assert "| balls thrown | 1 |" in about(motion, "take") and "events" not in about(motion, "take")  # counted once


def test_a_recording_begins_and_ends_when_told(tmp_path: Path) -> None:
    with open_session() as session:
        advance(session, 0.5)
        session.record().result(SOON)
        advance(session, 0.4)
        session.stop_recording().result(SOON)
        advance(session, 0.3)
        motion = session.motion().result(SOON)
        with pytest.raises(BadInput, match="nothing is being recorded"):
            session.stop_recording().result(SOON)
    assert motion.seconds == pytest.approx(0.4, abs=0.05)
    assert motion.meta["behavior"] == "stand"
    assert verify_file(motion.save(tmp_path / "take.npz")).ok


def test_a_reset_ends_the_recording_but_keeps_it() -> None:
    with open_session() as session:
        session.record().result(SOON)
        advance(session, 0.2)
        session.reset().result(SOON)
        assert session.status.recording is None
        assert session.status.take == pytest.approx(0.2, abs=0.05)


def test_a_body_grows_gradually_and_the_take_still_verifies() -> None:
    with open_session() as session:
        before = session.call(lambda world: world.figure.mass).result(SOON)
        session.morph(1.1, {"thigh": 1.05}).result(SOON)
        masses = []
        for _ in range(6):
            advance(session, 0.2)
            masses.append(session.call(lambda world: world.figure.mass).result(SOON))
        motion = session.motion().result(SOON)
    assert before < masses[0] < masses[-1]
    assert masses[-1] == pytest.approx(before * 1.1**3, rel=0.1)
    assert verify(motion).ok
    Player(motion).close()


def test_switching_rebuilds_or_leaves_things_as_they_were() -> None:
    with open_session() as session:
        session.rebuild(character="child", terrain="flat").result(SOON)
        assert session.call(lambda world: world.characters[0].name).result(SOON) == "child"
        for wrong in ({"terrain": "moon"}, {"terrain": "flat:bumps=3"}, {"character": "nobody"}):
            with pytest.raises(BadInput, match="unknown"):
                session.rebuild(**wrong).result(SOON)
        assert session.status.trial.first.character == "child"
        session.switch("balance").result(SOON)
        with pytest.raises(BadInput, match="unknown behavior"):
            session.switch("fly").result(SOON)
        assert session.behavior.name == "balance"


def test_parameters_are_checked_and_all_or_nothing() -> None:
    with open_session() as session:
        session.set_params({"stiffness": 2.0}).result(SOON)
        assert session.behavior.params.stiffness == 2.0
        with pytest.raises(BadInput, match="out of range"):
            session.set_params({"stiffness": 1.0, "damping": 1e9}).result(SOON)
        assert session.behavior.params.stiffness == 2.0


def test_a_failing_behavior_pauses_with_its_message() -> None:
    with open_session() as session:
        def fail() -> np.ndarray:
            raise ZeroDivisionError("no ground left")

        session.call(lambda world: setattr(session.behavior, "act", fail)).result(SOON)
        session.play().result(SOON)
        wait_for(lambda: session.status.problem is not None)
        assert "no ground left" in str(session.status.problem)
        assert not session.status.running
        with pytest.raises(BadInput, match="reset"):
            session.play().result(SOON)
        session.call(lambda world: delattr(session.behavior, "act")).result(SOON)
        session.reset().result(SOON)
        assert session.status.problem is None and session.status.running


def test_a_diverged_simulation_pauses_and_can_be_reset() -> None:
    with open_session() as session:
        def blow_up(world: Any) -> None:
            world.data.qvel[:] = np.nan

        session.call(blow_up).result(SOON)
        session.step().result(SOON)
        assert "diverged" in str(session.status.problem) or "nan" in str(session.status.problem).lower()
        session.reset().result(SOON)
        advance(session, 0.1)
        assert session.status.problem is None


def test_a_fall_is_told_once_and_it_lies_there() -> None:
    with open_session() as session:
        session.push("trunk", 800.0, 0.0, 0.3).result(SOON)
        advance(session, 2.0)
        assert session.status.fell is not None and session.status.fell_at is not None
        assert session.status.problem is None


@pytest.fixture
def own_behaviors() -> Iterator[None]:
    """Behaviors with rates and scenes of their own, forgotten after the test."""
    before = dict(BEHAVIORS)
    for rate in (30.0, 2000.0):
        register(type(f"At{rate:.0f}", (Stand,), {"__doc__": "stands at its own rate", "control_rate": rate}))
    uphill = Preset({"stiffness": 2.0}, scene=DefaultScene(terrain="slope:angle=2"))
    register(type("Anyhow", (Stand,), {"__doc__": "begins lying anyhow", "jitter": ANYHOW, "standing": False,
                                       "scene": classmethod(lambda cls, seed: DefaultScene(start=Start("supine")))}))
    childlike = Preset({}, scene=DefaultScene("child"))
    register(type("Staged", (Stand,), {"__doc__": "has a child in a preset", "presets": {"childlike": childlike}}))
    register(type("Shown", (Stand,), {"__doc__": "stands on a hill", "presets": {"uphill": uphill},
                                      "scene": classmethod(lambda cls, seed: DefaultScene("child"))}))
    yield
    BEHAVIORS.clear()
    BEHAVIORS.update(before)


@pytest.mark.parametrize("rate", [30, 2000])
def test_the_studio_runs_at_the_rate_of_the_behavior(rate: int, own_behaviors: None) -> None:
    with open_session(Trial.of(f"at{rate}")) as session:
        advance(session, 0.5)
        motion = session.motion().result(SOON)
        assert len(motion.ctrl) == pytest.approx(0.5 * rate, abs=0.02 * rate) and verify(motion).ok
        session.play().result(SOON)
        wait_for(lambda: session.call(lambda world: world.time).result(SOON) > 0.6)


def test_a_behavior_that_the_world_is_too_slow_for_begins_afresh(own_behaviors: None) -> None:
    with open_session() as session:
        advance(session, 0.2)
        session.switch("balance").result(SOON)
        assert session.call(lambda world: world.time).result(SOON) > 0.1  # takes over in full motion
        session.switch("at2000").result(SOON)
        assert session.call(lambda world: (world.time, world.control_rate)).result(SOON) == (0.0, 2000.0)
        advance(session, 0.1)
        session.switch("balance").result(SOON)
        assert session.call(lambda world: world.time).result(SOON) > 0.05 and session.behavior.every == 8
        advance(session, 0.1)
        assert verify(session.motion().result(SOON)).ok


def test_presets_and_scenes_of_a_behavior_are_shown(own_behaviors: None) -> None:
    with open_session(Trial.of("shown")) as session:
        assert session.world.characters[0].name == "child" and session.world.terrain.name == "flat"
        advance(session, 0.1)
        session.choose_preset("uphill").result(SOON)
        assert session.world.terrain.text.startswith("slope:angle=2") and session.behavior.params.stiffness == 2.0
        assert session.world.characters[0].name == "child"
        with pytest.raises(BadInput, match="unknown preset"):
            session.choose_preset("downhill").result(SOON)


def test_settings_are_values_whatever_text_they_came_from() -> None:
    trial = Trial.of("locomote", settings={"replan": "25.0", "step_length": "0.2"}, changes=[(9.0, "replan", "30")])
    with open_session(trial) as session:
        settings = session.status.trial.first.settings
        assert settings == {"replan": 25, "step_length": 0.2} and isinstance(settings["replan"], int)
        assert session.status.trial.changes == ((9.0, "replan", 30),)
    assert Trial.of("stand", settings={"stiffness": "2"}).resolved().first.settings == {"stiffness": 2.0}


def test_what_was_to_change_in_a_behavior_goes_with_it() -> None:
    other = Cast("balance", "child", name="b", start=Start(x=2.0))
    trial = Trial((Cast("balance"), other), changes=((0.3, "height", 0.9), (0.3, "b/height", 0.95)))
    with open_session(trial) as session:
        advance(session, 0.1)
        session.switch("stand").result(SOON)
        for _ in range(2):
            advance(session, 0.4)
            assert session.status.problem is None
            assert session.performance.behaviors[1].params.height == 0.95
            session.reset().result(SOON)
        session.rebuild(terrain="slope:angle=1").result(SOON)
        assert session.status.trial.changes == ((0.3, "b/height", 0.95),)


def test_a_behavior_begins_in_its_own_way_after_another(own_behaviors: None) -> None:
    with open_session(Trial.of("anyhow", seed=1, where={"jitter": 0.5})) as session:
        assert session.world.starts[0].spread == ANYHOW and session.world.figure.com[2] < 0.5
        session.switch("balance").result(SOON)
        session.rebuild(terrain="flat").result(SOON)
        start = session.world.starts[0]
        assert (start.spread, start.pose, start.jitter) == (Jitter(), "standing", 0.5)
        assert abs(session.world.figure.heading) < 0.05
    with open_session(Trial.of("stand", start=Start("sitting", x=1.0))) as session:  # as somebody said: it stays
        session.switch("balance").result(SOON)
        session.rebuild(terrain="flat").result(SOON)
        assert session.status.trial.first.start == Start("sitting", x=1.0)


def test_a_figure_goes_by_the_character_that_a_preset_names(own_behaviors: None) -> None:
    with open_session(Trial.of("staged")) as session:
        assert session.status.trial.first.name == "human"
        session.choose_preset("childlike").result(SOON)
        assert session.status.trial.first.name == "child" and session.world.figure.prefix == "child/"
    with open_session(Trial.of("staged", name="bo")) as session:
        session.choose_preset("childlike").result(SOON)
        assert session.status.trial.first.name == "bo" and session.world.characters[0].name == "child"


def test_another_character_comes_without_what_belonged_to_the_one_before() -> None:
    state = state_at(run(Trial.of("stand", seconds=0.1)).motion, 0.1)
    with open_session(Trial.of("stand", start=Start(x=1.0, state=state))) as session:
        session.rebuild(character="child").result(SOON)
        assert session.status.trial.first.start == Start(x=1.0) and session.world.figure.prefix == "child/"
    cast = Cast("stand", "robot.xml", name="robot", actuators="file")
    assert cast.become("child") == Cast("stand", "child")


def test_several_figures_are_on_stage_and_each_goes_on_after_a_reset() -> None:
    trial = Trial((Cast("stand"), Cast("balance", "child", name="b", start=Start(x=1.0))))
    with open_session(trial) as session:
        for _ in range(2):
            advance(session, 0.2)
            motion = session.motion().result(SOON)
            assert [entry["behavior"] for entry in motion.meta["figures"]] == ["stand", "balance"]
            assert verify(motion).ok
            session.reset().result(SOON)
