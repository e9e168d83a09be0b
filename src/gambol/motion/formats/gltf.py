"""Animated glTF (.glb) for Blender, game engines and web viewers.

Two kinds. Rigid parts: a node for every body with its shapes as children, with props and ground. Skinned: a skeleton
with a joint for every body, and one mesh a figure that bends with it. glTF has y up; a node at the top turns z up into
that, so below it all numbers are those of the simulation, in metres.

Keys are ticks of the motion, about `fps` of them a second, and more where straight interpolation between them (what
every player does) would be more than `tolerance` off: an impact gets its keys, a quiet stretch does not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from gambol.files import whole_file
from gambol.motion.formats.glb import Glb
from gambol.motion.formats.skin import bind_pose, skin
from gambol.motion.kinematics import Track, apply_edit, body_names, share_of
from gambol.motion.meshes import Mesh, color, joined, rectangle, texture, triangulate, visible
from gambol.motion.motion import Motion
from gambol.rotations import Y_UP, conjugate, continuous, matrix, multiply, rotate

Progress = Callable[[float], None]
FPS, TOLERANCE = 60.0, 0.0004
"""The tolerance (m) is just above what free fall bends between two keys, so that flight alone adds none."""
TILE, MARGIN = 1.0, 4.0
"""Ground without end is drawn as tiles (m) to this far beyond where the figures went."""


def write_gltf(motion: Motion, path: Path | str, *, skinned: bool = False, fps: float | None = FPS,
               tolerance: float = TOLERANCE, ground: bool = True, progress: Progress | None = None) -> Path:
    """Write a .glb: rigid parts, or `skinned`. `fps=None` keeps every tick; `ground=False` leaves the ground out."""
    path, track = Path(path), Track(motion)
    keys = track.keys(fps, tolerance)
    glb = Glb(f"gambol (MuJoCo {mujoco.__version__})")
    top = glb.add_node("gambol", None, rotation=Y_UP)
    clip = _Clip(glb, track, keys, str(motion.meta.get("behavior", "motion")))
    if skinned:
        for figure in range(len(motion.figures)):
            _add_skinned(glb, clip, motion, figure, top)
    else:
        _add_rigid(glb, clip, motion, top, ground, progress)
    clip.close()
    with whole_file(path) as temporary:
        glb.write(temporary)
    if progress is not None:
        progress(1.0)
    return path


class _Clip:
    """The one animation of the file: channels for the bodies that move."""

    def __init__(self, glb: Glb, track: Track, keys: np.ndarray, name: str) -> None:
        self.glb, self.track, self.keys = glb, track, keys
        self.entry: dict[str, Any] = {"name": name, "channels": [], "samplers": []}
        self._times: int | None = None

    @property
    def times(self) -> int:
        if self._times is None:
            self._times = self.glb.add_array(self.track.time[self.keys])
        return self._times

    def animate(self, node: int, body: int, position: np.ndarray, quaternion: np.ndarray) -> None:
        """Move a node with a body; `position` and `quaternion` are what the node says when it stands still."""
        places = self.track.local_position[self.keys, body]
        turns = continuous(self.track.local_quaternion[self.keys, body])
        if not np.allclose(places, position, rtol=0, atol=1e-7):
            self.glb.add_channel(self.entry, node, "translation", self.times, places)
        if not np.allclose(np.abs(turns @ quaternion), 1.0, rtol=0, atol=1e-14):
            self.glb.add_channel(self.entry, node, "rotation", self.times, turns)

    def show_between(self, node: int, begin: int, end: int) -> None:
        """Let a node be seen from one row to another only: its size is nothing at other times."""
        last = len(self.track.time) - 1
        rows = [row for row in (0, begin, end) if row == 0 or 0 < row <= last]
        rows = sorted(set(rows))
        shown = np.array([[float(begin <= row < end)] * 3 for row in rows])
        self.glb.add_channel(self.entry, node, "scale", self.glb.add_array(self.track.time[rows]), shown, "STEP")

    def close(self) -> None:
        if self.entry["channels"]:
            self.glb.add("animations", self.entry)


def _role_of(motion: Motion) -> dict[str, list[str]]:
    """Body name in the compiled model -> its roles."""
    roles: dict[str, list[str]] = {}
    for figure in motion.figures:
        for role, body in figure.anatomy.bodies.items():
            roles.setdefault(figure.prefix + body, []).append(role)
    return roles


def _extras(motion: Motion, body: int, roles: dict[str, list[str]]) -> dict[str, Any]:
    found = roles.get(motion.model.body(body).name)
    return {"extras": {"roles": found}} if found else {}


# -- rigid parts ---------------------------------------------------------------------------------------------------


def _add_rigid(glb: Glb, clip: _Clip, motion: Motion, top: int, ground: bool, progress: Progress | None) -> None:
    model, track, names, roles = motion.model, clip.track, body_names(motion), _role_of(motion)
    nodes = {0: top}
    for body in range(1, model.nbody):
        position, quaternion = track.local_position[0, body], track.local_quaternion[0, body]
        nodes[body] = glb.add_node(names[body], nodes[int(model.body_parentid[body])], position, quaternion,
                                   **_extras(motion, body, roles))
        clip.animate(nodes[body], body, position, quaternion)
    if ground:
        nodes[0] = glb.add_node("ground", top)
    painter = _Painter(glb)
    forms = _forms(motion)
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        if body == 0 and not ground:
            continue
        for begin, end, form in forms[geom]:
            node = _add_shape(glb, painter, form, geom, nodes[body], names[body], clip)
            if node is not None and len(forms[geom]) > 1:
                clip.show_between(node, begin, end)
        if progress is not None:
            progress(0.9 * geom / model.ngeom)


def _forms(motion: Motion) -> list[list[tuple[int, int, mujoco.MjModel]]]:
    """For every geom the rows from and to which it had one shape and place, with a model that says which.

    There is one form, but for declared edits: balls of other sizes, morphed bodies.
    """
    model, end = motion.model, len(motion.time) + 1
    forms = [[(0, end, model)] for _ in range(model.ngeom)]
    fields = ("geom_size", "geom_pos", "geom_quat", "geom_rgba")
    before = model
    for tick, edit in motion.edits:
        after = mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))
        for earlier, values in motion.edits:
            if earlier <= tick:
                apply_edit(after, values)
        if any(name in fields for name in edit):
            for geom in range(model.ngeom):
                if any(not np.array_equal(getattr(before, name)[geom], getattr(after, name)[geom]) for name in fields):
                    begin, _, form = forms[geom].pop()
                    if begin < tick:
                        forms[geom].append((begin, tick, form))
                    forms[geom].append((tick, end, after))
        before = after
    return forms


class _Painter:
    """Meshes of the file, each made once."""

    def __init__(self, glb: Glb) -> None:
        self.glb = glb
        self._made: dict[tuple, int] = {}

    def mesh(self, model: mujoco.MjModel, geom: int, name: str) -> int | None:
        rgba = color(model, geom)
        key = (int(model.geom_type[geom]), *model.geom_size[geom].tolist(), int(model.geom_dataid[geom]), rgba)
        if key not in self._made:
            shape = triangulate(model, geom)
            if shape is None:
                return None
            primitive = self.glb.primitive(shape, self.glb.add_material(rgba))
            self._made[key] = self.glb.add("meshes", {"name": name, "primitives": [primitive]})
        return self._made[key]


def _add_shape(glb: Glb, painter: _Painter, model: mujoco.MjModel, geom: int, parent: int, body: str,
               clip: _Clip) -> int | None:
    """A child node with the mesh of one geom; None if there is nothing to see."""
    if not visible(model, geom):
        return None
    name = model.geom(geom).name.rpartition("/")[2] or f"{body}_{geom - model.body_geomadr[model.geom_bodyid[geom]]}"
    mesh = painter.mesh(model, geom, name)
    if mesh is None and model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
        mesh = _add_tiles(glb, clip, model, geom)
    if mesh is None:
        return None
    return glb.add_node(name, parent, model.geom_pos[geom], model.geom_quat[geom], mesh=mesh)


def _add_tiles(glb: Glb, clip: _Clip, model: mujoco.MjModel, geom: int) -> int:
    """Ground without end: tiles in two tones, as far as the figures went and some more."""
    motion = clip.track.motion
    tops = [share_of(motion, k).top for k in range(len(motion.figures))] or [0]
    places = clip.track.position[:, tops].reshape(-1, 3) - model.geom_pos[geom]
    across = rotate(conjugate(model.geom_quat[geom]), places)[:, :2]
    low = np.floor((across.min(axis=0) - MARGIN) / TILE).astype(int)
    high = np.ceil((across.max(axis=0) + MARGIN) / TILE).astype(int)
    tile = rectangle(TILE / 2, TILE / 2)
    tones: tuple[list[Mesh], list[Mesh]] = ([], [])
    for i in range(low[0], high[0]):
        for j in range(low[1], high[1]):
            tones[(i + j) % 2].append(tile.moved(np.array([(i + 0.5) * TILE, (j + 0.5) * TILE, 0.0]), np.eye(3)))
    paints = _tones(model, geom)
    primitives = [glb.primitive(joined(tiles), glb.add_material(paint, 0.95))
                  for tiles, paint in zip(tones, paints, strict=True)]
    return glb.add("meshes", {"name": "ground", "primitives": primitives})


def _tones(model: mujoco.MjModel, geom: int) -> list[tuple[float, float, float, float]]:
    """Lightest and darkest of the ground's texture, or of its one colour slightly changed."""
    rgba, pixels = color(model, geom), texture(model, geom)
    if pixels is None:
        return [rgba, (0.93 * rgba[0], 0.93 * rgba[1], 0.93 * rgba[2], rgba[3])]
    flat = pixels.reshape(-1, 3)
    light = flat.sum(axis=1)
    return [(float(r), float(g), float(b), rgba[3]) for r, g, b in (flat[light.argmax()], flat[light.argmin()])]


