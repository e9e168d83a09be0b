"""Planning of steps: the closed forms agree with the pendulum they describe, and steps answer to disturbances."""

from __future__ import annotations

import numpy as np

from gambol.planning import capture
from gambol.planning.footing import Box, Way
from gambol.planning.step_adaptation import Rolling, Step, adapt_step

RATE = capture.natural_rate(0.95)
ROLLING = Rolling(np.array([-0.03, 0.0]), np.array([0.12, 0.0]))
REACH = Box(np.array([-0.5, 0.09]), np.array([0.75, 0.45]))
OFFSET = np.array([0.09, -0.03])
NOMINAL = Step(np.array([0.4, 0.17]), 0.4)


def test_rolling_pressure_carries_the_capture_point_as_the_pendulum_does() -> None:
    tick, com, velocity = 1e-4, np.array([0.0, 0.02]), np.array([0.8, -0.1])
    start = capture.capture_point(com, velocity, RATE)
    for k in range(3000):
        pressure = ROLLING.place + ROLLING.speed * k * tick
        velocity = velocity + tick * RATE**2 * (com - pressure)
        com = com + tick * velocity
    arrival = ROLLING.ahead(start, RATE, np.array([0.3]))[0]
    np.testing.assert_allclose(capture.capture_point(com, velocity, RATE), arrival, atol=2e-3)
    np.testing.assert_allclose(ROLLING.back(arrival, RATE, 0.3), start, atol=1e-12)


def test_steady_offset_repeats_itself() -> None:
    """After one step of the given length and width the capture point stands to the new foot as it did to the old."""
    period, length, width = 0.58, 0.4, 0.17
    ahead, inward = capture.steady_offset(length, width, period, RATE)
    still = Rolling(np.zeros(2), np.zeros(2))   # left foot at the origin, the right one lies at -width
    end = still.ahead(np.array([ahead, -inward]), RATE, np.array([period]))[0]
    np.testing.assert_allclose(end - [length, -width], [ahead, inward], atol=1e-9)


def step_for(capture_point: np.ndarray) -> Step:
    return adapt_step(capture_point, ROLLING, NOMINAL, OFFSET, RATE, (0.1, 0.6), REACH)


def usual_capture_point() -> np.ndarray:
    return ROLLING.back(NOMINAL.place + OFFSET, RATE, NOMINAL.time_left)


def test_an_undisturbed_step_is_the_nominal_one() -> None:
    step = step_for(usual_capture_point())
    np.testing.assert_allclose(step.place, NOMINAL.place, atol=5e-3)
    assert abs(step.time_left - NOMINAL.time_left) < 0.02  # times are tried 16 ms apart


def test_a_push_forward_makes_the_step_longer_and_sooner() -> None:
    step = step_for(usual_capture_point() + [0.06, 0.0])
    assert step.place[0] > NOMINAL.place[0] + 0.03 and step.time_left < NOMINAL.time_left - 0.02


def test_a_step_stays_within_reach() -> None:
    for push in ([0.6, 0.0], [-0.9, 0.0], [0.0, 0.5], [0.0, -0.5]):
        step = step_for(usual_capture_point() + push)
        np.testing.assert_allclose(REACH.clip(step.place), step.place)
        assert 0.1 - 1e-9 <= step.time_left <= 0.6 + 1e-9


def test_boxes_and_ways() -> None:
    right = REACH.on_side(-1.0)
    np.testing.assert_allclose([right.low, right.high], [[-0.5, -0.45], [0.75, -0.09]])
    way, vector = Way.of(0.7), np.array([0.3, -0.2])
    np.testing.assert_allclose(way.out(way.into(vector)), vector)
    np.testing.assert_allclose(way.into(way.ahead), [1.0, 0.0], atol=1e-12)
