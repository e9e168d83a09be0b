"""Small models with every kind of trouble: servos, nameless bodies, frames, held roots, no limbs or six."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from foreign_tools import foot_gap, robot
from gambol.bodies import make_character
from gambol.bodies.builder import FOOT_SOLREF
from gambol.bodies.character import Character
from gambol.bodies.mjcf.facing import side_pairs
from gambol.bodies.mjcf.inspection import inspect, inspect_rows
from gambol.studio.morph import limb_groups
from gambol.world.world import World


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


def test_inspection_measures(robot_file):
    seen = inspect(Character.from_mjcf(robot_file))
    assert (seen.dofs, seen.motors) == (15, 7)
    assert seen.height == pytest.approx(1.42, abs=0.05)
    assert "head" in seen.empty and any(row.joint == "s_x" and row.strength == 0 for row in seen.joints)


def test_side_names():
    names = ["lfoot", "rfoot", "FL_hip", "FR_hip", "leg_L", "leg_R", "tail", "LeftArm", "RightArm", "head"]
    assert side_pairs(names) == [("lfoot", "rfoot"), ("FL_hip", "FR_hip"), ("leg_L", "leg_R"),
                                 ("LeftArm", "RightArm")]


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


def test_a_thing_without_limbs_is_a_character_without_feet(tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text('<mujoco><worldbody><body name="ball"><freejoint/><geom size=".1"/></body></worldbody></mujoco>')
    character = Character.from_mjcf(path)
    assert character.anatomy.feet == () and character.anatomy.bodies["root"] == "ball"
    assert any("no feet" in note for note in character.notes)
    rows = inspect_rows(character)
    assert ("role", "root", "ball") in rows and ("empty", "left_foot", "") in rows
