"""The Motion file: round trip, refusals, and what `verify` catches."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.errors import BadInput
from gambol.motion.motion import Motion
from gambol.motion.verify import verify, verify_file
from gambol.world.pushes import Push
from gambol.world.world import World


def record(sabotage: bool = False) -> Motion:
    world = World(make_character("human"), seed=4)
    world.push(Push(t=0.1, body="trunk", force=(100, 0, 0)))
    behavior = make_behavior("stand", world)
    for tick in range(120):
        torques = behavior.act()
        if sabotage and tick == 60:  # a test double that cheats
            world.data.xfrc_applied[world.figure.body_id("head"), 0] = 5.0
        world.step(torques)
        world.data.xfrc_applied[world.figure.body_id("head")] = 0.0
    return Motion.from_world(world, behavior="stand", params={})


@pytest.fixture(scope="module")
def motion() -> Motion:
    return record()


def rewrite(source: Path, target: Path, **changes: np.ndarray) -> Path:
    """The same file with some entries changed by hand, fingerprints left as they were."""
    with np.load(source) as file:
        content = {name: file[name] for name in file.files}
    np.savez(target, **(content | changes))
    return target


def test_file_round_trip_is_exact(motion: Motion, tmp_path: Path) -> None:
    loaded = Motion.load(motion.save(tmp_path / "a.npz"))
    for name in ("time", "qpos", "qvel", "ctrl", "initial_state", "push_tick", "push_body", "push_wrench"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(motion, name), err_msg=name)
    assert loaded.model_xml == motion.model_xml and loaded.substeps == motion.substeps
    assert loaded.meta["seed"] == 4 and loaded.meta["behavior"] == "stand"
    assert loaded.figures[0].anatomy.feet == ("left_foot", "right_foot")


def test_verify_finds_nothing_wrong_with_an_honest_take(motion: Motion, tmp_path: Path) -> None:
    verdict = verify_file(motion.save(tmp_path / "a.npz"))
    assert verdict.ok and verdict.difference == 0.0 and verdict.sentences()[-1] == "no undeclared force"


def test_replay_with_mujoco_and_numpy_alone_agrees(motion: Motion, tmp_path: Path) -> None:
    path = motion.save(tmp_path / "a.npz")
    script = Path(__file__).parent.parent / "docs" / "motion-file.md"
    code = script.read_text().split("```python")[1].split("```")[0]
    assert "gambol" not in code.replace("gambol-motion", "")
    printed: list[str] = []
    exec(code.replace("motion.npz", str(path)), {"print": lambda *words: printed.append(" ".join(map(str, words)))})
    assert printed[-1].endswith("0.0")


def test_verify_names_a_changed_control_row(motion: Motion, tmp_path: Path) -> None:
    ctrl = motion.ctrl.copy()
    ctrl[50, 3] += 0.5
    verdict = verify_file(rewrite(motion.save(tmp_path / "a.npz"), tmp_path / "b.npz", ctrl=ctrl))
    assert not verdict.ok and verdict.changed == ["ctrl"] and verdict.unexplained == [50]


def test_verify_names_a_changed_state_row(motion: Motion, tmp_path: Path) -> None:
    qpos = motion.qpos.copy()
    qpos[70, 9] += 1e-3
    verdict = verify_file(rewrite(motion.save(tmp_path / "a.npz"), tmp_path / "b.npz", qpos=qpos))
    assert not verdict.ok and verdict.changed == ["qpos"]
    assert verdict.difference == pytest.approx(1e-3) and verdict.first_tick == 69


def test_verify_names_a_changed_model(motion: Motion, tmp_path: Path) -> None:
    heavier = motion.model_xml.replace('armature="0.01"', 'armature="0.02"', 1)
    assert heavier != motion.model_xml
    verdict = verify_file(rewrite(motion.save(tmp_path / "a.npz"), tmp_path / "b.npz", model_xml=np.array(heavier)))
    assert not verdict.ok and verdict.changed == ["model_xml"]


def test_verify_catches_a_hidden_force_although_every_fingerprint_is_right(tmp_path: Path) -> None:
    verdict = verify_file(record(sabotage=True).save(tmp_path / "a.npz"))
    assert not verdict.ok and not verdict.changed
    assert verdict.unexplained == [60] and verdict.force == pytest.approx(5.0, rel=0.5)
    assert any("undeclared force" in line for line in verdict.sentences())


def test_verify_catches_undeclared_pushes_and_weaker_gravity(motion: Motion) -> None:
    none = np.zeros(0, dtype=np.int64)
    undeclared = verify(replace(motion, push_tick=none, push_body=none, push_wrench=np.zeros((0, 6))))
    assert undeclared.unexplained == list(range(25, 50)) and undeclared.force == pytest.approx(100, rel=0.3)
    moon = motion.model_xml.replace("<option ", '<option gravity="0 0 -1.6" ')
    assert any("gravity" in line for line in verify(replace(motion, model_xml=moon)).rule_breaks)


def fresh_start(motion: Motion, xml: str) -> dict[str, object]:
    """Entries of a take for another model: zero state and controls that fit it."""
    model = mujoco.MjModel.from_xml_string(xml)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION)
    return {"model_xml": xml, "initial_state": np.zeros(size), "ctrl": np.zeros((len(motion.ctrl), model.nu))}


def test_dishonest_models_edits_and_states_are_rule_breaks(motion: Motion) -> None:
    def breaks(**changes: object) -> str:
        return " ".join(verify(replace(motion, **changes)).rule_breaks)  # type: ignore[arg-type]

    assert breaks() == ""
    friction = motion.model.geom_friction.copy()
    friction[:, 0] = 3.0
    assert "friction" in breaks(edits=((0, {"geom_friction": friction}),))
    assert "gravcomp" in breaks(model_xml=motion.model_xml.replace('<body name="human/head"',
                                                                   '<body name="human/head" gravcomp="1"'))
    weld = '<equality><weld body1="human/pelvis"/></equality></mujoco>'
    assert "tied to the world" in breaks(**fresh_start(motion, motion.model_xml.replace("</mujoco>", weld)))
    thruster = '<motor joint="human/root" gear="0 0 1 0 0 0"/></actuator>'
    assert "free joint" in breaks(**fresh_start(motion, motion.model_xml.replace("</actuator>", thruster)))
    data = mujoco.MjData(motion.model)
    mujoco.mj_setState(motion.model, data, motion.initial_state, mujoco.mjtState.mjSTATE_INTEGRATION)
    data.qfrc_applied[2] = 10.0
    state = np.empty_like(motion.initial_state)
    mujoco.mj_getState(motion.model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    assert "applied forces" in breaks(initial_state=state)


def test_torques_beyond_strength_are_a_rule_break(motion: Motion) -> None:
    ctrl = motion.ctrl.copy()
    ctrl[10, 0] = 1e4
    assert any("strength" in line for line in verify(replace(motion, ctrl=ctrl)).rule_breaks)


def test_sampling_interpolates_between_ticks(motion: Motion) -> None:
    middle = (motion.time[20] + motion.time[21]) / 2
    rows = motion.sample(np.array([motion.time[20], middle, motion.time[21], 1e9]))
    np.testing.assert_allclose(rows[0], motion.qpos[20], atol=1e-12)
    np.testing.assert_allclose(rows[1][7:], (motion.qpos[20] + motion.qpos[21])[7:] / 2, atol=1e-12)
    assert np.linalg.norm(rows[1][3:7]) == pytest.approx(1.0)
    np.testing.assert_allclose(rows[3], motion.qpos[-1], atol=1e-12)


# -- bad files ---------------------------------------------------------------------------------------------------------


def test_bad_files_are_refused_in_one_line(motion: Motion, tmp_path: Path) -> None:
    good = motion.save(tmp_path / "good.npz")
    truncated = tmp_path / "truncated.npz"
    truncated.write_bytes(good.read_bytes()[:5000])
    text = tmp_path / "text.npz"
    text.write_text("hello")
    foreign = tmp_path / "foreign.npz"
    np.savez(foreign, a=np.zeros(3))
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, format="gambol-motion/1", meta=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    bare_pickle = tmp_path / "bare.npz"
    bare_pickle.write_bytes(b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00]\x94.")
    short = rewrite(good, tmp_path / "short.npz", ctrl=motion.ctrl[:-3])
    broken = rewrite(good, tmp_path / "broken.npz", model_xml=np.array("<mujoco"))
    words = {tmp_path / "none.npz": "no file", truncated: "damaged", text: "", foreign: "not a gambol Motion",
             pickled: "pickle", bare_pickle: "", short: "one row less", broken: "does not compile"}
    for path, expected in words.items():
        with pytest.raises(BadInput, match=expected) as caught:
            Motion.load(path)
        assert "\n" not in str(caught.value)


def test_a_file_is_written_whole_or_not_at_all(motion: Motion, tmp_path: Path) -> None:
    path = tmp_path / "take.npz"
    path.write_text("precious")
    unserialisable = replace(motion, meta={"bad": object()})
    with pytest.raises(TypeError):
        unserialisable.save(path)
    assert path.read_text() == "precious" and len(list(tmp_path.iterdir())) == 1
    for target in (tmp_path / "no" / "such.npz", tmp_path):
        with pytest.raises(BadInput, match="cannot write"):
            motion.save(target)


def test_the_file_is_an_ordinary_zip_of_arrays(motion: Motion, tmp_path: Path) -> None:
    with zipfile.ZipFile(motion.save(tmp_path / "a.npz")) as archive:
        names = set(archive.namelist())
        meta = json.loads(str(np.load(io.BytesIO(archive.read("meta.npy")), allow_pickle=False)))
    assert {"format.npy", "model_xml.npy", "ctrl.npy", "qpos.npy"} <= names
    assert meta["mujoco"] == mujoco.__version__
