"""The stage: a MuJoCo model as nodes of a viser scene, and its poses from frame to frame.

One frame node a body, and under it one mesh for each colour the body has. All bodies hang under one node, `/world`:
to follow a character that node is moved, not the camera, so every viewer keeps the view it has chosen.
"""

from __future__ import annotations

from collections import defaultdict

import mujoco
import numpy as np
import viser

from gambol.motion.meshes import Mesh, color, joined, triangulate, visible
from gambol.studio.frame import Frame

WORLD = "/world"
SKY_TOP, SKY_LOW = (176, 205, 232), (236, 241, 246)
GROUND_LIGHT, GROUND_DARK = (214, 218, 220), (200, 206, 210)
REACH = 40
"""Metres of floor drawn to every side of the character."""
UNDERGROUND = -20.0
"""Thrown balls wait below this height, out of sight."""
SMALLEST = 0.65
"""Nobody is looked at from closer than suits this height of the centre of mass, m: four legs are long, not high."""
CAMERA, LOOK_AT = (2.6, -3.2, 1.5), (0.0, 0.0, 0.88)
"""Where a new viewer stands and looks, in heights of the centre of mass: three quarters from the front, the way ahead
to the right."""
FOLLOW_TIME = 0.35
"""Seconds in which the view catches up with the character."""

Rgba = tuple[float, float, float, float]


class Stage:
    """Shows frames. Used from one thread."""

    def __init__(self, server: viser.ViserServer) -> None:
        self.server, self.scene = server, server.scene
        self.model: mujoco.MjModel | None = None
        self.follow = True
        self._focus = self._behind = np.zeros(3)
        self._last_time = self._size = 0.0
        _light(server)
        self.root = self.scene.add_frame(WORLD, show_axes=False)
        self._bodies: dict[int, viser.FrameHandle] = {}
        self._meshes: dict[tuple[int, Rgba], viser.MeshHandle] = {}
        self._floors: list[tuple[viser.FrameHandle, np.ndarray, np.ndarray]] = []

    def build(self, frame: Frame) -> None:
        """Put a new model on stage, and the viewers in front of it."""
        self.clear()
        model = self.model = frame.model
        for body in range(model.nbody):
            if body == 0 or model.body_geomnum[body]:
                self._bodies[body] = self.scene.add_frame(_name(body), show_axes=False)
        self._make_meshes()
        for geom in range(model.ngeom):
            if _is_floor(model, geom):
                self._make_floor(geom)
        self._focus = self._behind = self._target(frame)
        self._place_cameras(float(frame.com[2] - frame.ground))
        self.show(frame)

    def clear(self) -> None:
        for handle in self._bodies.values():
            handle.remove()
        for floor, _, _ in self._floors:
            floor.remove()
        self._bodies, self._meshes, self._floors = {}, {}, []

    def show(self, frame: Frame) -> None:
        """Move everything to where it is in this frame."""
        if frame.model is not self.model:  # morphed: same bodies, other shapes
            self.model = frame.model
            self._make_meshes()
        for body, node in self._bodies.items():
            node.position, node.wxyz = frame.position[body], frame.rotation[body]
        self._turn_to(frame)
        for node, origin, axes in self._floors:
            node.position = _floor_under(frame.com, origin, axes)

    def _place_cameras(self, com_height: float) -> None:
        """Fit the view to the size of the character; who already looks comes closer or steps back, no more."""
        size = max(com_height, SMALLEST)
        camera = self.server.initial_camera
        camera.position, camera.look_at = size * np.array(CAMERA), size * np.array(LOOK_AT)
        if self._size and abs(size / self._size - 1.0) > 0.15:
            for client in self.server.get_clients().values():
                grown, goal = size / self._size, client.camera.look_at.copy()
                client.camera.position = client.camera.position * grown  # this moves the point looked at, too
                client.camera.look_at = goal * grown
        self._size = size

    # -- following -------------------------------------------------------------------------------------------------

    def _target(self, frame: Frame) -> np.ndarray:
        return np.array([frame.com[0], frame.com[1], frame.ground])

    def _turn_to(self, frame: Frame) -> None:
        """Let the view glide after the character: behind as it starts and stops, level with it as it goes on."""
        passed = np.clip(frame.time - self._last_time, 0.0, 1.0)
        jumped = frame.time < self._last_time
        self._last_time = frame.time
        if not self.follow:
            return
        target = self._target(frame)
        share = 1.0 if jumped else 1.0 - np.exp(-passed / FOLLOW_TIME)
        self._focus = self._focus + share * (target - self._focus)
        self._behind = self._behind + share * (self._focus - self._behind)  # twice as late
        self.root.position = self._behind - 2.0 * self._focus

    # -- shapes ----------------------------------------------------------------------------------------------------

    def _make_meshes(self) -> None:
        """Meshes of all bodies, one a colour; existing ones get new vertices."""
        assert self.model is not None
        for key, geoms in _geoms_by_color(self.model).items():
            body, paint = key
            mesh = _joined(self.model, geoms)
            if key in self._meshes and len(self._meshes[key].vertices) == len(mesh.vertices):
                self._meshes[key].vertices = mesh.vertices.astype(np.float32)
                continue
            self._meshes[key] = self.scene.add_mesh_simple(
                f"{_name(body)}/{len(self._meshes)}", mesh.vertices, mesh.triangles, color=paint[:3],
                opacity=None if paint[3] >= 1.0 else paint[3])

    def _make_floor(self, geom: int) -> None:
        """A checkered floor that goes along with the character, in steps of two squares, so it seems endless."""
        assert self.model is not None
        name = f"{WORLD}/floor{geom}"
        node = self.scene.add_frame(name, show_axes=False, wxyz=self.model.geom_quat[geom])
        for dark, paint in ((False, GROUND_LIGHT), (True, GROUND_DARK)):
            self.scene.add_mesh_simple(f"{name}/{int(dark)}", *_squares(dark), color=paint, cast_shadow=False)
        axes = np.zeros(9)
        mujoco.mju_quat2Mat(axes, self.model.geom_quat[geom])
        self._floors.append((node, self.model.geom_pos[geom].copy(), axes.reshape(3, 3)))


