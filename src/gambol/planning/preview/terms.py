"""What a preview is judged by: goals, modelling terms and soft constraints, each a block of residuals (2.12).

The objective is the sum of squares of all residuals, so that a least-squares method can use its structure. One call
judges a whole population: unknowns (b, 29) to residuals (b, m).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.planning.footing import turned
from gambol.planning.preview.pendulum import GRAVITY
from gambol.planning.preview.rollout import ON_FOOT, Preview, roll_out
from gambol.planning.preview.schedule import KNOTS, SPRINGS, TURNS
from gambol.planning.preview.situation import UNDER, Goals, Leg, Situation, Support
from gambol.planning.preview.threats import ahead as ahead_of
from gambol.planning.preview.threats import nearness

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(5)
NODES, NODE_WEIGHTS = 0.5 * (NODES + 1.0), 0.5 * NODE_WEIGHTS
"""Gauss-Legendre on a phase of length one."""
LEGS = np.array([[0, 1, 2, 0, 2, 3], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 2, 2]])
"""The legs that carry, (3, 6): in which stance, whether it is the stance leg 0 or the other 1, and where its foot is:
where the stance foot stands 0, where the other one stood 1, where it will 2."""
LIMIT_WIDTH = 0.01
"""Softness of the limits of a leg's length, m."""
HEEL_RISE = (0.15, 0.4, 0.08)
"""A hip this far ahead of its ankle, m, gets this share of the rest, up to the last, from a rising heel."""
TOE_OFF = (0.55, 0.25, 0.07)
"""On ground steeper than the first, all of it if it is so much steeper, a foot behind pushes with its toes while both
stand: its heel rises higher by up to the last, m."""
TIPTOE = (0.1, 0.5, 0.08)
"""A foot that lands lower than the other by the first, m, lands on its toes: its ankle is higher by this share of the
rest, up to the last."""
ON_TOES = (0.3, 0.9)
"""Between these coordinates of the pressure, heel 0 to toe 1, the heel comes off the ground."""
FOOT_SPEED, STEEP, DOWN = 7.0, 6.2, 2.3
"""How fast a swinging foot can go, m/s; so many times slower up, and down."""
CLIMB = 0.1
"""Steps no higher or deeper than this cost nothing, m."""
LADDER = 0.2
"""Steps higher or deeper than that by much more than this cost less than the square, m: some must be taken."""
OWED = 0.15
"""The body may be this much lower at the end than it will be above the last foothold, m; more must be paid later.
Without that a high step is always the next one."""
UNSTEERED = 0.6
"""A body on its feet falls no faster than this share of gravity: they could not steer it."""
DROPS = 0.6
"""A runner who lands lower may take off more slowly by so much, m/s."""
STRAINS = 1.0
"""A walker who comes down faster than this, m/s, does not push harder than his legs can, either."""
SINKING = 0.3
"""A walker may sink this fast at the end of the preview, m/s."""
REACH = 0.5
"""A foot lands at most this far from the COM along each axis, as a share of the leg's length."""
APART = 0.1
"""Least distance of a foot to its own side of the other one, m."""


@dataclass(frozen=True)
class Weights:
    """How much each term counts. The first row is Table 5.1, the second the dossier's, the third ours."""

    duration: float = 10.0
    length: float = 10.0
    heading: float = 5.0
    acceleration: float = 0.05
    leg: float = 60.0
    hip: float = 10.0

    limits: float = 200.0
    drift: float = 4.0
    unfit: float = 500.0

    climb: float = 10.0
    """no higher steps than need be"""
    clear: float = 100.0
    """no thrown ball passes near"""
    onward: float = 10.0
    """the capture point at the end of the preview is where the next step can catch it"""
    flight: float = 200.0
    """a flight that is wanted lasts as long as wanted"""
    speed: float = 12.0
    """a runner flies as fast as he goes"""
    advance: float = 400.0
    """two steps of a runner lead ahead by one at least: else he dances at an edge until he falls over it"""
    onto: float = 50.0
    """the same of a walker before a ledge"""
    rhythm: float = 60.0
    """as duration, of a runner's stance"""
    lift: float = 10.0
    """the last stance ends as fast upward as a flight needs, or does not sink"""
    straight: float = 4000.0
    """legs are not straight at take-off and landing"""
    strain: float = 60.0
    """a runner or jumper does not push harder than ankle and knee can"""
    lean: float = 200.0
    """no flat foot's ankle is bent further than it goes"""
    stride: float = 3.0
    """the step after the next one is as usual"""
    apart: float = 400.0
    reach: float = 1000.0
    owed: float = 20.0
    """the body is not left far below where the last foot wants it"""
    debt: float = 80.0
    """the same before a ledge: that step is taken now"""
    hurry: float = 100.0
    """no foothold that the swing foot cannot reach in time"""
    fall: float = 2.0
    """feet on the ground carry something"""
    push: float = 10.0
    """the spring does not pull"""
    bend: float = 0.08
    """legs bent further than this (of the length squared, m2) cost less than the square: stairs need it"""
    twist: float = 1.0
    """feet point where the hips do"""
    step: float = 0.1
    """a step is not taken for nothing"""
    turn: float = 0.01
    """hips do not turn to and fro"""
    middle: float = 0.4
    """the pressure is in the middle of a sole, seen across it: what is left of it catches errors"""
    calm: float = 0.002
    """the pressure point does not jump about"""


