"""Other solvers for the same objectives: one weighted problem, the lexicographic cascade, an interior point.

See [delasa2011, section 4.5 and chapter 6]; the cascade is that of [kanoun2009].
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from gambol.control.problem import WholeBodyProblem
from gambol.control.qp.bounded import NONE
from gambol.control.qp.pivoted_qr import null_space
from gambol.control.qp.priorities import Level, prioritized_bounded, residuals
from gambol.control.solvers import LexicographicSolver, PrioritizedSolver, Solver, WeightedSolver
from gambol.experiments.experiment import Context, Result, Row, below, check, count_of, experiment, report
from gambol.experiments.jump.jumps import LONGEST, Watch
from gambol.motion.measures import Measured
from gambol.motion.motion import Motion
from gambol.reporting.pictures import Picture, film
from gambol.reporting.plots import axes, legend, svg
from gambol.runs.endings import calm_after
from gambol.runs.run import Run, record
from gambol.world.pushes import Push
from gambol.world.world import World

# -- one weighted problem ----------------------------------------------------------------------------------------------

RATIOS = (None, 1000.0, 100.0, 10.0)
"""How much a level counts against the next; None: strict priorities."""
IMPULSE, WALK = 35.0, 10.0
"""What balance gets from behind, N s, and how long a walk is, s."""
SAMPLED = 5
"""Errors are looked at every so many ticks."""
PUBLISHED = {"balance": "less robust", "jump": "not achieved", "walk": "only in a stiff form"}


class Errors:
    """Watches how well contact and COM objectives are met; gives a weighted controller its ratio."""

    def __init__(self, ratio: float | None) -> None:
        self.ratio = ratio
        self.squares: dict[str, list[float]] = {"contact": [], "com": []}

    def __call__(self, world: World, controller: Any) -> bool:
        problem: WholeBodyProblem | None = controller.problem
        if problem is None and self.ratio is not None:
            controller.solvers["weighted"] = WeightedSolver(self.ratio)
        if problem is not None and world.tick % SAMPLED == 0:
            left = problem.residuals()
            for name, found in self.squares.items():
                parts = [residual**2 for row, _, _, residual in left if row.startswith(name)]
                found += [sum(parts)] if parts else []
        return False

    def rms(self, name: str) -> float:
        return float(np.sqrt(np.mean(self.squares[name])))


@dataclass(frozen=True)
class Ablation:
    """One run: did it do what it should, how well were the objectives met (m/s2), what came of it."""

    good: bool
    contact: float
    com: float
    outcome: float
    """balance: largest shift of the COM, m; jump: apex, m; walk: speed, m/s"""
    motion: Motion | None = None


def ablated(behavior: str, ratio: float | None, seed: int, keep: bool = False) -> Ablation:
    """A push, a jump or a walk, by strict priorities or by one weighted problem."""
    errors, settings = Errors(ratio), {"solver": "prioritized" if ratio is None else "weighted"}
    if behavior == "jump":
        watch = Watch()
        take = record("jump", seconds=LONGEST, seed=seed, settings=settings | {"rest": 0.0},
                      until=lambda world, controller: errors(world, controller) or watch(world, controller))
        hop = watch.hop(take)
        good, outcome = hop.good(), float(hop.height.max())
    elif behavior == "walk":
        take = record("walk", seconds=WALK, seed=seed, settings=settings, until=errors)
        com = Measured(take.motion).series("com")
        good, outcome = take.fell is None, float((com[-1] - com[len(com) // 2])[0] / (take.seconds / 2))
    else:
        push, calm = Push(1.0, "trunk", (10.0 * IMPULSE, 0.0, 0.0), 0.1), calm_after(1.1)
        take = record("balance", seconds=6.0, seed=seed, settings=settings, pushes=[push],
                      until=lambda world, controller: errors(world, controller) or calm(world, controller))
        com = Measured(take.motion).series("com")
        good, outcome = take.fell is None, float(np.linalg.norm((com - com[0])[:, :2], axis=1).max())
    return Ablation(good, errors.rms("contact"), errors.rms("com"), outcome, take.motion if keep else None)


@experiment("weighted-ablation", group="variants", source="[delasa2011, section 4.5]",
            published="weighted: balance less robust, jumping not achieved, walking only in a stiff form")
def weighted_ablation(context: Context) -> Result:
    """Balance, jump and walk with all objectives in one weighted problem, beside strict priorities"""
    trials = 1 if context.quick else 4
    ratios = (None, 100.0) if context.quick else RATIOS
    behaviors = ("balance", "jump") if context.quick else tuple(PUBLISHED)
    cases = [(behavior, ratio) for behavior in behaviors for ratio in ratios]
    done = iter(context.trials(ablated, [(behavior, ratio, context.seed + k, k == 0) for behavior, ratio in cases
                                         for k in range(trials)]))
    found = {case: [next(done) for _ in range(trials)] for case in cases}
    task = {"balance": f"stands after {IMPULSE:g} N s; COM shifts", "jump": "lands and stands; apex",
            "walk": f"walks {WALK:g} s; speed"}
    unit = {"balance": "m", "jump": "m of 0.27", "walk": "m/s"}
    rows = [report(f"{behavior}, {label(ratio)}: {task[behavior]}", "-" if ratio is None else PUBLISHED[behavior],
                   f"{sum(one.good for one in group)} of {trials}; {mean(group, 'outcome'):.2f} {unit[behavior]}; "
                   f"contact missed by {mean(group, 'contact'):.2g}, COM by {mean(group, 'com'):.2g} m/s2")
            for (behavior, ratio), group in found.items()]
    figure, plots = axes(2, height=3.0)
    for plot, name in zip(plots, ("contact", "com"), strict=True):
        for behavior in behaviors:
            plot.semilogy([label(ratio) for ratio in ratios],
                          [max(mean(found[behavior, ratio], name), 1e-12) for ratio in ratios], "o-", label=behavior)
        plot.set(title=f"{name}: missed, root mean square", ylabel="m/s2")
        legend(plot)
    strips: list[Picture] = []
    for behavior, times in (("balance", np.linspace(0.9, 2.4, 8)), ("jump", np.linspace(0.4, 2.4, 9)),
                            ("walk", np.linspace(3.0, 4.2, 9))):
        for ratio in ratios[:3]:
            motion = found[behavior, ratio][0].motion if behavior in behaviors else None
            if motion is not None:
                strips += film(motion, np.clip(times, 0.0, motion.seconds), f"{behavior}, {label(ratio)}", bearing=90.0,
                               elevation=-6.0, size=(130, 230))
    return Result(rows, [Picture("How well the objectives of the first two levels are met", svg(figure)), *strips],
                  ["A report: nothing is claimed. Objectives, gains and weights inside a level are those of the "
                   "behaviors; the weights between levels are powers of one ratio. Published weights are not known. "
                   "What a run that falls has missed includes the fall."])


def label(ratio: float | None) -> str:
    return "strict" if ratio is None else f"weights x {ratio:g}"


def mean(group: Sequence[Ablation], name: str) -> float:
    return float(np.mean([getattr(one, name) for one in group]))


# -- the cascade, tick by tick -----------------------------------------------------------------------------------------

AROUND = 5
"""A tick is near a contact change if it is no further than this from it, ticks."""
EVERY = 8
"""The interior point is tried on every so many-th tick."""
APART = 1.0
"""Torques further apart are not the same, N m."""
SAME = 1e-6
"""Residuals that differ by less are the same, as a share of 1 + the residual."""
RIDGE = 1e-3
"""On all unknowns at the last level, so that there is one solution."""


class QPSolver(PrioritizedSolver):
    """Algorithm 2 by QPs alone, without the guess of active bounds: as the cascade is done, for a fair clock."""

    name = "Algorithm 2, QP only"

    def solve(self, problem: WholeBodyProblem) -> np.ndarray | None:
        levels, limits = problem.levels()[1], problem.constraints()
        return prioritized_bounded(levels, limits.rows, limits.lower, limits.upper, soft=limits.soft,
                                   ridge=np.full(problem.n, RIDGE),
                                   on_failure=self._counting(problem.levels()[0]))


@dataclass
class Beside:
    """Solves every problem of a take once more by other solvers, each on the very same ticks; an `until` of takes."""

    solvers: dict[str, Solver] = field(default_factory=lambda: {
        "Algorithm 2": PrioritizedSolver(), QPSolver.name: QPSolver(), "cascade": LexicographicSolver()})
    torques: dict[str, list[np.ndarray]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    contacts: list[int] = field(default_factory=list)
    gaps: list[tuple[float, float]] = field(default_factory=list)
    """between interior point and active set: difference of residuals, of the levels above the last, and of the last"""
    bounded: int = 0
    """ticks among those on which a bound is active"""
    unsolved: int = 0
    tick_length: float = 0.0
    """s"""

    def __call__(self, world: World, controller: Any) -> bool:
        problem: WholeBodyProblem | None = controller.problem
        if problem is None:
            return False
        self.tick_length = controller.tick_length
        self.contacts.append(problem.n_force)
        for name, solver in self.solvers.items():
            begin = time.perf_counter()
            torque = solver.torques(problem)
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin
            self.torques.setdefault(name, []).append(torque)
        if world.tick % EVERY == 0:
            self._interior(problem)
        return False

    def _interior(self, problem: WholeBodyProblem) -> None:
        levels, limits = problem.levels()[1], problem.constraints()
        bounds, ridge = (limits.rows, limits.lower, limits.upper), np.full(problem.n, RIDGE)
        events: list[tuple[int, str]] = []
        x = prioritized_bounded(levels, *bounds, ridge=ridge, on_failure=lambda *event: events.append(event))
        if x is None or events:  # only with soft bounds given way
            self.unsolved += 1
            return
        reached = residuals(levels, x)
        other = residuals(levels, priorities_by(interior_point, levels, *bounds, ridge))
        gap = np.abs(other - reached) / (1.0 + reached)
        self.gaps.append((float(gap[:-1].max(initial=0.0)), float(gap[-1])))
        values = limits.rows @ x
        self.bounded += bool(np.minimum(values - limits.lower, limits.upper - values).min() < 1e-6)

    def noise(self, name: str) -> tuple[float, float]:
        """Second difference of the torques, root mean square of all joints, N m: near contact changes, elsewhere."""
        square = np.mean(np.diff(self.torques[name], 2, axis=0) ** 2, axis=1)
        near = self._near_changes()[1:-1]
        return float(np.sqrt(square[near].mean())), float(np.sqrt(square[~near].mean()))

    def apart(self) -> tuple[float, float]:
        """Share of ticks with a torque of the cascade off that of Algorithm 2: near contact changes, elsewhere."""
        off = np.abs(np.subtract(self.torques["cascade"], self.torques["Algorithm 2"])).max(axis=1) > APART
        near = self._near_changes()
        return float(off[near].mean()), float(off[~near].mean())

    def _near_changes(self) -> np.ndarray:
        near = np.zeros(len(self.contacts), dtype=bool)
        for tick in np.flatnonzero(np.diff(self.contacts)):
            near[max(0, tick + 1 - AROUND):tick + 1 + AROUND] = True
        return near


@dataclass(frozen=True)
class Compared:
    """One take of a behavior, all solvers beside each other; and one take by the cascade."""

    take: Run
    beside: Beside
    cascade_fell: str | None
    cascade_lost: int
    """degradations of the cascade in its own take"""


def compared(behavior: str, seconds: float, seed: int) -> Compared:
    beside, lost = Beside(), [0]

    def count(world: World, controller: Any) -> bool:
        lost[0] = controller.solvers["lexicographic"].degradations.total()
        return False

    take = record(behavior, seconds=seconds, seed=seed, until=beside)
    own = record(behavior, seconds=seconds, seed=seed, settings={"solver": "lexicographic"}, until=count)
    return Compared(take, beside, own.fell, lost[0])


@experiment("solver-variants", group="variants", source="[delasa2011, section 6.3.4 and 6.4]",
            published="Algorithm 2 is stable with interior point and active set; the cascade's torques are noisier")
def solver_variants(context: Context) -> Result:
    """Algorithm 2 against the lexicographic cascade, and an interior point against an active set"""
    seconds = {"walk": 1.2, "jump": 1.5} if context.quick else {"walk": 6.0, "jump": 3.0}
    found = dict(zip(seconds, context.trials(compared, [(name, length, context.seed)
                                                        for name, length in seconds.items()]), strict=True))
    rows: list[Row] = []
    for name, one in found.items():
        rows += _compare(name, one)
    figure, plots = axes(2)
    for plot, (name, one) in zip(plots, found.items(), strict=True):
        _plot_noise(plot, name, one.beside)
    walk, jump = found["walk"].take.motion, found["jump"].take.motion
    return Result(rows, [Picture("Second difference of the torques, tick by tick", svg(figure)),
                         *film(walk, np.linspace(0.6, min(walk.seconds, 2.2), 8), "The walk", bearing=90.0,
                               elevation=-6.0, size=(130, 230)),
                         *film(jump, np.linspace(0.5, min(jump.seconds, 2.2), 8), "The jump", bearing=90.0,
                               elevation=-6.0, size=(130, 230))],
                  ["All solvers get the same problems, those of a take under Algorithm 2. Noise is the second "
                   f"difference of the torques from tick to tick, near contact changes ({AROUND} ticks either way) and "
                   "elsewhere. Residuals are compared as shares of 1 + the residual, with every bound hard.",
                   "The active set is DAQP's; the interior point is a plain dense predictor-corrector method."],
                  {name: one.take.motion for name, one in found.items()})


def _compare(name: str, one: Compared) -> list[Row]:
    beside = one.beside
    ours, theirs, off = beside.noise("Algorithm 2"), beside.noise("cascade"), beside.apart()
    events = {solver: each.degradations.total() for solver, each in beside.solvers.items()}
    ticks, gaps = len(beside.contacts), beside.gaps
    clock = beside.seconds
    return [
        check(f"{name}: Algorithm 2", "stable", f"{'stands' if one.take.fell is None else one.take.fell}, "
              f"{events['Algorithm 2']} degradations in {ticks} ticks", one.take.fell is None),
        report(f"{name}: cascade", "fails with active-set solvers",
               f"{'stands' if one.cascade_fell is None else one.cascade_fell}, {one.cascade_lost} degradations; "
               f"{events['cascade']} on the ticks of Algorithm 2"),
        report(f"{name}: torque noise near contact changes, cascade against Algorithm 2", "noisier",
               f"{theirs[0]:.2f} against {ours[0]:.2f} N m ({theirs[0] / ours[0]:.2f} times)"),
        report(f"{name}: ticks on which a torque of the cascade is off by more than {APART:g} N m", "noisier",
               f"{100 * off[0]:.0f} % near contact changes, {100 * off[1]:.0f} % elsewhere"),
        report(f"{name}: torque noise elsewhere", "-", f"{theirs[1]:.2f} against {ours[1]:.2f} N m"),
        report(f"{name}: time of a tick, cascade against Algorithm 2", "-",
               f"{clock['cascade'] / clock['Algorithm 2']:.1f} times; with QPs only "
               f"{clock['cascade'] / clock[QPSolver.name]:.1f} times"),
        below(f"{name}: interior point against active set, residuals above the last level, largest difference",
              "both stable", max((high for high, _ in gaps), default=np.inf), SAME),
        count_of(f"{name}: ... of the last level within {SAME:g} (largest {max(last for _, last in gaps):.1g}; bounds "
                 f"active on {beside.bounded} ticks)", "both stable", sum(last < SAME for _, last in gaps), len(gaps),
                 int(np.ceil(0.95 * len(gaps))))]


def _plot_noise(plot: Any, name: str, beside: Beside) -> None:
    for solver in ("cascade", "Algorithm 2"):
        square = np.mean(np.diff(beside.torques[solver], 2, axis=0) ** 2, axis=1)
        plot.semilogy(beside.tick_length * np.arange(len(square)), np.maximum(np.sqrt(square), 1e-4), label=solver,
                      linewidth=0.8)
    plot.set(title=f"{name}: noise of the torques", xlabel="time [s]", ylabel="N m")
    legend(plot)


# -- interior point ----------------------------------------------------------------------------------------------------

QP = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""hessian, gradient, rows, lower, upper: the minimum, and which rows (a mask) are at a bound that costs something"""
PAID = 1e-7
"""Prices below this are rounding error."""
TIGHT, MOST_ROUNDS, TO_THE_WALL = 1e-11, 60, 0.995
ROOM = 1e-9
"""What a level finds at its bounds it leaves this much room, or there would be no inside to lower ones."""


