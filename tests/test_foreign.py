"""Bring your own character: files nobody here wrote, small models with every kind of trouble, and bad input."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import mujoco
import numpy as np
import pytest

from gambol.bodies import anatomy_file, make_character
from gambol.bodies.builder import FOOT_SOLREF
from gambol.bodies.character import Character
from gambol.bodies.facing import side_pairs
from gambol.bodies.inspection import inspect, inspect_rows
from gambol.errors import BadInput
from gambol.studio.morph import limb_groups
from gambol.world.world import World

FOUND = importlib.util.find_spec("dm_control")
SUITE = Path(FOUND.submodule_search_locations[0]) if FOUND and FOUND.submodule_search_locations else None
needs_models = pytest.mark.skipif(SUITE is None, reason="dm_control is not installed; its model files are read here")

BIPEDS = {"suite/humanoid.xml", "suite/humanoid_CMU.xml"}
FEET = {
    "suite/humanoid.xml": {"left_foot": "left_foot", "right_foot": "right_foot"},
    "suite/humanoid_CMU.xml": {"left_foot": "lfoot", "right_foot": "rfoot"},
    "suite/quadruped.xml": {f"{role}_{side}_foot": f"ankle_{end}_{side}"
                            for role, end in (("front", "front"), ("hind", "back")) for side in ("left", "right")},
    "suite/dog.xml": {"front_left_foot": "hand_L", "front_right_foot": "hand_R",
                      "hind_left_foot": "foot_L", "hind_right_foot": "foot_R"},
}


@pytest.fixture(scope="module")
def load():
    """Each model is read once for all tests."""
    cache: dict[str, Character] = {}

    def read(name: str) -> Character:
        if name not in cache:
            assert SUITE is not None
            cache[name] = Character.from_mjcf(SUITE / name)
        return cache[name]
    return read


@needs_models
@pytest.mark.parametrize("name", FEET)
def test_models_nobody_here_wrote_stand_fall_and_replay(load, name):
    character = load(name)
    assert {role: character.anatomy.bodies[role] for role in character.anatomy.feet} == FEET[name]
    world = World(character)
    figure = world.figure
    gap = foot_gap(world)
    assert abs(gap) < 1e-3, f"feet start {1000 * gap:.2f} mm from the ground"
    assert world.contacts.fallen(figure) is None
    assert abs(figure.heading) < 0.1
    assert (world.model.jnt_bodyid[world.model.actuator_trnid[:, 0]] == sorted(
        world.model.jnt_bodyid[world.model.actuator_trnid[:, 0]])).all()
    for role, body in character.anatomy.bodies.items():
        y = world.data.xipos[world.model.body(figure.prefix + body).id][1]
        assert "left" not in role or y > 0, f"{role} is on the right"
        assert "right" not in role or y < 0, f"{role} is on the left"
    for _ in range(200):
        world.step(np.zeros(figure.nu))
    assert np.isfinite(world.data.qpos).all()
    assert replay_error(world) == 0.0


@needs_models
@pytest.mark.parametrize("name", sorted(BIPEDS))
def test_bipeds_rest_level_balanced_with_knees_bent_forward(load, name):
    character = load(name)
    model = character.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = character.rest_qpos(model)
    mujoco.mj_forward(model, data)
    points = np.concatenate([data.body(character.anatomy.bodies[r]).xpos + p @ data.body(
        character.anatomy.bodies[r]).xmat.reshape(3, 3).T for r, p in character.anatomy.soles.items()])
    assert np.ptp(points[:, 2]) < 0.006
    assert np.linalg.norm((data.subtree_com[1] - points.mean(axis=0))[:2]) < 0.03
    for side in ("left", "right"):
        hip, knee, ankle = (data.joint(character.anatomy.joints[f"{side}_{j}"][-1]).xanchor
                            for j in ("hip", "knee", "ankle"))
        assert knee[0] > (hip[0] + ankle[0]) / 2 + 0.01
        sole = character.anatomy.soles[f"{side}_foot"]
        turn = data.body(character.anatomy.bodies[f"{side}_foot"]).xmat.reshape(3, 3)
        assert (turn @ (sole[-1] - sole[0]))[0] > 0.05, "toes are in front of heels"


@needs_models
def test_humanoid_roles_and_strengths(load):
    character = load("suite/humanoid.xml")
    roles, joints = character.anatomy.bodies, character.anatomy.joints
    assert (roles["root"], roles["trunk"], roles["head"]) == ("pelvis", "torso", "head")
    assert (roles["left_forearm"], roles["right_hand"]) == ("left_lower_arm", "right_hand")
    assert joints["left_knee"] == ("left_knee",)
    assert joints["right_ankle"] == ("right_ankle_y", "right_ankle_x")
    assert joints["lower_spine"] + joints["upper_spine"] == ("abdomen_x", "abdomen_z", "abdomen_y")
    strength = {row.joint: row.strength for row in inspect(character).joints}
    assert strength["left_hip_y"] == 120 and strength["left_knee"] == 80 and strength["right_ankle_x"] == 20


@needs_models
def test_turned_model_keeps_its_mechanics(load):
    """CMU faces -y in its file; turning it and its root's axes must not change the joint-space inertia."""
    character = load("suite/humanoid_CMU.xml")
    assert any("face +x" in note for note in character.notes)
    assert SUITE is not None
    original = mujoco.MjModel.from_xml_path(str(SUITE / "suite/humanoid_CMU.xml"))
    ours = character.compile()
    assert [original.joint(j).name for j in range(original.njnt)] == [ours.joint(j).name for j in range(ours.njnt)]
    np.testing.assert_allclose(ours.jnt_range, original.jnt_range, atol=1e-5)  # MJCF text has six digits
    np.testing.assert_allclose(joint_inertia(ours), joint_inertia(original), atol=1e-4)


