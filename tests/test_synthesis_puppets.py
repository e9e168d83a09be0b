"""Puppets: every character has one that stands, lies and crouches, with the knees and ranges of its real legs."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gambol.bodies import make_character

jax = pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis import poses, terms  # noqa: E402
from gambol.synthesis.folding import NOWHERE, breaks, limb_constants  # noqa: E402
from gambol.synthesis.measures import measure  # noqa: E402
from gambol.synthesis.problem import Problem  # noqa: E402
from gambol.synthesis.puppet import Limb, Puppet, puppet  # noqa: E402
from gambol.synthesis.scene import Obstacle, Performer, Scene, Stand  # noqa: E402
from gambol.synthesis.stages import WEIGHTS  # noqa: E402
from gambol.synthesis.trajectory import Trajectory  # noqa: E402
from short_problem import PHASES  # noqa: E402


def limits_of(figure: Puppet, limb: Limb, root: tuple[np.ndarray, np.ndarray], end: tuple[np.ndarray, np.ndarray]
              ) -> tuple[np.ndarray, np.ndarray]:
    """How much of each of a limb's ranges is broken, and where its middle joint is."""
    constants = {key: jax.numpy.asarray(value, dtype=float) for key, value in limb_constants(figure, limb).items()}
    weights = {key: jax.numpy.asarray(1.0) for key in WEIGHTS}
    rows = terms.limb(terms.Pose(*root), terms.Pose(*end), constants, weights, NOWHERE)
    middle = terms.two_links(terms.Pose(*root), terms.Pose(*end), constants)[1]
    return np.asarray(rows["limits"]), np.asarray(middle)


@pytest.mark.parametrize("name", ["human", "child", "quadruped", "ostrich", "dinosaur", "wide_biped"])
def test_every_character_with_legs_has_a_puppet_that_stands(name: str) -> None:
    character = make_character(name)
    figure = puppet(character)
    assert figure.feet
    (root, _), *ends = poses.standing(figure, character)
    for limb, (place, axes) in zip(figure.limbs, ends, strict=True):
        distance = np.linalg.norm(place + axes @ limb.wrist - root - limb.base)
        assert limb.reach[0] - 1e-3 <= distance <= limb.reach[1] + 1e-3
        if limb.is_foot:
            assert abs((place + limb.points)[:, 2].min()) < 0.01


@pytest.mark.parametrize(("name", "pose"), [("human", "supine"), ("human", "prone"), ("quadruped", "prone"),
                                            ("wide_biped", "supine"), ("wide_biped", "prone")])
def test_lying_starts_are_above_the_ground_and_within_reach(name: str, pose: str) -> None:
    scene = Scene([Performer(name, pose=pose)], [Stand()], [Obstacle(x=0.6, z=-2.0)], phases=PHASES)
    problem = scene.problem()
    found = {m.name: m.value for m in measure(problem, problem.guess())}
    assert found["through"] < 0.01 and found["stretch"] < 0.01


@pytest.mark.parametrize("name", ["human", "quadruped", "dinosaur", "wide_biped"])
def test_puppets_have_the_knees_and_ranges_of_real_legs(name: str) -> None:
    character = make_character(name)
    figure, model, rng = puppet(character), character.compile(), np.random.default_rng(3)
    limb, bodies, data = figure.limbs[0], character.anatomy.bodies, mujoco.MjData(model)
    hip, knee, foot = (model.body(bodies[limb.role.removesuffix("foot") + part]).id for part in ("thigh", "shank",
                                                                                                 "foot"))
    data.qpos[:] = character.rest_qpos(model)
    mujoco.mj_kinematics(model, data)
    flat, sole = data.xmat[foot].reshape(3, 3).copy(), np.mean(character.anatomy.soles[limb.role], axis=0)
    root = data.xpos[model.body(character.anatomy.body("root")).id] + figure.center, np.eye(3)
    joints = [model.joint(j) for j in range(model.njnt) if model.jnt_bodyid[j] in (hip, knee, foot)]
    for _ in range(40):
        for joint in joints:  # within their ranges, but the sole not tipped: that turns the plane of the leg a little
            within = 0.0 if "inversion" in joint.name else 0.7
            data.qpos[joint.qposadr[0]] = rng.uniform(*(within * joint.range + (1 - within) * joint.range.mean()))
        mujoco.mj_kinematics(model, data)
        turn = data.xmat[foot].reshape(3, 3)
        broken, middle = limits_of(figure, limb, root, (data.xpos[foot] + turn @ sole, turn @ flat.T))
        np.testing.assert_allclose(middle, data.xpos[knee], atol=1e-3)
        assert max(broken[:-1]) < 0.01  # the last is of feet that cross, which joints may do


