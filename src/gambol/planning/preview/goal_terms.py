"""What is wanted of a preview: steps, flights and a heading as asked, and an end from which it can go on.

Steps, heading and apex are the goals of [delasa2011, section 5.3.1]; the end is ours.
"""

from __future__ import annotations

import numpy as np

from gambol.planning.footing import turned
from gambol.planning.preview.gains import PreviewGains
from gambol.planning.preview.rollout import Preview
from gambol.planning.preview.situation import Goals, Situation, Support
from gambol.planning.preview.weights import Weights
from gambol.units import GRAVITY


def steps(preview: Preview, situation: Situation, goals: Goals, standing: np.ndarray, w: PreviewGains,
          literal: bool) -> np.ndarray:
    """Step times and lengths, heading, apex, drift to the side."""
    T, start = preview.times, np.array(situation.origin)
    along = np.array([np.cos(goals.way), np.sin(goals.way)])
    across = np.array([-along[1], along[0]])
    half, end = preview.places[3][:, :2], preview.places[6][:, :2]
    timed = (w.rhythm if goals.paced else w.duration)**0.5 * goals.timed
    out = np.zeros((len(T), 10))
    fall = _falls(preview, situation, w.landings.climb) if goals.paced else 0.0
    out[:, 0] = timed * _beyond(T[:, 0] + T[:, 1] + situation.since - goals.duration, fall)
    out[:, 1] = timed * _beyond(T[:, 3] + T[:, 4] - goals.duration, fall)
    if not goals.paced:
        out[:, 2] = w.length**0.5 * ((half - start) @ along - goals.length)
        out[:, 3] = w.length**0.5 * ((end - half) @ along - goals.length)
    error = goals.heading - situation.yaw
    out[:, 4] = w.heading**0.5 * (preview.yaws[:, 6] - situation.yaw - turned(error))
    if situation.support is not Support.FLIGHT:  # nothing can be done about a flight under way
        rise = np.maximum(preview.velocities[2][:, 2], 0.0)
        apex = rise**2 / (2 * GRAVITY)
        climbed = preview.places[3][:, 2] - preview.places[2][:, 2]
        # [delasa2011, eq. 5.32] counts from the lower end, so that a fall would do for a jump; here the higher end
        # counts.
        over = apex - (np.minimum(0.0, climbed) if literal else np.maximum(0.0, climbed))
        out[:, 5] = goals.fly**0.5 * (T[:, 2] > 0) * (over - goals.apex)
    out[:, 6] = w.drift**0.5 * ((end - start) @ across - goals.aside)
    if goals.fly == 0:  # flight costs, unless it is wanted
        out[:, 7:9] = w.acceleration**0.5 * GRAVITY * np.sqrt(np.maximum(T[:, [2, 5]], 0.0))
    out[:, 9] = w.step**0.5 * ~standing
    return out


def flights(preview: Preview, situation: Situation, goals: Goals, standing: np.ndarray,
            w: PreviewGains) -> np.ndarray:
    """Runs and jumps at a speed: lengths of steps alone are met by long flights, or by a last stance that falls."""
    out, take_off = np.zeros((len(standing), 6)), [preview.velocities[phase][:, 2] for phase in (2, 5)]
    # Nothing after the last stance is charged: it must not end in a fall.
    least = 0.5 * GRAVITY * goals.flight if goals.paced else -w.aims.sinking
    out[:, 0] = w.lift**0.5 * np.minimum(take_off[1] - least, 0.0) * ~standing
    along = np.array([np.cos(goals.way), np.sin(goals.way)])
    if (situation.ground.unfit is not None and goals.paced) or situation.ground.ledge:
        # In flight it counts from where the trailing foot is: who falls far needs the next foot well ahead.
        ahead = (preview.following - situation.feet[situation.stance].place)[:, :2] @ along
        out[:, 5] = (w.advance if goals.paced else w.onto)**0.5 * np.minimum(ahead - goals.length, 0.0) * ~standing
    if goals.speed is None or not goals.paced:
        return out
    fall = _falls(preview, situation, w.landings.climb)
    for column, phase in ((1, 3), (2, 6)):
        out[:, column] = w.speed**0.5 * (preview.velocities[phase][:, :2] @ along - goals.speed)
    if situation.support is not Support.FLIGHT:
        out[:, 3] = w.flight**0.5 * _beyond(preview.times[:, 2] - goals.flight, fall) * (preview.times[:, 2] > 0)
        out[:, 4] = w.lift**0.5 * np.minimum(take_off[0] - least + np.minimum(GRAVITY * fall, w.aims.drops), 0.0)
    return out


def _falls(preview: Preview, situation: Situation, usual: float) -> np.ndarray:
    """How long it takes to fall as far as the next foothold is lower than a usual step, (b,) s: a runner who jumps down
    may take off more slowly, and take so much longer to crouch, fly and land."""
    deep = situation.feet[situation.stance].place[2] - preview.foothold[:, 2] - usual
    return np.sqrt(2.0 * np.maximum(deep, 0.0) / GRAVITY)


def _beyond(longer: np.ndarray, free: np.ndarray | float) -> np.ndarray:
    """A time over what was wanted, s, of which so much is free."""
    return longer - np.minimum(np.maximum(longer, 0.0), free)


def onward(preview: Preview, situation: Situation, goals: Goals, standing: np.ndarray, w: Weights) -> np.ndarray:
    """How far the capture point is, at the end, from where a walk that repeats itself has it when the next foot lands.

    Even steps of a pendulum, symmetric about the foot: `x = A sinh(rate t)` along, `y = B cosh(rate t)` across.
    """
    rate, last, fly = preview.stances.rate[3], preview.stances.duration[3], preview.times[:, 2]
    step = goals.duration if goals.timed else np.maximum(last, 0.3)
    half = 0.5 * rate * step
    sinh, cosh, fading = np.sinh(half), np.cosh(half), np.exp(-half)
    place, velocity = preview.places[6][:, :2], preview.velocities[6][:, :2]
    width = abs(situation.legs[0].hip[1] - situation.legs[1].hip[1])
    ahead = goals.length / (2.0 * sinh + rate * fly * cosh) * fading
    inward = width / (2.0 * cosh + rate * fly * sinh) * fading
    c, s, yaw = np.cos(goals.way), np.sin(goals.way), preview.yaws[:, 6]
    across, along = np.empty((len(yaw), 2)), np.array([c, s])  # across: from the standing foot to the next one
    across[:, 0], across[:, 1] = situation.side * np.sin(yaw), -situation.side * np.cos(yaw)
    nominal = preview.foothold[:, :2] + goals.length * along + width * across
    next_foot = preview.following[:, :2]
    caught = next_foot + ahead[:, None] * along - inward[:, None] * across
    both = 0.5 * (situation.feet[0].place[:2] + situation.feet[1].place[:2])
    wanted = np.where(standing[:, None], both, caught)
    rate = np.where(standing, preview.stances.rate[0], rate)
    stepping = ~standing[:, None]
    return np.concatenate([w.onward**0.5 * (place + velocity / rate[:, None] - wanted),
                           w.stride**0.5 * stepping * (next_foot - nominal)], axis=1)