@needs_models
def test_dog_keeps_excludes_tail_and_assets(load):
    character = load("suite/dog.xml")
    model = character.compile()
    assert model.nexclude == 30
    assert character.anatomy.bodies["tail"] == "Ca_1" and character.anatomy.bodies["head"] == "skull"
    assert character.anatomy.joints["front_left_ankle"] == ("wrist_L",)
    assert len(character.assets) > 100 and not any("/" in name for name in character.assets)
    assert not any("tennis" in name for name in character.assets), "the ball's texture is not the dog's"


@needs_models
@pytest.mark.parametrize("name", ["suite/walker.xml", "suite/hopper.xml", "suite/cheetah.xml",
                                  "locomotion/walkers/assets/rodent.xml", "third_party/ant/ant.xml"])
def test_models_without_a_free_joint_are_refused_in_one_line(load, name):
    with pytest.raises(BadInput, match=r"no free joint.*<freejoint/>") as error:
        load(name)
    assert "\n" not in str(error.value)


# -- a small model of our own, with names that say nothing, facing -y, with servos -------------------------------------

LEG = """
<body pos="{y} 0 -0.05"><joint name="h{k}" axis="1 0 0" range="-100 40"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05"/>
  <body pos="0 0 -.4"><joint name="k{k}" axis="1 0 0" range="-5 150"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".04"/>
    <body name="f{k}" pos="0 0 -.4"><joint name="a{k}" axis="1 0 0" range="-40 40"/>
      <geom name="g{k}" type="box" pos="0 -.06 -.05" size=".04 .12 .02" friction="2"/>
    </body></body></body>"""

ROBOT = """
<mujoco model="robot">
  <compiler autolimits="true" {compiler}/>
  <option timestep="0.005" gravity="0 0 -9.81" integrator="RK4"/>
  <visual><map znear="0.3"/></visual>
  <default><position kp="50"/><general biastype="affine" gainprm="7"/></default>
  <worldbody>
    <light pos="0 0 3"/><geom name="floor" type="plane" size="5 5 .1"/>
    <geom name="wall" type="box" size="1 1 1" pos="9 0 0"/>
    <body name="b0" pos="0 0 1" gravcomp="1">
      <freejoint/>
      <geom type="box" size=".15 .1 .1" mass="10"/>
      {left}{right}
      <body name="b1" pos="0 0 .3"><joint name="s" type="ball" range="0 40"/>
        <geom type="box" size=".2 .1 .2" mass="15"/>
      </body>
    </body>
    <body name="crate" pos="3 0 1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
  </worldbody>
  <equality><weld body1="b0"/></equality>
  <actuator>
    <position joint="h1" kp="100" forcerange="-60 60"/><position joint="h2" kp="100" forcerange="-60 60"/>
    <position joint="k2" kp="80"/><position joint="k1" kp="80"/>
    <motor joint="a1" gear="-30" ctrlrange="-1 .5"/><velocity joint="a2" kv="5" ctrlrange="-4 4"/>
    <motor joint="s" gear="0 20 0 0 0 0" ctrlrange="-1 1"/>
  </actuator>
  <keyframe><key name="start" time="1"/></keyframe>
</mujoco>"""


