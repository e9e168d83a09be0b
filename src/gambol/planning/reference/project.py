"""Projection: the COM that is nearest to a given one and that the planned contacts can carry.

While something touches, the pressure point (with what the planned turning takes of it) stays inside what touches,
shrunk to a part of it: the rest is room for who follows. In flights the COM falls freely. Both are solved by ADMM,
whose linear step is a banded system, so that the time grows with the length of the motion only linearly.

    minimise |x - x0|^2   with   A x in C,   A x = x - h x''  (horizontal; h = height / vertical force per mass)
                                 A z = z''                    (vertical, between what carries a body)

The last row is the capture point instead, x + x' / w. Without it the COM may fall over at the end, as nothing comes
after: a motion that ends standing has to end with it over the soles, and one that is under way where it was going.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import solveh_banded
from scipy.spatial import ConvexHull, QhullError

GRAVITY = 9.81
RATE = 50.0
"""Rows a second that are solved for."""
ROUNDS, OVER = 400, 1.6
"""Iterations of ADMM, and over-relaxation."""
LIGHT, HEAVY = 0.7, 1.5
"""The COM of a body that is carried falls and rises at most so fast, in g."""
SHARE = 0.3
"""Of the soles, for the pressure point; the rest is left to feedback."""
LEAST_FORCE = 3.0
"""N/kg, vertical, below which the pressure point means nothing."""
MOST_SHIFT = 0.08
"""m that the planned turning may take of the pressure's room; more is noise of differentiation."""
CORNERS = 8
HELD = 1e4
"""Weight of the first two rows: a motion begins where it begins."""
PENALTY, CALM, SLOPE = 0.3, 0.02, 0.1
"""Of ADMM; of keeping the pressure point as it was where it is allowed; and the scale of the vertical rows, s2."""
STANDING, LAST = 0.05, 5
"""A capture point so near to the soles (m) ends standing; and rows over which the last speed is taken."""
THIN = 0.01
"""m about points that are too few or too much in line to span an area."""


@dataclass(frozen=True)
class Projected:
    """A COM that can be, at the rows of the series that was given, and how far that took it."""

    com: np.ndarray
    """(n, 3) m"""
    velocity: np.ndarray
    acceleration: np.ndarray
    pressure_shift: np.ndarray
    """(n, 2) m by which the planned turning moves the pressure point"""
    moved: float
    """m, mean"""
    outside_before: float
    """m, mean distance of the pressure point from its room"""
    outside: float


def project(com: np.ndarray, turning: np.ndarray, supports: list[np.ndarray], rate: float, mass: float,
            share: float = SHARE) -> Projected:
    """Project a COM (n, 3); `turning` (n, 3) is the rate of the angular momentum, `supports` (k, 3) points a row."""
    step = max(1, round(rate / RATE))
    rows = np.arange(0, len(com), step)
    dt = step / rate
    given, pushed = com[rows], turning[rows]
    points = [supports[row] for row in rows]
    air = np.array([not len(p) for p in points])
    ground = _ground(points, air)
    z = _vertical(given[:, 2], air, dt)
    force = np.maximum(GRAVITY + np.gradient(np.gradient(z, dt), dt), LEAST_FORCE)
    shift = np.stack([-pushed[:, 1], pushed[:, 0]], axis=1) / (mass * force)[:, None]
    shift = np.clip(shift, -MOST_SHIFT, MOST_SHIFT)
    room, arm = rooms(points, share) - shift[:, None], (z - ground) / force
    if not air[-1]:
        room[-1] = _ending(given[:, :2], float(np.sqrt(max(arm[-1], 0.0))), rooms(points[-1:], 1.0)[0], room[-1], dt)
    x, before, after = _horizontal(given[:, :2], arm, room, air, dt)
    held = ~air
    held[[0, -1]] = False
    spline = CubicSpline(rows / rate, np.concatenate([x, z[:, None]], axis=1))
    times = np.minimum(np.arange(len(com)), rows[-1]) / rate
    return Projected(spline(times), spline(times, 1), spline(times, 2), CubicSpline(rows / rate, shift)(times),
                     float(np.linalg.norm(x - given[:, :2], axis=1).mean()), _distance(room, before, held),
                     _distance(room, after, held))


