"""What can carry a figure: all that is not its own, but no thrown ball; and where a vertical line meets a thing's top.

These look at a model and at places that are handed in, so they serve a live world and the rows of a Motion alike.
"""

from __future__ import annotations

import mujoco
import numpy as np

from gambol.world.props import is_projectile, is_tee
from gambol.world.terrain import PREFIX

_GEOM = mujoco.mjtGeom
_PLAIN = {int(kind) for kind in (_GEOM.mjGEOM_PLANE, _GEOM.mjGEOM_SPHERE, _GEOM.mjGEOM_CAPSULE, _GEOM.mjGEOM_ELLIPSOID,
                                 _GEOM.mjGEOM_CYLINDER, _GEOM.mjGEOM_BOX)}


def trees(model: mujoco.MjModel) -> np.ndarray:
    """The top body of the tree each body belongs to, (nbody,); 0, the world, for all that cannot move."""
    return np.where(model.body_weldid == 0, 0, model.body_rootid)


def carriers(model: mujoco.MjModel) -> np.ndarray:
    """Which geoms may carry what is of another tree, a mask: all but thrown balls."""
    balls = [body for body in range(model.nbody) if is_projectile(model.body(body).name)]
    return ~np.isin(model.geom_bodyid, balls)


def things(model: mujoco.MjModel, but: int) -> np.ndarray:
    """Geoms of props and figures that have a top to stand on, but those that hang on one top body."""
    solid = ((model.geom_contype | model.geom_conaffinity) != 0) & (model.geom_type != _GEOM.mjGEOM_PLANE)
    others = np.flatnonzero(solid & (model.body_rootid[model.geom_bodyid] != but))
    return np.array([geom for geom in others if not _is_scenery(model.geom(geom).name)
                     and not is_projectile(model.body(model.geom_bodyid[geom]).name)], dtype=int)


def _is_scenery(name: str) -> bool:
    """Whether a geom is of the terrain, whose height is known better, or a tee, on which a ball waits far away."""
    return name.startswith(PREFIX) or is_tee(name)


def top_of(model: mujoco.MjModel, geom: int, place: np.ndarray, turn: np.ndarray, x: float, y: float) -> float:
    """Where a vertical line from far above meets a geom at a place (3,), turned (9,), first, m.

    Minus infinity if it does not. A mesh counts as the box around it: MuJoCo ends the program when asked for its ray.
    """
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    start = float(place[2] + model.geom_rbound[geom]) + 1.0
    if kind not in _PLAIN:
        around, kind = model.geom_aabb[geom], int(_GEOM.mjGEOM_BOX)
        place, size = place + turn.reshape(3, 3) @ around[:3], around[3:]
    way = mujoco.mju_rayGeom(place, turn, size, np.array([x, y, start]), np.array([0.0, 0.0, -1.0]), kind)
    return start - way if way >= 0 else -np.inf
