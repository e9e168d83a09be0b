"""The built-in characters: figures as they were set, balance, strength, symmetry; scaling and morphing."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gambol.bodies import CHARACTERS, make_character
from gambol.bodies.builder import PAD_GROUP
from gambol.bodies.character import Character
from gambol.bodies.creatures.human import HEIGHT, LENGTH_FRACTION, MASS, MASS_FRACTION
from gambol.bodies.shape.scaling import standing_height
from gambol.errors import BadInput
from gambol.world.world import World

STANDING = [name for name in CHARACTERS if name != "chain"]
BIPEDS = ["human", "child", "asymmetric", "ostrich", "dinosaur", "wide_biped", "planar_biped"]

# What the human was given: range in degrees, torque in N m.
TABLE = {"hip_flexion": (-30, 120, 300), "hip_abduction": (-30, 45, 200), "hip_rotation": (-40, 40, 100),
         "knee": (0, 150, 300), "ankle_flexion": (-50, 40, 250), "ankle_inversion": (-25, 25, 100),
         "lower_spine": (-30, 30, 300), "upper_spine": (-30, 30, 300), "neck": (-45, 45, 60),
         "shoulder_flexion": (-90, 180, 120), "shoulder_abduction": (-30, 150, 120),
         "shoulder_rotation": (-80, 80, 120), "elbow": (0, 145, 80)}


def at_rest(name: str) -> World:
    """A world in the exact rest pose, without the jitter of the start, soles on the ground by a hair."""
    world = World(make_character(name))
    figure, data = world.figure, world.data
    data.qpos[figure.joint_qpos], data.qvel[:] = figure.rest, 0.0
    if figure.floating:
        mujoco.mj_kinematics(world.model, data)
        data.qpos[2] -= figure.sole_points()[:, 2].min()
    data.qpos[2 if figure.floating else 1] -= 1e-5
    mujoco.mj_forward(world.model, data)
    return world


def posed(character: Character) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The bare tree in its zero pose."""
    model = character.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


# -- registry --------------------------------------------------------------------------------------------------------


def test_registry_hands_out_fresh_copies_with_a_line_of_doc() -> None:
    for name in CHARACTERS:
        character = make_character(name)
        assert character.name == name and character.doc.splitlines()[0]
        assert make_character(name).spec is not character.spec


def test_unknown_character_names_the_nearest() -> None:
    with pytest.raises(BadInput, match="did you mean 'ostrich'"):
        make_character("ostritch")


# -- the human -------------------------------------------------------------------------------------------------------


def test_human_mass_height_and_freedom() -> None:
    model, data = posed(make_character("human"))
    assert model.nv == 35 and model.nu == 29
    assert model.body_mass.sum() == pytest.approx(MASS, abs=1e-9)
    assert data.subtree_com[1, 2] == pytest.approx(1.0, abs=0.03)
    assert standing_height(make_character("human")) == pytest.approx(HEIGHT, abs=1e-3)
    for part, fraction in MASS_FRACTION.items():
        names = [part] if part in ("head", "thorax", "abdomen", "pelvis") else [f"left_{part}", f"right_{part}"]
        for body in names:
            assert model.body(body).mass[0] == pytest.approx(fraction * MASS)


def test_human_joint_places() -> None:
    _, data = posed(make_character("human"))
    for body, length in (("left_thigh", "hip"), ("left_shank", "knee"), ("left_foot", "ankle"),
                         ("left_upper_arm", "shoulder")):
        assert data.body(body).xpos[2] == pytest.approx(LENGTH_FRACTION[length] * HEIGHT)


def test_human_ranges_and_strengths_are_those_of_the_table() -> None:
    model = make_character("human").compile()
    for k in range(model.nu):
        joint = model.joint(model.actuator_trnid[k, 0])
        low, high, torque = next(row for key, row in TABLE.items() if key in joint.name)
        np.testing.assert_allclose(np.rad2deg(joint.range), (low, high))
        np.testing.assert_allclose(model.actuator_ctrlrange[k], (-torque, torque))


