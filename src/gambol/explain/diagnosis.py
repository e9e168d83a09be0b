"""The diagnosis: a few plain sentences from the data. What went wrong first comes first; that is the place to look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_erosion

from gambol.explain.evidence import Evidence, side
from gambol.explain.landings import Landing

SHORTLY = 2.0
"""Pushes and steps this long before a fall may have to do with it, s."""
LATE, OFF = 0.08, 0.05
"""A step this late, s, or this far from its foothold, m, is worth telling."""
LEANS = 25.0
"""degrees"""
PRESSURE_OFF, SUNK = 0.06, 0.04
"""Distance of the pressure point from its plan, and of the COM below it, worth telling, m."""
COSTLY = 4.0
"""A plan that costs this many times the usual is one it would rather not have made."""
OFTEN = 0.2
"""Share of the time that a motor is saturated, or a joint at its limit, worth telling."""
SLIPS = 0.03
"""Way that a foot slides while it carries, worth telling, m."""
MARGIN = 0.06
"""So long after lifting and before landing a foot may still, or already, touch, s."""
BRIEF = 0.04
"""What lasts less than this is no sign, s."""


@dataclass(frozen=True)
class Finding:
    """A sign of trouble and when it began."""

    since: float
    text: str


def headline(evidence: Evidence) -> str:
    """What became of it."""
    if evidence.fall is None:
        return f"Did not fall in {evidence.motion.seconds:.1f} s."
    return f"Fell at {evidence.end:.2f} s: {evidence.fall['reason'].replace('_', ' ')}."


def findings(evidence: Evidence, steps: list[Landing]) -> list[Finding]:
    """Signs of trouble before the fall, or in the whole run if there was none, in the order in which they began."""
    found = [*_outside(evidence), *_steps(evidence, steps), *_stumbles(evidence), *_drift(evidence),
             *_limits(evidence)]
    return sorted(found, key=lambda finding: finding.since)


def _outside(evidence: Evidence) -> Iterator[Finding]:
    for push in evidence.pushes:
        if evidence.fall is None or evidence.end - SHORTLY <= push.time < evidence.end:
            yield Finding(push.time, push.text)


def _steps(evidence: Evidence, steps: list[Landing]) -> Iterator[Finding]:
    """The worst of the last steps, and a foot that did not come down at all."""
    recent = [step for step in steps if evidence.fall is None or step.lifted > evidence.end - SHORTLY]
    done = [step for step in recent if not np.isnan(step.landed)]
    bad = [step for step in done if abs(step.late) > LATE or step.off > OFF]
    if bad and evidence.fall is None:
        bad = [max(bad, key=lambda step: max(abs(step.late) / LATE, step.off / OFF))]
    for step in bad:
        yield Finding(step.landed, f"the {step.name} landed {step.how()}")
    for step in recent:
        if np.isnan(step.landed) and evidence.end > step.due + LATE:
            yield Finding(step.due, f"the {step.name}, due then, was still in the air {evidence.end - step.due:.2f} s "
                          "later")


def _stumbles(evidence: Evidence) -> Iterator[Finding]:
    """Feet that touch something in the middle of their swing."""
    margin = 2 * round(MARGIN / evidence.tick) + 1
    for role, planned in evidence.feet_planned.items():
        swings = binary_erosion(~planned, np.ones(margin), border_value=False)
        touches = evidence.feet[role] & swings & evidence.late
        if touches.any():
            yield Finding(float(evidence.time[np.argmax(touches)]), f"the {role.replace('_', ' ')} touched the ground "
                          "in the middle of its swing")


def _drift(evidence: Evidence) -> Iterator[Finding]:
    """Away from upright, from the plan, from plans that are any good."""
    lean = evidence.lean
    if (row := _onset(evidence, np.linalg.norm(lean, axis=1) > LEANS)) is not None:
        yield Finding(float(evidence.time[row]), f"it leaned more than {LEANS:.0f} degrees {side(*lean[row])}")
    for role, slides in evidence.slip.items():
        way = float(slides[evidence.late].sum() * evidence.tick)
        if way > SLIPS and (row := _onset(evidence, slides > SLIPS)) is not None:
            yield Finding(float(evidence.time[row]), f"the {role.replace('_', ' ')} slid {100 * way:.0f} cm while it "
                          "carried")
    if not evidence.planned:
        return
    off = np.linalg.norm(evidence.pressure - evidence.pressure_planned, axis=1)
    usually = _median(off[evidence.late])
    if usually > PRESSURE_OFF and (row := _onset(evidence, off > PRESSURE_OFF)) is not None:
        yield Finding(float(evidence.time[row]), "the ground carried it elsewhere than planned, by "
                      f"{100 * usually:.0f} cm in the median{_usual(evidence, off)}")
    sunk = evidence.com_planned[:, 2] - evidence.com[:, 2]
    if (row := _onset(evidence, sunk > SUNK)) is not None:
        yield Finding(float(evidence.time[row]), f"it sank below the planned height, by up to "
                      f"{100 * np.nanmax(sunk[evidence.late]):.0f} cm")
    cost = evidence.diary.numbers("cost")[:evidence.count, 0]
    usual = _median(cost[evidence.before])
    if (row := _onset(evidence, cost > COSTLY * max(usual, 1e-9))) is not None:
        yield Finding(float(evidence.time[row]), "it found no good way on: its best plan cost "
                      f"{np.nanmax(cost[evidence.late]):.3g} at worst, {usual:.3g} usually")


def _limits(evidence: Evidence) -> Iterator[Finding]:
    """Motors without reserve, joints at their end, problems that could not be solved as posed."""
    when = "the last second" if evidence.fall is not None else "the time"
    for what, mask in (("torque saturated", evidence.saturated), ("at the limit of its range", evidence.at_limit)):
        share = mask[evidence.late].mean(axis=0)
        for joint in np.argsort(-share, kind="stable")[:3]:
            if share[joint] > OFTEN:
                row = int(np.argmax(mask[:, joint] & evidence.late))
                yield Finding(float(evidence.time[row]), f"{evidence.joints[joint].replace('_', ' ')}: {what} "
                              f"{100 * share[joint]:.0f} % of {when}")
    if evidence.diary.has("degradations"):
        counted = evidence.diary.numbers("degradations")[:evidence.count, 0]
        fresh = np.diff(counted, prepend=counted[:1]) > 0
        if (fresh & evidence.late).any():
            row = int(np.argmax(fresh & evidence.late))
            yield Finding(float(evidence.time[row]), f"the solver gave up part of its problem in "
                          f"{int((fresh & evidence.late).sum())} ticks of {when}")


def _onset(evidence: Evidence, bad: np.ndarray) -> int | None:
    """First row of the first stretch of something bad that is not brief, in the time that is looked at."""
    bad = bad & evidence.late
    edges = np.diff(np.concatenate([[False], bad, [False]]).astype(int))
    for begin, end in zip(np.flatnonzero(edges > 0), np.flatnonzero(edges < 0), strict=True):
        if (end - begin) * evidence.tick >= BRIEF - 1e-9:
            return int(begin)
    return None


def _usual(evidence: Evidence, off: np.ndarray) -> str:
    """What was usual before the time that is looked at, if there was such a time."""
    earlier = off[evidence.before & ~evidence.late]
    return f" ({100 * _median(earlier):.0f} cm before)" if np.isfinite(earlier).any() else ""


def _median(values: np.ndarray) -> float:
    return float(np.nanmedian(values)) if np.isfinite(values).any() else float("nan")
