"""The whole-body problem and its solvers: exact dynamics, honoured bounds, strict priorities, no crash on bad ticks."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.optimize import lsq_linear

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.control.contact.cones import FORCE_UNIT, friction_rays
from gambol.control.contact.objectives import hold_contacts
from gambol.control.contact.patches import patch_states, planted
from gambol.control.contact.support import SupportPoints, support_points
from gambol.control.objectives import Objective, minimum_torque, setpoint, target_acceleration
from gambol.control.problem import WholeBodyProblem
from gambol.control.qp.priorities import null_space
from gambol.control.solvers import LexicographicSolver, PrioritizedSolver, Solver, WeightedSolver
from gambol.features import CenterOfMass, Kinematics, Pose
from gambol.world.world import World


def standing() -> tuple[World, Kinematics]:
    """A human that has settled on its feet."""
    world = World(make_character("human"), seed=2)
    behavior = make_behavior("balance", world)
    for _ in range(60):
        world.step(behavior.act())
    return world, Kinematics(world.figure)


def standing_support(world: World, kinematics: Kinematics) -> SupportPoints:
    soles = patch_states(kinematics, world.surfaces)
    return support_points(soles, planted(soles))


def problem_of(world: World, kinematics: Kinematics, *extra: Objective) -> WholeBodyProblem:
    support = standing_support(world, kinematics)
    com, pose = CenterOfMass(), Pose(world.figure)
    objectives = [hold_contacts(support),
                  setpoint(com, com.at(kinematics), world.figure.com + [0.003, 0, -0.02], 2, kp=200.0),
                  setpoint(pose, pose.at(kinematics), world.figure.rest, 3, kp=500.0), *extra]
    return WholeBodyProblem(kinematics, support, objectives)


@pytest.mark.parametrize("solver", [PrioritizedSolver(), WeightedSolver(), LexicographicSolver()])
def test_solution_obeys_the_equations_of_motion_and_every_bound(solver: Solver) -> None:
    world, kinematics = standing()
    problem = problem_of(world, kinematics)
    x = solver.solve(problem)
    assert x is not None
    force, acceleration, torques = x[:problem.n_force], problem.accelerations(x), problem.torques(x)
    support = standing_support(world, kinematics)
    applied = np.zeros(world.figure.nv)
    applied[6:] = torques
    gap = (kinematics.mass_matrix @ acceleration + kinematics.bias_force
           - support.ray_jacobian().T @ force - applied)
    np.testing.assert_allclose(gap, 0.0, atol=1e-6)
    assert force.min() >= -1e-5
    assert (np.abs(torques) <= world.figure.torque_limit).all()


def test_predicted_accelerations_are_those_of_the_simulator() -> None:
    world, _ = standing()
    behavior = make_behavior("balance", world)
    for _ in range(250):
        world.step(behavior.act())
    torques = behavior.act()
    before = world.data.qvel.copy()
    world.step(torques)
    simulated = (world.data.qvel - before) / world.tick_length
    predicted = behavior.problem.accelerations(behavior.problem.solution)
    np.testing.assert_allclose(predicted, simulated, atol=0.5)


def test_priorities_are_strict() -> None:
    """A conflicting lower objective does not change what the higher levels reach."""
    world, kinematics = standing()
    nv = world.figure.nv
    pull = Objective("pull", 3, np.eye(nv)[6:9] * 30.0, np.full(3, 3000.0), 10.0)
    residuals = []
    for extra in ((), (pull,)):
        problem = problem_of(world, kinematics, *extra)
        assert PrioritizedSolver().torques(problem) is not None
        residuals.append({name: residual for name, _, _, residual in problem.residuals()})
    for name in ("contact", "com"):
        assert residuals[1][name] == pytest.approx(residuals[0][name], abs=1e-3)
    assert residuals[1]["pose"] > residuals[0]["pose"] + 1.0


def test_weighted_approaches_prioritized_as_weights_move_apart() -> None:
    world, kinematics = standing()
    left = []
    for solver in (WeightedSolver(100.0), WeightedSolver(1e3), WeightedSolver(1e4), PrioritizedSolver()):
        problem = problem_of(world, kinematics)
        solver.torques(problem)
        left.append({name: residual for name, _, _, residual in problem.residuals()}["com"])
    assert left[0] > 1.2 * left[1] > 2.4 * left[2] > 2.4 * left[3]
    assert left[3] < 1e-6  # strict priorities meet it exactly here


def test_level_solution_is_the_bounded_least_squares_solution() -> None:
    """One level alone against SciPy's slow, obvious solver, where it wants to fall faster than gravity."""
    world, kinematics = standing()
    com = CenterOfMass()
    state = com.at(kinematics)
    falls = Objective("com", 2, state.jacobian, np.array([0.0, 0.0, -30.0]) - state.bias)
    figure = world.figure
    figure.limit_keys = np.full(figure.nu, 1e9).tobytes(), figure.limit_keys[1]  # as strong as need be
    problem = WholeBodyProblem(kinematics, standing_support(world, kinematics), [falls])
    A, b = problem.rows[0].A, problem.rows[0].b
    x = PrioritizedSolver().solve(problem)
    joint = np.arange(problem.n) >= problem.n_force  # for SciPy: forces only, no joint acceleration
    problem_free = lsq_linear(A, b, bounds=(np.where(joint, -1e3, 0.0), np.where(joint, 1e3, np.inf)))
    assert np.linalg.norm(A @ x - b) == pytest.approx(np.linalg.norm(A @ problem_free.x - b), rel=1e-3, abs=1e-2)


