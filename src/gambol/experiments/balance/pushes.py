"""Balance: pushes from all sides, pulses that alternate, a quiet stand (chapter 4 of the source, tests 6 and 7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.experiments.experiment import Context, Result, above, below, check, count_of, experiment, report
from gambol.motion.measures import Measured
from gambol.reporting.pictures import Picture, film
from gambol.reporting.plots import axes, plot_series, svg
from gambol.runs.endings import calm_after
from gambol.runs.run import Run, record
from gambol.world.pushes import Push

DIRECTIONS = {0: "forward", 45: "forward-left", 90: "left", 135: "back-left", 180: "backward", 225: "back-right",
              270: "right", 315: "forward-right"}
PUSH = 0.1
"""Length of every push, s."""
SOLVERS = ("prioritized", "weighted")
RUNGS = (50.0, 45.0, 40.0, 35.0, 30.0, 25.0, 20.0)
"""Impulses tried, N s, the hardest first."""
TRIALS, MISSES = 20, 1
"""Of so many jittered trials, so many may fail."""
WATCH = 5.0
"""Seconds after a push in which it may not fall; a trial ends sooner when it stands still."""
PERIOD, LASTS = 0.2, 10.0
"""A pulse begins every so often, and they go on for so long, s."""
FORCES = tuple(range(200, 1001, 100))
START = 1.0


# -- single pushes -----------------------------------------------------------------------------------------------------


def pushed(impulse: float, toward: float, seed: int, solver: str = "prioritized") -> Run:
    """One trial: the start pose and speeds, the moment (0.8 to 1.2 s) and the direction (5 degrees) vary by seed."""
    rng = np.random.default_rng([seed, 77])
    moment, angle = rng.uniform(0.8, 1.2), np.radians(toward + rng.uniform(-5.0, 5.0))
    force = impulse / PUSH
    push = Push(moment, "trunk", (force * np.cos(angle), force * np.sin(angle), 0.0), PUSH)
    return record("balance", seconds=moment + WATCH, seed=seed, settings={"solver": solver}, pushes=[push],
                  until=calm_after(moment + PUSH))


def ladder(toward: float, solver: str, seed: int, rungs: Sequence[float], trials: int) -> list[tuple[float, int, int]]:
    """From the hardest push down, (impulse, passed, tried), to the first that is passed in all but one of the trials.

    A rung is left at its second failure.
    """
    found: list[tuple[float, int, int]] = []
    for impulse in rungs:
        passed = failed = 0
        while passed + failed < trials and failed <= MISSES:
            if pushed(impulse, toward, seed + passed + failed, solver).fell is None:
                passed += 1
            else:
                failed += 1
        found.append((impulse, passed, passed + failed))
        if failed <= MISSES:
            break
    return found


def best(found: list[tuple[float, int, int]]) -> float:
    """The impulse of the last rung if it was passed, else 0."""
    impulse, passed, tried = found[-1]
    return impulse if passed >= tried - MISSES else 0.0


@experiment("balance-pushes", group="balance", source="section 4.5 (test 7)",
            published="prioritized survives larger pushes than weighted; no figure")
def balance_pushes(context: Context) -> Result:
    """Single pushes of 0.1 s on the trunk from 8 directions, without a step"""
    rungs, trials = ((35.0,), 2) if context.quick else (RUNGS, TRIALS)
    directions = (0, 180) if context.quick else tuple(DIRECTIONS)
    cases = [(toward, solver, context.seed, rungs, trials) for solver in SOLVERS for toward in directions]
    ladders = dict(zip([case[:2] for case in cases], context.trials(ladder, cases), strict=True))
    reached = {solver: np.array([best(ladders[toward, solver]) for toward in directions]) for solver in SOLVERS}
    least = rungs[-1] if context.quick else 35.0
    rows = [above(f"{DIRECTIONS[toward]}, largest impulse passed in {trials - MISSES} of {trials}", "-",
                  value, 40.0 if toward == 0 and not context.quick else least, "N s")
            for toward, value in zip(directions, reached["prioritized"], strict=True)]
    rows += [report(f"{DIRECTIONS[toward]}, weighted", "less than prioritized", f"{value:g} N s")
             for toward, value in zip(directions, reached["weighted"], strict=True)]
    rows.append(check("prioritized survives at least as much as weighted, in all directions together", "more",
                      f"{reached['prioritized'].sum():g} against {reached['weighted'].sum():g} N s",
                      bool(reached["prioritized"].sum() >= reached["weighted"].sum())))
    figure, (bars,) = axes(1, height=3.0)
    place = np.arange(len(directions))
    for k, solver in enumerate(SOLVERS):
        bars.bar(place + 0.4 * k - 0.2, reached[solver], 0.38, label=solver, color=("#2c6e91", "#e07b39")[k])
    bars.set(title="largest impulse survived", ylabel="N s")
    bars.set_xticks(place, [DIRECTIONS[toward] for toward in directions], rotation=40, ha="right", fontsize=7)
    bars.legend(fontsize=7.5, frameon=False)
    shown = pushed(35.0 if context.quick else 40.0, 0.0, context.seed)
    times = np.linspace(0.9, min(2.4, shown.seconds), 7)
    return Result(rows, [Picture("Largest impulse by direction", svg(figure)),
                         *film(shown.motion, times, "A push from behind", bearing=90.0, elevation=-6.0,
                               size=(200, 300))],
                  [f"Tried from {rungs[0]:g} N s down in steps of 5; a rung is left at its second failure. Start pose "
                   "and speeds, moment (0.8 to 1.2 s) and direction (5 degrees either way) vary by seed."],
                  {"push": shown.motion})


# -- alternating pulses ------------------------------------------------------------------------------------------------


def pulsed(force: float, seed: int, lasts: float = LASTS) -> Run:
    """Pulses of 0.1 s on the trunk, 0.1 s apart, forward and backward in turn; the first is a whole one."""
    pushes = [Push(START + PERIOD * k, "trunk", (force if k % 2 == 0 else -force, 0.0, 0.0), PUSH)
              for k in range(round(lasts / PERIOD))]
    return record("balance", seconds=START + lasts, seed=seed, pushes=pushes)


def survives_pulses(force: float, seed: int, lasts: float) -> bool:
    return pulsed(force, seed, lasts).fell is None


@experiment("balance-pulses", group="balance", source="section 4.1 (test 6)",
            published="1000 N for 0.1 s, 0.1 s apart; arms windmill")
def balance_pulses(context: Context) -> Result:
    """Pulses on the upper body, forward and backward in turn, for 10 s"""
    lasts, forces = (2.0, (200, 400)) if context.quick else (LASTS, FORCES)
    seeds = range(context.seed, context.seed + (1 if context.quick else 2))
    cases = [(float(force), seed, lasts) for force in forces for seed in seeds]
    answers = iter(context.trials(survives_pulses, cases))
    stood = [all([next(answers) for _ in seeds]) for _ in forces]
    count = stood.index(False) if False in stood else len(forces)
    largest = float(forces[count - 1]) if count else 0.0
    shown = pulsed(max(largest, float(forces[0])), context.seed, lasts)
    arm, trunk = np.degrees(shown.angles("left_shoulder")), np.degrees(shown.angles("lower_spine"))
    swept = float(np.ptp(arm, axis=0).max())
    travelled = float(np.abs(np.diff(arm[:, 0])).sum())
    figure, (angles, path) = axes(2)
    plot_series(angles, shown.motion.time, np.column_stack([arm[:, :2], trunk[:, 0]]),
                ("shoulder, forward", "shoulder, sideways", "spine, forward"), "left arm and back", "degrees")
    com = Measured(shown.motion).series("com")
    plot_series(path, shown.motion.time, com[:, :1], ("forward",), "centre of mass", "m")
    return Result(
        [above("largest force survived, every smaller one too", "1000 N", largest, 400.0, "N"),
         above("an arm sweeps", "both arms rotate", swept, 60.0, "degrees"),
         report("an arm turns, all in all", "-", f"{travelled:.0f} degrees"),
         *(report(f"{force} N for {lasts:g} s, {len(seeds)} seeds", "-", "stands" if good else "falls")
           for force, good in zip(forces, stood, strict=True))],
        [Picture("Arms and centre of mass under the largest force survived", svg(figure)),
         *film(shown.motion, START + np.linspace(0.1, min(1.8, lasts), 8), "The first pulses", bearing=90.0,
               elevation=-6.0, size=(190, 300))],
        ["Direction and point are not published. The first pulse is a whole one, so the mean speed that pulses of F "
         "leave behind is that of a single push of F 0.05 s."],
        {"pulses": shown.motion})


# -- standing ----------------------------------------------------------------------------------------------------------


@experiment("balance-stand", group="balance", source="section 4.1", published="stands")
def balance_stand(context: Context) -> Result:
    """A quiet stand of a minute"""
    seconds = 3.0 if context.quick else 60.0
    seeds = range(context.seed, context.seed + (1 if context.quick else 2))
    takes = context.trials(quiet, [(seconds, seed) for seed in seeds])
    fell = sum(take.fell is not None for take in takes)
    motion = takes[0].motion
    late = motion.time > seconds / 3
    com = 1e3 * Measured(motion).series("com")
    figure, (sway,) = axes(1)
    plot_series(sway, motion.time, com[:, :2] - com[-1, :2], ("forward", "left"), "centre of mass", "mm")
    return Result([count_of(f"stands for {seconds:g} s", "stands", len(takes) - fell, len(takes), len(takes)),
                   below("sway of the centre of mass in the last two thirds", "-",
                         float(np.ptp(com[late, :2], axis=0).max()), 5.0, "mm"),
                   below("drift of the feet", "-", feet_drift(takes[0]), 2.0, "mm")],
                  [Picture("Sway from the random start on", svg(figure)),
                   *film(motion, np.linspace(0.0, seconds, 4), "Standing", size=(180, 300))], (), {"stand": motion})


def quiet(seconds: float, seed: int) -> Run:
    return record("balance", seconds=seconds, seed=seed)


def feet_drift(take: Run) -> float:
    """How far a foot moved along the ground, mm."""
    measured = Measured(take.motion)
    feet = [parts[0] for parts in measured.share.feet.values()]
    places = measured.track.position[:, feet, :2]
    return float(1e3 * np.linalg.norm(places - places[0], axis=-1).max())
