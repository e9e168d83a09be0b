"""The pool: processes of this machine, and a Ray cluster of two nodes."""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import job_trials
from gambol.cli import main
from gambol.errors import BadInput, GambolError
from gambol.jobs import Pool, TrialFailed
from gambol.stopping import Stopping

GAMBOL = [sys.executable, "-m", "gambol"]
COUNT = 40
SURVEY = '''
import hashlib
import time

from gambol.experiments.experiment import Result, experiment, report
from gambol.rollout import simulate


def node():
    import sys

    return sys.modules["ray"].get_runtime_context().get_node_id() if "ray" in sys.modules else "here"


def stood(seed):
    motion = simulate("balance", seconds=0.2, seed=seed).motion
    return hashlib.sha256(motion.qpos.tobytes() + motion.ctrl.tobytes()).hexdigest(), node()


def nap(folder, number):
    open(f"{folder}/{number}", "w").close()
    time.sleep(100)


@experiment("survey", group="own", source="-", published="-")
def survey(context):
    """Outcomes of short trials, seed by seed"""
    done = context.trials(stood, [(seed,) for seed in range(40)])
    return Result([report("outcome", "-", outcome) for outcome, _ in done], notes=sorted({where for _, where in done}))


@experiment("naps", group="own", source="-", published="-")
def naps(context):
    """Trials that nobody waits for"""
    import os

    context.trials(nap, [(os.environ["NAPS"], number) for number in range(4)])
    return Result([])
'''
"""A file of the user's own, with trials."""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(SURVEY, encoding="utf-8")
    return path


# -- processes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_as_they_are_done_or_in_order(workers: int) -> None:
    pool, shares = Pool(workers), list[float]()
    came = list(pool.run(job_trials.late, [(k,) for k in range(4)]))
    assert sorted(came) == [(k, k) for k in range(4)]
    assert (came[0][0] == 0) == (workers == 1)
    assert pool.map(job_trials.late, [(k,) for k in range(4)], shares.append) == [0, 1, 2, 3]
    assert shares == [0.25, 0.5, 0.75, 1.0] and pool.map(job_trials.late, []) == []


THREADS = '''
import json

import numpy  # before gambol: each process runs these lines, too, and from then on its BLAS has the threads it has

import job_trials
from gambol.jobs import Pool

if __name__ == "__main__":
    print(json.dumps([job_trials.threads(0), *Pool(2).map(job_trials.threads, [(1,), (2,)])]))
'''


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are looked up in /proc")
def test_a_process_has_one_blas_thread_whatever_this_one_has(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(THREADS, encoding="utf-8")
    run = subprocess.run([sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, check=False,
                         env={**os.environ, "OPENBLAS_NUM_THREADS": "7", "PYTHONPATH": os.pathsep.join(sys.path)})
    assert run.returncode == 0, run.stderr
    here, *there = json.loads(run.stdout)
    assert here and (min(here) > 1 or len(os.sched_getaffinity(0)) == 1)
    assert there == [[1] * len(here)] * 2


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("function", "kind", "said"), [
    (job_trials.refused, BadInput, r"trial 3 of 4 \(2\): no such thing"),
    (job_trials.broken, TrialFailed, r"trial 3 of 4 \(2\): ZeroDivisionError: division by zero \(job_trials.py:\d+\)")])
def test_an_error_names_the_trial(workers: int, function: Callable[..., Any], kind: type[GambolError], said: str
                                  ) -> None:
    with pytest.raises(kind) as caught:
        Pool(workers).map(function, [(k,) for k in range(4)])
    assert re.fullmatch(said, str(caught.value)) and "job_trials.py" in caught.value.__notes__[0]


def test_arguments_are_named_in_short() -> None:
    with pytest.raises(TrialFailed, match=r"^trial 1 of 2 \('x{38}…\): TypeError"):
        Pool(1).map(job_trials.broken, [("x" * 1000,), ("y",)])


@pytest.mark.parametrize(("function", "said"), [
    (job_trials.killed, r"trial 3 of 4 \(2\): its process ended unexpectedly \(killed by signal 9: out of memory\?\)"),
    (job_trials.sends_a_function, r"trial \d of 4 \(\d\): what it returned cannot be sent back: .*"),
    (lambda value: value, r"a trial cannot be sent to another process: .*")])
def test_what_cannot_be_done_by_a_process_is_one_line(function: Callable[..., Any], said: str) -> None:
    with pytest.raises(TrialFailed) as caught:
        Pool(2).map(function, [(k,) for k in range(4)])
    assert re.fullmatch(said, str(caught.value))


def test_who_is_asked_to_stop_gives_what_there_is_and_nothing_new_begins(tmp_path: Path) -> None:
    stopping = Stopping()

    def ask() -> None:
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.01)
        stopping.asked = True

    threading.Thread(target=ask, daemon=True).start()
    came = list(Pool(2).run(job_trials.until_asked, [(tmp_path, k) for k in range(5)], stopping))
    assert sorted(came) == [(0, 0), (1, 1)]


