"""`gambol run --explain`: what is measured is right, what is said follows from it, the page holds together."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gambol.cli import main
from gambol.errors import MissingGL
from gambol.explain import Diary
from gambol.explain.diagnosis import findings, headline
from gambol.explain.evidence import Evidence, side
from gambol.explain.landings import landings
from gambol.explain.page import html_explanation
from gambol.motion.motion import Motion
from gambol.rollout import simulate
from gambol.runs import Trial, run
from gambol.world.props import make_props
from gambol.world.pushes import Push
from gambol.world.starts import Start

PUSH = "t=0.2,body=trunk,force=400:0:0"


@pytest.fixture(scope="module")
def walk() -> Motion:
    return simulate("walk", seconds=3.0).motion


@pytest.fixture(scope="module")
def fall() -> Evidence:
    diary = Diary()
    return Evidence(simulate("stand", seconds=1.6, pushes=[Push.parse(PUSH)], watch=diary).motion, diary)


def made_up(motion: Motion, short: float, late: float, degradations: float = 0.0, linger: float = 0.0) -> Diary:
    """A diary of plans from which the motion deviates by known amounts: every step lands short, m, and late, s."""
    silent = Diary()
    silent.rows = [{} for _ in motion.ctrl]
    real = Evidence(motion, silent)
    diary = Diary()
    diary.rows = [{"support": "double", "stance": "left", "degradations": degradations * k, "cost": 1.0}
                  for k in range(real.count)]
    for step in landings(real):
        if np.isnan(step.landed):
            continue
        ahead = np.array([np.cos(real.heading), np.sin(real.heading)]).T
        for k in np.flatnonzero((real.time >= step.lifted) & (real.time < step.landed + linger)):
            wanted = step.place + short * ahead[k]
            diary.rows[k] |= {"support": "single", "stance": "right" if step.foot.startswith("left") else "left",
                              "lands in": step.landed - late - real.time[k], "foothold x": wanted[0],
                              "foothold y": wanted[1], "foothold z": 0.0}
    return diary


def test_steps_are_held_against_their_plans(walk: Motion) -> None:
    steps = landings(Evidence(walk, made_up(walk, short=0.1, late=0.12)))
    done = [step for step in steps if not np.isnan(step.landed)]
    assert len(done) >= 3 and {step.foot for step in done} == {"left_foot", "right_foot"}
    for step in done:
        assert step.late == pytest.approx(0.12, abs=1e-6) and step.left == pytest.approx(0.0, abs=1e-6)
        assert step.ahead == pytest.approx(-0.1, abs=1e-6) and step.moved < 0.02
        assert step.how() == "0.12 s late and 10 cm short"


def test_the_worst_step_and_the_solver_are_told(walk: Motion) -> None:
    def told(**plan: float) -> str:
        evidence = Evidence(walk, made_up(walk, **plan))
        return "; ".join(finding.text for finding in findings(evidence, landings(evidence)))

    assert "late and 10 cm short" in told(short=0.1, late=0.12)
    assert "solver gave up part of its problem in" in told(short=0.0, late=0.0, degradations=1.0)
    assert "foot touched the ground in the middle of its swing" in told(short=0.0, late=0.0, linger=0.12)
    quiet = told(short=0.0, late=0.0)
    assert "landed" not in quiet and "solver" not in quiet and "touched" not in quiet


def test_who_stands_still_is_carried_below_its_centre_of_mass() -> None:
    diary = Diary()
    still = Evidence(simulate("balance", seconds=1.0, watch=diary).motion, diary)
    assert len(diary.rows) == still.count == 250
    np.testing.assert_allclose(still.pressure[-20:], still.com[-20:, :2], atol=0.01)
    assert all(loaded[-20:].all() for loaded in still.feet.values())
    assert np.abs(still.lean).max() < 5.0


def test_who_stands_on_a_box_has_not_lifted_its_feet() -> None:
    diary = Diary()
    trial = Trial.of("balance", props=make_props(["box:x=0,y=0,size=1,height=0.5,mass=200"]), start=Start(x=0.0, y=0.0),
                     seconds=1.0, pushes=[Push(0.4, "trunk", (40.0, 0.0, 0.0))])
    still = Evidence(run(trial, watch=diary).motion, diary)
    assert landings(still) == [] and still.fall is None
    assert all(loaded[25:].all() for loaded in still.feet.values())
    np.testing.assert_allclose(still.pressure[60:90], still.com[60:90, :2], atol=0.02)


def test_a_fall_is_told_with_what_came_before(fall: Evidence) -> None:
    assert headline(fall).startswith(f"Fell at {fall.end:.2f} s: ")
    found = findings(fall, landings(fall))
    assert found[0].since == pytest.approx(0.2) and "pushed forward" in found[0].text and "40 N s" in found[0].text
    assert any("leaned more than 25 degrees forward" in finding.text for finding in found[1:])
    assert [finding.since for finding in found] == sorted(finding.since for finding in found)


def test_directions_have_words() -> None:
    assert [side(1, 0.1), side(-1, 0), side(0, 2), side(1, -1)] == [
        "forward", "backward", "to its left", "forward and to its right"]


def test_to_be_watched_changes_nothing() -> None:
    plain, watched = (simulate("locomote", seconds=0.4, watch=watch).motion for watch in (None, Diary()))
    assert np.array_equal(plain.qpos, watched.qpos)


def test_without_graphics_the_page_says_so(fall: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MissingGL("none")

    monkeypatch.setattr("gambol.motion.formats.video.filmstrip", refuse)
    page = html_explanation(fall.motion, fall.diary)
    assert "no usable OpenGL" in page and "image/png" not in page and "does not tell of plans" in page


def test_the_page_of_a_planner_is_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "why.html"
    with pytest.raises(SystemExit) as done:
        main(["run", "locomote", "--seconds", "1.5", "--explain", str(path)])
    assert not done.value.code and f"wrote {path}" in capsys.readouterr().out
    page = path.read_text()
    assert re.findall(r"<h2>([^<]*)", page)[1:] == ["Plan and reality", "Every step"]
    assert page.count("<figure>") >= 9 and not re.findall(r'(?:src|href)="(?!data:)', page)  # nothing from outside
    assert b"cost of the best plan" in b"".join(pictures(page))


def pictures(page: str) -> list[bytes]:
    import base64

    return [base64.b64decode(data) for data in re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', page)]


@pytest.mark.parametrize(("name", "words"), [("nowhere/why.html", "there is no directory"), ("why.txt", "must end in")])
def test_a_bad_path_is_told_before_anything_runs(tmp_path: Path, name: str, words: str,
                                                 capsys: pytest.CaptureFixture[str],
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gambol.rollout.simulate", lambda *_, **__: pytest.fail("it ran"))
    with pytest.raises(SystemExit) as done:
        main(["run", "stand", "--explain", str(tmp_path / name)])
    message = capsys.readouterr().err
    assert done.value.code == 2 and words in message and message.count("\n") == 1
