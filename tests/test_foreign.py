"""Bring your own character: model files nobody here wrote."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import mujoco
import numpy as np
import pytest

from foreign_tools import foot_gap
from gambol.bodies.character import Character
from gambol.bodies.mjcf.inspection import inspect
from gambol.errors import BadInput
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
