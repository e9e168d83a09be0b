"""Sole points near the ground: where they are, how they move, and the friction cone they may push in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from gambol.kinematics.kinematics import Frame, Kinematics, skew
from gambol.lazy import lazy
from gambol.world.figure import Sole
from gambol.world.terrain import Terrain

NEAR = 0.01
"""A sole point closer to the ground than this is in contact, m."""
RAYS = 4
FORCE_UNIT = 100.0
"""One unit along a friction ray, N: keeps the unknowns of the whole-body problem of one order."""


POSITION, VELOCITY, BIAS, NORMAL = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)
MOTION, HEIGHT, WIDTH = slice(0, 9), 12, 13
"""Columns of the table that has all about sole points but their Jacobians: one table is quicker than five arrays."""


class SolePointTable:
    """Points of soles at one moment: arrays (k, 3) unless said."""

    def __init__(self, table: np.ndarray, jacobian: np.ndarray, near: np.ndarray) -> None:
        self.table, self.jacobian, self.near = table, jacobian, near
        """(k, WIDTH), (k, 3, nv), and (k,) which points touch the ground and can push"""

    @property
    def position(self) -> np.ndarray:
        return self.table[:, POSITION]

    @property
    def velocity(self) -> np.ndarray:
        return self.table[:, VELOCITY]

    @property
    def bias(self) -> np.ndarray:
        return self.table[:, BIAS]

    @property
    def normal(self) -> np.ndarray:
        return self.table[:, NORMAL]

    @property
    def height(self) -> np.ndarray:
        """(k,) distance to the ground along its normal, negative inside"""
        return self.table[:, HEIGHT]

    @lazy
    def ground(self) -> np.ndarray:
        """The points put down on the ground."""
        return self.position - self.table[:, HEIGHT:] * self.normal

    @lazy
    def center(self) -> np.ndarray:
        """Their middle, put down on the ground, (3,)."""
        return _even(len(self.table)).dot(self.ground)

    @lazy
    def drift(self) -> np.ndarray:
        """Mean of their velocities, (3,)."""
        return _even(len(self.table)).dot(self.velocity)


class SoleState(SolePointTable):
    """The sole points of one foot, the heel's points first."""

    def __init__(self, sole: Sole, rotation: np.ndarray, table: np.ndarray, jacobian: np.ndarray,
                 near: np.ndarray) -> None:
        self.table, self.jacobian, self.near = table, jacobian, near
        self.role, self.body, self.local_key, self.rotation = sole.role, sole.body, sole.key, rotation
        """the points in the foot's own axes, as bytes, and where these point, (3, 3)"""
        self.touches = True in near.tolist()
        """whether it touches the ground anywhere"""
        self.heel, self.toe = heel_and_toe(len(near))
        """which of the points are the heel's, and which the toe's"""
        self.feet: list[SoleState] = [self]
        self.whole: tuple[np.ndarray, np.ndarray, np.ndarray] = (table, jacobian, near)
        """all feet of the figure, and their points together"""


class SupportPoints(SolePointTable):
    """The k sole points that are to stay where they are, of all feet together."""

    def __init__(self, table: np.ndarray, jacobian: np.ndarray, near: np.ndarray, friction: float,
                 feet: Sequence[tuple[SoleState, np.ndarray]]) -> None:
        super().__init__(table, jacobian, near)
        self._feet = feet
        flags = near.tolist()
        self.touches, self._all_near = True in flags, all(flags)
        self.rays = _cached_rays(self.touching(self.normal).tobytes(), friction)
        """(near points, RAYS, 3) edges of the friction pyramids of those that touch, in units of FORCE_UNIT"""

    @property
    def count(self) -> int:
        return len(self.table)

    def touching(self, values: np.ndarray) -> np.ndarray:
        """Of values (k, ...) those of the points that touch the ground."""
        return values if self._all_near else values[self.near]

    def ray_jacobian(self) -> np.ndarray:
        """(near points * RAYS, nv): generalized force of one unit along each ray."""
        return (self.rays @ self.touching(self.jacobian)).reshape(-1, self.jacobian.shape[2])

    def together(self) -> np.ndarray:
        """(r, 3 k) orthonormal: what k points of rigid feet can do at once, r = 6 a foot if it stands on three or more.

        All else that could be asked of the points is out of reach. So in least squares these combinations of their rows
        stand for all rows: same solution, half the rows.
        """
        feet = [(*rigid_motions(sole.local_key, held.tobytes()), sole.rotation) for sole, held in self._feet]
        combined = np.zeros((sum([height for height, _, _, _ in feet]), 3 * self.count))
        row = column = 0
        for height, width, motions, rotation in feet:
            end, right = row + height, column + width
            combined[row:end, column:right] = motions.dot(rotation.T).reshape(height, width)
            row, column = end, right
        return combined


