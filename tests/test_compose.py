"""The composed behavior of examples/08, through the command line: it shifts, lifts, waves, and keeps its balance."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from gambol.motion.motion import Motion
from gambol.motion.verify import verify

GAMBOL = str(Path(sys.executable).with_name("gambol"))
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "08_wave_on_one_leg.py"


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Motion:
    """Four seconds of the human, pushed once it stands on one leg."""
    path = tmp_path_factory.mktemp("wave") / "wave.npz"
    command = [GAMBOL, "--load", str(EXAMPLE), "run", "wave", "--seconds", "4", "--seed", "3", "--set", "lift=0.3",
               "--push", "t=2.5,body=trunk,force=0:50:0,duration=0.1", "--json", "-o", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["fell"] is False
    return Motion.load(path)


def places(take: Motion) -> dict[str, np.ndarray]:
    """Paths of the centre of mass, both feet and the right hand, (rows, 3)."""
    model, data = take.model, mujoco.MjData(take.model)
    names = ("left_foot", "right_foot", "right_hand")
    bodies = [model.body(take.figures[0].prefix + take.figures[0].anatomy.body(name)).id for name in names]
    rows = []
    for qpos in take.qpos:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        rows.append([data.subtree_com[model.body_rootid[bodies[0]]].copy(), *data.xpos[bodies].copy()])
    return dict(zip(("com", *names), np.moveaxis(np.array(rows), 1, 0), strict=True))


def test_the_weight_is_shifted_before_the_foot_is_lifted(take: Motion) -> None:
    paths = places(take)
    sideways = np.abs(paths["com"][:, 1] - paths["left_foot"][:, 1])
    lifted = paths["right_foot"][:, 2] > paths["right_foot"][0, 2] + 0.01
    assert sideways[0] > 0.06  # between the feet
    assert lifted.any() and sideways[int(np.argmax(lifted))] < 0.03
    assert paths["right_foot"][-1, 2] > paths["right_foot"][0, 2] + 0.2
    assert np.ptp(paths["left_foot"], axis=0).max() < 0.01  # this one never moves


def test_the_hand_waves_beside_the_head(take: Motion) -> None:
    paths, late = places(take), take.time > 1.5
    hand = (paths["right_hand"] - paths["com"])[late]
    assert hand[:, 2].min() > 0.5 and np.ptp(hand[:, 1]) > 0.15
    turns = np.count_nonzero(np.diff(np.sign(np.diff(hand[:, 1]))))
    assert 4 <= turns <= 9  # 2.5 s at 1.2 Hz


def test_the_take_replays(take: Motion) -> None:
    assert len(take.push_tick) and verify(take).ok
