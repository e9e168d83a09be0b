"""Every step: when and where the foot came down, and when and where it was to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.explain.evidence import Evidence
from gambol.motion import measures

FOOTHOLD = ("foothold x", "foothold y", "foothold z")
NAN = float("nan")


@dataclass(frozen=True)
class Landing:
    """One swing of one foot. Plans are not numbers where there were none."""

    foot: str
    lifted: float
    """s"""
    landed: float
    """s; not a number if it fell, or the run ended, before"""
    due: float
    """when it was to land by the plan of the moment it lifted, s"""
    place: np.ndarray
    """(2,) middle of the sole as it came down, m"""
    wanted: np.ndarray
    """(2,) foothold by the last plan before"""
    ahead: float
    left: float
    """how far beyond the wanted place it came down, as the figure faces, m"""
    moved: float
    """how far the wanted place moved during the swing, m"""

    @property
    def late(self) -> float:
        """s; negative is early"""
        return self.landed - self.due

    @property
    def off(self) -> float:
        """m"""
        return float(np.hypot(self.ahead, self.left))

    @property
    def name(self) -> str:
        return self.foot.replace("_", " ")

    def how(self) -> str:
        """In words, only what is worth telling."""
        parts = []
        if abs(self.late) >= 0.03:
            parts.append(f"{abs(self.late):.2f} s {'late' if self.late > 0 else 'early'}")
        if abs(self.ahead) >= 0.03:
            parts.append(f"{100 * abs(self.ahead):.0f} cm {'too far' if self.ahead > 0 else 'short'}")
        if abs(self.left) >= 0.03:
            parts.append(f"{100 * abs(self.left):.0f} cm too far to its {'left' if self.left > 0 else 'right'}")
        return " and ".join(parts) or "as planned"


def landings(evidence: Evidence) -> list[Landing]:
    """All swings that began before the fall, by the time of lifting; the last ones may not have ended."""
    heights = measures.foot_height(evidence.measured)[1:evidence.count + 1].T
    soles = measures.sole_places(evidence.measured)
    found = []
    for (role, loaded), height in zip(evidence.feet.items(), heights, strict=True):
        middle = soles[role].mean(axis=1)[1:evidence.count + 1, :2]
        lifted = height > measures.LIFTED
        for begin, end in _swings(loaded, lifted, evidence):
            found.append(_landing(evidence, role, begin, end, middle))
    return sorted(found, key=lambda landing: landing.lifted)


def _swings(loaded: np.ndarray, lifted: np.ndarray, evidence: Evidence) -> list[tuple[int, int | None]]:
    """Swings up to the fall; an open one at the end has no touchdown."""
    last = int(evidence.before.sum())
    done: list[tuple[int, int | None]] = [*measures.swings(loaded[:last], lifted[:last], evidence.tick)]
    if last and not loaded[last - 1]:
        begin = last - int(np.argmax(loaded[:last][::-1])) if loaded[:last].any() else 0
        if (last - begin) * evidence.tick >= measures.UNLOADED and lifted[begin:last].any():
            done.append((begin, None))
    return done


def _landing(evidence: Evidence, role: str, begin: int, end: int | None, middle: np.ndarray) -> Landing:
    time, until = evidence.time, int(evidence.before.sum()) if end is None else end
    rows = _aiming(evidence, role, begin, until)
    landed, place = (NAN, np.full(2, NAN)) if end is None else (float(time[end]), middle[end])
    if not len(rows):
        return Landing(role, float(time[begin]), landed, NAN, place, np.full(2, NAN), NAN, NAN, NAN)
    due = float(time[rows[0]] + evidence.diary.numbers("lands in")[rows[0], 0])
    wanted = evidence.diary.numbers(*FOOTHOLD)[rows, :2]
    ahead, left = evidence.along((place - wanted[-1])[None], rows[-1:])[0]
    return Landing(role, float(time[begin]), landed, due, place, wanted[-1], float(ahead), float(left),
                   float(np.linalg.norm(wanted[-1] - wanted[0])))


def _aiming(evidence: Evidence, role: str, begin: int, end: int) -> np.ndarray:
    """Rows of a swing in which the plan has a foothold for this foot."""
    if not evidence.feet_planned or not evidence.diary.has("lands in", *FOOTHOLD):
        return np.zeros(0, dtype=int)
    stance, support = (evidence.diary.words(name)[begin:end] for name in ("stance", "support"))
    other = ~evidence.stands_on(role, stance) & (stance != "")
    return begin + np.flatnonzero(other & (support != "double"))