def sole_states(kinematics: Kinematics, terrain: Terrain) -> list[SoleState]:
    """All feet of a figure."""
    figure = kinematics.figure
    position, velocity, jacobian, bias = kinematics.sole_points()
    ground, normal = terrain.surface(position[:, 0], position[:, 1])
    height = (position[:, 2] - ground) * normal[:, 2]
    table, near = np.concatenate([position, velocity, bias, normal, height[:, None]], axis=1), height < NEAR
    states: list[SoleState] = []
    begin = 0
    for sole, axes in zip(figure.soles, kinematics.sole_frames, strict=True):
        own = slice(begin, begin + len(sole.points))
        states.append(SoleState(sole, axes[:3].T, table[own], jacobian[own], near[own]))
        begin = own.stop
    for state in states:
        state.feet, state.whole = states, (table, jacobian, near)
    return states


def drawn_in(sole: SoleState, terrain: Terrain, overhang: float) -> SoleState:
    """A sole whose points that hang over an edge are drawn in, along the sole, to where the ground carries it.

    A point between heel and toe moves as the mean of these does. Given back as it is if nothing hangs over, or if the
    ground carries no part of it: toes over an edge and a heel that has risen still leave what is on the edge.
    """
    high = sole.height > overhang
    if not high.any():
        return sole
    local = np.frombuffer(sole.local_key).reshape(-1, 3).copy()
    table, jacobian = sole.table.copy(), sole.jacobian.copy()
    shares, found = np.linspace(0.02, 0.98, 49)[:, None], False
    for point in np.flatnonzero(high):
        other = (point + sole.toe.start) % len(high)  # the one at the other end
        way = sole.position[point] + shares * (sole.position[other] - sole.position[point])
        carried = way[:, 2] - terrain.height(way[:, 0], way[:, 1]) < overhang
        if not carried.any():
            continue
        found = True
        share = float(shares[int(np.argmax(carried)), 0])
        local[point] += share * (local[other] - local[point])
        table[point, MOTION] += share * (sole.table[other, MOTION] - table[point, MOTION])
        jacobian[point] += share * (sole.jacobian[other] - jacobian[point])
    if not found:
        return sole
    ground, table[:, NORMAL] = terrain.surface(table[:, 0], table[:, 1])
    table[:, HEIGHT] = (table[:, 2] - ground) * table[:, 11]
    return SoleState(Sole(sole.role, sole.body, local), sole.rotation, table, jacobian, table[:, HEIGHT] < NEAR)


def on_edge(sole: SoleState, frame: Frame, up: np.ndarray, radius: float) -> SoleState:
    """A sole that is tilted far, on the rounded edges at its ends: the places where these meet the ground.

    Points of a sole are where it touches when it lies flat; a foot that stands on its toes rolls on their rounding. Its
    toes then seem to be in the air by up to the radius, and on a steep foot to have lost the ground. `up` is the
    normal of the sole in the foot's axes.
    """
    away = radius * (sole.rotation.dot(up) - sole.normal)
    table, spin = sole.table.copy(), frame.spin
    turning = _cross(spin, away)
    table[:, POSITION] += away
    table[:, VELOCITY] += turning
    table[:, BIAS] += _cross(frame.spin_bias, away) + _cross(spin, turning)
    table[:, HEIGHT] += (away * sole.normal).sum(axis=1)
    state = SoleState(Sole(sole.role, sole.body, np.zeros((0, 3))), sole.rotation, table,
                      sole.jacobian - skew(away) @ frame.spin_jacobian, table[:, HEIGHT] < NEAR)
    state.local_key = sole.local_key  # all points move alike
    return state


def _cross(vector: np.ndarray, others: np.ndarray) -> np.ndarray:
    """A vector (3,) times others (k, 3): `np.cross` takes several times as long."""
    (x, y, z), (a, b, c), out = vector, others.T, np.empty(others.shape)
    out[:, 0], out[:, 1], out[:, 2] = y * c - z * b, z * a - x * c, x * b - y * a
    return out


def part_of(sole: SoleState, points: np.ndarray) -> SoleState:
    """A sole of some of its points only, a mask (k,)."""
    if all(points.tolist()):
        return sole
    local = np.frombuffer(sole.local_key).reshape(-1, 3)[points]
    return SoleState(Sole(sole.role, sole.body, local), sole.rotation, sole.table[points], sole.jacobian[points],
                     sole.near[points])


