"""Pool: the door to the trials' processors."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Self, TypeVar

from gambol.errors import GambolError
from gambol.jobs import processes
from gambol.jobs.task import Outcome, brief, listen, stop_asked
from gambol.stopping import Stopping

if TYPE_CHECKING:
    from gambol.jobs.cluster import Cluster

T = TypeVar("T")


class TrialFailed(GambolError):
    """A trial ended with an error; its traceback is in a note."""


class Pool:
    """`workers` processes of this machine, or all processors of a Ray cluster. Files of `--load` are known there, too.

    With one worker, or for one trial, trials run in this process.
    """

    def __init__(self, workers: int = 2, ray: str | None = None) -> None:
        self.workers = workers
        self._cluster: Cluster | None = None
        if ray is not None:
            from gambol.jobs.cluster import Cluster

            self._cluster = Cluster(ray)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster, if there is one."""
        if self._cluster is not None:
            self._cluster.close()

    def run(self, function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], stopping: Stopping | None = None
            ) -> Iterator[tuple[int, T]]:
        """Index and value of `function(*a)` for every a, as they come. The function must be one of a module's own.

        The first error ends all of them. Ctrl-C does, too; but with `stopping`, once that is asked nothing new begins,
        and what runs may hear it (`stop_asked`) and end early with what it has.
        """
        todo = list(arguments)
        with closing(self._outcomes(function, todo, stopping)) as outcomes:
            for index, outcome in outcomes:
                if outcome.failed:
                    raise failure(outcome, index, todo)
                yield index, outcome.value

    def map(self, function: Callable[..., T], arguments: Iterable[tuple[Any, ...]],
            progress: Callable[[float], None] | None = None) -> list[T]:
        """`function(*a)` for every a, in order. `progress` hears which share is done, 0 to 1."""
        todo = list(arguments)
        found: dict[int, T] = {}
        for index, value in self.run(function, todo):
            found[index] = value
            if progress is not None:
                progress(len(found) / len(todo))
        return [found[index] for index in range(len(todo))]

    def _outcomes(self, function: Callable[..., Any], todo: Sequence[tuple[Any, ...]], stopping: Stopping | None
                  ) -> Generator[tuple[int, Outcome], None, None]:
        if self._cluster is not None:
            return self._cluster.run(function, todo, stopping)
        if self.workers < 2 or len(todo) < 2:
            return _here(function, todo, stopping)
        try:
            payloads = [pickle.dumps((function, arguments)) for arguments in todo]
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TrialFailed(f"a trial cannot be sent to another process: {error}") from None
        return processes.run(payloads, self.workers, stopping)


def _here(function: Callable[..., Any], todo: Sequence[tuple[Any, ...]], stopping: Stopping | None
          ) -> Generator[tuple[int, Outcome], None, None]:
    """In this process, one after the other."""
    listen(lambda: stopping is not None and stopping.asked)
    try:
        for index, arguments in enumerate(todo):
            if stop_asked():
                return
            try:
                outcome = Outcome(function(*arguments))
            except Exception as error:
                outcome = Outcome.of_error(error)
            yield index, outcome
    finally:
        listen(lambda: False)


def failure(outcome: Outcome, index: int, todo: Sequence[tuple[Any, ...]]) -> GambolError:
    """The error that names the trial."""
    error = (outcome.kind or TrialFailed)(f"trial {index + 1} of {len(todo)} ({brief(todo[index])}): {outcome.failed}")
    if outcome.details:
        error.add_note(outcome.details)
    return error
