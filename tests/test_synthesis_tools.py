"""Around synthesis: checkpoints, stopping, several seeds, warm start, progress, batches, kept programs."""

from __future__ import annotations

import ctypes
import io
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import BadInput

jax = pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

import jax.numpy as jnp  # noqa: E402
from rich.console import Console  # noqa: E402

from gambol.cli import main  # noqa: E402
from gambol.cli.solve_progress import board, progress  # noqa: E402
from gambol.experiments.experiment import Context  # noqa: E402
from gambol.experiments.synthesis.ablation import climbed, frozen, outcome  # noqa: E402
from gambol.experiments.synthesis.scenes import gait_chart, looks  # noqa: E402
from gambol.experiments.synthesis.variations import run as run_variations  # noqa: E402
from gambol.experiments.synthesis.variations import variations  # noqa: E402
from gambol.motion.motion import Motion  # noqa: E402
from gambol.studio.playback import about  # noqa: E402
from gambol.studio.watch import Watching  # noqa: E402
from gambol.synthesis import batch, checkpoint, spline  # noqa: E402
from gambol.synthesis.kept import SHAPES, SOURCES, Kept  # noqa: E402
from gambol.synthesis.measures import Measure, rank  # noqa: E402
from gambol.synthesis.program import Program  # noqa: E402
from gambol.synthesis.scene import Performer, Position, Scene, Stand  # noqa: E402
from gambol.synthesis.scene_file import find_scene  # noqa: E402
from gambol.synthesis.seeds import Orders, solve_one  # noqa: E402
from gambol.synthesis.shipped import SCENES  # noqa: E402
from gambol.synthesis.solvers import PATIENCE, SMALL, Step, gauss_newton  # noqa: E402
from gambol.synthesis.stages import CLIMBING, LADDER, Stage  # noqa: E402
from gambol.synthesis.synthesize import News, Result, climb, decided, synthesize  # noqa: E402
from gambol.synthesis.warm import earlier  # noqa: E402

GAMBOL = [sys.executable, "-c", "from gambol.cli import main; main()"]
PHASES = 3
SHORT = (Stage("reach", LADDER[1].weights, 0.01, 4), Stage("close", LADDER[3].weights, 0.01, 4),
         Stage("polish", LADDER[-1].weights, iterations=4, commit=True))
"""A ladder for tests that ask how it is climbed, not how well."""


def standing(x: float | None = None, phases: int = PHASES, **settings: float) -> Scene:
    """Like the scenes of test_synthesis.py, so that they share compiled programs."""
    return Scene([Performer(**settings)], [Stand()] if x is None else [Stand(), Position(x=x)], phases=phases)


@pytest.fixture(scope="module")
def result() -> Result:
    return synthesize(standing())


def after(count: int, tells: list[News]) -> object:
    """A `tell` that stops after so many iterations."""

    def tell(news: News) -> bool:
        tells.append(news)
        return len(tells) >= count

    return tell


