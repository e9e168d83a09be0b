"""Synthesis: mathematics against differences and slow references, scenes and files, one scene end to end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gambol.bodies import make_character
from gambol.errors import BadInput

jax = pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.motion.motion import Motion  # noqa: E402
from gambol.synthesis import poses, rotations, spline, surfaces, terms  # noqa: E402
from gambol.synthesis.angles import swing, twist  # noqa: E402
from gambol.synthesis.deciding import unstuck  # noqa: E402
from gambol.synthesis.folding import NOWHERE, limb_constants  # noqa: E402
from gambol.synthesis.groups import Group, Slot  # noqa: E402
from gambol.synthesis.measures import Measure, measure, near, passed  # noqa: E402
from gambol.synthesis.measures import surfaces as sharp_surfaces  # noqa: E402
from gambol.synthesis.mending import MORE, mend, to_mend  # noqa: E402
from gambol.synthesis.motion import to_motion  # noqa: E402
from gambol.synthesis.problem import Problem  # noqa: E402
from gambol.synthesis.puppet import Limb, Puppet, puppet  # noqa: E402
from gambol.synthesis.scene import (  # noqa: E402
    Handstand,
    Obstacle,
    Performer,
    Place,
    Position,
    PropBox,
    Scene,
    Stand,
    Strike,
)
from gambol.synthesis.scene_file import find_scene, parse_scene  # noqa: E402
from gambol.synthesis.shipped import SCENES  # noqa: E402
from gambol.synthesis.stages import CLIMBING, LADDER, PATIENT, WEIGHTS  # noqa: E402
from gambol.synthesis.synthesize import FEW, Result, Solution, decided, synthesize  # noqa: E402
from gambol.synthesis.trajectory import Trajectory  # noqa: E402

PHASES = 3
GAMBOL = [sys.executable, "-c", "from gambol.cli import main; main()"]


@pytest.fixture(scope="module")
def problem() -> Problem:
    scene = Scene([Performer()], [Stand(), Position(x=0.3)], [Obstacle(x=0.6)], phases=PHASES)
    return scene.problem()


@pytest.fixture(scope="module")
def guess(problem: Problem) -> np.ndarray:
    """A solution away from all kinks."""
    rng = np.random.default_rng(1)
    z = problem.guess(0.6) + 0.03 * rng.normal(size=(PHASES, problem.layout.width))
    z[:, problem.layout.parts["f"]] += rng.normal(size=z[:, problem.layout.parts["f"]].shape)
    return z


def params_of(problem: Problem) -> dict:
    """Everything on but what the first stage alone has; boxes are too far for `rise`, see below."""
    return problem.params(LADDER[2], skim=1.0, solid=0.5)


# -- mathematics -------------------------------------------------------------------------------------------------------


def test_splines_and_bumps_are_their_own_derivatives() -> None:
    s, step = np.array([0.13, 0.5, 0.86]), 1e-6
    for table in (spline.hermite, spline.bumps):
        for order in (0, 1):
            slope = (table(s + step)[:, order] - table(s - step)[:, order]) / (2 * step) / spline.PHASE
            np.testing.assert_allclose(slope, table(s)[:, order + 1], rtol=1e-6, atol=1e-6)


def test_bumps_leave_the_knots_alone() -> None:
    np.testing.assert_allclose(spline.bumps(np.array([0.0, 1.0]))[:, :2], 0.0, atol=1e-12)


def test_rotation_and_angular_velocity_match_scipy() -> None:
    rng = np.random.default_rng(0)
    for scale in (1e-6, 0.01, 1.0, 3.0):
        r, rate, second = scale * rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
        np.testing.assert_allclose(rotations.matrix(r), Rotation.from_rotvec(r).as_matrix(), atol=1e-9)
        step = 1e-5
        ahead, behind = Rotation.from_rotvec(r + step * rate), Rotation.from_rotvec(r - step * rate)
        spin = (ahead * behind.inv()).as_rotvec() / (2 * step)
        np.testing.assert_allclose(rotations.angular_velocity(r, rate), spin, atol=1e-7)
        before, after = (rotations.angular_velocity(r + t * rate, rate + t * second) for t in (-step, step))
        np.testing.assert_allclose(rotations.angular_acceleration(r, rate, second),
                                   (after - before) / (2 * step), atol=1e-6)


def test_rounded_boxes_are_within_their_rounding_of_sharp_ones(problem: Problem) -> None:
    points = np.random.default_rng(0).uniform([0.2, -1, -0.1], [1.0, 1, 0.5], size=(200, 3))
    boxes = problem.params()["boxes"]
    soft = np.array([np.min(surfaces.distances(point, boxes)[0]) for point in points])
    hard, _ = sharp_surfaces(problem, points)
    assert np.abs(soft - hard).max() < surfaces.ROUNDING


def test_samples_of_the_program_are_those_of_the_layout(problem: Problem, guess: np.ndarray) -> None:
    layout = problem.layout
    s = np.array([0.2, 0.7])
    before = np.concatenate([problem.start[None], guess[:-1, :layout.knot]])
    expected = np.einsum("suy,ky->ksu", layout.sample_map(s), np.concatenate([before, guess], axis=1))
    np.testing.assert_allclose(problem.program.sampled(guess, problem.start, s), expected, atol=1e-10)


@pytest.mark.parametrize("name", ["fixed", "solid", "trunk", "physics", "smooth", "limb", "posture", "effort"])
def test_derivatives_of_every_group_match_differences(problem: Problem, guess: np.ndarray, name: str) -> None:
    program, params = problem.program, params_of(problem)
    group = next(g for g in program.groups if g.name == name)
    u = np.asarray(program.sampled(guess, problem.start, np.array([0.37])))
    index = np.concatenate([slot.index(problem.layout) for slot in group.slots], axis=1)

    @jax.jit
    def rows(values: jax.Array) -> jax.Array:
        def flat(slots: list[jax.Array], k: dict) -> jax.Array:
            return jax.numpy.concatenate([row.ravel() for row in group.function(*slots, k, params).values()])

        return jax.vmap(flat)(program._slots(group, values, program.moved(values)), params[name])

    _, parts = jax.jit(partial(program._derived, group))(u, *program.frames_and_slopes(u, group.grid), params)
    found = np.concatenate([part.reshape(*part.shape[:4], -1) for part in parts], axis=-1)
    step, worst = 1e-6, 0.0
    for feature in np.unique(index[index != problem.layout.zero]):
        change = np.zeros(u.shape[-1])
        change[feature] = step
        slope = (rows(u[1, 0] + change) - rows(u[1, 0] - change)) / (2 * step)
        for instance in range(len(index)):
            own = np.asarray(found[1, 0, instance])[:, index[instance] == feature].sum(axis=1)
            worst = max(worst, float(np.abs(own - slope[instance]).max() / (1 + np.abs(slope).max())))
    assert worst < 1e-5


def test_the_banded_system_is_the_gradient_and_its_solution_the_dense_one(problem: Problem, guess: np.ndarray) -> None:
    program, params, layout = problem.program, params_of(problem), problem.layout
    params["w"] = {**params["w"], "pace": jax.numpy.asarray(1.0)}
    params["tasks"] = {**params["tasks"], "touch": jax.numpy.full((PHASES, layout.activations), 0.1)}
    cost, hessian, slope = program.system(guess, params)
    value, gradient = program.gradient(guess, params)
    assert float(cost) == pytest.approx(float(value), rel=1e-12)
    knot, width = layout.knot, layout.width
    dense, side = np.zeros((PHASES * width,) * 2), np.zeros(PHASES * width)
    for k in range(PHASES):
        columns = (k - 1) * width + np.concatenate([np.arange(knot), np.arange(width, 2 * width)])
        used = columns >= 0
        dense[np.ix_(columns[used], columns[used])] += np.asarray(hessian[k])[np.ix_(used, used)]
        side[columns[used]] += np.asarray(slope[k])[used]
    np.testing.assert_allclose(side, np.asarray(gradient).ravel(), atol=1e-9 * np.abs(side).max())
    damping = 10.0
    step, _ = program.solve((cost, hessian, slope), damping, guess, False)
    damped = dense + np.diag(damping * (np.diag(dense) + 1e-3))
    inside = np.abs(np.linalg.solve(damped, -side)).reshape(PHASES, width)[:, layout.parts["c"]].max() < 0.3
    assert inside  # else bounds of activations would act, which the dense solution does not know
    np.testing.assert_allclose(np.asarray(step).ravel(), np.linalg.solve(damped, -side), atol=1e-8)


def test_gliding_feet_cost_their_speed(problem: Problem) -> None:
    """The literal slip term of the source would be zero here (erratum E2)."""
    z = problem.guess(1.0)
    z[:, 3:6] = 0.0
    speed = 0.2
    for k in range(PHASES):
        z[k, :problem.layout.features].reshape(-1, 3)[:, 0] += speed * spline.PHASE * (k + 1)
    z[:, problem.layout.features:problem.layout.knot].reshape(PHASES, -1, 3)[:, [2, 4], 0] = speed
    start_at_rest = problem.table(z, problem.params(slip=1.0))["slip"]
    one_foot = 0.5 * speed**2 * len(spline.SAMPLES) * (PHASES - 1)
    assert start_at_rest > 2 * one_foot * 0.99


def test_costs_have_a_name_a_unit_and_a_meaning(problem: Problem, guess: np.ndarray) -> None:
    params = params_of(problem)
    table = problem.table(guess, params)
    assert set(table) == set(terms.TERMS)
    assert sum(table.values()) == pytest.approx(float(problem.program.cost(guess, params)))
    assert all(unit and meaning for unit, meaning in terms.TERMS.values())


# -- bodies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["human", "child", "quadruped", "ostrich", "dinosaur"])
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


@pytest.mark.parametrize(("name", "pose"), [("human", "supine"), ("human", "prone"), ("quadruped", "prone")])
def test_lying_starts_are_above_the_ground_and_within_reach(name: str, pose: str) -> None:
    scene = Scene([Performer(name, pose=pose)], [Stand()], [Obstacle(x=0.6, z=-2.0)], phases=PHASES)
    problem = scene.problem()
    found = {m.name: m.value for m in measure(problem, problem.guess())}
    assert found["through"] < 0.01 and found["stretch"] < 0.01


def limits_of(figure: Puppet, limb: Limb, root: tuple[np.ndarray, np.ndarray], end: tuple[np.ndarray, np.ndarray]
              ) -> tuple[np.ndarray, np.ndarray]:
    """How much of each of a limb's ranges is broken, and where its middle joint is."""
    constants = {key: jax.numpy.asarray(value, dtype=float) for key, value in limb_constants(figure, limb).items()}
    weights = {key: jax.numpy.asarray(1.0) for key in WEIGHTS}
    rows = terms.limb(terms.Pose(*root), terms.Pose(*end), constants, weights, NOWHERE)
    middle = terms.two_links(terms.Pose(*root), terms.Pose(*end), constants)[1]
    return np.asarray(rows["limits"]), np.asarray(middle)


