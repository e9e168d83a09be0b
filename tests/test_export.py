"""Exporters: a player that knows only the file format must see what MuJoCo simulated."""

from __future__ import annotations

import csv
import json
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from gambol.bodies import CHARACTERS
from gambol.errors import BadInput, MissingGL
from gambol.motion.export import EXPORTERS, export
from gambol.motion.formats import gltf, table, video
from gambol.motion.measures import Measured
from gambol.motion.meshes import Mesh, box, capsule, cylinder, ellipsoid, height_field, triangulate, visible
from gambol.motion.motion import Motion
from short_motion import fall

NODE = Path(__file__).parent / "node"
COMPONENT = {5126: "<f4", 5121: "<u1", 5123: "<u2", 5125: "<u4"}
WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


@dataclass
class Player:
    """Reads a .glb and plays it, by the words of the glTF specification and nothing of gambol's."""

    path: Path

    def __post_init__(self) -> None:
        data = self.path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        (size,) = struct.unpack_from("<I", data, 12)
        self.json: dict[str, Any] = json.loads(data[20:20 + size])
        self.binary = data[20 + size + 8:]
        self.parents = {child: k for k, node in enumerate(self.json["nodes"]) for child in node.get("children", [])}

    def array(self, number: int) -> np.ndarray:
        accessor = self.json["accessors"][number]
        view = self.json["bufferViews"][accessor["bufferView"]]
        count = accessor["count"] * WIDTH[accessor["type"]]
        values = np.frombuffer(self.binary, COMPONENT[accessor["componentType"]], count, view["byteOffset"])
        values = values.reshape(accessor["count"], -1).astype(float)
        assert np.allclose(values.min(axis=0), accessor["min"]) and np.allclose(values.max(axis=0), accessor["max"])
        return values

    def node(self, name: str) -> int:
        (found,) = [k for k, node in enumerate(self.json["nodes"]) if node["name"] == name]
        return found

    def local(self, time: float) -> dict[tuple[int, str], np.ndarray]:
        """Animated properties at a time."""
        values = {}
        for animation in self.json["animations"]:
            for channel in animation["channels"]:
                sampler = animation["samplers"][channel["sampler"]]
                times, outputs = self.array(sampler["input"])[:, 0], self.array(sampler["output"])
                time = min(max(time, times[0]), times[-1])
                k = min(max(int(np.searchsorted(times, time, side="right")) - 1, 0), max(len(times) - 2, 0))
                a, b = outputs[k], outputs[min(k + 1, len(outputs) - 1)]
                share = (time - times[k]) / (times[k + 1] - times[k]) if len(times) > 1 else 0.0
                path = channel["target"]["path"]
                if sampler["interpolation"] == "STEP":
                    value = b if share >= 1 else a
                elif path == "rotation":
                    value = _slerp(a, b, share)
                else:
                    value = (1 - share) * a + share * b
                values[channel["target"]["node"], path] = value
        return values

    def matrices(self, time: float) -> list[np.ndarray]:
        """World matrix of every node at a time."""
        moving, done = self.local(time), {}

        def world(k: int) -> np.ndarray:
            if k not in done:
                node, own = self.json["nodes"][k], np.eye(4)
                x, y, z, w = moving.get((k, "rotation"), node.get("rotation", [0, 0, 0, 1]))
                own[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                               [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                               [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
                own[:3, :3] *= moving.get((k, "scale"), node.get("scale", [1, 1, 1]))
                own[:3, 3] = moving.get((k, "translation"), node.get("translation", [0, 0, 0]))
                done[k] = world(self.parents[k]) @ own if k in self.parents else own
            return done[k]

        return [world(k) for k in range(len(self.json["nodes"]))]


def _slerp(a: np.ndarray, b: np.ndarray, share: float) -> np.ndarray:
    dot = float(a @ b)
    b = b if dot >= 0 else -b
    angle = np.arccos(min(1.0, abs(dot)))
    mixed = ((1 - share) * a + share * b if angle < 1e-6
             else (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle))
    return mixed / np.linalg.norm(mixed)


def kinematics(motion: Motion, time: float) -> mujoco.MjData:
    """MuJoCo's answer at a time, with the model as edited until then."""
    model = mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))
    for tick, fields in motion.edits:
        if motion.time[tick] <= motion.time[0] + time:
            for name, value in fields.items():
                getattr(model, name)[:] = value
    data = mujoco.MjData(model)
    data.qpos[:] = motion.sample(np.array([motion.time[0] + time]))[0]
    mujoco.mj_kinematics(model, data)
    return data


def z_up(point: np.ndarray) -> np.ndarray:
    return np.array([point[0], -point[2], point[1]])


@pytest.mark.parametrize("skinned", [False, True])
@pytest.mark.parametrize("name", list(CHARACTERS))
def test_a_player_sees_every_body_where_it_was(name: str, skinned: bool, tmp_path: Path) -> None:
    motion = fall((name,), 1.0)
    (path,) = export(motion, tmp_path / "x.glb", skinned=skinned)
    player = Player(path)
    share = Measured(motion).share
    worst = 0.0
    for time in np.random.default_rng(5).uniform(0, motion.seconds, 20):
        data, seen = kinematics(motion, time), player.matrices(time)
        for body in share.bodies:
            place = seen[player.node(motion.model.body(body).name.removeprefix(f"{name}/"))]
            worst = max(worst, float(np.linalg.norm(z_up(place[:3, 3]) - data.xpos[body])))
            turn = np.array([z_up(column) for column in place[:3, :3].T]).T
            assert np.abs(turn - data.xmat[body].reshape(3, 3)).max() < 0.02
    assert worst < 0.001


def test_shapes_of_the_rigid_file_are_the_geoms_of_the_model(tmp_path: Path) -> None:
    """At any time, each visible geom is drawn once, at its place and as large as it was then (a ball changes size)."""
    motion = fall()
    player = Player(export(motion, tmp_path / "x.glb")[0])
    model = motion.model
    for time in (0.0, 0.099, 0.3, 1.2):
        data, seen = kinematics(motion, time), player.matrices(time)
        ball = [k for k, node in enumerate(player.json["nodes"]) if node["name"] == "projectile1" and "mesh" in node]
        shown = [k for k in ball if abs(np.linalg.det(seen[k][:3, :3])) > 0.5]
        assert len(ball) == 2 and len(shown) == 1
        (vertices,) = self_vertices(player, shown[0])
        expected = 0.1 if time < 0.1 else 0.12
        assert np.linalg.norm(vertices, axis=1).max() == pytest.approx(expected, rel=0.01)
        assert np.linalg.norm(z_up(seen[shown[0]][:3, 3]) - data.xpos[model.body("projectile1").id]) < 0.001
    drawn = sum("mesh" in node for node in player.json["nodes"])
    assert drawn == sum(visible(model, geom) for geom in range(model.ngeom)) + 1  # the ball has two sizes
    assert player.json["nodes"][player.node("pelvis")]["extras"]["roles"] == ["root"]


def self_vertices(player: Player, node: int) -> list[np.ndarray]:
    mesh = player.json["meshes"][player.json["nodes"][node]["mesh"]]
    return [player.array(primitive["attributes"]["POSITION"]) for primitive in mesh["primitives"]]


def test_skin_follows_the_rigid_shapes(tmp_path: Path) -> None:
    """Weights sum to one, and far from joints a skinned vertex is where the rigid shape has it."""
    motion = fall()
    player = Player(export(motion, tmp_path / "x.glb", skinned=True)[0])
    (skin,) = player.json["skins"]
    inverse = player.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    joints = np.array(player.matrices(1.0))[skin["joints"]] @ inverse
    data, count = kinematics(motion, 1.0), 0
    low, high = [], []
    for primitive in player.json["meshes"][0]["primitives"]:
        names = primitive["attributes"]
        points, weights = player.array(names["POSITION"]), player.array(names["WEIGHTS_0"])
        numbers = player.array(names["JOINTS_0"]).astype(int)
        assert np.allclose(weights.sum(axis=1), 1, atol=1e-5)
        blended = np.einsum("nk,nkij->nij", weights, joints[numbers])
        moved = np.einsum("nij,nj->ni", blended, np.column_stack([points, np.ones(len(points))]))[:, :3]
        low.append(moved.min(axis=0))
        high.append(moved.max(axis=0))
        count += int((weights.max(axis=1) < 0.999).sum())
    assert count > 500  # something is blended
    bodies = Measured(motion).share.bodies
    centre = (np.min(low, axis=0) + np.max(high, axis=0)) / 2
    assert np.linalg.norm(z_up(centre) - data.xpos[bodies].mean(axis=0)) < 0.35
    assert 1.0 < np.linalg.norm(np.max(high, axis=0) - np.min(low, axis=0)) < 2.6


@pytest.mark.parametrize("mesh", [ellipsoid(np.array([0.1, 0.2, 0.3])), capsule(0.05, 0.2), cylinder(0.1, 0.2),
                                  box(np.array([0.1, 0.2, 0.3]))], ids=["ellipsoid", "capsule", "cylinder", "box"])
def test_solids_are_closed_and_face_outward(mesh: Mesh) -> None:
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    assert (np.sum(facing * (a + b + c), axis=1) > 0).all()
    assert (np.sum(facing * mesh.normals[mesh.triangles[:, 0]], axis=1) > 0).all()
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1)
    assert np.allclose(facing.sum(axis=0), 0, atol=1e-12)  # closed
    assert (np.linalg.norm(facing, axis=1) > 1e-12).all()


