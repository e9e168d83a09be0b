"""BVH: what is written is what happened; what others wrote can be read; what is broken is refused with its line."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from gambol.bodies import CHARACTERS
from gambol.errors import BadInput
from gambol.motion.formats.bvh import parse_bvh, read_bvh, write_bvh
from gambol.rotations import from_euler, matrix, multiply, to_euler
from short_motion import fall

SMALL = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT the knee
  {
    OFFSET 0 -1e0 0
    CHANNELS 3 Yrotation Xrotation Zrotation
    End Site
    {
      OFFSET 0 -0.5 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 1 0 0 0 0  0 0 0
2 1 0 90 0 0  0 0 0
"""


def true_positions(motion, times: np.ndarray, prefix: str, names) -> np.ndarray:
    """World positions by MuJoCo, (times, names, 3)."""
    data, rows = mujoco.MjData(motion.model), []
    for qpos in motion.sample(motion.time[0] + times):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(motion.model, data)
        rows.append([data.body(prefix + name).xpos.copy() for name in names])
    return np.array(rows)


@pytest.mark.parametrize("name", list(CHARACTERS))
def test_the_written_file_puts_every_body_where_it_was(name: str, tmp_path: Path) -> None:
    motion = fall((name,), 1.0)
    animation = read_bvh(write_bvh(motion, tmp_path / "x.bvh")[0]).to_z_up()
    times = np.random.default_rng(1).uniform(0, motion.seconds, 20)
    expected = true_positions(motion, times, f"{name}/", animation.names)
    assert np.linalg.norm(animation.positions(times) - expected, axis=-1).max() < 0.001


def test_frames_a_second_and_scale(tmp_path: Path) -> None:
    motion = fall()
    animation = read_bvh(write_bvh(motion, tmp_path / "x.bvh", fps=60, scale=100)[0])
    assert animation.frame_time == pytest.approx(1 / 60, rel=1e-8)
    assert animation.seconds == pytest.approx(motion.seconds, abs=1 / 60)
    times = np.arange(0, 1.0, 1 / 60)
    expected = true_positions(motion, times, "human/", animation.names)
    assert np.linalg.norm(animation.to_z_up(0.01).positions(times) - expected, axis=-1).max() < 0.001


def test_it_stands_upright_in_a_y_up_program(tmp_path: Path) -> None:
    animation = read_bvh(write_bvh(fall(), tmp_path / "x.bvh")[0])
    first = animation.positions([0.0])[0]
    height = first[animation.joint("head")] - first[animation.joint("left_foot")]
    assert 1.2 < height[1] < 1.8 and abs(height[0]) < 0.3 and abs(height[2]) < 0.3
    assert first[animation.joint("left_foot"), 2] < first[animation.joint("right_foot"), 2]  # left is -z, facing +x
    assert len(animation.tips) == 5


def test_only_the_root_moves_and_angles_do_not_leap(tmp_path: Path) -> None:
    text = write_bvh(fall(), tmp_path / "x.bvh")[0].read_text()
    assert text.count("CHANNELS 6") == 1
    rows = np.array([line.split() for line in text.partition("Frame Time:")[2].splitlines()[1:]], dtype=float)
    assert np.abs(np.diff(rows, axis=0)).max() < 90


def test_one_file_a_figure(tmp_path: Path) -> None:
    motion = fall(("human", "human"), 0.2)
    paths = write_bvh(motion, tmp_path / "pair.bvh")
    assert [path.name for path in paths] == ["pair-human1.bvh", "pair-human2.bvh"]
    for k, path in enumerate(paths):
        animation = read_bvh(path).to_z_up()
        expected = true_positions(motion, np.array([0.1]), f"human{k + 1}/", animation.names)
        assert np.abs(animation.positions([0.1]) - expected).max() < 0.001