def _hear_control_c() -> None:
    """What a shell starts in the background ignores it, and so would what that starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("everybody", [True, False], ids=["typed", "sent to one process"])
def test_control_c_ends_all_processes_and_says_nothing(tmp_path: Path, own: Path, everybody: bool) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    process = subprocess.Popen([*GAMBOL, "--load", str(own), "reproduce", "naps"], stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "NAPS": str(marks)}, start_new_session=True,
                               preexec_fn=_hear_control_c)
    while len(list(marks.iterdir())) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    (os.killpg if everybody else os.kill)(process.pid, signal.SIGINT)
    assert process.communicate(timeout=20)[1] == "" and process.returncode == 130
    deadline = time.monotonic() + 10
    with pytest.raises(ProcessLookupError):  # nobody of the group is left
        while time.monotonic() < deadline:
            os.killpg(process.pid, 0)
            time.sleep(0.05)
    assert len(list(marks.iterdir())) == 2


def test_nobody_else_starts_processes() -> None:
    package = Path(job_trials.__file__).parents[1] / "src" / "gambol"
    using = {path.relative_to(package).parts[0] for path in package.rglob("*.py")
             if re.search(r"multiprocessing|ProcessPool|import ray|os\.fork", path.read_text(encoding="utf-8"))}
    assert using == {"jobs"}


# -- Ray ---------------------------------------------------------------------------------------------------------------


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as end:
        main(words)
    said = capsys.readouterr().err
    assert end.value.code == 2 and said.count("\n") == 1
    return said


@pytest.mark.parametrize("words", [["reproduce", "chain"], ["synthesize", "stand", "--seeds", "2"]])
def test_who_has_no_ray_is_told_how_to_get_it(words: list[str], monkeypatch: pytest.MonkeyPatch,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    if words[0] == "synthesize":
        pytest.importorskip("jax")
    monkeypatch.delitem(sys.modules, "gambol.jobs.cluster", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'gambol[cluster]'" in refused([*words, "--ray", "127.0.0.1:6379"], capsys)


@pytest.mark.parametrize(("words", "message"), [([], "say how many with --seeds"),
                                                (["--seeds", "2", "--resume", "-o", "x.npz"], "leave out --ray")])
def test_ray_is_for_several_seeds(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jax")
    assert message in refused(["synthesize", "stand", "--ray", "auto", *words], capsys)


@contextmanager
def silent(answers: bool) -> Iterator[str]:
    """The address of a port where nobody is, or where somebody is who says nothing."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if answers:
            server.listen()
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_an_address_without_a_cluster_is_refused_soon(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ray")
    words = ["reproduce", "chain", "--ray"]
    for wrong in ("6379", "somewhere", "a:b", "host:99999"):
        assert f"'{wrong}' is no address of a Ray cluster" in refused([*words, wrong], capsys)
    begin = time.monotonic()
    with silent(answers=False) as address:
        assert f"no Ray cluster answers at {address}" in refused([*words, address], capsys)
    assert "no Ray cluster answers at no.such.host.invalid:1" in refused([*words, "no.such.host.invalid:1"], capsys)
    with silent(answers=True) as address:
        assert f"what answers at {address} is no Ray cluster" in refused([*words, address], capsys)
    assert time.monotonic() - begin < 25


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """A cluster of two nodes: its address, and the surroundings to join it in."""
    pytest.importorskip("ray")
    log = tmp_path_factory.mktemp("ray") / "log.txt"
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as folder:  # not pytest's: paths of sockets are short
        around = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "RAY_TMPDIR": folder,
                  "RAY_USAGE_STATS_ENABLED": "0",
                  "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # else 127.0.0.1 is taken for the outward address
        words = [sys.executable, str(Path(__file__).with_name("ray_nodes.py"))]
        with log.open("w") as said, subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
                                                     text=True, env=around) as cluster:
            assert cluster.stdin is not None and cluster.stdout is not None
            lines = (line.strip() for line in cluster.stdout)
            address = next((line for line in lines if re.fullmatch(r"127\.0\.0\.1:\d+", line)), "")
            assert address, log.read_text()
            yield address, around
            cluster.stdin.close()
            cluster.stdin = None
            cluster.wait(60)


