"""Synthesis end to end: one scene solved, one out of reach, the command, and gambol without JAX."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.motion.motion import Motion
from gambol.synthesis.measures import passed
from gambol.synthesis.scene import Obstacle, Performer, Position, Scene, Stand
from gambol.synthesis.synthesize import FEW, synthesize
from gambol.synthesis.trajectory import Trajectory
from short_problem import PHASES

GAMBOL = [sys.executable, "-c", "from gambol.cli import main; main()"]


def test_standing_is_solved_and_plays(tmp_path) -> None:
    scene = Scene([Performer()], [Stand()], [Obstacle(x=0.6)], phases=PHASES)
    result = synthesize(scene)
    assert result.solved, result.sentence()
    again = synthesize(scene)
    np.testing.assert_array_equal(result.solution.z, again.solution.z)
    motion = Motion.load(result.motion.save(tmp_path / "stand.npz"))
    assert not motion.simulated and motion.model.nv == 35
    assert motion.extra["contact_force"].shape[0] == len(motion.time)
    weight = motion.model.body_subtreemass[0] * 9.81
    assert motion.extra["contact_force"][:, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.01)
    assert motion.meta["residuals"]["force"] < 0.03
    path = Trajectory(result.solution.problem, result.solution.z)
    assert np.abs(path.place[:, 0, :2]).max() < 0.1
    parts, z = path.problem.layout.parts, result.solution.z
    on = z[:, parts["c"]]
    assert np.abs(on - on.round()).max() < 1e-9
    off = on[:, path.problem.layout.force_owner] < 0.5
    assert off.any() and np.abs(z[:, parts["f"]][off]).max() < 1e-6  # what does not touch does not push


def test_a_goal_out_of_reach_is_said_to_be() -> None:
    """6 m in 1.5 s from rest to rest: some residual has to give, however often it is tried."""
    attempts = set()
    result = synthesize(Scene([Performer(friction=0.05)], [Stand(), Position(x=6.0)], [Obstacle(x=9.0)], phases=PHASES),
                        tell=lambda news: bool(attempts.add(news.attempt)))
    assert not result.solved and not passed(result.measures)
    assert attempts == set(range(FEW))  # it is not even near
    assert "what stayed off" in result.sentence()


def test_the_command_writes_a_motion_and_json(tmp_path) -> None:
    scene = tmp_path / "still.yaml"
    scene.write_text("tasks: [stand]\nphases: 3\nobstacles: [{x: 0.6}]\n")
    run = subprocess.run([*GAMBOL, "synthesize", str(scene), "-o", str(tmp_path / "a.npz"), "--json"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["solved"] and found["seed"] == 0 and found["motion"].endswith("a.npz")
    assert set(found) >= {"solved", "seconds", "iterations", "residuals", "seed", "motion"}


def test_without_jax_one_line_says_how_to_install_it(tmp_path) -> None:
    (tmp_path / "jax.py").write_text("raise ImportError('not here')\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    run = subprocess.run([*GAMBOL, "synthesize", "walk"], capture_output=True, text=True,
                         check=False, env=env)
    assert run.returncode == 2
    assert "pip install 'gambol[synthesis]'" in run.stderr and run.stderr.count("\n") <= 2
    listed = subprocess.run([*GAMBOL, "list"], capture_output=True, text=True, check=False,
                            env=env)
    assert listed.returncode == 0 and "step_over" in listed.stdout


def test_the_rest_of_gambol_does_not_import_jax() -> None:
    code = ("import sys, gambol, gambol.cli, gambol.experiments, gambol.studio, gambol.synthesis.shipped; "
            "sys.exit('jax' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
