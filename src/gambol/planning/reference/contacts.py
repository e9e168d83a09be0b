"""Contacts of a recorded motion: where the floor is, and when heels and toes carry.

A heel or toe carries while it is low and slow; who runs has feet that are never quite still, so what counts as slow
grows with the pace. The ball of the recorded foot stands still longer than the tip of a foot without toes, so it speaks
for the toe as well. Long stances that wander hold small steps. A flight that is no free fall is no flight.
"""

from __future__ import annotations

import numpy as np

from gambol.planning.reference.series import rates, smooth, stretches, tidied

GRAVITY = 9.81
NEAR = 0.06
"""m above the floor, the most that a heel or toe that carries is."""
SLOW, PACE_SHARE = 0.6, 0.3
"""m/s, and share of the speed of the pelvis: the larger of both is the most that what carries moves."""
STILL = 0.3
"""m/s: what moves slower than this tells where the floor is."""
BALL_NEAR = 0.04
"""m above where the recorded ball of a foot rests."""
WANDER, WANDER_STILL, WANDER_LEAST = 0.06, 0.2, 0.1
"""A stance of more than a second that moves by more than this (m) is split where it is faster than this (m/s)."""
GAP, LEAST = 0.06, 0.05
"""s, the shortest gap between contacts, and the shortest contact after all."""
FALLING = 0.35
"""Of gravity, the least mean acceleration downward of a flight."""
SHORTEST_FLIGHT = 0.05
"""s"""
LOWEST = 0.015
"""m above the lowest end, of those that carry in a flight that is none."""


def floor_height(ends: np.ndarray, rate: float) -> float:
    """Height of the floor from places of heels and toes (n, feet, 2, 3): where they are while they are slow, m."""
    still = np.linalg.norm(rates(ends, rate), axis=-1) < STILL
    heights = ends[..., 2][still]
    low = ends[..., 2].min(axis=(1, 2))
    near = heights[heights < np.percentile(low, 15) + 0.08]
    return float(np.median(near)) if len(near) > 5 else float(np.percentile(low, 30))


def find_contacts(ends: np.ndarray, root: np.ndarray, rate: float, balls: list[np.ndarray | None] | None = None
                  ) -> np.ndarray:
    """Which heels and toes carry, (n, feet, 2).

    `ends` (n, feet, 2, 3) above the floor at z = 0, `root` (n, 3) of the pelvis, `balls` (n, 3) of each recorded foot.
    """
    fast = np.maximum(SLOW, PACE_SHARE * np.linalg.norm(rates(smooth(root[:, :2], 0.1, rate), rate), axis=1))
    speed = np.linalg.norm(rates(smooth(ends, 0.015, rate), rate), axis=-1)
    near = (ends[..., 2] < NEAR) & (speed < fast[:, None, None])
    touching = np.zeros_like(near)
    for foot in range(ends.shape[1]):
        ball = balls[foot] if balls else None
        if ball is not None:
            near[:, foot, 1] |= _ball_rests(ball, fast, rate)
        for end in (0, 1):
            touching[:, foot, end] = tidied(near[:, foot, end], GAP * rate)
        _split(touching[:, foot], ends[:, foot], speed[:, foot], rate)
    _ground_flights(touching, ends, root[:, 2], rate)
    for foot in range(ends.shape[1]):
        for end in (0, 1):
            touching[:, foot, end] = tidied(touching[:, foot, end], LEAST * rate)
    return touching


def _ball_rests(ball: np.ndarray, fast: np.ndarray, rate: float) -> np.ndarray:
    """When the ball of a recorded foot is where it rests, (n,)."""
    place = smooth(ball, 0.015, rate)
    speed = np.linalg.norm(rates(place, rate), axis=1)
    slow = place[speed < STILL, 2]
    rest = np.median(slow) if len(slow) > 3 else np.percentile(place[:, 2], 15)
    found: np.ndarray = (place[:, 2] < rest + BALL_NEAR) & (speed < fast)
    return found


def _split(touching: np.ndarray, ends: np.ndarray, speed: np.ndarray, rate: float) -> None:
    """Take slow, low steps out of the long stances of one foot: (n, 2), (n, 2, 3), (n, 2)."""
    for first, last in stretches(touching.any(axis=1)):
        if last - first > rate and np.ptp(ends[first:last, 1, :2], axis=0).max() > WANDER:
            still = smooth(speed, 0.05, rate)[first:last] < WANDER_STILL
            for end in (0, 1):
                touching[first:last, end] &= tidied(still[:, end], WANDER_LEAST * rate)


def _ground_flights(touching: np.ndarray, ends: np.ndarray, height: np.ndarray, rate: float) -> None:
    """Where nothing touches though nothing falls, the lowest ends do."""
    falling = rates(rates(smooth(height, 0.03, rate), rate), rate)
    for first, last in stretches(~touching.any(axis=(1, 2))):
        if last - first < SHORTEST_FLIGHT * rate or falling[first:last].mean() > -FALLING * GRAVITY:
            low = ends[first:last, ..., 2]
            touching[first:last] |= low < low.min(axis=(1, 2), keepdims=True) + LOWEST