def rooms(points: list[np.ndarray], share: float) -> np.ndarray:
    """Convex polygons (n, CORNERS, 2), counter-clockwise with corners repeated, of points shrunk to a share."""
    found = np.zeros((len(points), CORNERS, 2))
    last: tuple[bytes, np.ndarray] = b"", found[0]
    for row, own in enumerate(points):
        if not len(own):
            continue
        key = own.tobytes()
        if key != last[0]:
            last = key, _hull(own[:, :2], share)
        found[row] = last[1]
    return found


def _hull(points: np.ndarray, share: float) -> np.ndarray:
    """The shrunk hull of points (k, 2), (CORNERS, 2)."""
    if len(points) < 3:
        points = np.concatenate([points + THIN * np.array(way) for way in ((1, 0), (-1, 0), (0, 1), (0, -1))])
    try:
        hull = points[ConvexHull(points).vertices]
    except QhullError:
        points = np.concatenate([points + THIN * np.array(way) for way in ((1, 0), (-1, 0), (0, 1), (0, -1))])
        hull = points[ConvexHull(points).vertices]
    if len(hull) > CORNERS:
        hull = hull[np.linspace(0, len(hull), CORNERS, endpoint=False).astype(int)]
    middle = hull.mean(axis=0)
    found: np.ndarray = middle + share * (hull[np.minimum(np.arange(CORNERS), len(hull) - 1)] - middle)
    return found