def test_null_space_against_the_singular_value_decomposition() -> None:
    rng = np.random.default_rng(0)
    for rows, columns, rank in ((24, 61, 12), (3, 40, 3), (5, 5, 5), (6, 4, 4), (4, 9, 0)):
        A = rng.standard_normal((rows, rank)) @ rng.standard_normal((rank, columns))
        basis = null_space(A)
        assert basis.shape == (columns, columns - min(rank, columns))
        np.testing.assert_allclose(A @ basis, 0.0, atol=1e-9)
        np.testing.assert_allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-12)


def test_friction_rays_lie_on_the_cone_around_any_normal() -> None:
    normals = np.array([[0, 0, 1.0], [0.6, 0, 0.8], [0, -0.8, 0.6], [0.96, 0.28, 0.0]])
    rays = friction_rays(normals, 0.7) / FORCE_UNIT
    along = np.einsum("kri,ki->kr", rays, normals)
    across = np.linalg.norm(rays - along[..., None] * normals[:, None], axis=2)
    np.testing.assert_allclose(across / along, 0.7, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(rays, axis=2), 1.0, atol=1e-12)


@pytest.mark.parametrize("name", ["human", "ostrich", "quadruped"])
def test_rows_of_rigid_feet_taken_together_say_all_that_the_single_rows_say(name: str) -> None:
    """With orthonormal T and `T'T J = J`, `||J y - b||` and `||T J y - T b||` differ by a constant."""
    world, rng = World(make_character(name)), np.random.default_rng(3)
    mujoco.mj_integratePos(world.model, world.data.qpos, rng.uniform(-0.3, 0.3, world.model.nv), 1.0)
    mujoco.mj_forward(world.model, world.data)
    soles = patch_states(Kinematics(world.figure), world.surfaces)
    for _ in range(30):
        held = [rng.random(len(sole.height)) < 0.6 for sole in soles]
        support = support_points(soles, held)
        rows, together = support.jacobian.reshape(3 * support.count, -1), support.together()
        assert len(together) == sum({0: 0, 1: 3, 2: 5}.get(int(mask.sum()), 6) for mask in held)
        np.testing.assert_allclose(together @ together.T, np.eye(len(together)), atol=1e-12)
        np.testing.assert_allclose(together.T @ (together @ rows), rows, atol=1e-12)


@pytest.mark.parametrize("solver", [PrioritizedSolver(), WeightedSolver()])
def test_contacts_held_together_give_the_torques_of_contacts_held_point_by_point(solver: Solver) -> None:
    world, kinematics = standing()
    support, held = standing_support(world, kinematics), hold_contacts(standing_support(world, kinematics))
    desired = -400.0 * support.height[:, None] * support.normal - 40.0 * support.velocity - support.bias
    single = Objective("contact", 1, support.jacobian.reshape(-1, world.figure.nv), desired.ravel())
    com, pose = CenterOfMass(), Pose(world.figure)
    others = [setpoint(com, com.at(kinematics), world.figure.com + [0.003, 0, -0.02], 2, kp=200.0),
              setpoint(pose, pose.at(kinematics), world.figure.rest, 3, kp=500.0)]
    plain = WholeBodyProblem(kinematics, support, [single, *others])
    together = WholeBodyProblem(kinematics, support, [held, *others])
    assert (len(single.target), len(held.target)) == (24, 12)
    np.testing.assert_allclose(solver.torques(plain), solver.torques(together), atol=1e-6)