def test_capsule_and_height_field_have_the_right_measure() -> None:
    mesh = capsule(0.05, 0.2)
    assert np.allclose(np.ptp(mesh.vertices, axis=0), [0.1, 0.1, 0.5])
    model = mujoco.MjModel.from_xml_string("""<mujoco><asset><hfield name="h" nrow="3" ncol="4" size="3 2 0.5 0.1"
        elevation="0 0 0 0  0 1 0 0  0 0 0 0"/></asset>
        <worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>""")
    field = height_field(model, 0)
    assert np.allclose(field.vertices[field.vertices[:, 2].argmax()], [-1, 0, 0.5])
    a, b, c = (field.vertices[field.triangles[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0).all()
    assert np.allclose(np.ptp(field.vertices, axis=0), [6, 4, 0.5])


def test_meshes_from_files_face_outward() -> None:
    cube = "0 0 0  1 0 0  0 1 0  0 0 1  1 1 0  1 0 1  0 1 1  1 1 1"
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><asset><mesh name="m" vertex="{cube}"/></asset><worldbody>
        <geom type="mesh" mesh="m"/></worldbody></mujoco>""")
    mesh = triangulate(model, 0)
    assert mesh is not None
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    assert (np.sum(facing * (a + b + c), axis=1) > 0).all() and np.allclose(np.ptp(mesh.vertices, axis=0), 1)


@pytest.mark.skipif(shutil.which("node") is None or not (NODE / "node_modules/gltf-validator").is_dir(),
                    reason="needs Node and `npm install --prefix tests/node`")
def test_the_khronos_validator_has_nothing_to_say(tmp_path: Path) -> None:
    files = [export(fall(), tmp_path / "rigid.glb")[0], export(fall(), tmp_path / "skinned.glb", skinned=True)[0],
             export(fall(("human", "quadruped"), 0.2), tmp_path / "two.glb")[0],
             export(fall(("human", "quadruped"), 0.2), tmp_path / "two_skinned.glb", skinned=True)[0],
             export(fall(), tmp_path / "all.glb", fps=None, ground=False)[0]]
    run = subprocess.run(["node", str(NODE / "validate.cjs"), *map(str, files)], capture_output=True, text=True,
                         check=True, timeout=60)
    reports = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(reports) == len(files)
    for report in reports:
        assert report["errors"] == report["warnings"] == 0, report["messages"]


def test_the_table_has_the_motions_numbers(tmp_path: Path) -> None:
    motion = fall()
    with export(motion, tmp_path / "x.csv")[0].open() as file:
        rows = list(csv.reader(file))
    header, values = rows[0], np.array(rows[1:], dtype=float)
    column = {name: values[:, k] for k, name in enumerate(header)}
    assert len(values) == len(motion.time) and len(set(header)) == len(header)
    assert np.allclose(column["time [s]"], motion.time, rtol=1e-11)
    joint = motion.model.joint("human/right_elbow")
    assert np.allclose(column["right_elbow [rad]"], motion.qpos[:, joint.qposadr[0]], rtol=1e-11)
    root = motion.model.joint("human/root").qposadr[0]
    assert np.allclose(column["root_z [m]"], motion.qpos[:, root + 2], rtol=1e-11)
    motor = motion.model.actuator("human/left_knee").id
    assert np.allclose(column["left_knee_torque [N m]"][:-1], motion.ctrl[:, motor], rtol=1e-11)
    feet = column["left_foot_force_z [N]"] + column["right_foot_force_z [N]"]
    assert np.all(feet <= column["ground_force_z [N]"] + 1e-6) and feet.max() > 200


def test_a_table_of_two_figures_names_them() -> None:
    header, values = table.table(fall(("human", "human"), 0.2))
    assert "human1/com_x [m]" in header and "human2/left_knee [rad]" in header
    assert len(header) == values.shape[1] == len(set(header))


@pytest.mark.gl
def test_pictures(tmp_path: Path) -> None:
    motion = fall()
    try:
        frame = video.picture(motion, 0.5, (64, 48))
    except MissingGL as error:
        pytest.skip(str(error))
    assert frame.shape == (48, 64, 3) and frame.std() > 10
    import imageio.v3 as iio

    strip = video.filmstrip(motion, [0.0, 1.0], tmp_path / "strip.png", (48, 64))
    assert iio.imread(strip).shape == (64, 100, 3)
    done: list[float] = []
    short = fall(("human",), 0.2)
    (mp4,) = export(short, tmp_path / "x.mp4", size=(63, 48), fps=25, progress=done.append)
    frames = iio.imread(mp4, plugin="FFMPEG")
    assert frames.shape == (5, 48, 64, 3) and frames.std() > 10 and done[-1] == 1.0
    (gif,) = export(short, tmp_path / "x.gif", size=(64, 48))
    assert iio.imread(gif).shape[0] == 4 and iio.immeta(gif)["duration"] == 50


@pytest.mark.parametrize("broken", ["import", "attribute", "fatal"])
def test_without_opengl_there_is_one_clear_line(broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = {"import": ImportError("no egl"), "attribute": AttributeError("'NoneType' has no eglQueryString"),
             "fatal": mujoco.FatalError("gladLoadGL")}[broken]

    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(mujoco, "Renderer", refuse)
    with pytest.raises(MissingGL, match="no usable OpenGL library") as caught:
        export(fall(), tmp_path / "x.mp4")
    assert "\n" not in str(caught.value) and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("suffix", "module", "name"), [(".glb", gltf.Glb, "write"), (".csv", np, "savetxt"),
                                                        (".bvh", Path, "write_text")])
def test_nothing_is_left_when_an_exporter_fails(suffix: str, module: Any, name: str, tmp_path: Path,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / f"x{suffix}"
    target.write_bytes(b"precious")

    def fail(*args: Any, **_: Any) -> None:
        for path in args:
            if isinstance(path, Path):
                path.write_bytes(b"half a fi")
        raise OSError("the disk is full")

    monkeypatch.setattr(module, name, fail)
    with pytest.raises(OSError, match="disk is full"):
        export(fall(("human",), 0.2), target)
    assert target.read_bytes() == b"precious" and len(list(tmp_path.iterdir())) == 1


def test_bad_requests_are_told_what_would_be_right(tmp_path: Path) -> None:
    motion = fall(("human",), 0.2)
    with pytest.raises(BadInput, match=r"\.glb, \.bvh, \.mp4, \.gif, \.csv"):
        export(motion, tmp_path / "x.fbx")
    with pytest.raises(BadInput, match="did you mean 'skinned'"):
        export(motion, tmp_path / "x.glb", skined=True)
    with pytest.raises(BadInput, match="takes no options"):
        export(motion, tmp_path / "x.csv", fps=3)
    with pytest.raises(BadInput, match="no directory"):
        export(motion, tmp_path / "none" / "x.glb")
    with pytest.raises(BadInput, match="fps"):
        export(motion, tmp_path / "x.glb", fps=0)
    with pytest.raises(BadInput, match="size=4x4"):
        export(motion, tmp_path / "x.mp4", size=(4, 4))
    assert list(tmp_path.iterdir()) == [] and all(exporter.doc for exporter in EXPORTERS.values())
