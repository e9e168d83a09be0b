"""Climbs: which ladders are taken in turn, what they change, what is mended and who is tried again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis.measures import Measure, near
from gambol.synthesis.mending import MORE, mend, to_mend
from gambol.synthesis.problem import Problem
from gambol.synthesis.scene import Performer, Scene, Stand
from gambol.synthesis.stages import CLIMBING, LADDER, PATIENT
from gambol.synthesis.synthesize import Result, Solution, synthesize


def test_climbs_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual ladder, then one with free sides, a patient one, on from where that ended, and so on."""
    seen = []

    def climbed(problem: Problem, seed: int, solver: str, ladder: tuple, *, warm: np.ndarray | None, attempt: int,
                **rest: object) -> Solution:
        seen.append((ladder, None if warm is None else warm[0, 0]))
        return Solution(problem, np.full((1, 1), attempt), [], seed, 0, 0.0)

    def finished(scene: Scene, solution: Solution, *rest: object) -> Result:
        return Result(scene, solution, None, [Measure("force", 0.04, 0.03, "weights")], 0.0)  # type: ignore[arg-type]

    monkeypatch.setattr("gambol.synthesis.synthesize.climb", climbed)
    monkeypatch.setattr("gambol.synthesis.synthesize.finish", finished)
    synthesize(Scene([Performer()], [Stand()], phases=1))
    assert seen == [(LADDER, None), (CLIMBING, None), (PATIENT, None), (PATIENT, 2), (PATIENT, 3), (PATIENT, None),
                    (PATIENT, 5), (CLIMBING, None)]
    seen.clear()
    synthesize(Scene([Performer(), Performer(x=2.0)], [Stand()], phases=1))  # a climb of two takes longer
    assert seen == [(LADDER, None), (CLIMBING, None)]


def test_climbing_frees_the_sides_of_boxes_and_lets_contacts_slide_until_they_are_decided() -> None:
    for stage, free in zip(LADDER, CLIMBING, strict=True):
        assert free.full() == {**stage.full(), **{name: free.full()[name] for name in ("sides", "slip")}}
        assert free.full()["sides"] < stage.full()["sides"]
        slip, usual = free.full()["slip"], stage.full()["slip"]
        assert slip == usual if stage.commit or usual == 0 else slip < usual


def test_mending_raises_what_is_off_alone() -> None:
    last = LADDER[-1]
    off = Measure("stretch", 0.02, 0.01, "m")
    assert to_mend([off, Measure("gap", 0.0, 0.01, "m")]) == ("stretch",)
    assert to_mend([replace(off, value=0.005)]) == () and to_mend([replace(off, value=0.2)]) == ()
    once, twice = mend(last, ("stretch",)).full(), mend(last, ("stretch", "position", "stretch")).full()
    changed = {name: twice[name] / last.full()[name] for name in twice if twice[name] != last.full()[name]}
    assert changed == pytest.approx({"stretch": MORE**2, "task": MORE})
    palms = Measure("palms", 0.05, 0.1, "weights", least=True)
    assert to_mend([off, palms]) == ()  # contacts stay as they were decided
    assert once["stretch"] == MORE * last.full()["stretch"] and mend(last, ("stretch",)).commit


def test_who_is_nearly_there_is_tried_more_often() -> None:
    force, clearance = Measure("force", 0.1, 0.03, "weights"), Measure("clearance", 0.0, 0.02, "m", least=True)
    assert near([force, clearance]) and not near([replace(force, value=0.2)])
