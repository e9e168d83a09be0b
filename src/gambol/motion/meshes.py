"""Triangles for MuJoCo's shapes, each in the frame of its geom, with outward normals and a colour."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.rotations import unit

Kind = mujoco.mjtGeom
AROUND, ALONG = 24, 12
"""Corners around a round shape, and rings from pole to pole."""
HIDDEN_GROUP = 3
"""Viewers do not show geoms of this group and above: collision shapes of foreign models."""
DEFAULT_RGBA = np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32)


@dataclass(frozen=True)
class Mesh:
    """Vertices (n, 3), unit normals (n, 3), triangles (m, 3) counter-clockwise seen from outside."""

    vertices: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray

    def moved(self, position: np.ndarray, rotation: np.ndarray) -> Mesh:
        """The same mesh in another frame; `rotation` is a matrix."""
        return Mesh(self.vertices @ rotation.T + position, self.normals @ rotation.T, self.triangles)


def visible(model: mujoco.MjModel, geom: int) -> bool:
    return bool(color(model, geom)[3] > 0 and model.geom_group[geom] < HIDDEN_GROUP)


def color(model: mujoco.MjModel, geom: int) -> tuple[float, float, float, float]:
    """What a viewer shows: the geom's own colour, else its material's, times the average of the texture."""
    material, rgba = model.geom_matid[geom], model.geom_rgba[geom]
    if material < 0:
        return tuple(float(c) for c in rgba)  # type: ignore[return-value]
    if np.array_equal(rgba, DEFAULT_RGBA):
        rgba = model.mat_rgba[material]
    pixels = texture(model, geom)
    paint = np.ones(3) if pixels is None else pixels.mean(axis=(0, 1))
    return (float(rgba[0] * paint[0]), float(rgba[1] * paint[1]), float(rgba[2] * paint[2]), float(rgba[3]))


def texture(model: mujoco.MjModel, geom: int) -> np.ndarray | None:
    """Pixels (height, width, 3) of the geom's 2D colour texture in 0..1, or None."""
    material = model.geom_matid[geom]
    number = -1 if material < 0 else model.mat_texid[material, mujoco.mjtTextureRole.mjTEXROLE_RGB]
    if number < 0 or model.tex_type[number] != mujoco.mjtTexture.mjTEXTURE_2D:
        return None
    start, channels = model.tex_adr[number], model.tex_nchannel[number]
    shape = (model.tex_height[number], model.tex_width[number], channels)
    return model.tex_data[start:start + np.prod(shape)].reshape(shape)[..., :3] / 255.0


def triangulate(model: mujoco.MjModel, geom: int) -> Mesh | None:
    """The shape of a geom as a mesh in the geom's frame; None for what has no shape of its own (infinite planes)."""
    kind, size = model.geom_type[geom], model.geom_size[geom]
    if kind == Kind.mjGEOM_SPHERE:
        return ellipsoid(np.repeat(size[:1], 3))
    if kind == Kind.mjGEOM_ELLIPSOID:
        return ellipsoid(size)
    if kind == Kind.mjGEOM_CAPSULE:
        return capsule(size[0], size[1])
    if kind == Kind.mjGEOM_CYLINDER:
        return cylinder(size[0], size[1])
    if kind == Kind.mjGEOM_BOX:
        return box(size)
    if kind == Kind.mjGEOM_MESH:
        return asset(model, int(model.geom_dataid[geom]))
    if kind == Kind.mjGEOM_HFIELD:
        return height_field(model, int(model.geom_dataid[geom]))
    if kind == Kind.mjGEOM_PLANE and size[0] > 0 and size[1] > 0:
        return rectangle(size[0], size[1])
    return None


def ellipsoid(radii: np.ndarray) -> Mesh:
    directions, triangles = _globe(np.linspace(0.0, np.pi, ALONG + 1))
    return Mesh(directions * radii, unit(directions / radii), triangles)


def capsule(radius: float, half: float) -> Mesh:
    """A cylinder of length 2 half along z with round ends; some rings along it, so that it can bend when skinned."""
    angles = np.linspace(0.0, np.pi / 2, ALONG // 2 + 1)
    middle = 6
    polar = np.concatenate([angles, np.full(middle, np.pi / 2), angles + np.pi / 2])
    height = np.concatenate([np.full(len(angles), half), np.linspace(half, -half, middle + 2)[1:-1],
                             np.full(len(angles), -half)])
    directions, triangles = _globe(polar)
    return Mesh(directions * radius + np.outer(np.repeat(height, AROUND + 1), [0, 0, 1]), directions, triangles)


def cylinder(radius: float, half: float) -> Mesh:
    turn = np.linspace(0.0, 2 * np.pi, AROUND + 1)
    rim = np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=1)
    up = np.array([0.0, 0.0, 1.0])
    k, n = np.arange(AROUND), AROUND + 1
    parts = [Mesh(np.concatenate([radius * rim + half * up, radius * rim - half * up]), np.tile(rim, (2, 1)),
                  np.concatenate([np.stack([k, k + n, k + 1], axis=1), np.stack([k + 1, k + n, k + n + 1], axis=1)]))]
    for sign in (1.0, -1.0):
        fan = np.stack([np.full(AROUND, n), k, k + 1] if sign > 0 else [np.full(AROUND, n), k + 1, k], axis=1)
        parts.append(Mesh(np.vstack([radius * rim, np.zeros(3)]) + sign * half * up, np.tile(sign * up, (n + 1, 1)),
                          fan))
    return joined(parts)


