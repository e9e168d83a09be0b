"""Jump: leaves the ground as high as told, lands where told, stands again; on every biped, and every take verifies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from gambol.behaviors import BEHAVIORS, make_behavior
from gambol.behaviors.jump import Stage
from gambol.bodies import make_character
from gambol.errors import BadInput, MissingRole
from gambol.motion.motion import Motion
from gambol.motion.verify import verify
from gambol.units import GRAVITY
from gambol.world.world import World

PRESETS = BEHAVIORS["jump"].presets


@dataclass
class Jumped:
    """What one jump was like. Heights above standing, m; angles in degrees."""

    flight: float
    apex: float
    turn: float
    ahead: float
    spread: float
    last_speed: float
    world: World


def jump(name: str = "human", seed: int = 0, seconds: float = 3.2, **settings: float) -> Jumped:
    """One jump, watched to the end; it must not fall."""
    world = World(make_character(name), seed=seed)
    behavior = make_behavior("jump", world, {"rest": 0, **settings})
    figure, start = world.figure, world.figure.com
    yaw, airborne, apex, spread, speed = [figure.heading], 0, 0.0, 0.0, np.inf
    while world.time < seconds:
        before = figure.com
        world.step(behavior.act())
        assert world.contacts.fallen(figure) is None, (world.time, settings)
        airborne += world.data.ncon == 0
        apex, speed = max(apex, figure.com[2] - start[2]), np.linalg.norm(figure.com - before) / world.tick_length
        feet = [figure.data.xpos[sole.body] for sole in figure.soles]
        spread = max(spread, float(np.linalg.norm(feet[0] - feet[1])))
        yaw.append(figure.heading)
    assert behavior.stage is Stage.STANDING and behavior.jumps == 1
    return Jumped(airborne * world.tick_length, apex, float(np.degrees(np.unwrap(yaw)[-1] - yaw[0])),
                  float(figure.com[0] - start[0]), spread, float(speed), world)


def test_it_leaves_the_ground_lands_and_stands_and_the_take_verifies() -> None:
    jumped = jump(seed=21, seconds=4.0)
    assert jumped.flight >= 0.15
    assert jumped.last_speed < 0.02
    assert abs(jumped.turn) < 5 and abs(jumped.ahead) < 0.1
    assert verify(Motion.from_world(jumped.world)).ok


def test_height_is_what_was_asked_for() -> None:
    """The COM flies `height` above where the thrust ends, 2 cm above standing: no take-off speed is lost."""
    for height in (0.1, 0.25, 0.4):
        jumped = jump(height=height, seconds=2.8)
        assert jumped.apex == pytest.approx(height + 0.02, abs=0.025)
        assert jumped.flight == pytest.approx(2 * np.sqrt(2 * height / GRAVITY), abs=0.08)


def test_torques_are_smooth_after_the_landing() -> None:
    """Ankles at their stops once made all motors jump between their limits for half a second (69 N m)."""
    motion = Motion.from_world(jump(seconds=2.6).world)
    rough = np.sqrt(np.mean(np.diff(motion.ctrl[motion.time[:-1] > 1.9], 2, axis=0) ** 2))
    assert rough < 5.0


@pytest.mark.parametrize(("preset", "turn"), [("twist 90", 90), ("twist 180", 180)])
def test_twists_end_with_the_right_heading(preset: str, turn: float) -> None:
    assert jump(seed=22, **PRESETS[preset]).turn == pytest.approx(turn, abs=10)


def test_a_twist_to_the_right_is_a_negative_one() -> None:
    assert jump(twist=-90).turn == pytest.approx(-90, abs=10)


def test_forward_travels() -> None:
    assert jump(seed=23, forward=0.4).ahead == pytest.approx(0.4, abs=0.1)


@pytest.mark.parametrize("preset", ["scissor kick", "air split"])
def test_legs_go_apart_in_the_air_and_come_together(preset: str) -> None:
    jumped = jump(seed=24, **PRESETS[preset])
    feet = [jumped.world.figure.data.xpos[sole.body] for sole in jumped.world.figure.soles]
    assert jumped.spread > 0.7
    assert np.linalg.norm(feet[0] - feet[1]) < 0.35


@pytest.mark.parametrize("name", ["child", "asymmetric", "ostrich", "dinosaur"])
def test_other_bodies_jump_unchanged(name: str) -> None:
    assert jump(name, seed=25).flight >= 0.15


def test_it_jumps_again_after_a_rest_with_parameters_changed_meanwhile() -> None:
    world = World(make_character("human"))
    behavior = make_behavior("jump", world, {"rest": 0.2, "height": 0.1})
    stages = []
    while behavior.jumps < 2 or behavior.stage is not Stage.STANDING:
        world.step(behavior.act())
        stages += [behavior.stage] if not stages or stages[-1] is not behavior.stage else []
        if behavior.stage is Stage.IMPACT:
            behavior.params.set("twist", 45)
        assert world.contacts.fallen(world.figure) is None and world.time < 8
    assert stages == [*Stage, *Stage, Stage.STANDING]
    assert np.degrees(behavior.heading) == pytest.approx(45, abs=1)


def test_bad_parameters_and_bodies_without_two_feet_are_explained() -> None:
    world = World(make_character("human"))
    with pytest.raises(BadInput, match="height=2 is out of range"):
        make_behavior("jump", world, {"height": 2})
    with pytest.raises(BadInput, match="did you mean 'twist'"):
        make_behavior("jump", world, {"twits": 90})
    for preset in PRESETS.values():
        BEHAVIORS["jump"].Params.parse(dict(preset))
    with pytest.raises(MissingRole, match="two feet"):
        make_behavior("jump", World(make_character("quadruped")))


def test_objective_table_shows_the_flight_too() -> None:
    world = World(make_character("human"))
    behavior = make_behavior("jump", world)
    while not behavior.stage.airborne:
        world.step(behavior.act())
    names = {row[0] for row in behavior.report()}
    assert "pose" in names and "contact" not in names and "com" not in names