@pytest.mark.parametrize("name", ["human", "quadruped", "dinosaur"])
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


@pytest.mark.parametrize("name", ["human", "child", "quadruped", "ostrich", "dinosaur"])
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


def test_a_crouching_dog_lies_on_its_belly_and_breaks_no_limit() -> None:
    character = make_character("quadruped")
    figure = puppet(character)
    (root, axes), *ends = poses.prone(figure, character)
    np.testing.assert_allclose((root + figure.points @ axes.T)[:, 2], 0.005, atol=1e-9)
    for limb, end in zip(figure.limbs, ends, strict=True):
        assert max(limits_of(figure, limb, (root, axes), end)[0]) < 0.03


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


def test_a_sole_that_cuts_an_edge_in_a_hurry_is_seen(problem: Problem) -> None:
    between = np.diff(spline.GRIDS["most"]).max() * spline.PHASE
    deep = 0.015  # straight through an edge of 90 degrees, no deeper than this
    assert terms.FAST * between < 2 * deep
    assert {group.grid for group in problem.program.groups if group.name == "solid"} == {"most"}


@pytest.mark.parametrize("away", [0.0, 1e-7, 1e-4])
def test_a_thigh_along_its_hinge_has_angles_with_slopes(away: float) -> None:
    thigh, hinge = jax.numpy.array([away, 1.0, 0.0]), jax.numpy.array([0.0, 1.0, 0.0])
    for slope in (jax.grad(swing)(thigh, np.array([0.0, 0.0, -1.0]), jax.numpy),
                  jax.grad(twist)(thigh, hinge, np.array([0.0, 1.0, 0.0]), jax.numpy)):
        assert np.abs(slope).max() < 2e3


