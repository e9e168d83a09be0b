"""Surfaces: everything that patches can touch, alike: terrain, props and other figures.

For points it answers how far the nearest surface is, which way that faces, what it belongs to, how it moves and how
slippery it is. On bare terrain nothing of it costs anything; props and figures are looked at where they are near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from gambol.geometry import solids
from gambol.lazy import lazy
from gambol.rotations import cross
from gambol.world.carriers import top_of
from gambol.world.figure import Figure, Footed
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
FEW = 16
"""So many things are looked at as quickly as those near the figure are picked out of them."""
_GEOM = mujoco.mjtGeom


class Touch:
    """The nearest surfaces of k points that are near things; what is asked of them is computed when it is asked.

    `geom` (k,) is the nearest thing's, -1 where it is the terrain; `body` 0 is the world.
    """

    def __init__(self, surfaces: Surfaces, points: np.ndarray, distance: np.ndarray, normal: np.ndarray,
                 geom: np.ndarray, pads: np.ndarray, of: tuple[Touch, slice | np.ndarray] | None = None) -> None:
        self.surfaces, self.points, self._pads = surfaces, points, pads
        self._of = of
        """the one that this is a part of, and which of its points: that is asked, once for all its parts"""
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
        """(k, 3) the same; as it was seen since the last tick, of figures none"""
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
        self._figures, self._tops = figures, {figure.top for figure in figures}
        self._ground = np.array([model.geom(g).name.startswith(PREFIX) for g in range(model.ngeom)], dtype=bool)
        solid = (model.geom_contype | model.geom_conaffinity) != 0
        kinds = np.isin(model.geom_type, (_GEOM.mjGEOM_PLANE, _GEOM.mjGEOM_BOX))
        self._walls = np.flatnonzero(solid & self._ground & kinds)
        """geoms of the terrain that have sides; those of rough fields are known by their heights alone"""
        self._things = np.flatnonzero(solid & ~self._ground & (model.geom_type != _GEOM.mjGEOM_PLANE))
        """geoms of props and figures"""
        self.bare = not (len(self._things) and np.isin(model.body_rootid[model.geom_bodyid[self._things]],
                                                       [figure.top for figure in figures], invert=True).any()
                         ) and len(figures) == 1
        """whether there is nothing but terrain and one figure"""
        self._ground_geoms = np.flatnonzero(self._ground)
        self._others: dict[tuple[int, bool], np.ndarray] = {}
        endless = model.geom_type == _GEOM.mjGEOM_PLANE
        self._endless = np.where(endless[:, None, None], [ENDLESS, ENDLESS, 0.0], 0.0)
        """what the boxes around geoms lack, (ngeom, 1, 3); these may change with a body"""
        self._friction: dict[tuple[float, int], float] = {}
        self._alive = np.isin(model.body_rootid, list(self._tops))
        """bodies of figures: these answer within the tick to what stands on them, so that how they were last seen to
        accelerate is no forecast; believed, it makes a loop in which bearer and borne shake each other off"""
        self.seen: tuple[float, np.ndarray, np.ndarray]
        """when bodies were last looked at, how fast they turned and went (nbody, 6), and how that had changed"""
        self.forget()

    # -- heights, for who stands and who plans -----------------------------------------------------------------------

    def surface(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Heights and normals of the terrain."""
        return self.terrain.surface(x, y)

    def height(self, x: ArrayLike, y: ArrayLike, below: float = np.inf, over: Footed | None = None) -> np.ndarray:
        """Height of the highest of terrain and props at the points: of props only what is not higher than `below`.

        For one figure (`over`) the other figures are things, too.
        """
        px, py = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        heights = np.array(self.terrain.height(px, py), dtype=float)
        if self.bare:
            return heights
        own = [figure.top for figure in self._figures] if over is None else [over.top]
        things = self._things[~np.isin(self.model.body_rootid[self.model.geom_bodyid[self._things]], own)]
        for at in np.ndindex(heights.shape):
            over_x, over_y = float(px[at]), float(py[at])
            away = np.hypot(self.data.geom_xpos[things, 0] - over_x, self.data.geom_xpos[things, 1] - over_y)
            for geom in things[away < self.model.geom_rbound[things]]:
                top = self.top(int(geom), over_x, over_y)
                if heights[at] < top <= below:
                    heights[at] = top
        return heights

    def is_ground(self, geom: int) -> bool:
        """Whether a geom is of the terrain."""
        return bool(self._ground[geom])

    def top(self, geom: int, x: float, y: float) -> float:
        """Where a vertical line from far above meets a geom first, m; minus infinity if it does not."""
        return top_of(self.model, geom, self.data.geom_xpos[geom], self.data.geom_xmat[geom], x, y)

    def ground_of(self, figure: Footed) -> float:
        """Height of what carries a figure: a thing under its feet, or else whatever is highest below its COM.

        The terrain below its COM counts in any case.
        """
        x, y, z = self.data.subtree_com[figure.top]
        ground = float(self.terrain.height(x, y))
        if self.bare or not figure.soles:
            return ground
        points = figure.sole_points()
        for places in (points, _middles(figure, points)):  # feet may stand on less than reaches to their ends
            under = self.height(places[:, 0], places[:, 1], float(points[:, 2].max()) + UNDERFOOT, figure)
            on = under > places[:, 2] - UNDERFOOT
            if on.any():
                return max(ground, float(under[on].max()))
        return max(ground, float(self.height(x, y, float(z), figure)))

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
        """What points (k, 3) are nearest to, given distance (k,) and normal (k, 3) of the terrain below or above them.

        None where nothing but the terrain is near. Patches other than feet feel the terrain's sides, too.
        """
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
        """Which patches, none but feet, may have a point (k, 3) so near to a surface; `height` is that over terrain.

        Things count as the boxes around them, all at once: what this says no to needs no closer look.
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

    def nearest(self, figure: Figure, point: np.ndarray, reach: float) -> Spot | None:
        """The place nearest to a point (3,) on sides of the terrain, props and other figures; None beyond `reach`."""
        model, data, found = self.model, self.data, None
        geoms = self._near(figure, point[None], walls=True, reach=reach)
        for geom in geoms[model.geom_type[geoms] != _GEOM.mjGEOM_PLANE]:
            distance, normal = (value[0] for value in self._distance(int(geom), point[None]))
            if 0.0 < distance < reach:
                body, reach = int(model.geom_bodyid[geom]), float(distance)
                turn = data.xmat[body].reshape(3, 3)
                found = Spot(body, (point - reach * normal - data.xpos[body]) @ turn, normal @ turn, data)
        return found

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

    def _others_of(self, figure: Figure, walls: bool) -> np.ndarray:
        """Geoms of things that are not the figure's own, and of the terrain those that have sides."""
        key = figure.top, walls
        if key not in self._others:
            things = self._things[:0] if self.bare else self._things[
                self.model.body_rootid[self.model.geom_bodyid[self._things]] != figure.top]
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
        """What was seen to move was so in another run."""
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
        change[self._alive] = 0.0
        self.seen = time, now, change

    # -- things that are moved ---------------------------------------------------------------------------------------

    def loose_among(self, bodies: np.ndarray) -> list[int]:
        """Props with a free joint among some bodies, and those that they lean on in turn."""
        found, todo = [], [int(body) for body in dict.fromkeys(bodies.tolist()) if self._is_loose(int(body))]
        while todo:
            found.append(todo.pop())
            for _, pair in self.contacts_of(found[-1:]):
                todo += [body for body in pair if body not in (*found, *todo) and self._is_loose(body)]
        return found

    def contacts_of(self, bodies: Sequence[int]) -> list[tuple[mujoco.MjContact, tuple[int, int]]]:
        """Contacts of loose props with all that is no figure, each with its two bodies; each is listed once."""
        geoms, owner = self.data.contact.geom, self.model.geom_bodyid
        own = np.isin(owner[geoms], list(bodies)).any(axis=1) if len(geoms) else np.zeros(0, dtype=bool)
        found = []
        for k in np.flatnonzero(own):
            first, second = (int(owner[geom]) for geom in geoms[k])
            if not {int(self.model.body_rootid[first]), int(self.model.body_rootid[second])} & self._tops:
                found.append((self.data.contact[int(k)], (first, second)))
        return found

    def _is_loose(self, body: int) -> bool:
        model = self.model
        return (model.body_dofnum[body] == 6 and int(model.body_rootid[body]) not in self._tops
                and model.jnt_type[model.body_jntadr[body]] == mujoco.mjtJoint.mjJNT_FREE)


def _middles(figure: Footed, points: np.ndarray) -> np.ndarray:
    """The middle of each sole, given all sole points, (feet, 3)."""
    ends = np.cumsum([len(sole.points) for sole in figure.soles])[:-1]
    return np.array([part.mean(axis=0) for part in np.split(points, ends)])
