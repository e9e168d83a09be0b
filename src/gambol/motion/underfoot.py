"""What is under the feet over a Motion: terrain, and the tops of props and other figures as they were in each row."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from gambol.errors import BadInput
from gambol.motion.kinematics import Track, apply_edit
from gambol.motion.motion import Motion
from gambol.rotations import matrix, multiply, rotate
from gambol.world.carriers import things, top_of
from gambol.world.surfaces import UNDERFOOT
from gambol.world.terrains import make_terrain

BETWEEN = np.linspace(0.1, 0.9, 9)
"""Shares of the way from heel to toe at which a sole may stand on a thing smaller than itself."""


def clearance(track: Track, top: int, points: np.ndarray, heel: int) -> np.ndarray:
    """Height of the lowest of a sole's points (rows, k, 3), the heel's first, above what is highest below it, (rows,).

    A thing that is higher than a few cm above a point is not below it. What hangs on the body `top`, the figure itself,
    carries none of its feet. For things, places between heel and toe are points of the sole, too.
    """
    over_ground: np.ndarray = (points[..., 2] - _ground(track.motion, points)).min(axis=1)
    others = things(track.motion.model, but=top)
    if not len(others):
        return over_ground
    if 0 < heel < points.shape[1]:
        back, front = points[:, :heel].mean(axis=1), points[:, heel:].mean(axis=1)
        points = np.concatenate([points, back[:, None] + BETWEEN[:, None] * (front - back)[:, None]], axis=1)
    return np.minimum(over_ground, (points[..., 2] - _tops(track, others, points)).min(axis=1))


def _ground(motion: Motion, points: np.ndarray) -> np.ndarray:
    """Height of the terrain under points; level ground where it is not one that gambol knows."""
    try:
        return make_terrain(motion.meta.get("terrain", "flat")).height(points[..., 0], points[..., 1])
    except BadInput:
        return np.zeros(points.shape[:-1])


def _tops(track: Track, geoms: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Height of the highest of some geoms below each point, (rows, k); minus infinity where there is none."""
    found = np.full(points.shape[:-1], -np.inf)
    spread = float(np.nanmax(np.linalg.norm(points - points[:, :1], axis=-1), initial=0.0))
    for rows, model in _models(track.motion):
        high = track.position[rows, model.geom_bodyid[geoms], 2].mean(axis=0) + model.geom_rbound[geoms]
        for geom in geoms[np.argsort(-high, kind="stable")].tolist():  # what is lower than a top is not looked at
            body = model.geom_bodyid[geom]
            reach = spread + model.geom_rbound[geom] + np.linalg.norm(model.geom_pos[geom])
            away = np.hypot(*(track.position[rows, body, :2] - points[rows, 0, :2]).T)
            near = rows.start + np.flatnonzero(away < reach)
            if len(near):
                found[near] = _raised(found[near], model, geom, track.position[near, body],
                                      track.quaternion[near, body], points[near])
    return found


def _models(motion: Motion) -> Iterator[tuple[slice, mujoco.MjModel]]:
    """The rows between edits, with the model as it was then; it changes from one to the next."""
    if not motion.edits:
        yield slice(0, len(motion.time)), motion.model
        return
    model = mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))  # its own: edits change it
    begins = [0, *(max(0, tick) for tick, _ in motion.edits), len(motion.time)]
    for (_, fields), begin, end in zip([(0, {}), *motion.edits], begins[:-1], begins[1:], strict=True):
        apply_edit(model, fields)
        if end > begin:
            yield slice(begin, end), model


def _raised(found: np.ndarray, model: mujoco.MjModel, geom: int, position: np.ndarray, quaternion: np.ndarray,
            points: np.ndarray) -> np.ndarray:
    """Heights below points (rows, k, 3), raised to the top of a geom of a body where that is below them and higher."""
    reach = model.geom_rbound[geom]
    place = position + rotate(quaternion, model.geom_pos[geom])
    turn = matrix(multiply(quaternion, model.geom_quat[geom])).reshape(-1, 9)
    near = np.hypot(*np.moveaxis(points[..., :2] - place[:, None, :2], -1, 0)) < reach
    near &= place[:, None, 2] + reach > found
    near &= place[:, None, 2] - reach < points[..., 2] + UNDERFOOT
    for row, k in np.argwhere(near):
        x, y, z = points[row, k].tolist()
        top = top_of(model, geom, place[row], turn[row], x, y)
        if found[row, k] < top <= z + UNDERFOOT:
            found[row, k] = top
    return found