def test_angles_of_a_leg_are_about_y_and_about_its_thigh() -> None:
    below, ahead = np.array([0.0, 0.0, -1.0]), np.array([np.sin(0.3), 0.0, -np.cos(0.3)])
    assert swing(ahead, below) == pytest.approx(0.3) and swing(below, below) == 0.0
    turned = np.array([np.sin(0.2), np.cos(0.2), 0.0])
    assert abs(twist(below, turned, np.array([0.0, 1.0, 0.0]))) == pytest.approx(0.2)
    assert swing(0.1 * ahead, below) == pytest.approx(0.3)


def test_groups_at_many_samples_know_poses_alone() -> None:
    with pytest.raises(ValueError, match="only poses"):
        Group("fast", terms.hurry, (Slot("state", np.zeros(1, dtype=int)),), grid="many")


def test_at_the_rim_of_a_box_one_is_pushed_aside_as_well_as_up() -> None:
    boxes = {"center": np.array([[0.0, 0.0, 0.5]]), "turn": np.eye(3)[None], "half": np.array([[0.5, 2.0, 0.5]])}
    point, step = np.array([-0.51, 0.3, 0.6]), 1e-6
    height = lambda at: float(surfaces.upward(jax.numpy.asarray(at), 0.02, 0.0, boxes)[0])  # noqa: E731
    slope = jax.grad(lambda at: surfaces.upward(at, 0.02, 0.0, boxes)[0])(jax.numpy.asarray(point))
    differences = [(height(point + d) - height(point - d)) / (2 * step) for d in step * np.eye(3)]
    np.testing.assert_allclose(slope, differences, rtol=1e-4, atol=1e-6)
    assert slope[0] > 1.0 and slope[2] < -0.1


