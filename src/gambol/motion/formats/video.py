"""Pictures: MP4 and GIF of a Motion, single frames, film strips. Drawn by MuJoCo, seen by a camera that follows.

The camera looks at the figures from a fixed three-quarter direction and glides with them: its aim is the smoothed path
of their common centre of mass, so steps and impacts do not shake the picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import imageio.v2 as imageio
import mujoco
import numpy as np
from scipy.ndimage import gaussian_filter1d

from gambol.errors import BadInput, MissingGL
from gambol.files import check_writable, whole_file
from gambol.motion.kinematics import apply_edit, share_of
from gambol.motion.motion import Motion

Progress = Callable[[float], None]
Size = tuple[int, int]
VIDEO_SIZE, VIDEO_FPS = (960, 540), 30.0
GIF_SIZE, GIF_FPS = (480, 270), 20.0
"""GIF counts time in hundredths of a second; 20 a second is one that it can keep."""
PICTURE_SIZE, STRIP_SIZE = (960, 540), (300, 400)
BEARING, ELEVATION = 145.0, -14.0
"""Direction of view, degrees: from the figure's heading about the vertical, and downward."""
GLIDE = 0.35
"""Seconds over which the camera's path is smoothed."""


def write_video(motion: Motion, path: Path | str, *, fps: float = VIDEO_FPS, size: Size = VIDEO_SIZE,
                bearing: float = BEARING, elevation: float = ELEVATION, zoom: float = 1.0,
                progress: Progress | None = None) -> Path:
    """Write an MP4 (H.264, plays everywhere)."""
    size = (size[0] + size[0] % 2, size[1] + size[1] % 2)  # H.264 wants even sides
    # macro_block_size=1 keeps the size that was asked for.
    return _write(motion, Path(path), fps, size, (bearing, elevation, zoom), progress, format="FFMPEG", fps=fps,
                  codec="libx264", quality=8, macro_block_size=1, pixelformat="yuv420p")


def write_gif(motion: Motion, path: Path | str, *, fps: float = GIF_FPS, size: Size = GIF_SIZE,
              bearing: float = BEARING, elevation: float = ELEVATION, zoom: float = 1.0,
              progress: Progress | None = None) -> Path:
    """Write an animated GIF that repeats."""
    return _write(motion, Path(path), fps, size, (bearing, elevation, zoom), progress, format="GIF", mode="I",
                  duration=1000.0 / fps, loop=0)


def picture(motion: Motion, time: float, size: Size = PICTURE_SIZE, *, bearing: float = BEARING,
            elevation: float = ELEVATION, zoom: float = 1.0) -> np.ndarray:
    """One frame, (height, width, 3) bytes."""
    with Camera(motion, size, bearing, elevation, zoom) as camera:
        return camera.frame(time)


def filmstrip(motion: Motion, times: Sequence[float], path: Path | str, size: Size = STRIP_SIZE, *,
              bearing: float = BEARING, elevation: float = ELEVATION, zoom: float = 1.0, gap: int = 4) -> Path:
    """A row of frames in one picture (.png)."""
    if not len(times):
        raise BadInput("a film strip needs at least one time")
    check_writable(Path(path))
    with Camera(motion, size, bearing, elevation, zoom) as camera:
        frames = [camera.frame(time) for time in times]
    space = np.full((size[1], gap, 3), 255, dtype=np.uint8)
    row = np.concatenate([part for frame in frames for part in (space, frame)][1:], axis=1)
    with whole_file(Path(path)) as temporary:
        imageio.imwrite(temporary, row)
    return Path(path)


def _write(motion: Motion, path: Path, rate: float, size: Size, view: tuple[float, float, float],
           progress: Progress | None, **format_options: Any) -> Path:
    """Draw `rate` frames a second into a file of imageio's."""
    if not 1 <= rate <= 240:
        raise BadInput(f"fps={rate:g} is out of range; it takes 1 to 240")
    check_writable(path)
    times = np.arange(max(1, math.ceil(motion.seconds * rate - 1e-6))) / rate
    with Camera(motion, size, *view) as camera, whole_file(path) as temporary:
        writer: Any = imageio.get_writer(temporary, **format_options)
        with writer:
            for k, time in enumerate(times):
                writer.append_data(camera.frame(time))
                if progress is not None:
                    progress((k + 1) / len(times))
    return path


