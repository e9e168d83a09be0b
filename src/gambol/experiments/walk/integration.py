"""Two ways to advance a walk: torques through the simulator, or the solver's own accelerations.

Both are in [delasa2011, section 4.5]. The second is an **analysis, not a take**: it writes position and velocity of a
private world, no simulator computes contacts, and nothing keeps a foot from sinking in but the objectives. It tells
what the controller believes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.experiments.experiment import Context, Result, Row, check, experiment, report
from gambol.motion.motion import Motion
from gambol.reporting.pictures import Picture, film
from gambol.reporting.plots import axes, legend, svg, thin
from gambol.runs.run import record
from gambol.world.world import World

RATE = 100.0
"""Ticks a second when the solver's accelerations are integrated; control and integration are one."""
DOWN = 2e-3
"""A sole point lower than this stands, m."""
RUNAWAY = 1e3
STARTING = 5.0
"""The first seconds do not count for the mean speed."""
MODES = ("forward dynamics", "own accelerations")


class Watch:
    """Sees a walk tick by tick: the COM, how deep the soles are in the ground, how fast standing points slide."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, ...]] = []
        self._points: np.ndarray | None = None

    def __call__(self, world: World, controller: Any) -> bool:
        points, com = world.figure.sole_points(), world.figure.com
        standing = points[:, 2] < DOWN
        slide = 0.0
        if self._points is not None:
            standing &= self._points[:, 2] < DOWN
            moved = np.linalg.norm((points - self._points)[standing, :2], axis=1)
            slide = float(moved.mean()) / world.tick_length if len(moved) else 0.0
        self._points = points
        self.rows.append((world.time, *com, -points[:, 2].min(), slide, controller.steps))
        return False


@dataclass(frozen=True)
class Walked:
    """A walk by one of the modes."""

    fell: str | None
    time: np.ndarray
    com: np.ndarray
    """(n, 3)"""
    depth: np.ndarray
    """of the lowest sole point below the ground, m"""
    slide: np.ndarray
    """mean speed along the ground of the points that stand, m/s"""
    steps: int
    motion: Motion
    """of the second mode: positions only, for pictures"""

    @property
    def speed(self) -> float:
        late = self.time >= min(STARTING, 0.5 * self.time[-1])
        return float((self.com[late][-1, 0] - self.com[late][0, 0]) / np.ptp(self.time[late]))


def walked(mode: str, seconds: float, seed: int) -> Walked:
    watch = Watch()
    if mode == MODES[0]:
        take = record("walk", seconds=seconds, seed=seed, until=watch)
        fell, motion = take.fell, take.motion
    else:
        fell, motion = integrate(seconds, seed, watch)
    table = np.array(watch.rows)
    return Walked(fell, table[:, 0], table[:, 1:4], table[:, 4], table[:, 5], int(table[-1, 6]), motion)


def integrate(seconds: float, seed: int, watch: Watch) -> tuple[str | None, Motion]:
    """A walk whose state is advanced by the accelerations of the solution: semi-implicit Euler, no contacts."""
    world = World(make_character("human"), seed=seed, control_rate=RATE, physics_rate=RATE)
    model, data = world.model, world.data
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    controller: Any = make_behavior("walk", world)
    fell, qpos = None, [data.qpos.copy()]
    while fell is None and world.time < seconds - 1e-9:
        watch(world, controller)
        controller.act()
        problem = controller.problem
        if problem.solution is None:
            fell = "no solution"
            break
        data.qvel[world.figure.dofs] += problem.accelerations(problem.solution) / RATE
        mujoco.mj_integratePos(model, data.qpos, data.qvel, 1.0 / RATE)
        data.time += 1.0 / RATE
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        qpos.append(data.qpos.copy())
        if not np.abs(data.qvel).max() < RUNAWAY:
            fell = "diverged"
        elif world.contacts.com_height(world.figure) < 0.5 * world.figure.standing_height:
            fell = "centre of mass below half its standing height"
    motion = replace(Motion.from_world(world), time=np.arange(len(qpos)) / RATE, qpos=np.array(qpos),
                     qvel=np.zeros((len(qpos), model.nv)), ctrl=np.zeros((0, 0)))
    return fell, motion


@experiment("integration-modes", group="variants", source="[delasa2011, section 4.5]",
            published="forward dynamics needs 1 kHz; 100 Hz is enough for the optimizer's accelerations")
def integration_modes(context: Context) -> Result:
    """A walk by forward dynamics at 1 kHz, and by the solver's own accelerations at 100 Hz"""
    seconds = 2.0 if context.quick else 30.0
    seeds = [context.seed + k for k in range(1 if context.quick else 2)]
    done = iter(context.trials(walked, [(mode, seconds, seed) for mode in MODES for seed in seeds]))
    found = {mode: [next(done) for _ in seeds] for mode in MODES}
    rows: list[Row] = []
    for mode, group in found.items():
        rows += rows_of(mode, group, seconds)
    figure, (path, deep) = axes(2)
    for mode, group in found.items():
        time, com, depth = thin(group[0].time, group[0].com, group[0].depth)
        path.plot(com[:, 0], com[:, 1], label=mode, linewidth=1.0)
        deep.plot(time, 1e3 * depth, label=mode, linewidth=0.8)
    path.set(title="COM from above", xlabel="ahead [m]", ylabel="left [m]")
    deep.set(title="deepest sole point", xlabel="time [s]", ylabel="mm", xlim=(0.0, min(seconds, 6.0)))
    for plot in (path, deep):
        legend(plot)
    times = np.linspace(1.0, 1.9, 8) if context.quick else np.linspace(10.0, 11.2, 9)
    return Result(rows, [Picture("Both walks", svg(figure)),
                         *(picture for mode in MODES for picture in
                           film(found[mode][0].motion, times, mode, bearing=90.0, elevation=-6.0, size=(130, 230)))],
                  ["'Own accelerations' is an analysis of the method, not a take: no simulator computes contacts, "
                   "position and velocity are written. A fall there is a COM below half its height, or divergence.",
                   "'Forward dynamics' is every other run of gambol: physics at 1 kHz, control at 250 Hz.",
                   f"A sole point below {1e3 * DOWN:g} mm stands; its speed along the ground is the slide."],
                  {MODES[0]: found[MODES[0]][0].motion})


def rows_of(mode: str, group: Sequence[Walked], seconds: float) -> list[Row]:
    stood = sum(one.fell is None for one in group)
    depth = 1e3 * max(float(one.depth.max()) for one in group)
    slide = 1e3 * max(float(one.slide.mean()) for one in group)
    height = group[0].com[len(group[0].com) // 4:, 2]
    sideways = max(float(np.abs(one.com[:, 1] - one.com[0, 1]).max()) for one in group)
    return [check(f"{mode}: walks {seconds:g} s", "runs", f"{stood} of {len(group)}", stood == len(group)),
            report(f"{mode}: steps, speed", "-", f"{group[0].steps}, {group[0].speed:.2f} m/s"),
            report(f"{mode}: height of the COM", "-", f"{height.min():.3f} to {height.max():.3f} m"),
            report(f"{mode}: largest way of the COM sideways, sway included", "-", f"{100 * sideways:.1f} cm"),
            report(f"{mode}: soles in the ground, deepest", "slightly inaccurate", f"{depth:.1f} mm"),
            report(f"{mode}: slide of standing soles, mean", "slightly inaccurate", f"{slide:.1f} mm/s")]
