"""Surfaces: everything that patches can touch, alike: terrain, props and other figures.

For points it answers how far the nearest surface is, which way that faces, what it belongs to, how it moves and how
slippery it is. On bare terrain nothing of it costs anything; props and figures are looked at where they are near.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from gambol.geometry import solids
from gambol.lazy import lazy
from gambol.rotations import cross
from gambol.world.carriers import top_of
from gambol.world.figure import Figure, Footed
from gambol.world.loads import Load
from gambol.world.patches import FigurePatch, PatchSet, pair_friction
from gambol.world.terrain import PREFIX, Terrain

REACH = 0.05
"""Things farther than this from a point are not looked at, m."""
FASTEST = 30.0
"""An acceleration of a surface is believed up to this, m/s2: a knock is no movement to go along with."""
UNDERFOOT = 0.05
"""A surface that is at most this far below a sole, m, or that the sole is in, is what it stands on."""
ENDLESS = 1e6
"""Half size of what has no end, m."""
LEGS = 2.0
"""No sole is farther from the COM than this along the ground, m; of who is taller than 1 m there, times that height."""
FEW = 8
"""Number of geoms up to which looking at all of them takes no longer than picking out those near the figure first."""
_GEOM = mujoco.mjtGeom


class Touch:
    """The nearest surfaces of k points that are near things. Body, friction and motion are computed when asked for.

    `geom` (k,) is the nearest thing's, -1 where it is the terrain; `body` 0 is the world.
    """

    def __init__(self, surfaces: Surfaces, points: np.ndarray, distance: np.ndarray, normal: np.ndarray,
                 geom: np.ndarray, pads: np.ndarray, of: tuple[Touch, slice | np.ndarray] | None = None) -> None:
        self.surfaces, self.points, self._pads = surfaces, points, pads
        self._of = of
        """the larger Touch whose points (second entry) these are, or None; it computes once for all its parts"""
        self.distance, self.normal, self.geom = distance, normal, geom
        """(k,) along the normal, negative inside; (k, 3)"""

    @lazy
    def body(self) -> np.ndarray:
        """(k,) body that the surface belongs to"""
        if self._of is not None:
            return self._of[0].body[self._of[1]]
        return np.where(self.geom >= 0, self.surfaces.model.geom_bodyid[self.geom], 0)

    @lazy
    def friction(self) -> np.ndarray:
        """(k,) sliding friction against the patch"""
        if self._of is not None:
            return self._of[0].friction[self._of[1]]
        return self.surfaces.friction_against(self.geom, self._pads)

    @lazy
    def _motion(self) -> tuple[np.ndarray, np.ndarray]:
        if self._of is not None:
            velocity, acceleration = self._of[0]._motion
            return velocity[self._of[1]], acceleration[self._of[1]]
        return self.surfaces.motion(self.body, self.points)

    @property
    def velocity(self) -> np.ndarray:
        """(k, 3) of the surface there"""
        return self._motion[0]

    @property
    def acceleration(self) -> np.ndarray:
        """(k, 3) of the surface there, m/s2, as seen since the last tick; figures count as not accelerating"""
        return self._motion[1]

    def part(self, points: slice | np.ndarray) -> Touch | None:
        """Of some of the points; None if only the terrain is near them."""
        geom = self.geom[points]
        if max(geom.tolist(), default=-1) < 0:
            return None
        return Touch(self.surfaces, self.points[points], self.distance[points], self.normal[points], geom,
                     self._pads[points], (self, points))


@dataclass(frozen=True)
class Spot:
    """A place on a surface; it goes with what it is on."""

    body: int
    _place: np.ndarray
    _normal: np.ndarray
    _data: mujoco.MjData

    @property
    def place(self) -> np.ndarray:
        """Where it is now, (3,)."""
        return self._data.xpos[self.body] + self._data.xmat[self.body].reshape(3, 3) @ self._place

    @property
    def normal(self) -> np.ndarray:
        """Which way it faces now, (3,)."""
        return self._data.xmat[self.body].reshape(3, 3) @ self._normal


class Surfaces:
    """Terrain, props and figures of a world, to be asked and not to be moved."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, terrain: Terrain,
                 figures: Sequence[Footed]) -> None:
        self.model, self.data, self.terrain = model, data, terrain
        self._figures = figures
        self.ground = np.array([model.geom(g).name.startswith(PREFIX) for g in range(model.ngeom)], dtype=bool)
        """(ngeom,) geoms of the terrain"""
        solid = (model.geom_contype | model.geom_conaffinity) != 0
        kinds = np.isin(model.geom_type, (_GEOM.mjGEOM_PLANE, _GEOM.mjGEOM_BOX))
        self._walls = np.flatnonzero(solid & self.ground & kinds)
        """geoms of the terrain that have sides; those of rough fields are known by their heights alone"""
        self._things = np.flatnonzero(solid & ~self.ground & (model.geom_type != _GEOM.mjGEOM_PLANE))
        """geoms of props and figures"""
        self.bare = not (len(self._things) and np.isin(model.body_rootid[model.geom_bodyid[self._things]],
                                                       [figure.top for figure in figures], invert=True).any()
                         ) and len(figures) == 1
        """whether there is nothing but terrain and one figure"""
        self._ground_geoms = np.flatnonzero(self.ground)
        self._others: dict[tuple[int, bool], np.ndarray] = {}
        endless = model.geom_type == _GEOM.mjGEOM_PLANE
        self._endless = np.where(endless[:, None, None], [ENDLESS, ENDLESS, 0.0], 0.0)
        """(ngeom, 1, 3) m, to be added to the half sizes of the boxes around geoms: MuJoCo gives a plane a box without
        breadth. The boxes themselves are read from the model each time, for they change when a body is edited."""
        self._friction: dict[tuple[float, int], float] = {}
        self.alive = np.isin(model.body_rootid, [figure.top for figure in figures])
        """(nbody,) whether a body is a figure's. It reacts within the tick to whoever stands on it, so that its last
        acceleration is no forecast of the next one and counts as zero: bearer and rider who both went along with
        it shook each other off."""
        self.loose = ~self.alive & (model.body_dofnum == 6) & np.isin(
            np.arange(model.nbody), model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE])
        """(nbody,) props with a free joint"""
        self.loads: tuple[Load, ...] = ()
        """what several figures pressed with on loose props in the last tick"""
        self.seen: tuple[float, np.ndarray, np.ndarray]
        """time of the last look, s; angular and linear velocity of all bodies, and accelerations, (nbody, 6) each"""
        self.forget()

    # -- heights, for who stands and who plans -----------------------------------------------------------------------

    def surface(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Heights and normals of the terrain."""
        return self.terrain.surface(x, y)

    def height(self, x: ArrayLike, y: ArrayLike, below: float = np.inf, over: Footed | None = None) -> np.ndarray:
        """Height of the highest of terrain and props at the points: of props only what is not higher than `below`.

        For one figure (`over`) the other figures are things, too.
        """
        return self._highest(x, y, below, over)[0]

    def _highest(self, x: ArrayLike, y: ArrayLike, below: float, over: Footed | None) -> tuple[np.ndarray, np.ndarray]:
        """... and the geom that it is of, -1 for the terrain."""
        px, py = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        heights, whose = np.array(self.terrain.height(px, py), dtype=float), np.full(px.shape, -1)
        things = self._others_of(over, walls=False)
        if not len(things):
            return heights, whose
        ways = self.data.geom_xpos[things, :2, None] - np.array([px.ravel(), py.ravel()])
        for thing, point in np.argwhere((ways * ways).sum(axis=1) < self.model.geom_rbound[things, None]**2).tolist():
            at = np.unravel_index(point, px.shape)
            top = self.top(int(things[thing]), float(px[at]), float(py[at]))
            if heights[at] < top <= below:
                heights[at], whose[at] = top, things[thing]
        return heights, whose

    def is_ground(self, geom: int) -> bool:
        """Whether a geom is of the terrain."""
        return bool(self.ground[geom])

    def top(self, geom: int, x: float, y: float) -> float:
        """Where a vertical line from far above meets a geom first, m; minus infinity if it does not."""
        return top_of(self.model, geom, self.data.geom_xpos[geom], self.data.geom_xmat[geom], x, y)

    def ground_of(self, figure: Footed) -> float:
        """Height of what carries a figure: a thing under its feet, or else whatever is highest below its COM.

        The terrain below its COM counts in any case.
        """
        return self.carrier_of(figure)[0]

    def carrier_of(self, figure: Footed) -> tuple[float, int]:
        """That height, and the geom of the thing, -1 for the terrain."""
        x, y, z = self.data.subtree_com[figure.top].tolist()
        ground = float(self.terrain.height(x, y)), -1
        if self.bare or not figure.soles or not self._things_about(figure):
            return ground
        points = figure.sole_points()
        for places in _ends_then_middles(figure, points):
            under, whose = self._highest(places[:, 0], places[:, 1], float(points[:, 2].max()) + UNDERFOOT, figure)
            on = np.flatnonzero(under > places[:, 2] - UNDERFOOT)
            if len(on):
                best = on[under[on].argmax()]
                return max(ground, (float(under[best]), int(whose[best])))
        height, below = self._highest(x, y, z, figure)
        return max(ground, (float(height), int(below)))

    def _things_about(self, figure: Footed) -> bool:
        """Whether something that is not the figure's own may be where its feet are or its COM is."""
        things = self._others_of(figure, walls=False)
        com = self.data.subtree_com[figure.top]
        ways = self.data.geom_xpos[things, :2] - com[:2]
        reach = self.model.geom_rbound[things] + LEGS * max(1.0, float(com[2]))
        return True in (np.einsum("ki,ki->k", ways, ways) < reach * reach).tolist()

    # -- what points touch -------------------------------------------------------------------------------------------

    def friction(self, patch: FigurePatch) -> float:
        """Sliding friction of a patch on the terrain."""
        pads = patch.friction, patch.priority
        if pads not in self._friction:
            floor, model = self._ground_geoms[:1], self.model
            self._friction[pads] = float(pair_friction(*pads, model.geom_friction[floor, 0],
                                                       model.geom_priority[floor])[0]) if len(floor) else pads[0]
        return self._friction[pads]

    def touch(self, figure: Figure, patches: PatchSet, points: np.ndarray, distance: np.ndarray,
              normal: np.ndarray) -> Touch | None:
        """The surfaces nearest to points (k, 3), given distance (k,) and normal (k, 3) of the terrain below or above.

        None where nothing but the terrain is near. Patches other than feet feel the terrain's sides, too.
        """
        if patches.feet and len(self._others_of(figure, walls=False)) > FEW and not self._things_about(figure):
            return None
        geoms = self._near(figure, points, walls=not patches.feet)
        if not len(geoms):
            return None
        best, facing, nearest = distance.copy(), normal.copy(), np.full(len(points), -1)
        if not patches.feet:  # a hand in touch with a wall seems to be deep below the wall's top
            best[distance < -REACH] = np.inf
        away, out = self._distances(geoms, points)
        first, every = away.argmin(axis=0), np.arange(len(points))
        away = away[first, every]
        closer = away < best
        if not closer.any():
            return None
        best[closer], facing[closer] = away[closer], out[first, every][closer]
        nearest[closer] = geoms[first[closer]]
        return Touch(self, points, best, facing, nearest, patches.pads)

    def reached(self, figure: Figure, patches: PatchSet, points: np.ndarray, height: np.ndarray,
                within: float) -> list[bool]:
        """Of each patch, whether one of its points (k, 3) may be within a distance, m, of a surface.

        `height` (k,) is that of the points over the terrain. Things count as the boxes around them, so the answer may
        be yes too often; a patch for which it is no needs no closer look.
        """
        near = (height < within) & (height > -REACH)
        geoms = self._others_of(figure, walls=not patches.feet)
        if len(geoms) > FEW:
            geoms = self._near(figure, points, walls=not patches.feet)
        if len(geoms):
            turns, around = self.data.geom_xmat[geoms].reshape(-1, 3, 3), self.model.geom_aabb[geoms, None]
            away = np.abs((points - self.data.geom_xpos[geoms, None]) @ turns - around[..., :3])
            away -= around[..., 3:] + self._endless[geoms]
            near |= (away.max(axis=2) < within).any(axis=0)
        reached: list[bool] = np.logical_or.reduceat(near, patches.begins).tolist()
        return reached

    def friction_against(self, geoms: np.ndarray, pads: np.ndarray) -> np.ndarray:
        """Sliding friction (k,) of pads (k, 2), each friction and priority, on geoms (k,), -1 for the terrain."""
        geoms = np.where(geoms < 0, self._ground_geoms[0], geoms) if len(self._ground_geoms) else geoms
        model = self.model
        return pair_friction(pads[:, 0], pads[:, 1], model.geom_friction[geoms, 0], model.geom_priority[geoms])

    def nearest(self, figure: Figure, point: np.ndarray, reach: float, firm: float = 0.0,
                slow: float = np.inf) -> Spot | None:
        """The place nearest to a point (3,) on sides of the terrain, props and other figures; None beyond `reach`.

        Loose things lighter than `firm` (kg) do not count, nor things that move faster than `slow` (m/s).
        """
        model, data, found = self.model, self.data, None
        geoms = self._near(figure, point[None], walls=True, reach=reach)
        owner = model.geom_bodyid[geoms]
        geoms = geoms[~(self.loose[owner] & (model.body_subtreemass[owner] < firm))]
        for geom in geoms[model.geom_type[geoms] != _GEOM.mjGEOM_PLANE]:
            distance, normal = (value[0] for value in self._distance(int(geom), point[None]))
            body, place = int(model.geom_bodyid[geom]), point - distance * normal
            if 0.0 < distance < reach and self._speed(body, place) <= slow:
                reach, turn = float(distance), data.xmat[body].reshape(3, 3)
                found = Spot(body, (place - data.xpos[body]) @ turn, normal @ turn, data)
        return found

    def _speed(self, body: int, place: np.ndarray) -> float:
        """How fast a place (3,) on a body goes, m/s."""
        spin, flat = self.data.cvel[body, :3], self.data.cvel[body, 3:]
        arm = place - self.data.subtree_com[self.model.body_rootid[body]]
        return float(np.linalg.norm(flat + np.cross(spin, arm)))

    def _near(self, figure: Figure, points: np.ndarray, walls: bool, reach: float = REACH) -> np.ndarray:
        """Geoms that are not the figure's own and may be within reach of any of the points."""
        geoms = self._others_of(figure, walls)
        if not len(geoms):
            return geoms
        low, high = points.min(axis=0), points.max(axis=0)
        away = self.data.geom_xpos[geoms] - 0.5 * (low + high)
        around = 0.5 * float(np.sqrt(((high - low) ** 2).sum())) + reach
        far = self.model.geom_rbound[geoms] + self._endless[geoms, 0, 0] + around
        return geoms[(away * away).sum(axis=1) < far * far]

    def _others_of(self, figure: Footed | None, walls: bool) -> np.ndarray:
        """Geoms of things that are not the figure's own (None: of no figure), and of the terrain those with sides."""
        key = -1 if figure is None else figure.top, walls
        if key not in self._others:
            owner = self.model.geom_bodyid[self._things]
            own = self.alive[owner] if figure is None else self.model.body_rootid[owner] == figure.top
            things = self._things[:0] if self.bare else self._things[~own]
            self._others[key] = np.concatenate([things, self._walls]) if walls else things
        return self._others[key]

    def _distances(self, geoms: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Signed distances (g, k) and normals (g, k, 3) of points to each of some geoms: to boxes all at once."""
        away, normal = np.empty((len(geoms), len(points))), np.empty((len(geoms), *points.shape))
        box = self.model.geom_type[geoms] == _GEOM.mjGEOM_BOX
        rest: Sequence[int] = range(len(geoms))
        if np.count_nonzero(box) > 1:
            boxes, rest = geoms[box], np.flatnonzero(~box).tolist()
            turns = self.data.geom_xmat[boxes].reshape(-1, 3, 3)
            local = (points - self.data.geom_xpos[boxes, None]) @ turns
            away[box], out = solids.box(local, self.model.geom_size[boxes, None])
            normal[box] = out @ turns.transpose(0, 2, 1)
        for place in rest:
            away[place], normal[place] = self._distance(int(geoms[place]), points)
        return away, normal

    def _distance(self, geom: int, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Signed distances (k,) and normals (k, 3) of points to one geom."""
        model, data = self.model, self.data
        place, turn = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3)
        size, local = model.geom_size[geom], (points - place) @ turn
        match model.geom_type[geom]:
            case _GEOM.mjGEOM_BOX:
                away, normal = solids.box(local, size)
            case _GEOM.mjGEOM_SPHERE:
                away, normal = solids.sphere(local, size[0])
            case _GEOM.mjGEOM_CAPSULE:
                away, normal = solids.capsule(local, size[0], size[1])
            case _GEOM.mjGEOM_CYLINDER:
                away, normal = solids.cylinder(local, size[0], size[1])
            case _GEOM.mjGEOM_ELLIPSOID:
                away, normal = solids.ellipsoid(local, size)
            case _GEOM.mjGEOM_PLANE:
                away, normal = solids.plane(local)
            case _:  # a mesh counts as the box around it
                away, normal = solids.box(local - model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:])
        return away, normal @ turn.T

    def motion(self, bodies: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Velocity and acceleration of points that go with bodies, as they are seen to move; (k, 3) each."""
        self._watch()
        arms = points - self.data.xpos[bodies]
        _, speeds, changes = self.seen
        now, change = speeds[bodies], changes[bodies]
        turning = cross(now[:, :3], arms)
        velocity = now[:, 3:] + turning
        acceleration = change[:, 3:] + cross(change[:, :3], arms) + cross(now[:, :3], turning)
        return velocity, np.clip(acceleration, -FASTEST, FASTEST)

    def forget(self) -> None:
        """Forget velocities, accelerations and loads: after a reset they are those of another run."""
        self.loads = ()
        self.seen = -1.0, np.zeros((self.model.nbody, 6)), np.zeros((self.model.nbody, 6))

    def _watch(self) -> None:
        """See how fast all bodies turn and go, and how that has changed since the last time."""
        before, known, _ = self.seen
        time, data = float(self.data.time), self.data
        if time == before:
            return
        arms = data.xpos - data.subtree_com[self.model.body_rootid]
        spin = data.cvel[:, :3]
        now = np.concatenate([spin, data.cvel[:, 3:] + cross(spin, arms)], axis=1)
        passed = time - before
        change = (now - known) / passed if 0.0 < passed < 0.1 and before >= 0.0 else np.zeros_like(now)
        change[self.alive] = 0.0
        self.seen = time, now, change


def _ends_then_middles(figure: Footed, points: np.ndarray) -> Iterator[np.ndarray]:
    """All sole points, then the middle of each sole: feet may stand on less than reaches to their ends."""
    yield points
    ends = np.cumsum([len(sole.points) for sole in figure.soles])[:-1]
    yield np.array([part.mean(axis=0) for part in np.split(points, ends)])