def residuals(u: np.ndarray, situation: Situation, goals: Goals, standing: np.ndarray, weights: Weights,
              literal: bool = False) -> np.ndarray:
    """All residuals (b, m) of plans (b, 29), each times the root of its weight."""
    preview = roll_out(u, situation, standing, literal)
    return np.concatenate([_goals(preview, situation, goals, standing, weights, literal),
                           _flights(preview, situation, goals, standing, weights),
                           _straight(preview, u, situation, weights),
                           _onward(preview, situation, goals, standing, weights),
                           _modelling(preview, u, situation, ~standing[:, None], weights),
                           _footing(preview, situation, standing, weights)], axis=1)


def _goals(preview: Preview, situation: Situation, goals: Goals, standing: np.ndarray, w: Weights,
           literal: bool) -> np.ndarray:
    """Step times and lengths, heading, apex, drift to the side."""
    T, start = preview.times, np.array(situation.origin)
    along = np.array([np.cos(goals.way), np.sin(goals.way)])
    across = np.array([-along[1], along[0]])
    half, end = preview.places[3][:, :2], preview.places[6][:, :2]
    timed = (w.rhythm if goals.paced else w.duration)**0.5 * goals.timed
    out = np.zeros((len(T), 10))
    fall = _falls(preview, situation) if goals.paced else 0.0
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
        # Eq. 5.32 counts from the lower end, so that a fall would do for a jump; here the higher end counts.
        over = apex - (np.minimum(0.0, climbed) if literal else np.maximum(0.0, climbed))
        out[:, 5] = goals.fly**0.5 * (T[:, 2] > 0) * (over - goals.apex)
    out[:, 6] = w.drift**0.5 * ((end - start) @ across - goals.aside)
    if goals.fly == 0:  # flight costs, unless it is wanted
        out[:, 7:9] = w.acceleration**0.5 * GRAVITY * np.sqrt(np.maximum(T[:, [2, 5]], 0.0))
    out[:, 9] = w.step**0.5 * ~standing
    return out


def _flights(preview: Preview, situation: Situation, goals: Goals, standing: np.ndarray, w: Weights) -> np.ndarray:
    """Runs and jumps at a speed: lengths of steps alone are met by long flights, or by a last stance that falls."""
    out, take_off = np.zeros((len(standing), 6)), [preview.velocities[phase][:, 2] for phase in (2, 5)]
    # Nothing after the last stance is charged: it must not end in a fall.
    least = 0.5 * GRAVITY * goals.flight if goals.paced else -SINKING
    out[:, 0] = w.lift**0.5 * np.minimum(take_off[1] - least, 0.0) * ~standing
    along = np.array([np.cos(goals.way), np.sin(goals.way)])
    if (situation.ground.unfit is not None and goals.paced) or situation.ground.ledge:
        # In flight it counts from where the trailing foot is: who falls far needs the next foot well ahead.
        ahead = (preview.following - situation.feet[situation.stance].place)[:, :2] @ along
        out[:, 5] = (w.advance if goals.paced else w.onto)**0.5 * np.minimum(ahead - goals.length, 0.0) * ~standing
    if goals.speed is None or not goals.paced:
        return out
    fall = _falls(preview, situation)
    for column, phase in ((1, 3), (2, 6)):
        out[:, column] = w.speed**0.5 * (preview.velocities[phase][:, :2] @ along - goals.speed)
    if situation.support is not Support.FLIGHT:
        out[:, 3] = w.flight**0.5 * _beyond(preview.times[:, 2] - goals.flight, fall) * (preview.times[:, 2] > 0)
        out[:, 4] = w.lift**0.5 * np.minimum(take_off[0] - least + np.minimum(GRAVITY * fall, DROPS), 0.0)
    return out


