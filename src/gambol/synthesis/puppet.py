"""The puppet: what synthesis makes of a Character: one rigid body and massless two-link limbs.

The simplified physics of [mordatch2015, section 3.3.2].

All lengths are measured on the character itself in its rest pose, so any character with legs has a puppet. The frame
of the trunk sits in the centre of mass of the rest pose, with the axes of the root; the frame of a foot in the middle
of its sole, with the same axes when it stands; the frame of a hand is a point without axes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from gambol.bodies.body_tree import BodyTree, body_points
from gambol.bodies.character import Character
from gambol.errors import BadInput
from gambol.synthesis.angles import elbow_pole
from gambol.synthesis.ranges import Ranges, ranges

HAND_RADIUS, LINK_RADIUS = 0.03, 0.05
"""Roundness of hands and limbs of an adult's size, m."""
EASE = 0.016
"""How much (m) a limb at rest is at least short of its full stretch, so that nothing starts with a start."""
ADULT = 1.02
"""Height of an adult's centre of mass, m: sizes above scale with it."""


@dataclass(frozen=True)
class Limb:
    """Two links from a base in the trunk to a wrist or ankle, and the end-effector beyond it. Lengths in m."""

    role: str
    base: np.ndarray
    """hip or shoulder in the trunk's frame"""
    links: tuple[float, float]
    ranges: Ranges
    """what its joints allow"""
    pole: np.ndarray
    """of an arm, where the elbow points in the trunk's frame; of a leg, the knee's axis in the foot's frame"""
    wrist: np.ndarray
    """wrist or ankle in the end-effector's frame"""
    points: np.ndarray
    """contact points in that frame, (k, 3)"""
    radius: float
    """roundness about each contact point"""
    thickness: float
    """radius of the links"""
    rest: np.ndarray
    """the end-effector in the trunk's frame when standing at rest"""

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest distance from base to wrist."""
        return self.ranges.reach

    @property
    def is_foot(self) -> bool:
        """Feet have axes and stand flat; hands are points."""
        return self.role.endswith("foot")


def two_links(limb: Limb, place: np.ndarray, turn: np.ndarray, end: np.ndarray, axes: np.ndarray
              ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Base, middle joint and wrist, (..., 3) each, from place and axes of root and end: `terms.two_links` in NumPy."""
    base, wrist = place + turn @ limb.base, end + axes @ limb.wrist
    line = wrist - base
    distance = np.linalg.norm(line, axis=-1, keepdims=True)
    along = line / np.maximum(distance, 1e-9)
    first, second = limb.links
    ahead = (first**2 - second**2) / (2 * np.maximum(distance, 1e-9)) + distance / 2
    off = np.sqrt(np.maximum(first**2 - ahead**2, 0.0))
    pole = np.cross(along, axes @ limb.pole) if limb.is_foot else elbow_pole(turn, limb.pole)
    bend = pole - (pole * along).sum(-1, keepdims=True) * along
    bend /= np.maximum(np.linalg.norm(bend, axis=-1, keepdims=True), 1e-9)
    return base, base + ahead * along + off * bend, wrist


@dataclass(frozen=True)
class Puppet:
    """One rigid body, its limbs, and where its trunk may touch things."""

    name: str
    mass: float
    inertia: np.ndarray
    """about the centre of mass per unit mass, (3, 3), m^2"""
    limbs: tuple[Limb, ...]
    points: np.ndarray
    """contact points of the trunk, (k, 3)"""
    spheres: np.ndarray
    """centres (3) and radii (1) of what must not go through things, (k, 4)"""
    center: np.ndarray
    """centre of mass in the root body's frame"""
    height: float
    """of the centre of mass when standing at rest"""
    stands_upright: bool = False
    """whether the chest is over the hips, not before them"""

    @property
    def feet(self) -> tuple[int, ...]:
        return tuple(i for i, limb in enumerate(self.limbs) if limb.is_foot)

    @property
    def hands(self) -> tuple[int, ...]:
        return tuple(i for i, limb in enumerate(self.limbs) if not limb.is_foot)


def puppet(character: Character) -> Puppet:
    """Measure a character."""
    model = character.compile()
    tree = BodyTree(model, character.rest_qpos(model))
    data, anatomy = tree.data, character.anatomy
    root = model.body(anatomy.body("root")).id
    if not anatomy.feet:
        raise BadInput(f"character {character.name!r} has no feet; synthesis needs legs")
    com = data.subtree_com[tree.top].copy()
    ground = min(_sole(tree, anatomy.bodies[role], anatomy.soles[role])[:, 2].min() for role in anatomy.feet)
    height = float(com[2] - ground)
    size = height / ADULT
    limbs = []
    for role in (*anatomy.feet, *anatomy.hands):
        side = role.removesuffix("foot").removesuffix("hand")
        names = ("thigh", "shank") if role.endswith("foot") else ("upper_arm", "forearm")
        if all(side + part in anatomy.bodies for part in names):
            limbs.append(_limb(character, tree, role, [side + part for part in names], com, size))
    mass = float(model.body_subtreemass[tree.top])
    return Puppet(character.name, mass, _inertia(tree, com) / mass, tuple(limbs), _trunk_points(character, tree, com),
                  _spheres(character, tree, com), com - data.xpos[root], height, _stands_upright(character, tree))


