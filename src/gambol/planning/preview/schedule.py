"""The six phases of a preview and its 29 unknowns: which are free in which gait, between which bounds.

The phases are those of [delasa2011, section 5.2.4]:

| phase | 1 | 2 | 3 | 4 | 5 | 6 |
|---|---|---|---|---|---|---|
| carries | both | stance foot | none | both | new foot | none |

Knots of the pressure point and of the spring's rest length lie at the starts and ends of the stance phases, shared by
neighbours: K1 (start of 1), K2 (1 to 2), K3 (end of 2), K4 (start of 5), K5 (end of 5).

Footholds are places in the world. The publication counts them from the COM at landing; but the pendulum is unstable, so
that a small change of what comes before moves that COM a lot, and with it the feet from one stair to another.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from gambol.planning.preview.gains import USUAL, PreviewGains, ScheduleGains
from gambol.planning.preview.situation import Goals, Situation, Support
from gambol.planning.preview.soles import coordinate

TIMES, KNOTS, SPRINGS, TURNS = slice(0, 6), slice(6, 16), slice(16, 21), slice(21, 25)
FOOT, NEXT = slice(25, 27), slice(27, 29)
SIZE = 29
SCALE = np.concatenate([np.full(6, 0.1), np.full(10, 0.3), np.full(5, 0.08), np.full(4, 1.0), np.full(4, 0.1)])
"""How much each unknown is likely to change: the optimisers' unit of it."""

WITHIN = 4.0
"""Feet are looked for at most this far from where the COM is now along each axis, m: farther than legs reach."""


class Gait(Enum):
    """Which phases a plan may use."""

    STAND = "stand"
    WALK = "walk"
    RUN = "run"


def gaits(situation: Situation, goals: Goals, gains: ScheduleGains = USUAL.schedule) -> list[Gait]:
    """Those that may follow what the feet do now."""
    if situation.support is Support.FLIGHT:
        return [Gait.RUN]
    fast = np.hypot(*situation.velocity[:2]) > gains.jog
    if goals.fly >= gains.insist or (goals.fly > 0 and (goals.length == 0 or fast)):
        return [Gait.RUN]
    if goals.length == 0:
        return [Gait.WALK, Gait.STAND] if situation.support is Support.DOUBLE else [Gait.WALK]
    runs = goals.fly > 0 or (goals.may_run and goals.length > gains.runs * goals.duration)
    return [Gait.WALK, Gait.RUN] if runs else [Gait.WALK]


