"""Terrain: what the queries say is what MuJoCo simulates."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gambol.bodies.creatures.human import human
from gambol.errors import BadInput
from gambol.world.scene import EVERYTHING, compile_scene
from gambol.world.terrain import Terrain
from gambol.world.terrains import TERRAINS, make_terrain
from gambol.world.world import World

SPECS = ["flat", "slope:angle=10", "slope:angle=-17.3,length=7.7", "stairs:rise=0.15,run=0.3,count=8",
         "stairs:rise=-0.17,run=0.29", "gaps:width=0.5", "stones:seed=4,jitter=0.2", "boxes:height=0.2",
         "boxes:height=0.5,seed=7", "rough:height=0.2,grid=1.0,seed=3",
         "rough:height=0.33,grid=0.43,length=8,breadth=3,seed=1", "course", "course:angle=17.3,rise=0.111,seed=5",
         "step:height=0.5", "step:height=-1", "wall:bearing=70,distance=2"]
DOWN = np.array([0.0, 0.0, -1.0])


def model_of(terrain: Terrain) -> mujoco.MjModel:
    return compile_scene((), terrain, (), 1000.0).model


def rays(model: mujoco.MjModel, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height and normal of what a ray from far above hits."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    heights, normals = np.empty(len(x)), np.empty((len(x), 3))
    for k in range(len(x)):
        heights[k] = 40.0 - mujoco.mj_ray(model, data, np.array([x[k], y[k], 40.0]), DOWN, None, True, -1, None,
                                          normals[k])
    return heights, normals


def scatter(terrain: Terrain, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random points on and around the built ground."""
    rng = np.random.default_rng(seed)
    longest = 38.0 if terrain.name == "course" else 20.0
    return rng.uniform(-5, longest, count), rng.uniform(-4, 4, count)


def smooth_spots(terrain: Terrain, x: np.ndarray, y: np.ndarray, reach: float,
                 flatness: float = 1e-9) -> np.ndarray:
    """Mask of points around which the ground is one plane, to within `flatness`."""
    normal, height = terrain.normal(x, y), terrain.height(x, y)
    smooth = np.ones(len(x), dtype=bool)
    for dx, dy in ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1)):
        step = -reach * (normal[:, 0] * dx + normal[:, 1] * dy) / normal[:, 2]
        near = terrain.height(x + reach * dx, y + reach * dy)
        smooth &= np.abs(near - height - step) < flatness
    return smooth


def test_every_kind_is_known_with_docs_and_ranges() -> None:
    assert set(TERRAINS) == {"flat", "slope", "stairs", "step", "gaps", "stones", "boxes", "rough", "course", "wall"}
    assert {spec.partition(":")[0] for spec in SPECS} == set(TERRAINS)
    for kind in TERRAINS.values():
        assert kind.doc
        for info in kind.Params.describe():
            assert info.doc and info.low <= info.default <= info.high


@pytest.mark.parametrize("spec", SPECS)
def test_queries_agree_with_rays(spec: str) -> None:
    terrain = make_terrain(spec)
    x, y = scatter(terrain, 800)
    heights, normals = rays(model_of(terrain), x, y)
    assert np.abs(terrain.height(x, y) - heights).max() < 1e-6
    assert np.abs(terrain.normal(x, y) - normals).max() < 1e-6
    if spec != "flat":
        assert np.ptp(heights) > 0.1  # the rays did meet the obstacles


@pytest.mark.parametrize("spec", SPECS)
def test_normals_are_those_of_the_height(spec: str) -> None:
    terrain = make_terrain(spec)
    x, y = scatter(terrain, 2000, seed=1)
    keep = smooth_spots(terrain, x, y, 1e-3)
    assert keep.mean() > 0.8
    x, y, step = x[keep], y[keep], 1e-4
    slope_x = (terrain.height(x + step, y) - terrain.height(x - step, y)) / (2 * step)
    slope_y = (terrain.height(x, y + step) - terrain.height(x, y - step)) / (2 * step)
    normal = terrain.normal(x, y)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(-normal[:, 0] / normal[:, 2], slope_x, atol=1e-7)
    np.testing.assert_allclose(-normal[:, 1] / normal[:, 2], slope_y, atol=1e-7)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if "grid=0.43" not in spec])  # no room for a box there
def test_a_box_comes_to_rest_at_the_queried_height(spec: str) -> None:
    terrain = make_terrain(spec)
    half = 0.1
    x, y = scatter(terrain, 6000, seed=2)
    plane = smooth_spots(terrain, x, y, 1.5 * half, flatness=1e-6)
    raised = plane & (terrain.height(x, y) > 0.01)
    spots = np.flatnonzero(raised if raised.any() else plane)[:6]
    assert len(spots) == 6
    scene = mujoco.MjSpec.from_string(compile_scene((), terrain, (), 1000.0).xml)
    for k, (px, py) in enumerate(zip(x[spots], y[spots], strict=True)):
        body = scene.worldbody.add_body(name=f"box{k}", pos=[px, py, float(terrain.height(px, py)) + half + 0.03])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[half] * 3, mass=1.0, contype=1,
                      conaffinity=0)  # touches the ground, not the other boxes
    model = scene.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 500)
    mujoco.mj_kinematics(model, data)
    for k in range(len(spots)):
        body = data.body(f"box{k}")
        normal = terrain.normal(body.xpos[0], body.xpos[1])
        foot = body.xpos - half * normal
        assert abs(foot[2] - terrain.height(foot[0], foot[1])) < 1e-3
        assert np.abs(body.xmat.reshape(3, 3).T @ normal).max() > 0.9999  # one face lies flat
        assert np.hypot(body.xpos[0] - x[spots[k]], body.xpos[1] - y[spots[k]]) < 0.05


