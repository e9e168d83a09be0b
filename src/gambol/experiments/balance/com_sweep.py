"""The height of the COM is raised slowly to the limit and beyond, and taken back (section 4.1, test 8)."""

from __future__ import annotations

import numpy as np

from gambol.experiments.experiment import Context, Result, above, below, check, experiment, report
from gambol.motion.measures import Measured
from gambol.reporting.pictures import Picture, film
from gambol.reporting.plots import axes, legend, plot_series, svg, thin
from gambol.runs.run import Run, record

REACH = 1.068
"""COM height with straight legs, upright trunk and arms overhead, as a share of standing: measured."""
BEYOND = 0.05
"""How far the command goes beyond reach, m."""
SETTLE, RAISE, HOLD, BACK, AFTER = 1.5, 12.0, 1.5, 2.0, 2.0
TICK = 0.02
"""The command moves in steps of this length, s; the behavior smooths it."""
HALF, MOST = 0.5, 0.9
"""A part is under way when it has gone this share of its way, and nearly there at that."""


def swept(seed: int, hurry: float, solver: str = "prioritized") -> Run:
    """One sweep: slowly up to beyond reach, a while there, back to standing. `hurry` divides the slow part."""
    top = REACH + BEYOND
    knots = np.cumsum([0.0, SETTLE, RAISE / hurry, HOLD, BACK, AFTER])
    times = np.arange(0.0, knots[-1], TICK)
    heights = np.interp(times, knots, [1.0, 1.0, top, top, 1.0, 1.0])
    changes = [(float(time), "height", float(height)) for time, height in zip(times, heights, strict=True)]
    return record("balance", seconds=float(knots[-1]), seed=seed, settings={"solver": solver}, changes=changes)


def row_of(values: np.ndarray, share: float) -> int:
    """The row at which a quantity has gone a share of its way from its first to its most distant value."""
    way = np.abs(values - values[0])
    return int(np.argmax(way > share * way.max()))


def back_bend(take: Run) -> np.ndarray:
    """How far the trunk is bent forward against the thighs: hip and spine together, degrees, (rows,)."""
    spine = take.angles("lower_spine")[:, 0] + take.angles("upper_spine")[:, 0]
    return np.degrees(take.angles("left_hip")[:, 0] + spine)


def in_order(heights: dict[str, float]) -> str:
    return " < ".join(f"{name} {heights[name]:.3f} m" for name in sorted(heights, key=lambda name: heights[name]))


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
    parts = {"knees": np.degrees(take.angles("left_knee")[:, 0]), "back": back_bend(take),
             "arms": np.degrees(take.angles("left_shoulder")[:, 0])}
    up = slice(int(np.searchsorted(time, SETTLE)), int(np.searchsorted(time, SETTLE + RAISE / hurry + HOLD)))
    half, most = ({name: float(com[up][row_of(values[up], share)]) for name, values in parts.items()}
                  for share in (HALF, MOST))
    fell = [take.fell for take in takes]
    figure, (height, angles) = axes(2)
    plot_series(angles, time, np.column_stack(list(parts.values())), tuple(parts), "knee; hip and spine; shoulder",
                "degrees")
    short_time, short_com = thin(time, com)
    height.plot(short_time, short_com, label="centre of mass")
    height.set(title="height", xlabel="time [s]", ylabel="m")
    legend(height)
    return Result(
        [check("order in which they are half way, by COM height", "knees, back, arms", in_order(half),
               half["knees"] < half["back"] < half["arms"]),
         report("order in which they are 90 % there", "-", in_order(most)),
         above("highest COM reached, of standing", "-", float(com.max() / com_standing(take)), 1.05),
         check("falls when commanded 5 cm beyond reach, and back", "not before the limit",
               f"{sum(f is not None for f in fell)} of {len(fell)}", not any(fell)),
         below("height missed at the end, back at standing", "-", 1e3 * abs(com[-1] - com_standing(take)), 10.0, "mm"),
         report("lowest to highest", "-", f"{com[up].min():.3f} to {com[up].max():.3f} m")],
        [Picture("Height, and what makes it", svg(figure)),
         *film(take.motion, np.linspace(SETTLE, SETTLE + RAISE / hurry, 7), "Raised to the limit", bearing=65.0,
               elevation=-6.0, size=(180, 360))],
        ["The back is straight at rest, so hip and spine are measured together."],
        {"sweep": take.motion})


def com_standing(take: Run) -> float:
    """Height of the COM at the start, m."""
    return float(Measured(take.motion).series("com")[0, 2])
