"""Bodies that are not what their behavior believes: variations, and the nominal world behaviors compute on."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.bodies.actuation import with_servos
from gambol.errors import BadInput, GambolError
from gambol.motion.motion import Motion
from gambol.motion.verify import verify, verify_file
from gambol.world.nominal import NominalWorld
from gambol.world.props import make_prop
from gambol.world.pushes import Push, Throw
from gambol.world.starts import Start
from gambol.world.vary import Vary
from gambol.world.world import World


def varied(text: str, character: str = "human", **more) -> World:
    return World(make_character(character), vary=Vary.parse(text), **more)


def balanced(world: World, ticks: int, name: str = "balance") -> World:
    behavior = make_behavior(name, world)
    for _ in range(ticks):
        world.step(behavior.act())
    return world


def agree(world: World) -> None:
    """What is believed of the state is what is true."""
    for name in ("time", "qpos", "qvel"):
        np.testing.assert_array_equal(getattr(world.believed.data, name), getattr(world.data, name))
    assert world.believed.tick == world.tick


def test_a_variation_is_read_and_written() -> None:
    vary = Vary.parse("mass=0.8,friction=0.6,strength=0.5,lock=left_elbow+right_knee,pack=5")
    assert (vary.mass, vary.friction, vary.strength, vary.pack) == (0.8, 0.6, 0.5, 5.0)
    assert vary.lock == ("left_elbow", "right_knee") and vary.figure == ""
    other = Vary.parse("b/mass=1.2,b/lock=left_elbow,friction=0.5")
    assert other.figure == "b" and other.mass == 1.2
    assert Vary.parse(vary.text) == vary and Vary.parse(other.text) == other
    assert Vary.parse("mass=1").text == ""


@pytest.mark.parametrize(("text", "said"), [
    ("weight=2", "unknown variation 'weight'.*known: friction, lock, mass, pack, strength"),
    ("mass=0", "mass=0 is out of range; it takes 0.2 to 5"), ("mass=heavy", "'heavy' is not a number"),
    ("friction=1.5", "friction=1.5 is out of range"), ("pack", "not of the form key=value"),
    ("a/mass=2,b/pack=1", "varies more than one figure"), ("a/friction=0.5", "everybody's"),
    ("mass=2,a/mass=2", "given twice")])
def test_bad_variations_are_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as refusal:
        Vary.parse(text)
    assert "\n" not in str(refusal.value)


def test_what_a_body_does_not_have_cannot_be_locked() -> None:
    with pytest.raises(BadInput, match=r"unknown joint 'left_elbo'.*did you mean 'left_elbow'"):
        varied("lock=left_elbo")
    with pytest.raises(BadInput, match="cannot lock 'root'"):
        varied("lock=root")
    with pytest.raises(BadInput, match="cannot lock 'root_pitch': the world would hold"):
        varied("lock=root_pitch", "planar_biped")
    with pytest.raises(BadInput, match=r"unknown figure 'b'.*known: human"):
        varied("b/mass=0.8")


def test_without_variation_behaviors_compute_on_the_world_itself() -> None:
    for vary in (None, Vary(), Vary.parse("mass=1,pack=0")):
        world = World(make_character("human"), vary=vary)
        behavior = make_behavior("balance", world)
        assert world.believed is world and behavior.world is world and behavior.figure is world.figure
        assert "vary" not in Motion.from_world(world).meta


@pytest.mark.parametrize("name", ["balance", "stand"])
def test_a_nominal_world_that_is_right_gives_the_same_bits(name: str) -> None:
    """More strength than is ever used changes nothing but who computes, contact forces included: springs need these."""
    truth, doubled = World(make_character("human"), projectiles=1), varied("strength=2", projectiles=1)
    for world in (truth, doubled):
        world.push(Push(0.2, "trunk", (150.0, 50.0, 0.0), 0.1))
        world.throw(Throw(0.1, "trunk", mass=1.0, speed=5.0))
        balanced(world, 125, name)
    assert isinstance(doubled.believed, NominalWorld)
    np.testing.assert_array_equal(truth.recorder.arrays()["ctrl"], doubled.recorder.arrays()["ctrl"])
    np.testing.assert_array_equal(truth.data.qpos, doubled.data.qpos)


@pytest.mark.parametrize("character", ["human", "quadruped"])
def test_mass_and_inertia_of_every_part_grow_and_the_behavior_does_not_know(character: str) -> None:
    world = varied("mass=1.3", character)
    behavior = make_behavior("balance", world)
    bare = World(make_character(character)).model
    np.testing.assert_allclose(world.model.body_mass, 1.3 * bare.body_mass, rtol=1e-5)
    np.testing.assert_allclose(world.model.body_inertia, 1.3 * bare.body_inertia, rtol=1e-5)
    np.testing.assert_array_equal(behavior.figure.model.body_mass, bare.body_mass)
    assert behavior.figure.data.qfrc_bias[2] == pytest.approx(9.81 * behavior.figure.mass, rel=1e-3)
    assert behavior.figure.mass < world.figure.mass


@pytest.mark.parametrize("servos", [False, True])
def test_motors_are_weaker_than_they_are_believed_to_be(servos: bool) -> None:
    human = make_character("human")
    world = World(with_servos(human) if servos else human, vary=Vary.parse("strength=0.5"))
    behavior = make_behavior("balance", world)
    np.testing.assert_allclose(world.figure.torque_limit, 0.5 * behavior.figure.torque_limit, rtol=1e-5)
    world.step(behavior.figure.torque_limit)
    given = np.abs(world.data.actuator_force[world.figure.ctrl])
    assert (given <= world.figure.torque_limit * (1 + 1e-9)).all()
    assert (given > 0.99 * world.figure.torque_limit).any()


def test_the_ground_is_more_slippery_than_it_is_believed_to_be() -> None:
    world = balanced(varied("friction=0.6", terrain="slope:angle=5"), 5)
    true, believed = ({round(float(contact.friction[0]), 6) for contact in data.contact if contact.dim > 1}
                      for data in (world.data, world.believed.data))
    assert true == {0.6} and believed == {1.0}
    felt = [place.surfaces.friction(place.figure.soles[0]) for place in (world, world.believed)]
    assert felt == pytest.approx([0.6, 1.0])
    assert world.terrain.text == world.believed.terrain.text and world.vary.text == "friction=0.6"


@pytest.mark.parametrize("prop", ["box:x=0,y=0,size=0.6,height=0.2", "box:x=0,y=0,size=0.6,height=0.2,friction=1",
                                  "platform:amplitude=0,friction=0.4", "chair:x=0,y=0,fixed=yes", "ball:x=1,y=0"])
def test_every_contact_is_more_slippery_than_believed_by_the_same_factor(prop: str) -> None:
    world = varied("friction=0.3", props=[make_prop(prop)], starts=[Start(x=0.0, y=0.0)])
    balanced(world, 25)
    true, believed = ({tuple(sorted(now.model.geom(geom).name for geom in contact.geom)): contact.friction[0]
                       for contact in now.data.contact} for now in (world, world.believed))
    assert true.keys() == believed.keys() and any("foot" in name for pair in true for name in pair)
    for pair, friction in true.items():
        assert friction == pytest.approx(0.3 * believed[pair]), pair


def test_a_locked_joint_stays_where_it_started_and_replays() -> None:
    world = varied("lock=left_elbow", seed=3)
    figure = world.figure
    left, right = (figure.joint_qpos[figure.joint_names.index(f"{side}_elbow")] for side in ("left", "right"))
    world.push(Push(0.2, "trunk", (250.0, 0.0, 0.0), 0.1))
    motion = Motion.from_world(balanced(world, 250))
    assert np.ptp(motion.qpos[:, left]) < 1e-3 < 0.05 < np.ptp(motion.qpos[:, right])
    assert verify(motion).ok and world.believed.model.neq == 0
    start = world.data.qpos[left]
    world.reset(seed=8)
    assert world.data.qpos[left] == pytest.approx(start, abs=1e-3)
    agree(world)


def test_all_joints_of_a_role_are_locked() -> None:
    world = varied("lock=left_shoulder")
    names = make_character("human").anatomy.joints["left_shoulder"]
    assert len(names) == world.model.neq == 3


@pytest.mark.parametrize("character", ["human", "ostrich"])
def test_a_pack_hangs_behind_the_trunk_and_touches_nothing(character: str) -> None:
    world, bare = varied("pack=8", character), World(make_character(character))
    assert world.figure.mass == pytest.approx(bare.figure.mass + 8.0)
    pack = world.model.body(world.figure.prefix + "pack").id
    assert world.data.xipos[pack, 0] < world.data.xipos[world.figure.body_id("trunk"), 0]
    geom = world.model.body_geomadr[pack]
    assert world.model.geom_contype[geom] == world.model.geom_conaffinity[geom] == 0
    assert world.believed.figure.mass == bare.figure.mass
    assert balanced(world, 50).contacts.fallen(world.figure) is None


def test_state_is_measured_through_throws_edits_and_going_back() -> None:
    world = varied("mass=0.8,pack=3", projectiles=1, props=[make_prop("box:x=1.5"), make_prop("platform:x=4")])
    world.throw(Throw(0.02, "trunk", mass=2.0, speed=6.0))
    agree(balanced(world, 10))
    moment = world.snapshot()
    world.morph(make_character("human").scaled(height=1.9))
    agree(balanced(world, 5))
    assert world.figure.mass == pytest.approx(0.8 * world.believed.figure.mass + 3.0, rel=1e-5)
    world.restore(moment)
    agree(world)
    assert world.believed.figure.mass == pytest.approx(World(make_character("human")).figure.mass)
    agree(balanced(world, 5))


def test_one_of_two_figures_is_varied() -> None:
    world = World([make_character("human"), make_character("child")], names=["a", "b"],
                  vary=Vary.parse("b/mass=1.5,b/lock=left_elbow"))
    bare = World([make_character("human"), make_character("child")], names=["a", "b"])
    assert world.figures[0].mass == bare.figures[0].mass
    assert world.figures[1].mass == pytest.approx(1.5 * bare.figures[1].mass, rel=1e-5)
    second = make_behavior("stand", world, index=1)
    assert second.figure is world.believed.figures[1]
    first = make_behavior("stand", world)
    world.step([first.act(), second.act()])
    agree(world)


def test_contacts_are_measured_with_their_forces() -> None:
    world = balanced(varied("pack=8"), 300)
    seen = world.believed.contacts.of(world.believed.figure)
    assert {contact.role for contact in seen} == {"left_foot", "right_foot"}
    assert sum(contact.force[2] for contact in seen) == pytest.approx(world.figure.mass * 9.81, rel=0.05)


def test_what_is_believed_can_only_be_read() -> None:
    believed = varied("mass=0.8", projectiles=1).believed
    for act in (lambda: believed.push(Push(0.0, "trunk", (1.0, 0.0, 0.0))), lambda: believed.step(np.zeros(29)),
                lambda: believed.throw(Throw(0.0, "trunk"))):
        with pytest.raises(GambolError, match="can be read"):
            act()


def test_a_varied_motion_says_so_and_replays_from_its_file(tmp_path) -> None:
    world = varied("mass=0.9,friction=0.8,strength=0.7,lock=right_elbow,pack=4")
    motion = Motion.from_world(balanced(world, 60))
    verdict = verify_file(motion.save(tmp_path / "varied.npz"))
    assert verdict.ok
    assert motion.meta["vary"] == world.vary.text
    assert any(f"the body is varied ({world.vary.text})" in line for line in verdict.sentences())


def test_balance_bears_a_body_that_is_not_what_it_believes() -> None:
    for text in ("mass=0.8", "mass=1.2", "pack=5"):
        world = varied(text)
        world.push(Push(0.5, "trunk", (150.0, 0.0, 0.0), 0.1))
        assert balanced(world, 500).contacts.fallen(world.figure) is None, text