# -- checkpoints and stopping ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", [2, 6, 9, 14, 18])
def test_a_climb_that_was_killed_goes_on_as_if_it_had_not_been(tmp_path: Path, moment: int,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while it is mended, for the first or second time, and where feet are untangled (here all in the air are)."""
    monkeypatch.setattr("gambol.synthesis.measures.NEAR", np.inf)
    monkeypatch.setattr("gambol.synthesis.untangling.MUCH", -1.0)
    problem, path = standing(1.0).problem(), tmp_path / "a.checkpoint.npz"
    whole = climb(problem, 1, ladder=SHORT)
    keep = checkpoint.Checkpoint(path)
    heard: list[News] = []
    stop = after(moment, heard)
    climb(problem, 1, ladder=SHORT, tell=lambda news: [keep(news), stop(news)][1])  # type: ignore[operator]
    stood = checkpoint.read(path, problem, 1, "gauss-newton", SHORT)
    assert stood is not None and stood.before + stood.step.iteration == moment
    assert stood.index == (moment - 1) // 4 and len(stood.mended) >= stood.index - 2
    rest: list[News] = []
    again = climb(problem, 1, ladder=SHORT, resume=stood, tell=after(1000, rest))  # type: ignore[arg-type]
    assert len(rest) == whole.iterations - moment
    np.testing.assert_array_equal(again.z, whole.z)
    assert again.iterations == whole.iterations


def test_checkpoints_of_something_else_are_refused(tmp_path: Path) -> None:
    problem, path = standing(0.3).problem(), tmp_path / "a.checkpoint.npz"
    assert checkpoint.read(path, problem, 0, "gauss-newton") is None
    climb(problem, 0, tell=lambda news: [checkpoint.Checkpoint(path)(news), True][1])
    assert checkpoint.read(path, problem, 0, "gauss-newton") is not None
    for other, seed, solver, message in ((standing(0.4), 0, "gauss-newton", "another scene"),
                                         (standing(0.3), 1, "gauss-newton", "of seed 0, not 1"),
                                         (standing(0.3), 0, "lbfgs", "of solver gauss-newton, not lbfgs")):
        with pytest.raises(BadInput, match=message):
            checkpoint.read(path, other.problem(), seed, solver)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(BadInput, match="damaged"):
        checkpoint.read(path, problem, 0, "gauss-newton")
    np.savez(path, a=1)
    with pytest.raises(BadInput, match="not a checkpoint"):
        checkpoint.read(path, problem, 0, "gauss-newton")


def test_a_second_climb_that_was_killed_remembers_the_first(tmp_path: Path, result: Result) -> None:
    problem, path, best = result.solution.problem, tmp_path / "a.checkpoint.npz", result.solution.z
    checkpoint.Checkpoint(path)(News(problem, CLIMBING, 0, Step(problem.guess(), 1.0), 0, "gauss-newton", 0, 1, best))
    stood = checkpoint.read(path, problem, 0, "gauss-newton")
    assert stood is not None and stood.attempt == 1
    again = synthesize(result.scene, 0, tell=lambda news: True, resume=stood)  # stopped at once
    np.testing.assert_array_equal(again.solution.z, best)


def test_a_checkpoint_is_kept_until_the_scene_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint.npz"
    heard: list[News] = []
    early = solve_one(standing(), 0, Orders(), [after(3, heard)], path)  # type: ignore[list-item]
    assert early.solution.stopped == "wishful" and early.sentence().startswith("stopped early, in stage wishful")
    assert path.exists() and not early.summary()["solved"]
    done = solve_one(standing(), 0, Orders(resume=True), (), path)
    assert done.solved and done.solution.stopped is None and not path.exists()


def test_killed_at_any_moment_and_resumed(tmp_path: Path) -> None:
    scene, output = tmp_path / "a.yaml", tmp_path / "a.npz"
    scene.write_text(f"tasks: [stand, position: {{x: 0.3}}]\nphases: {PHASES}\n")
    words = [*GAMBOL, "synthesize", str(scene), "-o", str(output), "--json"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    mark = checkpoint.beside(output)
    while not mark.exists():
        assert process.poll() is None, "it ended before it had a checkpoint"
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with np.load(mark, allow_pickle=False) as file:
        stood = int(file["before"]) + int(file["iteration"])
    other = tmp_path / "b.yaml"
    other.write_text(f"tasks: [stand, position: {{x: 0.4}}]\nphases: {PHASES}\n")
    refused = subprocess.run([*GAMBOL, "synthesize", str(other), "-o", str(output), "--resume"], capture_output=True,
                             text=True, check=False)
    assert refused.returncode == 2 and "another scene" in refused.stderr and refused.stderr.count("\n") == 1
    run = subprocess.run([*words, "--resume"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""  # silent with --json
    assert json.loads(run.stdout)["iterations"] > stood and not mark.exists()


def test_control_c_stops_early_and_keeps_what_there_is(tmp_path: Path) -> None:
    scene, output = tmp_path / "a.yaml", tmp_path / "a.npz"
    scene.write_text(f"tasks: [stand, position: {{x: 0.3}}]\nphases: {PHASES}\n")
    process = subprocess.Popen([*GAMBOL, "synthesize", str(scene), "-o", str(output)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    while not checkpoint.beside(output).exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "stopped early" in said and "go on with --resume" in said
    assert Motion.load(output).meta["stopped"] is not None


@pytest.mark.parametrize(("words", "message"), [
    (["--resume"], "name it with -o"), (["--watch", "--seeds", "2"], "--watch shows one seed"),
    (["--from", "nowhere.npz"], "there is no file nowhere.npz")])
def test_options_that_make_no_sense_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]
                                                ) -> None:
    with pytest.raises(SystemExit) as end:
        main(["synthesize", "stand", *words])
    said = capsys.readouterr().err
    assert end.value.code == 2 and message in said and said.count("\n") == 1


# -- several seeds -----------------------------------------------------------------------------------------------------


def test_seeds_are_solved_in_processes_and_ranked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    scene = tmp_path / "a.yaml"
    scene.write_text(f"tasks: [stand]\nphases: {PHASES}\n")
    run = subprocess.run([*GAMBOL, "synthesize", str(scene), "-o", str(tmp_path / "a.npz"), "--seeds", "2",
                          "--seed", "3", "--workers", "2", "--json"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert sorted(row["seed"] for row in found["ranked"]) == [3, 4]
    assert found["seed"] == found["ranked"][0]["seed"] == Motion.load(tmp_path / "a.npz").meta["seed"]
    assert [row["worst"] for row in found["ranked"]] == sorted(row["worst"] for row in found["ranked"])
    assert not list(tmp_path.glob("*.checkpoint.npz"))


def test_a_stage_ends_when_it_gets_nowhere() -> None:
    problem, stage = standing(0.1).problem(), LADDER[0]
    end = gauss_newton(problem, problem.params(stage), Step(problem.guess()), 500)
    assert end.iteration < 100 and end.small == PATIENCE
    on = gauss_newton(problem, problem.params(stage), Step(end.z), PATIENCE)
    assert on.cost == pytest.approx(end.cost, rel=PATIENCE * SMALL)


def test_fewer_residuals_off_rank_before_smaller_ones() -> None:
    good, little, much = (Measure("gap", value, 0.01, "m") for value in (0.005, 0.02, 0.5))
    high, low = (Measure("clearance", value, 0.02, "m", least=True) for value in (0.08, 0.001))
    assert rank([good, high]) < rank([much, high]) < rank([little, low])
    assert low.excess == pytest.approx(20) and not low.good


# -- warm start --------------------------------------------------------------------------------------------------------


def test_an_earlier_solution_is_a_start_for_changed_goals(tmp_path: Path, result: Result) -> None:
    path = result.motion.save(tmp_path / "a.npz")
    scene = standing(0.1)
    start = earlier(path, scene.problem().layout)
    np.testing.assert_allclose(start, result.solution.z, atol=1e-6)
    heard: list[News] = []
    warm = synthesize(scene, warm=start, tell=after(1000, heard))  # type: ignore[arg-type]
    assert warm.solved, warm.sentence()
    assert heard[0].stage.name == "close" and heard[0].before == 0


def test_a_start_of_another_layout_is_refused(tmp_path: Path, result: Result) -> None:
    path = result.motion.save(tmp_path / "a.npz")
    with pytest.raises(BadInput, match=f"another layout.*{PHASES} there, 5 here"):
        earlier(path, standing(phases=5).problem().layout)
    plain = result.motion.with_meta(solution=None).save(tmp_path / "b.npz")
    with pytest.raises(BadInput, match="holds no solution"):
        earlier(plain, standing().problem().layout)
    spoiled = {**result.motion.meta["solution"], "z": [["x"]]}
    with pytest.raises(BadInput, match="damaged"):
        earlier(result.motion.with_meta(solution=spoiled).save(tmp_path / "c.npz"), standing().problem().layout)


# -- telling -----------------------------------------------------------------------------------------------------------


def test_progress_says_stage_iteration_and_costs() -> None:
    text = io.StringIO()
    heard: list[News] = []
    stop = after(12, heard)
    with progress(Console(file=text, width=120), "walk") as tell:
        climb(standing(0.3).problem(), 0, tell=lambda news: [tell(news), stop(news)][1])  # type: ignore[operator]
    lines = text.getvalue().splitlines()
    assert lines[0].startswith("walk: wishful 1/30, cost ") and "smooth" in lines[0]
    shown = io.StringIO()
    Console(file=shown, width=120).print(board("walk", heard[-1]))
    said = shown.getvalue()
    assert heard[-1].stage.name in said and "iteration" in said and "force" in said
    assert sum(heard[-1].costs().values()) == pytest.approx(heard[-1].step.cost)


def test_the_studio_shows_residuals_with_their_limits(result: Result) -> None:
    text = about(result.motion, "stand.npz")
    assert "| slip |" in text and "\nsolved\n" in text
    bad = result.motion.with_meta(solved=False, off=["slip"])
    assert "**not solved**" in about(bad, "stand.npz") and "** off |" in about(bad, "stand.npz")
    assert "damaged" not in about(result.motion.with_meta(residuals=[1], limits=3, off="x", solved=[]), "stand.npz")


def test_the_current_solution_is_shown_while_it_is_solved(result: Result) -> None:
    scene, solved = standing(), list[News]()
    climb(scene.problem(), 0, tell=after(3, solved))  # type: ignore[arg-type]
    with Watching(scene, port=0) as watching:
        assert watching.studio.host == "127.0.0.1"
        first = watching.player.motion
        watching.player.watched.set()
        assert watching(solved[-1]) is False
        deadline = time.monotonic() + 60
        while "stage **wishful**, iteration 3" not in watching.studio.panel.about.content:
            assert time.monotonic() < deadline, "the new solution was never shown"
            time.sleep(0.05)
        assert watching.player.motion is not first
        watching.finish(result)
        assert watching.player.motion is result.motion and "solved" in watching.studio.panel.about.content


# -- what cannot be solved ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scene", "off"), [
    (f"tasks: [stand, position: {{x: 9}}]\nphases: {PHASES}\n", "position"),
    (f"tasks: [stand, position: {{x: 0.6}}]\nfriction: 0\nphases: {PHASES}\n", "")])
def test_what_cannot_be_solved_ends_well_and_says_why(tmp_path: Path, scene: str, off: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(scene)
    run = subprocess.run([*GAMBOL, "synthesize", str(path), "-o", str(tmp_path / "a.npz"), "--json"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["solved"] is False and found["failed"] and (not off or off in found["failed"])
    assert Motion.load(tmp_path / "a.npz").meta["off"] == found["failed"]


# -- programs ----------------------------------------------------------------------------------------------------------


def test_a_batch_finds_what_single_scenes_find(monkeypatch: pytest.MonkeyPatch) -> None:
    cheap = {"xla_backend_optimization_level": 0}  # compiling is most of the work here
    monkeypatch.setattr(batch, "batched",
                        lambda layout: Program(layout, kept=lambda f, _: jax.jit(f, compiler_options=cheap)))
    problems = [standing(x).problem() for x in (0.1, 0.3)]
    shared = {key: value for key, value in problems[0]._constants.items() if key != "tasks"}
    goals = jax.tree.map(lambda *rows: jnp.stack(rows), *(problem._constants["tasks"] for problem in problems))
    both = batch.Batch(problems[0].layout, shared, {"tasks": goals})
    z, iterations = both.climb([5, 6], SHORT)
    for k, problem in enumerate(problems):
        single = climb(problem, 5 + k, ladder=SHORT, mends=0)
        assert iterations[k] == single.iterations
        np.testing.assert_allclose(z[k], single.z, atol=1e-5)
    layout = problems[0].layout
    z = np.stack([problem.guess(0.6) for problem in problems])
    feet = np.isin(layout.contacts[:, 1], [0, 1])
    z[:, :, layout.parts["f"]].reshape(*z.shape[:2], spline.NODES, -1, 3)[:, :, :, feet, 2] = 9.81 / 8
    z[1, :, layout.frames[layout.limbs[0][0]][2]] += 0.2  # one foot is off the ground, and the other holds the body
    np.testing.assert_array_equal(both.decided(z), [decided(p, one) for p, one in zip(problems, z, strict=True)])
    assert (both.decided(z).sum(axis=2) == [[2.0], [1.0]]).all()


def test_kept_functions_are_traced_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("flatbuffers")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    traced = []

    def doubled(name: str, value: float) -> float:
        def double(tree: dict[str, jax.Array]) -> jax.Array:  # a new one each time, as in a new process
            traced.append(1)
            return 2 * tree["a"]

        return float(Kept(double, name)({"a": jnp.full(3, value)})[0])

    assert doubled("double", 1.0) == 2.0 and len(traced) == 1
    assert doubled("double", 2.0) == 4.0 and len(traced) == 1
    assert doubled("other", 1.0) == 2.0 and len(traced) == 2
    for file in (tmp_path / "gambol" / "jax" / "traced").iterdir():
        file.write_bytes(b"spoiled")
    assert doubled("double", 1.0) == 2.0 and len(traced) == 3


def test_kept_programs_depend_on_all_they_are_made_of() -> None:
    code = ("import sys, gambol.synthesis.program; print(*sorted(name.removeprefix('gambol.') for name in sys.modules "
            "if name.startswith(('gambol.synthesis.', 'gambol.geometry.'))))")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    named = [*(f"synthesis.{name}" for name in SOURCES), *(f"geometry.{name}" for name in SHAPES)]
    assert run.stdout.split() == sorted(named)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc that is told")
def test_memory_that_is_freed_is_kept() -> None:
    size, faults = 64 << 20, []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        block = bytearray(size)
        ctypes.memset((ctypes.c_char * size).from_buffer(block), 1, size)
        del block
        faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    assert max(faults[1:]) < size / 4096 / 10  # a page that the kernel gives anew is a fault


def test_constants_are_double_whatever_is_imported_first() -> None:
    code = ("from gambol.synthesis import terms, tasks, surfaces, engine; import jax.numpy as jnp; "
            "print(jnp.asarray(terms.GRAVITY).dtype, jnp.asarray(tasks.UP).dtype, jnp.asarray(surfaces.RIM).dtype)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["float64"] * 3


# -- experiments -------------------------------------------------------------------------------------------------------


def test_the_report_has_a_gait_chart_with_hands(result: Result) -> None:
    chart = gait_chart(result).decode()
    assert chart.lstrip().startswith("<?xml") or "<svg" in chart
    shown = looks("stand", result)
    assert "load on each contact" in shown[-1].caption and {picture.kind for picture in shown} <= {"svg", "png"}


def test_frozen_activations_are_worse_than_free_ones() -> None:
    problem = standing(0.3).problem()
    free, held = climbed(problem, 0), frozen(problem, 0)
    assert rank(free[0]) < rank(held[0])
    row = outcome("walk", [free, held])
    assert row.ours.startswith("1 of 2 pass") and "; off: " in row.ours


def test_variations_are_not_shipped() -> None:
    shipped = [replace(find_scene(name), name="") for name in SCENES]
    for name, scene in variations().items():
        assert replace(scene, name="") not in shipped, name
    assert replace(shipped[0], name="") in shipped  # scenes are compared by what is in them


def test_variations_are_counted(monkeypatch: pytest.MonkeyPatch, result: Result) -> None:
    answers = iter([result, replace(result, measures=[Measure("force", 1.0, 0.03, "weights")])])
    monkeypatch.setattr("gambol.synthesis.synthesize.synthesize", lambda scene, seed: next(answers))
    rows = run_variations(Context(quick=True)).rows
    assert rows[0].ours.startswith("1 of 2") and rows[0].verdict == "fail" and "not solved" in rows[2].ours
