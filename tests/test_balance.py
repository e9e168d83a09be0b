"""Balance under hard pushes: the geometry of support, the turning body, and the takes experiments are made of."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.optimize import nnls

from gambol.behaviors import Behavior
from gambol.bodies import make_character
from gambol.control.contact.objectives import CONTACT_KP, hold_contacts
from gambol.control.contact.patches import HEIGHT, patch_states, planted
from gambol.control.contact.support import support_points
from gambol.experiments import EXPERIMENTS
from gambol.experiments.balance.com_sweep import in_order, row_of
from gambol.experiments.balance.morphing import STEPS, Growth
from gambol.experiments.balance.pushes import best, ladder, pushed
from gambol.features import Kinematics
from gambol.motion.verify import verify
from gambol.planning.capture import supported
from gambol.runs.endings import calm_after
from gambol.runs.run import record
from gambol.world.pushes import Push
from gambol.world.world import World


def nearest_by_weights(points: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The slow way: non-negative weights of the points that sum to one and come nearest."""
    strict = 1e4
    weights, _ = nnls(np.vstack([points.T, strict * np.ones(len(points))]), np.append(place, strict))
    return weights @ points


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_supported_is_the_nearest_place_between_the_points(count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(50):
        points, place = rng.normal(size=(count, 2)), 2.0 * rng.normal(size=2)
        np.testing.assert_allclose(supported(points, place), nearest_by_weights(points, place), atol=1e-4)
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    np.testing.assert_array_equal(supported(square, np.array([0.3, -0.9])), [0.3, -0.9])
    np.testing.assert_allclose(supported(square, np.array([3.0, 0.2]), 0.5), [0.5, 0.2])


def test_the_turning_body_saves_it_where_the_feet_alone_do_not() -> None:
    push = Push(0.5, "trunk", (380.0, 0.0, 0.0))
    takes = [record("balance", seconds=4.0, seed=4, settings={"flywheel": flywheel}, pushes=[push],
                    until=calm_after(0.6)) for flywheel in (6.0, 0.0)]
    assert takes[0].fell is None and takes[1].fell is not None
    assert verify(takes[0].motion).difference == 0.0


def test_a_gentle_push_is_taken_by_the_feet() -> None:
    take = pushed(12.0, 0.0, seed=2)
    assert take.fell is None
    assert np.abs(np.degrees(take.angles("left_shoulder"))).max() < 25.0
    assert np.abs(np.degrees(take.angles("lower_spine"))).max() < 5.0


def test_a_take_follows_its_schedule_and_ends_with_the_fall() -> None:
    low = record("balance", seconds=1.5, changes=[(0.1, "height", 0.9)])
    assert low.motion.meta["params"]["height"] == 0.9 and low.seconds == pytest.approx(1.5)
    assert np.degrees(low.angles("left_knee")[-1, 0]) > 35.0
    down = record("stand", seconds=5.0, pushes=[Push(0.1, "trunk", (900.0, 0.0, 0.0))])
    assert down.fell is not None and down.seconds < 3.0


def test_a_foot_that_cannot_be_flat_stands_on_its_toes() -> None:
    """A thigh grows to twice its size: no fall, and a foot that stays flat would mean one."""
    growth, heels = Growth("left_thigh", 0.2), []

    def each(world: World, behavior: Behavior) -> None:
        growth(world, behavior)
        heels.append(world.figure.sole_points()[:2, 2].min())

    take = record("balance", seconds=3.5, each=each)
    assert take.fell is None and growth.done == STEPS
    assert heels[0] < 0.005 and heels[-1] > 0.05


def test_feet_do_not_work_against_the_ground_that_pushes_them_out() -> None:
    """Both thighs grow, and push the feet into the ground: braked on their way out, they throw the body forward."""
    growth = Growth("thigh", 0.2)
    assert record("balance", seconds=2.5, each=growth).fell is None and growth.done == STEPS


def test_a_sole_that_rises_is_braked_only_above_the_ground() -> None:
    world = World(make_character("human"))
    world.data.qvel[:], world.data.qvel[2] = 0.0, 0.1
    mujoco.mj_forward(world.model, world.data)
    for depth, braking in ((0.004, 0.0), (-0.004, -2.0 * CONTACT_KP**0.5 * 0.1)):
        soles = patch_states(Kinematics(world.figure), world.surfaces)
        for sole in soles:
            sole.table[:, HEIGHT], sole.table[:, 2] = -depth, -depth
        support = support_points(soles, planted(soles))
        asked = support.together().T @ hold_contacts(support, emerging=True).target
        np.testing.assert_allclose(asked.reshape(-1, 3)[:, 2], CONTACT_KP * depth + braking, atol=1e-6)


def test_the_ladder_stops_at_the_first_rung_that_is_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Outcome:
        def __init__(self, fell: bool) -> None:
            self.fell = "fell" if fell else None

    def outcome(impulse: float, toward: float, seed: int, solver: str) -> Outcome:
        return Outcome(impulse > 35.0 or (impulse == 35.0 and seed == 3))

    monkeypatch.setattr("gambol.experiments.balance.pushes.pushed", outcome)
    found = ladder(0.0, "prioritized", 0, (45.0, 40.0, 35.0, 30.0), 20)
    assert found == [(45.0, 0, 2), (40.0, 0, 2), (35.0, 19, 20)] and best(found) == 35.0
    assert best(ladder(0.0, "prioritized", 0, (45.0,), 20)) == 0.0


def test_the_sweep_measures_when_a_part_moves() -> None:
    assert row_of(np.array([0.0, -1.0, -5.0, -9.0, -10.0, -8.0]), 0.5) == 3
    assert in_order({"arms": 1.07, "knees": 1.02}) == "knees 1.020 m < arms 1.070 m"


def test_balance_experiments_are_known() -> None:
    assert {"balance-pulses", "balance-pushes", "balance-stand", "com-sweep"} <= set(EXPERIMENTS)
