"""Walk: the ranges of its parameters, changes on the way, speeds, turns and lean.

The ranges are those of [delasa2011, table 4.3], the lean is that of [delasa2011, section 4.5].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.behaviors.walk.gains import WalkGains
from gambol.experiments.experiment import Context, Result, below, check, count_of, experiment, report
from gambol.experiments.walked import RANGES, Walked, commanded_speed, side_view, walked
from gambol.motion.measures import Measured
from gambol.motion.motion import Motion
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import COLORS, axes, legend, svg
from gambol.runs.trial import Change

MINUTE = 60.0
EVERY = 3.0
"""Parameters are drawn anew this often, s."""
RUNS, GOOD = 20, 18
"""Runs with changing parameters, and how many of them may not fall."""
SPEEDS = (0.3, 0.45, 0.6, 0.75, 0.9, 1.05, 1.2)
SWING = 0.5
"""Swing duration at all speeds, s: 1.2 m/s is then a step of 0.7 m."""
TURNS = (90.0, -90.0, 180.0)
STRAIGHT, TURNING = 4.0, 16.0
"""Seconds before the turn is commanded, and after."""
SETTLED = 2.4
"""The way at the end is measured over this time, about four steps, s."""
LEANS = (-0.3, -0.15, 0.0, 0.15, 0.3)
TOLERANCE = 10.0
"""Per cent of a speed, degrees of a direction."""


# -- each end of each range --------------------------------------------------------------------------------------------


def at_end(name: str, value: float, seconds: float, seed: int) -> Walked:
    return walked(seconds, seed, {name: value})


@experiment("walk-ranges", group="walk", source="[delasa2011, table 4.3]",
            published="walks over the whole range of each")
def walk_ranges(context: Context) -> Result:
    """A minute at each end of each parameter's range, the others at their defaults"""
    seconds = 5.0 if context.quick else MINUTE
    ends = [(name, value) for name, both in RANGES.items() for value in both]
    if context.quick:
        ends = [("step_length", 0.7), ("swing_duration", 0.3)]
    done = context.trials(at_end, [(name, value, seconds, context.seed) for name, value in ends])
    stood = [take.fell is None for take in done]
    names = [f"{name} {value:g}" for name, value in ends]
    figure, (bars, pace) = axes(2, height=0.9 + 0.2 * len(ends))
    place = np.arange(len(ends))[::-1]
    bars.barh(place, [take.seconds for take in done], 0.7, color=[COLORS[0] if good else COLORS[1] for good in stood])
    bars.set_yticks(place, names, fontsize=7)
    bars.set(title="walks for", xlabel="s")
    pace.barh(place, [take.speed() for take in done], 0.7, color=COLORS[2])
    pace.set_yticks(place, [""] * len(ends))
    pace.set(title="speed", xlabel="m/s")
    gains = WalkGains()
    rows = [count_of(f"ends of ranges walked for {seconds:g} s", "all", sum(stood), len(done), len(done)),
            *(check(name, "walks", f"{take.how}, {take.steps} steps, {take.speed():.2f} m/s", good)
              for name, take, good in zip(names, done, stood, strict=True))]
    films = [picture for name, take in zip(names, done, strict=True) if take.fell or name in SHOWN
             for picture in side_view(take.last, f"{name}: {take.how}")]
    return Result(rows, [Picture("How long, and how fast", svg(figure)), *films],
                  [f"Not all that is commanded is done: hips sway {gains.most_sway:g} m at most, the head turns "
                   f"{gains.most_head_turn:g} degrees, a swing foot is lifted {gains.foot.least_lift:g} m at least."],
                  {"ends": done[stood.index(False) if False in stood else 0].last})


SHOWN = ("step_length 0", "step_length 0.7", "swing_height 0.1", "hip_shift 0.3", "lean 0.3", "head_turn 180")
"""Ends that are shown in any case; others if they fall."""


# -- changes on the way ------------------------------------------------------------------------------------------------


def drawn(seconds: float, seed: int) -> list[Change]:
    """All parameters of [delasa2011, table 4.3] drawn at random within their ranges, every 3 s."""
    rng = np.random.default_rng([seed, 43])
    return [(time, name, float(rng.uniform(*RANGES[name])))
            for time in np.arange(0.0, seconds, EVERY).tolist() for name in RANGES]


def with_changes(seconds: float, seed: int) -> Walked:
    return walked(seconds, seed, changes=drawn(seconds, seed))


def last_draw(changes: Sequence[Change], time: float) -> str:
    """The parameters drawn last before a time, in words."""
    now = {name: value for moment, name, value in changes if moment <= time}
    return ", ".join(f"{name} {value:.2f}" for name, value in now.items() if name != "head_turn")