@pytest.mark.parametrize(("part", "length", "center", "gyration"), [
    ("thigh", 0.441, 0.433, 0.323), ("shank", 0.4428, 0.433, 0.302),
    ("upper_arm", 0.3348, 0.436, 0.322), ("forearm", 0.2628, 0.430, 0.303)])
def test_human_limbs_have_winters_inertia(part: str, length: float, center: float, gyration: float) -> None:
    body = make_character("human").compile().body(f"left_{part}")
    assert -body.ipos[2] / length == pytest.approx(center, abs=0.06)
    expected = body.mass[0] * (gyration * length) ** 2
    assert np.sort(body.inertia)[1] == pytest.approx(expected, rel=0.25)


# -- the planar biped and the chain ----------------------------------------------------------------------------------


def test_planar_biped_is_table_3_1() -> None:
    table = {"trunk": (55.47, 0.0, 0.325, 3.670), "thigh": (8.18, 0.0, -0.191, 0.166),
             "shank": (3.81, 0.0, -0.191, 0.068), "foot": (1.19, 0.07, -0.035, 0.001)}
    character = make_character("planar_biped")
    model = character.compile()
    assert (model.nv, model.nu, model.nbody) == (9, 6, 8)
    for body in (model.body(k) for k in range(1, model.nbody)):
        mass, x, z, inertia = table[body.name.split("_")[-1]]
        assert body.mass[0] == mass
        np.testing.assert_allclose(body.ipos, (x, 0, z))
        assert np.allclose(body.inertia, inertia)
    assert -model.body("left_shank").pos[2] == pytest.approx(0.441)
    assert -model.body("left_foot").pos[2] == pytest.approx(0.443)
    for points in character.anatomy.soles.values():
        np.testing.assert_allclose(points, [[-0.067, 0, -0.07], [0.207, 0, -0.07]])
    assert not model.dof_armature.any()


def test_chain_swings_free_of_the_floor() -> None:
    world = World(make_character("chain"))
    assert world.model.nv == 4
    np.testing.assert_allclose(world.model.body_mass[1:], 10.0)
    np.testing.assert_allclose(world.model.body_inertia[1:], 0.41)
    world.data.qpos[:] = [np.pi, 0, 0, 0]
    mujoco.mj_forward(world.model, world.data)
    assert world.data.ncon == 0
    assert world.data.xpos[-1, 2] > 0.7


# -- every character that stands -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STANDING)
def test_stands_on_its_feet_alone(name: str) -> None:
    world = World(make_character(name))
    figure = world.figure
    assert world.contacts.fallen(figure) is None
    feet = {figure.role_of_body[body] for body in figure.foot_bodies}
    assert {contact.role for contact in world.contacts.of(figure)} <= feet
    settled = at_rest(name)
    assert {contact.role for contact in settled.contacts.of(settled.figure)} == feet
    shared = 2 * sum(bool(sole.hinges) for sole in figure.soles)  # the rails of foot and toes meet at the ball
    assert len(settled.contacts.of(settled.figure)) == len(figure.sole_points()) + shared


@pytest.mark.parametrize("name", STANDING)
def test_rest_pose_is_flat_and_balanced(name: str) -> None:
    figure = at_rest(name).figure
    points = figure.sole_points()
    assert np.ptp(points[:, 2]) < 1e-6
    offset = figure.com[:2] - points.mean(0)[:2]
    if name in BIPEDS:
        assert np.abs(offset).max() < 0.02
    else:
        assert points[:, 0].min() + 0.1 < figure.com[0] < points[:, 0].max() - 0.1 and abs(offset[1]) < 1e-9


@pytest.mark.parametrize("name", STANDING)
def test_holds_the_rest_pose_with_a_third_of_its_strength(name: str) -> None:
    world = at_rest(name)
    model, data, figure = world.model, world.data, world.figure
    rows = []
    for sole in figure.soles:
        for point in sole.points:
            jacobian = np.zeros((3, model.nv))
            place = data.xpos[sole.body] + data.xmat[sole.body].reshape(3, 3) @ point
            mujoco.mj_jac(model, data, jacobian, None, place, sole.body)
            rows.append(jacobian[2])
    lift = np.array(rows)
    passive = np.setdiff1d(np.arange(model.nv), figure.joint_dofs)
    force = np.linalg.lstsq(lift[:, passive].T, data.qfrc_bias[passive], rcond=None)[0]
    torque = data.qfrc_bias - lift.T @ force
    assert np.abs(torque[passive]).max() < 1e-6 and force.min() > 0
    ratio = np.abs(torque[figure.joint_dofs]) / figure.torque_limit
    assert ratio.max() < 0.35, dict(zip(figure.joint_names, ratio.round(2), strict=True))