def nearest_in(polygons: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (n, 2) moved into convex polygons (n, k, 2), counter-clockwise, corners repeated at will."""
    edges = np.roll(polygons, -1, axis=1) - polygons
    way = points[:, None] - polygons
    outside = (edges[..., 0] * way[..., 1] - edges[..., 1] * way[..., 0] < 0).any(axis=1)
    share = np.clip((edges * way).sum(-1) / np.maximum((edges * edges).sum(-1), 1e-12), 0, 1)
    on_edges = polygons + share[..., None] * edges
    best = np.argmin(((on_edges - points[:, None]) ** 2).sum(-1), axis=1)
    found: np.ndarray = np.where(outside[:, None], on_edges[np.arange(len(points)), best], points)
    return found


def _distance(room: np.ndarray, pressure: np.ndarray, rows: np.ndarray) -> float:
    """Mean distance (m) of the pressure point from its room over some rows."""
    if not rows.any():
        return 0.0
    return float(np.linalg.norm(pressure - nearest_in(room, pressure), axis=1)[rows].mean())


def _ground(points: list[np.ndarray], air: np.ndarray) -> np.ndarray:
    """Mean height of what carries, (n,), interpolated over flights."""
    rows = np.flatnonzero(~air)
    if not len(rows):
        return np.zeros(len(points))
    return np.interp(np.arange(len(points)), rows, [float(points[row][:, 2].mean()) for row in rows])


def _ending(given: np.ndarray, time: float, sole: np.ndarray, room: np.ndarray, dt: float) -> np.ndarray:
    """Where the capture point, `time` (s) ahead, has to be in the end, (CORNERS, 2)."""
    back = min(LAST, len(given) - 1)
    capture = given[-1:] + time * (given[-1:] - given[-1 - back]) / (back * dt)
    if np.linalg.norm(capture - nearest_in(sole[None], capture)) < STANDING:
        return room
    corners = THIN * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    found: np.ndarray = capture + corners[np.minimum(np.arange(CORNERS), len(corners) - 1)]
    return found


# -- the two problems --------------------------------------------------------------------------------------------------


def _vertical(height: np.ndarray, air: np.ndarray, dt: float) -> np.ndarray:
    """The nearest height whose acceleration is what carries a body, and free fall in flights."""
    n = len(height)
    rows = _Second(-SLOPE * np.ones(n), np.zeros(n), dt)
    low = SLOPE * np.where(air, -GRAVITY, -LIGHT * GRAVITY)
    high = SLOPE * np.where(air, -GRAVITY, HEAVY * GRAVITY)
    penalty = np.ones(n)
    penalty[[0, -1]] = 0.0
    weight = _weights(n)
    factor = rows.normal(weight, penalty)
    given, z = height[:, None], height[:, None]
    split, dual = np.clip(rows.times(z), low[:, None], high[:, None]), np.zeros((n, 1))
    for _ in range(ROUNDS):
        z = solveh_banded(factor, weight[:, None] * given + rows.transposed(penalty[:, None] * (split - dual)))
        relaxed = OVER * rows.times(z) - (OVER - 1.0) * split
        split = np.clip(relaxed + dual, low[:, None], high[:, None])
        dual += relaxed - split
    return z[:, 0]


def _horizontal(given: np.ndarray, arm: np.ndarray, room: np.ndarray, air: np.ndarray, dt: float
                ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nearest path (n, 2) with its pressure point in its room; the pressure points before and after."""
    n = len(given)
    rows = _Second(np.where(air, SLOPE, arm), np.where(air, 0.0, 1.0), dt)
    free = np.zeros(n, dtype=bool)
    free[0], free[-1] = True, air[-1]
    if not air[-1]:
        rows.look_ahead(float(np.sqrt(max(arm[-1], 0.0))) / dt)
    before = rows.times(given)
    wish = np.where(air[:, None], 0.0, before)
    penalty, calm = np.where(free, 0.0, PENALTY), np.where(free | air, 0.0, CALM)
    calm[-1] = 0.0
    weight = _weights(n)
    factor = rows.normal(weight, penalty + calm)
    split, dual, x = before.copy(), np.zeros((n, 2)), given
    for _ in range(ROUNDS):
        pull = rows.transposed(calm[:, None] * wish + penalty[:, None] * (split - dual))
        x = solveh_banded(factor, weight[:, None] * given + pull)
        relaxed = OVER * rows.times(x) - (OVER - 1.0) * split
        split = np.where(air[:, None], 0.0, nearest_in(room, relaxed + dual))
        dual += relaxed - split
    return x, before, rows.times(x)


def _weights(n: int) -> np.ndarray:
    weight = np.ones(n)
    weight[:2] = HELD
    return weight


class _Second:
    """Rows `one x - arm x''` of a series (the values themselves at both ends), as three diagonals."""

    def __init__(self, arm: np.ndarray, one: np.ndarray, dt: float) -> None:
        bend = np.r_[0.0, arm[1:-1], 0.0] / dt**2
        self.low, self.high = -bend, -bend
        self.middle = one + 2.0 * bend
        self.middle[[0, -1]] = 1.0

    def look_ahead(self, rows: float) -> None:
        """Make the last row the place that is reached at the last speed after so many rows."""
        self.middle[-1], self.low[-1] = 1.0 + rows, -rows

    def normal(self, weight: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """`diag(weight) + A' diag(penalty) A`, its upper diagonals as `solveh_banded` takes them, (3, n)."""
        low, middle, high, n = self.low, self.middle, self.high, len(weight)
        main = weight + penalty * middle**2
        main[:-1] += penalty[1:] * low[1:] ** 2
        main[1:] += penalty[:-1] * high[:-1] ** 2
        one, two = np.zeros(n), np.zeros(n)
        one[1:] = penalty[:-1] * middle[:-1] * high[:-1] + penalty[1:] * middle[1:] * low[1:]
        two[2:] = penalty[1:-1] * low[1:-1] * high[1:-1]
        return np.array([two, one, main])

    def times(self, x: np.ndarray) -> np.ndarray:
        y = self.middle[:, None] * x
        y[1:] += self.low[1:, None] * x[:-1]
        y[:-1] += self.high[:-1, None] * x[1:]
        return y

    def transposed(self, x: np.ndarray) -> np.ndarray:
        y = self.middle[:, None] * x
        y[:-1] += self.low[1:, None] * x[1:]
        y[1:] += self.high[:-1, None] * x[:-1]
        return y