def robot(folder: Path, compiler: str = "", **edit: str) -> Path:
    text = ROBOT.format(left=LEG.format(y=".12", k=1), right=LEG.format(y="-.12", k=2), compiler=compiler)
    for old, new in edit.values() if not edit else [tuple(pair.split("=>")) for pair in edit.values()]:
        assert old in text
        text = text.replace(old, new)
    path = folder / "robot.xml"
    path.write_text(text)
    return path


@pytest.fixture()
def robot_file(tmp_path):
    return robot(tmp_path)


def test_servos_become_motors_in_joint_order(robot_file):
    character = Character.from_mjcf(robot_file)
    model = character.compile()
    motors = {model.actuator(a).name: model.actuator_ctrlrange[a] for a in range(model.nu)}
    joints = [model.joint(j).name for j in range(model.njnt)]
    assert sorted(motors, key=joints.index) == list(motors)
    assert {name: limits[1] for name, limits in motors.items()} == pytest.approx(
        {"h1": 60, "k1": 80 * np.deg2rad(155) / 2, "a1": 30, "h2": 60, "k2": 80 * np.deg2rad(155) / 2, "a2": 20,
         "s_y": 20}, rel=1e-6)
    assert (model.actuator_gear[:, 0] == 1).all() and (model.actuator_biastype == 0).all()
    assert (model.actuator_ctrlrange[:, 0] == -model.actuator_ctrlrange[:, 1]).all()
    notes = "\n".join(character.notes)
    for word in ("half its range", "ball joint 's'", "wall", "crate", "gravity compensation", "weld", "passive"):
        assert word in notes, word


def test_nameless_model_is_turned_and_understood(robot_file):
    """It faces -y (its feet do), so its left is +x: leg 1."""
    character = Character.from_mjcf(robot_file)
    assert character.anatomy.bodies["left_foot"] == "f1" and character.anatomy.bodies["right_foot"] == "f2"
    assert character.anatomy.joints["right_knee"] == ("k2",)
    assert character.anatomy.soles["left_foot"].shape == (4, 3)
    world = World(character)
    assert abs(world.figure.heading) < 1e-6 and abs(foot_gap(world)) < 1e-3
    model = world.model
    foot = [g for g in range(model.ngeom) if model.geom_bodyid[g] == world.figure.body_id("left_foot")]
    assert model.geom_friction[foot, 0] == pytest.approx(1.0)
    assert model.geom_solref[foot, 0] == pytest.approx(FOOT_SOLREF[0])
    assert model.body_gravcomp.max() == 0 and model.neq == 0 and model.nkey == 0
    assert model.opt.timestep == 0.001


def test_masses_and_limits_survive_whole_file_settings(tmp_path):
    path = robot(tmp_path, compiler='settotalmass="77" angle="radian"',
                 edit="range=\"-100 40\"=>range=\"-1 .5\" limited=\"true\"")
    original = mujoco.MjModel.from_xml_path(str(path))
    ours = Character.from_mjcf(path).compile()
    body = original.body("b0").id
    assert ours.body_subtreemass[1] == pytest.approx(original.body_subtreemass[body], rel=1e-5)
    np.testing.assert_allclose(ours.joint("h1").range, [-1, 0.5])
    world = World(Character.from_mjcf(path))
    np.testing.assert_allclose(world.model.joint("robot/h1").range, [-1, 0.5])
    assert world.figure.mass == pytest.approx(ours.body_subtreemass[1], rel=1e-5)


