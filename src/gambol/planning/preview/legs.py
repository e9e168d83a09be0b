"""The legs of a preview: how far their hips are from their ankles, and what they can do while they carry.

Lengths of legs and places of hips are those of [delasa2011, section 5.3.2 and 5.3.3]; what legs can do is ours. Each
leg that carries is looked at where its stance is sampled, at the nodes of a Gauss-Legendre rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.planning.preview.gains import USUAL, PreviewGains, RisingGains, SoleGains
from gambol.planning.preview.heels import on_toes, risen, tiptoe, toe_off
from gambol.planning.preview.rollout import Preview
from gambol.planning.preview.schedule import KNOTS
from gambol.planning.preview.situation import Leg, Situation, Support
from gambol.planning.preview.soles import ends
from gambol.units import GRAVITY

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(5)
NODES, NODE_WEIGHTS = 0.5 * (NODES + 1.0), 0.5 * NODE_WEIGHTS
"""Gauss-Legendre on a phase of length one."""

BOTH_NOW, ONE_NOW, BOTH_THEN, ONE_THEN = range(4)
"""Stances: on both feet, on the stance foot; then, when the other one has landed, on both again, and on that one."""
STANCE, OTHER = range(2)
"""Whose leg it is: the stance foot's, or the other one's."""
HERE, STOOD, LANDED = range(3)
"""Where its foot is: where the stance foot stands, where the other one stood, where it will."""

FRONT_NOW, ALONE_NOW, BEHIND_THEN, BEHIND_NOW, FRONT_THEN, ALONE_THEN = range(6)
"""The six legs that carry: of the foot in front (it landed last), of one that carries alone, of the foot behind."""
IN = np.array([BOTH_NOW, ONE_NOW, BOTH_THEN, BOTH_NOW, BOTH_THEN, ONE_THEN])
OF = np.array([STANCE, STANCE, STANCE, OTHER, OTHER, OTHER])
AT = np.array([HERE, HERE, HERE, STOOD, LANDED, LANDED])
"""In which stance they carry, whose they are, and where their feet are."""


def _two(first: int, second: int) -> slice:
    """Both of two places on an axis: a slice, for that copies nothing."""
    return slice(first, second + 1, second - first)


ALONE, BEHIND = _two(ALONE_NOW, ALONE_THEN), _two(BEHIND_THEN, BEHIND_NOW)
ONE = _two(ONE_NOW, ONE_THEN)
"""Stances of the legs that carry alone."""
BEGINS, ENDS = _two(1, 3), _two(2, 4)
"""Knots of the pressure where these begin and end."""


def pair(situation: Situation) -> tuple[Leg, Leg]:
    """The stance leg and the other one."""
    return situation.legs[situation.stance], situation.legs[situation.other]


@dataclass(frozen=True)
class Reach:
    """From the ankles of the six legs to their hips, at the nodes of their stances: arrays (6, b, nodes), m."""

    away: np.ndarray
    """(6, 3, b, nodes) in the world's axes"""
    ahead: np.ndarray
    """along the foot"""
    square: np.ndarray
    length: np.ndarray
    twist: np.ndarray
    """from where the foot points to where the hips do, rad"""


def reach(preview: Preview, place: np.ndarray, yaw: np.ndarray, situation: Situation) -> Reach:
    """By the places (4, 3, b, nodes) and headings (4, b, nodes) of the body in the stances."""
    here, stood, count = situation.feet[situation.stance], situation.feet[situation.other], len(preview.times)
    stance, other = pair(situation)
    ankles, turns = np.empty((3, 3, count, 1)), np.empty((3, count, 1))
    ankles[HERE], ankles[STOOD] = here.place[:, None, None], stood.place[:, None, None]
    ankles[LANDED] = preview.foothold.T[..., None]
    turns[HERE], turns[STOOD], turns[LANDED] = here.yaw, stood.yaw, preview.yaws[:, 3:4]
    cosine, sine = np.cos(turns), np.sin(turns)
    back, below = np.array([[leg.foot.ahead, leg.foot.below] for leg in (stance, other, other)]).T[..., None, None]
    ankles[:, 0] -= back * cosine
    ankles[:, 1] -= back * sine
    ankles[:, 2] += below
    hip_x, hip_y, hip_z = np.array([stance.hip, other.hip])[OF].T[..., None, None]
    facing = yaw[IN]
    c, s = np.cos(facing), np.sin(facing)
    away = place[IN] - ankles[AT]
    x, y, z = away.swapaxes(0, 1)
    x += c * hip_x - s * hip_y
    y += s * hip_x + c * hip_y
    z += hip_z
    square = x**2 + y**2 + z**2
    return Reach(away, x * cosine[AT] + y * sine[AT], square, np.sqrt(square), facing - turns[AT])