def _falls(preview: Preview, situation: Situation) -> np.ndarray:
    """How long it takes to fall as far as the next foothold is lower than a usual step, (b,) s: a runner who jumps down
    may take off more slowly, and take so much longer to crouch, fly and land."""
    deep = situation.feet[situation.stance].place[2] - preview.foothold[:, 2] - CLIMB
    return np.sqrt(2.0 * np.maximum(deep, 0.0) / GRAVITY)


def _beyond(longer: np.ndarray, free: np.ndarray | float) -> np.ndarray:
    """A time over what was wanted, s, of which so much is free."""
    return longer - np.minimum(np.maximum(longer, 0.0), free)


def _straight(preview: Preview, u: np.ndarray, situation: Situation, w: Weights) -> np.ndarray:
    """How much too long a leg is at the instants of take-off and landing, where its speed is highest.

    The nodes of the phases miss these instants: plans pushed until the knee was locked, and landed on a straight leg.
    """
    flies = preview.times[:, 2] > 0
    if not flies.any():
        return np.zeros((len(u), 0))
    out, here = np.zeros((len(u), 3)), situation.feet[situation.stance]
    stance, swing = situation.legs[situation.stance], situation.legs[situation.other]
    knots, facing = u[:, KNOTS].reshape(-1, 5, 2)[..., 0], preview.yaws[:, 3]
    for column, phase, leg, place, yaw, toes in (
            (0, 2, stance, here.place, np.full(len(u), here.yaw), knots[:, 2]),
            (1, 3, swing, preview.foothold, facing, np.zeros(len(u))),
            (2, 5, swing, preview.foothold, facing, knots[:, 4])):
        hip = _ahead_and_left(leg.hip, preview.yaws[:, phase])
        ankle = place - leg.foot.ahead * np.stack([np.cos(yaw), np.sin(yaw), np.zeros(len(u))], axis=1)
        away = preview.places[phase] + hip - ankle
        away[:, 2] -= leg.foot.below
        ahead = away[:, 0] * np.cos(yaw) + away[:, 1] * np.sin(yaw)
        longest = leg.longest + risen(ahead, flies) * _on_toes(toes)
        out[:, column] = w.straight**0.5 * np.maximum(np.sqrt(np.sum(away**2, axis=1)) - longest, 0.0) * flies
    if situation.support is Support.FLIGHT:  # it has taken off
        out[:, 0] = 0.0
    return out


