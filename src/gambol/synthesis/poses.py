"""Poses to start from: features of an actor's frames, from the measures of its puppet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from gambol.bodies.character import Character
from gambol.synthesis.folding import breaks, folded
from gambol.synthesis.puppet import EASE, Puppet, two_links

Frames = list[tuple[np.ndarray, np.ndarray]]
"""Position and rotation of the root, then of each limb."""
HANDS_UP = 0.09
"""Height of the hands of who lies or crouches, as a share of the puppet's: elbows are not in the ground."""
LOWER, BREAKS = 0.01, 1e-5
"""Step between heights of a crouch that are tried, m; what a leg may break (squares of m and rad) at one taken."""


def standing(puppet: Puppet, character: Character) -> Frames:
    """At rest on level ground, looking along +x, legs not quite straight."""
    legs = [puppet.limbs[i] for i in puppet.feet]
    stoop = max(0.0, *(np.linalg.norm(leg.rest + leg.wrist - leg.base) - (leg.reach[1] - EASE) for leg in legs))
    down = np.array([0.0, 0.0, stoop])
    root = np.array([0.0, 0.0, puppet.height])
    return [(root - down, np.eye(3)), *((root + limb.rest - (not limb.is_foot) * down, np.eye(3))
                                        for limb in puppet.limbs)]


def supine(puppet: Puppet, character: Character) -> Frames:
    """On the back, feet toward +x."""
    return _lying(puppet, -90.0, 0.0)


def prone(puppet: Puppet, character: Character) -> Frames:
    """On the stomach, head toward +x: toes pointed, or with legs folded beside a belly that lies flat."""
    return _lying(puppet, 90.0, 40.0) if puppet.stands_upright else _on_belly(puppet, character)


def crouched(puppet: Puppet, character: Character) -> Frames:
    """As low as the legs fold with soles flat where they stand, trunk as at rest."""
    (root, turn), *ends = standing(puppet, character)
    feet = [(limb, place) for limb, (place, _) in zip(puppet.limbs, ends, strict=True) if limb.is_foot]
    lowest = -puppet.spheres[:, 2].min() + puppet.spheres[:, 3].max()
    down = np.array([0.0, 0.0, LOWER])
    while root[2] - LOWER > lowest and all(breaks(puppet, limb, root - down, turn, place, turn) < BREAKS
                                           for limb, place in feet):
        root = root - down
    return [(root, turn), *((place if limb.is_foot else _off_ground(puppet, root + limb.rest), turn)
                            for limb, (place, _) in zip(puppet.limbs, ends, strict=True))]


def _on_belly(puppet: Puppet, character: Character) -> Frames:
    hind, front = (puppet.points[i(puppet.points[:, 0])] for i in (np.argmin, np.argmax))
    slope = np.arctan2(front[2] - hind[2], front[0] - hind[0])
    turn = Rotation.from_euler("y", slope).as_matrix()
    root = np.array([0.0, 0.0, 0.005 - (puppet.points @ turn.T)[:, 2].min()])
    return [(root, turn), *(folded(puppet, limb, root, turn, character) if limb.is_foot
                            else (_off_ground(puppet, root + turn @ limb.rest), turn) for limb in puppet.limbs)]


def _off_ground(puppet: Puppet, hand: np.ndarray) -> np.ndarray:
    return np.maximum(hand, [-np.inf, -np.inf, HANDS_UP * puppet.height])


def _lying(puppet: Puppet, pitch: float, pointed: float) -> Frames:
    turn = Rotation.from_euler("y", pitch, degrees=True).as_matrix()
    root = np.array([0.0, 0.0, 0.002 - (puppet.points @ turn.T)[:, 2].min()])
    frames: Frames = [(root, turn)]
    for limb in puppet.limbs:
        place, axes, base = root + turn @ limb.rest, turn, root + turn @ limb.base
        if limb.is_foot:
            axes = Rotation.from_euler("y", pitch + pointed, degrees=True).as_matrix()
            place = place + turn @ limb.wrist - axes @ limb.wrist  # the ankle stays
            place[2] = max(place[2], 0.002 - (limb.points @ axes.T)[:, 2].min())
            if two_links(limb, root, turn, place, axes)[1][2] < limb.thickness:  # a bent knee in the floor: straighter
                line = place + axes @ limb.wrist - base
                place = place + line * max(0.0, (limb.reach[1] - EASE) / np.linalg.norm(line) - 1)
        else:
            place[2] = HANDS_UP * puppet.height
            line = place - base
            place = base + line * min(1.0, (limb.reach[1] - EASE) / np.linalg.norm(line))
        frames.append((place, axes))
    return frames


POSES: dict[str, Callable[[Puppet, Character], Frames]] = {
    pose.__name__: pose for pose in (standing, supine, prone, crouched)}


def placed(frames: Frames, x: float, y: float, yaw: float, z: float = 0.0) -> Frames:
    """The same elsewhere: turned by `yaw` (degrees) about the vertical, then moved."""
    turn = Rotation.from_euler("z", yaw, degrees=True).as_matrix()
    return [(turn @ place + [x, y, z], turn @ axes) for place, axes in frames]


def features(frames: Frames, oriented: list[bool]) -> np.ndarray:
    """One row of features; rotations as vectors, without axes for hands."""
    parts = []
    for (place, axes), has_axes in zip(frames, oriented, strict=True):
        parts.append(place)
        if has_axes:
            parts.append(Rotation.from_matrix(axes).as_rotvec())
    return np.concatenate(parts)