def _light(server: viser.ViserServer) -> None:
    """A clear day: a pale sky, soft light from above, one sun that casts shadows, haze far away."""
    scene = server.scene
    share = np.clip(np.linspace(0.0, 2.2, 256), 0.0, 1.0)[:, None, None]
    sky = (1 - share) * np.array(SKY_TOP) + share * np.array(SKY_LOW)
    scene.set_background_image(np.broadcast_to(sky, (256, 8, 3)).astype(np.uint8), format="png")
    scene.configure_fog(9.0, 34.0, color=tuple((np.array(SKY_LOW) / 255.0) ** 2.2))  # the page takes linear light
    scene.configure_environment_map(None)
    scene.configure_default_lights(False)
    scene.add_light_hemisphere("/sky", sky_color=(236, 243, 255), ground_color=(190, 182, 172), intensity=1.7)
    scene.add_light_directional("/sun", color=(255, 247, 232), intensity=2.2, cast_shadow=True,
                                position=(2.5, -2.0, 6.0))
    server.initial_camera.fov = float(np.deg2rad(38.0))


def _name(body: int) -> str:
    return f"{WORLD}/body{body}"


def _floor_under(point: np.ndarray, origin: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The place of the floor's middle: below the point, on whole pairs of squares."""
    local = axes.T @ (point - origin)
    return origin + axes @ np.array([2.0 * round(local[0] / 2), 2.0 * round(local[1] / 2), 0.0])


def _squares(dark: bool) -> tuple[np.ndarray, np.ndarray]:
    """The light or the dark squares of one metre of a floor around the origin, as vertices and triangles."""
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(-REACH, REACH), np.arange(-REACH, REACH)))
    chosen = (x + y) % 2 == int(dark)
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    low = np.column_stack([x, y, np.zeros_like(x)])[chosen]
    start = 4 * np.arange(len(low))[:, None]
    return ((low[:, None, :] + corners).reshape(-1, 3).astype(float),
            np.concatenate([start + [0, 1, 2], start + [0, 2, 3]]))


def _geoms_by_color(model: mujoco.MjModel) -> dict[tuple[int, Rgba], list[int]]:
    """Visible geoms of each body, by colour; endless planes are floors, and balls wait on tees nobody should see."""
    groups: dict[tuple[int, Rgba], list[int]] = defaultdict(list)
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        below = body == 0 and model.geom_pos[geom, 2] < UNDERGROUND
        if visible(model, geom) and not below and not _is_floor(model, geom):
            groups[body, color(model, geom)].append(geom)
    return groups


def _is_floor(model: mujoco.MjModel, geom: int) -> bool:
    return bool(model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE and not model.geom_size[geom, :2].all())


def _joined(model: mujoco.MjModel, geoms: list[int]) -> Mesh:
    """Geoms as one mesh in their body's frame."""
    meshes, matrix = [], np.zeros(9)
    for geom in geoms:
        mesh = triangulate(model, geom)
        if mesh is not None:
            mujoco.mju_quat2Mat(matrix, model.geom_quat[geom])
            meshes.append(mesh.moved(model.geom_pos[geom], matrix.reshape(3, 3)))
    return joined(meshes)
