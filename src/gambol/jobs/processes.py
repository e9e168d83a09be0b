"""Trials in processes of this machine.

Processes are started fresh: forking a program that holds threads, graphics or JAX can hang. They never hear Ctrl-C
themselves; who started them does, and tells them or ends them. Each has one trial at a time, so that if it dies, it is
known which one it was.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.synchronize import Event
from pathlib import Path

from gambol import plugins
from gambol.jobs.task import Outcome, listen, performed
from gambol.stopping import Stopping

POLL = 0.2
"""Seconds between two looks at whether to stop."""
GRACE = 5.0
"""Seconds for a process to end by itself, and again after it was told to."""


def run(payloads: Sequence[bytes], workers: int, stopping: Stopping | None
        ) -> Generator[tuple[int, Outcome], None, None]:
    """Index and outcome of each trial as they come."""
    context = get_context("spawn")
    bell = context.Event()
    todo = deque(enumerate(payloads))
    crew: list[_Worker] = []
    try:
        for _ in range(min(workers, len(payloads))):
            crew.append(_Worker(context, bell))
            crew[-1].give(*todo.popleft())
        while busy := {worker.pipe: worker for worker in crew if worker.index is not None}:
            if stopping is not None and stopping.asked:
                bell.set()
                todo.clear()
            for pipe in wait(list(busy), None if stopping is None else POLL):
                worker = busy[pipe]  # type: ignore[index]
                done = worker.answer()
                if todo and not done[1].failed:
                    worker.give(*todo.popleft())
                yield done
    finally:
        for worker in crew:
            worker.end()


class _Worker:
    """A process and the trial it is at."""

    def __init__(self, context: SpawnContext, bell: Event) -> None:
        self.index: int | None = None
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, tuple(plugins.LOADED), bell), daemon=True)
        with _deaf(), _one_blas_thread():
            self.process.start()
        theirs.close()

    def give(self, index: int, payload: bytes) -> None:
        self.index = index
        with suppress(OSError):  # if it has died, its answer will say so
            self.pipe.send_bytes(payload)

    def answer(self) -> tuple[int, Outcome]:
        index, self.index = self.index, None
        assert index is not None
        try:
            return index, pickle.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):
            self.process.join(GRACE)
            status = self.process.exitcode or 0
            how = f"killed by signal {-status}: out of memory?" if status < 0 else f"status {status}"
            return index, Outcome(failed=f"its process ended unexpectedly ({how})")

    def end(self) -> None:
        """Without a trial it ends when nobody is there any more; with one it is told to."""
        self.pipe.close()
        if self.index is not None:
            self.process.terminate()
        self.process.join(GRACE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def _serve(pipe: Connection, files: Sequence[Path], bell: Event) -> None:
    """What a process does: trial after trial, until nobody asks for more."""
    listen(bell.is_set)

    def load() -> None:
        for path in files:
            plugins.load(path)

    while True:
        try:
            pipe.send_bytes(performed(pipe.recv_bytes(), load))
        except (EOFError, OSError):
            return


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes started in here never hear Ctrl-C; one that is pressed meanwhile is heard here afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Processes started in here have one; told later, one whose main script imports NumPy would not hear it."""
    before = os.environ.get("OPENBLAS_NUM_THREADS")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OPENBLAS_NUM_THREADS"]
        else:
            os.environ["OPENBLAS_NUM_THREADS"] = before
