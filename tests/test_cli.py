"""The command line through its real entry point: results, exit statuses, one clear line for bad input."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from gambol.cli import main
from gambol.motion.motion import Motion
from gambol.motion.verify import verify_file
from gambol.runs import Trial

GAMBOL = Path(sys.executable).parent / "gambol"


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command in this process; exit status, stdout, stderr."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    captured = capsys.readouterr()
    return int(caught.value.code or 0), captured.out, captured.err


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short honest take, made by the installed command itself."""
    path = tmp_path_factory.mktemp("take") / "out.npz"
    done = subprocess.run([GAMBOL, "run", "balance", "--seconds", "2", "--push",
                           "t=0.5,body=trunk,force=200:0:0,duration=0.1", "--json", "-o", path],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["fell"] is False and summary["motion"] == str(path)
    return path


def test_run_json_has_every_key_of_the_design(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "run", "stand", "--seconds", "0.5", "--seed", "7", "--json")
    summary = json.loads(out)
    assert status == 0 and set(summary) == {
        "fell", "fell_at", "seconds", "distance", "speed", "steps", "realtime_factor", "max_torque_ratio",
        "cost_of_transport", "seed", "motion", "figures"}
    assert summary["figures"][0] == {"name": "human", "character": "human", "behavior": "stand", **{
        key: summary[key] for key in ("fell", "fell_at", "distance", "speed", "steps", "max_torque_ratio",
                                      "cost_of_transport")}}
    assert summary["seed"] == 7 and summary["seconds"] == pytest.approx(0.5) and summary["motion"] is None
    assert isinstance(summary["steps"], int) and summary["realtime_factor"] > 0


def test_a_fall_is_a_result_not_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    push = "t=0.2,body=trunk,force=400:0:0"
    status, out, _ = call(capsys, "run", "stand", "--seconds", "3", "--push", push, "--json")
    summary = json.loads(out)
    assert status == 0 and summary["fell"] is True and 0.2 < summary["fell_at"] < 3


def test_figures_and_presets_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.npz"
    status, out, err = call(capsys, "run", "walk", "--preset", "sad", "--seconds", "0.4", "--figure",
                            "name=b,character=child,behavior=balance,x=2,height=0.9", "--push",
                            "t=0.1,body=b/trunk,force=20:0:0", "--json", "-o", str(path))
    assert status == 0, err
    figures = json.loads(out)["figures"]
    assert [(figure["name"], figure["character"], figure["behavior"]) for figure in figures] == [
        ("human", "human", "walk"), ("b", "child", "balance")]
    motion = Motion.load(path)
    assert motion.meta["params"]["lean"] == 0.1 and motion.meta["figures"][1]["params"]["height"] == 0.9
    assert {motion.model.body(body).name for body in motion.push_body} == {"b/thorax"}
    assert verify_file(path).ok
    _, out, _ = call(capsys, "run", "stand", "--seconds", "0.1", "--figure", "name=b,behavior=balance")
    assert "human, stand: did not fall" in out and "b, balance: did not fall" in out


def test_starts_variations_and_parameter_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    (tmp_path / "low.json").write_text('{"format": "gambol-params/1", "behavior": "balance", '
                                       '"params": {"height": 0.9, "calm": 1.5}}')
    status, _, err = call(capsys, "run", "balance", "--seconds", "0.4", "--vary", "mass=0.9", "--params",
                          str(tmp_path / "low.json"), "--set", "height=0.95", "--start", "standing:yaw=90", "--jitter",
                          "0.5", "-o", str(first))
    assert status == 0, err
    begun = Motion.load(first)
    assert begun.meta["vary"] == "mass=0.9"
    assert begun.meta["params"]["height"] == 0.95 and begun.meta["params"]["calm"] == 1.5
    status, _, err = call(capsys, "run", "balance", "--seconds", "0.2", "--start", f"{first}@0.4", "-o", str(second))
    assert status == 0, err
    gone_on = Motion.load(second)
    np.testing.assert_array_equal(gone_on.qpos[0], begun.qpos[-1])
    assert verify_file(first).ok and verify_file(second).ok


def test_a_fall_says_why_and_only_of_whom_it_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "run", "stand", "--seconds", "0.1", "--start", "supine", "--figure",
                          "name=b,behavior=balance,y=2")
    assert status == 0 and "human, stand: fell at 0.00 s (centre of mass below half its standing height)" in out
    assert "b, balance: did not fall;" in out


