"""Experiments on jumps, solver variants and integration: measures with a known answer, and short runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.behaviors import BEHAVIORS, make_behavior
from gambol.bodies import make_character
from gambol.control.qp.bounded import bounded_minimum
from gambol.control.qp.priorities import prioritized_bounded, residuals
from gambol.control.solvers import WeightedSolver
from gambol.experiments import EXPERIMENTS, Context
from gambol.experiments.jump.jumps import Hop, growing, hop, opposed
from gambol.experiments.solvers.priorities import box, random_levels
from gambol.experiments.solvers.variants import Beside, Errors, interior_point, priorities_by
from gambol.experiments.walk.integration import walked
from gambol.runs.run import record
from gambol.world.world import World


def made_up(turn: float = 0.0) -> Hop:
    """A jump of 100 ticks, in the air from 40 to 60, that ends turned; the trunk turns against the legs."""
    ticks = np.arange(100)
    air = ((ticks >= 40) & (ticks < 60)).astype(float)
    bump = air * np.sin(np.pi * (ticks - 40) / 20)
    flat = np.zeros(100)
    return Hop(None, True, 0.01 * ticks, air, 0.2 * air, 0.3 * bump, flat, turn * ticks / 99.0, 3.0 + 12.0 * bump, flat,
               5.0 - 60.0 * bump, flat)


def test_new_experiments_are_known_and_say_what_was_published() -> None:
    for name, group in (("jump-heights", "jumps"), ("jump-twists", "jumps"), ("jump-acrobatics", "jumps"),
                        ("weighted-ablation", "variants"), ("solver-variants", "variants"),
                        ("integration-modes", "variants")):
        assert EXPERIMENTS[name].group == group and EXPERIMENTS[name].published


def test_a_good_jump_leaves_the_ground_stands_still_and_faces_the_right_way() -> None:
    one = made_up(90.0)
    assert one.good(90.0) and one.good(75.0) and not one.good(0.0) and not one.good(65.0)
    assert made_up(-179.0).good(180.0), "half a turn is the same to the left and to the right"
    for bad in (replace(one, fell="root touches the ground"), replace(one, rested=False),
                replace(one, airborne=np.zeros(100))):
        assert not bad.good(90.0)
    assert one.flight == pytest.approx(0.2) and one.air == slice(40, 60)
    flicker = one.airborne.copy()
    flicker[:3] = 1.0
    assert replace(one, airborne=flicker).air == slice(40, 60), "a start just off the ground is no flight"


def test_counter_rotation_counts_from_take_off() -> None:
    one = made_up()
    assert one.counter(one.legs_yaw, one.trunk_yaw) == pytest.approx((-60.0, 12.0))
    assert opposed([-60.0, 30.0], [12.0, -3.0])
    assert not opposed([-60.0, 30.0], [12.0, 3.0]) and not opposed([-60.0], [0.5])
    assert growing([0.1, 0.2, 0.3]) and not growing([0.1, 0.3, 0.3])


def test_twists_reach_their_heading_and_have_pictures() -> None:
    result = EXPERIMENTS["jump-twists"].run(Context(seed=31, quick=True, workers=1))
    assert [row for row in result.rows if row.verdict == "fail"] == []
    assert sum(row.metric.startswith("twist") for row in result.rows) == 8 and result.pictures[0].kind == "svg"


def test_a_jump_that_falls_is_told_from_one_that_stands() -> None:
    good, bad = hop({"height": 0.1}, 32, "legs x 1.25"), hop({"solver": "weighted", "height": 0.45, "crouch": 0.3}, 32)
    assert good.good() and good.flight > 0.15 and good.clearance.max() > 0.03
    assert not bad.good() and bad.fell is not None


@pytest.mark.parametrize("seed", range(4))
def test_interior_point_finds_the_minimum_of_the_active_set(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root, gradient = rng.standard_normal((12, 8)), 3.0 * rng.standard_normal(8)
    rows, lower, upper = box(8, 0.3, rng.standard_normal((4, 8)))
    upper[:2] = 1e30  # bounds on one side only
    hessian = root.T @ root
    found = bounded_minimum(hessian, gradient, rows, lower, upper, np.zeros(len(rows), dtype=np.int32))
    assert found is not None and np.abs(found[1]).max() > 1e-3, "bounds must be felt, or this proves little"
    w, paid = interior_point(hessian, gradient, rows, lower, upper)
    np.testing.assert_allclose(w, found[0], atol=1e-8)
    np.testing.assert_array_equal(paid, np.abs(found[1]) > 1e-9)


def test_priorities_by_an_interior_point_are_those_of_algorithm_2() -> None:
    rng = np.random.default_rng(5)
    for _ in range(5):
        levels, bounds = random_levels(rng, 10, "independent"), box(10, 0.5, rng.standard_normal((5, 10)))
        ridge = np.full(10, 1e-3)
        reference = prioritized_bounded(levels, *bounds, ridge=ridge)
        assert reference is not None
        np.testing.assert_allclose(residuals(levels, priorities_by(interior_point, levels, *bounds, ridge)),
                                   residuals(levels, reference), atol=1e-6)


def test_noise_is_told_apart_by_contact_changes() -> None:
    beside = Beside(contacts=[32] * 50 + [16] * 50)
    jump, hum = np.zeros((100, 3)), 0.1 * (-1.0) ** np.arange(100)[:, None] * np.ones(3)
    jump[50:] = 8.0
    beside.torques = {"smooth": list(jump), "noisy": list(jump + hum)}
    near, elsewhere = beside.noise("smooth")
    assert near > 1.0 and elsewhere == 0.0
    assert beside.noise("noisy")[0] > near and beside.noise("noisy")[1] == pytest.approx(0.4)
    beside.torques = {"Algorithm 2": list(jump), "cascade": list(jump + 2.0 * (np.arange(100) == 49)[:, None])}
    assert beside.apart() == (0.1, 0.0)


def test_all_solvers_are_compared_on_the_same_ticks() -> None:
    beside = Beside()
    record("jump", seconds=0.2, seed=33, until=beside)
    assert len(beside.contacts) == 49 and {len(each) for each in beside.torques.values()} == {49}
    assert np.max(beside.gaps) < 1e-6 and beside.unsolved == 0
    torques = np.array(beside.torques["Algorithm 2"])
    assert np.median(np.abs(torques - beside.torques["cascade"]).max(axis=1)) < 0.5, "N m; some ticks it loses"


@pytest.mark.parametrize("behavior", ["balance", "jump", "walk"])
def test_the_cascade_can_be_chosen_and_asks_for_the_same(behavior: str) -> None:
    torques = []
    for solver in ("prioritized", "lexicographic"):
        controller = make_behavior(behavior, World(make_character("human"), seed=34), {"solver": solver})
        torques.append(controller.act())
    assert "lexicographic" in BEHAVIORS[behavior].Params.info("solver").choices
    np.testing.assert_allclose(torques[1], torques[0], atol=0.5)


def test_an_ablation_takes_its_ratio_and_sees_what_objectives_miss() -> None:
    errors, ratios = Errors(7.0), []

    def until(world: World, controller: object) -> bool:
        errors(world, controller)
        ratios.append(controller.solvers["weighted"].ratio)  # type: ignore[attr-defined]
        return False

    record("balance", seconds=0.2, seed=35, settings={"solver": "weighted"}, until=until)
    assert set(ratios) == {7.0} and WeightedSolver().ratio != 7.0
    strict = Errors(None)
    record("balance", seconds=0.2, seed=35, until=strict)
    assert errors.rms("com") > 1e-3 > 1e-6 > strict.rms("com")


def test_a_walk_by_the_solvers_own_accelerations_is_that_of_the_simulator() -> None:
    ours, theirs = (walked(mode, 1.2, 36) for mode in ("own accelerations", "forward dynamics"))
    assert ours.fell is None and theirs.fell is None and ours.steps == theirs.steps == 1
    assert ours.time[1] - ours.time[0] == pytest.approx(0.01)
    np.testing.assert_allclose(ours.com[-1], theirs.com[-1], atol=0.02)
    assert 0.0 < ours.depth.max() < 0.01 and ours.slide.mean() < 0.03