# -- skinned -------------------------------------------------------------------------------------------------------


def _add_skinned(glb: Glb, clip: _Clip, motion: Motion, figure: int, top: int) -> None:
    """A skeleton in the zero pose, moved by the clip, and a mesh fastened to it."""
    model, share, names, roles = motion.model, share_of(motion, figure), body_names(motion), _role_of(motion)
    data = bind_pose(model)
    nodes, inverse_binds = {0: top}, []
    for body in share.bodies:
        up = int(model.body_parentid[body])
        back = conjugate(data.xquat[up])
        position, quaternion = rotate(back, data.xpos[body] - data.xpos[up]), multiply(back, data.xquat[body])
        nodes[int(body)] = glb.add_node(names[body], nodes[up], position, quaternion, **_extras(motion, body, roles))
        clip.animate(nodes[int(body)], body, position, quaternion)
        bind = np.eye(4)
        turn = matrix(multiply(Y_UP, data.xquat[body]))
        bind[:3, :3], bind[:3, 3] = turn.T, -turn.T @ rotate(Y_UP, data.xpos[body])
        inverse_binds.append(bind)
    y_up, primitives = matrix(Y_UP), []
    for patch in skin(model, data, share.bodies):
        primitives.append(glb.primitive(patch.mesh.moved(np.zeros(3), y_up), glb.add_material(patch.rgba),
                                        JOINTS_0=patch.joints, WEIGHTS_0=patch.weights))
    name = share.prefix.rstrip("/") or share.info.character
    mesh = glb.add("meshes", {"name": name, "primitives": primitives})
    number = glb.add("skins", {"name": name, "joints": [nodes[int(body)] for body in share.bodies],
                               "skeleton": nodes[share.top],
                               "inverseBindMatrices": glb.add_array(np.array(inverse_binds))})
    glb.add_node(f"{name}_skin", None, mesh=mesh, skin=number)  # at the top: a skinned mesh moves with joints alone
