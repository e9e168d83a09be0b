"""Writing BVH: the skeleton of a figure and its motion, for Blender, MotionBuilder and every retargeting tool.

The file has y up and metres (`scale=100` gives centimetres). With all angles zero the figure is in its model's zero
pose. Every joint of the file is the frame of a body: the hinges between a body and its parent become one rotation of
three channels, Z then X then Y about moving axes, with angles that run on past 180 degrees instead of leaping. A body
whose origin moves in its parent (a sliding joint, a hinge beside the origin) has position channels too, which stand in
place of its OFFSET. Frames are the motion's ticks, or `fps` a second.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np

from gambol.errors import BadInput
from gambol.files import check_writable, whole_file
from gambol.motion.formats.bvh_reader import parse_bvh, read_bvh
from gambol.motion.kinematics import Share, Track, share_of
from gambol.motion.motion import Motion
from gambol.rotations import Y_UP, conjugate, multiply, rotate, to_euler

__all__ = ["parse_bvh", "read_bvh", "write_bvh"]

Progress = Callable[[float], None]
ORDER = "ZXY"
FIXED = 1e-6
"""A body whose place in its parent varies by less than this (m) has no position channels."""


def write_bvh(motion: Motion, path: Path | str, *, fps: float | None = None, scale: float = 1.0,
              progress: Progress | None = None) -> list[Path]:
    """Write a file for each figure (`name.bvh`, or `name-human1.bvh` and so on where there are several)."""
    path = Path(path)
    if not motion.figures:
        raise BadInput("this motion names no figure, so there is no skeleton to write")
    if not scale > 0 or (fps is not None and not fps > 0):
        raise BadInput("scale and fps must be above 0")
    frame_time = (motion.tick_length or 1.0) if fps is None else 1.0 / fps
    shares = [share_of(motion, k) for k in range(len(motion.figures))]
    paths = [path.with_stem(f"{path.stem}-{share.label.rstrip('/')}") if share.label else path for share in shares]
    for target in paths:
        check_writable(target)
    track = Track(motion)
    position, quaternion = ((track.position, track.quaternion) if fps is None
                            else track.at(np.arange(0.0, motion.seconds + 1e-9, frame_time)))
    for k, (share, target) in enumerate(zip(shares, paths, strict=True)):
        text = bvh_text(motion.model, share, position, quaternion, frame_time, scale)
        with whole_file(target) as temporary:
            temporary.write_text(text, encoding="ascii", errors="replace", newline="\n")
        if progress is not None:
            progress((k + 1) / len(shares))
    return paths


def bvh_text(model: mujoco.MjModel, share: Share, position: np.ndarray, quaternion: np.ndarray, frame_time: float,
             scale: float = 1.0) -> str:
    """The file for one figure, from world poses (frames, nbody, ...)."""
    rest = mujoco.MjData(model)
    mujoco.mj_kinematics(model, rest)
    # Rotation since the rest pose, in y-up axes: BVH has every joint aligned with the world when at rest.
    turn = multiply(multiply(Y_UP, multiply(quaternion, conjugate(rest.xquat))), conjugate(Y_UP))
    places, rest_places = scale * rotate(Y_UP, position), scale * rotate(Y_UP, rest.xpos)
    names = _names(model, share)
    columns: list[np.ndarray] = []
    lines = ["HIERARCHY"]

    def add(body: int, depth: int) -> None:
        """One joint with all that hangs on it; the order of channels is the order of this walk."""
        up, indent = int(model.body_parentid[body]), "\t" * depth
        top = body == share.top
        offset = np.zeros(3) if top else rest_places[body] - rest_places[up]
        local = places[:, body] if top else rotate(conjugate(turn[:, up]), places[:, body] - places[:, up])
        angles = to_euler(ORDER, turn[:, body] if top else multiply(conjugate(turn[:, up]), turn[:, body]))
        moves = top or bool(np.abs(local - offset).max() > FIXED * scale)
        channels = ["Xposition", "Yposition", "Zposition"] * moves + [f"{axis}rotation" for axis in ORDER]
        lines.extend([f"{indent}{'ROOT' if top else 'JOINT'} {names[body]}", f"{indent}{{",
                      f"{indent}\tOFFSET {_numbers(offset)}",
                      f"{indent}\tCHANNELS {len(channels)} {' '.join(channels)}"])
        columns.extend([local] * moves + [np.degrees(angles)])
        children = [int(b) for b in share.bodies if model.body_parentid[b] == body and b != body]
        for child in children:
            add(child, depth + 1)
        if not children:
            tip = scale * rotate(Y_UP, rotate(rest.xquat[body], _tip(model, share, body)))
            lines.extend([f"{indent}\tEnd Site", f"{indent}\t{{", f"{indent}\t\tOFFSET {_numbers(tip)}",
                          f"{indent}\t}}"])
        lines.append(f"{indent}}}")

    add(share.top, 0)
    table = np.concatenate(columns, axis=1) + 0.0  # adding zero turns -0 into 0
    lines += ["MOTION", f"Frames: {len(table)}", f"Frame Time: {frame_time:.9g}"]
    lines += [_numbers(row) for row in table]
    return "\n".join(lines) + "\n"


def _numbers(row: np.ndarray) -> str:
    return " ".join(f"{value:.6f}" for value in row)


def _names(model: mujoco.MjModel, share: Share) -> dict[int, str]:
    """Joint names without the figure's prefix; BVH names are one word."""
    return {int(b): "_".join(model.body(b).name.removeprefix(share.prefix).split()) or f"body{b}"
            for b in share.bodies}


def _tip(model: mujoco.MjModel, share: Share, body: int) -> np.ndarray:
    """Where a part without children ends: between the toe points of a foot, else as far again as its middle."""
    for role, points in share.anatomy.soles.items():
        if share.feet[role][0] == body and len(points):
            return np.asarray(points)[-2:].mean(axis=0)
    tip = 2.0 * model.body_ipos[body]
    return tip if np.linalg.norm(tip) > 0.01 else np.array([0.0, 0.0, 0.05])
