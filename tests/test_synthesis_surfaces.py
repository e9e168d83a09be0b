"""Surfaces in synthesis: rounded boxes, rims and tops, soles that cut an edge, partners that are stood on."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis import spline, surfaces, terms  # noqa: E402
from gambol.synthesis.measures import surfaces as sharp_surfaces  # noqa: E402
from gambol.synthesis.problem import Problem  # noqa: E402
from gambol.synthesis.scene_file import find_scene  # noqa: E402


def test_rounded_boxes_are_within_their_rounding_of_sharp_ones(problem: Problem) -> None:
    points = np.random.default_rng(0).uniform([0.2, -1, -0.1], [1.0, 1, 0.5], size=(200, 3))
    boxes = problem.params()["boxes"]
    soft = np.array([np.min(surfaces.distances(point, boxes)[0]) for point in points])
    hard, _ = sharp_surfaces(problem, points)
    assert np.abs(soft - hard).max() < surfaces.ROUNDING


def test_at_the_rim_of_a_box_one_is_pushed_aside_as_well_as_up() -> None:
    boxes = {"center": np.array([[0.0, 0.0, 0.5]]), "turn": np.eye(3)[None], "half": np.array([[0.5, 2.0, 0.5]])}
    point, step = np.array([-0.51, 0.3, 0.6]), 1e-6
    height = lambda at: float(surfaces.upward(jax.numpy.asarray(at), 0.02, 0.0, boxes)[0])  # noqa: E731
    slope = jax.grad(lambda at: surfaces.upward(at, 0.02, 0.0, boxes)[0])(jax.numpy.asarray(point))
    differences = [(height(point + d) - height(point - d)) / (2 * step) for d in step * np.eye(3)]
    np.testing.assert_allclose(slope, differences, rtol=1e-4, atol=1e-6)
    assert slope[0] > 1.0 and slope[2] < -0.1


def test_a_sole_at_the_rim_of_a_top_is_for_the_top() -> None:
    """Else it turns to the side that its middle hangs over, though its heel stands on the top."""
    box = {"center": np.array([[1.0, 0.0, 0.1]]), "turn": np.eye(3)[None], "half": np.array([[0.2, 1.0, 0.1]])}
    heel, middles = jax.numpy.array([1.15, 0.0, 0.2]), [jax.numpy.array([x, 0.0, 0.2]) for x in (1.23, 1.3)]
    near, far = (np.asarray(surfaces.off_faces(heel, middle, box))[1] for middle in middles)
    np.testing.assert_allclose(near, 0.0, atol=1e-9)
    np.testing.assert_allclose(far, [-0.05, 0.0, 0.0], atol=1e-9)


def test_a_sole_that_cuts_an_edge_in_a_hurry_is_seen(problem: Problem) -> None:
    between = np.diff(spline.GRIDS["most"]).max() * spline.PHASE
    deep = 0.015  # straight through an edge of 90 degrees, no deeper than this
    assert terms.FAST * between < 2 * deep
    assert {group.grid for group in problem.program.groups if group.name == "solid"} == {"most"}


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


def test_one_stands_on_a_partner_and_holds_it_anywhere() -> None:
    problem = find_scene("shoulders").problem()
    partner = problem.actors[1]
    assert ((problem.layout.contacts[:, 0] == 0) & (problem.layout.contacts[:, 4] == 1)).sum() == 4
    for row, found in zip(problem.layout.contacts, problem.contacts, strict=True):
        if row[0] != 0 or row[4] != 1:
            continue
        foot, top = problem.actors[0].puppet.limbs[row[1]].is_foot, found.center[2] + found.half[2]
        assert top == pytest.approx(partner.center[2] + partner.half[2])
        assert bool(found.half[2] == 0.0) is foot