def test_minimum_torque_spares_the_joints_it_names() -> None:
    world, kinematics = standing()
    arms = world.figure.joint_index(world.figure.anatomy.arm_joints)
    plain = PrioritizedSolver().torques(problem_of(world, kinematics))
    spared = PrioritizedSolver().torques(problem_of(
        world, kinematics, minimum_torque(arms, world.figure.nu, 3, weight=1e4)))
    assert np.abs(spared[arms]).max() < 0.1 * np.abs(plain[arms]).max()


@pytest.mark.parametrize(("left", "expected"), [(0.5, 0.48), (0.2, 3.0), (0.1, 11.9), (0.05, 43.0), (0.02, 54.6),
                                                (0.01, 16.5), (0.004, 2.7)])
def test_target_acceleration_against_the_table_of_the_method_notes(left: float, expected: float) -> None:
    """A 2 cm error at rest; the command fades out when no time is left."""
    got = target_acceleration(np.zeros(1), np.zeros(1), np.full(1, 0.02), np.zeros(1), left)
    assert got[0] == pytest.approx(expected, rel=0.02)


def test_target_reaches_position_and_velocity_in_time() -> None:
    value, velocity, tick = np.array([0.1, 0.0]), np.array([-0.5, 0.2]), 1e-3
    goal, goal_velocity = np.array([0.4, 0.2]), np.array([0.3, 0.0])
    for k in range(400):
        velocity = velocity + tick * target_acceleration(value, velocity, goal, goal_velocity, 0.4 - k * tick)
        value = value + tick * velocity
    np.testing.assert_allclose(value, goal, atol=2e-3)
    np.testing.assert_allclose(velocity, goal_velocity, atol=0.05)


@pytest.mark.parametrize("solver", ["prioritized", "weighted"])
def test_no_tick_throws_or_gives_nan_whatever_the_state(solver: str) -> None:
    """In the air, upside down, straight knees, wild speeds, inside the ground."""
    rng = np.random.default_rng(5)
    world = World(make_character("human"))
    behavior = make_behavior("balance", world, {"solver": solver})
    for case in range(60):
        world.data.qpos[:] = world.model.qpos0
        world.data.qpos[2] += rng.choice([0.0, 2.0, -0.1, -0.5])
        scale = rng.choice([0.0, 0.3, 3.0])
        mujoco.mj_integratePos(world.model, world.data.qpos, rng.standard_normal(world.model.nv) * scale, 1.0)
        world.data.qvel[:] = rng.standard_normal(world.model.nv) * rng.choice([0.0, 1.0, 50.0])
        mujoco.mj_forward(world.model, world.data)
        torques = behavior.act()
        assert np.isfinite(torques).all(), case
        assert (np.abs(torques) <= world.figure.torque_limit).all()


@pytest.mark.parametrize("solver", [PrioritizedSolver(), WeightedSolver()])
@pytest.mark.parametrize("count", [0, 1])
def test_a_pose_alone_or_nothing_at_all_can_be_asked_for(solver: Solver, count: int) -> None:
    """Then there are no rows: every unknown has its own weight and nothing else."""
    world, kinematics = standing()
    pose = Pose(world.figure)
    objectives = [setpoint(pose, pose.at(kinematics), world.figure.rest, 3, kp=500.0, weight=10.0)][:count]
    problem = WholeBodyProblem(kinematics, standing_support(world, kinematics), objectives)
    solver.torques(problem)
    assert problem.solution is not None and not solver.degradations
    wanted = objectives[0].target if count else np.zeros(problem.n_joint)
    np.testing.assert_allclose(problem.solution[problem.n_force:], wanted, atol=1e-4 * (1 + np.abs(wanted).max()))


def test_a_lost_tick_holds_the_last_torques_and_is_counted() -> None:
    world, kinematics = standing()
    solver = PrioritizedSolver()
    first = solver.torques(problem_of(world, kinematics)).copy()
    nothing = Objective("no number", 1, np.full((1, world.figure.nv), np.nan), np.zeros(1))
    broken = problem_of(world, kinematics, nothing)
    np.testing.assert_array_equal(solver.torques(broken), first)
    assert solver.degradations["tick lost"] == 1