def _sole(tree: BodyTree, body: str, points: np.ndarray) -> np.ndarray:
    """Sole points in the world."""
    b = tree.model.body(body).id
    return np.asarray(tree.data.xpos[b] + points @ tree.data.xmat[b].reshape(3, 3).T)


def _limb(character: Character, tree: BodyTree, role: str, parts: list[str], com: np.ndarray, size: float) -> Limb:
    model, data, bodies = tree.model, tree.data, character.anatomy.bodies
    upper, lower, end = (model.body(bodies[part]).id for part in (*parts, role))
    base, middle, wrist = (data.xpos[b].copy() for b in (upper, lower, end))
    foot = role.endswith("foot")
    if foot:
        sole = _sole(tree, bodies[role], character.anatomy.soles[role])
        center, points = sole.mean(axis=0), sole - sole.mean(axis=0)
        radius = 0.0
    else:  # no wrist: the hand lengthens the forearm, and its far end is what touches
        radius = HAND_RADIUS * size
        along = (wrist - middle) / np.linalg.norm(wrist - middle)
        tips = body_points(model, data, end, along)
        center = wrist + along * (max(((tips - wrist) @ along).max(initial=0.0), radius) - radius)
        wrist, points = center, np.zeros((1, 3))
    lengths = float(np.linalg.norm(middle - base)), float(np.linalg.norm(wrist - middle))
    line = (wrist - base) / np.linalg.norm(wrist - base)
    bend = (middle - base) - ((middle - base) @ line) * line
    pole = bend / np.linalg.norm(bend) if np.linalg.norm(bend) > 1e-4 else np.array([1.0 if foot else -1.0, 0.0, 0.0])
    hinge = np.cross(pole, line)
    allowed = ranges(tree, (upper, lower, end), lengths, hinge)
    if not foot:  # elbows point back, outward and down
        pole = np.array([-0.6, 0.6 * np.sign(base[1] - com[1]), -0.5])
    rest = center if foot else base + (center - base) * min(1.0, (allowed.reach[1] - EASE)
                                                            / np.linalg.norm(center - base))
    return Limb(role, base - com, lengths, allowed, hinge if foot else pole, wrist - center, points, radius,
                LINK_RADIUS * size, rest - com)


def _trunk_points(character: Character, tree: BodyTree, com: np.ndarray) -> np.ndarray:
    """Where a trunk can lie: front and back of pelvis and chest and the seat of who stands upright, else the belly."""
    root, trunk = _root_and_trunk(character, tree)
    if _stands_upright(character, tree):
        wanted = [(root, (-1, 0, 0)), (trunk, (-1, 0, 0)), (root, (1, 0, 0)), (trunk, (1, 0, 0)), (root, (-0.4, 0, -1))]
    else:
        wanted = [(root, (0, 0, -1)), (trunk, (0, 0, -1))]
    return np.array([_furthest(tree, body, np.array(way, dtype=float)) - com for body, way in wanted])


def _root_and_trunk(character: Character, tree: BodyTree) -> tuple[int, int]:
    anatomy = character.anatomy
    root = anatomy.body("root")
    return tree.model.body(root).id, tree.model.body(anatomy.bodies.get("trunk", root)).id


def _stands_upright(character: Character, tree: BodyTree) -> bool:
    root, trunk = _root_and_trunk(character, tree)
    rise = tree.data.xpos[trunk] - tree.data.xpos[root]
    return bool(rise[2] >= abs(rise[0]))


def _furthest(tree: BodyTree, body: int, way: np.ndarray) -> np.ndarray:
    way = way / np.linalg.norm(way)
    points = body_points(tree.model, tree.data, body, way)
    return np.asarray(points[np.argmax(points @ way)] if len(points) else tree.data.xpos[body])


def _spheres(character: Character, tree: BodyTree, com: np.ndarray) -> np.ndarray:
    """One sphere in each part of trunk and head, as thick as the part is."""
    model, anatomy = tree.model, character.anatomy
    root = model.body(anatomy.body("root")).id
    spheres = []
    ends = [model.body(anatomy.bodies[role]).id for role in ("trunk", "head") if role in anatomy.bodies] or [root]
    for body in sorted({root, *itertools.chain.from_iterable(tree.between(root, end) for end in ends)}):
        if not len(body_points(model, tree.data, body)):
            continue
        low, high = (np.array([_furthest(tree, body, sign * np.eye(3)[k])[k] for k in range(3)]) for sign in (-1, 1))
        center, half = (low + high) / 2, (high - low) / 2
        spheres.append([*(center - com), half.min()])
    return np.array(spheres)


def _inertia(tree: BodyTree, com: np.ndarray) -> np.ndarray:
    """Of the whole body about its centre of mass, kg m^2."""
    model, data = tree.model, tree.data
    total = np.zeros((3, 3))
    for body in tree.bodies:
        turn = data.ximat[body].reshape(3, 3)
        off = data.xipos[body] - com
        total += turn @ np.diag(model.body_inertia[body]) @ turn.T
        total += model.body_mass[body] * (off @ off * np.eye(3) - np.outer(off, off))
    return total