@pytest.mark.parametrize("name", [name for name in CHARACTERS if name != "chain"])
def test_decoration_has_no_mass_and_solids_collide(name: str) -> None:
    character = make_character(name)
    model = character.compile()
    for body in range(1, model.nbody):
        own = model.geom_bodyid == body
        solid, pads = own & (model.geom_contype > 0), model.geom_group == PAD_GROUP
        patches = [patch for patch in character.anatomy.patches.values() if model.body(body).name == patch.body]
        assert (solid & ~pads).sum() <= 4  # few enough to collide fast
        assert len(patches) <= 4 and (solid & pads).sum() <= 2 * len(patches)  # two rails or two balls a patch
        assert model.body_mass[body] > 0


def mirrored_name(name: str) -> str:
    if "left" in name:
        return name.replace("left", "right")
    return name.replace("right", "left")


@pytest.mark.parametrize("name", ["human", "child", "ostrich", "dinosaur", "quadruped", "wide_biped"])
def test_left_and_right_mirror_each_other(name: str) -> None:
    """The mirror image of a random pose has its parts at the mirrored places."""
    model, data = posed(make_character(name))
    _, other = posed(make_character(name))
    rng = np.random.default_rng(0)
    for joint in (model.joint(j) for j in range(1, model.njnt)):
        angle = rng.uniform(-0.4, 0.4)
        turned = -1.0 if joint.name.endswith(("_roll", "_yaw")) else 1.0
        data.qpos[joint.qposadr] = angle
        other.qpos[model.joint(mirrored_name(joint.name)).qposadr] = turned * angle
    mujoco.mj_forward(model, data)
    mujoco.mj_forward(model, other)
    for body in (model.body(b) for b in range(1, model.nbody)):
        twin = model.body(mirrored_name(body.name))
        np.testing.assert_allclose(data.xipos[body.id] * [1, -1, 1], other.xipos[twin.id], atol=1e-9)
        np.testing.assert_allclose(body.inertia, twin.inertia, rtol=1e-6)


# -- scaling ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHARACTERS)
def test_height_scales_mass_inertia_strength(name: str) -> None:
    before = make_character(name)
    s = 1.3
    after = before.scaled(height=s * standing_height(before))
    old, new = before.compile(), after.compile()
    assert standing_height(after) == pytest.approx(s * standing_height(before))
    np.testing.assert_allclose(new.body_mass, old.body_mass * s**3)
    np.testing.assert_allclose(new.body_inertia, old.body_inertia * s**5)
    np.testing.assert_allclose(new.dof_armature, old.dof_armature * s**5)
    np.testing.assert_allclose(new.actuator_ctrlrange, old.actuator_ctrlrange * s**3)
    np.testing.assert_allclose(new.body_pos, old.body_pos * s)


def test_limb_scales_alone_and_carries_its_children() -> None:
    before = make_character("human")
    after = before.scaled(limb={"left_thigh": 2.0, "right_foot": 1.5})
    (old, at_old), (new, at_new) = posed(before), posed(after)
    assert new.body("left_thigh").mass[0] == pytest.approx(8 * old.body("left_thigh").mass[0])
    np.testing.assert_allclose(new.body("left_thigh").inertia, 32 * old.body("left_thigh").inertia)
    np.testing.assert_allclose(new.body("left_shank").pos, 2 * old.body("left_shank").pos)
    for same in ("left_shank", "left_foot", "right_thigh", "pelvis"):
        np.testing.assert_allclose(new.body(same).mass, old.body(same).mass)
        np.testing.assert_allclose(new.body(same).inertia, old.body(same).inertia)
    np.testing.assert_allclose(after.anatomy.soles["right_foot"], 1.5 * before.anatomy.soles["right_foot"])
    np.testing.assert_allclose(after.anatomy.soles["left_foot"], before.anatomy.soles["left_foot"])
    stronger = np.ones(old.nu)  # the joints at both ends of a scaled part
    stronger[[k for k in range(old.nu) if old.actuator(k).name.startswith(("left_hip", "left_knee"))]] = 8
    stronger[[k for k in range(old.nu) if "right_ankle" in old.actuator(k).name]] = 1.5**3
    np.testing.assert_allclose(new.actuator_ctrlrange, stronger[:, None] * old.actuator_ctrlrange)
    hip = [at.body("left_thigh").xpos[2] - at.body("left_foot").xpos[2] for at in (at_old, at_new)]
    assert hip[1] == pytest.approx(hip[0] + 0.441)


