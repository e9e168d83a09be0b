"""Poses to begin in: lying on the floor, and seated. Found by roles and directions of limbs, so for any body.

A pose is a `qpos` of the character's bare tree. How high it begins, where and facing which way, the World decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.bodies.character import Character
from gambol.bodies.mannequin import Limbs, Mannequin, Way
from gambol.errors import BadInput

FLOOR = ("supine", "prone", "left_side", "right_side")
POSES = ("standing", "sitting", *FLOOR)
"""Poses that a figure can begin in."""

# Who stands upright lies with arms and legs a little apart; on the stomach with toes pointed; on a side with the leg
# and the arm above bent forward, so that it stays there.
_BACK: Limbs = dict(thigh=(0.0, 0.12, -1.0), shank=(0.0, 0.10, -1.0), foot=(0.8, 0.3, -0.5),
                    upper_arm=(0.0, 0.45, -1.0), forearm=(0.1, 0.30, -1.0))
_STOMACH: Limbs = dict(thigh=(0.0, 0.12, -1.0), shank=(0.0, 0.10, -1.0), foot=(0.3, 0.0, -1.0),
                       upper_arm=(0.1, 0.7, -0.7), forearm=(0.3, 0.2, 0.8))
_BELOW: Limbs = dict(thigh=(0.25, 0.0, -1.0), shank=(-0.5, 0.0, -1.0), upper_arm=(1.0, 0.0, 0.1),
                     forearm=(1.0, 0.0, 0.6))
_ABOVE: Limbs = dict(thigh=(1.0, -0.1, -0.35), shank=(-0.45, -0.2, -1.0), upper_arm=(1.0, -0.2, -0.3),
                     forearm=(1.0, -0.3, 0.2))
_LYING: Mapping[str, tuple[Limbs, Limbs]] = {"supine": (_BACK, _BACK), "prone": (_STOMACH, _STOMACH),
                                             "left_side": (_BELOW, _ABOVE), "right_side": (_ABOVE, _BELOW)}
"""Left limbs and right ones."""

_ROLL, _PITCH = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
_SIDES: Mapping[str, tuple[Way, float]] = {"left_side": (_ROLL, -90.0), "right_side": (_ROLL, 90.0)}
_TURNS: Mapping[str, tuple[Way, float]] = {"supine": (_PITCH, -90.0), "prone": (_PITCH, 90.0), **_SIDES}
"""Axis and angle (degrees) of the turn from standing to lying. On its back a body then has its feet toward +x, on its
stomach its head, on a side its face."""
_LEVEL_TURNS: Mapping[str, tuple[Way, float]] = {"supine": (_ROLL, 180.0), "prone": (_ROLL, 0.0), **_SIDES}
"""The same for a body that is longer than tall, such as the quadruped."""

_SEATED: Limbs = dict(thigh=(1.0, 0.10, 0.0), shank=(0.0, 0.0, -1.0), foot=(1.0, 0.12, 0.0),
                      upper_arm=(0.25, 0.08, -1.0), forearm=(1.0, -0.05, -0.1))
FLAT = 0.012
"""A seated foot is on the ground if all its sole points are at most this far from it, m."""
STEEP = 0.3
"""A thigh that falls by more than this share of its length toward the knee leans on a seat's edge, and does not sit."""
SETTLING, CLOSE = 6, 0.001
"""A body is lowered onto its seat in at most so many rounds, until it is this near to the seat, m."""


@dataclass(frozen=True)
class Seated:
    """A body on a seat."""

    qpos: np.ndarray
    """of the bare tree, the ground at zero, looking along +x from where it stands at rest"""
    seat: float
    """height of the seat over the ground at the feet, m"""
    back: float
    """where its back ends, x in m"""
    hips: float
    """where its hips are"""
    calves: float
    """where its calves begin: the seat must end before"""
    width: float
    """of its root, m"""


def floats(character: Character) -> bool:
    """Whether its root is free to move and to turn in any way."""
    joints = character.spec.worldbody.first_body().joints
    return bool(joints) and joints[0].type == mujoco.mjtJoint.mjJNT_FREE


def check_pose(character: Character, pose: str) -> None:
    """Refuse a pose that a body cannot take."""
    if pose == "standing":
        return
    if not floats(character):
        raise BadInput(f"{character.name!r} cannot begin {pose}: it is held by the world (a fixed root, or one that "
                       "lives in a plane); it takes 'standing'")
    if pose == "sitting":
        _check_folds(character)


