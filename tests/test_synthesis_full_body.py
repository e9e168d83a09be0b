"""The full body of a solution: it takes what the puppet does where its own joints allow it, and says where not."""

from __future__ import annotations

import pytest

pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis.motion import to_motion
from gambol.synthesis.scene import Performer, Scene, Stand


@pytest.mark.parametrize(("name", "pose"), [("human", "supine"), ("quadruped", "prone"), ("dinosaur", "standing")])
def test_the_full_body_can_take_its_start(name: str, pose: str) -> None:
    scene = Scene([Performer(name, pose=pose)], [Stand()], phases=1)
    problem = scene.problem()
    guess = problem.guess()
    guess[:, problem.layout.parts["f"]] = 9.81 / 8
    drift, trunk = to_motion(scene, guess, [])[1]
    assert (drift.name, trunk.name) == ("full body drift", "full body trunk")
    assert drift.good and trunk.good
    guess[:, 2] += 1.0  # higher than its legs are long, and its feet carry load
    drift, trunk = to_motion(scene, guess, [])[1]
    assert not drift.good and not trunk.good
