"""Standing on another's shoulders: a pose, soles on things smaller than themselves, and forces that both plan for."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.control.contact.edges import drawn_in_on_things
from gambol.control.contact.patches import PatchState, patch_states
from gambol.experiments.contacts.shoulders import CLOSE_TO, on_shoulders, stands
from gambol.features import Kinematics
from gambol.planning.footing import stands as feet_of
from gambol.runs.performance import Performance
from gambol.world.figure import Figure
from gambol.world.props import make_props
from gambol.world.starts import Start
from gambol.world.world import World


def soles_of(world: World, figure: Figure) -> list[tuple[PatchState, PatchState]]:
    """Each sole as it is, and drawn in."""
    soles = patch_states(Kinematics(figure).refresh(), world.surfaces)
    return [(sole, drawn_in_on_things(sole, foot.up, world.surfaces, figure))
            for sole, foot in zip(soles, feet_of(figure), strict=True)]


def test_a_child_on_shoulders_is_carried_and_both_plan_the_forces_that_they_get() -> None:
    stood = stands(2.0, 1)
    assert stood.falls == (None, None)
    assert stood.weights == pytest.approx((989.0, 186.4), abs=0.5)
    assert np.abs(np.median(stood.given, axis=0) / stood.weights - 1.0).max() < 0.01
    assert (np.median(np.abs(stood.planned - stood.given), axis=0) / stood.weights).max() < CLOSE_TO
    assert stood.swayed < 0.1


@pytest.mark.parametrize(("bearer", "borne"), [("human", "child"), ("human44", "child")])
def test_soles_begin_flat_on_shoulders_and_touch_them_at_their_crests(bearer: str, borne: str) -> None:
    world = Performance.of(on_shoulders(1.0, 3, bearer=bearer, borne=borne)).world
    assert world.contacts.com_height(world.figures[1]) == pytest.approx(world.figures[1].standing_height, abs=0.06)
    for side, (sole, drawn) in zip(("left", "right"), soles_of(world, world.figures[1]), strict=True):
        assert not sole.near.any()
        assert drawn.near.all()
        np.testing.assert_allclose(drawn.height, 0.0, atol=0.003)
        np.testing.assert_allclose(drawn.normal @ drawn.rotation[:, 2], 1.0, atol=0.01)
        shoulder = world.figures[0].patch_set((f"{side}_shoulder",)).patches[0]
        reach = 0.5 * np.ptp(shoulder.points[:, 0])
        middle = world.data.xpos[shoulder.body] + world.data.xmat[shoulder.body].reshape(3, 3) @ shoulder.points.mean(0)
        np.testing.assert_allclose(np.abs(drawn.position - middle)[:, 0], reach, atol=0.008)
        still = drawn.jacobian @ world.data.qvel[world.figures[1].dofs]
        np.testing.assert_allclose(still, drawn.velocity, atol=1e-9)


def test_toes_over_the_edge_of_a_box_are_drawn_in_to_it_and_a_sole_flat_on_it_is_left_alone() -> None:
    def on_box(size: float) -> list[tuple[PatchState, PatchState]]:
        box = f"box:x=0,y=0,size={size},height=0.3,mass=20"
        world = World(make_character("human"), props=make_props([box]), starts=[Start(x=0.05, y=0.0, jitter=0.0)])
        return soles_of(world, world.figure)

    assert all(drawn is sole for sole, drawn in on_box(0.6))
    for sole, drawn in on_box(0.26):
        assert not sole.near[sole.toe].any()
        np.testing.assert_allclose(drawn.position[drawn.toe, 0], 0.13, atol=0.01)
        np.testing.assert_array_equal(drawn.position[drawn.heel], sole.position[sole.heel])
        assert drawn.near.all()


def test_how_another_figure_accelerates_is_not_foreseen() -> None:
    """It answers within the tick to what stands on it: believed, it would make a loop."""
    performance = Performance.of(on_shoulders(1.0))
    world, moved = performance.world, 0.0
    for _ in range(25):
        performance.tick()
        sole = soles_of(world, world.figures[1])[0][1]
        assert sole.touch is not None
        assert world.model.body_rootid[sole.touch.body[0]] == world.figures[0].top
        moved = max(moved, float(np.abs(sole.touch.velocity).max()))
        spin = world.data.cvel[sole.touch.body[0], :3]
        assert np.abs(sole.touch.acceleration).max() <= 2.0 * spin @ spin + 1e-9  # only what its turning makes
    assert moved > 1e-4


def test_who_stands_alone_has_none_of_it() -> None:
    world = World(make_character("human"))
    behavior = make_behavior("balance", world)
    behavior.act()
    assert world.surfaces.bare
    assert all(drawn is sole for sole, drawn in soles_of(world, world.figure))
