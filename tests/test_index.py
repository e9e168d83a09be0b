"""The model index: what belongs to whom in a scene of several characters."""

import mujoco
import numpy as np
import pytest

from gambol.bodies import make_character
from gambol.bodies.anatomy import Anatomy
from gambol.errors import BadInput
from gambol.world.index import ModelIndex
from gambol.world.world import World


def test_two_characters_share_out_the_model_between_them() -> None:
    world = World([make_character("human"), make_character("quadruped")], "flat")
    model, (human, dog) = world.model, world.figures
    assert not set(human.bodies) & set(dog.bodies)
    assert {*human.bodies, *dog.bodies} == {b for b in range(1, model.nbody) if model.body_mass[b] > 0}
    for figure, joints in ((human, human.joints), (dog, dog.joints)):
        assert figure.floating and set(model.jnt_bodyid[joints]) <= set(figure.bodies)
        assert set(model.dof_jntid[figure.dofs]) == set(joints)
        assert set(model.actuator_trnid[figure.ctrl, 0]) == set(joints[1:])
    assert (human.ctrl.stop, dog.ctrl.stop - dog.ctrl.start) == (dog.ctrl.start, dog.nu)


def test_what_hangs_on_a_foot_belongs_to_it() -> None:
    spec = mujoco.MjSpec()
    pelvis = spec.worldbody.add_body(name="a/pelvis")
    foot = pelvis.add_body(name="a/foot")
    tip = foot.add_body(name="a/toes").add_body(name="a/tip")
    other = pelvis.add_body(name="a/other")
    for body in (pelvis, foot, tip, other):
        body.add_geom(size=[0.1, 0, 0])
        body.add_joint(axis=[0, 1, 0])
    index = ModelIndex(spec.compile(), "a/", Anatomy({"root": "pelvis", "left_foot": "foot"},
                                                     soles={"left_foot": np.zeros((1, 3))}))
    assert not index.floating and index.nv == 4 and index.ctrl == slice(0, 0)
    names = [index.model.body(b).name for b in index.feet["left_foot"]]
    assert names == ["a/foot", "a/toes", "a/tip"]
    assert index.foot_bodies == set(index.feet["left_foot"])
    assert index.role_of_body[index.root] == "root" and index.has("tip") and not index.has("pelvis2")


def test_a_part_that_the_model_lacks_is_named() -> None:
    model = make_character("human").compile()
    with pytest.raises(BadInput, match="no body 'hip_bone', which the anatomy names as 'root'"):
        ModelIndex(model, "", Anatomy({"root": "hip_bone"}))


def test_an_anatomy_reads_back_from_its_tables() -> None:
    anatomy = make_character("human").anatomy
    again = Anatomy.from_dict(anatomy.as_dict())
    assert again.as_dict() == anatomy.as_dict()
    assert (again.bodies, again.joints, again.feet) == (dict(anatomy.bodies), dict(anatomy.joints), anatomy.feet)
