"""Back ends: each turns its wishes into torques by what it says it does; behaviors with one, and without."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import pytest

from gambol.behaviors import BEHAVIORS, Behavior, make_behavior
from gambol.behaviors.whole_body import WholeBodyBehavior
from gambol.bodies import make_character
from gambol.control.backends import (
    ForceProblem,
    ForceQP,
    VirtualForce,
    VirtualForces,
    WholeBodyQP,
    force_problem,
    spring_force,
)
from gambol.control.backends.virtual_forces import generalized_force, part_jacobian, shared
from gambol.control.contact.patches import patch_states, planted
from gambol.control.contact.support import SupportPoints, support_points
from gambol.control.pd import stable_pd
from gambol.control.problem import WholeBodyProblem
from gambol.control.solvers import PrioritizedSolver
from gambol.features import Kinematics
from gambol.motion.verify import verify
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.rollout import simulate
from gambol.units import ADULT_HEIGHT
from gambol.world.world import World

SOFT = 0.05
"""Springs of this share of those of `stand` cannot hold the body."""


def standing(name: str = "human") -> tuple[World, Kinematics, SupportPoints]:
    """A figure that has settled on its feet, knees a little bent."""
    world = World(make_character(name), seed=2)
    behavior = make_behavior("balance", world, {"height": 0.95})
    for _ in range(150):
        world.step(behavior.act())
    kinematics = Kinematics(world.figure)
    soles = patch_states(kinematics, world.surfaces)
    return world, kinematics, support_points(soles, planted(soles))


def springs(world: World, share: float) -> VirtualForces:
    figure, inertia = world.figure, np.zeros((world.model.nv, world.model.nv))
    mujoco.mj_fullM(world.model, world.data, inertia)
    stiffness = share * 5.0 * figure.torque_limit
    return VirtualForces(figure, stiffness, 2.0 * np.sqrt(stiffness * np.diag(inertia)[figure.joint_dofs]),
                         world.tick_length)


# -- the whole-body QP -------------------------------------------------------------------------------------------------

def test_the_whole_body_qp_is_the_problem_and_its_solver() -> None:
    world = World(make_character("human"), seed=2)
    behavior = make_behavior("balance", world)
    torques = behavior.act()
    kinematics = Kinematics(world.figure)
    soles = patch_states(kinematics, world.surfaces)
    support = support_points(soles, planted(soles))
    objectives = behavior.objectives(kinematics, support)  # type: ignore[attr-defined]
    back_end = WholeBodyQP(behavior.params)
    again = back_end.torques(kinematics, support, objectives)
    by_hand = PrioritizedSolver().torques(WholeBodyProblem(kinematics, support, objectives))
    np.testing.assert_array_equal(again, by_hand)
    assert np.abs(again - torques).max() < 5.0  # its reference has moved on by a tick
    assert [row[0] for row in back_end.report()] == [row[0] for row in behavior.report()]


# -- virtual forces ----------------------------------------------------------------------------------------------------

def test_a_force_against_a_part_does_the_work_that_its_potential_loses() -> None:
    """Finite differences of `-F (p - q)`, p a point of the hand and q one of the trunk that is at the same place."""
    world, kinematics, support = standing()
    figure, model = world.figure, world.model
    hand, trunk = figure.body_id("left_hand"), figure.body_id("trunk")
    force, place = np.array([30.0, -20.0, 50.0]), figure.data.xpos[hand] + [0.01, 0.02, -0.05]
    pull = VirtualForce("pull", place, force, hand, trunk)
    generalized = generalized_force(kinematics, support, [pull])
    data = mujoco.MjData(model)

    def potential(q: np.ndarray) -> float:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        apart = np.zeros(3)
        for body, sign in ((hand, 1.0), (trunk, -1.0)):
            local = figure.data.xmat[body].reshape(3, 3).T @ (place - figure.data.xpos[body])
            apart += sign * (data.xpos[body] + data.xmat[body].reshape(3, 3) @ local)
        return -float(force @ apart)

    for dof in range(model.nv):
        ends = []
        for sign in (1.0, -1.0):
            q, unit = figure.data.qpos.copy(), np.zeros(model.nv)
            unit[dof] = sign
            mujoco.mj_integratePos(model, q, unit, 1e-6)
            ends.append(potential(q))
        assert generalized[dof] == pytest.approx(-(ends[0] - ends[1]) / 2e-6, abs=1e-3)
    assert np.abs(generalized[figure.undriven]).max() < 1e-9 < np.abs(generalized[figure.driven]).max()


@pytest.mark.parametrize("name", ["human", "quadruped"])
def test_weight_leaves_the_root_in_balance_and_is_lifted_by_the_work_of_the_joints(name: str) -> None:
    """For any motion that leaves the carrying points where they are, finite differences of the potential energy."""
    world, kinematics, support = standing(name)
    figure, model = world.figure, world.model
    lift = np.array([0.0, 0.0, 9.81 * figure.mass])
    generalized = generalized_force(kinematics, support, [VirtualForce("weight", kinematics.com, lift)])
    assert np.abs(generalized[figure.undriven]).max() < 1e-6 * lift[2]
    held = support.touching(support.jacobian).reshape(-1, figure.nv)
    _, size, V = np.linalg.svd(held)
    free = V[int((size > 1e-9 * size[0]).sum()):]
    assert len(free) > 3
    data = mujoco.MjData(model)
    for way in free:
        heights = []
        for sign in (1.0, -1.0):
            q = figure.data.qpos.copy()
            mujoco.mj_integratePos(model, q, sign * way, 1e-6)
            data.qpos[:] = q
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            heights.append(float(data.subtree_com[figure.top, 2]))
        rise = lift[2] * (heights[0] - heights[1]) / 2e-6
        assert generalized[figure.driven] @ way[figure.driven] == pytest.approx(rise, abs=0.01)


def test_points_share_a_force_and_its_moment() -> None:
    arms = np.array([[0.1, 0.1, -1.0], [0.1, -0.1, -1.0], [-0.1, 0.1, -1.0], [-0.1, -0.1, -1.0]])
    forces = shared(arms, np.array([20.0, 0.0, 700.0, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(forces.sum(axis=0), [20.0, 0.0, 700.0], atol=1e-9)
    np.testing.assert_allclose(np.cross(arms, forces).sum(axis=0), 0.0, atol=1e-9)


@pytest.mark.parametrize("name", ["human", "quadruped"])
def test_virtual_forces_hold_a_body_upright_that_its_springs_cannot(name: str) -> None:
    fell = []
    for virtual in (True, False):
        world = World(make_character(name), seed=3)
        figure, kinematics, back_end = world.figure, Kinematics(world.figure), springs(world, SOFT)
        back_end.weight = float(virtual)
        while world.time < 2.0 and world.contacts.fallen(figure) is None:
            kinematics.refresh()
            soles = patch_states(kinematics, world.surfaces)
            support = support_points(soles, planted(soles))
            goal = support.center + [0.0, 0.0, figure.standing_height]
            pull = spring_force("com", kinematics.com, kinematics.com_velocity, goal, 40.0 * figure.mass,
                                12.0 * figure.mass)
            world.step(back_end.torques(kinematics, support, [pull] if virtual and support.touches else []))
        fell.append(world.contacts.fallen(figure) is not None)
        if virtual:
            assert world.contacts.com_height(figure) == pytest.approx(figure.standing_height, rel=0.01)
            assert [row[0] for row in back_end.report()] == ["com", "weight"]
    assert fell == [False, True]


def test_in_the_air_there_are_only_springs_and_forces_against_the_root() -> None:
    world = World(make_character("human"), seed=2)
    world.data.qpos[2] += 1.0
    mujoco.mj_step1(world.model, world.data)
    kinematics, back_end = Kinematics(world.figure), springs(world, 1.0)
    soles = patch_states(kinematics, world.surfaces)
    support = support_points(soles, planted(soles))
    assert not support.touches
    alone = back_end.torques(kinematics, support, [])
    np.testing.assert_allclose(alone, stable_pd(world.figure, back_end.pose, back_end.stiffness, back_end.damping,
                                                world.tick_length), atol=1e-9)
    hand, place = world.figure.body_id("left_hand"), world.figure.data.xpos[world.figure.body_id("left_hand")]
    generalized = generalized_force(kinematics, support, [VirtualForce("up", place, np.array([0.0, 0.0, 10.0]), hand)])
    assert np.abs(generalized[world.figure.undriven]).max() < 1e-9 < np.abs(generalized).max()


def test_a_body_that_is_fixed_to_the_world_carries_its_weight_alone() -> None:
    world = World(make_character("chain"), seed=2)
    world.data.qpos[:] += 0.2
    mujoco.mj_step1(world.model, world.data)
    kinematics = Kinematics(world.figure)
    support = SupportPoints(np.zeros((0, 13)), np.zeros((0, 3, world.figure.nv)), np.zeros(0, dtype=bool), 0.5, [])
    lift = VirtualForce("weight", kinematics.com, np.array([0.0, 0.0, 9.81 * world.figure.mass]))
    np.testing.assert_allclose(generalized_force(kinematics, support, [lift]), world.data.qfrc_bias, atol=1e-6)


@pytest.mark.parametrize("size", [1e9, np.nan, np.inf])
def test_torques_are_finite_and_within_strength_whatever_is_asked(size: float) -> None:
    world, kinematics, support = standing()
    place = kinematics.com
    torques = springs(world, SOFT).torques(kinematics, support, [VirtualForce("odd", place, np.full(3, size))])
    assert (np.abs(torques) <= world.figure.torque_limit).all()


# -- the force QP ------------------------------------------------------------------------------------------------------

class LeastSquares(ForceQP):
    """A double that keeps to the contract: least squares among what the joints can make, shrunk into the bounds."""

    def solve(self, problem: ForceProblem) -> np.ndarray:
        basis, root = problem.basis, np.sqrt(problem.weight)
        f = basis @ np.linalg.lstsq(root[:, None] * problem.A @ basis, root * problem.b, rcond=1e-9)[0]
        over = max((np.abs(problem.torques(f)) / problem.strength).max(), (np.abs(f) / problem.most).max(), 1.0)
        return f / over


def frames(world: World, lift: float, free: float = 0.0) -> list[VirtualForce]:
    """A force on the trunk, at its centre, and none (or some) at the corners of both feet."""
    figure = world.figure
    trunk = figure.body_id("trunk")
    wishes = [VirtualForce("trunk", figure.data.xipos[trunk], np.array([0.0, 0.0, lift]), trunk)]
    for sole in figure.soles:
        turn = figure.data.xmat[sole.body].reshape(3, 3)
        wishes += [VirtualForce(f"{sole.role} {k}", figure.data.xpos[sole.body] + turn @ point,
                                np.array([0.0, 0.0, free]), sole.body) for k, point in enumerate(sole.points)]
    return wishes


def test_pinned_feet_carry_what_the_trunk_wants() -> None:
    world, kinematics, support = standing()
    trunk = world.figure.body_id("trunk")
    back_end = LeastSquares(world.figure, trunk)
    torques = back_end.torques(kinematics, support, frames(world, 400.0))
    problem = back_end.problem
    assert problem is not None and problem.A.shape == (6, 24)
    f = back_end.solve(problem)
    assert problem.allows(f) and problem.error(f) < 1.0
    np.testing.assert_allclose(torques, problem.torques(f))
    np.testing.assert_allclose(-f.reshape(-1, 3).sum(axis=0), [0.0, 0.0, 400.0], atol=1.0)
    assert np.abs(torques[world.figure.joint_index(world.figure.anatomy.joints_of("knee"))]).min() > 1.0


def test_a_body_in_the_air_cannot_lift_itself() -> None:
    """Forces inside the body have no sum: with no foot pinned and none wanted at the feet, much is left undone."""
    world, kinematics, _ = standing()
    nothing = support_points(soles := patch_states(kinematics, world.surfaces),
                             [np.zeros_like(sole.near) for sole in soles])
    trunk = world.figure.body_id("trunk")
    problem = force_problem(kinematics, nothing, frames(world, 400.0), trunk)
    f = LeastSquares(world.figure, trunk).solve(problem)
    assert problem.A.shape == (30, 24) and problem.allows(f) and problem.error(f) > 50.0


def test_pairs_act_between_trunk_and_foot_and_nowhere_else() -> None:
    world, kinematics, support = standing()
    figure, trunk = world.figure, world.figure.body_id("trunk")
    problem = force_problem(kinematics, support, frames(world, 400.0), trunk)
    legs = figure.joint_index(figure.anatomy.joints_of("hip", "knee", "ankle", "spine"))
    others = np.setdiff1d(np.arange(figure.nu), legs)
    assert np.abs(problem.jacobian[:, others]).max() < 1e-12 < np.abs(problem.jacobian[:, legs]).max()
    foot = figure.soles[0].body
    place = frames(world, 400.0)[1].place
    apart = part_jacobian(kinematics, foot, place) - part_jacobian(kinematics, trunk, place)
    np.testing.assert_allclose(problem.jacobian[:3], apart[:, figure.driven])
    assert np.abs(apart[:, figure.undriven]).max() < 1e-12


def test_what_a_solver_may_not_answer() -> None:
    world, kinematics, support = standing()
    trunk = world.figure.body_id("trunk")
    problem = force_problem(kinematics, support, frames(world, 400.0), trunk)
    f = LeastSquares(world.figure, trunk).solve(problem)
    assert not problem.allows(50.0 * f) and not problem.allows(np.full(24, np.nan))
    _, _, V = np.linalg.svd(problem.jacobian.T)
    assert not problem.allows(f + 10.0 * V[-1])  # the joints cannot make that


# -- behaviors ---------------------------------------------------------------------------------------------------------

def test_a_behavior_may_give_torques_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Limp(Behavior):
        """does nothing"""

        @dataclass
        class Params(BaseParams):
            torque: float = param(0.0, unit="N m", low=0.0, high=1.0, doc="of every motor")

        def act(self) -> np.ndarray:
            return np.full(self.figure.nu, self.params.torque)

    Limp.name, Limp.doc = "limp", "does nothing"
    monkeypatch.setitem(BEHAVIORS, "limp", Limp)
    run = simulate("limp", seconds=1.0, settings={"torque": 0.5})
    assert run.summary["fell"] and (run.motion.ctrl == 0.5).all() and verify(run.motion).difference == 0.0


def test_a_behavior_may_pick_another_back_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Soft(WholeBodyBehavior):
        """stands by virtual forces"""

        @dataclass
        class Params(BaseParams):
            pull: float = param(40.0, unit="1/s2", low=1.0, high=400.0, doc="of the centre of mass")

        def make_back_end(self) -> VirtualForces:
            return springs(self.world, SOFT)

        def act(self) -> np.ndarray:
            kinematics = self.sense()
            soles = patch_states(kinematics, self.world.surfaces)
            support = support_points(soles, planted(soles))
            goal, mass = support.center + [0.0, 0.0, self.figure.standing_height], self.figure.mass
            pull = spring_force("com", kinematics.com, kinematics.com_velocity, goal, mass * self.params.pull,
                                12.0 * mass)
            return self.back_end.torques(kinematics, support, [pull])

    Soft.name, Soft.doc = "soft", "stands by virtual forces"
    monkeypatch.setitem(BEHAVIORS, "soft", Soft)
    run = simulate("soft", seconds=1.5, seed=3)
    assert not run.summary["fell"] and verify(run.motion).difference == 0.0
    world = World(make_character("human"))
    soft = make_behavior("soft", world)
    soft.act()
    assert soft.problem is None and soft.solvers == {}  # type: ignore[attr-defined]
    assert [row[0] for row in soft.report()] == ["com", "weight"]


def test_a_behavior_measures_anew_when_the_body_has_grown() -> None:
    class Watch(WholeBodyBehavior):
        grown = 0

        def resized(self) -> None:
            self.grown += 1

        def act(self) -> np.ndarray:
            self.sense()
            return np.zeros(self.figure.nu)

    base = make_character("human")
    world = World(base)
    watch = Watch(world)
    watch.act()
    size, revision = watch.size, world.figure.revision
    world.morph(base.scaled(limb={"left_upper_arm": 1.2}))
    world.morph(base.scaled(height=2.0))
    watch.act()
    watch.act()
    assert watch.grown == 1 and world.figure.revision == revision + 2
    assert watch.size == world.figure.standing_height > 1.05 * size


def test_a_body_after_going_back_is_another_one_than_before() -> None:
    """What is made of it gets a number that none had, also one that was taken back."""
    base = make_character("human")
    world = World(base)
    behavior, moment = make_behavior("balance", world), world.snapshot()
    world.morph(base.scaled(height=2.0))
    behavior.act()
    tall = behavior.size
    world.restore(moment)
    world.morph(base.scaled(height=0.9))
    behavior.act()
    assert behavior.size == world.figure.standing_height / ADULT_HEIGHT < 0.5 * tall