def test_soles_may_touch_a_partner_and_shins_may_not() -> None:
    problem = find_scene("shoulders").problem()
    constants = {key: jax.numpy.asarray(value[0]) for key, value in problem.constants()["between"].items()}
    weights = {"through": 1.0, "solid": 1.0}
    pose = lambda *place: terms.Pose(jax.numpy.array(place), jax.numpy.eye(3))  # noqa: E731
    partner, top = pose(0.0, 0.0, 1.0), 1.0 + float(constants["center"][2] + constants["half"][2])
    through = [terms.between(pose(0.0, 0.0, top + 1.0 - low), pose(0.0, 0.0, top - low), partner, constants, weights)
               ["through"] for low in (0.0, 0.1)]
    assert float(through[0][-1]) < 2e-3 and float(through[1][-1]) > 0.05
    assert constants["foot"] == 1.0


def test_climbs_take_turns(monkeypatch: pytest.MonkeyPatch, problem: Problem) -> None:
    """The usual ladder, then one with free sides, then on from where that ended, and so on."""
    seen = []

    def climbed(problem: Problem, seed: int, solver: str, ladder: tuple, *, warm: np.ndarray | None, attempt: int,
                **rest: object) -> Solution:
        seen.append((ladder, None if warm is None else warm[0, 0]))
        return Solution(problem, np.full((1, 1), attempt), [], seed, 0, 0.0)

    def finished(scene: Scene, solution: Solution, *rest: object) -> Result:
        return Result(scene, solution, None, [Measure("force", 0.04, 0.03, "weights")], 0.0)  # type: ignore[arg-type]

    monkeypatch.setattr("gambol.synthesis.synthesize.climb", climbed)
    monkeypatch.setattr("gambol.synthesis.synthesize.finish", finished)
    synthesize(Scene([Performer()], [Stand()], phases=1))
    assert seen == [(LADDER, None), (CLIMBING, None), (CLIMBING, 1), (CLIMBING, 2), (PATIENT, None), (PATIENT, 4),
                    (CLIMBING, None), (CLIMBING, 6)]


