"""A compiled body tree in one pose, and what anatomy asks of it: who is below whom, what reaches the ground."""

from __future__ import annotations

import re
from collections.abc import Iterable

import mujoco
import numpy as np

MIDLINE = 0.03
"""A part is on the midline if its y is less than this share of the height."""


class BodyTree:
    """Bodies of a one-character model, at a configuration."""

    def __init__(self, model: mujoco.MjModel, qpos: np.ndarray | None = None) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        self.data.qpos[:] = model.qpos0 if qpos is None else qpos
        mujoco.mj_kinematics(model, self.data)
        mujoco.mj_comPos(model, self.data)
        self.top = 1
        self.bodies = range(1, model.nbody)
        self.parent = [int(p) for p in model.body_parentid]
        self.children: list[list[int]] = [[] for _ in range(model.nbody)]
        for body in self.bodies:
            self.children[self.parent[body]].append(body)
        self.names = [model.body(b).name for b in range(model.nbody)]
        points = [np.zeros((0, 3))] + [body_points(model, self.data, b) for b in self.bodies]
        self.lowest = np.array([p[:, 2].min() if len(p) else np.inf for p in points])
        everything = np.concatenate(points) if any(len(p) for p in points) else self.data.xpos[1:]
        self.ground = float(everything[:, 2].min())
        self.height = max(float(np.ptp(everything[:, 2])), 1e-6)
        self.com = self.data.subtree_com
        self.mass = model.body_subtreemass

    def joints(self, body: int) -> list[str]:
        """Names of a body's joints, without the free one."""
        model = self.model
        first = model.body_jntadr[body]
        return [model.joint(j).name for j in range(first, first + model.body_jntnum[body])
                if model.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE]

    def anchor(self, body: int) -> np.ndarray:
        """Where the body is jointed to its parent."""
        if not self.joints(body):
            return self.data.xpos[body]
        return self.data.xanchor[self.model.body_jntadr[body]]

    def path(self, body: int) -> list[int]:
        """From the top body down to this one, both included."""
        path = [body]
        while path[-1] != self.top:
            path.append(self.parent[path[-1]])
        return path[::-1]

    def below(self, body: int) -> list[int]:
        """This body and everything under it."""
        found = [body]
        for child in self.children[body]:
            found += self.below(child)
        return found

    def common(self, bodies: Iterable[int]) -> int:
        """The lowest body that all of these hang from."""
        paths = [self.path(b) for b in bodies]
        shared = self.top
        for level in zip(*paths, strict=False):
            if len(set(level)) > 1:
                break
            shared = level[0]
        return shared

    def between(self, start: int, end: int) -> list[int]:
        """Bodies whose joints lie between two bodies, in order from start to end (the common ancestor's do not)."""
        meet = self.common((start, end))
        up = [b for b in reversed(self.path(start)) if b > meet]
        return up + [b for b in self.path(end) if b > meet]

    def on_midline(self, body: int) -> bool:
        """Whether the part and what hangs from it are balanced about the plane y = 0."""
        limit = MIDLINE * self.height
        return bool(abs(self.com[body][1]) < limit and abs(self.anchor(body)[1]) < limit)


DOWN = np.array([0.0, 0.0, -1.0])
PAD = re.compile(r"_pad_\d+$")
"""What the pads of patches are called, see `Builder.patch`: they stand out of the flesh by millimetres."""


def body_points(model: mujoco.MjModel, data: mujoco.MjData, body: int, down: np.ndarray = DOWN) -> np.ndarray:
    """World points among which the lowest of the body's colliding geoms are, (k, 3): of its flesh, without pads."""
    first, count = model.body_geomadr[body], model.body_geomnum[body]
    parts = [geom_points(model, data, g, down) for g in range(first, first + count)
             if (model.geom_contype[g] or model.geom_conaffinity[g]) and not PAD.search(model.geom(g).name)]
    return np.concatenate(parts) if parts else np.zeros((0, 3))


def geom_points(model: mujoco.MjModel, data: mujoco.MjData, geom: int, down: np.ndarray = DOWN) -> np.ndarray:
    """Points of a geom that can touch a plane below it in this pose."""
    size, center = model.geom_size[geom], data.geom_xpos[geom]
    turn = data.geom_xmat[geom].reshape(3, 3)
    kind = mujoco.mjtGeom(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return (center + size[0] * down)[None]
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        ends = np.array([[0, 0, -size[1]], [0, 0, size[1]]])
        return center + ends @ turn.T + size[0] * down
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        local = turn.T @ down
        support = size ** 2 * local / np.linalg.norm(size * local)
        return (center + turn @ support)[None]
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size
        return center + corners @ turn.T
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        angles = np.arange(16) * np.pi / 8
        rim = np.array([[size[0] * np.cos(a), size[0] * np.sin(a), z * size[1]] for a in angles for z in (-1, 1)])
        return center + rim @ turn.T
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        return center + model.mesh_vert[start:start + count] @ turn.T
    return center[None]


def angle_joints(model: mujoco.MjModel) -> list[int]:
    """Ids of the joints with one degree of freedom, hinges and slides."""
    kinds = (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE)
    return [j for j in range(model.njnt) if mujoco.mjtJoint(model.jnt_type[j]) in kinds]