def box(half: np.ndarray) -> Mesh:
    parts = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            normal, u, v = np.roll(np.eye(3), -axis, axis=0) * [[sign], [1], [sign]]
            corners = np.array([normal - u - v, normal + u - v, normal + u + v, normal - u + v])
            parts.append(Mesh(corners * half, np.tile(normal, (4, 1)), np.array([[0, 1, 2], [0, 2, 3]])))
    return joined(parts)


def rectangle(x: float, y: float) -> Mesh:
    """Facing up, at height 0."""
    corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    return Mesh(corners, np.tile([0.0, 0.0, 1.0], (4, 1)), np.array([[0, 1, 2], [0, 2, 3]]))


def asset(model: mujoco.MjModel, number: int) -> Mesh:
    """A mesh from a file. Positions and normals are numbered apart there; here a vertex is one pair of both."""
    faces = slice(model.mesh_faceadr[number], model.mesh_faceadr[number] + model.mesh_facenum[number])
    pairs = np.stack([model.mesh_face[faces], model.mesh_facenormal[faces]], axis=-1).reshape(-1, 2)
    used, corners = np.unique(pairs, axis=0, return_inverse=True)
    vertices = model.mesh_vert[model.mesh_vertadr[number] + used[:, 0]].astype(float)
    normals = unit(model.mesh_normal[model.mesh_normaladr[number] + used[:, 1]].astype(float))
    triangles = corners.reshape(-1, 3)
    return _with_normals(Mesh(vertices, normals, triangles))


def height_field(model: mujoco.MjModel, number: int) -> Mesh:
    """The upper surface; MuJoCo's size is half lengths in x and y, then the height of data value 1."""
    rows, columns = model.hfield_nrow[number], model.hfield_ncol[number]
    start = model.hfield_adr[number]
    x_half, y_half, top, _ = model.hfield_size[number]
    z = top * model.hfield_data[start:start + rows * columns].reshape(rows, columns).astype(float)
    x, y = np.meshgrid(np.linspace(-x_half, x_half, columns), np.linspace(-y_half, y_half, rows))
    slope_y, slope_x = np.gradient(z, 2 * y_half / (rows - 1), 2 * x_half / (columns - 1))
    normals = unit(np.stack([-slope_x, -slope_y, np.ones_like(z)], axis=-1)).reshape(-1, 3)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    triangles = np.concatenate([np.stack([corner, corner + 1, corner + columns + 1], axis=1),
                                np.stack([corner, corner + columns + 1, corner + columns], axis=1)])
    return Mesh(np.stack([x, y, z], axis=-1).reshape(-1, 3), normals, triangles)


def joined(meshes: list[Mesh]) -> Mesh:
    """Several meshes of one frame as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate([mesh.normals for mesh in meshes]),
                np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts, strict=False)]))


def _globe(polar: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions in rings of AROUND + 1 at the given angles from +z, and the triangles between the rings."""
    turn = np.linspace(0.0, 2 * np.pi, AROUND + 1)
    directions = np.stack([np.outer(np.sin(polar), np.cos(turn)), np.outer(np.sin(polar), np.sin(turn)),
                           np.outer(np.cos(polar), np.ones_like(turn))], axis=-1).reshape(-1, 3)
    n = AROUND + 1
    corner = (np.arange(len(polar) - 1)[:, None] * n + np.arange(AROUND)).ravel()
    upper = np.stack([corner, corner + n, corner + 1], axis=1)
    lower = np.stack([corner + 1, corner + n, corner + n + 1], axis=1)
    first, last = corner < n, corner >= (len(polar) - 2) * n  # at the poles one triangle of each pair has no area
    return directions, np.concatenate([upper[~first], lower[~last]])


def _with_normals(mesh: Mesh) -> Mesh:
    """Normals of the faces where a file gives none (zero) for a vertex."""
    missing = np.linalg.norm(mesh.normals, axis=1) < 0.5
    if not missing.any():
        return mesh
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    total = np.zeros_like(mesh.vertices)
    for k in range(3):
        np.add.at(total, mesh.triangles[:, k], np.cross(b - a, c - a))
    found = unit(total)
    found[np.linalg.norm(found, axis=1) < 0.5] = [0.0, 0.0, 1.0]
    return Mesh(mesh.vertices, np.where(missing[:, None], found, mesh.normals), mesh.triangles)