def test_a_sole_at_the_rim_of_a_top_is_for_the_top() -> None:
    """Else it turns to the side that its middle hangs over, though its heel stands on the top."""
    box = {"center": np.array([[1.0, 0.0, 0.1]]), "turn": np.eye(3)[None], "half": np.array([[0.2, 1.0, 0.1]])}
    heel, middles = jax.numpy.array([1.15, 0.0, 0.2]), [jax.numpy.array([x, 0.0, 0.2]) for x in (1.23, 1.3)]
    near, far = (np.asarray(surfaces.off_faces(heel, middle, box))[1] for middle in middles)
    np.testing.assert_allclose(near, 0.0, atol=1e-9)
    np.testing.assert_allclose(far, [-0.05, 0.0, 0.0], atol=1e-9)


def test_a_handstand_asks_for_both_palms() -> None:
    problem = Scene([Performer()], [Handstand()], phases=3).problem()
    layout, z = problem.layout, problem.guess(1.0)
    palms = [row[3] for row in layout.contacts if row[1] >= 2]
    params = problem.params(LADDER[1])
    task = lambda: problem.table(z, params)["task"]  # noqa: E731
    before = task()
    for phase, palm, dear in ((-1, palms[0], True), (-2, palms[1], True), (0, palms[0], False), (-1, 0, False)):
        z[phase, layout.parts["c"].start + palm] = 0.5
        assert (task() - before > 1.0) is dear
        z[phase, layout.parts["c"].start + palm] = 1.0


def test_mending_raises_what_is_off_alone() -> None:
    last = LADDER[-1]
    off = Measure("stretch", 0.02, 0.01, "m")
    assert to_mend([off, Measure("gap", 0.0, 0.01, "m")]) == ("stretch",)
    assert to_mend([replace(off, value=0.005)]) == () and to_mend([replace(off, value=0.2)]) == ()
    once, twice = mend(last, ("stretch",)).full(), mend(last, ("stretch", "position", "stretch")).full()
    changed = {name: twice[name] / last.full()[name] for name in twice if twice[name] != last.full()[name]}
    assert changed == pytest.approx({"stretch": MORE**2, "task": MORE})
    palms = Measure("palms", 0.05, 0.1, "weights", least=True)
    assert to_mend([off, palms]) == ()  # contacts stay as they were decided
    assert once["stretch"] == MORE * last.full()["stretch"] and mend(last, ("stretch",)).commit


def test_forces_outside_of_cones_add_up(problem: Problem) -> None:
    """Else who has no friction walks all the same: on many points, a little on each."""
    layout, z = problem.layout, problem.guess(0.6)
    friction = lambda: next(m.value for m in measure(problem, z) if m.name == "friction")  # noqa: E731
    assert friction() == 0.0
    forces = z[:, layout.parts["f"]].reshape(PHASES, spline.NODES, -1, 3)
    forces[:, :, layout.fixed[:3], 1] = 0.02 * 9.81
    assert friction() == pytest.approx(0.06)


