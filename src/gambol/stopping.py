"""Ctrl-C during long work: the first asks to stop after this iteration and keep what there is."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self


class Stopping:
    """As a `tell` of long work, says whether Ctrl-C was pressed inside the `with`. A second one interrupts as usual."""

    def __init__(self) -> None:
        self.asked = False
        self._old: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._old = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        if self._old is not None:
            signal.signal(signal.SIGINT, self._old)

    def __call__(self, news: object) -> bool:
        return self.asked

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