def test_knees_and_elbows_are_where_the_residuals_have_them(problem: Problem, guess: np.ndarray) -> None:
    path, params = Trajectory(problem, guess), problem.params()
    for b in range(len(problem.actors[0].puppet.limbs)):
        base, middle, _ = path.joints(0, b)
        root, end = (terms.Pose(path.place[40, f], path.turn[40, f]) for f in (0, problem.layout.limbs[0][b]))
        found = terms.two_links(root, end, {key: value[b] for key, value in params["limb"].items()})
        np.testing.assert_allclose(found[0], base[40], atol=1e-9)
        np.testing.assert_allclose(found[1], middle[40], atol=4e-3)  # softened where a limb is straight


@pytest.mark.parametrize("name", ["human", "child", "quadruped", "ostrich", "dinosaur", "wide_biped"])
def test_who_stands_breaks_no_limit_and_who_turns_a_foot_does(name: str) -> None:
    character = make_character(name)
    figure = puppet(character)
    root, *ends = poses.standing(figure, character)
    limb, (place, axes) = figure.limbs[0], ends[0]
    ankle = place + axes @ limb.wrist
    assert max(limits_of(figure, limb, root, (place, axes))[0]) < 1e-3
    for way in ([0, 0, 1.4], [0, 0, -1.4], [0.8, 0, 0]):
        turned = Rotation.from_rotvec(way).as_matrix()
        assert max(limits_of(figure, limb, root, (ankle - turned @ limb.wrist, turned))[0]) > 0.1


def test_a_prone_dog_lies_on_its_belly_and_breaks_no_limit() -> None:
    character = make_character("quadruped")
    figure = puppet(character)
    (root, axes), *ends = poses.prone(figure, character)
    np.testing.assert_allclose((root + figure.points @ axes.T)[:, 2], 0.005, atol=1e-9)
    for limb, end in zip(figure.limbs, ends, strict=True):
        assert max(limits_of(figure, limb, (root, axes), end)[0]) < 0.03


@pytest.mark.parametrize("name", ["human", "child", "dinosaur", "ostrich", "quadruped", "wide_biped"])
def test_who_crouches_is_as_low_as_the_legs_fold(name: str) -> None:
    character = make_character(name)
    figure = puppet(character)
    (root, axes), *ends = poses.crouched(figure, character)
    feet = [(limb, end) for limb, end in zip(figure.limbs, ends, strict=True) if limb.is_foot]
    assert root[2] < 0.85 * figure.height
    for drop, good in ((0.0, True), (0.03, False)):
        broken = [breaks(figure, limb, root - [0, 0, drop], axes, *end) < poses.BREAKS for limb, end in feet]
        assert all(broken) is good
    for limb, (place, turn) in feet:
        assert max(limits_of(figure, limb, (root, axes), (place, turn))[0]) < 0.02
        np.testing.assert_allclose((place + limb.points @ turn.T)[:, 2], 0.0, atol=0.01)


@pytest.mark.parametrize("name", ["dinosaur", "ostrich"])
def test_a_thigh_that_goes_aside_turns_its_knee(name: str) -> None:
    """Hips whose axes are not square to the thigh: what is left is the range of the joint that rotates it."""
    limb = puppet(make_character(name)).limbs[0]
    assert abs(limb.ranges.couples) > 0.3
    np.testing.assert_allclose(limb.ranges.twist, (-0.7, 0.7), atol=0.02)


def test_a_thigh_that_cannot_go_aside_turns_nothing() -> None:
    assert puppet(make_character("planar_biped")).limbs[0].ranges.couples == 0.0


def test_hands_of_who_lies_on_the_belly_are_off_the_ground() -> None:
    character = make_character("human")
    figure = replace(puppet(character), stands_upright=False)
    _, *ends = poses.prone(figure, character)
    assert all(place[2] > 0 for limb, (place, _) in zip(figure.limbs, ends, strict=True) if not limb.is_foot)
