"""Feet in the air that are turned as no leg can turn them are turned anew; others are left alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis.problem import Problem
from gambol.synthesis.stages import LADDER
from gambol.synthesis.synthesize import climb
from gambol.synthesis.untangling import nearest_vector, untangled


@pytest.fixture
def lifted(problem: Problem) -> np.ndarray:
    """All feet in the air, the left one 30 cm up and turned about by 170 degrees."""
    z, foot = problem.guess(0.0), problem.layout.frames[problem.layout.limbs[0][0]]
    z[:, foot[2]] += 0.3
    z[0, foot[5]] = np.radians(170)
    return z


def limits(problem: Problem, z: np.ndarray) -> float:
    return problem.table(z, problem.params(LADDER[-1]))["limits"]


def test_a_tangled_foot_is_turned_as_its_leg_can(problem: Problem, lifted: np.ndarray) -> None:
    found, layout = untangled(problem, lifted), problem.layout
    assert limits(problem, found) < 0.05 * limits(problem, lifted)
    foot = layout.frames[layout.limbs[0][0]]
    rest = np.setdiff1d(np.arange(layout.width), [*foot, *(layout.features + foot),
                                                  *range(*layout.parts["bumps"].indices(layout.width))])
    np.testing.assert_array_equal(found[:, rest], lifted[:, rest])


def test_feet_that_are_in_the_air_at_the_end_are_untangled_there(problem: Problem, lifted: np.ndarray) -> None:
    foot = problem.layout.frames[problem.layout.limbs[0][0]]
    lifted[:, foot[5]] = [0.0, 0.0, np.radians(170)]
    assert limits(problem, untangled(problem, lifted)) < 0.05 * limits(problem, lifted)


def test_feet_that_cross_are_not_tangled(problem: Problem) -> None:
    """It is a limit, too, but no turn of a foot mends it."""
    z, foot = problem.guess(0.0), problem.layout.frames[problem.layout.limbs[0][0]]
    z[:, foot[1]] -= 0.08
    z[:, foot[2]] += 0.1
    assert limits(problem, z) > 0
    np.testing.assert_array_equal(untangled(problem, z), z)


def test_a_foot_that_lands_a_round_later_does_not_spin(problem: Problem, lifted: np.ndarray) -> None:
    foot = problem.layout.frames[problem.layout.limbs[0][0]]
    lifted[:, foot[5]] = np.radians([170, 360, 360])
    lifted[2, problem.layout.parts["c"].start] = 1.0
    turned = untangled(problem, lifted)[:, foot[3:]]
    assert np.abs(np.diff(turned, axis=0)).max() < 1.0
    np.testing.assert_allclose(turned[2], 0.0, atol=1e-9)


def test_climbs_untangle(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr("gambol.synthesis.synthesize.untangled", lambda _, z: seen.append(z) or z)
    climb(problem, ladder=[replace(stage, iterations=1) for stage in LADDER], mends=0)
    assert len(seen) == len(LADDER)


def test_feet_that_stand_or_that_their_legs_can_turn_are_left_alone(problem: Problem, lifted: np.ndarray) -> None:
    layout = problem.layout
    lifted[:, layout.parts["c"].start] = 1.0  # the left foot is on
    np.testing.assert_array_equal(untangled(problem, lifted), lifted)
    easy = problem.guess(0.0)
    easy[0, layout.frames[layout.limbs[0][0]][5]] = 0.3
    np.testing.assert_array_equal(untangled(problem, easy), easy)


def test_a_turn_is_written_as_the_vector_nearest_to_the_one_before() -> None:
    """A foot that has gone round once stays there: it does not spin back between two knots."""
    turn = Rotation.from_euler("z", 20, degrees=True)
    for rounds in (-1, 0, 1):
        found = nearest_vector(turn, np.array([0.1, 0.0, 2 * np.pi * rounds]))
        np.testing.assert_allclose(found, [0, 0, np.radians(20) + 2 * np.pi * rounds], atol=1e-9)
