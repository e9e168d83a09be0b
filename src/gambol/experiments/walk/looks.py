"""What a walk looks like, measured: arms, hips and shoulders, heels, knees, slip, ground force; and its styles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

from gambol.behaviors import BEHAVIORS
from gambol.experiments.experiment import Context, Result, Row, above, below, check, experiment, report
from gambol.experiments.walked import LAST, WHOLE_SPEED, side_view
from gambol.motion import measures
from gambol.motion.measures import Measured
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import axes, legend, plot_series, svg
from gambol.rotations import rotate
from gambol.runs.run import Run, record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLES = ("normal", "fast", "slow", "sad")
SIDES = ("left", "right")
COUNTER = -0.6
"""Arms swing against the legs when they correlate at most so much."""
OFF_GROUND, TOUCHING = 0.005, 0.002
"""Height from which a point of the sole has left the ground, and up to which it may be loaded, m."""
BEARS = 0.1
"""Share of the weight from which a foot is loaded."""
SLIP = 2.0
"""cm/s"""
STANCE_ROWS = 101
"""Rows of a stance in the mean ground force: per cent of the stance."""


def style(name: str, seconds: float, seed: int) -> Run:
    """The last seconds of a walk in a style."""
    return record("walk", seconds=seconds, seed=seed, settings=BEHAVIORS["walk"].presets[name],
                  last=min(LAST, seconds - WHOLE_SPEED))


@dataclass(frozen=True)
class Looks:
    """Figures of a walk that goes on; angles in degrees, both sides."""

    time: np.ndarray
    legs: np.ndarray
    """left hip flexion less right one, (rows,)"""
    arms: np.ndarray
    """left shoulder less right one, (rows,)"""
    hips: np.ndarray
    shoulders: np.ndarray
    """turn of pelvis and thorax about the vertical, in the world, without their mean, (rows,)"""
    knees: np.ndarray
    """(rows, 2)"""
    loads: np.ndarray
    """vertical force on each foot in body weights, (rows, 2)"""
    heel_lead: np.ndarray
    """by how much the heel leaves the ground before the toe, ms, one for each swing"""
    bob: float
    """how far the centre of mass rises and falls, m"""
    slip: np.ndarray
    """speeds along the ground of the points that bear, cm/s"""

    @property
    def stance_knee(self) -> np.ndarray:
        """Angles of a knee while its leg carries most of the weight."""
        return self.knees[self.loads > 0.7]


def looks_of(take: Run) -> Looks:
    measured = Measured(take.motion)
    flexion = {name: np.degrees(np.column_stack([take.angles(f"{side}_{name}")[:, 0] for side in SIDES]))
               for name in ("hip", "shoulder", "knee")}
    loads = measured.series("foot_force")[:, 2::3] / measured.weights[:, None]
    places = sole_places(measured)
    return Looks(take.motion.time, flexion["hip"] @ [1.0, -1.0], flexion["shoulder"] @ [1.0, -1.0],
                 yaw_of(measured, "root"), yaw_of(measured, "trunk"), flexion["knee"], loads,
                 np.concatenate([heel_leads(points[..., 2], take.motion.tick_length) for points in places]),
                 float(np.ptp(measured.series("com")[:, 2])),
                 np.concatenate([slips(points, load > BEARS, take.motion.tick_length)
                                 for points, load in zip(places, loads.T, strict=True)]))


def yaw_of(measured: Measured, role: str) -> np.ndarray:
    body = measured.share.body_id(role)
    forward = rotate(measured.track.quaternion[:, body], np.array([1.0, 0.0, 0.0]))
    yaw = np.degrees(np.unwrap(np.arctan2(forward[:, 1], forward[:, 0])))
    return yaw - yaw.mean()


def sole_places(measured: Measured) -> list[np.ndarray]:
    """World positions of the sole points of each foot, the heel's first, (rows, points, 3)."""
    return list(measures.sole_places(measured).values())