def test_inspect_says_what_a_motion_is(take: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "inspect", str(take))
    assert status == 2 and "is a Motion" in err and "gambol view" in err


def test_the_studio_takes_parameters_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Trial] = []
    monkeypatch.setattr("gambol.studio.run_studio", lambda trial, **_: shown.append(trial))
    low = tmp_path / "low.json"
    low.write_text('{"format": "gambol-params/1", "behavior": "balance", "params": {"height": 0.9, "calm": 1.5}}')
    status, _, err = call(capsys, "studio", "balance", "--set", "hands=left", "--set", "height=0.95", "--params",
                          str(low))
    assert status == 0, err
    settings = shown[0].figures[0].with_file().all_settings
    assert (settings["hands"], float(settings["height"]), settings["calm"]) == ("left", 0.95, 1.5)


def test_verify_says_exactly_zero(take: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "verify", str(take))
    assert status == 0 and "largest difference 0\n" in out and "no undeclared force" in out
    status, out, _ = call(capsys, "verify", str(take), "--json")
    assert json.loads(out)["difference"] == 0.0


def test_verify_of_a_tampered_file_fails_and_says_what(take: Path, tmp_path: Path,
                                                       capsys: pytest.CaptureFixture[str]) -> None:
    with np.load(take) as file:
        content = {name: file[name] for name in file.files}
    content["ctrl"][5, 5] += 1.0
    np.savez(tmp_path / "bad.npz", **content)
    status, out, _ = call(capsys, "verify", str(tmp_path / "bad.npz"))
    assert status == 1 and "'ctrl' was changed" in out


