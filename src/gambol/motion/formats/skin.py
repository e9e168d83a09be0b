"""Skin: one surface over all parts of a figure that follows its skeleton and bends smoothly at the joints."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.motion.meshes import Mesh, color, joined, triangulate, visible
from gambol.rotations import unit

REACH = (0.02, 0.08)
"""Least and largest distance (m) from a joint over which a part gives way to the next."""


@dataclass(frozen=True)
class Patch:
    """The part of a skin with one paint, in the bind pose (world axes, z up)."""

    rgba: tuple[float, float, float, float]
    mesh: Mesh
    joints: np.ndarray
    """(n, 4) positions in the list of bodies; 0 where the weight is 0"""
    weights: np.ndarray
    """(n, 4), each row sums to 1"""


def bind_pose(model: mujoco.MjModel) -> mujoco.MjData:
    """The model's zero pose, upright, in which skin and skeleton are fastened to each other."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return data


def skin(model: mujoco.MjModel, data: mujoco.MjData, bodies: np.ndarray) -> list[Patch]:
    """All visible shapes of some bodies as patches, one a paint."""
    position_of = {int(body): k for k, body in enumerate(bodies)}
    pieces: dict[tuple[float, float, float, float], list[tuple[Mesh, np.ndarray]]] = {}
    for geom in np.flatnonzero(np.isin(model.geom_bodyid, bodies)).tolist():
        mesh = triangulate(model, geom) if visible(model, geom) else None
        if mesh is not None:
            placed = mesh.moved(data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3))
            full = blend(model, data, int(model.geom_bodyid[geom]), position_of, placed.vertices)
            pieces.setdefault(color(model, geom), []).append((placed, full))
    patches = []
    for rgba, parts in pieces.items():
        joints, weights = strongest(np.concatenate([full for _, full in parts]))
        patches.append(Patch(rgba, joined([mesh for mesh, _ in parts]), joints, weights))
    return patches


def blend(model: mujoco.MjModel, data: mujoco.MjData, owner: int, position_of: dict[int, int],
          vertices: np.ndarray) -> np.ndarray:
    """How much each vertex of a part follows each body, (n, bodies).

    Across a joint the surface goes over from the parent to the child along the child's direction, half and half at the
    joint; away from the joint, and sideways out of its reach, it belongs to its own part alone.
    """
    weights = np.zeros((len(vertices), len(position_of)))
    weights[:, position_of[owner]] = 1.0
    parent = int(model.body_parentid[owner])
    if parent in position_of:
        share = _past_joint(model, data, owner, vertices)
        near = _near_joint(model, data, owner, vertices)
        weights[:, position_of[parent]] += near * (1.0 - share)
        weights[:, position_of[owner]] -= near * (1.0 - share)
    for child in position_of:
        if model.body_parentid[child] == owner and child != owner:
            given = _near_joint(model, data, child, vertices) * _past_joint(model, data, child, vertices)
            given = np.minimum(given, weights[:, position_of[owner]])
            weights[:, position_of[child]] += given
            weights[:, position_of[owner]] -= given
    return weights


def strongest(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The four largest weights of each row, rescaled to sum to 1, and whose they are."""
    count = min(4, weights.shape[1])
    joints = np.zeros((len(weights), 4), dtype=np.uint8 if weights.shape[1] < 256 else np.uint16)
    values = np.zeros((len(weights), 4), dtype=np.float32)
    order = np.argsort(-weights, axis=1, kind="stable")[:, :count]
    joints[:, :count] = order
    values[:, :count] = np.take_along_axis(weights, order, axis=1)
    values[values < 1e-3] = 0.0
    values /= values.sum(axis=1, keepdims=True)
    joints[values == 0.0] = 0
    return joints, values


def _bone(model: mujoco.MjModel, data: mujoco.MjData, child: int) -> tuple[np.ndarray, np.ndarray, float]:
    """The child's joint, the direction it points in, and the reach of the blend."""
    along = data.xmat[child].reshape(3, 3) @ model.body_ipos[child]
    reach = float(np.clip(0.5 * np.linalg.norm(along), *REACH))
    return data.xpos[child], unit(along), reach


def _past_joint(model: mujoco.MjModel, data: mujoco.MjData, child: int, vertices: np.ndarray) -> np.ndarray:
    """0 on the parent's side of the joint, 1 on the child's, smooth between."""
    joint, direction, reach = _bone(model, data, child)
    return _smooth(0.5 + 0.5 * (vertices - joint) @ direction / reach)


def _near_joint(model: mujoco.MjModel, data: mujoco.MjData, child: int, vertices: np.ndarray) -> np.ndarray:
    joint, _, reach = _bone(model, data, child)
    return 1.0 - _smooth(np.linalg.norm(vertices - joint, axis=1) / reach - 1.5)


def _smooth(x: np.ndarray) -> np.ndarray:
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)
