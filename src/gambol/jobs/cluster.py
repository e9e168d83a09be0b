"""Trials on a Ray cluster, one on each of its processors.

Every node needs gambol installed, in the same version and with the same MuJoCo and NumPy, else results differ; JAX may
be missing where no trial needs it. Files of `--load` travel as text. Models and other files that arguments name by path
must be found under that path on every node.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import pickle
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gambol import plugins
from gambol._version import __version__
from gambol.errors import BadInput
from gambol.jobs.task import Outcome, listen, performed
from gambol.stopping import Stopping

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
try:
    import ray as _ray
except ImportError:
    raise BadInput("--ray needs Ray, which is not installed; install it with: pip install 'gambol[cluster]'") from None

ray: Any = _ray  # there may be no Ray where types are checked
POLL = 0.2
"""Seconds between two looks at whether to stop."""
ANSWER, JOIN = 3.0, 7.0
"""Seconds within which the address must answer, and the cluster behind it be joined."""
AHEAD = 4
"""Trials that wait on the cluster for each of its processors."""
AT_WILL = ("jax", "jaxlib")
"""Compared where both have it: a trial that needs one says itself that it is missing."""
QUIET = {"log_to_driver": False, "configure_logging": False, "logging_level": "ERROR"}
_TRY = f"import sys, ray; ray.init(address=sys.argv[1], **{QUIET!r})"


class Cluster:
    """A Ray cluster by the address of its head, `HOST:PORT`, or the one that runs on this machine, `auto`."""

    def __init__(self, address: str) -> None:
        self._ours = not ray.is_initialized()
        if self._ours:
            _check(address)
            ray.init(address=address, **QUIET)
            # Ray prints its nodes' troubles on stdout, where results go (--json), and has no setting against it.
            ray._private.worker._worker_logs_enabled = False

    def close(self) -> None:
        if self._ours:
            ray.shutdown()

    def run(self, function: Callable[..., Any], todo: Sequence[tuple[Any, ...]], stopping: Stopping | None
            ) -> Generator[tuple[int, Outcome], None, None]:
        """Index and outcome of each trial as they come."""
        trial = ray.remote(num_cpus=1, max_retries=1)(on_node)
        versions = _versions()
        bell = None if stopping is None else ray.remote(num_cpus=0)(Bell).remote()
        files, following = ray.put(_texts()), deque(enumerate(todo))
        waiting: dict[Any, int] = {}
        try:
            while True:
                if stopping is not None and stopping.asked and bell is not None:
                    bell.ring.remote()
                    following.clear()
                most = AHEAD * max(ray.cluster_resources().get("CPU", 0), 1)
                while following and len(waiting) < most:
                    index, arguments = following.popleft()
                    # By value what is the user's own script, by name what is a module.
                    payload = ray.cloudpickle.dumps((function, arguments))
                    waiting[trial.remote(payload, files, versions, bell)] = index
                if not waiting:
                    return
                for done in ray.wait(list(waiting), timeout=POLL)[0]:
                    yield waiting.pop(done), _outcome(done)
        finally:
            for left in waiting:
                ray.cancel(left, force=True)
            if bell is not None:
                ray.kill(bell)


def _outcome(done: Any) -> Outcome:
    try:
        found: Outcome = pickle.loads(ray.get(done))
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, ImportError):
            return Outcome(failed=f"a node of the cluster has no gambol like ours: {error.cause}", kind=BadInput)
        return Outcome.of_error(error)
    except ray.exceptions.RayError as error:
        return Outcome(failed=f"its process or node ended unexpectedly ({type(error).__name__})", details=str(error))
    return found


# -- joining -----------------------------------------------------------------------------------------------------------


def _check(address: str) -> None:
    """Refuse an address behind which there is no cluster, before Ray waits for a minute and ends the program."""
    place = re.fullmatch(r"(?:ray://)?([^\s:/]+):(\d{1,5})", address)
    if address != "auto" and (place is None or not 0 < int(place[2]) < 65536):
        raise BadInput(f"{address!r} is no address of a Ray cluster; give HOST:PORT of its head, or auto for the one "
                       "that runs on this machine")
    if place is not None:
        try:
            socket.create_connection((place[1], int(place[2])), ANSWER).close()
        except OSError as error:
            raise BadInput(f"no Ray cluster answers at {address} ({error.strerror or error}); start one there with "
                           "`ray start --head`, or leave out --ray") from None
    try:
        joined = subprocess.run([sys.executable, "-c", _TRY, address], capture_output=True, text=True, timeout=JOIN,
                                check=False)
    except subprocess.TimeoutExpired:
        raise BadInput(f"what answers at {address} is no Ray cluster that can be joined from here; see `ray status`"
                       ) from None
    if joined.returncode:
        said = (joined.stderr.strip().splitlines() or ["it did not say why"])[-1]
        raise BadInput(f"the Ray cluster {address} cannot be joined: {said}")


def _versions() -> dict[str, str]:
    """Of everything installed that decides about the results."""
    found = {"gambol": __version__, "Python": ".".join(map(str, sys.version_info[:2]))}
    for name in ("mujoco", "numpy", "scipy", "daqp", *AT_WILL):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _differences(here: dict[str, str], wanted: dict[str, str]) -> list[str]:
    """What is here in another version than is wanted, or not at all; of what may be missing only the former."""
    names = [name for name in wanted if name in here or name not in AT_WILL]
    return [f"{name} {here.get(name, 'none')}, not {wanted[name]}" for name in names if here.get(name) != wanted[name]]


def _texts() -> tuple[tuple[str, str], ...]:
    """Name and content of the files that were loaded."""
    return tuple((path.name, path.read_text(encoding="utf-8")) for path in plugins.LOADED)


# -- on a node ---------------------------------------------------------------------------------------------------------


class Bell:
    """An actor that who runs trials rings when they should end early."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    async def ring(self) -> None:
        self._rung.set()

    async def heard(self) -> None:
        await self._rung.wait()


def on_node(payload: bytes, files: tuple[tuple[str, str], ...], versions: dict[str, str], bell: Any) -> bytes:
    """One trial on a node of the cluster."""
    asked = threading.Event()
    listen(asked.is_set)
    if bell is not None:
        threading.Thread(target=_hear, args=(bell, asked), daemon=True).start()

    def prepare() -> None:
        if off := _differences(_versions(), versions):
            raise BadInput(f"the node {socket.gethostname()} has {'; '.join(off)}: install there what is here")
        for name, text in files:
            _load(name, text)

    return performed(payload, prepare)


def _hear(bell: Any, asked: threading.Event) -> None:
    try:
        ray.get(bell.heard.remote())
    except ray.exceptions.RayError:
        return  # the bell is gone, and so is who could have rung it
    asked.set()


_folders: dict[str, tempfile.TemporaryDirectory[str]] = {}
"""Folders of the user's files that this process has loaded, by a hash of name and content."""


def _load(name: str, text: str) -> None:
    """A file of the user's, once a process."""
    stamp = hashlib.sha256(f"{name}\n{text}".encode()).hexdigest()
    if stamp not in _folders:
        _folders[stamp] = tempfile.TemporaryDirectory(prefix="gambol-loaded-")
        path = Path(_folders[stamp].name) / name
        path.write_text(text, encoding="utf-8")
        plugins.load(path)