def _ahead_and_left(point: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """A point (3,) of a body that faces a way (b,), in the world, (b, 3)."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.stack([c * point[0] - s * point[1], s * point[0] + c * point[1], np.full(len(yaw), point[2])], axis=1)


def risen(ahead: np.ndarray | float, flies: np.ndarray | bool, most: np.ndarray | float = HEEL_RISE[2]) -> np.ndarray:
    """How much longer a leg gets by a rising heel, m, if its hip is so far ahead of its ankle, a jumper's sooner."""
    return np.minimum(np.maximum(HEEL_RISE[1] * (ahead - HEEL_RISE[0] * ~np.asarray(flies)), 0.0), most)


def tiptoe(down: np.ndarray | float) -> np.ndarray:
    """How much higher an ankle is, m, when its foot lands on its toes, lower than the other foot by so much."""
    return np.minimum(np.maximum(TIPTOE[1] * (down - TIPTOE[0]), 0.0), TIPTOE[2])


def toe_off(steep: float) -> float:
    """How much higher the heel of a foot behind rises, m, on ground that is so steep."""
    return TOE_OFF[2] * min(max((steep - TOE_OFF[0]) / TOE_OFF[1], 0.0), 1.0)


def _on_toes(pressure: np.ndarray) -> np.ndarray:
    """How much of the weight is on the toes, by the pressure's coordinate from heel to toe."""
    return np.minimum(np.maximum((pressure - ON_TOES[0]) / (ON_TOES[1] - ON_TOES[0]), 0.0), 1.0)


def _onward(preview: Preview, situation: Situation, goals: Goals, standing: np.ndarray, w: Weights) -> np.ndarray:
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


def _modelling(preview: Preview, u: np.ndarray, situation: Situation, stepping: np.ndarray, w: Weights) -> np.ndarray:
    """Accelerations, legs of natural length under the hips, a spring that pushes, a pressure point that glides."""
    count, nodes = len(u), len(NODES)
    duration = preview.stances.duration[..., None]
    time, root = duration * NODES, np.sqrt(np.maximum(duration, 0.0) * NODE_WEIGHTS)
    place, acceleration = preview.stances.at(time)
    calm = w.acceleration**0.5 * acceleration * root[:, None]
    yaw = (preview.yaws.T[ON_FOOT, :, None] + preview.rates.T[ON_FOOT, :, None] * time
           + 0.5 * u[:, TURNS].T[..., None] * time**2)
    here, other = situation.feet[situation.stance], situation.feet[situation.other]
    stance, swing = situation.legs[situation.stance], situation.legs[situation.other]
    which, owner, spots = LEGS
    measures = np.array([[*leg.hip, leg.rest, leg.shortest, leg.longest] for leg in (stance, swing)])
    hip_x, hip_y, hip_z, rest, low, high = measures[owner].T[..., None, None]
    ankles, turns = np.empty((3, 3, count, 1)), np.empty((3, count, 1))
    ankles[0], ankles[1] = here.place[:, None, None], other.place[:, None, None]
    ankles[2] = preview.foothold.T[..., None]
    turns[0], turns[1], turns[2] = here.yaw, other.yaw, preview.yaws[:, 3:4]
    cosine, sine = np.cos(turns), np.sin(turns)
    back, below = np.array([[leg.foot.ahead, leg.foot.below] for leg in (stance, swing, swing)]).T[..., None, None]
    ankles[:, 0] -= back * cosine
    ankles[:, 1] -= back * sine
    ankles[:, 2] += below
    feet, turn = ankles[spots], turns[spots]
    facing = yaw[which]
    c, s = np.cos(facing), np.sin(facing)
    away = place[which] - feet
    x, y, z = away.swapaxes(0, 1)
    x += c * hip_x - s * hip_y
    y += s * hip_x + c * hip_y
    z += hip_z
    square = x**2 + y**2 + z**2
    length = np.sqrt(square)
    share = root[which]
    ahead = x * cosine[spots] + y * sine[spots]
    flies = preview.times[:, 2] > 0
    toes = np.zeros((6, count, 1))  # while both feet are on the ground the one that landed last comes down on its heel
    toes[0] = stepping * tiptoe(other.place[2] - here.place[2])
    toes[4] = tiptoe(here.place[2] - preview.foothold[:, 2:])
    rest = rest + toes
    toward = _toward_toes(u)
    most = np.full((6, count, 1), HEEL_RISE[2])
    most[2:4] += stepping * toe_off(situation.ground.steep)  # of the feet behind
    high = high + risen(ahead, flies[:, None], most) * toward + toes
    over = np.maximum(length - high, 0.0) + np.maximum(low - length, 0.0)
    blocks = np.empty((6, 5, count, nodes))
    bent = square - rest**2
    blocks[:, 0] = w.leg**0.5 * bent / np.sqrt(1.0 + np.abs(bent) / w.bend)
    blocks[:, 1:3] = w.hip**0.5 * away[:, :2]
    blocks[:, 3] = (w.limits**0.5 / LIMIT_WIDTH**0.5) * over
    blocks[:, 4] = w.twist**0.5 * (facing - turn)
    blocks *= share[:, None]
    alone = slice(1, None, 4)  # legs 1 and 5 carry while no other does
    leaning = w.lean**0.5 * share[alone] * _too_lean(ahead[alone], z[alone], length[alone], toward[alone],
                                                     (stance, swing))
    falling = w.fall**0.5 * np.minimum(acceleration[:, 2] + UNSTEERED * GRAVITY, 0.0) * root
    heights = preview.places[[0, 1, 2, 4, 5], :, 2].T
    pulling = w.push**0.5 * np.maximum(heights - u[:, SPRINGS], 0.0)
    speed = preview.stances.drift * np.sqrt(np.maximum(duration, 0.0)).swapaxes(1, 2)
    pushes = flies | (situation.velocity[2] < -STRAINS)
    if pushes.any():
        up = acceleration[1::2, 2]
        strain = w.strain**0.5 * _overload(up, length[alone], u, (stance, swing)) * share[alone, ..., None]
        strains = [_by_plan(strain * pushes[:, None, None], 1, 0, 2, 3)]
    else:
        strains = []
    return np.concatenate([*_threatened(preview, time, place, root > 0, situation, w), *strains,
                           _by_plan(calm, 2, 0, 3, 1), _by_plan(blocks, 2, 0, 3, 1), pulling,
                           _by_plan(leaning, 1, 0, 2), _by_plan(falling, 1, 0, 2),
                           w.calm**0.5 * _by_plan(speed, 2, 0, 1), w.turn**0.5 * u[:, TURNS],
                           w.middle**0.5 * stepping * (u[:, KNOTS].reshape(count, 5, 2)[:, 1:, 1] - 0.5)], axis=1)


def _by_plan(values: np.ndarray, *axes: int) -> np.ndarray:
    """Values as rows (b, m), with the axes in this order: that of the plans first."""
    return values.transpose(axes).reshape(values.shape[axes[0]], -1)


def _threatened(preview: Preview, time: np.ndarray, place: np.ndarray, there: np.ndarray, situation: Situation,
                w: Weights) -> list[np.ndarray]:
    """How near what flies at it comes, at times (4, b, nodes) of the stances that are there, and after the end."""
    if not situation.threats:
        return []
    end = np.cumsum(preview.times, axis=1)
    starts = np.concatenate([np.zeros((len(end), 1)), end[:, :-1]], axis=1).T[ON_FOOT, :, None]
    near = [w.clear**0.5 * nearness(threat, starts + time, place.transpose(0, 2, 3, 1)) * there
            for threat in situation.threats]
    later = [2.0 * w.clear**0.5 * ahead_of(threat, end[:, -1], preview.places[6], preview.velocities[6])[:, None]
             for threat in situation.threats]
    return [*(_by_plan(each, 1, 0, 2) for each in near), *later]


def _too_lean(ahead: np.ndarray, up: np.ndarray, length: np.ndarray, toes: np.ndarray,
              legs: tuple[Leg, ...]) -> np.ndarray:
    """How much further than it can the shank of the leg that carries alone would lean (legs, b, nodes), rad, unless its
    foot is on its toes.

    A hip so far ahead of its ankle and above it needs a leg of a length: thigh and shank, taken as equals, bend evenly.
    The foot is taken as level: uphill there is less room, downhill more.
    """
    straight, most = np.array([[leg.longest, leg.lean] for leg in legs]).T[..., None, None]
    share = np.minimum(length / straight, 0.999)
    return np.maximum(np.arctan2(ahead, up) + np.arccos(share) - most, 0.0) * (1.0 - toes)


def _overload(up: np.ndarray, length: np.ndarray, u: np.ndarray, legs: tuple[Leg, Leg]) -> np.ndarray:
    """How much more than a leg's ankle and its knee can bear (2, b, nodes, 2) a push would need, m2/s2.

    The force goes from the pressure point to the COM: on the toes it is the ankle that carries it, and less a knee that
    bends forward.
    """
    knots, force = u[:, KNOTS].reshape(-1, 5, 2)[..., 0], GRAVITY + up
    out = np.empty((*up.shape, 2))
    for row, (first, leg) in enumerate(zip((1, 3), legs, strict=True)):
        pressure = knots[:, first, None] + (knots[:, first + 1] - knots[:, first])[:, None] * NODES
        back, front = UNDER[0] * leg.foot.back, UNDER[1] * leg.foot.front
        lever = leg.foot.ahead - back + pressure * (back + front)
        bend = 0.5 * np.sqrt(np.maximum(leg.longest**2 - length[row]**2, 0.0) + 1e-4)  # smooth where it is straight
        knee = bend - 0.5 * lever if leg.forward else bend + 0.5 * lever
        out[row, ..., 0] = np.maximum(force[row] * lever - leg.ankle, 0.0)
        out[row, ..., 1] = np.maximum(force[row] * knee - leg.knee, 0.0)
    return out


def _toward_toes(u: np.ndarray) -> np.ndarray:
    """How much of the weight of each leg (6, b, nodes) in `_modelling` is on its toes: no heel rises under a load."""
    knots, share = u[:, KNOTS].T[::2], np.ones((6, len(u), len(NODES)))
    first, last = knots[1::2, :, None], knots[2::2, :, None]
    share[1::4] = _on_toes(first + (last - first) * NODES)  # on one foot; on two, the one behind is on its toes anyway
    return share


def _footing(preview: Preview, situation: Situation, standing: np.ndarray, w: Weights) -> np.ndarray:
    """Footholds that can be reached in time, beside the other foot, no higher than need be, on good ground."""
    here, leg = situation.feet[situation.stance], situation.legs[situation.stance]
    steps, out = preview.footholds, np.zeros((len(standing), 14))
    stood, left = np.empty((2, *steps.shape))  # where the other foot is meanwhile, and where this one comes from
    stood[0], stood[1] = here.place, steps[0]
    left[0], left[1] = situation.feet[situation.other].place, here.place
    swinging = preview.times.T[[1, 4]] + preview.times.T[[2, 5]]
    ends, yaws = preview.places[[3, 6]], preview.yaws.T[[3, 6]]
    between = yaws.copy()
    between[0] = 0.5 * (here.yaw + yaws[0])
    out[:, :2] = w.hurry**0.5 * _late(steps - left, swinging).T
    inward = np.array([[-situation.side], [situation.side]]) * _beside(steps - stood, between)
    out[:, 2:4] = w.apart**0.5 * np.maximum(APART + inward, 0.0).T
    steep = np.maximum(np.abs(steps[..., 2] - stood[..., 2]) - CLIMB, 0.0)
    out[:, 4:6] = (w.climb**0.5 * steep / np.sqrt(1.0 + steep / LADDER)).T
    if situation.ground.unfit is not None:
        out[:, 6:8] = w.unfit**0.5 * situation.ground.unfit(steps[..., 0], steps[..., 1]).T
    com, second = ends[1], steps[1]
    away = com + [0.0, 0.0, leg.hip[2] - leg.foot.below] - second
    long = np.sqrt(away[:, 0]**2 + away[:, 1]**2 + away[:, 2]**2)
    out[:, 8] = w.limits**0.5 * np.maximum(long - leg.longest - HEEL_RISE[2], 0.0)
    reach = REACH * np.array([situation.legs[foot].rest for foot in (situation.other, situation.stance)])
    far = np.abs(_seen_from(steps - ends, yaws))
    out[:, 9:13] = _by_plan(w.reach**0.5 * np.maximum(far - reach[:, None, None], 0.0), 1, 0, 2)
    tall = leg.rest + leg.foot.below - leg.hip[2]
    owed = np.maximum(second[:, 2] + tall - com[:, 2] - OWED, 0.0)
    debt = w.debt if situation.ground.ledge else w.owed
    out[:, 13] = debt**0.5 * owed * (second[:, 2] > here.place[2] + CLIMB)
    out[standing] = 0.0
    return out


def _late(way: np.ndarray, time: np.ndarray) -> np.ndarray:
    """How much farther (...) a foothold is than a foot gets in a time, m: upward it is slow."""
    path = np.sqrt(way[..., 0]**2 + way[..., 1]**2 + 1e-8) + np.maximum(STEEP * way[..., 2], -DOWN * way[..., 2])
    return np.maximum(path - FOOT_SPEED * time, 0.0)


def _seen_from(apart: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """How far ahead and to the left of a heading (...), (..., 2)."""
    c, s = np.cos(yaw), np.sin(yaw)
    seen = np.empty((*yaw.shape, 2))
    seen[..., 0], seen[..., 1] = c * apart[..., 0] + s * apart[..., 1], c * apart[..., 1] - s * apart[..., 0]
    return seen


def _beside(apart: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """How far to the left of a heading."""
    return np.cos(yaw) * apart[..., 1] - np.sin(yaw) * apart[..., 0]
