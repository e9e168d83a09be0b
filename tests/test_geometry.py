"""Geometry: distances and normals against MuJoCo, against brute force, and NumPy against JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mujoco
import numpy as np
import pytest

from gambol.geometry import solids
from gambol.geometry.height_field import height_field

Shape = Callable[..., tuple[Any, Any]]
HALF = np.array([0.3, 0.2, 0.1])
SHAPES: dict[str, tuple[Shape, list[float]]] = {
    "box": (partial(solids.box, half=HALF), list(HALF)),
    "sphere": (partial(solids.sphere, radius=0.25), [0.25, 0, 0]),
    "capsule": (partial(solids.capsule, radius=0.1, half=0.2), [0.1, 0.2, 0]),
    "cylinder": (partial(solids.cylinder, radius=0.2, half=0.1), [0.2, 0.1, 0]),
    "plane": (solids.plane, [0, 0, 0.1]),
}
"""Each with the size of the geom that is the same."""


@pytest.fixture(params=SHAPES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def around(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.5, 0.5, size=(count, 3))


def test_outside_distances_are_those_of_mujoco(kind: str) -> None:
    shape, size = SHAPES[kind]
    spec, tiny = mujoco.MjSpec(), 1e-3
    spec.worldbody.add_geom(type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}"), size=size)
    probe = spec.worldbody.add_body(mocap=True)
    probe.add_geom(size=[tiny, 0, 0])
    model = spec.compile()
    data, ends = mujoco.MjData(model), np.zeros(6)
    points = around(60)
    distance, normal = shape(points)
    outside = distance > 0.01
    assert outside.sum() > 20
    for point, away, up in zip(points[outside], distance[outside], normal[outside], strict=True):
        data.mocap_pos[0] = point
        mujoco.mj_kinematics(model, data)
        assert mujoco.mj_geomDistance(model, data, 0, 1, 2.0, ends) + tiny == pytest.approx(away, abs=2e-5)
        np.testing.assert_allclose(solids.nearest(point, away, up), ends[:3], atol=2e-3)


def test_nothing_of_the_surface_is_nearer_than_the_nearest_point(kind: str) -> None:
    shape, _ = SHAPES[kind]
    points = around(3000)
    surface = solids.nearest(points, *shape(points))
    np.testing.assert_allclose(shape(surface)[0], 0.0, atol=1e-9)
    some = around(200, seed=1)
    distance, normal = shape(some)
    closest = np.linalg.norm(some[:, None] - surface, axis=-1).min(axis=1)
    assert (closest >= np.abs(distance) - 1e-9).all()
    assert (closest <= np.abs(distance) + 0.1).all()
    np.testing.assert_allclose(np.linalg.norm(normal, axis=-1), 1.0)


def test_normals_are_slopes_of_the_distance(kind: str) -> None:
    shape, _ = SHAPES[kind]
    points, step = around(300), 1e-6
    slope = np.stack([(shape(points + d)[0] - shape(points - d)[0]) / (2 * step) for d in step * np.eye(3)], axis=-1)
    smooth = np.abs(np.linalg.norm(slope, axis=-1) - 1) < 1e-3  # but where faces are equally near
    assert smooth.mean() > 0.98
    np.testing.assert_allclose(shape(points)[1][smooth], slope[smooth], atol=1e-4)


@pytest.mark.parametrize("point", [np.zeros(3), np.array([0.0, 0.0, 0.1]), np.array([0.3, 0.2, 0.1])])
def test_middles_axes_and_corners_have_a_normal(kind: str, point: np.ndarray) -> None:
    distance, normal = SHAPES[kind][0](point)
    assert distance.shape == () and np.isfinite(distance)
    assert np.linalg.norm(normal) == pytest.approx(1.0)


def test_jax_gives_the_same_with_slopes(kind: str) -> None:
    jax = pytest.importorskip("jax", reason="the extra `synthesis` is not installed")
    jax.config.update("jax_enable_x64", True)
    shape, points = partial(SHAPES[kind][0], xp=jax.numpy), np.concatenate([around(50), np.zeros((1, 3))])
    for ours, theirs in zip(SHAPES[kind][0](points), jax.vmap(shape)(points), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    slopes = jax.vmap(jax.grad(lambda point: shape(point)[0]))(points)
    assert np.isfinite(slopes).all()
    np.testing.assert_allclose(slopes[:-1], SHAPES[kind][0](points)[1][:-1], atol=1e-9)


def test_a_rounded_box_lies_inside_the_sharp_one() -> None:
    points = around(500)
    sharp, rounded = solids.box(points, HALF)[0], solids.rounded_box(points, HALF, 0.02)[0]
    assert (rounded >= sharp - 1e-12).all() and (rounded - sharp).max() < 0.02
    face = np.array([0.0, 0.0, 0.4])
    assert solids.rounded_box(face, HALF, 0.02)[0] == pytest.approx(solids.box(face, HALF)[0])


def test_a_height_field_is_the_plane_of_the_triangle_below() -> None:
    nodes, cell = np.array([[0.0, 0.2, 0.1], [0.1, 0.3, 0.5], [0.0, 0.0, 0.2]]), 0.5
    points = np.random.default_rng(0).uniform([0, 0, -0.3], [1, 1, 0.9], size=(200, 3))
    distance, normal = height_field(points, nodes, cell)
    foot = solids.nearest(points, distance, normal)
    below = (points[:, :2] / cell).astype(int)
    same = ((foot[:, :2] / cell).astype(int) == below).all(axis=1)
    same &= (np.diff(points[:, :2] % cell, axis=1) > 0)[:, 0] == (np.diff(foot[:, :2] % cell, axis=1) > 0)[:, 0]
    assert same.sum() > 50
    np.testing.assert_allclose(height_field(foot, nodes, cell)[0][same], 0.0, atol=1e-12)
    corners = np.array([[x, y, nodes[round(y / cell), round(x / cell)]] for x in (0.0, 0.5, 1.0) for y in (0.0, 0.5)])
    np.testing.assert_allclose(height_field(corners, nodes, cell)[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=-1), 1.0)