def test_standing_keyframe_is_used_only_if_it_stands(tmp_path):
    pose = "0 0 .98 1 0 0 0 .3 -.6 .3 .3 -.6 .3 1 0 0 0 3 0 1 1 0 0 0"
    stand = f'<key name="start" time="1"/>=><key name="stand" qpos="{pose}"/>'
    character = Character.from_mjcf(robot(tmp_path, edit=stand))
    assert any("keyframe 'stand'" in note and "starts" in note for note in character.notes)
    lying = stand.replace(".98 1 0 0 0", ".2 .7071 .7071 0 0")
    character = Character.from_mjcf(robot(tmp_path, edit=lying))
    assert any("not used" in note for note in character.notes)


def test_pairs_with_the_floor_become_contacts_with_any_ground(tmp_path):
    pairs = ('<equality><weld body1="b0"/></equality>=><contact><pair geom1="g1" geom2="floor"/>'
             '<pair geom1="floor" geom2="g2"/><exclude body1="b0" body2="f1"/></contact>')
    path = robot(tmp_path, edit=pairs)
    path.write_text(path.read_text().replace("<default>", '<default><geom contype="0" conaffinity="0"/>'))
    character = Character.from_mjcf(path)
    assert character.anatomy.feet == ("left_foot", "right_foot")
    assert character.compile().nexclude == 1 and character.compile().npair == 0
    world = World(character)
    for _ in range(50):
        world.step(np.zeros(world.figure.nu))
    assert {c.other for c in world.contacts.of(world.figure)} == {"ground"}


def test_frames_around_and_inside_the_character(tmp_path):
    """The top body sits in a turned frame, a leg in another: the same robot, facing +x in the world."""
    path = robot(tmp_path)
    plain = Character.from_mjcf(path)
    text = path.read_text().replace('<body name="b0" pos="0 0 1"', '<frame euler="0 0 90"><body name="b0" pos="0 0 1"')
    text = text.replace('<body name="crate"', '</frame><body name="crate"')
    text = text.replace('<body name="b1"', '<frame pos="0 0 .1"><body name="b1"').replace(
        '</body>\n    </body>\n    </frame>', '</body></frame>\n    </body>\n    </frame>')
    path.write_text(text)
    framed = Character.from_mjcf(path)
    assert dict(framed.anatomy.bodies) == dict(plain.anatomy.bodies)
    world = World(framed)
    assert abs(world.figure.heading) < 1e-6 and abs(foot_gap(world)) < 1e-3
    assert not any("face +x" in note for note in framed.notes)
    assert framed.compile().body("b1").pos[2] == pytest.approx(0.4)


def test_side_names():
    names = ["lfoot", "rfoot", "FL_hip", "FR_hip", "leg_L", "leg_R", "tail", "LeftArm", "RightArm", "head"]
    assert side_pairs(names) == [("lfoot", "rfoot"), ("FL_hip", "FR_hip"), ("leg_L", "leg_R"),
                                 ("LeftArm", "RightArm")]


# -- the anatomy file --------------------------------------------------------------------------------------------------

def test_anatomy_file_round_trip(robot_file):
    character = Character.from_mjcf(robot_file)
    beside = robot_file.with_name("robot.anatomy.yaml")
    beside.write_text(anatomy_file.to_yaml(character))
    again = Character.from_mjcf(robot_file)
    assert any("robot.anatomy.yaml" in note for note in again.notes)
    assert dict(again.anatomy.bodies) == dict(character.anatomy.bodies)
    assert dict(again.anatomy.joints) == dict(character.anatomy.joints)
    assert dict(again.rest) == pytest.approx(dict(character.rest), abs=1e-4)
    for role, points in character.anatomy.soles.items():
        np.testing.assert_allclose(again.anatomy.soles[role], points, atol=1e-4)


