"""The mathematics of synthesis against differences and slow references: splines, rotations, rows, the banded system."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

jax = pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis import rotations, spline, terms  # noqa: E402
from gambol.synthesis.angles import swing, twist  # noqa: E402
from gambol.synthesis.groups import Group, Slot  # noqa: E402
from gambol.synthesis.problem import Problem  # noqa: E402
from gambol.synthesis.stages import LADDER  # noqa: E402
from gambol.synthesis.sums import Sums  # noqa: E402
from short_problem import PHASES  # noqa: E402


def params_of(problem: Problem) -> dict:
    """Everything on but what the first stage alone has; boxes are too far for `rise`: test_synthesis_surfaces.py."""
    return problem.params(LADDER[2], skim=1.0, solid=0.5)


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


def test_samples_of_the_program_are_those_of_the_layout(problem: Problem, guess: np.ndarray) -> None:
    layout = problem.layout
    s = np.array([0.2, 0.7])
    before = np.concatenate([problem.start[None], guess[:-1, :layout.knot]])
    expected = np.einsum("suy,ky->ksu", layout.sample_map(s), np.concatenate([before, guess], axis=1))
    np.testing.assert_allclose(problem.program.sampled(guess, problem.start, s), expected, atol=1e-10)


def test_groups_at_many_samples_know_poses_alone() -> None:
    with pytest.raises(ValueError, match="only poses"):
        Group("fast", terms.hurry, (Slot("state", np.zeros(1, dtype=int)),), grid="many")


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
    system = program.system(guess, params)
    cost, total, slope = system
    hessian = program.sums.part(total, slice(None), slice(None))
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
    step, _ = program.solve(system, damping, guess, False)
    damped = dense + np.diag(damping * (np.diag(dense) + 1e-3))
    inside = np.abs(np.linalg.solve(damped, -side)).reshape(PHASES, width)[:, layout.parts["c"]].max() < 0.3
    assert inside  # else bounds of activations would act, which the dense solution does not know
    np.testing.assert_allclose(np.asarray(step).ravel(), np.linalg.solve(damped, -side), atol=1e-8)


def test_blocks_are_added_up_as_one_by_one() -> None:
    rng, size, phases = np.random.default_rng(0), 9, 3
    columns = [rng.integers(0, size + 2, (5, 4)), rng.integers(0, size, (2, 3))]  # some are not there, some come twice
    blocks = [rng.normal(size=(phases, *kind.shape, kind.shape[1])) for kind in columns]
    blocks = [block + block.transpose(0, 1, 3, 2) for block in blocks]
    expected = np.zeros((phases, size + 2, size + 2))
    for kind, block in zip(columns, blocks, strict=True):
        for i, j, one in np.ndindex(kind.shape[1], kind.shape[1], len(kind)):
            expected[:, kind[one, i], kind[one, j]] += block[:, one, i, j]
    sums = Sums(columns, size)
    found = sums.part(sums.add([jax.numpy.asarray(block) for block in blocks]), slice(1, 7), slice(2, None))
    np.testing.assert_allclose(found, expected[:, 1:7, 2:size], atol=1e-12)


def test_gliding_feet_cost_their_speed(problem: Problem) -> None:
    """Read literally, the slip of [mordatch2015, eq. 3.2] would be 0: it sees only the distance to the ground."""
    z = problem.guess(1.0)
    z[:, 3:6] = 0.0
    speed = 0.2
    for k in range(PHASES):
        z[k, :problem.layout.features].reshape(-1, 3)[:, 0] += speed * spline.PHASE * (k + 1)
    z[:, problem.layout.features:problem.layout.knot].reshape(PHASES, -1, 3)[:, [2, 4], 0] = speed
    start_at_rest = problem.table(z, problem.params(slip=1.0))["slip"]
    one_foot = 0.5 * speed**2 * len(spline.SAMPLES) * (PHASES - 1)
    assert start_at_rest > 2 * one_foot * 0.99


def test_limbs_hurry_above_a_speed_alone() -> None:
    weights = {"hurry": jax.numpy.asarray(2.0)}
    slow, quick, turned = (terms.hurry(jax.numpy.array([0.0, 0.0, speed]), {"lever": lever}, weights)["hurry"]
                           for speed, lever in ((terms.FAST - 0.5, 1.0), (terms.FAST + 0.5, 1.0),
                                                ((terms.FAST + 0.5) / terms.TURN_LEVER, terms.TURN_LEVER)))
    np.testing.assert_allclose([slow[0], quick[0], turned[0]], [0.0, 1.0, 1.0], atol=1e-6)


def test_costs_have_a_name_a_unit_and_a_meaning(problem: Problem, guess: np.ndarray) -> None:
    params = params_of(problem)
    table = problem.table(guess, params)
    assert set(table) == set(terms.TERMS)
    assert sum(table.values()) == pytest.approx(float(problem.program.cost(guess, params)))
    assert all(unit and meaning for unit, meaning in terms.TERMS.values())
