"""Benchmarks: one metric a line, each a ratio measured in one run, because machines are noisy and shared.

Both sides of a ratio are timed alternately on the same model in the same process; the median of five rounds counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import mujoco
import numpy as np

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.runs import Performance, Trial
from gambol.world.recorder import STATE, integration_state
from gambol.world.world import World

ROUNDS = 5


def run_benchmarks() -> Iterator[str]:
    """All benchmarks, a line each: name, value, what it means."""
    yield f"world_step_ratio {world_step_ratio():.3f}   World.step, recording included, to bare mj_step (at most 1.3)"
    for solver in ("prioritized", "weighted"):
        yield f"balance_tick_ratio_{solver} {tick_ratio(solver):.1f}   balance, state to torques, to one mj_step"
    for behavior, seconds in (("balance", 2.0), ("walk", 6.0)):
        factor = realtime_factor(behavior, seconds)
        yield f"{behavior}_realtime_factor {factor:.2f}   simulated seconds per second of CPU, control and physics"


def world_step_ratio(ticks: int = 200) -> float:
    """Cost of `World.step` against the same number of bare `mj_step` calls from the same states."""
    world = World(make_character("human"))
    behavior = make_behavior("balance", world)
    torques = []
    start = integration_state(world.model, world.data)
    for _ in range(ticks):
        torques.append(behavior.act())
        world.step(torques[-1])

    def stepping() -> None:
        world.reset()
        for torque in torques:
            world.step(torque)

    bare = mujoco.MjData(world.model)

    def bare_stepping() -> None:
        mujoco.mj_setState(world.model, bare, start, STATE)
        for torque in torques:
            bare.ctrl[:] = torque
            mujoco.mj_step(world.model, bare, world.substeps)

    return _ratio(stepping, bare_stepping)


def tick_ratio(solver: str, ticks: int = 100) -> float:
    """Cost of one control tick of balance against one physics step of the same model from the same state."""
    performance = Performance.of(Trial.of("balance", settings={"solver": solver}))
    world, behavior = performance.world, performance.behavior
    for _ in range(50):
        performance.tick()

    def acting() -> None:
        for _ in range(ticks):
            behavior.act()

    data, standing = mujoco.MjData(world.model), integration_state(world.model, world.data)

    def stepping() -> None:  # always from where it stands: left alone it tips, and its steps cost more
        for _ in range(ticks):
            mujoco.mj_setState(world.model, data, standing, STATE)
            mujoco.mj_step(world.model, data)

    return _ratio(acting, stepping)


def realtime_factor(name: str, seconds: float) -> float:
    """Simulated seconds per second that one core works on them: time spent waiting for the core does not count."""
    performance = Performance.of(Trial.of(name))
    begin = time.process_time()
    while performance.world.time < seconds:
        performance.tick()
    return seconds / (time.process_time() - begin)


def _ratio(first: Callable[[], None], second: Callable[[], None]) -> float:
    """Median over rounds of the time of one divided by the time of the other, taken in turn."""
    ratios = []
    for _ in range(ROUNDS):
        times = []
        for job in (first, second):
            begin = time.perf_counter()
            job()
            times.append(time.perf_counter() - begin)
        ratios.append(times[0] / times[1])
    return float(np.median(ratios))
