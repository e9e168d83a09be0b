"""The Motion file: round trip, refusals, and what `verify` catches."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.errors import BadInput
from gambol.motion.motion import Motion
from gambol.motion.rules import rule_breaks
from gambol.motion.verify import verify, verify_file
from gambol.world.props import Box, Platform
from gambol.world.pushes import Push, Throw
from gambol.world.world import World


def record(sabotage: bool = False, teleport: bool = False) -> Motion:
    world = World(make_character("human"), seed=4)
    world.push(Push(t=0.1, body="trunk", force=(100, 0, 0)))
    behavior = make_behavior("stand", world)
    for tick in range(120):
        torques = behavior.act()
        if sabotage and tick == 60:  # a test double that cheats
            world.data.xfrc_applied[world.figure.body_id("head"), 0] = 5.0
        world.step(torques)
        if teleport and tick == 60:
            world.data.qpos[0] += 0.02
            mujoco.mj_step1(world.model, world.data)
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
    assert verdict.ok and verdict.sentences()[-1] == "no undeclared force"
    assert "declared: 25 pushed ticks (10 N s in all, up to 100 N), 0 throws, 0 body edits" in verdict.sentences()


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
    assert verdict.jumps[0] == 69 and verdict.jump == pytest.approx(1e-3, rel=0.1)
    assert any("position jump" in line for line in verdict.sentences())


def test_verify_tells_a_written_position_from_a_force() -> None:
    verdict = verify(record(teleport=True))
    assert not verdict.ok and verdict.unexplained == verdict.jumps == [60] and verdict.force == 0.0
    assert verdict.jump == pytest.approx(0.02)
    assert not any("undeclared force" in line for line in verdict.sentences())


def test_verify_compares_the_time(motion: Motion) -> None:
    verdict = verify(replace(motion, time=2 * motion.time))
    assert not verdict.ok and verdict.difference == 0.0
    assert verdict.time_difference == pytest.approx(motion.seconds)
    assert any("recorded time" in line for line in verdict.sentences())


def test_meta_has_a_fingerprint_and_a_file_without_fingerprints_says_so(motion: Motion, tmp_path: Path) -> None:
    saved = motion.save(tmp_path / "a.npz")
    meta = Motion.load(saved).meta
    lying = rewrite(saved, tmp_path / "b.npz", meta=np.array(json.dumps({**meta, "seed": 5})))
    assert verify_file(lying).changed == ["meta"] and not verify_file(lying).ok
    silent = {name: value for name, value in meta.items() if name != "digest"}
    verdict = verify_file(rewrite(saved, tmp_path / "c.npz", meta=np.array(json.dumps(silent))))
    assert verdict.ok and not verdict.fingerprints
    assert any("no fingerprints" in line for line in verdict.sentences())
    assert verify_file(Motion.load(saved).with_meta(note="saved again").save(tmp_path / "d.npz")).ok


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


def with_ball(motion: Motion) -> str:
    """The model with a free ball, a site on the world and one on the pelvis."""
    ball = ('<site name="hook" pos="0 0 3"/><body name="ball" pos="5 5 1"><freejoint/><geom name="ball" size="0.1"/>'
            '<site name="ball"/></body></worldbody>')
    xml = motion.model_xml.replace("</worldbody>", ball)
    return re.sub(r'(<body name="human/pelvis".*?>)', r'\1<site name="hip"/>', xml, count=1)


TRICKS = {
    "gravity off": ("<option ", '<option><flag gravity="disable"/></option><option ', "option flags"),
    "no limits": ("<option ", '<option><flag clampctrl="disable"/></option><option ', "option flags"),
    "override": ("<option ", '<option o_friction="5 5 1 1 1"><flag override="enable"/></option><option ', "flags"),
    "spring": ("</mujoco>", '<tendon><spatial stiffness="1000"><site site="hook"/><site site="hip"/></spatial></tendon>'
               "</mujoco>", "tendon"),
    "string to a ball": ("</mujoco>", '<tendon><spatial range="0 1"><site site="ball"/><site site="hip"/></spatial>'
                         "</tendon></mujoco>", "tendon"),
    "site weld": ("</mujoco>", '<equality><weld site1="hip" site2="hook"/></equality></mujoco>', "tied"),
    "site connect": ("</mujoco>", '<equality><connect site1="hook" site2="hip"/></equality></mujoco>', "tied"),
    "weld to a ball": ("</mujoco>", '<equality><weld body1="ball" body2="human/pelvis"/></equality></mujoco>', "tied"),
    "sticky pair": ("</mujoco>", '<contact><pair geom1="ball" geom2="terrain" friction="9 9 1 1 1"/></contact>'
                    "</mujoco>", "friction"),
    "sticky geom": ('<geom name="ball" ', '<geom name="ball" friction="1.5" ', "friction"),
    "glue": ('<geom name="ball" ', '<geom name="ball" adhesion="5" ', "adhesion"),
    "rocket": ("</actuator>", '<general site="hip" gear="0 0 1 0 0 0"/></actuator>', "actuator"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_tricks_with_the_model_are_rule_breaks(motion: Motion, trick: str) -> None:
    old, new, word = TRICKS[trick]
    honest = with_ball(motion)
    ground = mujoco.MjModel.from_xml_string(honest).geom(0).name
    xml = honest.replace(old, new.replace('"terrain"', f'"{ground}"'), 1)
    assert xml != honest
    for model_xml, expected in ((honest, ""), (xml, word)):
        model = mujoco.MjModel.from_xml_string(model_xml)
        found = " ".join(rule_breaks(replace(motion, **fresh_start(motion, model_xml)), model))  # type: ignore[arg-type]
        assert expected in found and bool(found) == bool(expected)


def test_figures_are_found_whatever_the_file_says(motion: Motion) -> None:
    light = motion.model_xml.replace('<body name="human/head"', '<body name="human/head" gravcomp="1"')
    liar = {**motion.meta, "figures": [{**motion.meta["figures"][0], "prefix": "nobody/"}]}
    assert any("gravcomp" in line for line in verify(replace(motion, model_xml=light, meta=liar)).rule_breaks)


def edited(motion: Motion, name: str, rows: Any, factor: float = 0.0, value: float = 0.0) -> str:
    """Rule breaks of a take with an edit at tick 5 of some rows of a field."""
    field = np.array(getattr(motion.model, name))
    field[rows] = field[rows] * factor + value
    return " ".join(rule_breaks(replace(motion, edits=((5, {name: field}),)), mujoco.MjModel.from_xml_string(
        motion.model_xml)))


def test_edits_may_change_bodies_and_nothing_else(motion: Motion) -> None:
    root, dofs, every = [0], slice(0, 6), slice(None)
    assert "stiffness" in edited(motion, "jnt_stiffness", root, value=1e4)
    assert "damping" in edited(motion, "dof_damping", dofs, value=1e4)
    assert "friction loss" in edited(motion, "dof_frictionloss", dofs, value=1e4)
    assert "armature" in edited(motion, "dof_armature", dofs, value=10)
    for name in ("actuator_gear", "actuator_gainprm", "actuator_biasprm", "actuator_dynprm", "actuator_trnid",
                 "body_rootid", "jnt_type"):
        assert name in edited(motion, name, every, value=2.0), name
    assert "gravcomp" in edited(motion, "body_gravcomp", [3], value=1.0)
    assert "friction" in edited(motion, "geom_friction", every, value=1.2)
    assert "moves the ground" in edited(motion, "geom_pos", motion.model.geom_bodyid == 0, factor=1, value=0.1)
    for name in ("body_mass", "actuator_ctrlrange", "body_inertia"):
        assert edited(motion, name, every, factor=1.1) == "", name
    assert edited(motion, "dof_damping", slice(6, None), value=1.0) == ""


def test_a_throw_is_of_a_ball_and_not_of_the_character(motion: Motion) -> None:
    ticks = np.arange(len(motion.ctrl))
    bodies = np.full(len(ticks), motion.model.body("human/pelvis").id)
    state = np.hstack([motion.qpos[:-1, :7], motion.qvel[:-1, :6]])
    floating = replace(motion, throw_tick=ticks, throw_body=bodies, throw_state=state)
    verdict = verify(floating)
    assert not verdict.ok and any("throw" in line for line in verdict.rule_breaks)
    assert verdict.declared.throws == len(ticks)
    with pytest.raises(BadInput, match="not free"):
        verify(replace(floating, throw_body=bodies + 1))


def test_declared_throws_and_morphs_are_honest(tmp_path: Path) -> None:
    world = World(make_character("human"), props=[Platform(z=-0.1), Box(x=2.0)], projectiles=1, seed=1)
    world.throw(Throw(t=0.02, body="trunk", mass=2.0, speed=20.0))
    world.push(Push(t=0.04, body="trunk", force=(50, 0, 0), duration=0.02))
    hold = make_behavior("stand", world)
    for tick in range(30):
        if tick == 10:
            world.morph(make_character("human").scaled(height=1.82))
        world.step(hold.act())
    motion = Motion.from_world(world)
    verdict = verify_file(motion.save(tmp_path / "a.npz"))
    assert verdict.ok, verdict.sentences()
    assert (verdict.declared.throws, verdict.declared.body_edits, verdict.declared.pushed_ticks) == (1, 2, 5)
    fast = motion.throw_state.copy()
    fast[:, 7] = 60.0
    assert any("above 50 m/s" in line for line in verify(replace(motion, throw_state=fast)).rule_breaks)


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
    words = {tmp_path / "none.npz": "no file", truncated: "damaged", text: "not an .npz", pickled: "pickle",
             foreign: "not a gambol Motion", bare_pickle: "not an .npz", short: "one row less",
             broken: "does not compile"}
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
