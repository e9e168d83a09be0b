"""Pictures of a run: plan and reality over time, the gait, the steps, the joints, the way seen from above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gambol.explain.evidence import Evidence
from gambol.explain.landings import Landing
from gambol.motion.motion import Motion
from gambol.reporting.pictures import Picture, film
from gambol.reporting.plots import COLORS, axes, legend, svg, thin

REAL, PLANNED, FALL = COLORS[0], COLORS[1], "#b3261e"
STRIP_SECONDS, FRAMES = 2.0, 10
"""Seconds before a fall that are shown, and pictures of a strip."""
MOST_JOINTS = 12
AFTER = 0.5
"""Seconds after a fall that are still drawn."""


def charts(evidence: Evidence, steps: list[Landing]) -> Iterator[Picture]:
    """All pictures that there is something for, but the film strip."""
    yield from (com(evidence), speed(evidence))
    if evidence.planned:
        yield off_plan(evidence)
    if evidence.feet:
        yield from (pressure(evidence), gait(evidence))
    if any(np.isfinite(step.due) for step in steps):
        yield step_errors(steps)
    if evidence.feet:
        yield from_above(evidence, steps)
    if evidence.diary.has("cost"):
        yield plans(evidence)
    yield posture(evidence)
    if evidence.saturated[evidence.before].any() or evidence.at_limit[evidence.before].any():
        yield joints(evidence)


def strip(motion: Motion, fell_at: float | None) -> tuple[Picture, ...]:
    """The last moments before a fall, or the whole run; nothing where there is no OpenGL."""
    end = motion.seconds if fell_at is None else min(fell_at + 0.1, motion.seconds)
    begin = 0.0 if fell_at is None else max(0.0, end - STRIP_SECONDS)
    times = np.linspace(begin, end, FRAMES)
    caption = f"{begin:.2f} to {end:.2f} s, every {times[1] - times[0]:.2f} s, from its side"
    return tuple(film(motion, times, caption, bearing=90.0, elevation=-6.0, size=(170, 260), zoom=1.5))


def com(evidence: Evidence) -> Picture:
    names = ("x [m]", "y [m]", "height, z [m]")
    return _pairs(evidence, evidence.com, evidence.com_planned, names, "centre of mass", "centre of mass, world axes")


def speed(evidence: Evidence) -> Picture:
    names = ("x [m/s]", "y [m/s]", "z [m/s]")
    return _pairs(evidence, evidence.velocity, evidence.velocity_planned, names, "speed",
                  "speed of the centre of mass, world axes")


def off_plan(evidence: Evidence) -> Picture:
    """Small differences that the other pictures cannot show."""
    figure, row = axes(2, 2.9)
    off = evidence.com - evidence.com_planned
    place = np.column_stack([evidence.along(off[:, :2]), off[:, 2]])
    fast = evidence.velocity - evidence.velocity_planned
    pace = np.column_stack([evidence.along(fast[:, :2]), fast[:, 2]])
    for axis, values, title, unit in ((row[0], 100 * place, "place: real minus planned", "cm"),
                                      (row[1], pace, "speed: real minus planned", "m/s")):
        _lines(evidence, axis, values, ("ahead", "to its left", "up"))
        axis.set(title=f"{title} [{unit}]")
        legend(axis)
    return Picture("How far the centre of mass was from the plan of the same tick; a new plan starts from where it is",
                   svg(figure))


def pressure(evidence: Evidence) -> Picture:
    """Both relative to the COM: only then can they be seen."""
    real = evidence.along(evidence.pressure - evidence.com[:, :2])
    planned = evidence.along(evidence.pressure_planned - evidence.com_planned[:, :2])
    return _pairs(evidence, real, planned, ("ahead [m]", "to its left [m]"), "pressure point",
                  "pressure point from below the centre of mass: planned, and measured from the contact forces")


def gait(evidence: Evidence) -> Picture:
    """Bars where feet carry."""
    figure, (axis,) = axes(1, 0.9 + 0.55 * len(evidence.feet))
    figure.set_figwidth(11.7)
    for k, (role, loaded) in enumerate(reversed(evidence.feet.items())):
        planned = evidence.feet_planned.get(role)
        height = 0.8 if planned is None else 0.38
        axis.broken_barh(_bars(evidence, loaded), (k - 0.4, height), color=REAL, label="real" if k == 0 else None)
        if planned is not None:
            axis.broken_barh(_bars(evidence, planned), (k + 0.02, height), color=PLANNED,
                             label="by the plan" if k == 0 else None)
    axis.set(yticks=range(len(evidence.feet)), yticklabels=[role.replace("_", " ") for role in reversed(evidence.feet)],
             title="feet on the ground")
    _mark(evidence, axis)
    axis.legend(loc="upper right", bbox_to_anchor=(1.0, 1.32), ncols=2, fontsize=7.5, frameon=False)
    return Picture("When each foot carried", svg(figure))


def step_errors(steps: list[Landing]) -> Picture:
    """One group of bars a step."""
    figure, row = axes(2, 2.9)
    done = [step for step in steps if np.isfinite(step.due) and np.isfinite(step.landed)]
    place, label = np.arange(len(done)), [f"{step.landed:.1f}\n{step.foot[0]}" for step in done]
    row[0].bar(place - 0.2, [100 * step.ahead for step in done], 0.4, label="ahead of it")
    row[0].bar(place + 0.2, [100 * step.left for step in done], 0.4, label="to its left")
    row[1].bar(place, [step.late for step in done], 0.6, label="late")
    for axis, title, unit in ((row[0], "foothold: real minus planned", "cm"), (row[1], "landing: real minus due", "s")):
        every = max(1, len(done) // 14)
        axis.set(title=f"{title} [{unit}]", xticks=place[::every], xticklabels=label[::every])
        axis.tick_params(axis="x", labelsize=7)
        axis.axhline(0.0, color="#8b939c", linewidth=0.8)
    legend(row[0])
    return Picture("Every step, by time [s] and foot (l, r): where it came down against the last plan, and when "
                   "against the plan of the moment it lifted", svg(figure))


def from_above(evidence: Evidence, steps: list[Landing]) -> Picture:
    figure, (axis,) = axes(1, 3.2)
    figure.set_figwidth(11.7)
    rows = _drawn(evidence)
    for path, color, label in ((evidence.com[rows], REAL, "centre of mass"), (evidence.pressure[rows], "#8b939c",
                                                                              "pressure")):
        axis.plot(*thin(path)[0][:, :2].T, color=color, label=label)
    done = [step for step in steps if np.isfinite(step.landed)]
    for step in done:
        axis.plot(*zip(step.wanted, step.place, strict=True), color=FALL, linewidth=0.8)
    axis.scatter(*np.array([step.wanted for step in done]).reshape(-1, 2).T, marker="s", s=22, facecolors="none",
                 edgecolors=PLANNED, label="foothold wanted")
    axis.scatter(*np.array([step.place for step in done]).reshape(-1, 2).T, marker="o", s=12, color=REAL,
                 label="foot came down")
    axis.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="from above")
    axis.set_adjustable("datalim")
    legend(axis)
    return Picture("The way, seen from above; red joins a foothold with where the foot came down", svg(figure))


def plans(evidence: Evidence) -> Picture:
    """What it thought of its own plans."""
    figure, row = axes(3, 2.6)
    time, cost = thin(evidence.time, evidence.diary.numbers("cost")[:evidence.count, 0])
    row[0].semilogy(time, np.maximum(cost, 1e-6), color=REAL)
    row[0].set(title="cost of the best plan")
    words = evidence.diary.words("gait")[:evidence.count]
    kinds = [kind for kind in dict.fromkeys(words) if kind]
    for k, kind in enumerate(kinds):
        row[1].broken_barh(_bars(evidence, words == kind), (k - 0.4, 0.8), color=COLORS[k % len(COLORS)])
    row[1].set(title="gait", yticks=range(len(kinds)), yticklabels=kinds)
    counted = evidence.diary.numbers("degradations")[:evidence.count, 0]
    row[2].plot(*thin(evidence.time, counted), color=FALL)
    row[2].set(title="solver degradations, counted up", ylim=(0, max(1.0, float(np.nanmax(counted, initial=1.0)))))
    for axis in row:
        _mark(evidence, axis)
    return Picture("Plans: their cost, the gait they chose, and ticks in which the solver gave up part of its problem",
                   svg(figure))


def posture(evidence: Evidence) -> Picture:
    figure, row = axes(2, 2.9)
    _lines(evidence, row[0], evidence.lean, ("ahead", "to its left"))
    row[0].set(title="lean of the root [degrees]")
    legend(row[0])
    most = evidence.torque_ratio.max(axis=1, initial=0.0)
    slip = np.column_stack([np.zeros((evidence.count, 0)), *evidence.slip.values()])
    _lines(evidence, row[1], np.column_stack([most, slip]),
           ("largest torque, share of strength", *(f"{role.replace('_', ' ')} slides, m/s" for role in evidence.slip)))
    row[1].set(title="effort and grip", ylim=(0.0, 1.5))
    legend(row[1], 2)
    return Picture("How it held itself", svg(figure))


def joints(evidence: Evidence) -> Picture:
    """Shares of time, the worst joints first."""
    shares = [mask[rows].mean(axis=0) for mask in (evidence.saturated, evidence.at_limit)
              for rows in (evidence.before, evidence.late)]
    worst = np.argsort(-np.max(shares, axis=0), kind="stable")[:MOST_JOINTS][::-1]
    worst = worst[np.max(shares, axis=0)[worst] > 0]
    most = 100 * float(np.max(shares))
    figure, row = axes(2, 0.9 + 0.26 * len(worst), sharey=True)
    for axis, (whole, late), title in zip(row, (shares[:2], shares[2:]), ("torque saturated", "at its limit"),
                                          strict=True):
        place = np.arange(len(worst))
        axis.barh(place + 0.2, 100 * whole[worst], 0.4, color=REAL, label="until its end")
        if evidence.fall is not None:
            axis.barh(place - 0.2, 100 * late[worst], 0.4, color=FALL, label="last second before the fall")
        axis.set(title=f"{title}, % of the time", xlim=(0, min(100.0, max(10.0, 1.1 * most))), yticks=place,
                 yticklabels=[evidence.joints[k].replace("_", " ") for k in worst])
    row[1].legend(loc="lower right", fontsize=7.5, frameon=False)
    return Picture("Motors that gave all they have, and joints at the end of their range", svg(figure))


# -- helpers -----------------------------------------------------------------------------------------------------------


def _pairs(evidence: Evidence, real: np.ndarray, planned: np.ndarray, names: tuple[str, ...], what: str,
           caption: str) -> Picture:
    """One plot a column, planned and real."""
    figure, row = axes(len(names), 2.5)
    rows = _drawn(evidence)
    for axis, name, happened, wanted in zip(row, names, real[rows].T, planned[rows].T, strict=True):
        time, happened, wanted = thin(evidence.time[rows], happened, wanted)
        if np.isfinite(wanted).any():
            axis.plot(time, wanted, color=PLANNED, linewidth=2.2, alpha=0.75, label="planned")
        axis.plot(time, happened, color=REAL, label="real")
        axis.set(title=f"{what}: {name}", ylim=_calm(*axis.get_ylim()))
        _mark(evidence, axis)
    legend(row[0])
    return Picture(caption[0].upper() + caption[1:], svg(figure))


def _lines(evidence: Evidence, axis: Any, values: np.ndarray, names: tuple[str, ...]) -> None:
    rows = _drawn(evidence)
    for column, name in zip(values[rows].T, names, strict=True):
        axis.plot(*thin(evidence.time[rows], column), label=name)
    _mark(evidence, axis)


def _calm(low: float, high: float) -> tuple[float, float]:
    """Limits of an axis at least a tenth apart, so that noise looks like noise."""
    middle, half = (low + high) / 2.0, max((high - low) / 2.0, 0.05)
    return middle - half, middle + half


def _drawn(evidence: Evidence) -> np.ndarray:
    """Rows up to a little after the fall: a body that tumbles would spoil every scale."""
    return evidence.time <= evidence.end + (AFTER if evidence.fall is not None else 0.0)


def _bars(evidence: Evidence, mask: np.ndarray) -> list[tuple[float, float]]:
    """Begin and length of every stretch, s."""
    mask = mask & _drawn(evidence)
    edges = np.diff(np.concatenate([[False], mask, [False]]).astype(int))
    begins, ends = np.flatnonzero(edges > 0), np.flatnonzero(edges < 0)
    return [(float(evidence.time[a]), (b - a) * evidence.tick) for a, b in zip(begins, ends, strict=True)]


def _mark(evidence: Evidence, axis: Any) -> None:
    """Pushes as grey stripes, the fall as a red line."""
    for push in evidence.pushes:
        axis.axvspan(push.time, max(push.end, push.time + 0.02), color="#5b6670", alpha=0.25, linewidth=0)
    if evidence.fall is not None:
        axis.axvline(evidence.end, color=FALL, linewidth=1.2)
    axis.set(xlabel="time [s]", xlim=(0.0, float(evidence.time[_drawn(evidence)][-1]) + evidence.tick))
