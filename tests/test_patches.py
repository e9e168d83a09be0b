"""Patches and their pads: where they are, and that the force that was planned on each kind is the one MuJoCo gives."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.bodies import CHARACTERS, make_character
from gambol.bodies.anatomy import Anatomy
from gambol.bodies.builder import Builder
from gambol.bodies.mjcf.inspection import inspect_rows
from gambol.bodies.patches import KINDS, Patch
from gambol.control.contact.edges import _other_end
from gambol.control.contact.patches import part_of, patch_states, planted
from gambol.control.contact.support import support_points
from gambol.control.problem import WholeBodyProblem
from gambol.errors import BadInput
from gambol.features import Kinematics
from gambol.geometry import solids
from gambol.motion.measures import Measured, sole_places
from gambol.motion.motion import Motion
from gambol.planning.footing import FootSize
from gambol.rollout import simulate
from gambol.units import GRAVITY
from gambol.world.loads import Load
from gambol.world.surfaces import Touch
from gambol.world.world import World
from resting import Rest, Still, planned_forces, real_forces, settled, touching

FEET, KNEES = ("left_foot", "right_foot"), ("left_knee", "left_shank", "right_knee", "right_shank")
ALL_FOURS = {"hip_flexion": 90, "knee": 87.2, "ankle_flexion": -30, "shoulder_flexion": 90, "shoulder_abduction": 0}
SITTING = {"hip_flexion": 88, "knee": 88, "ankle_flexion": 0}
RESTS = {
    "seat": Rest([["seat"]], FEET, angles=SITTING),
    "thighs": Rest([["left_thigh", "right_thigh"]], FEET,
                   angles={"hip_flexion": 90, "knee": 90, "ankle_flexion": 0, "waist_pitch": 25}),
    "knees": Rest([KNEES], angles={"hip_flexion": 15, "knee": 102.2, "ankle_flexion": -30}),
    "back": Rest([["back"]], FEET, -90,
                 {"hip_flexion": 0, "knee": 90, "ankle_flexion": 0, "shoulder_abduction": 20}),
    "chest": Rest([["chest"], KNEES], (), 90, ALL_FOURS | {"shoulder_flexion": 0, "shoulder_abduction": 60}),
    "elbows": Rest([["left_elbow", "right_elbow"], KNEES], (), 90, ALL_FOURS | {"elbow": 110}),
    "forearms": Rest([["left_elbow", "left_forearm", "right_elbow", "right_forearm"], KNEES], (), 90,
                     ALL_FOURS | {"elbow": 87}),
    "shoulders": Rest([["left_shoulder"], ["right_shoulder"]], (), 180,
                      {"hip_flexion": 0, "knee": 0, "ankle_flexion": 0}),
    "palms": Rest([["left_palm", "right_palm"]], FEET, 12,
                  {"hip_flexion": 0, "knee": 0, "ankle_flexion": 12, "elbow": 77, "wrist_flexion": -25,
                   "shoulder_abduction": 10, "forearm_rotation": -80}),
    "soles": Rest([], FEET, angles={"hip_flexion": 30, "knee": 60, "ankle_flexion": 30}),
    "paws": Rest([], [f"{end}_{side}_foot" for end in ("front", "hind") for side in ("left", "right")],
                 character="quadruped"),
    "tail": Rest([["tail_1"]], FEET, character="dinosaur"),
    "shoulders of human": Rest([["left_shoulder"], ["right_shoulder"]], (), 180,
                               {"hip_flexion": 0, "knee": 0, "ankle_flexion": 0}, "human"),
    "back of child": Rest([["back"]], FEET, -90,
                          {"hip_flexion": 0, "knee": 90, "ankle_flexion": 0, "shoulder_abduction": 20}, "child"),
    "seat of wide_biped": Rest([["seat"]], FEET, angles=SITTING, character="wide_biped"),
}


@pytest.mark.parametrize("name", RESTS)
def test_planned_forces_are_those_of_the_simulator(name: str) -> None:
    """Held still for half a second. Patches of one part count together: how they share its force is not determined."""
    rest = RESTS[name]
    world = settled(rest)
    still, before = Still(world, rest.roles), world.figure.com
    for _ in range(125):
        world.step(still.act())
    assert np.linalg.norm(world.figure.com - before) < 0.005
    rails = ("_rail", "_pad_")
    assert all(any(word in geom for word in rails) for geom in touching(world))
    planned, real = still.planned(), real_forces(world, rest.roles)
    for body in {world.figure.patches[role].body for role in rest.roles}:
        roles = [role for role in rest.roles if world.figure.patches[role].body == body]
        wanted, found = (sum(forces[role] for role in roles) for forces in (planned, real))
        assert np.linalg.norm(found) > 20.0
        assert np.linalg.norm(wanted - found) < 0.05 * np.linalg.norm(found), roles


@pytest.mark.parametrize("name", CHARACTERS)
def test_pads_stand_out_of_the_flesh_and_weigh_nothing(name: str) -> None:
    character = make_character(name)
    model, bare = character.compile(), character.spec.copy()
    for geom in [geom for geom in bare.geoms if "_pad_" in geom.name]:
        bare.delete(geom)
    without = bare.compile()
    np.testing.assert_array_equal(model.body_mass, without.body_mass)
    np.testing.assert_array_equal(model.body_inertia, without.body_inertia)
    np.testing.assert_array_equal(model.body_ipos, without.body_ipos)
    for role, patch in character.anatomy.patches.items():
        assert patch.kind in KINDS
        body = model.body(patch.body).id
        for geom in np.flatnonzero((model.geom_bodyid == body) & (model.geom_contype > 0)):
            if not model.geom(geom).name:  # flesh; pads and rails have names
                assert _outside(model, int(geom), patch.points).min() > 0.001, (role, geom)


def _outside(model: mujoco.MjModel, geom: int, points: np.ndarray) -> np.ndarray:
    turn, size = np.empty(9), model.geom_size[geom]
    mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
    local = (points - model.geom_pos[geom]) @ turn.reshape(3, 3)
    match mujoco.mjtGeom(model.geom_type[geom]):
        case mujoco.mjtGeom.mjGEOM_CAPSULE:
            return solids.capsule(local, size[0], size[1])[0]
        case mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            return solids.ellipsoid(local, size)[0]
    return solids.sphere(local, size[0])[0]


def test_people_have_every_kind_of_patch() -> None:
    kinds = set(KINDS) - {"paw", "tail"}
    for name in ("human", "human44", "child", "asymmetric"):
        assert {patch.kind for patch in make_character(name).anatomy.all_patches.values()} == kinds
    assert make_character("quadruped").anatomy.all_patches["hind_left_foot"].kind == "paw"
    assert "tail_3" in make_character("dinosaur").anatomy.patches


def test_a_pad_lies_where_its_points_are() -> None:
    b = Builder("thing")
    body = b.root("root", 1.0)
    b.patch("back", "back", body, [(-0.1, 0.1, 0), (-0.1, -0.1, 0), (-0.1, 0.0, 0.2)], (-1, 0, 0), 0.03)
    two, one = body.geoms
    assert two.type == mujoco.mjtGeom.mjGEOM_CAPSULE and one.type == mujoco.mjtGeom.mjGEOM_SPHERE
    np.testing.assert_allclose(one.pos, (-0.07, 0, 0.2))
    np.testing.assert_allclose(two.fromto, (-0.07, 0.1, 0, -0.07, -0.1, 0))


def test_anatomy_keeps_its_patches_as_plain_values() -> None:
    anatomy = make_character("human44").anatomy
    again = Anatomy.from_dict(anatomy.as_dict())
    assert list(again.patches) == list(anatomy.patches)
    for role, patch in anatomy.patches.items():
        found = again.patches[role]
        assert (found.kind, found.body, found.heel, found.toes) == (patch.kind, patch.body, patch.heel, patch.toes)
        np.testing.assert_array_equal(found.points, patch.points)
    assert Anatomy.from_dict({key: value for key, value in anatomy.as_dict().items() if key != "patches"}).patches == {}


def test_patches_grow_with_their_bodies() -> None:
    character = make_character("human44")
    tall = character.scaled(height=3.6).anatomy.patches
    for role, patch in character.anatomy.patches.items():
        np.testing.assert_allclose(tall[role].points, 2.0 * patch.points, rtol=2e-3, atol=1e-9)
    before, long = character.anatomy.patches["left_foot"], character.scaled(limb={"left_foot": 1.5})
    foot = long.anatomy.patches["left_foot"]
    np.testing.assert_allclose(foot.points[:2], 1.5 * before.points[:2])
    np.testing.assert_allclose(np.diff(foot.points[2:], axis=0), np.diff(before.points[2:], axis=0))  # toes stay
    np.testing.assert_array_equal(foot.points, long.anatomy.soles["left_foot"])


# -- feet with toes --------------------------------------------------------------------------------------------------


def test_the_sole_of_human44_is_on_two_parts_that_meet_the_ground_together() -> None:
    world = World(make_character("human44"))
    figure, sole = world.figure, world.figure.soles[0]
    assert [figure.role_of_body[int(body)] for body in sole.bodies] == ["left_foot"] * 2 + ["left_toes"] * 4
    assert (sole.heel, sole.tip, list(sole.ends)) == (slice(0, 2), slice(4, 6), [0, 1, 4, 5])
    assert [figure.model.dof_bodyid[figure.dofs.start + hinge] for hinge in sole.hinges] == [sole.bodies[-1]]
    assert np.ptp(figure.sole_points()[:, 2]) < 0.01


def test_toes_stay_flat_while_the_heel_rises() -> None:
    """It walks with its heels up and its toes down: the toes bend by tens of degrees and the ball does not dig in."""
    run = simulate("locomote", "human44", seconds=3.0)
    measured = Measured(run.motion)
    toes = np.degrees(run.motion.qpos[:, run.motion.model.joint("human44/left_toes").qposadr[0]])
    assert not run.summary["fell"] and toes.max() > 15.0 and toes.min() > -11.0
    heights = sole_places(measured)["left_foot"][..., 2]
    assert heights.min() > -0.004 and heights[:, 0].max() > 0.05


# -- foreign models --------------------------------------------------------------------------------------------------

LIMB = """<body name="{s}_arm" pos="0 {y} .4"><joint name="{s}_s" axis="0 1 0"/><geom type="capsule" size=".04"
 fromto="0 0 0 0 0 -.3"/><body name="{s}_fore" pos="0 0 -.3"><joint name="{s}_e" axis="0 -1 0" range="0 2.4"/>
 <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.25"/><body name="{s}_fist" pos="0 0 -.25">
 <joint name="{s}_w" axis="0 1 0"/><geom type="sphere" size=".05" pos="0 0 -.05"/></body></body></body>
 <body name="{s}_up" pos="0 {z} 0"><joint name="{s}_h" axis="0 -1 0" range="-1 2"/><geom type="capsule" size=".06"
 fromto="0 0 0 0 0 -.4"/><body name="{s}_low" pos="0 0 -.4"><joint name="{s}_k" axis="0 1 0" range="0 2.5"/>
 <geom type="capsule" size=".05" fromto="0 0 0 0 0 -.4"/><body name="{s}_sole" pos="0 0 -.4">
 <joint name="{s}_a" axis="0 -1 0" range="-1 1"/><geom type="box" size=".12 .05 .02" pos=".05 0 -.05"/>
 </body></body></body>"""
MODEL = """<mujoco model="robot"><compiler angle="radian" autolimits="true"/><worldbody><body name="hull" pos="0 0 .9">
<freejoint/><geom type="box" size=".1 .15 .1" pos="0 0 .05"/><geom type="box" size=".1 .2 .12" pos="0 0 .35"/>
{left}{right}
</body></worldbody><actuator>{motors}</actuator></mujoco>"""


def robot(folder: Path, anatomy: str = "") -> Path:
    sides = {side: LIMB.format(s=name, y=sign * 0.25, z=sign * 0.1)
             for side, name, sign in (("left", "left", 1), ("right", "right", -1))}
    motors = "".join(f'<motor joint="{side}_{joint}" ctrlrange="-100 100"/>' for side in ("left", "right")
                     for joint in "sewhka")
    path = folder / "robot.xml"
    path.write_text(MODEL.format(motors=motors, **sides))
    if anatomy:
        (folder / "robot.anatomy.yaml").write_text(anatomy)
    return path


def read(folder: Path, anatomy: str = ""):
    from gambol.bodies.character import Character

    return Character.from_mjcf(robot(folder, anatomy))


def test_patches_of_a_foreign_model_are_found_on_its_surface(tmp_path: Path) -> None:
    character = read(tmp_path)
    patches = character.anatomy.patches
    np.testing.assert_allclose(patches["left_palm"].points, [[0, 0, -0.10]], atol=0.01)  # the far end of its fist
    np.testing.assert_allclose(patches["left_knee"].points[0, 0], 0.05, atol=0.01)
    assert patches["right_shank"].points.shape == (2, 3)
    np.testing.assert_allclose(patches["seat"].points[:, 2], -0.05, atol=1e-6)
    np.testing.assert_allclose(patches["back"].points[:, 0], -0.1, atol=1e-6)
    np.testing.assert_allclose(patches["chest"].points[:, 0], 0.1, atol=1e-6)
    assert ("patch", "left_palm", "palm of left_fist: 0.000 0.000 -0.100") in inspect_rows(character)
    world = World(character)
    assert world.figure.patches["left_palm"].priority == 1  # as stiff as the feet
    assert any("other patches" in note for note in character.notes)


def test_the_anatomy_file_has_the_last_word_on_patches(tmp_path: Path) -> None:
    text = "patches:\n  left_palm: {kind: palm, body: left_fist, points: [[0.05, 0, -0.05]]}\n  seat: null\n"
    patches = read(tmp_path, text).anatomy.patches
    np.testing.assert_array_equal(patches["left_palm"].points, [[0.05, 0, -0.05]])
    assert "seat" not in patches and "right_palm" in patches


@pytest.mark.parametrize(("entry", "message"), [
    ("{kind: plam, body: left_fist, points: [[0, 0, 0]]}", "yaml:3: unknown kind of patch 'plam' (did you mean 'palm'"),
    ("{kind: palm, body: left_fits, points: [[0, 0, 0]]}", "yaml:3: unknown body 'left_fits' (did you mean"),
    ("{kind: palm, body: left_fist, points: []}", "yaml:3: patches.x.points must be a list of points [x, y, z]"),
    ("{kind: palm, body: left_fist}", "yaml:3: patches.x needs kind, body and points; got kind, body"),
    ("{kind: palm, body: left_fist, points: [[0, 0, .nan]]}", "yaml:3: patches.x.points must be a number"),
    ("{kind: palm, body: left_fist, points: [[0, 0, 0]], heal: 1}", "yaml:3: unknown key of patches.x 'heal'"),
    ("{kind: sole, body: left_sole, points: [[0, 0, 0]], heel: 2}", "yaml:3: patches.x.heel must be how many of its 1"),
    ("{kind: sole, body: hull, points: [[0, 0, 0]]}", "patches.x is of the kind 'sole', but 'x' is no foot; feet"),
    ("7", "yaml:3: patches.x needs kind, body and points; got the value 7")])
def test_bad_patches_are_refused_with_their_line(tmp_path: Path, entry: str, message: str) -> None:
    with pytest.raises(BadInput) as error:
        read(tmp_path, f"patches:\n  seat: null\n  x: {entry}\n")
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(("kind", "body"), [("palm", "left_sole"), ("sole", "right_sole")])
def test_a_foot_stands_on_a_sole_of_its_own(tmp_path: Path, kind: str, body: str) -> None:
    with pytest.raises(BadInput, match=f"patches.left_foot is that of a foot: .* got a {kind} of '{body}'"):
        read(tmp_path, f"patches:\n  left_foot: {{kind: {kind}, body: {body}, points: [[0, 0, -0.07], [0.1, 0, 0]]}}\n")


@pytest.mark.parametrize("points", ["[[0, 0, -0.07]]", "[[0, 0, -0.07], [0, 0, -0.07]]",
                                    "[[-0.1, 0.02, -0.07], [-0.1, -0.02, -0.07], [0.1, 0, -0.07]]"])
def test_locomote_says_which_soles_it_needs(tmp_path: Path, points: str) -> None:
    character = read(tmp_path, f"patches:\n  left_foot: {{kind: sole, body: left_sole, points: {points}}}\n")
    with pytest.raises(BadInput, match="locomote needs soles with a length, and as many points on the left"):
        make_behavior("locomote", World(character))


def test_known_loads_are_those_of_contacts_that_are_no_unknowns() -> None:
    """Counted twice they would lift who stands on shoulders; left out, who treads on an instep would weigh nothing."""
    world = World([make_character("human44"), make_character("child")])
    figure, kinematics = world.figure, Kinematics(world.figure).refresh()
    soles = patch_states(kinematics, world.surfaces)
    own, child = figure.body_id("left_toes"), world.figures[1].top
    on_child = np.full(len(soles[0].near), world.model.body_geomadr[child])
    soles[0].touch = Touch(world.surfaces, soles[0].position, soles[0].height, soles[0].normal, on_child,
                           figure.sole_set.pads[:len(on_child)])
    support = support_points(soles, [np.ones(len(sole.near), dtype=bool) for sole in soles])
    alone = WholeBodyProblem(kinematics, support, [])._bias

    def weighs(body: int, source: int) -> float:
        figure.loads = (Load(body, world.data.xpos[body].copy(), np.array([0.0, 0.0, -100.0]), source),)
        return float(WholeBodyProblem(kinematics, support, [])._bias[2] - alone[2])

    assert weighs(own, child) == 0.0  # what the left sole stands on presses on its toes: an unknown
    for body, source in ((own, 10**6), (figure.body_id("right_foot"), child), (figure.body_id("head"), child)):
        assert weighs(body, source) == pytest.approx(100.0)


def test_palms_are_measured_anew_when_their_body_grows() -> None:
    character = make_character("human44")
    world = World(character, "wall:distance=0.6")
    behavior = make_behavior("balance", world, {"hands": "left"})
    world.step(behavior.act())
    palm = behavior.palms.palms[0]
    assert palm.spot is not None
    world.morph(character.scaled(height=1.6))
    behavior.act()
    grown = behavior.palms.palms[0]
    assert grown.length < 0.95 * palm.length and grown.spot is palm.spot
    np.testing.assert_array_equal(grown.patch.points, world.figure.patches["left_palm"].points)


def test_toes_must_hang_on_their_foot() -> None:
    from dataclasses import replace

    character = make_character("human44")
    wrong = {"left_foot": replace(character.anatomy.patches["left_foot"], toes="right_toes")}
    anatomy = replace(character.anatomy, patches=dict(character.anatomy.patches) | wrong)
    with pytest.raises(BadInput, match="'right_toes' do not hang on 'left_foot'"):
        World(replace(character, anatomy=anatomy))


def test_an_unknown_kind_or_patch_is_one_line() -> None:
    with pytest.raises(BadInput, match="unknown kind of patch 'plam'"):
        Patch("plam", "hand", np.zeros((1, 3)))
    with pytest.raises(BadInput, match="unknown patch of 'human' 'left_plam'"):
        World(make_character("human")).figure.patch_set(("left_plam",))


def test_a_palm_holds_against_a_wall() -> None:
    """What `balance` plans on a palm is what the wall gives it."""
    world = World(make_character("human44"), "wall:distance=0.6")
    behavior = make_behavior("balance", world, {"hands": "left"})
    for _ in range(500):
        world.step(behavior.act())
    states = patch_states(behavior.kinematics, world.surfaces, world.figure.patch_set(("left_palm",)))
    soles = patch_states(behavior.kinematics, world.surfaces)
    support = support_points([*soles, *states], [*planted(soles), states[0].near])
    planned = planned_forces(behavior.problem, support)["left_palm"]
    hands = [contact.force for contact in world.contacts.of(world.figure) if contact.role == "left_hand"]
    given = np.sum(hands, axis=0)
    assert -given[1] > 1.0 and world.contacts.fallen(world.figure, behavior.uses) is None
    assert np.linalg.norm(planned - given) < 0.05 * world.figure.mass * GRAVITY


@pytest.mark.parametrize(("change", "message"), [
    ({"kind": "plam"}, "'patches' should hold"), ({"kind": []}, "'patches' should hold"),
    ({"points": [[0, 0]]}, "'patches' should hold"), ({"heel": 9}, "'patches' should hold"),
    ({"body": "nobody"}, "the model has no body 'human44/nobody'"), ({"toes": "none"}, "no body 'human44/none'")])
def test_a_motion_file_with_bad_patches_is_refused(change: dict, message: str, tmp_path: Path) -> None:
    motion = simulate("stand", "human44", seconds=0.02).motion
    figure = motion.meta["figures"][0]
    patches = figure["patches"] | {"left_foot": figure["patches"]["left_foot"] | change}
    bad = motion.with_meta(figures=[figure | {"patches": patches}]).save(tmp_path / "bad.npz")
    with pytest.raises(BadInput, match=re.escape(message)):
        Motion.load(bad)


@pytest.mark.parametrize("held", ["heel and toes", "toes", "heel", "tip", "one point"])
def test_what_a_foot_with_bent_toes_can_do_at_once_is_the_span_of_its_rows(held: str) -> None:
    world = World(make_character("human44"))
    figure, data = world.figure, world.data
    data.qpos[world.model.joint("human44/left_toes").qposadr[0]] = 0.6
    mujoco.mj_forward(world.model, data)
    left = patch_states(Kinematics(figure).refresh(), world.surfaces)[0]
    mask = np.array({"heel and toes": [1] * 6, "toes": [0, 0, 1, 1, 1, 1], "heel": [1, 1, 0, 0, 0, 0],
                     "tip": [0, 0, 0, 0, 1, 1], "one point": [0, 0, 0, 1, 0, 0]}[held], dtype=bool)
    support = support_points([left], [mask])
    ways, rows = support.together(), support.jacobian.reshape(3 * support.count, -1)
    np.testing.assert_allclose(ways @ ways.T, np.eye(len(ways)), atol=1e-12)
    np.testing.assert_allclose(ways.T @ (ways @ rows), rows, atol=1e-9)  # nothing of them is lost
    assert len(ways) == np.linalg.matrix_rank(rows, tol=1e-9)


def test_a_sole_with_a_ball_is_as_long_as_one_without() -> None:
    """Its middle is between heel and tip; the points at the ball do not draw it forward."""
    worlds = [World(make_character(name)) for name in ("human", "human44")]
    plain, hinged = (FootSize.of(world.figure)[0] for world in worlds)
    assert hinged == pytest.approx(plain) and hinged.back == pytest.approx(hinged.front)
    for world in worlds:
        left, right = patch_states(Kinematics(world.figure).refresh(), world.surfaces)
        support = support_points([left, right], [np.ones(len(foot.near), dtype=bool) for foot in (left, right)])
        middle = 0.5 * (left.center + right.center)
        np.testing.assert_allclose(support.center, middle, atol=1e-12)
        heel, tip = (left.ground[part].mean(axis=0) for part in (left.heel, left.tip))
        np.testing.assert_allclose(left.center, 0.5 * (heel + tip), atol=1e-12)
        np.testing.assert_allclose(part_of(left, np.arange(len(left.near)) != 0).table, left.table[1:])


def test_a_ball_over_an_edge_is_drawn_to_what_carries() -> None:
    world = World(make_character("human44"))
    sole = patch_states(Kinematics(world.figure).refresh(), world.surfaces)[0]
    over = np.zeros(6, dtype=bool)
    over[[2, 4]] = True  # the left side of ball and tip: back to the heel
    assert [_other_end(sole, point, over) for point in range(6)] == [4, 5, 0, 5, 0, 1]
    over[[4]] = False  # the ball alone: on to the tip
    assert _other_end(sole, 2, over) == 4


def test_human44_goes_on_balancing_while_it_grows() -> None:
    character = make_character("human44")
    world = World(character)
    behavior = make_behavior("balance", world)
    for tick in range(250):
        if tick == 50:
            world.morph(character.scaled(height=1.9).scaled(limb={"left_foot": 1.1}))
        world.step(behavior.act())
    assert world.contacts.fallen(world.figure) is None
