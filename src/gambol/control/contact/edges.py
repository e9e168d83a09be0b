"""Feet on edges: a sole that hangs over one is drawn in to what carries it, one tilted far stands on its ends."""

from __future__ import annotations

import numpy as np

from gambol.control.contact.patches import BIAS, HEIGHT, MOTION, NEAR, NORMAL, POSITION, VELOCITY, PatchState
from gambol.kinematics.kinematics import Frame, skew
from gambol.world.figure import Figure
from gambol.world.surfaces import Surfaces
from gambol.world.terrain import Terrain

SHARES = np.linspace(0.02, 0.98, 49)[:, None]
"""Places on the way from a point to the other end of its sole."""
FAR, ASIDE = 0.05, 0.9
"""A sole point hangs over a thing if this is farther than so many metres, or faces another way than the sole does: if
the cosine of the angle between them is less than this."""
CREST = 0.1
"""Along a sole that lies on something flat the distance falls by less than this share of the way; over something round
by more, until its crest is reached."""


def drawn_in(sole: PatchState, terrain: Terrain, overhang: float) -> PatchState:
    """A sole whose points that hang over an edge are drawn in, along the sole, to where the ground carries it.

    A point between heel and toe moves as the mean of these does. Given back as it is if nothing hangs over, or if the
    ground carries no part of it: toes over an edge and a heel that has risen still leave what is on the edge.
    """
    high = sole.height > overhang
    if not high.any():
        return sole
    local = np.frombuffer(sole.key).reshape(-1, 3).copy()
    table, jacobian = sole.table.copy(), sole.jacobian.copy()
    found = False
    for point in np.flatnonzero(high):
        other = _other_end(sole, int(point), high)
        way = sole.position[point] + SHARES * (sole.position[other] - sole.position[point])
        carried = way[:, 2] - terrain.height(way[:, 0], way[:, 1]) < overhang
        if not carried.any():
            continue
        found = True
        _move(sole, int(point), other, float(SHARES[int(np.argmax(carried)), 0]), local, table, jacobian)
    if not found:
        return sole
    ground, table[:, NORMAL] = terrain.surface(table[:, 0], table[:, 1])
    table[:, HEIGHT] = (table[:, 2] - ground) * table[:, 11]
    return sole.changed(table, jacobian, local.tobytes())


def drawn_in_on_things(sole: PatchState, up: np.ndarray, surfaces: Surfaces, figure: Figure) -> PatchState:
    """A sole on a thing smaller than itself, points that hang over drawn in to where the thing carries it.

    On something round that is its crest: there it touches. `up` is the normal of the sole in the foot's axes. Given
    back as it is if only the terrain is near, and if no point hangs over, or nothing carries any part of it.
    """
    if sole.touch is None or not (away := sole.height > NEAR).any():
        return sole
    aside = sole.normal @ (sole.rotation @ up) < ASIDE
    hanging = away & (aside | (sole.height > FAR))
    if not hanging.any():
        return sole
    points = np.flatnonzero(hanging)
    others = np.array([_other_end(sole, int(point), hanging) for point in points])
    ways = sole.position[others] - sole.position[points]
    patches = figure.patch_set((sole.role,))
    distance = _distances(surfaces, figure, sole, (sole.position[points, None] + SHARES * ways[:, None]).reshape(-1, 3))
    local, table, jacobian = np.frombuffer(sole.key).reshape(-1, 3).copy(), sole.table.copy(), sole.jacobian.copy()
    moved: list[tuple[int, np.ndarray]] = []
    for point, other, way, down in zip(points.tolist(), others.tolist(), ways, distance.reshape(len(points), -1),
                                       strict=True):
        falling = np.append(down[:-1] - down[1:] > CREST * (SHARES[1, 0] - SHARES[0, 0]) * np.linalg.norm(way), False)
        carried = (down < NEAR) & ~falling
        if carried.any():
            _move(sole, point, other, float(SHARES[int(np.argmax(carried)), 0]), local, table, jacobian)
            moved.append((point, way / np.linalg.norm(way)))
    if not moved:
        return sole
    ground, facing = surfaces.surface(table[:, 0], table[:, 1])
    height = (table[:, 2] - ground) * facing[:, 2]
    touch = surfaces.touch(figure, patches, table[:, POSITION], height, facing)
    if touch is None:
        return sole
    table[:, NORMAL], table[:, HEIGHT] = touch.normal, touch.distance
    for point, along in moved:  # the crest is between two places on the way
        normal = table[point, NORMAL] - along * along.dot(table[point, NORMAL])
        table[point, NORMAL] = normal / np.linalg.norm(normal)
    drawn = sole.changed(table, jacobian, local.tobytes())
    drawn.touch = touch
    return drawn


def _distances(surfaces: Surfaces, figure: Figure, sole: PatchState, places: np.ndarray) -> np.ndarray:
    """How far places (k, 3) along a sole are from what is nearest to each."""
    ground, normal = surfaces.surface(places[:, 0], places[:, 1])
    height = (places[:, 2] - ground) * normal[:, 2]
    touch = surfaces.touch(figure, figure.patch_set((sole.role,)), places, height, normal)
    return height if touch is None else touch.distance


def _move(sole: PatchState, point: int, other: int, share: float, local: np.ndarray, table: np.ndarray,
          jacobian: np.ndarray) -> None:
    """Put a point of a sole a share of the way to another: between them all moves in proportion."""
    local[point] += share * (local[other] - local[point])
    table[point, MOTION] += share * (sole.table[other, MOTION] - table[point, MOTION])
    jacobian[point] += share * (sole.jacobian[other] - jacobian[point])


def _other_end(sole: PatchState, point: int, high: np.ndarray) -> int:
    """The point at the other end of the sole; a ball's is the tip if that does not hang over, too."""
    wide, tip = sole.heel.stop, sole.tip.start
    if tip == wide:
        return (point + wide) % len(high)
    ahead = tip + point % wide
    return ahead if point < wide or (point < tip and not high[ahead]) else point % wide


def on_edge(sole: PatchState, frame: Frame, up: np.ndarray, radius: float) -> PatchState:
    """A sole that is tilted far, on the rounded edges at its ends: the places where these meet the ground.

    Points of a sole are where it touches when it lies flat; a foot that stands on its toes rolls on their rounding. Its
    toes then seem to be in the air by up to the radius, and on a steep foot to have lost the ground. `up` is the
    normal of the sole in the foot's axes. All points move alike, so their pattern stays the same.
    """
    away = radius * (sole.rotation.dot(up) - sole.normal)
    if sole.patch.hinges:  # toes that bend stay flat
        away[sole.toe] = 0.0
    table, spin = sole.table.copy(), frame.spin
    turning = _cross(spin, away)
    table[:, POSITION] += away
    table[:, VELOCITY] += turning
    table[:, BIAS] += _cross(frame.spin_bias, away) + _cross(spin, turning)
    table[:, HEIGHT] += (away * sole.normal).sum(axis=1)
    return sole.changed(table, sole.jacobian - skew(away) @ frame.spin_jacobian)


def _cross(vector: np.ndarray, others: np.ndarray) -> np.ndarray:
    """A vector (3,) times others (k, 3): `np.cross` takes several times as long."""
    (x, y, z), (a, b, c), out = vector, others.T, np.empty(others.shape)
    out[:, 0], out[:, 1], out[:, 2] = y * c - z * b, z * a - x * c, x * b - y * a
    return out
