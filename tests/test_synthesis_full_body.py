"""The full body of a solution: it takes what the puppet does where its own joints allow it, and says where not."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis import spline
from gambol.synthesis.motion import to_motion
from gambol.synthesis.scene import Performer, Scene, Stand


@pytest.mark.parametrize(("name", "pose"), [("human", "supine"), ("quadruped", "prone"), ("dinosaur", "standing"),
                                            ("dinosaur", "crouched"), ("wide_biped", "supine")])
def test_the_full_body_can_take_its_start(name: str, pose: str) -> None:
    scene = Scene([Performer(name, pose=pose)], [Stand()], phases=1)
    problem = scene.problem()
    guess = problem.guess()
    guess[:, problem.layout.parts["f"]] = 9.81 / 8
    drift, trunk = to_motion(scene, guess, [])[1]
    assert (drift.name, trunk.name) == ("full body drift", "full body trunk")
    assert drift.good and trunk.good
    guess[:, 2] += 2.0  # higher than its legs are long, and its feet carry load
    drift, trunk = to_motion(scene, guess, [])[1]
    assert not drift.good and not trunk.good


def test_a_row_far_from_the_last_is_reached_with_joints_at_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands, and in the next row has its heels at its seat: knees and ankles are bent as far as they go."""
    monkeypatch.setattr("gambol.synthesis.motion.RATE", 1 / spline.PHASE)  # two rows
    scene = Scene([Performer()], [Stand()], phases=1)
    problem, character = scene.problem(), scene.performers[0].body
    layout, guess, model = problem.layout, problem.guess(), character.compile()
    limbs = zip(problem.actors[0].puppet.limbs, layout.limbs[0], strict=True)
    feet = {limb.role: layout.frames[frame] for limb, frame in limbs if limb.is_foot}
    data = mujoco.MjData(model)
    data.qpos[:] = character.rest_qpos(model)
    mujoco.mj_kinematics(model, data)
    flat = {role: data.body(character.anatomy.bodies[role]).xmat.reshape(3, 3).copy() for role in feet}
    for name in ("left_knee", "left_ankle_flexion", "right_knee", "right_ankle_flexion"):
        data.joint(name).qpos = model.joint(name).range[1]
    mujoco.mj_kinematics(model, data)
    for role, frame in feet.items():
        foot, sole = data.body(character.anatomy.bodies[role]), np.mean(character.anatomy.soles[role], axis=0)
        turn = foot.xmat.reshape(3, 3)
        guess[:, frame] = *(foot.xpos + turn @ sole), *Rotation.from_matrix(turn @ flat[role].T).as_rotvec()
    guess[:, layout.parts["f"]] = 9.81 / 8
    motion, (drift, trunk) = to_motion(scene, guess, [])
    assert len(motion.time) == 2
    assert drift.good and trunk.good