def test_anatomy_file_overrides(robot_file, tmp_path):
    given = tmp_path / "mine.yaml"
    given.write_text("bodies: {head: b1, trunk: b0, right_foot: null}\njoints: {neck: [s_y]}\n"
                     "soles: {left_foot: [[0, 0, -0.07]], right_foot: null}\nrest: {k1: 0.5}\n")
    character = Character.from_mjcf(robot_file, given)
    assert character.anatomy.bodies["head"] == "b1" and character.anatomy.bodies["trunk"] == "b0"
    assert character.anatomy.feet == ("left_foot",) and "right_foot" not in character.anatomy.bodies
    np.testing.assert_array_equal(character.anatomy.soles["left_foot"], [[0, 0, -0.07]])
    assert character.anatomy.joints["neck"] == ("s_y",) and character.rest["k1"] == 0.5


@pytest.mark.parametrize(("text", "message"), [
    ("bodies: {left_foot: ff1}", "unknown body 'ff1'.*did you mean 'f1'"),
    ("joints: {left_knee: [kk1]}", "unknown joint 'kk1'.*did you mean 'k1'"),
    ("rest: {k9: 0.1}", "unknown joint 'k9'"),
    ("rest: {k1: much}", "rest of 'k1' must be a number; got the text 'much'"),
    ("rest: {k1: .nan}", "must be a number"),
    ("bodies: [f1]", "bodies must be a table"),
    ("bodies: {left_foot: [f1]}", "must be the name of a body; got a list"),
    ("joints: {left_knee: 3}", "must be a list of joint names"),
    ("soles: {left_foot: [[0, 0]]}", r"list of points \[x, y, z\]"),
    ("soles: {tail: [[0, 0, 0]]}", "no body plays that role"),
    ("bodies: {root: null}", "'root' cannot be empty"),
    ("feet: {left_foot: f1}", "unknown section 'feet'"),
    ("bodies: {left_foot: f1", "is not YAML"),
    ("- 1", "expected sections"),
    ("!!python/object/apply:os.system ['true']", "is not YAML"),
])
def test_bad_anatomy_files(robot_file, tmp_path, text, message):
    given = tmp_path / "bad.yaml"
    given.write_text(text)
    with pytest.raises(BadInput, match=message) as error:
        Character.from_mjcf(robot_file, given)
    assert str(error.value).startswith(str(given)) and "\n" not in str(error.value)


