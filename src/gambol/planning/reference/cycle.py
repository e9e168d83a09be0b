"""Looping: the cycle of a clip, repeated.

The cycle is the part of the clip whose two ends look most alike; its end is led over into its beginning. A Reference of
a loop is the cycle repeated for `SECONDS`, each time where the last one ended.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.planning.reference.retarget import RATE, Targets

SECONDS = 20.0
"""How long a repeated clip lasts at least."""
LEAST = 0.5
"""s, of a cycle; and at least half of the clip is kept."""
BLEND = 0.25
"""s over which the end is led into the beginning."""
SPEED = 0.1
"""s: how much a difference of the directions' rates counts beside a difference of the directions."""


def unrolled(targets: Targets) -> Targets:
    """The cycle of some targets, repeated."""
    first, last = cycle(targets)
    count = last - first
    times = max(1, int(np.ceil(SECONDS * RATE / count)))
    turn = _yaw(_heading(targets.turns["root"][last]) - _heading(targets.turns["root"][first]))
    step = targets.hips[last] - targets.hips[first] @ turn.T
    step[2] = 0.0
    rest = 1.0 - np.clip((np.arange(count) - count + BLEND * RATE) / (BLEND * RATE), 0.0, 1.0)
    rest = rest * rest * (3.0 - 2.0 * rest)
    turn_total, way_total = np.eye(3), np.zeros(3)
    rows: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(times):
        rows.append((turn_total, way_total))
        turn_total, way_total = turn_total @ turn, turn_total @ step + way_total

    def blended(values: np.ndarray, places: bool) -> np.ndarray:
        """One cycle; at its end what it does there goes over into what comes before its beginning."""
        own = values[first:last].copy()
        before = np.arange(first - count, first)  # rows before the beginning, as far as there are such
        known = before >= 0
        k = np.flatnonzero(known & (rest < 1.0))
        if len(k):
            other = values[before[k]]
            if places:
                other = other @ turn.T + step
            elif values.ndim == 2:
                other = other @ turn.T
            else:
                other = turn @ other
            share = rest[k].reshape(-1, *[1] * (values.ndim - 1))
            own[k] = share * own[k] + (1.0 - share) * other
        elif places:  # nothing is known from before: the mismatch is spread over the blend
            gap = (values[first] @ turn.T + step) - values[last]
            own += (1.0 - rest)[:, None] * gap
        return own

    def repeat(values: np.ndarray, places: bool = False) -> np.ndarray:
        own = blended(values, places)
        if values.ndim == 3:
            u, _, v = np.linalg.svd(own)
            own = u @ v
            return np.concatenate([a @ own for a, _ in rows])
        return np.concatenate([own @ a.T + (b if places else 0.0) for a, b in rows])

    return replace(targets, hips=repeat(targets.hips, True),
                   turns={role: repeat(values) for role, values in targets.turns.items()},
                   twists={role: repeat(values) for role, values in targets.twists.items()},
                   directions={role: repeat(values) for role, values in targets.directions.items()},
                   balls={role: repeat(values, True) for role, values in targets.balls.items()})


def cycle(targets: Targets) -> tuple[int, int]:
    """First and last row of the part whose ends look most alike, seen from the pelvis's heading."""
    facing = np.array([_yaw(-_heading(turn)) for turn in targets.turns["root"]])
    look = np.concatenate([(facing @ values[..., None])[..., 0] for values in targets.directions.values()], axis=1)
    look = np.concatenate([look, SPEED * np.gradient(look, 1.0 / RATE, axis=0)], axis=1)
    n = len(look)
    least = max(int(LEAST * RATE), n // 2)
    if n - 1 <= least:
        return 0, n - 1
    best, found = np.inf, (0, n - 1)
    for first in range(0, n - least):
        off = ((look[first + least:] - look[first]) ** 2).sum(axis=1)
        last = int(np.argmin(off))
        if off[last] < best:
            best, found = float(off[last]), (first, first + least + last)
    return found


def _heading(turn: np.ndarray) -> float:
    return float(np.arctan2(turn[1, 0], turn[0, 0]))


def _yaw(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])


