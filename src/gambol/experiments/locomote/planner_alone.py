"""The planner as its own plant: the preview model follows its plans, nothing else [delasa2011, section 5.3].

An analysis of the method, not a take: nothing is simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gambol.experiments.experiment import Context, Result, Row, check, experiment, report
from gambol.planning.preview.cases import running, swinging
from gambol.planning.preview.gains import PreviewGains
from gambol.planning.preview.plan import Plan
from gambol.planning.preview.planner import Planner
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Footplant, Goals, Situation, Support
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import COLORS, axes, legend, svg

TABLE_5_1 = PreviewGains(heading=1.0, leg=10.0, drift=0.0, climb=0.0, onward=0.0, stride=0.0, apart=0.0, hurry=0.0,
                         bend=1e9, twist=0.0, step=0.0, turn=0.0, calm=0.0)
"""The terms of [delasa2011, table 5.1] with their weights; of ours only what makes them a problem: leg limits and a
spring that pushes."""
EVERY = 0.05
"""Time from plan to plan, s."""
STEPS = 6
"""Steps of the optimiser for each plan."""
SECONDS, BEFORE = 8.0, 2.0
"""Length of a run; figures are taken from the second time on, s."""
LOW, HIGH = 0.6, 1.4
"""A COM below or above has collapsed or flown off, m."""
TOLERANCE = 0.1


@dataclass(frozen=True)
class Setting:
    """A row of the table: goals, weights, and what the reference program found (docs/experiments.md)."""

    name: str
    goals: Goals
    weights: PreviewGains = TABLE_5_1
    memory: bool = True
    """progress inside a step is carried over from plan to plan"""
    turn: float = 0.0
    """the way and the heading change by this in the middle, rad"""
    reference: str = ""
    speed: tuple[float, float] | None = None
    """of the reference, m/s; none: collapses"""
    flight: tuple[float, float] = (0.0, 0.0)


WALK, RUN = Goals(0.75, 0.6), Goals(1.05, 0.4)
SETTINGS = (
    Setting("walk, read literally: no memory of the step", WALK, memory=False,
            reference="no step is ever completed, collapses at 1.2 s"),
    Setting("walk, Table 5.1", WALK, reference="1.23 to 1.24 m/s; steps 0.53 to 0.59 s, 0.58 to 0.77 m; no flight",
            speed=(1.23, 1.24)),
    Setting("run 1.05 m / 0.4 s, w_com 0", RUN, speed=(2.67, 2.71), flight=(0.04, 0.06),
            reference="2.67 to 2.71 m/s; steps 0.34 to 0.39 s, 0.92 to 1.03 m; flight 4 to 6 %"),
    Setting("run, w_com 100, h_d 0.05", replace(RUN, fly=100.0, apex=0.05), speed=(2.82, 2.82), flight=(0.1, 0.1),
            reference="2.82 m/s; steps 0.34 to 0.37 s, 0.92 to 1.12 m; flight 10 %"),
    Setting("run, w_com 100, h_d 0.1", replace(RUN, fly=100.0, apex=0.1), reference="one or two steps, then collapses"),
    Setting("run, w_com 100, h_d 0.1, w_accel 0.01", replace(RUN, fly=100.0, apex=0.1),
            replace(TABLE_5_1, acceleration=0.01), speed=(1.91, 1.91), flight=(0.45, 0.45),
            reference="1.91 m/s; steps 0.59 to 0.62 s, 1.12 to 1.30 m; flight 45 %"),
    Setting("walk, turned by 0.8 rad", WALK, turn=0.8,
            reference="1.0 m/s along the old way over the turn; heading off at the end by at most 0.07 rad"),
)


@dataclass
class Trace:
    """What a run did."""

    seconds: float = 0.0
    collapsed: bool = False
    times: list[float] = field(default_factory=list)
    places: list[np.ndarray] = field(default_factory=list)
    yaw: float = 0.0
    aim: float = 0.0
    """heading now, and at the end of the last plan, rad"""
    stances: list[tuple[float, float]] = field(default_factory=list)
    """end of each step, s, and its time on the ground"""
    lengths: list[float] = field(default_factory=list)
    """travel of the COM in each step, m"""
    feet: list[np.ndarray] = field(default_factory=list)
    flown: float = 0.0

    def speed(self, since: float) -> float:
        """As the crow flies, m/s; none if it collapsed."""
        if self.collapsed or self.seconds <= since:
            return float("nan")
        first = int(np.searchsorted(self.times, since))
        way = self.places[-1][:2] - self.places[first][:2]
        return float(np.hypot(*way) / (self.times[-1] - self.times[first]))

    @property
    def flight(self) -> float:
        return self.flown / max(self.seconds, 1e-9)

    def in_words(self, since: float) -> str:
        steps = f"{len(self.stances)} steps"
        if self.collapsed:
            return f"collapses at {self.seconds:.1f} s after {steps}"
        late = [k for k, (end, _) in enumerate(self.stances) if end > since]
        if not late:
            return f"{self.speed(since):.2f} m/s; {steps}"
        stood, lengths = [self.stances[k][1] for k in late], [self.lengths[k] for k in late]
        heights = np.array(self.places)[:, 2]
        return (f"{self.speed(since):.2f} m/s; steps {min(stood):.2f} to {max(stood):.2f} s, {min(lengths):.2f} to "
                f"{max(lengths):.2f} m; flight {100 * self.flight:.0f} %; COM {heights.min():.2f} to "
                f"{heights.max():.2f} m high")


class Alone:
    """A preview model that follows its own plans."""

    def __init__(self, situation: Situation, planner: Planner, memory: bool) -> None:
        self.situation, self.planner, self.memory = situation, planner, memory
        self.trace = Trace(yaw=situation.yaw)

    def advance(self, goals: Goals) -> None:
        """Plan, follow the plan until the next one or until a foot lifts, lands or takes off."""
        now, trace = self.situation, self.trace
        seen = now if self.memory else now.with_(since=0.0, origin=now.com[:2])
        plan = self.planner.plan(seen, goals, STEPS)
        due = self._due(plan)
        time = min(EVERY, due)
        moment = plan.at(time)
        self.planner.passed(time, now.support)
        trace.seconds += time
        trace.flown += time * (now.support is Support.FLIGHT)
        flying = now.support is Support.FLIGHT
        self.situation = now.with_(com=moment.com, velocity=moment.velocity, yaw=moment.yaw, turning=moment.turning,
                                   since=now.since + time * (not flying), feet=self._feet(plan, time),
                                   swung=now.swung + time * (now.support is not Support.DOUBLE))
        if due <= EVERY:
            self._exchange(plan)
        trace.times.append(trace.seconds)
        trace.places.append(self.situation.com)
        trace.yaw, trace.aim = self.situation.yaw, float(plan.preview.yaws[0, 6])
        trace.collapsed = not LOW < self.situation.com[2] < HIGH

    def _due(self, plan: Plan) -> float:
        """Time until contacts change."""
        if plan.gait is Gait.STAND:
            return np.inf
        if self.situation.support is Support.DOUBLE:
            return plan.lifts
        return plan.leaves if self.situation.support is Support.SINGLE and plan.flies else plan.lands

    def _feet(self, plan: Plan, time: float) -> tuple[Footplant, Footplant]:
        """The foot in the air is on its way."""
        feet, other = list(self.situation.feet), self.situation.other
        if self.situation.support is not Support.DOUBLE:
            share = min(time / max(plan.lands, 1e-6), 1.0)
            old = feet[other]
            feet[other] = Footplant(old.place + share * (plan.foothold - old.place),
                                    old.yaw + share * (plan.foothold_yaw - old.yaw))
        return feet[0], feet[1]

    def _exchange(self, plan: Plan) -> None:
        now, trace = self.situation, self.trace
        if now.support is Support.DOUBLE:
            self.situation = now.with_(support=Support.SINGLE, swung=0.0)
        elif now.support is Support.SINGLE and plan.flies:
            self.situation = now.with_(support=Support.FLIGHT)
        else:
            trace.stances.append((trace.seconds, now.since))
            trace.lengths.append(float(np.hypot(*(now.com[:2] - now.origin))))
            trace.feet.append(plan.foothold)
            self.planner.exchanged()
            support = Support.DOUBLE if now.support is Support.SINGLE else Support.SINGLE
            self.situation = now.with_(support=support, stance=now.other, since=0.0, swung=0.0, origin=now.com[:2])


def alone(setting: Setting, seconds: float, ours: bool) -> Trace:
    """A run; `ours` takes our weights and our pendulum in place of the published ones."""
    weights = PreviewGains() if ours else setting.weights
    start = running(2.4) if setting.goals.length / setting.goals.duration > 2.0 else swinging(1.2, 0.2)
    body = Alone(start, Planner(weights, literal=not ours), setting.memory)
    while body.trace.seconds < seconds and not body.trace.collapsed:
        turned = setting.turn if body.trace.seconds > 0.5 * seconds else 0.0
        body.advance(replace(setting.goals, way=turned, heading=turned))
    return body.trace


def verdict(setting: Setting, trace: Trace, since: float) -> bool:
    """Whether a run is what the reference is, within a tenth."""
    if setting.turn:
        return not trace.collapsed and abs(trace.aim - setting.turn) < 0.1
    if setting.speed is None:
        return trace.collapsed
    low, high = setting.speed
    return (1.0 - TOLERANCE) * low <= trace.speed(since) <= (1.0 + TOLERANCE) * high


@experiment("planner-alone", group="preview", source="[delasa2011, section 5.3, table 5.1]",
            published="goals of its table give walks and runs; figures are those of a reference program")
def planner_alone(context: Context) -> Result:
    """The planner as its own plant: the published weights and ours, against the reference program"""
    seconds, settings = (2.0, SETTINGS[:2]) if context.quick else (SECONDS, SETTINGS)
    since = 0.25 * seconds
    cases = [(setting, seconds, ours) for setting in settings for ours in (False, True)]
    done = context.trials(alone, cases)
    rows: list[Row] = []
    figure, (heights, paths) = axes(2)
    for index, setting in enumerate(settings):
        literal, ours = done[2 * index:2 * index + 2]
        tell = literal.in_words(since) + (f"; heading off at the end by {abs(literal.aim - setting.turn):.2f} rad as "
                                          f"planned, {abs(literal.yaw - setting.turn):.2f} rad in fact"
                                          if setting.turn else "")
        rows.append(check(setting.name, setting.reference, tell, verdict(setting, literal, since)))
        rows.append(report("... our weights and pendulum", "-", ours.in_words(since)))
        for axis, x, y in ((heights, literal.times, [place[2] for place in literal.places]),
                           (paths, [place[0] for place in literal.places], [place[1] for place in literal.places])):
            axis.plot(x, y, label=setting.name, color=COLORS[index % len(COLORS)], linewidth=1.0)
    heights.set(title="height of the COM", xlabel="time [s]", ylabel="m", ylim=(LOW, HIGH))
    paths.set(title="path from above", xlabel="m", ylabel="m")
    legend(paths, 1)
    return Result(rows, [Picture("The published weights: height and path", svg(figure))],
                  ["An analysis, not a take: the model follows its own plans, replanned every 0.05 s. Passes within "
                   "10 % of the reference's speeds; its collapses are checked too.",
                   "Ours differs from the reference in that a walker has both feet on the ground for at least 0.06 s.",
                   "An apex of 0.05 m takes 0.2 s in the air, about a third of such a step; the reference's tenth does "
                   "not reach it."])