def lying(character: Character, pose: str) -> np.ndarray:
    """The bare tree lying down, not yet limp. Who is longer than tall has its belly below in `prone`, as it stands."""
    figure = Mannequin(character)
    if figure.upright:
        (axis, angle), (left, right) = _TURNS[pose], _LYING[pose]
        qpos = figure.point(lambda side: left if side == "left" else right)
    else:
        axis, angle = _LEVEL_TURNS[pose]
        qpos = figure.folded() if pose == "prone" else figure.rest.copy()
    half = np.radians(angle) / 2
    mujoco.mju_mulQuat(qpos[3:7], np.array([np.cos(half), *(np.sin(half) * np.array(axis))]), qpos[3:7].copy())
    return qpos


def _seated_limbs(side: str) -> Limbs:
    return _SEATED


def _nowhere(side: str) -> Limbs:
    return {}


def seat_height(character: Character) -> float:
    """Height of a seat on which its thighs are level and its shanks upright, m."""
    _check_folds(character)
    figure = Mannequin(character)
    figure.put(figure.point(_seated_limbs))
    return round(figure.underside() - float(figure.soles()[:, 2].min()), 3)


def sitting(character: Character, seat: float | None = None, chair: str = "chair",
            noise: np.ndarray | None = None) -> Seated:
    """Seated at a height over the ground at the feet (m; its own if not said), feet flat.

    `noise` (rad; one number for each degree of freedom of the joints) disturbs the pose; feet stay on the ground.
    """
    _check_folds(character)
    seat = seat_height(character) if seat is None else seat
    seated = _seated(character, seat)
    if seated is None:
        raise _no_seat(character, seat, chair)
    return seated if noise is None else _seated(character, seat, (seated.qpos, noise)) or seated


def _no_seat(character: Character, seat: float, chair: str) -> BadInput:
    """Why a body cannot sit at a height."""
    own = seat_height(character)
    if _seated(character, own) is None:
        return BadInput(f"{character.name!r} cannot begin sitting: its legs do not fold so that its feet are flat "
                        "before a seat")
    reach, beyond = own, seat
    while abs(beyond - reach) > 0.01:
        middle = (reach + beyond) / 2
        reach, beyond = (reach, middle) if _seated(character, middle) is None else (middle, beyond)
    high = seat > own
    return BadInput(f"the seat of {chair!r} is {seat:.2f} m high, too {'high' if high else 'low'} for "
                    f"{character.name!r}: its feet are flat on the ground {'up' if high else 'down'} to {reach:.2f} m")


def _seated(character: Character, seat: float, near: tuple[np.ndarray, np.ndarray] | None = None) -> Seated | None:
    """The pose for one height of the seat, None if feet do not reach flat; near to another pose with noise if given."""
    figure = Mannequin(character)
    if near is None:
        figure.put(figure.rest)
        figure.rest[2] += seat - figure.underside(thighs=False)
        figure.point(_seated_limbs)
    else:
        figure.disturb(*near)
    for _ in range(SETTLING):  # thighs that slope down rest on the seat, and lift the rest a little
        qpos = figure.point(_seated_limbs if near is None else _nowhere, on_ground=True)
        figure.put(qpos)
        gap = seat - figure.underside()
        if abs(gap) < CLOSE:
            break
        figure.rest[2] += gap
    slopes = [way[2] for side in ("left", "right") if (way := figure.way(side, "thigh")) is not None]
    if np.abs(figure.soles()[:, 2]).max() > FLAT or abs(gap) > FLAT or min(slopes) < -STEEP:
        return None
    return Seated(qpos, seat, figure.back(), figure.hips(), figure.calves(), figure.width())


def _check_folds(character: Character) -> None:
    anatomy = character.anatomy
    legs = [f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee")]
    missing = [role for role in legs if not anatomy.joints.get(role)]
    if len(anatomy.feet) != 2 or missing:
        found = f"it has {len(anatomy.feet)} feet" + (f" and no {missing[0]!r}" if missing else "")
        raise BadInput(f"{character.name!r} cannot begin sitting: that takes two legs with hips and knees; {found}")
    if not Mannequin(character).upright:
        raise BadInput(f"{character.name!r} cannot begin sitting: that takes a trunk above the hips, and its trunk is "
                       "before them")