@experiment("walk-changes", group="walk", source="[delasa2011, table 4.3]", published="may be changed while it walks")
def walk_changes(context: Context) -> Result:
    """All parameters drawn anew at random every 3 s while it walks, for a minute"""
    seconds, runs = (6.0, 2) if context.quick else (MINUTE, RUNS)
    seeds = range(context.seed, context.seed + runs)
    done = context.trials(with_changes, [(seconds, seed) for seed in seeds])
    falls = {seed: take for seed, take in zip(seeds, done, strict=True) if take.fell is not None}
    longest = int(np.argmax([take.seconds for take in done]))
    rows = [count_of(f"runs of {seconds:g} s without a fall", "walks", runs - len(falls), runs,
                     runs if context.quick else GOOD),
            *(report(f"seed {seed}", "-", f"{take.how}; {last_draw(drawn(seconds, seed), take.seconds)}")
              for seed, take in falls.items())]
    films = [picture for seed, take in list(falls.items())[:3]
             for picture in side_view(take.last, f"seed {seed}: {take.how}", 1.6)]
    return Result(rows, [Picture("One run: speed commanded and measured; all runs: how long",
                                 speed_plot(done, longest, drawn(seconds, seeds[longest]))),
                         *side_view(done[longest].last, "The last seconds of the run plotted", 5.0, 9), *films],
                  ["A step's length and duration follow a command within a few steps, so the speed does too."],
                  {"changes": done[longest].last})


def speed_plot(done: Sequence[Walked], shown: int, changes: Sequence[Change]) -> bytes:
    take = done[shown]
    values = {name: [value for _, what, value in changes if what == name] for name in ("step_length", "swing_duration")}
    commanded = [commanded_speed(*pair) for pair in zip(*values.values(), strict=True)]
    index = np.minimum((take.time / EVERY).astype(int), len(commanded) - 1)
    figure, (speed, bars) = axes(2)
    speed.plot(take.time, np.array(commanded)[index], label="commanded", color=COLORS[1])
    speed.plot(take.time, take.speeds(1.2), label="measured", color=COLORS[0])
    speed.set(title="speed of one run", xlabel="time [s]", ylabel="m/s")
    legend(speed)
    bars.bar(range(len(done)), [take.seconds for take in done],
             color=[COLORS[0] if take.fell is None else COLORS[1] for take in done])
    bars.set(title="walks for", xlabel="run", ylabel="s")
    return svg(figure)


# -- speeds ------------------------------------------------------------------------------------------------------------


def at_speed(speed: float, seconds: float, seed: int) -> Walked:
    step = min(speed / commanded_speed(1.0, SWING), RANGES["step_length"][1])
    return walked(seconds, seed, {"step_length": step, "swing_duration": SWING})


@experiment("walk-speeds", group="walk", source="[delasa2011, section 4.3]", published="walks at several speeds")
def walk_speeds(context: Context) -> Result:
    """Speeds from 0.3 to 1.2 m/s, commanded by the length of the step"""
    seconds, speeds = (6.0, (0.3, 0.9)) if context.quick else (20.0, SPEEDS)
    seeds = range(context.seed, context.seed + (1 if context.quick else 2))
    cases = [(speed, seconds, seed) for speed in speeds for seed in seeds]
    done = context.trials(at_speed, cases)
    measured = np.array([take.speed() if take.fell is None else np.nan for take in done]).reshape(len(speeds), -1)
    rows = [check(f"{speed:g} m/s commanded", "-",
                  " and ".join(f"{value:.3f}" for value in found) + f" m/s (within {TOLERANCE:g} %)",
                  100.0 * float(np.abs(found / speed - 1.0).max()) <= TOLERANCE)
            for speed, found in zip(speeds, measured, strict=True)]
    rows += [report(f"{speed:g} m/s, seed {seed}", "-", take.how)
             for (speed, _, seed), take in zip(cases, done, strict=True) if take.fell]
    figure, (plot,) = axes(1, height=3.2)
    plot.plot([0.0, 1.3], [0.0, 1.3], color="#8b939c", linewidth=0.8)
    plot.fill_between([0.0, 1.3], [0.0, 1.3 * 0.9], [0.0, 1.3 * 1.1], color="#8b939c", alpha=0.15, linewidth=0.0)
    for seed, column in zip(seeds, measured.T, strict=True):
        plot.plot(speeds, column, "o", markersize=4, label=f"seed {seed}")
    plot.set(title="speed", xlabel="commanded [m/s]", ylabel="measured [m/s]")
    plot.legend(fontsize=7.5, frameon=False)
    films = [picture for (speed, _, seed), take in zip(cases, done, strict=True)
             if seed == seeds[0] and speed in (speeds[0], 0.75, speeds[-1])
             for picture in side_view(take.last, f"{speed:g} m/s")]
    return Result(rows, [Picture("Commanded and measured; the band is 10 %", svg(figure)), *films],
                  [f"Step length = speed x ({SWING:g} s + double support); measured from the fifth second on."],
                  {"fastest": done[-1].last})