def lengths(ahead: np.ndarray, toes: np.ndarray, preview: Preview, situation: Situation,
            stepping: np.ndarray, gains: RisingGains) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Preferred, least and most length of the six legs, m, by how far their hips are ahead and how much of their weight
    is on the toes."""
    here, stood, count = situation.feet[situation.stance], situation.feet[situation.other], len(preview.times)
    each = np.array([[leg.rest, leg.shortest, leg.longest] for leg in pair(situation)])
    rest, low, high = each[OF].T[..., None, None]
    raised = np.zeros((6, count, 1))  # while both feet are on the ground the one in front comes down on its heel
    raised[FRONT_NOW] = stepping * tiptoe(stood.place[2] - here.place[2], gains)
    raised[FRONT_THEN] = tiptoe(here.place[2] - preview.foothold[:, 2:], gains)
    most = np.full((6, count, 1), gains.most)
    most[BEHIND] += stepping * toe_off(situation.ground.steep, gains)
    flies = preview.times[:, 2] > 0
    return rest + raised, low, high + risen(ahead, flies[:, None], gains, most) * toes + raised


def pressed(u: np.ndarray) -> np.ndarray:
    """Where the pressure is under the feet that carry alone, heel 0 to toe 1, (2, b, nodes)."""
    knots = u[:, KNOTS].reshape(-1, 5, 2)[..., 0].T
    first, last = knots[BEGINS, :, None], knots[ENDS, :, None]
    return first + (last - first) * NODES


def toward_toes(pressure: np.ndarray, gains: RisingGains) -> np.ndarray:
    """How much of the weight of the six legs (6, b, nodes) is on the toes, by the pressure under the feet that carry
    alone: no heel rises under a load. Of two feet, the one behind is on its toes anyway."""
    share = np.ones((6, *pressure.shape[1:]))
    share[ALONE] = on_toes(pressure, gains)
    return share


def too_lean(ahead: np.ndarray, up: np.ndarray, length: np.ndarray, toes: np.ndarray,
             legs: tuple[Leg, ...]) -> np.ndarray:
    """How much further than it can the shank of the leg that carries alone would lean (legs, b, nodes), rad, unless its
    foot is on its toes.

    A hip so far ahead of its ankle and above it needs a leg of a length: thigh and shank, taken as equals, bend evenly.
    The foot is taken as level: uphill there is less room, downhill more.
    """
    longest, most = np.array([[leg.longest, leg.lean] for leg in legs]).T[..., None, None]
    share = np.minimum(length / longest, 0.999)
    return np.maximum(np.arctan2(ahead, up) + np.arccos(share) - most, 0.0) * (1.0 - toes)


def overload(up: np.ndarray, length: np.ndarray, pressure: np.ndarray, legs: tuple[Leg, Leg],
             gains: SoleGains = USUAL.soles) -> np.ndarray:
    """How much more than the ankle and the knee of legs that carry alone can bear (2, b, nodes, 2) a push would need,
    m2/s2.

    The force goes from the pressure point to the COM: on the toes it is the ankle that carries it, and less a knee that
    bends forward.
    """
    force, out = GRAVITY + up, np.empty((*up.shape, 2))
    for row, leg in enumerate(legs):
        back, front = ends(leg.foot, gains)
        lever = leg.foot.ahead - back + pressure[row] * (back + front)
        bend = 0.5 * np.sqrt(np.maximum(leg.longest**2 - length[row]**2, 0.0) + 1e-4)  # smooth where it is straight
        knee = bend - 0.5 * lever if leg.forward else bend + 0.5 * lever
        out[row, ..., 0] = np.maximum(force[row] * lever - leg.ankle, 0.0)
        out[row, ..., 1] = np.maximum(force[row] * knee - leg.knee, 0.0)
    return out


def straight(preview: Preview, u: np.ndarray, situation: Situation, w: PreviewGains) -> np.ndarray:
    """How much too long a leg is at the instants of take-off and landing, where its speed is highest.

    The nodes of the phases miss these instants: plans pushed until the knee was locked, and landed on a straight leg.
    """
    flies = preview.times[:, 2] > 0
    if not flies.any():
        return np.zeros((len(u), 0))
    out, here = np.zeros((len(u), 3)), situation.feet[situation.stance]
    stance, swing = pair(situation)
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
        longest = leg.longest + risen(ahead, flies, w.rising) * on_toes(toes, w.rising)
        out[:, column] = w.straight**0.5 * np.maximum(np.sqrt(np.sum(away**2, axis=1)) - longest, 0.0) * flies
    if situation.support is Support.FLIGHT:  # it has taken off
        out[:, 0] = 0.0
    return out


def _ahead_and_left(point: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """A point (3,) of a body that faces a way (b,), in the world, (b, 3)."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.stack([c * point[0] - s * point[1], s * point[0] + c * point[1], np.full(len(yaw), point[2])], axis=1)