@pytest.mark.parametrize("spec", SPECS)
def test_start_is_level_and_the_human_stands_there(spec: str) -> None:
    world = World(human(), spec)
    side = np.linspace(-1, 1, 41)
    x, y = world.terrain.start
    around = world.terrain.height(*np.meshgrid(x + side, y + side))
    assert np.ptp(around) == 0.0
    assert around[0, 0] == pytest.approx(0.0, abs=1e-6)
    for _ in range(5):
        world.step(np.zeros(world.figure.nu))
    touching = world.contacts.of(world.figure)
    assert {contact.other for contact in touching} == {"ground"}
    assert all("foot" in contact.role and contact.depth < 2e-3 for contact in touching)


@pytest.mark.parametrize("spec", SPECS)
def test_ground_geoms_are_named_and_collide(spec: str) -> None:
    model = model_of(make_terrain(spec))
    assert all(model.geom(g).name.startswith("terrain/") for g in range(model.ngeom))
    assert (model.geom_contype == EVERYTHING).all() and (model.geom_conaffinity == EVERYTHING).all()


@pytest.mark.parametrize("spec", SPECS)
def test_shapes_and_text(spec: str) -> None:
    terrain = make_terrain(spec)
    assert np.shape(terrain.height(1.0, 2)) == () and terrain.normal(1.0, 2).shape == (3,)
    grid = np.ones((4, 1)), np.linspace(-3, 3, 5)
    assert terrain.height(*grid).shape == (4, 5) and terrain.normal(*grid).shape == (4, 5, 3)
    x, y = scatter(terrain, 200)
    assert terrain.height(x, y)[7] == terrain.height(x[7], y[7])
    again = make_terrain(terrain.text)
    np.testing.assert_array_equal(again.height(x, y), terrain.height(x, y))


def test_kinds_are_what_they_say() -> None:
    slope = make_terrain("slope:angle=10")
    assert slope.height(6.5, 0) == pytest.approx(5 * np.tan(np.deg2rad(10)), abs=1e-5)
    assert slope.normal(6.5, 0) == pytest.approx([-np.sin(np.deg2rad(10)), 0, np.cos(np.deg2rad(10))], abs=1e-5)
    stairs = make_terrain("stairs:rise=0.15,run=0.3,count=8")
    x = np.arange(1.5 + 0.15, 1.5 + 8 * 0.3, 0.3)
    assert stairs.height(x, 0.0) == pytest.approx(0.15 * np.arange(1, 9), abs=1e-6)
    assert stairs.height(1.5 + 14 * 0.3 + 1.5 + 0.1, 0.0) == 0.0
    assert make_terrain("stairs:rise=-0.15").height(1.65, 0.0) == pytest.approx(-0.15)
    gaps = make_terrain("gaps:width=0.5")
    edges = np.array([1.49, 1.51, 1.99, 2.01])
    assert gaps.height(edges, 0.0) == pytest.approx([0, -2, -2, 0])
    boxes = make_terrain("boxes:height=0.3").layout.slabs
    tops = [slab.center[2] + slab.half[2] for slab in boxes]
    assert 0.2 < max(tops) <= 0.3
    nodes = make_terrain("rough:height=0.4,grid=1").layout.fields[0].nodes[1:-1, 1:-1]
    assert -1e-4 < nodes.min() < 0.1 and 0.3 < nodes.max() <= 0.4 + 1e-6
    course = make_terrain("course")
    assert course.height(np.linspace(-1, 35, 3000), 0.0).min() == -2.0
    assert len(course.layout.fields) == 1
    assert make_terrain("slope:angle=0").height(5.0, 0.0) == 0.0
    for height in (0.5, -1.0, 0.0):
        step = make_terrain(f"step:height={height}").height(np.array([-2.0, 1.49, 1.51, 15.0]), 0.0)
        assert step == pytest.approx([0.0, 0.0, height, height], abs=1e-6)


@pytest.mark.parametrize("kind", ["stones", "boxes", "rough", "course"])
def test_seeds(kind: str) -> None:
    x, y = scatter(make_terrain(kind), 500)
    heights = [make_terrain(f"{kind}:seed={seed}").height(x, y) for seed in (3, 3, 4)]
    np.testing.assert_array_equal(heights[0], heights[1])
    assert np.abs(heights[0] - heights[2]).max() > 0.01


def test_extremes_of_every_range_build() -> None:
    """Each parameter at either end of its range, the others at their defaults."""
    for name, kind in TERRAINS.items():
        for info in kind.Params.describe():
            for value in (info.low, info.high):
                terrain = make_terrain(f"{name}:{info.name}={value}")
                model = model_of(terrain)
                x, y = scatter(terrain, 15)
                assert np.abs(terrain.height(x, y) - rays(model, x, y)[0]).max() < 1e-5, (name, info.name, value)


@pytest.mark.parametrize(("spec", "message"), [
    ("stars", "unknown terrain 'stars' .did you mean 'stairs'"),
    ("", "unknown terrain"),
    ("slope:angel=10", "unknown parameter 'angel' .did you mean 'angle'"),
    ("slope:angle=80", "angle=80 is out of range; it takes -35 to 35 degrees"),
    ("slope:angle=nan", "angle=nan is not a finite number"),
    ("slope:angle=steep", "angle='steep' is not a number"),
    ("slope:10", "'10' is not of the form key=value"),
    ("slope:angle=", "not of the form key=value"),
    ("slope:angle=5,angle=6", "given twice"),
    ("stairs:count=2.5", "count=2.5 must be a whole number"),
    ("rough:height=-1", "out of range"),
    ("flat:height=1", "unknown parameter 'height'"),
])
def test_bad_specs_say_what_is_wrong(spec: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        make_terrain(spec)
    assert "\n" not in str(caught.value)