@pytest.mark.parametrize(("limb", "heel_up"), [({"left_foot": 1.5}, False), ({"left_shank": 1.5}, False),
                                               ({"left_thigh": 1.5}, True), ({"right_thigh": 0.5}, True)])
def test_the_longer_leg_rests_folded(limb: dict[str, float], heel_up: bool) -> None:
    """Both soles on one level; the heel is up only where the ankle has no more room."""
    world = World(make_character("human").scaled(limb=limb))
    scratch = world.figure.posed(world.figure.rest)
    low, high = world.figure.joint_limits
    assert ((world.figure.rest >= low) & (world.figure.rest <= high)).all()
    heights = np.array([(scratch.xpos[sole.body] + sole.points @ scratch.xmat[sole.body].reshape(3, 3).T)[:, 2]
                        for sole in world.figure.soles])
    assert np.ptp(heights.min(axis=1)) < 0.02
    assert (np.ptp(heights) > 0.06) == heel_up


def test_a_grown_body_stands_as_high_as_one_made_so() -> None:
    base = make_character("human")
    longer = base.scaled(limb={"left_shank": 1.5})
    grown = World(base)
    grown.morph(longer)
    assert grown.figure.standing_height == pytest.approx(World(longer).figure.standing_height, abs=0.02)
    grown.reset()
    assert grown.figure.standing_height == pytest.approx(World(longer).figure.standing_height, abs=1e-6)


def test_longer_legs_raise_the_hip_in_a_world() -> None:
    legs = {f"{side}_{part}": 1.25 for side in ("left", "right") for part in ("thigh", "shank")}
    tall, normal = World(make_character("human").scaled(limb=legs)), World(make_character("human"))
    assert tall.figure.position[2] > normal.figure.position[2] + 0.2
    assert tall.contacts.fallen(tall.figure) is None


def test_scaling_composes() -> None:
    human = make_character("human")
    back = human.scaled(limb={"left_thigh": 2.0}).scaled(limb={"left_thigh": 0.5}).scaled(height=2.5).scaled(height=1.8)
    (old, _), (new, _) = posed(human), posed(back)
    np.testing.assert_allclose(new.body_mass, old.body_mass, rtol=1e-3)
    np.testing.assert_allclose(new.body_pos, old.body_pos, rtol=1e-3, atol=1e-9)
    assert new.names == old.names


FOREIGN = """
<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale=".1 .1 .1"/></asset>
  <default><geom density="500"/></default>
  <worldbody>
    <body name="base" pos="0 0 1"><freejoint/>
      <inertial pos="0 0 .1" mass="4" diaginertia=".1 .2 .25"/>
      <geom type="box" size=".1 .1 .1"/><site name="eye" pos=".1 0 0"/>
      <frame pos="0 .2 0" euler="0 0 30">
        <body name="arm" pos=".1 0 0"><joint name="arm" axis="0 1 0" pos="0 0 .02" armature=".1" damping="1"/>
          <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03"/><geom type="mesh" mesh="wedge"/>
          <body name="tip" pos="0 0 -.3"><joint name="tip" type="slide" range="-.1 .1"/>
            <geom size=".05" mass="1"/></body>
        </body>
      </frame>
    </body>
  </worldbody>
  <actuator><motor joint="arm" ctrlrange="-10 10"/><motor joint="tip" ctrlrange="-10 10"/></actuator>
</mujoco>
"""