def test_a_handstand_is_on_both_hands() -> None:
    problem = Scene([Performer()], [Handstand()], phases=2).problem()
    layout, z = problem.layout, problem.guess(0.6)
    hands = [i for i, row in enumerate(layout.contacts) if row[1] >= 2]
    assert len(hands) == 2
    forces = z[:, layout.parts["f"]].reshape(2, spline.NODES, -1, 3)
    for pushing, good in ((hands[:1], False), (hands, True)):
        forces[-1, :, pushing, 2] = 0.5 * 9.81
        assert next(m for m in measure(problem, z) if m.name == "palms").good is good


def test_who_is_nearly_there_is_tried_more_often() -> None:
    force, clearance = Measure("force", 0.1, 0.03, "weights"), Measure("clearance", 0.0, 0.02, "m", least=True)
    assert near([force, clearance]) and not near([replace(force, value=0.2)])


def test_one_stands_on_a_partner_and_holds_it_anywhere() -> None:
    problem = find_scene("shoulders").problem()
    partner = problem.actors[1]
    assert ((problem.layout.contacts[:, 0] == 0) & (problem.layout.contacts[:, 4] == 1)).sum() == 4
    for row in problem.layout.contacts[(problem.layout.contacts[:, 0] == 0) & (problem.layout.contacts[:, 4] == 1)]:
        found, foot = problem._contact(row), problem.actors[0].puppet.limbs[row[1]].is_foot
        top = found["center"][2] + found["half"][2]
        assert top == pytest.approx(partner.center[2] + partner.half[2])
        assert bool(found["half"][2] == 0.0) is foot


def test_climbing_frees_the_sides_of_boxes_alone() -> None:
    for stage, free in zip(LADDER, CLIMBING, strict=True):
        assert free.full() == {**stage.full(), "sides": free.full()["sides"]}
        assert free.full()["sides"] < stage.full()["sides"]


def test_limbs_hurry_above_a_speed_alone() -> None:
    weights = {"hurry": jax.numpy.asarray(2.0)}
    slow, quick, turned = (terms.hurry(jax.numpy.array([0.0, 0.0, speed]), {"lever": lever}, weights)["hurry"]
                           for speed, lever in ((terms.FAST - 0.5, 1.0), (terms.FAST + 0.5, 1.0),
                                                ((terms.FAST + 0.5) / terms.TURN_LEVER, terms.TURN_LEVER)))
    np.testing.assert_allclose([slow[0], quick[0], turned[0]], [0.0, 1.0, 1.0], atol=1e-6)


def test_contacts_are_decided_so_that_nobody_is_left_without_support(problem: Problem) -> None:
    layout, z = problem.layout, problem.guess(0.6)
    feet = np.isin(layout.contacts[:, 1], [0, 1])
    z[:, layout.parts["f"]].reshape(PHASES, spline.NODES, -1, 3)[:, :, feet, 2] = 9.81 / 8
    z[:, 2] += 0.5
    for foot in layout.limbs[0][:2]:
        z[:, layout.frames[foot][2]] += 0.2 * (foot == layout.limbs[0][0]) + 0.2
    on = decided(problem, z)
    assert (on[1:].sum(axis=1) >= 1).all()  # both are off the ground, but who would hold it?
    for foot in layout.limbs[0][:2]:
        z[:, layout.frames[foot][2]] = problem.start[layout.frames[foot][2]] + 0.2 * (foot == layout.limbs[0][0])
    assert (decided(problem, z)[1:].sum(axis=1) == 1).all()  # one stands: the other is let go


def test_knees_and_elbows_are_where_the_residuals_have_them(problem: Problem, guess: np.ndarray) -> None:
    path, params = Trajectory(problem, guess), problem.params()
    for b in range(len(problem.actors[0].puppet.limbs)):
        base, middle, _ = path.joints(0, b)
        root, end = (terms.Pose(path.place[40, f], path.turn[40, f]) for f in (0, problem.layout.limbs[0][b]))
        found = terms.two_links(root, end, {key: value[b] for key, value in params["limb"].items()})
        np.testing.assert_allclose(found[0], base[40], atol=1e-9)
        np.testing.assert_allclose(found[1], middle[40], atol=4e-3)  # softened where a limb is straight