def priorities_by(solve: QP, levels: Sequence[Level], rows: np.ndarray, lower: np.ndarray, upper: np.ndarray,
                  ridge: np.ndarray) -> np.ndarray:
    """Algorithm 2 [delasa2011, section 6.3.3] with any QP solver.

    Bounds that cost a level something are kept by the levels below it.
    """
    x, basis = np.zeros(rows.shape[1]), np.eye(rows.shape[1])
    for index, (A, b) in enumerate(levels):
        reduced, here = A @ basis, rows @ x
        hessian, gradient = reduced.T @ reduced, -reduced.T @ (b - A @ x)
        if index == len(levels) - 1:
            hessian, gradient = hessian + basis.T @ (basis * ridge[:, None]), gradient + basis.T @ (ridge * x)
        low, high = lower - here, upper - here
        if index:
            low, high = np.minimum(low, -ROOM), np.maximum(high, ROOM)
        step, paid = solve(hessian, gradient, rows @ basis, low, high)
        x, bought = x + basis @ step, rows[paid]
        basis = basis @ null_space(reduced, float(np.linalg.norm(A)))
        basis = basis @ null_space(bought @ basis, float(np.linalg.norm(bought))) if len(bought) else basis
        if not basis.shape[1]:
            break
    return x


def interior_point(hessian: np.ndarray, gradient: np.ndarray, rows: np.ndarray, lower: np.ndarray,
                   upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Minimise `1/2 w'Hw + g'w` with `lower <= rows w <= upper`: primal-dual, predictor and corrector (Mehrotra).

    Bounds are `G w - h = s >= 0` with prices z; `H + G' diag(z / s) G` is factored once a round.
    """
    below, above = lower > -NONE, upper < NONE
    G, h = np.concatenate([rows[below], -rows[above]]), np.concatenate([lower[below], -upper[above]])
    size, unit = 1.0 / np.linalg.norm(G, axis=1), max(1.0, float(np.abs(hessian).max()))
    G, h, H, g = G * size[:, None], h * size, hessian / unit, gradient / unit
    w, s, z = np.zeros(len(g)), np.maximum(-h, 1.0), np.ones(len(h))
    for _ in range(MOST_ROUNDS):
        dual, primal, gap = H @ w + g - G.T @ z, G @ w - h - s, float(s @ z) / len(s)
        if max(np.abs(dual).max(), np.abs(primal).max(), gap) < TIGHT:
            break
        try:
            factor = cho_factor(H + (G * (z / s)[:, None]).T @ G + 1e-14 * np.eye(len(g)))
        except LinAlgError:
            break

        def direction(product: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            """Newton's, with `s dz + z ds = -product`."""
            dw = cho_solve(factor, -dual - G.T @ ((product + z * primal) / s))  # noqa: B023
            ds = G @ dw + primal  # noqa: B023
            return dw, ds, -(product + z * ds) / s  # noqa: B023

        dw, ds, dz = direction(s * z)
        step = min(_way_to_wall(s, ds), _way_to_wall(z, dz))
        center = (float((s + step * ds) @ (z + step * dz)) / len(s) / gap) ** 3
        dw, ds, dz = direction(s * z + ds * dz - center * gap)
        step = TO_THE_WALL * min(_way_to_wall(s, ds), _way_to_wall(z, dz))
        w, s, z = w + step * dw, s + step * ds, z + step * dz
    paid = np.zeros(len(rows), dtype=bool)
    paid[np.concatenate([np.flatnonzero(below), np.flatnonzero(above)])[(z > s) & (z > PAID)]] = True
    return w, paid


def _way_to_wall(value: np.ndarray, change: np.ndarray) -> float:
    """The largest step, at most 1, that keeps all values positive."""
    falls = change < 0
    return float(min(1.0, (-value[falls] / change[falls]).min())) if falls.any() else 1.0
