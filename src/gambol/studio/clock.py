"""The wall clock of a live simulation: how much simulated time is due now, and how fast it really went."""

from __future__ import annotations

from collections import deque

MOST_DEBT = 0.1
"""Simulated seconds that may be caught up after a hiccup; what is older is dropped, so time never races."""
WINDOW = 1.0
"""Seconds over which the speed is measured."""


class Pace:
    """Turns wall time into simulated time owed."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self._last: float | None = None
        self._debt = 0.0

    def restart(self) -> None:
        """Forget what is owed: after a pause or a rebuild nothing has to be caught up."""
        self._last, self._debt = None, 0.0

    def owed(self, now: float) -> float:
        """Simulated seconds due at wall time `now`."""
        if self._last is not None:
            self._debt = min(self._debt + (now - self._last) * self.speed, MOST_DEBT)
        self._last = now
        return self._debt

    def paid(self, seconds: float) -> None:
        self._debt -= seconds


class Speedometer:
    """Simulated seconds per wall second over the last moments, and what would be possible at full load."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self._marks: deque[tuple[float, float, float]] = deque()
        self._simulated = self._busy = 0.0

    def worked(self, simulated: float, busy: float) -> None:
        """`simulated` seconds took `busy` seconds of computing."""
        self._simulated += simulated
        self._busy += busy

    def read(self, now: float) -> tuple[float, float]:
        """(real-time factor, possible real-time factor) at wall time `now`; zero before anything is known."""
        self._marks.append((now, self._simulated, self._busy))
        while len(self._marks) > 2 and now - self._marks[0][0] > WINDOW:
            self._marks.popleft()
        then, simulated, busy = self._marks[0]
        passed, advanced, worked = now - then, self._simulated - simulated, self._busy - busy
        if passed <= 0.0 or advanced <= 0.0:
            return 0.0, 0.0
        return advanced / passed, advanced / max(worked, 1e-9)