def foreign() -> Character:
    from gambol.bodies.anatomy import Anatomy

    return Character("foreign", mujoco.MjSpec.from_string(FOREIGN), Anatomy({"root": "base", "left_upper_arm": "arm"}))


def test_foreign_models_scale_as_a_whole() -> None:
    before = foreign()
    after = before.scaled(height=2 * standing_height(before))
    (old, at_old), (new, at_new) = posed(before), posed(after)
    np.testing.assert_allclose(new.body_mass, 8 * old.body_mass)
    np.testing.assert_allclose(new.body_inertia, 32 * old.body_inertia)
    np.testing.assert_allclose(at_new.xipos, 2 * at_old.xipos)
    np.testing.assert_allclose(at_new.site_xpos, 2 * at_old.site_xpos)
    np.testing.assert_allclose(at_new.xanchor, 2 * at_old.xanchor)
    np.testing.assert_allclose(new.joint("tip").range, (-0.2, 0.2))
    np.testing.assert_allclose(new.actuator_ctrlrange[:, 1], (80, 40))


def test_foreign_limbs_scale_with_their_meshes() -> None:
    before = foreign()
    after = before.scaled(limb={"left_upper_arm": 2.0})
    (old, _), (new, _) = posed(before), posed(after)
    assert new.body("arm").mass[0] == pytest.approx(8 * old.body("arm").mass[0])
    np.testing.assert_allclose(new.body("arm").inertia, 32 * old.body("arm").inertia)
    np.testing.assert_allclose(new.body("tip").pos, 2 * old.body("tip").pos)
    np.testing.assert_allclose(new.body("arm").pos, old.body("arm").pos)
    assert new.body("tip").mass[0] == old.body("tip").mass[0] and not after.notes


def test_a_shared_mesh_keeps_its_size_and_says_so() -> None:
    before = foreign()
    before.spec.body("base").add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="wedge")
    assert "wedge" in before.scaled(limb={"left_upper_arm": 2.0}).notes[0]


@pytest.mark.parametrize(("height", "limb", "message"), [
    (0.1, {}, "height must be from 0.2 to 5 m"), (6.0, {}, "got 6 m"), (float("nan"), {}, "height must be"),
    (None, {"left_thigh": 0.1}, "'left_thigh' must be from 0.25 to 4"), (None, {"left_thigh": 5}, "got 5"),
    (None, {"left_thig": 2.0}, "unknown limb 'left_thig'.*did you mean 'left_thigh'")])
def test_scaling_refuses_bad_input(height: float | None, limb: dict[str, float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        make_character("human").scaled(height=height, limb=limb)


# -- morphing --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "limb"), [("human", {"left_thigh": 1.2, "right_foot": 1.3}),
                                            ("quadruped", {"front_left_shank": 1.2, "head": 0.8})])
def test_a_morphed_run_replays_exactly_in_plain_mujoco(name: str, limb: dict[str, float]) -> None:
    character = make_character(name)
    world = World(character)
    rng = np.random.default_rng(1)
    for tick in range(60):
        if tick == 20:
            world.morph(character.scaled(limb=limb))
        if tick == 40:
            world.morph(character.scaled(limb=limb, height=1.1 * standing_height(character)))
        world.step(0.05 * world.figure.torque_limit * rng.standard_normal(world.figure.nu))
    assert world.figure.mass > 1.1 * sum(World(character).model.body_mass)
    take = world.recorder.arrays()
    assert len(take["edits"]) == 2
    model = mujoco.MjModel.from_xml_string(world.scene.xml)
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, take["initial_state"], mujoco.mjtState.mjSTATE_INTEGRATION)
    for k, ctrl in enumerate(take["ctrl"]):
        for tick, fields in take["edits"]:
            if tick == k:
                for field, value in fields.items():
                    getattr(model, field)[:] = value
        assert np.array_equal(data.qpos, take["qpos"][k]) and np.array_equal(data.qvel, take["qvel"][k])
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data, int(take["substeps"]))
    assert np.array_equal(data.qpos, take["qpos"][-1])