def test_a_prop_that_is_wished_to_move_is_taken_off_the_ground() -> None:
    crate = PropBox(name="crate", x=1.0)
    problem = Scene([Performer()], [Place(prop="crate", x=2.0)], props=[crate], phases=3).problem()
    layout, z = problem.layout, problem.guess(0.5)
    z[1:, layout.frames[layout.roots[1]][0]] += [0.4, 0.4]  # it stays, moves, and stays
    underside = layout.contacts[layout.contacts[:, 0] == 1, 3][0]
    on = unstuck(layout, problem.start, z)
    np.testing.assert_allclose(on[:, underside], [0.5, 0.0, 0.5])
    np.testing.assert_allclose(np.delete(on, underside, axis=1), 0.5)


def test_a_prop_stands_on_one_contact_and_forces_on_it_count_by_its_own_weight() -> None:
    prop = PropBox(name="crate", x=1.0, mass=3.0)
    problem = Scene([Performer()], [Place(prop="crate", x=2.0)], props=[prop], phases=2).problem()
    layout = problem.layout
    underside = layout.contacts[(layout.contacts[:, 0] == 1) & (layout.contacts[:, 1] < 0)]
    assert len(underside) == 4 and len(set(underside[:, 3])) == 1
    z = problem.guess()
    forces = z[:, layout.parts["f"]].reshape(2, spline.NODES, -1, 3)
    forces[:, :, np.flatnonzero(layout.contacts[:, 3] == underside[0, 3]), 2] = 9.81 * 3.0 / 81.82 / 4
    np.testing.assert_allclose(Trajectory(problem, z).load()[:, underside[0, 3]], 1.0, rtol=1e-3)


# -- scenes ------------------------------------------------------------------------------------------------------------


def test_all_shipped_scenes_read() -> None:
    assert len(SCENES) >= 12
    for name in SCENES:
        scene = find_scene(name)
        assert scene.problem().layout.phases == scene.phases


@pytest.mark.parametrize(("text", "message"), [
    ("", "empty"),
    ("tasks: [stnad]", "scene:1: unknown task 'stnad' (did you mean 'stand'?)"),
    ("tasks: [stand]\nphasses: 3", "scene:2: unknown key of a scene 'phasses' (did you mean 'phases'?)"),
    ("tasks:\n  - position: {x: far}", "scene:2: x of position should be a number, not 'far'"),
    ("tasks: [stand]\nstart: {pose: flying}", "unknown pose 'flying'"),
    ("tasks: [stand]\ncharacter: humn", "unknown character 'humn' (did you mean 'human'?)"),
    ("tasks: [stand]\nobstacles: [{height: 1}]", "scene:2: an obstacle needs x"),
    ("tasks: [stand]\nphases: 0", "phases=0 is out of range"),
    ("tasks:\n  - strike: {point: [1, 2]}", "scene:2: point of strike takes 3 numbers, not 2"),
    ("phases: 3", "a scene needs `tasks`"),
    ("tasks: [stand]\nfriction: -1", "friction=-1 is out of range"),
    ("tasks: [stand]\ncharacters: [{burden: -2}]", "burden=-2 is out of range"),
    ("tasks: [stand]\ncharacters: [{burden: much}]", "burden of a character should be a number"),
    ("tasks: [stand]\ncharacters: [{effort: 2}]", "unknown key of a character 'effort'"),
    ("tasks: {a: [", "not YAML"),
    ("tasks: [place: {prop: crate}]", "unknown prop 'crate'"),
    ("tasks: [!!python/object/apply:os.system [ls]]", "a task is a name"),
])
def test_bad_scenes_are_refused_with_line_and_fix(text: str, message: str) -> None:
    with pytest.raises(BadInput) as complaint:
        parse_scene(text).problem()
    assert message in str(complaint.value)