# -- turns -------------------------------------------------------------------------------------------------------------


def turning(heading: float, seconds: float, seed: int) -> Walked:
    return walked(STRAIGHT + seconds, seed, changes=[(STRAIGHT, "heading", heading)])


def apart(first: float, second: float) -> float:
    """Angle between two directions, degrees."""
    return abs((first - second + 180.0) % 360.0 - 180.0)


@experiment("walk-turns", group="walk", source="[delasa2011, section 4.3]",
            published="walks in a direction that may change")
def walk_turns(context: Context) -> Result:
    """Turns of 90 degrees either way and of 180, commanded while it walks"""
    turns, seconds = (TURNS[:1], 7.5) if context.quick else (TURNS, TURNING)
    done = context.trials(turning, [(turn, seconds, context.seed) for turn in turns])
    rows = []
    figure, (above,) = axes(1, height=3.4)
    for turn, take in zip(turns, done, strict=True):
        rows.append(check(f"turn of {turn:g} degrees", "turns", take.how, take.fell is None))
        rows.append(below(f"... way off at the end, last {SETTLED:g} s", "-", apart(take.direction(SETTLED), turn),
                          TOLERANCE, "degrees"))
        rows.append(below("... hips off at the end", "-", apart(take.facing(SETTLED), turn), TOLERANCE, "degrees"))
        above.plot(take.com[:, 0], take.com[:, 1], label=f"{turn:g} degrees")
        above.plot(*take.com[int(np.searchsorted(take.time, STRAIGHT))], "o", color="#39424c", markersize=3)
    above.set(title="path of the centre of mass, from above", xlabel="m", ylabel="m", aspect="equal")
    legend(above)
    films = [picture for turn, take in zip(turns, done, strict=True)
             for picture in side_view(take.last, f"turn of {turn:g} degrees, last seconds", min(6.0, take.seconds),
                                      bearing=145.0, elevation=-20.0)]
    return Result(rows, [Picture("Seen from above; the dot is where the turn is commanded", svg(figure)), *films], (),
                  {"turn": done[0].last})


# -- lean --------------------------------------------------------------------------------------------------------------


LEAN_OFF = 0.1
"""A trunk this near to its lean has leaned, m."""


def neck_ahead(motion: Motion) -> float:
    """How far the neck is ahead of the centre of mass of a walk along x, in the mean, m."""
    measured = Measured(motion)
    neck = measured.track.position[:, measured.share.body_id("head"), 0]
    return float((neck - measured.series("com")[:, 0]).mean())


def leaning(lean: float, seconds: float, seed: int) -> Walked:
    return walked(seconds, seed, {"lean": lean})


@experiment("walk-lean", group="walk", source="[delasa2011, section 4.5]", published="lean of 0.3 m at the same speed")
def walk_lean(context: Context) -> Result:
    """A trunk that leans, at the same speed"""
    leans, seconds = ((-0.3, 0.3), 6.0) if context.quick else (LEANS, 20.0)
    done = context.trials(leaning, [(lean, seconds, context.seed) for lean in leans])
    speeds = np.array([take.speed() if take.fell is None else np.nan for take in done])
    rows = [check(f"lean {lean:+g} m", "walks", f"{take.how}, {take.speed():.3f} m/s", take.fell is None)
            for lean, take in zip(leans, done, strict=True)]
    necks = np.array([neck_ahead(take.last) for take in done])
    rows.append(report("neck ahead of the centre of mass, measured", "as commanded",
                       ", ".join(f"{neck:+.2f}" for neck in necks) + " m"))
    rows.append(below("... off the command by at most", "-", float(np.abs(necks - leans).max()), LEAN_OFF, "m"))
    rows.append(below("speed changes by", "none", 100.0 * float(np.ptp(speeds) / speeds.mean()), TOLERANCE, "%"))
    figure, (plot,) = axes(1)
    plot.plot(leans, speeds, "o-")
    plot.set(title="speed", xlabel="lean [m]", ylabel="m/s", ylim=(0.0, 1.2))
    films = [picture for lean, take in zip(leans, done, strict=True) if lean in (leans[0], 0.0, leans[-1])
             for picture in side_view(take.last, f"lean {lean:+g} m")]
    return Result(rows, [Picture("Speed over lean", svg(figure)), *films], (), {"lean": done[-1].last})
