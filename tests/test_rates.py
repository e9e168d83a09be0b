"""Behaviors of the whole body at other control rates than 250 Hz."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.behaviors import Behavior
from gambol.behaviors.whole_body import QUICKEST, within_tick
from gambol.motion.verify import verify
from gambol.runs import Trial, run
from gambol.world.pushes import Push
from gambol.world.world import World


@pytest.mark.parametrize("rate", [64.0, 2000.0])
@pytest.mark.parametrize("behavior", ["balance", "walk", "locomote"])
def test_who_stands_and_walks_does_so_at_other_rates(behavior: str, rate: float) -> None:
    pushes = [Push(0.2, "trunk", (150.0, 100.0, 0.0), 0.1)] if behavior == "balance" else []
    trial = Trial.of(behavior, seconds=1.2, seed=1, pushes=pushes)
    made = run(replace(trial, control_rate=rate))
    assert made.fell is None and verify(made.motion).ok and len(made.motion.ctrl) == round(1.2 * rate)
    if behavior != "balance":
        assert made.summary["distance"] == pytest.approx(run(trial).summary["distance"], rel=0.15)


@pytest.mark.parametrize("rate", [20.0, 30.0])
def test_balance_stands_at_the_rate_of_a_film(rate: float) -> None:
    pushes = [Push(0.5, "trunk", (0.0, 150.0, 0.0), 0.1)]
    for character in ("human", "dinosaur"):
        assert run(Trial.of("balance", character, seconds=2.5, control_rate=rate, pushes=pushes)).fell is None


def test_springs_are_as_stiff_as_the_tick_bears() -> None:
    """Each is played out on a point whose acceleration is held; at 250 Hz none of them is touched."""
    def left(kp: float, tick: float) -> float:
        place, speed = 1.0, 0.0
        for _ in range(200):
            pull = -kp * place - 2.0 * kp**0.5 * speed
            place, speed = place + tick * speed + 0.5 * tick**2 * pull, speed + tick * pull
        return abs(place)

    wanted = np.array([50.0, 500.0, 2000.0, 5000.0])
    np.testing.assert_array_equal(within_tick(wanted, 0.004), wanted)
    for tick in (1 / 64, 1 / 30, 1 / 20):
        limited = within_tick(wanted, tick)
        assert max(left(kp, tick) for kp in limited) < 1e-3 and limited.max() == (QUICKEST / tick) ** 2
    assert left(2000.0, 1 / 30) > 1e3 and left((1.02 * 30.0) ** 2, 1 / 30) > 1.0


@pytest.mark.parametrize("rate", [64.0, 250.0, 1000.0])
def test_plans_are_made_anew_by_the_clock(rate: float) -> None:
    """`replan` has one meaning at all rates."""
    made: list[float] = []

    def watch(world: World, behavior: Behavior) -> None:
        if not made or behavior.planned != made[-1]:  # type: ignore[attr-defined]
            made.append(behavior.planned)  # type: ignore[attr-defined]

    run(Trial.of("locomote", seconds=0.6, control_rate=rate, settings={"speed": 0.0, "when": "ticks", "replan": 25}),
        watch=watch)
    assert np.diff(made).tolist() == pytest.approx([0.1] * (len(made) - 1), abs=0.5 / rate + 1e-9)
    assert len(made) >= 5