class Camera:
    """Draws a motion at any time (s, from its start). Use it in a `with` block: it holds graphics memory."""

    def __init__(self, motion: Motion, size: Size = VIDEO_SIZE, bearing: float = BEARING,
                 elevation: float = ELEVATION, zoom: float = 1.0) -> None:
        width, height = size
        if not (16 <= width <= 7680 and 16 <= height <= 4320):
            raise BadInput(f"size={width}x{height} is out of range; it takes 16x16 to 7680x4320")
        if not 0.05 <= zoom <= 20:
            raise BadInput(f"zoom={zoom:g} is out of range; it takes 0.05 to 20")
        self.motion = motion
        self.model = mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))  # its own: edits change it
        self.model.vis.global_.offwidth, self.model.vis.global_.offheight = width, height
        self.data = mujoco.MjData(self.model)
        self._edited = -1
        self._path, reach, heading = _survey(motion)
        self._view = mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FREE
        self._view.azimuth, self._view.elevation = np.degrees(heading) + bearing, elevation
        narrow = min(1.0, width / height)  # a tall picture has to stand further back
        tangent = np.tan(np.radians(self.model.vis.global_.fovy) / 2)
        self._view.distance = reach / (tangent * narrow * zoom)
        # Clipping planes, haze and the reach of shadows scale with this; what MuJoCo computes counts far away props.
        self.model.stat.extent = 2.0 * reach
        self.model.vis.map.shadowclip = 1.5
        self.model.vis.quality.numslices, self.model.vis.quality.numstacks = 20, 12  # a fifth faster, looks the same
        self._renderer = _renderer(self.model, width, height)

    def __enter__(self) -> Camera:
        return self

    def __exit__(self, *_: object) -> None:
        self._renderer.close()

    def frame(self, time: float) -> np.ndarray:
        """The picture at a time, (height, width, 3) bytes."""
        motion, data = self.motion, self.data
        at = np.clip(motion.time[0] + time, motion.time[0], motion.time[-1])
        row = int(np.searchsorted(motion.time, at, side="right")) - 1
        self._apply_edits(row)
        data.qpos[:] = motion.sample(np.array([at]))[0] if len(motion.time) > 1 else motion.qpos[0]
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_comPos(self.model, data)
        mujoco.mj_camlight(self.model, data)
        aim = np.array([np.interp(at, motion.time, self._path[:, k]) for k in range(3)])
        self._view.lookat[:] = aim
        self._bring_lights(aim)
        self._renderer.update_scene(data, self._view)
        return self._renderer.render().copy()

    def _bring_lights(self, aim: np.ndarray) -> None:
        """Sunlight casts shadows only near the light's own place, so it comes along."""
        for light in np.flatnonzero(self.model.light_type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL):
            self.data.light_xpos[light] = aim - 5.0 * self.data.light_xdir[light]

    def _apply_edits(self, row: int) -> None:
        """Bring the model to what it was at a row; time may also run backward."""
        if row < self._edited:
            fresh = self.motion.model
            for name in {name for _, fields in self.motion.edits for name in fields}:
                getattr(self.model, name)[:] = getattr(fresh, name)
            self._edited = -1
        for tick, fields in self.motion.edits:
            if self._edited < tick <= row:
                apply_edit(self.model, fields)
        self._edited = row


def _survey(motion: Motion) -> tuple[np.ndarray, float, float]:
    """Where to aim at every row (rows, 3), how far around that to see (m), and the heading at the start (rad)."""
    model = motion.model
    data = mujoco.MjData(model)
    shares = [share_of(motion, k) for k in range(len(motion.figures))]
    tops = [share.top for share in shares] or [0]
    centres = np.empty((len(motion.time), len(tops), 3))
    for row, qpos in enumerate(motion.qpos):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        centres[row] = data.subtree_com[tops]
        if row == 0:
            bodies = np.concatenate([share.bodies for share in shares]) if shares else np.arange(model.nbody)
            tall = np.ptp(data.xipos[bodies], axis=0).max()
            far = np.linalg.norm(data.xipos[bodies] - centres[0].mean(axis=0), axis=1).max()
            root = data.xmat[shares[0].root].reshape(3, 3).copy() if shares else np.eye(3)
    path = centres.mean(axis=1)
    # Fewer ups and downs than forth: the horizon stays calm, yet a climb is followed.
    width = GLIDE / max(motion.tick_length, 1e-6)
    path[:, :2] = gaussian_filter1d(path[:, :2], width, axis=0, mode="nearest")
    path[:, 2] = gaussian_filter1d(path[:, 2], 2 * width, mode="nearest")
    spread = np.linalg.norm(centres - centres.mean(axis=1, keepdims=True), axis=-1).max()
    reach = max(0.72 * max(tall, 0.3) + spread, 1.2 * far)  # who sits has feet far from its middle, and ahead
    return path, float(reach), float(np.arctan2(root[1, 0], root[0, 0]))


def _renderer(model: mujoco.MjModel, width: int, height: int) -> mujoco.Renderer:
    """MuJoCo's renderer, or one clear line about why there is none."""
    try:
        return mujoco.Renderer(model, height, width)
    except Exception as error:  # each back end fails in its own way: AttributeError, ImportError, FatalError, ...
        reason = " ".join(str(error).split())[:160]
        raise MissingGL(f"cannot draw pictures: no usable OpenGL library ({reason}); on Debian and Ubuntu install "
                        "libegl1 and libgl1-mesa-dri, leave MUJOCO_GL unset or egl, and import gambol before mujoco"
                        ) from None
