"""The recorder: every control tick as it happened, in growing arrays, with restart points.

It keeps everything, or only the last seconds (`keep`): then it is the black box that is saved when a run goes bad.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

STATE = mujoco.mjtState.mjSTATE_INTEGRATION

Event = tuple[int, int, np.ndarray]
"""tick, body, and what happened to it"""
Edit = tuple[int, dict[str, np.ndarray]]
"""tick, and the fields of the model that changed"""


def integration_state(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Everything the next step depends on but the pushes of the last tick: those of the next are declared apart."""
    wrenches = data.xfrc_applied.copy()
    data.xfrc_applied[:] = 0.0
    state = np.empty(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, state, STATE)
    data.xfrc_applied[:] = wrenches
    return state


class Recorder:
    """Rows of time, qpos, qvel, ctrl; pushes, throws and edits by tick."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, substeps: int) -> None:
        self.model, self.data, self.substeps = model, data, substeps
        self.tick_length = model.opt.timestep * substeps
        self._second = max(1, round(1.0 / self.tick_length))
        self.edits: list[Edit] = []
        self.restart()

    def restart(self, keep: float | None = None) -> None:
        """Begin a new take at the present state; keep all of it, or only about the last `keep` seconds."""
        self.keep = None if keep is None else max(1, round(keep / self.tick_length))
        capacity = 1024 if self.keep is None else 2 * self.keep + self._second
        self.count = 0
        self._rows = np.empty((capacity, 1 + self.model.nq + self.model.nv + self.model.nu))
        self.pushes: list[Event] = []
        self.throws: list[Event] = []
        self.edits = _edits_from(self.edits, drop=None)
        self._starts = [(0, integration_state(self.model, self.data))]

    def record(self) -> None:
        """Store the state before a step and the controls that will act during it."""
        data = self.data
        if self.count and self.count % self._second == 0:
            self._starts.append((self.count, integration_state(self.model, data)))
        if self.count == len(self._rows):
            self._make_room()
        row = self._rows[self.count]
        nq, nv = self.model.nq, self.model.nv
        row[0] = data.time
        row[1:1 + nq] = data.qpos
        row[1 + nq:1 + nq + nv] = data.qvel
        row[1 + nq + nv:] = data.ctrl
        self.count += 1

    def _make_room(self) -> None:
        """Double the arrays, or forget what is older than the seconds to keep."""
        if self.keep is None:
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
            return
        drop, _ = self._start_before(self.count - self.keep)
        self._rows[:self.count - drop] = self._rows[drop:self.count].copy()
        self.pushes, self.throws, self.edits = self._events_from(drop)
        self._starts = [(tick - drop, state) for tick, state in self._starts if tick >= drop]
        self.count -= drop

    def _start_before(self, tick: int) -> tuple[int, np.ndarray]:
        """The last restart point at or before a tick."""
        return [start for start in self._starts if start[0] <= max(0, tick)][-1]

    def _events_from(self, drop: int) -> tuple[list[Event], list[Event], list[Edit]]:
        """Pushes, throws and edits of a take that begins at a tick."""
        return ([(tick - drop, body, row) for tick, body, row in self.pushes if tick >= drop],
                [(tick - drop, body, row) for tick, body, row in self.throws if tick >= drop],
                _edits_from(self.edits, drop))

    def arrays(self, last: float | None = None) -> dict[str, Any]:
        """The take, or at least its last seconds, in the keys of the Motion file (docs/motion-file.md).

        The present state is the last row.
        """
        first, state = (0, self._starts[0][1]) if last is None else self._start_before(
            self.count - round(last / self.tick_length))
        pushes, throws, edits = self._events_from(first)
        nq, nv = self.model.nq, self.model.nv
        now = np.concatenate([[self.data.time], self.data.qpos, self.data.qvel])
        rows = self._rows[first:self.count]
        states = np.vstack([rows[:, :1 + nq + nv], now])
        return {
            "initial_state": state,
            "substeps": self.substeps,
            "ctrl": rows[:, 1 + nq + nv:].copy(),
            "time": states[:, 0],
            "qpos": states[:, 1:1 + nq],
            "qvel": states[:, 1 + nq:],
            **_events("push", pushes, 6, "wrench"),
            **_events("throw", throws, 13, "state"),
            "edits": edits,
        }


def _events(kind: str, events: list[Event], width: int, value: str) -> dict[str, np.ndarray]:
    return {
        f"{kind}_tick": np.array([tick for tick, _, _ in events], dtype=np.int64),
        f"{kind}_body": np.array([body for _, body, _ in events], dtype=np.int64),
        f"{kind}_{value}": np.array([row for _, _, row in events], dtype=float).reshape(-1, width),
    }


def _edits_from(edits: list[Edit], drop: int | None) -> list[Edit]:
    """Edits of a take that begins at tick `drop` (None: now): earlier ones become one edit at its start."""
    before: dict[str, np.ndarray] = {}
    for tick, fields in edits:
        if drop is None or tick <= drop:
            before |= fields
    after = [] if drop is None else [(tick - drop, fields) for tick, fields in edits if tick > drop]
    return ([(0, before)] if before else []) + after
