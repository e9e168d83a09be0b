"""Trials, the one loop, runs: one and several figures, presets, default scenes, rates."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from gambol.behaviors import BEHAVIORS
from gambol.behaviors.behavior import register
from gambol.behaviors.parameter_file import write_params
from gambol.behaviors.scenes import DefaultScene, Preset
from gambol.behaviors.stand import Stand
from gambol.behaviors.walk.gains import WalkGains
from gambol.bodies import make_character
from gambol.bodies.character import Character
from gambol.errors import BadInput, Diverged, GambolError
from gambol.explain.diary import Diary
from gambol.explain.evidence import Evidence
from gambol.motion.measures import summaries
from gambol.motion.moments import start_from
from gambol.motion.motion import Motion
from gambol.motion.verify import verify, verify_file
from gambol.rollout import simulate
from gambol.runs import Cast, Performance, Trial, record, run
from gambol.runs.endings import calm_after
from gambol.runs.figure_text import parse_figure
from gambol.runs.rates import rates_of
from gambol.world.props import Box
from gambol.world.pushes import Push, Throw
from gambol.world.starts import Jitter, Start
from gambol.world.terrains import make_terrain
from gambol.world.vary import Vary
from gambol.world.world import World

SHOVE = Push(0.1, "trunk", (900.0, 0.0, 0.0))


@pytest.fixture
def own_behaviors() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    before = dict(BEHAVIORS)
    yield
    BEHAVIORS.clear()
    BEHAVIORS.update(before)


def bits(motion: Motion) -> list[bytes]:
    return [motion.ctrl.tobytes(), motion.qpos.tobytes(), motion.qvel.tobytes()]


# -- a trial is a value ------------------------------------------------------------------------------------------------


OWN = ["child", make_character("human").scaled(height=1.4), make_character("quadruped")]


@pytest.mark.parametrize("character", OWN, ids=["by name", "scaled", "quadruped"])
def test_a_pickled_trial_runs_to_the_same_bits(character: str | Character) -> None:
    trial = Trial((Cast("balance", character, settings={"height": 0.95}, start=Start(yaw=20.0)),),
                  make_terrain("slope:angle=4"), (Box(x=3.0),), (Push(0.1, "trunk", (20.0, 0.0, 0.0)),),
                  (Throw(0.1, speed=9.0),), seconds=0.3, seed=5, changes=((0.2, "height", 1.0),))
    copy = pickle.loads(pickle.dumps(trial))
    assert bits(run(trial).motion) == bits(run(copy).motion)


def test_a_run_can_be_pickled_with_its_motion_and_falls() -> None:
    take = pickle.loads(pickle.dumps(record("stand", seconds=3.0, pushes=[SHOVE])))
    assert take.fell is not None and take.fell_at == take.seconds and len(take.motion.ctrl) == round(250 * take.seconds)


def test_a_character_whose_text_would_be_another_is_not_sent() -> None:
    """Numbers in MJCF have six digits; of the quadruped's looks one changes when it is read and written again."""
    quadruped = make_character("quadruped")
    for geom in quadruped.spec.geoms:
        geom.contype = 1  # now it matters
    with pytest.raises(BadInput, match="give its name or its file"):
        pickle.dumps(Trial.of("stand", quadruped))


def test_simulate_record_and_run_are_one_loop() -> None:
    pushes = [Push(0.2, "trunk", (0.0, 120.0, 0.0))]
    ways = [simulate("balance", seconds=0.6, seed=2, pushes=pushes).motion,
            record("balance", seconds=0.6, seed=2, pushes=pushes).motion,
            run(Trial.of("balance", seconds=0.6, seed=2, pushes=pushes)).motion]
    performance = Performance.of(Trial.of("balance", seed=2, pushes=pushes))
    for _ in range(150):
        performance.tick()
    ways.append(performance.motion())
    assert len(ways[0].ctrl) == 150
    assert all(bits(way) == bits(ways[0]) for way in ways)


def test_a_reset_performs_the_whole_trial_again() -> None:
    performance = Performance.of(Trial.of("balance", seed=4, pushes=[Push(0.1, "trunk", (0.0, 80.0, 0.0))],
                                          changes=[(0.2, "calm_weight", 2.0)]))
    takes = []
    for _ in range(2):
        performance.behavior.params.set("calm_weight", 1.0)
        for _ in range(75):
            performance.tick()
        takes.append(performance.motion())
        performance.reset()
    assert bits(takes[0]) == bits(takes[1]) and len(takes[1].push_tick) == 25