@pytest.mark.parametrize("suffix", ["glb", "bvh", "csv"])
def test_export_by_suffix(take: Path, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / f"out.{suffix}"
    status, out, _ = call(capsys, "export", str(take), str(target))
    assert status == 0 and target.stat().st_size > 1000 and "wrote" in out


def test_run_with_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "all.npz"
    status, _, err = call(capsys, "run", "balance", "--character", "child", "--terrain", "boxes:height=0.1,seed=3",
                          "--seconds", "0.6", "--set", "height=0.95", "--throw", "t=0.1,mass=0.5", "--prop",
                          "box:x=1.5,size=0.3", "-o", str(target))
    assert status == 0, err
    motion = Motion.load(target)
    assert motion.meta["character"] == "child" and motion.meta["params"]["height"] == 0.95
    assert motion.meta["terrain"].startswith("boxes:height=0.1") and len(motion.throw_tick) == 1
    assert verify_file(target).ok


def test_list_names_everything_and_speaks_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out_text, _ = call(capsys, "list")
    assert status == 0 and all(word in out_text for word in ("human", "ostrich", "balance", "stairs", "rise"))
    _, out, _ = call(capsys, "list", "--json")
    listing = json.loads(out)
    assert set(listing) >= {"characters", "behaviors", "terrains"} and listing["behaviors"]["stand"]
    assert listing["presets"]["walk"]["sad"]["lean"] == 0.1 and "presets: normal, fast, slow, sad" in out_text
    scene = listing["preset_scenes"]["balance"]["on a box"]
    assert listing["presets"]["balance"]["on a box"] == {"hands": "none"}
    assert set(listing["preset_scenes"]) == {"balance"}
    assert scene == {"terrain": "flat", "props": ["box:x=0,mass=20,size=0.6,height=0.3"], "start": "standing:x=0,y=0"}
    assert "on a box: terrain=flat start=standing:x=0,y=0 prop=box:x=0,mass=20" in " ".join(out_text.split())


def test_own_behaviors_can_be_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "own.py"
    own.write_text("from gambol.behaviors import register\nfrom gambol.behaviors.stand import Stand\n"
                   "@register\nclass Statue(Stand):\n    'stands like a statue'\n")
    status, out, err = call(capsys, "--load", str(own), "run", "statue", "--seconds", "0.1", "--json")
    assert status == 0 and json.loads(out)["fell"] is False, err
    status, _, err = call(capsys, "--load", str(tmp_path / "none.py"), "list")
    assert status == 2 and "no file" in err


def test_inspect_shows_and_writes_anatomy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from gambol.bodies import make_character

    model = tmp_path / "own.xml"
    model.write_text(make_character("human").spec.copy().to_xml())
    status, out, err = call(capsys, "inspect", str(model), "--write-anatomy", str(tmp_path / "own.yaml"))
    assert status == 0, err
    assert "left_foot" in out and "left_foot" in (tmp_path / "own.yaml").read_text()
    _, out, _ = call(capsys, "inspect", str(model), "--json")
    assert json.loads(out)["role"]["trunk"] == "thorax"


# -- bad input ---------------------------------------------------------------------------------------------------------

BAD = [
    (("run", "balnce"), "did you mean 'balance'"),
    (("run", "balance", "--set", "heigt=1"), "did you mean 'height'"),
    (("run", "balance", "--set", "height=9"), "0.6 to 1.2"),
    (("run", "balance", "--set", "height=nan"), "finite"),
    (("run", "balance", "--set", "height"), "key=value"),
    (("run", "balance", "--set", "height=1", "--set", "height=0.9"), "given twice"),
    (("run", "balance", "--prop", "box:name=a", "--prop", "ball:name=a"), "two props are called 'a'"),
    (("run", "balance", "--figure", "name=b,behavior=balance", "--prop", "platform:name=b"), "like a character"),
    (("run", "balance", "--prop", "box:name=terrain"), "like the ground"),
    (("run", "balance", "--prop", "ball:name=projectile1", "--throw", "t=0"), "thrown balls"),
    (("run", "balance", "-o", "/proc/foo.npz"), "cannot write"),
    (("run", "balance", "--character", "humn"), "did you mean 'human'"),
    (("run", "balance", "--character", "none/such.xml"), "such.xml"),
    (("run", "balance", "--character", "chain"), "no feet"),
    (("run", "balance", "--terrain", "stair"), "did you mean 'stairs'"),
    (("run", "balance", "--terrain", "stairs:rize=1"), "did you mean 'rise'"),
    (("run", "balance", "--terrain", "slope:angle=80"), "out of range"),
    (("run", "balance", "--push", "t=1,body=tronk,force=1:0:0"), "did you mean 'trunk'"),
    (("run", "balance", "--push", "t=1,body=trunk,force=1:0"), "three numbers"),
    (("run", "balance", "--throw", "t=1,mass=-3"), "out of range"),
    (("run", "balance", "--seconds", "nan"), "out of range"),
    (("run", "balance", "--seconds", "-1"), "out of range"),
    (("run", "balance", "--seed", "-1"), "--seed"),
    (("run", "balance", "-o", "/no/such/dir/out.npz"), "no directory"),
    (("run", "balance", "-o", "out.txt"), ".npz"),
    (("run", "stand", "--preset", "sad"), "'stand' has no presets"),
    (("run", "walk", "--preset", "sadd"), "did you mean 'sad'"),
    (("run", "balance", "--figure", "name=b"), "does nothing; say what"),
    (("run", "balance", "--figure", "name=b,behavior=balnce"), "did you mean 'balance'"),
    (("run", "balance", "--figure", "name=b,behavior=stand", "--figure", "name=b,behavior=stand"), "called 'b'"),
    (("run", "balance", "--figure", "name=b,behavior=stand,x=far"), "x='far' is not a number"),
    (("run", "balance", "--figure", "name=b,behavior=stand", "--push", "t=1,body=c/trunk,force=1:0:0"), "known: b"),
    (("run", "balance", "--start", "flying"), "unknown start 'flying'"),
    (("run", "stand", "--character", "chain", "--start", "supine"), "cannot begin supine"),
    (("run", "balance", "--start", "none.npz@1"), "no file"),
    (("run", "balance", "--start", "none.npz"), "which moment"),
    (("run", "balance", "--jitter", "-1"), "jitter=-1 is out of range"),
    (("run", "balance", "--vary", "weight=2"), "unknown variation 'weight'"),
    (("run", "balance", "--vary", "b/mass=2"), "unknown figure 'b'"),
    (("run", "balance", "--params", "none.json"), "cannot read"),
    (("run", "balance", "--params", "walk.json"), "has parameters of 'walk', not of 'balance'"),
    (("run", "walk", "--params", "nan.json"), "nan.json has NaN where a finite number should be"),
    (("run", "balance", "--actuators", "file"), "has motors"),
    (("run", "balance", "--frobnicate"), "frobnicate"),
    (("frobnicate",), "frobnicate"),
    (("run",), "Missing argument"),
    (("verify", "none.npz"), "no file"),
    (("view", "none.npz"), "no file"),
    (("export", "none.npz", "out.glb"), "no file"),
    (("inspect", "none.xml"), "none.xml"),
]
FILES = {"walk.json": '{"format": "gambol-params/1", "behavior": "walk", "params": {"lean": 0.1}}',
         "nan.json": '{"format": "gambol-params/1", "behavior": "walk", "params": {"lean": NaN}}'}
"""What is in the folder."""


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_bad_input_is_one_line_and_status_two(arguments: tuple[str, ...], words: str, tmp_path: Path,
                                              monkeypatch: pytest.MonkeyPatch,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    status, out, err = call(capsys, *arguments)
    assert status == 2, err
    assert not out and err.startswith("gambol: ") and err.count("\n") == 1 and words in err
    assert {path.name for path in tmp_path.iterdir()} == set(FILES)


@pytest.mark.parametrize(("text", "words"), [
    ("<mujoco><worldbody><body", "XML"), ("not xml", "XML"),
    ("<mujoco><worldbody><body><geom size='.1'/></body></worldbody></mujoco>", "free joint"),
    ("<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>", "mass and inertia")])
def test_bad_models_are_refused(text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.xml").write_text(text)
    status, out, err = call(capsys, "inspect", str(tmp_path / "m.xml"))
    assert status == 2 and not out and err.count("\n") == 1 and words in err


def test_bad_exports_leave_nothing(take: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for target, words in (("out.fbx", ".glb"), ("no/such/out.glb", "no directory"), ("out", ".glb")):
        status, _, err = call(capsys, "export", str(take), str(tmp_path / target))
        assert status == 2 and words in err and err.count("\n") == 1
    status, _, err = call(capsys, "export", str(take), str(tmp_path / "o.bvh"), "--skinned")
    assert status == 2 and "--skinned" in err
    assert list(tmp_path.iterdir()) == []


def test_unwritable_output_is_refused_before_simulating(take: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                        capsys: pytest.CaptureFixture[str]) -> None:
    def never(*arguments: object, **options: object) -> None:
        raise AssertionError("it simulated first")

    monkeypatch.setattr("gambol.rollout.simulate", never)
    (tmp_path / "file").write_text("precious")
    for folder in (Path("/proc"), tmp_path / "file", tmp_path):
        name = "n" * 300 if folder == tmp_path else "out"
        for command in (("run", "balance", "-o", str(folder / f"{name}.npz")),
                        ("run", "balance", "--video", str(folder / f"{name}.mp4")),
                        ("reproduce", "chain", "--report", str(folder / f"{name}.html")),
                        ("export", str(take), str(folder / f"{name}.csv")),
                        ("export", str(take), str(folder / f"{name}.glb"))):
            status, out, err = call(capsys, *command)
            assert status == 2 and not out and "cannot write" in err and err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_long_names_that_fit_can_be_written(take: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / f"{'n' * 251}.CSV"
    status, _, err = call(capsys, "export", str(take), str(target))
    assert status == 0 and target.is_file(), err


def test_suffixes_may_be_capitals(take: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "export", str(take), str(tmp_path / "o.GLB"), "--skinned")
    assert status == 0 and (tmp_path / "o.GLB").is_file(), err


def test_props_of_one_kind_get_names_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "boxes.npz"
    status, _, err = call(capsys, "run", "stand", "--seconds", "0.1", "--prop", "box", "--prop", "box:y=1", "--prop",
                          "ball:name=ball1", "--throw", "t=0", "-o", str(path))
    assert status == 0, err
    model = Motion.load(path).model
    assert {"box", "box2", "ball1", "projectile1"} <= {model.body(b).name for b in range(model.nbody)}


def test_a_model_without_motors_has_a_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stone.xml").write_text(
        "<mujoco><worldbody><body pos='0 0 .2'><freejoint/><geom size='.1'/><body><joint axis='0 1 0'/>"
        "<geom type='capsule' size='.02' fromto='0 0 0 0 0 .3'/></body></body></worldbody></mujoco>")
    status, out, err = call(capsys, "run", "stand", "--character", str(tmp_path / "stone.xml"), "--seconds", "0.1")
    assert status == 0 and "no motors" in out, err


@pytest.mark.parametrize(("code", "words"), [
    ("def (", "SyntaxError"), ("import no_such_module", "ModuleNotFoundError: No module"), ("1 / 0", "ZeroDivision"),
    ("import sys; sys.exit('a\\nb')", "ends the program"), ("raise SystemExit", "sys.exit(None)"),
    ("raise ValueError('a\\nb')", "ValueError: a b")])
def test_a_broken_file_to_load_is_one_line(code: str, words: str, tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.py").write_text(code)
    status, out, err = call(capsys, "--load", str(tmp_path / "own.py"), "list")
    assert status == 2 and not out and words in err and "own.py" in err and err.count("\n") == 1


def test_files_that_are_no_motions_are_named_for_what_they_are(take: Path, tmp_path: Path,
                                                               capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.npz").write_text("hello")
    with (tmp_path / "array.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    damaged = bytearray(take.read_bytes())
    damaged[len(damaged) // 2:len(damaged) // 2 + 200] = bytes(200)
    (tmp_path / "damaged.npz").write_bytes(damaged)
    with zipfile.ZipFile(tmp_path / "zip.npz", "w") as archive:
        archive.writestr("format", "gambol-motion/1")
    (tmp_path / "folder.npz").mkdir()
    for name, words in {"text": "is not an .npz file", "array": "is not an .npz file", "damaged": "is damaged",
                        "zip": "'format' is not an array", "folder": "is a folder"}.items():
        status, out, err = call(capsys, "verify", str(tmp_path / f"{name}.npz"))
        assert status == 2 and not out and words in err and err.count("\n") == 1


def wrong_entries(take: Path) -> dict[str, tuple[dict[str, object], str]]:
    """Changes by hand that make a Motion file malformed, and words of the refusal."""
    motion = Motion.load(take)
    meta, n = dict(motion.meta), len(motion.ctrl)
    figure = dict(meta["figures"][0])
    qpos, qvel, time = motion.qpos.copy(), motion.qvel.copy(), motion.time.copy()
    qpos[3, 2], qvel[-1, 0], time[5] = np.nan, np.inf, time[4]
    one, trunk = np.zeros(1, dtype=np.int64), motion.model.body("human/thorax").id

    def about(**changes: object) -> dict[str, object]:
        return {"meta": json.dumps({**meta, **changes})}

    return {
        "substeps array": ({"substeps": np.array([4, 4])}, "'substeps'"),
        "substeps text": ({"substeps": "four"}, "'substeps'"),
        "substeps zero": ({"substeps": 0}, "'substeps'"),
        "edit_tick 2-D": ({"edit_tick": np.zeros((1, 1), dtype=int)}, "'edit_tick'"),
        "meta list": ({"meta": "[]"}, "'meta'"),
        "meta number": ({"meta": np.zeros(3)}, "'meta'"),
        "figures text": (about(figures=["human"]), "'figures'"),
        "figures keys": (about(figures=[{"character": "human", "prefix": "human/"}]), "'bodies'"),
        "figures soles": (about(figures=[{**figure, "soles": {"left_foot": [1, 2]}}]), "'soles'"),
        "figures unknown": (about(figures=[{**figure, "bodies": {"root": "tentacle"}}]), "tentacle"),
        "digest": (about(digest=[1]), "'digest'"),
        "terrain": (about(terrain=3), "'terrain'"),
        "events": (about(events=[{"time": "late"}]), "'events'"),
        "push_body": ({"push_body": np.full_like(motion.push_body, 999)}, "'push_body'"),
        "push_body float": ({"push_body": motion.push_body + 0.5}, "'push_body'"),
        "push_tick": ({"push_tick": motion.push_tick + n}, "'push_tick'"),
        "push lengths": ({"push_tick": motion.push_tick[1:]}, "'push_tick'"),
        "push width": ({"push_wrench": motion.push_wrench[:, :5]}, "'push_wrench'"),
        "throw lengths": ({"throw_tick": one}, "'throw_tick'"),
        "throw width": ({"throw_state": np.zeros((0, 12))}, "'throw_state'"),
        "throw body": ({"throw_tick": one, "throw_body": one + trunk, "throw_state": np.zeros((1, 13))}, "free joint"),
        "edit outside": ({"edit_tick": one + n + 1}, "'edit_tick'"),
        "edit before": ({"edit_tick": one - 1}, "'edit_tick'"),
        "edit field": ({"edit_tick": one, "edit/0/nosuch": np.zeros(3)}, "nosuch"),
        "edit no array": ({"edit_tick": one, "edit/0/nq": np.zeros(3)}, "edit/0/nq"),
        "edit shape": ({"edit_tick": one, "edit/0/body_mass": np.zeros(3)}, "edit/0/body_mass"),
        "edit astray": ({"edit/3/body_mass": np.zeros(3)}, "edit/3/body_mass"),
        "qpos nan": ({"qpos": qpos}, "'qpos' is not finite in row 3"),
        "qpos nan, diverged": ({"qpos": qpos, **about(diverged="x")}, "'qpos' is not finite in row 3"),
        "qvel inf": ({"qvel": qvel}, "'qvel' is not finite"),
        "time": ({"time": time}, "'time' does not increase"),
        "time nan": ({"time": time * np.nan}, "'time' is not finite"),
    }


def test_malformed_motion_files_are_refused_by_name(take: Path, tmp_path: Path,
                                                    capsys: pytest.CaptureFixture[str]) -> None:
    with np.load(take) as file:
        content = {name: file[name] for name in file.files}
    bad = tmp_path / "bad.npz"
    for what, (changes, words) in wrong_entries(take).items():
        np.savez(bad, **{**content, **changes})  # type: ignore[arg-type]
        status, out, err = call(capsys, "verify", str(bad))
        assert status == 2 and not out and words in err and err.count("\n") == 1, (what, err)


def test_the_last_state_of_a_diverged_take_may_be_bad(take: Path, tmp_path: Path) -> None:
    with np.load(take) as file:
        content = {name: file[name] for name in file.files}
    content["qvel"][-1] = np.nan
    content["meta"] = np.array(json.dumps({**json.loads(str(content["meta"])), "diverged": "at the end"}))
    np.savez(tmp_path / "black.npz", **content)
    assert np.isnan(Motion.load(tmp_path / "black.npz").qvel[-1]).all()


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "--help")
    assert status == 0
    assert all(name in out for name in ("list", "run", "studio", "view", "export", "verify", "inspect", "bench"))


# -- interrupted and diverging runs ------------------------------------------------------------------------------------


def test_ctrl_c_saves_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                    capsys: pytest.CaptureFixture[str]) -> None:
    """A real signal, in the middle of a control tick."""
    from gambol.behaviors import BEHAVIORS
    from gambol.behaviors.stand import Stand

    class Cut(Stand):
        def act(self) -> np.ndarray:
            if self.world.tick == 100:
                signal.raise_signal(signal.SIGINT)
            return super().act()

    monkeypatch.setitem(BEHAVIORS, "cut", Cut)
    path = tmp_path / "cut.npz"
    status, _, err = call(capsys, "run", "cut", "--seconds", "3000", "-o", str(path))
    assert status == 0, err
    motion = Motion.load(path)
    assert len(motion.ctrl) == 101 and motion.meta["events"][-1]["event"] == "interrupted"
    assert verify_file(path).ok


def test_divergence_saves_the_last_two_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    from gambol.behaviors import BEHAVIORS
    from gambol.behaviors.stand import Stand

    class Broken(Stand):
        def act(self) -> np.ndarray:
            return super().act() * (np.nan if self.world.time > 3.0 else 1.0)

    monkeypatch.setitem(BEHAVIORS, "broken", Broken)
    status, _, err = call(capsys, "run", "broken", "--seconds", "5", "-o", str(tmp_path / "out.npz"))
    saved = tmp_path / "out.diverged.npz"
    assert status == 1 and str(saved) in err and err.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()
    motion = Motion.load(saved)
    assert 1.99 < motion.seconds < 3.2 and motion.time[-1] == pytest.approx(3.0, abs=0.02)
    assert verify_file(saved).ok


def test_demo_writes_its_files_and_says_how_to_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                    capsys: pytest.CaptureFixture[str]) -> None:
    from gambol.cli import demo
    from gambol.errors import MissingGL

    def no_gl(motion: Motion, path: Path, **options: object) -> list[Path]:
        if path.suffix == ".mp4":
            raise MissingGL("no OpenGL library here")
        return real_export(motion, path)

    real_export = demo.export
    monkeypatch.setattr(demo, "export", no_gl)
    demo.main(tmp_path)
    out = capsys.readouterr().out
    assert "kept its balance" in out and "difference 0" in out and "gambol view demo.npz" in out
    assert "No demo.mp4: no OpenGL library here" in out
    assert {path.name for path in tmp_path.iterdir()} == {"demo.npz", "demo.glb"}
    assert verify_file(tmp_path / "demo.npz").ok


def test_wheel_of_the_project_needs_no_shell(tmp_path: Path) -> None:
    """The installed command exists and answers without a terminal."""
    assert shutil.which(str(GAMBOL))
    done = subprocess.run([GAMBOL, "verify", "none.npz"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "gambol", "run", "nosuch"], capture_output=True, text=True)
    assert done.returncode == 2 and "unknown behavior 'nosuch'" in done.stderr