def test_python_and_yaml_say_the_same() -> None:
    text = ("props: [{name: crate, x: 1.0, mass: 3.0}]\nphases: 4\n"
            "tasks: [strike: {limb: left_foot, at: 1.0}, place: {prop: crate, x: 2.0}]")
    there = Scene([Performer()], [Strike(limb="left_foot", at=1.0), Place(prop="crate", x=2.0)],
                  props=[PropBox(name="crate", x=1.0, mass=3.0)], phases=4)
    assert parse_scene(text) == there
    asked = there.problem().asked
    assert asked["hit_weight"][1].any() and asked["place_weight"][3, 1].all()


# -- end to end --------------------------------------------------------------------------------------------------------


def test_standing_is_solved_and_plays(tmp_path, problem: Problem) -> None:
    scene = Scene([Performer()], [Stand()], [Obstacle(x=0.6)], phases=PHASES)
    result = synthesize(scene)
    assert result.solved, result.sentence()
    again = synthesize(scene)
    np.testing.assert_array_equal(result.solution.z, again.solution.z)
    motion = Motion.load(result.motion.save(tmp_path / "stand.npz"))
    assert not motion.simulated and motion.model.nv == 35
    assert motion.extra["contact_force"].shape[0] == len(motion.time)
    weight = motion.model.body_subtreemass[0] * 9.81
    assert motion.extra["contact_force"][:, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.01)
    assert motion.meta["residuals"]["force"] < 0.03
    path = Trajectory(result.solution.problem, result.solution.z)
    assert np.abs(path.place[:, 0, :2]).max() < 0.1
    parts, z = path.problem.layout.parts, result.solution.z
    on = z[:, parts["c"]]
    assert np.abs(on - on.round()).max() < 1e-9
    off = on[:, path.problem.layout.force_owner] < 0.5
    assert off.any() and np.abs(z[:, parts["f"]][off]).max() < 1e-6  # what does not touch does not push


def test_a_goal_out_of_reach_is_said_to_be(problem: Problem) -> None:
    """6 m in 1.5 s from rest to rest: some residual has to give, however often it is tried."""
    attempts = set()
    result = synthesize(Scene([Performer(friction=0.05)], [Stand(), Position(x=6.0)], [Obstacle(x=9.0)], phases=PHASES),
                        tell=lambda news: bool(attempts.add(news.attempt)))
    assert not result.solved and not passed(result.measures)
    assert attempts == set(range(FEW))  # it is not even near
    assert "what stayed off" in result.sentence()


def test_the_command_writes_a_motion_and_json(tmp_path) -> None:
    scene = tmp_path / "still.yaml"
    scene.write_text("tasks: [stand]\nphases: 3\nobstacles: [{x: 0.6}]\n")
    run = subprocess.run([*GAMBOL, "synthesize", str(scene), "-o", str(tmp_path / "a.npz"), "--json"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["solved"] and found["seed"] == 0 and found["motion"].endswith("a.npz")
    assert set(found) >= {"solved", "seconds", "iterations", "residuals", "seed", "motion"}


def test_without_jax_one_line_says_how_to_install_it(tmp_path) -> None:
    (tmp_path / "jax.py").write_text("raise ImportError('not here')\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    run = subprocess.run([*GAMBOL, "synthesize", "walk"], capture_output=True, text=True,
                         check=False, env=env)
    assert run.returncode == 2
    assert "pip install 'gambol[synthesis]'" in run.stderr and run.stderr.count("\n") <= 2
    listed = subprocess.run([*GAMBOL, "list"], capture_output=True, text=True, check=False,
                            env=env)
    assert listed.returncode == 0 and "step_over" in listed.stdout


def test_the_rest_of_gambol_does_not_import_jax() -> None:
    code = ("import sys, gambol, gambol.cli, gambol.experiments, gambol.studio, gambol.synthesis.shipped; "
            "sys.exit('jax' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
