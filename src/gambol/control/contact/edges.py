"""Feet on edges: a sole that hangs over one is drawn in to what carries it, one tilted far stands on its ends."""

from __future__ import annotations

import numpy as np

from gambol.control.contact.patches import BIAS, HEIGHT, MOTION, NEAR, NORMAL, POSITION, VELOCITY, PatchState
from gambol.kinematics.kinematics import Frame, skew
from gambol.world.figure import Figure
from gambol.world.surfaces import Surfaces, Touch
from gambol.world.terrain import Terrain

SHARES = np.linspace(0.02, 0.98, 49)[:, None]
"""Places where the ground is looked at, as shares of the way from a sole point to the other end of its sole."""
FAR, ASIDE = 0.05, 0.9
"""A sole point hangs over the edge of a thing if the thing's surface is farther away than `FAR`, m, or if the cosine of
the angle between that surface's normal and the sole's is less than `ASIDE`: then the surface is a side of the thing."""
WITHIN = 0.03
"""Distance, m, up to which a thing counts as carrying the sole: a sole that rocks may have come off it by a little."""
SLOPE, CREST = 0.25, 4
"""Along the sole, the distance to a thing beside it falls fast, to a thing under it slowly: by at most `SLOPE` metres a
metre. The crest of a round thing is looked for within `CREST` places of the first one that is over the thing."""


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
    """A sole on a thing smaller than itself, points that hang over drawn in to where the thing is below it: along the
    sole, or across it if that is nearer.

    On something round that is its crest: there it touches. `up` is the normal of the sole in the foot's axes. Given
    back as it is if only the terrain is near, and if no point hangs over, or nothing is below any part of it.
    """
    if sole.touch is None or not (away := sole.height > NEAR).any():
        return sole
    aside = sole.normal.dot(sole.rotation.dot(up)) < ASIDE
    hanging = away & (aside | (sole.height > FAR))
    points = np.flatnonzero(hanging)
    if not len(points):
        return sole
    ways = [(point, other) for point in points.tolist() for other in _others(sole, point, hanging)]
    along = np.array([sole.position[other] - sole.position[point] for point, other in ways])
    begins = np.array([sole.position[point] for point, _ in ways])
    found = _feel(surfaces, figure, sole, (begins[:, None] + SHARES * along[:, None]).reshape(-1, 3))
    if found is None:
        return sole
    distance, normal = found.distance.reshape(len(ways), -1), found.normal.reshape(len(ways), -1, 3)
    local, table, jacobian = np.frombuffer(sole.key).reshape(-1, 3).copy(), sole.table.copy(), sole.jacobian.copy()
    nearest: dict[int, tuple[float, int, float]] = {}
    for k, (point, other) in enumerate(ways):
        length = float(np.linalg.norm(along[k]))
        share = _first_below(distance[k], normal[k].dot(along[k] / length))
        if share is not None and share * length < nearest.get(point, (np.inf, 0, 0.0))[0]:
            nearest[point] = share * length, other, share
    for point, (_, other, share) in nearest.items():
        _move(sole, point, other, share, local, table, jacobian)
    touch = _feel(surfaces, figure, sole, table[:, POSITION]) if nearest else None
    if touch is None:
        return sole
    table[:, NORMAL], table[:, HEIGHT] = touch.normal, touch.distance
    inside = sole.changed(table, jacobian, local.tobytes())
    inside.touch = touch
    return inside


def _feel(surfaces: Surfaces, figure: Figure, sole: PatchState, places: np.ndarray) -> Touch | None:
    """The surfaces nearest to places (k, 3) of a sole; None if the terrain is the nearest one everywhere."""
    ground, normal = surfaces.surface(places[:, 0], places[:, 1])
    patches = figure.patch_set((sole.role,))
    return surfaces.touch(figure, patches, places, (places[:, 2] - ground) * normal[:, 2], normal)


def _first_below(distance: np.ndarray, slope: np.ndarray) -> float | None:
    """Share of the way at which a thing is below a sole for the first time.

    `slope` is how fast the distance grows along the way: over something round it falls to the crest.
    """
    below = (distance < WITHIN) & (slope > -SLOPE)
    if not below.any():
        return None
    first = int(np.argmax(below))
    for k in range(first, min(first + CREST, len(slope) - 1)):
        if slope[k] < 0.0 <= slope[k + 1]:
            between = slope[k] / (slope[k] - slope[k + 1])
            return float(SHARES[k, 0] + between * (SHARES[k + 1, 0] - SHARES[k, 0]))
    return float(SHARES[first, 0])


def _move(sole: PatchState, point: int, other: int, share: float, local: np.ndarray, table: np.ndarray,
          jacobian: np.ndarray) -> None:
    """Put a point of a sole a share of the way to another: between them all moves in proportion."""
    local[point] += share * (local[other] - local[point])
    table[point, MOTION] += share * (sole.table[other, MOTION] - table[point, MOTION])
    jacobian[point] += share * (sole.jacobian[other] - jacobian[point])


def _others(sole: PatchState, point: int, hanging: np.ndarray) -> list[int]:
    """The points toward which a point is drawn in: along the sole, and across it if what is there is carried."""
    across, in_pairs = point ^ 1, sole.heel.stop == 2 and len(hanging) - sole.tip.start == 2
    beside = in_pairs and not hanging[across] and not sole.patch.hinges
    return [_other_end(sole, point, hanging), *([across] if beside else [])]


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