def test_two_ray_nodes_find_what_local_processes_find(own: Path, nodes: tuple[str, dict[str, str]]) -> None:
    address, around = nodes
    found = []
    for where in ([], ["--ray", address]):
        run = subprocess.run([*GAMBOL, "--load", str(own), "reproduce", "survey", "--json", *where], env=around,
                             capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        found.append(json.loads(run.stdout)["experiments"]["survey"])
    here, there = ([row["ours"] for row in one["rows"]] for one in found)
    assert len(set(here)) == COUNT and here == there
    assert found[0]["notes"] == ["here"] and len(found[1]["notes"]) == 2


@pytest.mark.parametrize(("other", "off"), [
    ({}, ""), ({"mujoco": "3.9"}, "mujoco 3.9, not {mujoco}"), ({"daqp": None}, "daqp none, not {daqp}"),
    ({"jax": None, "jaxlib": None}, ""), ({"jax": "0.1"}, "jax 0.1, not 0.10"),
    ({"jaxlib": "0.1", "numpy": "1"}, "numpy 1, not {numpy}; jaxlib 0.1, not 0.10")])
def test_a_node_that_would_find_other_results_is_refused(other: dict[str, str | None], off: str,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    from gambol.jobs import cluster

    wanted = {**cluster._versions(), "jax": "0.10", "jaxlib": "0.10"}
    here = {name: value for name, value in {**wanted, **other}.items() if value is not None}
    monkeypatch.setattr(cluster, "_versions", lambda: here)
    outcome = pickle.loads(cluster.on_node(pickle.dumps((job_trials.double, (2,))), (), wanted, None))
    assert (outcome.value == 4) == (not off)
    assert not off or (outcome.kind is BadInput and f" has {off.format(**wanted)}: install" in outcome.failed)


def test_versions_of_jax_are_compared_where_it_is_installed() -> None:
    pytest.importorskip("ray")
    jax = pytest.importorskip("jax")
    from gambol.jobs import cluster

    assert cluster._versions()["jax"] == jax.__version__ and "jaxlib" in cluster._versions()


ON_RAY = '''
import sys, tempfile, threading, time
from pathlib import Path
import job_trials
from gambol.errors import GambolError
from gambol.jobs import Pool
from gambol.stopping import Stopping

def mine(value):  # of a script, which no node can import
    return -value

with Pool(ray=sys.argv[1]) as pool, tempfile.TemporaryDirectory() as folder:
    print(pool.map(mine, [(1,), (2,)]))
    for function in (job_trials.refused, job_trials.broken, job_trials.killed, job_trials.sends_a_function):
        try:
            pool.map(function, [(k,) for k in range(4)])
        except GambolError as error:
            print(type(error).__name__, error)
    stopping, folder = Stopping(), Path(folder)

    def ask():
        while len(list(folder.iterdir())) < 2:
            time.sleep(0.01)
        stopping.asked = True

    threading.Thread(target=ask, daemon=True).start()
    print(sorted(pool.run(job_trials.until_asked, [(folder, k) for k in range(30)], stopping))[:2])
'''


def test_on_ray_errors_name_the_trial_and_who_is_asked_to_stop_hears_it(nodes: tuple[str, dict[str, str]],
                                                                        tmp_path: Path) -> None:
    address, around = nodes
    (tmp_path / "script.py").write_text(ON_RAY, encoding="utf-8")
    run = subprocess.run([sys.executable, str(tmp_path / "script.py"), address], env=around, capture_output=True,
                         text=True, check=False)
    assert run.returncode == 0, run.stderr
    said = run.stdout.splitlines()
    assert said[0] == "[-1, -2]" and said[1] == "BadInput trial 3 of 4 (2): no such thing"
    assert re.fullmatch(r"TrialFailed trial 3 of 4 \(2\): ZeroDivisionError: division by zero \(job_trials.py:\d+\)",
                        said[2])
    assert said[3].startswith("TrialFailed trial 3 of 4 (2): its process or node ended unexpectedly")
    assert "what it returned cannot be sent back" in said[4] and said[5] == "[(0, 0), (1, 1)]"


def test_control_c_leaves_the_cluster_and_says_nothing(own: Path, nodes: tuple[str, dict[str, str]], tmp_path: Path
                                                       ) -> None:
    address, around = nodes
    process = subprocess.Popen([*GAMBOL, "--load", str(own), "reproduce", "naps", "--ray", address], text=True,
                               stderr=subprocess.PIPE, env={**around, "NAPS": str(tmp_path)}, start_new_session=True,
                               preexec_fn=_hear_control_c)
    while len(list(tmp_path.glob("[0-9]"))) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30)[1] == "" and process.returncode == 130