def test_reading_a_small_file() -> None:
    animation = parse_bvh(SMALL)
    assert animation.names == ("hips", "the knee") and animation.seconds == 0.5
    assert np.allclose(animation.positions([0.0, 0.5])[:, 1], [[0, 0, 0], [3, 1, 0]])
    halfway = animation.positions([0.25])[0, 1]
    assert np.allclose(halfway, [1 + np.sqrt(0.5), 1 - np.sqrt(0.5), 0])
    assert np.allclose(animation.to_z_up().positions([0.5])[0], [[2, 0, 1], [3, 0, 1]])
    assert np.allclose(animation.tips[0][1], [0, -0.5, 0])


def test_line_ends_case_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "x.bvh"
    path.write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").replace("CHANNELS", "Channels").encode())
    assert np.allclose(read_bvh(path).positions(), parse_bvh(SMALL).positions())


def test_channel_orders_are_obeyed() -> None:
    for order in ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"):
        text = SMALL.replace("Zrotation Xrotation Yrotation", " ".join(f"{axis}rotation" for axis in order))
        animation = parse_bvh(text.replace("2 1 0 90 0 0 ", "2 1 0 30 40 50 "))
        about = {axis: matrix(from_euler(axis, np.radians([angle]))) for axis, angle in zip(order, (30, 40, 50),
                                                                                             strict=True)}
        expected = about[order[0]] @ about[order[1]] @ about[order[2]] @ [0, -1, 0] + [2, 1, 0]
        assert np.allclose(animation.positions()[1, 1], expected)


@pytest.mark.parametrize(("old", "new", "message"), [
    ("HIERARCHY", "HIERARCHIE", "line 1: expected hierarchy"),
    ("OFFSET 0 0 0", "OFFSET 0 zero 0", "line 4: an OFFSET should be a number, found 'zero'"),
    ("Yrotation Xrotation Zrotation", "Yrotation Xrotation Wrotation", "line 9: unknown channel 'Wrotation'"),
    ("Yrotation Xrotation Zrotation", "Yrotation Xrotation Xrotation", "line 9: a channel is named twice"),
    ("CHANNELS 3", "CHANNELS 3.5", "line 9: the number of channels should be a whole number"),
    ("Frames: 2", "Frames: 3", "the file ends where a channel value should be .frame 3 of 3"),
    ("Frames: 2", "Frames: 1", "line 20: expected the end of the file"),
    ("Frames: 2", "Frames: 0", "line 17: the MOTION has no frames"),
    ("Frame Time: 0.5", "Frame Time: 0", "line 18: the frame time must be above 0"),
    ("2 1 0 90", "2 1 nan 90", "line 20: a channel value is nan"),
    ("    OFFSET 0 -1e0 0\n", "", "joint 'the knee' has no OFFSET"),
    ("JOINT the knee", "JOINT", "line 7: a joint has no name"),
    (SMALL[SMALL.index("MOTION"):], "", "the file ends where root or motion should be"),
])
def test_malformed_files_are_refused_with_the_line(old: str, new: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        parse_bvh(SMALL.replace(old, new, 1), "walk.bvh")


def test_missing_and_binary_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no file"):
        read_bvh(tmp_path / "none.bvh")
    (tmp_path / "noise.bvh").write_bytes(bytes(range(256)))
    with pytest.raises(BadInput, match="expected hierarchy"):
        read_bvh(tmp_path / "noise.bvh")
    with pytest.raises(BadInput, match=r"unknown joint 'hip'.*did you mean 'hips'"):
        parse_bvh(SMALL).joint("hip")


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    deep = "HIERARCHY\nROOT a\n{\n" + "JOINT b\n{\n" * 5000
    with pytest.raises(BadInput, match="more than 2000 joints"):
        parse_bvh(deep)


def test_euler_angles_run_on_through_turns_and_the_singularity() -> None:
    t = np.linspace(0, 4 * np.pi, 2000)
    steady = from_euler("Y", t[:, None])
    through = multiply(steady, from_euler("X", (1.2 * np.sin(3 * t) + 0.5)[:, None]))
    for q in (steady, through):
        angles = to_euler("ZXY", q)
        assert np.abs(np.abs(np.sum(from_euler("ZXY", angles) * q, axis=1)) - 1).max() < 1e-9
        assert angles.max() - angles.min() > np.pi
    assert np.abs(np.diff(to_euler("ZXY", steady), axis=0)).max() < 0.01