def support_points(soles: Sequence[SoleState], held: Sequence[np.ndarray], friction: float) -> SupportPoints:
    """The points of some feet that are to be held: a mask (k,) for each foot."""
    feet, parts, every = [], [], True
    for sole, mask in zip(soles, held, strict=True):
        flags = mask.tolist()
        own = (sole.table, sole.jacobian, sole.near)
        if not all(flags):
            every, own = False, (sole.table[mask], sole.jacobian[mask], sole.near[mask])
        if True in flags:
            feet.append((sole, mask))
            parts.append(own)
    if every and len(feet) > 1 and soles is feet[0][0].feet:
        return SupportPoints(*feet[0][0].whole, friction, feet)
    if len(parts) == 1:
        return SupportPoints(*parts[0], friction, feet)
    table, jacobian, near = (np.concatenate(alike) for alike in zip(*(parts or [own]), strict=True))
    return SupportPoints(table, jacobian, near, friction, feet)


def middle_and_tilt(sole: SoleState, heel: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """The mean of heel and toe by the heel's share, and toe less heel: columns (2, WIDTH), and rows (2, 3, nv)."""
    count = len(sole.height)
    shares = _shares(count, heel)
    return shares.dot(sole.table), shares.dot(sole.jacobian.reshape(count, -1)).reshape(2, 3, -1)


@lru_cache
def _shares(count: int, share: float) -> np.ndarray:
    """(2, count) of each sole point in that mean, and in toe less heel."""
    parts = np.zeros((2, count))
    for part, own in zip(parts, heel_and_toe(count), strict=True):
        part[own] = 1.0 / (own.stop - own.start)
    heel, toe = parts
    return np.array([share * heel + (1.0 - share) * toe, toe - heel])


@lru_cache
def heel_and_toe(count: int) -> tuple[slice, slice]:
    """Of so many points of a sole those of the heel, and those of the toe."""
    return slice(0, count // 2), slice(count // 2, count)


def planted(soles: Sequence[SoleState]) -> list[np.ndarray]:
    """Masks that hold every point of every foot that touches the ground anywhere."""
    return [_mask(len(sole.table), sole.touches) for sole in soles]


@lru_cache
def _even(count: int) -> np.ndarray:
    """Equal shares, (count,)."""
    return np.full(count, 1.0 / count)


@lru_cache
def _mask(count: int, value: bool) -> np.ndarray:
    mask = np.full(count, value)
    mask.flags.writeable = False
    return mask


@lru_cache(maxsize=256)
def rigid_motions(points: bytes, held: bytes) -> tuple[int, int, np.ndarray]:
    """The ways in which some of the points of one foot can move at once, in its axes.

    r, 3 k, and orthonormal rows of these sizes, as (r k, 3).
    """
    places = np.frombuffer(points).reshape(-1, 3)[np.frombuffer(held, dtype=bool)]
    motions = np.zeros((len(places), 3, 6))
    motions[:, :, :3], motions[:, :, 3:] = np.eye(3), -skew(places - places.mean(axis=0))
    motions[:, :, 3:] /= max(float(np.abs(motions[:, :, 3:]).max()), 1e-9)
    U, size, _ = np.linalg.svd(motions.reshape(-1, 6), full_matrices=False)
    ways = np.ascontiguousarray(U.T[size > 1e-6 * size[0]])
    return *ways.shape, ways.reshape(-1, 3)


@lru_cache(maxsize=256)
def _cached_rays(normals: bytes, friction: float) -> np.ndarray:
    """Normals of the ground are the same from tick to tick, mostly: no need to compute their pyramids again."""
    rays = friction_rays(np.frombuffer(normals).reshape(-1, 3), friction)
    rays.flags.writeable = False
    return rays


def friction_rays(normal: np.ndarray, friction: float) -> np.ndarray:
    """Edges of friction pyramids inside the cones around the normals (k, 3): (k, RAYS, 3), length FORCE_UNIT."""
    reference = np.where(np.abs(normal[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = reference - normal * np.sum(reference * normal, axis=1, keepdims=True)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = (skew(normal) @ first[..., None])[..., 0]
    angle = np.pi / 4 + np.arange(RAYS) * 2 * np.pi / RAYS
    rays = (normal[:, None] + friction * (np.cos(angle)[:, None] * first[:, None]
                                          + np.sin(angle)[:, None] * second[:, None]))
    return rays * FORCE_UNIT / np.sqrt(1.0 + friction**2)