@pytest.mark.parametrize(("content", "message"), [
    (None, "does not exist"),
    ("<mujoco><worldbody>", "is not a MuJoCo XML model"),
    ("not xml at all", "is not a MuJoCo XML model"),
    ("<mujoco><worldbody><bod/></worldbody></mujoco>", "is not a MuJoCo XML model: .*bod"),
    ("<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>", "cannot compile"),
    ("<mujoco/>", "has no bodies"),
    ('<mujoco><asset><mesh name="m" file="gone.stl"/></asset><worldbody><body><freejoint/><geom size="1"/></body>'
     "</worldbody></mujoco>", "'gone.stl', which is not there"),
    ('<mujoco><include file="gone.xml"/></mujoco>', "gone.xml"),
    ('<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody></mujoco>',
     r"has no free joint.*\(it has 'j' instead\); give body 'b' a <freejoint/>"),
])
def test_bad_models(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its log where it stands
    path = tmp_path / "model.xml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadInput, match=message) as error:
        Character.from_mjcf(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_missing_anatomy_file_says_how_to_write_one(robot_file):
    with pytest.raises(BadInput, match="--write-anatomy"):
        Character.from_mjcf(robot_file, robot_file.with_name("nothing.yaml"))


def test_a_thing_without_limbs_is_a_character_without_feet(tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text('<mujoco><worldbody><body name="ball"><freejoint/><geom size=".1"/></body></worldbody></mujoco>')
    character = Character.from_mjcf(path)
    assert character.anatomy.feet == () and character.anatomy.bodies["root"] == "ball"
    assert any("no feet" in note for note in character.notes)
    rows = inspect_rows(character)
    assert ("role", "root", "ball") in rows and ("empty", "left_foot", "") in rows


def test_inspection_measures(robot_file):
    seen = inspect(Character.from_mjcf(robot_file))
    assert (seen.dofs, seen.motors) == (15, 7)
    assert seen.height == pytest.approx(1.42, abs=0.05)
    assert "head" in seen.empty and any(row.joint == "s_x" and row.strength == 0 for row in seen.joints)


# -- helpers -----------------------------------------------------------------------------------------------------------

def foot_gap(world: World) -> float:
    """Distance from the ground to the nearest geom of the feet, by MuJoCo's own collision code."""
    model, floor = world.model, world.model.geom("terrain/floor").id
    geoms = [g for g in range(model.ngeom) if model.geom_bodyid[g] in world.figure.foot_bodies
             and (model.geom_contype[g] or model.geom_conaffinity[g])]
    return min(mujoco.mj_geomDistance(model, world.data, g, floor, 1.0, None) for g in geoms)


def replay_error(world: World) -> float:
    """Largest difference when the recording is played in plain MuJoCo from its text and files."""
    take = world.recorder.arrays()
    model = mujoco.MjModel.from_xml_string(world.scene.xml, dict(world.scene.assets))
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, take["initial_state"], mujoco.mjtState.mjSTATE_INTEGRATION)
    worst = 0.0
    for tick, ctrl in enumerate(take["ctrl"]):
        worst = max(worst, float(np.abs(data.qpos - take["qpos"][tick]).max()))
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data, int(take["substeps"]))
    return max(worst, float(np.abs(data.qpos - take["qpos"][-1]).max()))


def joint_inertia(model: mujoco.MjModel) -> np.ndarray:
    """Mass matrix of the joints inside the body, at zero: it does not depend on the frame of the floating base."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    return full[6:, 6:]


def test_legs_behind_are_called_hind_as_in_the_built_in_quadruped(tmp_path):
    own = make_character("quadruped")
    (tmp_path / "dog.xml").write_text(own.spec.copy().to_xml())
    found = Character.from_mjcf(tmp_path / "dog.xml")
    assert set(found.anatomy.feet) == set(own.anatomy.feet)
    assert set(limb_groups(found)["foot"]) == set(own.anatomy.feet)


def test_six_legs_have_a_middle_pair_that_is_sized_together(tmp_path):
    legs = "".join(
        f"<body pos='{x} {0.1 * s} 0'><joint axis='1 0 0'/><geom type='capsule' size='.02' "
        f"fromto='0 0 0 0 {0.1 * s} 0'/><body pos='0 {0.1 * s} 0'><joint axis='1 0 0'/>"
        f"<geom type='capsule' size='.02' fromto='0 0 0 0 0 -.3'/></body></body>"
        for x in (-0.3, 0, 0.3) for s in (-1, 1))
    (tmp_path / "ant.xml").write_text(f"<mujoco><worldbody><body pos='0 0 .32'><freejoint/><geom type='box' "
                                      f"size='.35 .08 .05'/>{legs}</body></worldbody></mujoco>")
    ant = Character.from_mjcf(tmp_path / "ant.xml")
    feet = {f"{place}_{side}_foot" for place in ("front", "middle", "hind") for side in ("left", "right")}
    assert set(ant.anatomy.feet) == feet and set(limb_groups(ant)["foot"]) == feet


@pytest.mark.parametrize("joint", [
    "<joint type='free' stiffness='500' damping='9' frictionloss='3' armature='2' springref='1'/>",
    "<joint type='free' class='held'/>"])
def test_nothing_holds_the_free_joint(tmp_path, joint):
    (tmp_path / "held.xml").write_text(
        "<mujoco><default><default class='held'><joint stiffness='500' damping='9' frictionloss='3' armature='2'/>"
        f"</default></default><worldbody><body name='top' pos='0 0 .5'>{joint}<geom size='.1'/><body>"
        "<joint name='hinge' damping='0.5' armature='0.1' axis='0 1 0'/>"
        "<geom type='capsule' size='.03' fromto='0 0 0 0 0 -.4'/></body></body></worldbody></mujoco>")
    character = Character.from_mjcf(tmp_path / "held.xml")
    model = character.compile()
    assert model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE and model.jnt_stiffness[0] == 0
    assert not any(values[:6].any() for values in (model.dof_damping, model.dof_frictionloss, model.dof_armature))
    assert model.dof_damping[6] == 0.5 and model.dof_armature[6] == pytest.approx(0.1)
    assert "removed stiffness, damping, frictionloss, armature of the free joint" in " ".join(character.notes)