def heel_leads(height: np.ndarray, tick: float) -> np.ndarray:
    """ms from the heel's to the toe's leaving the ground, one for each time the toe leaves; (rows, points)."""
    half = height.shape[1] // 2
    heel, toe = (part.min(axis=1) > OFF_GROUND for part in (height[:, :half], height[:, half:]))
    heel_off, toe_off = (np.flatnonzero(~off[:-1] & off[1:]) + 1 for off in (heel, toe))
    leads = []
    for row in toe_off:
        grounded = np.flatnonzero(~heel[:row + 1])
        if heel[row] and len(grounded):
            leads.append(row - grounded[-1] - 1)
        elif not heel[row]:
            later = heel_off[heel_off > row]
            leads += [row - later[0]] if len(later) else []
    return 1e3 * tick * np.array(leads, dtype=float)


def slips(points: np.ndarray, loaded: np.ndarray, tick: float) -> np.ndarray:
    """Speeds along the ground of points that touch it while their foot is loaded, cm/s."""
    speed = 100.0 * np.linalg.norm(np.diff(points[..., :2], axis=0), axis=-1) / tick
    touching = (points[:-1, :, 2] < TOUCHING) & (points[1:, :, 2] < TOUCHING)
    return speed[touching & loaded[:-1, None] & loaded[1:, None]]


def mean_stance(load: np.ndarray) -> np.ndarray:
    """Mean course of a foot's load over its stances, (101,), in body weights; empty if there was no whole stance."""
    down = load > 0.02
    starts, ends = (np.flatnonzero(edge) + 1 for edge in (~down[:-1] & down[1:], down[:-1] & ~down[1:]))
    courses = []
    for start in starts:
        later = ends[ends > start]
        if len(later) and later[0] - start > 50:
            share = np.linspace(0.0, 1.0, later[0] - start)
            courses.append(np.interp(np.linspace(0.0, 1.0, STANCE_ROWS), share, load[start:later[0]]))
    return np.mean(courses, axis=0) if courses else np.zeros(0)


def humps(course: np.ndarray) -> str:
    """How many humps a stance's force has, and how high they are, in words."""
    if not len(course):
        return "no whole stance"
    smooth = gaussian_filter1d(course, 3.0)
    peaks, _ = find_peaks(smooth, prominence=0.03)
    heights = ", ".join(f"{smooth[peak]:.2f} at {peak} %" for peak in peaks)
    between = f"; lowest between {smooth[peaks[0]:peaks[-1]].min():.2f}" if len(peaks) > 1 else ""
    return f"{len(peaks)}: {heights}{between} (body weights)"


def correlation(first: np.ndarray, second: np.ndarray) -> float:
    if min(np.std(first), np.std(second)) < 1e-9:
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])


def lag(late: np.ndarray, early: np.ndarray, tick: float, most: float = 0.5) -> float:
    """By how much one quantity comes after another that it resembles, s: where they correlate most."""
    shifts = range(-int(most / tick), int(most / tick) + 1)
    fits = [correlation(late[max(shift, 0):len(late) + min(shift, 0)], early[max(-shift, 0):len(early) - max(shift, 0)])
            for shift in shifts]
    return tick * shifts[int(np.argmax(fits))]


@experiment("walk-looks", group="walk", source="[delasa2011, section 4.3, fig. 4.7]",
            published="arm swing, heel-off and hip-shoulder counter-rotation emerge")
def walk_looks(context: Context) -> Result:
    """Arms, hips and shoulders, heels, knees, slip and ground force of a walk, measured; its styles"""
    seconds, names = (7.0, STYLES[:1]) if context.quick else (12.0, STYLES)
    takes = dict(zip(names, context.trials(style, [(name, seconds, context.seed) for name in names]), strict=True))
    rows = [check(f"{name}: walks {seconds:g} s", "walks", take.fell or "walks", take.fell is None)
            for name, take in takes.items()]
    films = [picture for name, take in takes.items()
             for picture in side_view(take.motion, f"{name}, every 0.12 s", 1.2, 11, size=(130, 260))]
    walking = {name: looks_of(take) for name, take in takes.items() if take.fell is None}
    pictures: list[Picture] = []
    if "normal" in walking:
        rows += claims(walking["normal"])
        pictures = [Picture("Normal: legs and arms, hips and shoulders", svg(swings_plot(walking["normal"]))),
                    Picture("Normal: knees and ground force", svg(load_plot(walking["normal"])))]
    rows += [report(f"{name}: arms, heel lead, knees, slip", "-", in_words(looks))
             for name, looks in walking.items() if name != "normal"]
    return Result(rows, [*pictures, *films], NOTES,
                  {name: take.motion for name, take in takes.items()})


