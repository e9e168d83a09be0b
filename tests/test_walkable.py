"""Walking on props: what may be stepped on is asked like a terrain, and carries like one."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gambol.bodies import make_character
from gambol.motion.verify import verify
from gambol.runs.run import record
from gambol.world.props import make_props
from gambol.world.starts import Start
from gambol.world.walkable import Walkable, walkable
from gambol.world.world import World


def ground(*props: str, terrain: str = "flat") -> Walkable:
    world = World(make_character("human"), terrain, props=make_props(list(props)), projectiles=1)
    found = walkable(world.surfaces, world.figure)
    assert isinstance(found, Walkable)
    return found


def test_tops_of_boxes_are_ground_and_what_is_beside_them_is_not() -> None:
    turned = ground("box:x=3,y=1,size=2,width=1,height=0.4,mass=50,yaw=90")
    x, y = np.array([[3.0, 3.4, 3.6], [3.0, 3.4, 3.0]]), np.array([[1.0, 1.9, 1.0], [2.1, 1.0, 0.1]])
    expected = np.array([[0.4, 0.4, 0.0], [0.0, 0.4, 0.4]])
    np.testing.assert_allclose(turned.height(x, y), expected, atol=1e-6)
    heights, normals = turned.surface(x, y)
    np.testing.assert_array_equal(heights, turned.height(x, y))
    np.testing.assert_array_equal(normals, np.broadcast_to([0.0, 0.0, 1.0], (2, 3, 3)))
    assert turned.height(3.0, 1.0).shape == ()


def test_on_a_slope_the_higher_of_terrain_and_box_is_ground() -> None:
    sloped = ground("box:x=4,y=0,size=1,height=0.2,mass=50", terrain="slope:angle=10")
    terrain = sloped._terrain
    for x in (1.0, 4.0, 4.4, 6.0):
        assert float(sloped.height(x, 0.0)) >= float(terrain.height(x, 0.0))
    np.testing.assert_allclose(sloped.normal(6.0, 0.0), terrain.normal(6.0, 0.0))


def test_what_is_light_or_flies_is_not_stepped_on() -> None:
    world = World(make_character("human"), props=make_props(["box:x=2,mass=2", "ball:x=3,mass=50"]), projectiles=2)
    assert walkable(world.surfaces, world.figure) is world.terrain


def test_a_shelf_overhead_is_no_ground_and_a_box_on_its_side_is() -> None:
    shelf = ground("platform:x=3,y=0,size=2,z=2.5,thickness=0.1,amplitude=0", "box:x=8,y=0,size=1,height=0.4,mass=50")
    assert float(shelf.height(3.0, 0.0)) == 0.0
    assert float(shelf.height(8.4, 0.0)) == pytest.approx(0.4, abs=1e-3)
    box = shelf._data.joint(int(shelf._model.body_jntadr[shelf._model.body("box").id]))
    box.qpos[3:7] = np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0  # onto its side: 1 m high now
    mujoco.mj_kinematics(shelf._model, shelf._data)
    middle = shelf._data.geom_xpos[shelf._boxes[-1]]
    assert float(shelf.height(middle[0] + 0.4, middle[1])) == pytest.approx(middle[2] + 0.5, abs=1e-3)
    assert float(shelf.height(middle[0], middle[1] + 0.3)) == 0.0


@pytest.mark.parametrize(("behavior", "prop", "seconds"), [
    ("walk", "platform:x=1.5,y=0,size=2,z=2.5,amplitude=0,thickness=0.1", 4.0),
    ("locomote", "box:x=2.2,y=0,size=1.5,width=4,height=0.12,mass=300", 4.5),
    ("locomote", "platform:axis=x,amplitude=0.15,period=2,size=12,z=0,thickness=0.1", 3.0),
    ("walk", "platform:axis=y,amplitude=0.1,period=4,size=12,z=0.2,thickness=0.1", 3.0)])
def test_walks_on_and_over_props(behavior: str, prop: str, seconds: float) -> None:
    run = record(behavior, props=make_props([prop]), start=Start(x=0.0, y=0.0), seconds=seconds, seed=1)
    assert run.fell is None
    figure = run.motion.figures[0]
    root = run.motion.model.body(figure.prefix + figure.anatomy.body("root")).id
    address = int(run.motion.model.jnt_qposadr[run.motion.model.body_jntadr[root]])
    assert np.ptp(run.motion.qpos[:, address]) > (3.0 if prop.startswith("box") else 0.8)
    assert verify(run.motion).ok
