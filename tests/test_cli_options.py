"""The options that commands share."""

from __future__ import annotations

import pytest

from gambol.cli import main
from gambol.errors import BadInput
from gambol.runs import Trial


def test_run_and_studio_understand_the_same_options(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Trial] = []
    monkeypatch.setattr("gambol.studio.run_studio", lambda trial, **_: shown.append(trial))

    def not_run(trial: Trial, **_: object) -> None:
        shown.append(trial)
        raise BadInput("it is not run")

    monkeypatch.setattr("gambol.runs.run", not_run)
    options = ("--character", "child", "--seed", "3", "--set", "height=0.95", "--start", "standing:yaw=30", "--jitter",
               "0.5", "--vary", "mass=0.9", "--actuators", "motors", "--figure", "behavior=stand,x=3", "--push",
               "t=1,body=trunk,force=1:2:3", "--throw", "t=2", "--prop", "box:x=5", "--terrain", "slope:angle=2")
    for command, status in (("studio", 0), ("run", 2)):
        with pytest.raises(SystemExit) as ended:
            main((command, "balance", *options))
        assert ended.value.code == status
    assert shown[0] == shown[1]
    trial = shown[0]
    assert (trial.seed, trial.first.where, trial.terrain) == (3, {"jitter": 0.5}, "slope:angle=2")
    assert trial.vary is not None and trial.vary.mass == 0.9 and trial.throws is not None
    assert (len(trial.pushes), len(trial.throws), len(trial.figures)) == (1, 1, 2)