def bounds(gait: Gait, situation: Situation, goals: Goals,
           gains: PreviewGains = USUAL) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest value of each unknown, (29,) each; equal where it is fixed."""
    low, high, limits = np.zeros(SIZE), np.ones(SIZE), gains.schedule
    _times(gait, situation, low[TIMES], high[TIMES], limits)
    ground, foot = situation.feet[situation.stance].place[2], situation.legs[situation.stance].foot
    low[SPRINGS], high[SPRINGS] = ground + limits.least_spring, ground + limits.most_spring
    for knot in (2, 4) if gait is not Gait.STAND else ():
        low[KNOTS][knot], high[KNOTS][knot] = (coordinate(foot, share, gains.soles) for share in situation.sole)
    low[TURNS], high[TURNS] = -limits.most_turn, limits.most_turn
    for place in (FOOT, NEXT):
        low[place], high[place] = situation.com[:2] - WITHIN, situation.com[:2] + WITHIN
    idle = _idle(high[TIMES] == 0.0)
    low[idle] = high[idle] = 0.5 * (low[idle] + high[idle])
    return low, high


def _idle(skipped: np.ndarray) -> np.ndarray:
    """Which unknowns (29,) do nothing because their phases (6,) are skipped: no need to look for them."""
    idle = np.zeros(SIZE, dtype=bool)
    knots, (first, second, _, third, fourth, _) = idle[KNOTS].reshape(5, 2), skipped
    for knot, nothing in enumerate((first, first and second, second and third, third and fourth, fourth)):
        knots[knot] = idle[SPRINGS][knot] = nothing
    idle[TURNS] = (first, second, third, fourth)
    idle[FOOT] = idle[NEXT] = third and fourth
    return idle


def _times(gait: Gait, situation: Situation, low: np.ndarray, high: np.ndarray, gains: ScheduleGains) -> None:
    high[:] = (gains.double_most, gains.stance_most, gains.flight_most, gains.exchange_most, gains.next_most,
               gains.end_most)
    if gait is Gait.STAND:
        low[:], high[:] = 0.0, 0.0
        low[0] = high[0] = gains.stand
        return
    low[4] = gains.stance_least
    if gait is Gait.WALK:
        high[[2, 5]] = 0.0
        low[3] = gains.double_least
        low[0] = max(gains.double_least - situation.since, 0.0)
        low[1] = max(gains.swing_least - situation.swung, gains.lands_least)
    else:
        high[3] = 0.0
        low[1] = max(gains.stance_least - situation.since,
                     gains.swing_least - gains.flight_least - situation.swung, gains.leaves_least)
        low[2] = gains.flight_least if situation.support is not Support.FLIGHT else gains.lands_least
    if situation.support is not Support.DOUBLE:
        low[0] = high[0] = 0.0
    if situation.support is Support.FLIGHT:
        low[1] = high[1] = 0.0


def cold(gait: Gait, situation: Situation, goals: Goals, gains: PreviewGains = USUAL) -> np.ndarray:
    """A first guess, (29,): even steps, the pressure in the middle of the feet, the spring carrying the weight."""
    low, high = bounds(gait, situation, goals, gains)
    guess = np.full(SIZE, 0.5)
    step = goals.duration if goals.timed else 0.6
    left = max(step - situation.since, 0.1)
    flight = goals.flight if goals.paced and gait is Gait.RUN else 0.0
    guess[TIMES] = (0.1, left - 0.1, max(flight, 0.06), 0.1, step - 0.1, 0.06)
    guess[SPRINGS] = situation.com[2] + 0.8 * (1.0 + flight / step)  # the legs make up for the time in the air
    guess[TURNS] = 0.0
    along = np.array([np.cos(goals.way), np.sin(goals.way)])
    left_of = np.array([-np.sin(situation.yaw), np.cos(situation.yaw)])
    landing = situation.com[:2] + left * situation.velocity[:2] + 0.3 * goals.length * along
    guess[FOOT] = landing + situation.legs[situation.other].hip[1] * left_of
    guess[NEXT] = landing + goals.length * along + situation.legs[situation.stance].hip[1] * left_of
    return np.clip(guess, low, high)


def shifted(unknowns: np.ndarray, gait: Gait, stood: np.ndarray) -> np.ndarray:
    """The same plan after the exchange of support: the second step becomes the first, the next repeats it.

    `stood` (2,) is where the foot stands that now gets free.
    """
    u, new = unknowns, unknowns.copy()
    knots, old = new[KNOTS].reshape(5, 2), u[KNOTS].reshape(5, 2)
    if gait is Gait.STAND:  # the feet have changed their parts, not the weight on them
        knots[:2, 0] = 1.0 - old[:2, 0]
        return new
    new[TIMES] = (u[3], u[4], max(u[5], u[2]), u[3], u[4], u[5])
    knots[0] = (0.0, old[2, 0])  # under the foot that is about to lift, where the pressure was
    knots[1], knots[2] = old[3], old[4]
    new[SPRINGS] = u[SPRINGS][[2, 3, 4, 3, 4]]
    new[TURNS] = u[TURNS][[2, 3, 2, 3]]
    new[FOOT], new[NEXT] = u[NEXT], u[FOOT] + u[NEXT] - stood
    return new


def elapsed(unknowns: np.ndarray, time: float, support: Support, gait: Gait) -> np.ndarray:
    """The same plan a little later: the present phase is shorter, its first knots are where it has got to."""
    new, first = unknowns.copy(), {Support.DOUBLE: 0, Support.SINGLE: 1, Support.FLIGHT: 2}[support]
    whole = new[TIMES][first]
    share = min(time / whole, 1.0) if whole > 0 else 1.0
    new[TIMES][first] = max(whole - time, 0.0)
    if first == 2:
        return new
    knots, springs = new[KNOTS].reshape(5, 2), new[SPRINGS]
    springs[first] += share * (springs[first + 1] - springs[first])
    if first == 0 and gait is not Gait.STAND:  # from between the feet to a place under one of them
        knots[0] += share * (np.array([1.0, knots[1, 0]]) - knots[0])
    else:
        knots[first] += share * (knots[first + 1] - knots[first])
    return new
