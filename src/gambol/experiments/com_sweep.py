"""The height of the COM is raised slowly to the limit and beyond, and taken back (section 4.1 of the source, test 8)."""

from __future__ import annotations

import numpy as np

from gambol.experiments.experiment import Context, Picture, Result, above, below, check, experiment, report
from gambol.experiments.plots import axes, film, legend, plot_series, svg, thin
from gambol.experiments.takes import Take, record
from gambol.motion.kinematics import body_id
from gambol.motion.measures import Measured

LOWEST = 0.9
REACH = 1.068
"""COM height with straight legs, upright trunk and arms overhead, as a share of standing: measured."""
BEYOND = 0.05
"""How far the command goes beyond reach, m."""
SETTLE, RAISE, HOLD, BACK, AFTER = 1.5, 12.0, 1.5, 2.0, 2.0
TICK = 0.02
"""The command moves in steps of this length, s; the behavior smooths it."""
DONE = 0.9
"""A part has moved when it is this share of its way."""


def swept(seed: int, hurry: float, solver: str = "prioritized") -> Take:
    """One sweep: down, slowly up to beyond reach, a while there, back to standing. `hurry` divides the slow part."""
    top = REACH + BEYOND
    knots = np.cumsum([0.0, SETTLE, RAISE / hurry, HOLD, BACK, AFTER])
    times = np.arange(0.0, knots[-1], TICK)
    heights = np.interp(times, knots, [LOWEST, LOWEST, top, top, 1.0, 1.0])
    changes = [(float(time), "height", float(height)) for time, height in zip(times, heights, strict=True)]
    return record("balance", seconds=float(knots[-1]), seed=seed, settings={"solver": solver}, changes=changes)


def share_done(values: np.ndarray, rows: slice) -> np.ndarray:
    """How much of its way from the first to the last of some rows a quantity has gone, (rows,)."""
    first, last = values[rows][0], values[rows][-1]
    return (values[rows] - first) / (last - first)


def trunk_lean(take: Take) -> np.ndarray:
    """Angle of the trunk to the vertical, degrees, (rows,)."""
    measured = Measured(take.motion)
    _, x, y, _ = measured.track.quaternion[:, body_id(take.motion, measured.share.info, "trunk")].T
    return np.degrees(np.arccos(np.clip(1.0 - 2.0 * (x**2 + y**2), -1.0, 1.0)))


@experiment("com-sweep", group="balance", source="section 4.1 (test 8)",
            published="knees extend first, then the back straightens, then arms rise; falls only beyond the limit")
def com_sweep(context: Context) -> Result:
    """The height of the centre of mass is raised to the limit, 5 cm beyond, and taken back"""
    hurry = 4.0 if context.quick else 1.0
    takes = context.trials(swept, [(context.seed, hurry)] if context.quick else
                           [(context.seed + k, hurry) for k in range(4)])
    take = takes[0]
    time = take.motion.time
    com = Measured(take.motion).series("com")[:, 2]
    parts = {"knees": np.degrees(take.angles("left_knee")[:, 0]), "back": trunk_lean(take),
             "arms": np.degrees(take.angles("left_shoulder")[:, 0])}
    up = slice(int(np.searchsorted(time, SETTLE)), int(np.searchsorted(time, SETTLE + RAISE / hurry + HOLD)))
    moment = {name: float(com[up][np.argmax(share_done(values, up) > DONE)]) for name, values in parts.items()}
    fell = [take.fell for take in takes]
    figure, (height, angles) = axes(2)
    plot_series(angles, time, np.column_stack(list(parts.values())), tuple(parts), "knee, lean of the trunk, shoulder",
                "degrees")
    short_time, short_com = thin(time, com)
    height.plot(short_time, short_com, label="centre of mass")
    height.set(title="height", xlabel="time [s]", ylabel="m")
    legend(height)
    order = " < ".join(f"{name} {moment[name]:.3f} m" for name in sorted(moment, key=lambda name: moment[name]))
    return Result(
        [check("order in which they are 90 % done, by COM height", "knees, back, arms", order,
               moment["knees"] <= moment["back"] + 0.005 and moment["back"] < moment["arms"]),
         above("highest COM reached, of standing", "-", float(com.max() / com_standing(take)), 1.05),
         check("falls when commanded 5 cm beyond reach, and back", "not before the limit",
               f"{sum(f is not None for f in fell)} of {len(fell)}", not any(fell)),
         below("height missed at the end, back at standing", "-", 1e3 * abs(com[-1] - com_standing(take)), 10.0, "mm"),
         report("lowest to highest", "-", f"{com[up].min():.3f} to {com[up].max():.3f} m")],
        [Picture("Height, and what makes it", svg(figure)),
         *film(take.motion, np.linspace(SETTLE, SETTLE + RAISE / hurry, 7), "Raised to the limit", bearing=65.0,
               elevation=-6.0, size=(180, 360))], (), {"sweep": take.motion})


def com_standing(take: Take) -> float:
    """Height of the COM at the start, m."""
    return float(Measured(take.motion).series("com")[0, 2])