@pytest.mark.parametrize(("wrong", "words"), [
    ({"seconds": 0.0}, "seconds=0 is out of range"),
    ({"seconds": float("nan")}, "seconds=nan"),
    ({"preset": "happy"}, "unknown preset of 'walk' 'happy'"),
    ({"settings": {"hight": 1}}, "unknown parameter 'hight'"),
    ({"changes": [(1.0, "hight", 1.0)]}, "unknown parameter 'hight'"),
    ({"changes": [(1.0, "b/lean", 1.0)]}, "unknown figure 'b'"),
    ({"control_rate": 0.0}, "control_rate=0 is out of range"),
    ({"control_rate": 300.0, "physics_rate": 1000.0}, "must be a multiple"),
])
def test_a_trial_that_cannot_be_is_refused(wrong: dict, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        run(Trial.of("walk", **wrong))


def test_a_behavior_without_presets_says_what_it_takes() -> None:
    with pytest.raises(BadInput, match="'stand' has no presets; it takes settings: stiffness"):
        run(Trial.of("stand", preset="sad"))


def test_variation_gains_and_parameter_file_go_with_the_trial(tmp_path: Path) -> None:
    gains = WalkGains.from_dict({"turn_rate": 1.0})
    path = write_params(tmp_path / "sad.json", "walk", {"lean": 0.2}, gains)
    trial = Trial.of("walk", preset="sad", params=str(path), settings={"head_nod": 5.0}, seconds=0.3,
                     vary=Vary.parse("mass=0.9,lock=left_elbow"), start=Start(yaw=10.0)).resolved()
    path.unlink()  # the resolved trial is whole without the file
    performance = Performance.of(pickle.loads(pickle.dumps(trial)))
    assert performance.motion().meta["figures"][0]["gains"]["turn_rate"] == 1.0
    params, world = performance.behavior.params, performance.world
    assert (params.lean, params.head_nod) == (0.2, 5.0) and params.step_length == 0.25  # file, settings, preset
    assert performance.behavior.gains.turn_rate == 1.0  # type: ignore[attr-defined]
    assert performance.behavior.world is world.believed is not world
    assert world.figure.mass == pytest.approx(0.9 * world.believed.figure.mass)
    assert bits(run(trial).motion) == bits(run(pickle.loads(pickle.dumps(trial))).motion)


def test_figures_begin_as_they_are_told() -> None:
    trial = Trial((Cast("stand"), parse_figure("name=b,behavior=stand,start=prone,x=3,y=0,jitter=0.5")), seconds=0.1)
    done = run(trial)
    assert [fall is None for fall in done.falls] == [True, False]
    assert verify(done.motion).ok
    again = run(Trial.of("stand", start=start_from("sitting"), seconds=0.1))
    assert "chair" in again.motion.model_xml and verify(again.motion).ok


def test_a_behavior_says_how_far_its_starts_are_apart(own_behaviors: None) -> None:
    @register
    class Anyhow(Stand):
        """begins anyhow"""

        jitter = Jitter(heading=180.0)

    headings = [Performance.of(Trial.of("anyhow", seed=seed)).world.figure.heading for seed in range(3)]
    assert np.ptp(headings) > 0.5


# -- how it ends -------------------------------------------------------------------------------------------------------


def test_the_fall_has_one_form_and_evidence_reads_it() -> None:
    for made in (simulate("stand", seconds=1.6, pushes=[SHOVE]), record("stand", seconds=1.6, pushes=[SHOVE])):
        fall = made.motion.meta["fall"]
        assert fall == {"time": made.fell_at, "reason": made.fell}
        assert Evidence(made.motion, Diary()).fell_at == made.fell_at
    assert simulate("stand", seconds=0.1).motion.meta["fall"] is None


def test_a_recorded_take_ends_with_the_fall_or_when_it_is_decided() -> None:
    fallen, whole = (function("stand", seconds=2.5, pushes=[SHOVE]) for function in (record, simulate))
    assert fallen.seconds == fallen.fell_at == whole.fell_at
    assert whole.seconds == pytest.approx(2.5) and whole.summary["figures"][0]["fell_at"] is not None
    assert record("balance", seconds=3.0, until=calm_after(0.3)).seconds == pytest.approx(0.5, abs=0.3)


def test_divergence_ends_a_take_and_keeps_a_black_box_of_a_run(own_behaviors: None) -> None:
    @register
    class Broken(Stand):
        """goes wrong"""

        def act(self) -> np.ndarray:
            return super().act() * (np.nan if self.world.time > 0.2 else 1.0)

    take = record("broken", seconds=1.0)
    assert "not a number" in str(take.fell) and 0.2 < take.seconds < 0.21
    with pytest.raises(Diverged) as caught:
        run(Trial.of("broken", seconds=1.0))
    assert caught.value.last.meta["diverged"] == str(caught.value)


def test_behaviors_may_only_look(own_behaviors: None) -> None:
    @register
    class Cheat(Stand):
        """pushes itself"""

        def act(self) -> np.ndarray:
            self.world.push(Push(self.world.time, "trunk", (0.0, 0.0, 50.0)))
            return super().act()

    for way in (simulate, record):
        with pytest.raises(GambolError, match="acted on the world other than by torques"):
            way("cheat", seconds=0.1)


def test_a_behavior_may_have_its_own_rule_of_failure(own_behaviors: None) -> None:
    @register
    class Patient(Stand):
        """has failed when half a second is over, whatever it looks like"""

        def failed(self, world: World | None = None) -> str | None:
            return "too late" if self.world.time > 0.502 else None

    take = record("patient", seconds=2.0, pushes=[SHOVE])
    assert take.fell == "too late" and take.fell_at == pytest.approx(0.504)


def test_who_does_not_say_that_it_stands_cannot_fall(own_behaviors: None) -> None:
    @register
    class Riser(Stand):
        """says that it stands after a second"""

        standing = False

        def act(self) -> np.ndarray:
            self.standing = self.world.time > 1.5
            return super().act()

    take = record("riser", seconds=2.0, pushes=[SHOVE])
    assert take.fell is not None and take.fell_at == pytest.approx(1.508)


def test_changes_come_by_the_clock() -> None:
    seen: list[tuple[float, float]] = []
    record("balance", seconds=0.3, changes=[(0.2, "height", 0.9), (0.1, "height", 0.95)],
           each=lambda world, behavior: seen.append((world.time, behavior.params.height)))
    assert [height for time, height in seen if 0.104 < time < 0.196] == [0.95] * 23
    assert seen[0][1] == 1.0 and seen[-1][1] == 0.9


# -- several figures ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Path, Diary]:
    """One that is pushed over, a child that balances beside it, one that walks away."""
    diary = Diary()
    trial = Trial((Cast("stand", start=Start(x=0.0, y=0.0)),
                   Cast("balance", "child", name="b", start=Start(x=0.5, y=1.5)),
                   parse_figure("name=c,behavior=walk,preset=sad,x=0,y=-1.5,yaw=-90,heading=-90")),
                  pushes=(Push(0.2, "human/trunk", (-900.0, 0.0, 0.0)), Push(0.2, "b/trunk", (30.0, 0.0, 0.0))),
                  changes=((0.5, "b/height", 0.95),), seconds=2.0)
    found = run(trial, watch=diary)
    return found.summary, found.motion.save(tmp_path_factory.mktemp("three") / "three.npz"), diary


def test_every_figure_does_its_own(three: tuple[dict, Path, Diary]) -> None:
    summary, path, _ = three
    assert [figure["name"] for figure in summary["figures"]] == ["human", "b", "c"]
    assert [figure["behavior"] for figure in summary["figures"]] == ["stand", "balance", "walk"]
    assert [figure["fell"] for figure in summary["figures"]] == [True, False, False]
    assert summary["fell"] and summary["fell_at"] == summary["figures"][0]["fell_at"]
    motion = Motion.load(path)
    assert verify_file(path).ok
    assert [entry["behavior"] for entry in motion.meta["figures"]] == ["stand", "balance", "walk"]
    assert motion.meta["figures"][1]["params"]["height"] == 0.95
    assert [entry["fall"] is None for entry in motion.meta["figures"]] == [False, True, True]
    assert [event["figure"] for event in motion.meta["events"] if event["event"] == "fall"] == ["human"]
    walked = motion.qpos[-1] - motion.qpos[0]
    top = motion.model.jnt_qposadr[motion.model.body_jntadr[motion.model.body("c/pelvis").id]]
    assert walked[top + 1] < -0.1 and abs(walked[top]) < 0.1  # it faces to the right
    assert summaries(motion, 2)["distance"] == summary["figures"][2]["distance"]


def test_explain_playback_and_export_take_several_figures(three: tuple[dict, Path, Diary], tmp_path: Path) -> None:
    from gambol.explain.page import html_explanation
    from gambol.motion.export import export
    from gambol.studio.playback import Player, about

    _, path, diary = three
    motion = Motion.load(path)
    page = html_explanation(motion, diary)
    assert "Fell at" in page and "b (child, balance)" in page
    assert page.count("it was pushed") == 1  # the push on the child is none of its business
    assert "child, balance" in about(motion, "three")
    Player(motion).close()
    assert [path.name for path in export(motion, tmp_path / "three.csv")] == ["three.csv"]
    head = (tmp_path / "three.csv").read_text().split("\n")[0]
    assert "b/com_x" in head and "c/com_x" in head


def test_alone_or_with_somebody_far_away_it_does_the_same() -> None:
    """A second figure changes nothing for the first but rounding."""
    alone = run(Trial.of("balance", "child", seconds=0.3, start=Start(x=0.0, y=0.0, jitter=0.0)))
    both = run(Trial((Cast("balance", "child", name="a", start=Start(x=0.0, y=0.0, jitter=0.0)),
                      Cast("balance", "human", name="b", start=Start(x=5.0, y=0.0, jitter=0.0))), seconds=0.3))
    width = alone.motion.qpos.shape[1]
    np.testing.assert_allclose(both.motion.qpos[:, :width], alone.motion.qpos, atol=1e-5)


@pytest.mark.parametrize(("text", "words"), [
    ("name=b,character=child", "does nothing; say what"),
    ("name=b,behavior=fly", "unknown behavior 'fly'"),
    ("name=b,behavior=balance,hight=1", "unknown parameter 'hight'"),
    ("name=b,behavior=balance,x=far", "x='far' is not a number"),
    ("name=b,behavior=balance,y=1e9", "out of range"),
    ("name=b,behavior=walk,preset=happy", "unknown preset"),
    ("name=b,behavior=balance,start=flying", "flying"), ("name=b,behavior=balance,start=a.npz", "which moment"),
    ("name=b,behavior=balance,start=prone,pose=prone", "says twice how it begins"),
])
def test_a_figure_that_cannot_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        parse_figure(text)


@pytest.mark.parametrize(("names", "words"), [
    (("b", "b"), "two figures are called 'b'"), (("a", "b/c"), "cannot be called 'b/c'"),
    (("terrain", "b"), "like the ground"), (("", "box"), "like a character")])
def test_names_of_figures_are_checked(names: tuple[str, str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        run(Trial(tuple(Cast("stand", name=name) for name in names), props=(Box(),), seconds=0.1))


def test_one_figure_may_have_a_name_too() -> None:
    motion = run(Trial.of("stand", name="bo", seconds=0.2, pushes=[Push(0.1, "bo/trunk", (5.0, 0.0, 0.0))])).motion
    assert motion.figures[0].prefix == "bo/" and motion.meta["figures"][0]["name"] == "bo"


def test_figures_without_names_are_told_apart() -> None:
    trial = Trial((Cast("stand"), Cast("stand"), Cast("stand", "child"), Cast("stand", name="human2"))).resolved()
    assert [cast.name for cast in trial.figures] == ["human", "human3", "child", "human2"]
    with pytest.raises(BadInput, match="unknown figure 'nobody'"):
        run(replace(trial, pushes=(Push(0.1, "nobody/trunk", (1.0, 0.0, 0.0)),)))


# -- presets and default scenes ----------------------------------------------------------------------------------------


@pytest.fixture
def shown(own_behaviors: None) -> None:
    @register
    class Shown(Stand):
        """stands in a scene of its own"""

        presets = {"soft": {"stiffness": 0.5},
                   "uphill": Preset({"stiffness": 2.0}, scene=DefaultScene(terrain="slope:angle=2"))}

        @dataclass
        class Params(Stand.Params):
            pass

        @classmethod
        def scene(cls, seed: int) -> DefaultScene:
            return DefaultScene("child", "rough:height=0.02", (Box(x=3.0 + seed),), (Throw(0.1),), Start(yaw=90.0))


def test_the_default_scene_is_used_where_nothing_is_named(shown: None) -> None:
    performance = Performance.of(Trial.of("shown", seed=2))
    world = performance.world
    assert world.characters[0].name == "child" and world.terrain.name == "rough"
    assert world.props[0].x == 5.0 and len(world.projectiles) == 1  # type: ignore[attr-defined]
    assert world.figure.heading == pytest.approx(np.pi / 2, abs=0.05)
    assert len(run(Trial.of("shown", seconds=0.2)).motion.throw_tick) == 1


def test_what_the_user_names_comes_first(shown: None) -> None:
    trial = Trial.of("shown", "human", preset="uphill", settings={"damping": 2.0}, props=(), throws=()).resolved()
    assert (trial.first.character, trial.terrain, trial.props, trial.throws) == ("human", "slope:angle=2", (), ())
    assert trial.first.all_settings == {"stiffness": 2.0, "damping": 2.0}
    turned = Trial.of("shown", where={"x": 2.0, "jitter": "0"}).resolved().first.start
    assert turned is not None and (turned.x, turned.jitter, turned.yaw) == (2.0, 0.0, 90.0)  # the scene's facing
    assert Trial.of("shown", terrain="flat", preset="uphill").resolved().terrain == "flat"
    assert Trial.of("shown", preset="soft", settings={"stiffness": 3.0}).first.all_settings == {"stiffness": 3.0}


# -- rates -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "physics"), [(30.0, 1020.0), (64.0, 1024.0), (250.0, 1000.0), (2000.0, 2000.0)])
def test_a_behavior_runs_at_the_rate_it_declares(rate: float, physics: float, own_behaviors: None,
                                                 tmp_path: Path) -> None:
    asked: list[float] = []

    @register
    class Timed(Stand):
        """stands at its own rate"""

        control_rate = rate

        def act(self) -> np.ndarray:
            asked.append(self.world.time)
            assert self.tick_length == pytest.approx(1.0 / rate)
            return super().act()

    made = run(Trial.of("timed", seconds=0.5, pushes=[Push(0.1, "trunk", (60.0, 0.0, 0.0), 0.2)]))
    motion = made.motion
    assert len(asked) == len(motion.ctrl) == round(0.5 * rate)
    np.testing.assert_allclose(np.diff(asked), 1.0 / rate, rtol=1e-4)
    assert motion.substeps == physics / rate and 1.0 / motion.model.opt.timestep == pytest.approx(physics)
    assert made.seconds == pytest.approx(0.5, abs=1e-4) and motion.tick_length == pytest.approx(1.0 / rate)
    verdict = verify_file(motion.save(tmp_path / "timed.npz"))
    assert verdict.ok and verdict.declared.impulse == pytest.approx(12.0, rel=1e-4)


def test_behaviors_of_different_rates_share_a_world(own_behaviors: None) -> None:
    @register
    class Slow(Stand):
        """stands, and thinks seldom"""

        control_rate = 50.0

    @register
    class Quick(Stand):
        """stands, and thinks often"""

        control_rate = 500.0

    casts = Cast("slow", name="a"), Cast("quick", name="b"), Cast("balance", name="c")
    motion = run(Trial(casts, seconds=0.4)).motion
    assert len(motion.ctrl) == 200 and motion.substeps == 2 and verify(motion).ok
    width = motion.ctrl.shape[1] // 3
    changed = [np.flatnonzero(np.diff(motion.ctrl[:, k * width:(k + 1) * width], axis=0).any(axis=1)) + 1
               for k in range(3)]
    for ticks, every in zip(changed, (10, 1, 2), strict=True):
        np.testing.assert_array_equal(ticks, np.arange(every, 200, every))


def test_rates_are_multiples_of_each_other() -> None:
    class Odd(Stand):
        control_rate = 64.0

    class Fine(Stand):
        physics_rate = 4000.0

    with pytest.raises(BadInput, match="no whole multiple of the 64 Hz"):
        rates_of([Odd, Stand])
    assert rates_of([Odd, Stand], control=128.0).every == (1, 1)
    assert rates_of([Stand, Fine]).physics == 4000.0 and rates_of([Odd]).physics == 1024.0