NOTES = ("Angles and forces are of the last seconds; ground forces by replay.",
         "In the publication these emerge. Here arms, hips and shoulders follow references (`arm_swing`, `TWIST`) and "
         "heel-off is a state of the foot: the figures say how well they are followed, not that they emerge.")


def claims(looks: Looks) -> list[Row]:
    """What is claimed of the normal walk."""
    lead = looks.heel_lead
    course = mean_stance(looks.loads[:, 0])
    return [
        below("arms against legs, correlation", "arms counter-swing", correlation(looks.arms, looks.legs), COUNTER),
        report("... behind the opposite legs by", "-",
               f"{1e3 * lag(looks.arms, -looks.legs, float(np.diff(looks.time).mean())):.0f} ms"),
        above("... left arm against right one, sweep", "-", float(np.ptp(looks.arms)), 10.0, "degrees"),
        below("hips against shoulders, correlation", "counter-rotate", correlation(looks.hips, looks.shoulders), 0.0),
        report("... sweep of hips, of shoulders", "-",
               f"{np.ptp(looks.hips):.1f}, {np.ptp(looks.shoulders):.1f} degrees"),
        check("heel leaves the ground before the toe", "heel-off before swing",
              f"{(lead > 0).sum()} of {len(lead)} swings, by {np.median(lead):.0f} ms (median)" if len(lead) else "no "
              "swings seen", len(lead) > 0 and bool((lead > 0).mean() >= 0.9)),
        above("knees, least bend", "-", float(looks.knees.min()), -1.0, "degrees"),
        report("knees, most bend; while the leg stands, lowest, mean", "-",
               f"{looks.knees.max():.0f}; {looks.stance_knee.min():.0f}, {looks.stance_knee.mean():.0f} degrees"),
        below("slip of loaded sole points, median", "-", float(np.median(looks.slip)), SLIP, "cm/s"),
        report("... 95 of 100 below", "-", f"{np.percentile(looks.slip, 95):.1f} cm/s"),
        report("centre of mass rises and falls by", "4 to 5 cm in people", f"{100.0 * looks.bob:.1f} cm"),
        report("humps of the ground force in a stance", "two in people", humps(course))]


def in_words(looks: Looks) -> str:
    lead = f"{np.median(looks.heel_lead):.0f} ms" if len(looks.heel_lead) else "none"
    return (f"{correlation(looks.arms, looks.legs):.2f}, sweep {np.ptp(looks.arms):.0f} degrees; {lead}; "
            f"{looks.knees.min():.0f} to {looks.knees.max():.0f} degrees; {np.median(looks.slip):.1f} cm/s")


def swings_plot(looks: Looks) -> Figure:
    figure, (swing, turn) = axes(2)
    plot_series(swing, looks.time, np.column_stack([looks.legs, looks.arms]), ("hips", "shoulders"),
                "flexion, left less right", "degrees")
    plot_series(turn, looks.time, np.column_stack([looks.hips, looks.shoulders]), ("pelvis", "thorax"),
                "turn about the vertical", "degrees")
    return figure


def load_plot(looks: Looks) -> Figure:
    figure, (knees, force) = axes(2)
    plot_series(knees, looks.time, looks.knees, SIDES, "knees", "degrees")
    for side, load in zip(SIDES, looks.loads.T, strict=True):
        course = mean_stance(load)
        if len(course):
            force.plot(np.arange(len(course)), course, label=side)
    force.set(title="ground force, mean of the stances", xlabel="% of stance", ylabel="body weights", ylim=(0.0, None))
    legend(force)
    return figure
