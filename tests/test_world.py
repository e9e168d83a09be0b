"""The World: stepping, rates, pushes, snapshots, falls, recording."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.errors import BadInput, Diverged
from gambol.motion.motion import Motion
from gambol.motion.verify import verify
from gambol.world.props import Platform
from gambol.world.pushes import Push, Throw
from gambol.world.world import World


def stepped(world: World, ticks: int, behavior: str = "stand") -> World:
    controller = make_behavior(behavior, world)
    for _ in range(ticks):
        world.step(controller.act())
    return world


def test_starts_on_its_feet_and_nothing_else() -> None:
    world = stepped(World(make_character("human")), 20)
    contacts = world.contacts.of(world.figure)
    assert {contact.role for contact in contacts} == {"left_foot", "right_foot"}
    assert {contact.other for contact in contacts} == {"ground"}
    assert len(contacts) == 8
    assert max(contact.depth for contact in contacts) < 1e-4


def test_standing_contact_forces_carry_the_weight() -> None:
    world = stepped(World(make_character("human")), 750)
    total = sum(contact.force for contact in world.contacts.of(world.figure))
    assert total[2] == pytest.approx(world.figure.mass * 9.81, rel=0.02)


def test_rates_are_separate_and_must_fit() -> None:
    world = World(make_character("human"), physics_rate=1000, control_rate=200)
    stepped(world, 10)
    assert world.substeps == 5 and world.time == pytest.approx(0.05)
    with pytest.raises(BadInput, match="multiple"):
        World(make_character("human"), physics_rate=1000, control_rate=300)


def test_seeds_give_different_starts_and_the_same_seed_the_same() -> None:
    starts = [World(make_character("human"), seed=seed).data.qpos.copy() for seed in (0, 1, 1)]
    assert not np.array_equal(starts[0], starts[1])
    np.testing.assert_array_equal(starts[1], starts[2])


def test_torques_are_clipped_to_strength() -> None:
    world = World(make_character("human"))
    world.step(np.full(world.figure.nu, 1e6))
    np.testing.assert_array_equal(world.data.ctrl, world.figure.torque_limit)


def test_push_changes_momentum_by_its_impulse_and_ends() -> None:
    pushed, quiet = (World(make_character("human")) for _ in range(2))
    for world in (pushed, quiet):  # in the air, so that only the push makes a difference
        world.data.qpos[2] += 1.0
        mujoco.mj_step1(world.model, world.data)
        world.recorder.restart()
    pushed.push(Push(t=0.02, body="trunk", force=(120.0, 0.0, 0.0), duration=0.1))
    for _ in range(40):
        for world in (pushed, quiet):
            world.step(np.zeros(world.figure.nu))
    speed = [(world.data.qvel[:3].copy(), world.figure.com) for world in (pushed, quiet)]
    moved = speed[0][1][0] - speed[1][1][0]
    # after the push of impulse J at mean time 0.07 s the COM has drifted J/m (0.16 - 0.07) s
    assert moved == pytest.approx(12.0 / pushed.figure.mass * 0.09, rel=0.02)
    assert not pushed.data.xfrc_applied.any()
    assert len(Motion.from_world(pushed).push_tick) == 25


def test_push_on_an_unknown_body_names_what_there_is() -> None:
    world = World(make_character("human"))
    with pytest.raises(BadInput, match="did you mean 'trunk'"):
        world.push(Push(t=0, body="trunc", force=(1, 0, 0)))


@pytest.mark.parametrize(("text", "words"), [
    ("t=2,body=trunk", "needs force"), ("t=2,body=trunk,force=1:2", "three numbers"),
    ("t=x,body=trunk,force=1:2:3", "not a number"), ("t=2,body=trunk,force=1:2:nan", "out of range"),
    ("t=2,body=trunk,force=1:2:3,duration=0", "out of range"), ("t=2,bdy=trunk,force=1:2:3", "did you mean 'body'"),
    ("t=-1,body=trunk,force=1:2:3", "out of range")])
def test_bad_pushes_are_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Push.parse(text)


def test_thrown_ball_hits_with_its_mass() -> None:
    results = {}
    for mass in (0.5, 8.0):
        world = World(make_character("human"), projectiles=1)
        world.throw(Throw(t=0.1, body="trunk", mass=mass, speed=8.0, bearing=0.0))
        stepped(world, 150)
        results[mass] = world.figure.com[0]
        assert verify(Motion.from_world(world)).ok
    assert results[8.0] < results[0.5] - 0.05  # thrown from the front, the heavy ball drives it back


def test_a_ball_is_thrown_at_where_a_walker_will_be() -> None:
    start, velocity = Throw(t=0.0, speed=8.0, bearing=90.0, distance=3.0).launch(
        np.array([1.0, 2.0, 1.2]), np.pi / 2, going=np.array([0.4, 1.5, 0.3]))
    flight = 3.0 / 8.0
    met = start + flight * velocity + [0.0, 0.0, -0.5 * 9.81 * flight**2]
    np.testing.assert_allclose(met, [1.0 + 0.4 * flight, 2.0 + 1.5 * flight, 1.2], atol=1e-12)


def test_throwing_without_projectiles_says_how() -> None:
    with pytest.raises(BadInput, match="projectiles"):
        World(make_character("human")).throw(Throw(t=0))


def test_snapshot_restores_exactly() -> None:
    world = stepped(World(make_character("human")), 50)
    world.push(Push(t=0.3, body="head", force=(50, 20, 0)))
    moment = world.snapshot()
    first = stepped(world, 60).data.qpos.copy()
    world.restore(moment)
    second = stepped(world, 60).data.qpos.copy()
    np.testing.assert_array_equal(first, second)
    assert verify(Motion.from_world(world)).ok


def test_a_snapshot_brings_back_how_fast_surfaces_were_seen_to_change() -> None:
    world = World(make_character("human"), props=[Platform(amplitude=0.2, period=2.0)])
    body, place = np.array([world.model.body("platform").id]), np.zeros((1, 3))
    for _ in range(20):
        world.surfaces.motion(body, place)
        stepped(world, 1)
    moment = world.snapshot()
    first = world.surfaces.motion(body, place)
    stepped(world, 10)
    world.surfaces.motion(body, place)
    world.restore(moment)
    np.testing.assert_array_equal(world.surfaces.motion(body, place), first)
    assert abs(first[1][0, 0]) > 0.5
    world.reset(1)
    world.surfaces.motion(body, place)
    world.reset(2)
    world.surfaces.motion(body, place)
    top = world.figure.top
    np.testing.assert_array_equal(world.surfaces.seen[1][top, :3], world.data.cvel[top, :3])


def test_fall_is_seen_by_part_and_by_height() -> None:
    world = World(make_character("human"))
    reasons = []
    for _ in range(500):
        world.step(np.zeros(world.figure.nu))
        if reason := world.contacts.fallen(world.figure):
            reasons.append(reason)
    assert reasons and "half its standing height" in reasons[-1]
    world.figure.standing_height = 0.0
    assert "touches the ground" in (world.contacts.fallen(world.figure) or "")
    assert world.contacts.fallen(world.figure, uses=(*world.figure.anatomy.bodies, "abdomen")) is None


def test_nan_torques_and_runaway_states_stop_the_world() -> None:
    world = World(make_character("human"))
    with pytest.raises(Diverged, match="not a number"):
        world.step(np.full(world.figure.nu, np.nan))
    world.data.qvel[0] = 1e6
    with pytest.raises(Diverged, match="diverged"):
        world.step(np.zeros(world.figure.nu))


def test_two_characters_share_a_world_and_collide() -> None:
    world = World([make_character("human"), make_character("child")])
    controllers = [make_behavior("stand", world, index=k) for k in (0, 1)]
    for _ in range(100):
        world.step([controller.act() for controller in controllers])
    assert all(world.contacts.fallen(figure) is None for figure in world.figures)
    assert [figure.prefix for figure in world.figures] == ["human1/", "child2/"]
    masks = [(world.model.geom_contype[g], world.model.geom_conaffinity[g])
             for f in world.figures for g in np.flatnonzero(world.model.geom_bodyid == f.root)[:1]]
    assert masks[0][0] & masks[1][1] and not masks[0][0] & masks[0][1]


def test_black_box_keeps_only_the_last_seconds_and_replays() -> None:
    world = World(make_character("human"), keep=1.0)
    world.push(Push(t=3.2, body="trunk", force=(80, 0, 0)))
    stepped(world, 1000)
    motion = Motion.from_world(world)
    assert 1.0 <= motion.seconds <= 3.1
    assert len(motion.push_tick) == 25
    assert verify(motion).ok
    whole = stepped(World(make_character("human")), 1000)
    last = Motion.from_world(whole, last=2.0)
    assert 2.0 - 1e-9 <= last.seconds < 3.1 and verify(last).ok


def test_feet_are_stiff_and_do_not_creep() -> None:
    """Under a lasting side force a balancing human must not slide: creep below 0.1 mm/s, penetration below 0.1 mm."""
    world = World(make_character("human"))
    world.push(Push(t=0.5, body="trunk", force=(0, 40, 0), duration=4.0))
    foot = world.figure.body_id("left_foot")
    controller = make_behavior("balance", world)
    places = []
    for tick in range(1000):
        world.step(controller.act())
        if tick in (500, 999):
            places.append(world.data.xpos[foot].copy())
    assert world.contacts.fallen(world.figure) is None
    assert np.linalg.norm(places[1] - places[0]) / 2.0 < 1e-4
    assert -world.data.contact.dist.min() < 1e-4
    assert world.model.geom_friction[:, 0].max() <= 1.0


def test_a_morphed_body_stays_declared_after_a_reset() -> None:
    world = stepped(World(make_character("human")), 20)
    world.morph(world.characters[0].scaled(limb={"left_thigh": 1.1, "right_thigh": 1.1}))
    stepped(world, 20)
    taller = world.figure.standing_height
    world.reset()
    stepped(world, 40)
    motion = Motion.from_world(world)
    assert [tick for tick, _ in motion.edits] == [0] and verify(motion).ok
    assert world.figure.standing_height == pytest.approx(taller, abs=0.02)


def test_a_snapshot_brings_back_bodies_throws_and_plans() -> None:
    world = stepped(World(make_character("human"), projectiles=2), 10)
    mass = world.figure.mass
    moment = world.snapshot()
    world.throw(Throw(t=world.time, mass=1.0))
    world.morph(world.characters[0].scaled(height=1.6))
    stepped(world, 10)
    world.restore(moment)
    assert world.figure.mass == mass and world.characters[0].name == "human"
    world.throw(Throw(t=world.time, mass=3.0))
    stepped(world, 30)
    motion = Motion.from_world(world)
    assert verify(motion).ok and motion.model.body(int(motion.throw_body[0])).name == world.projectiles[0].name


def test_a_take_that_begins_during_a_push_is_honest() -> None:
    world = World(make_character("human"))
    world.push(Push(t=0.0, body="trunk", force=(50, 0, 0), duration=1.0))
    stepped(world, 30)
    world.restore(world.snapshot())
    stepped(world, 30)
    assert verify(Motion.from_world(world)).ok


@pytest.mark.parametrize(("t", "duration"), [(0.0101, 0.001), (0.008, 0.001), (0.01, 0.0333), (0.013, 0.1)])
def test_the_impulse_of_a_push_is_exact_whatever_its_timing(t: float, duration: float) -> None:
    world = World(make_character("human"))
    world.push(Push(t=t, body="trunk", force=(100, 0, 0), duration=duration))
    stepped(world, 40)
    motion = Motion.from_world(world)
    assert motion.push_wrench[:, 0].sum() * world.tick_length == pytest.approx(100 * duration, rel=1e-6)


def test_every_figure_can_be_pushed() -> None:
    world = World([make_character("human"), make_character("dinosaur")])
    world.push(Push(t=0, body="tail_1", force=(1, 0, 0)))
    world.push(Push(t=0, body="dinosaur2/head", force=(1, 0, 0)))
    world.step([np.zeros(figure.nu) for figure in world.figures])
    bodies = {world.model.body(int(b)).name for b in Motion.from_world(world).push_body}
    assert bodies == {"dinosaur2/tail_1", "dinosaur2/head"}


def test_torques_of_another_shape_are_refused() -> None:
    world = World(make_character("human"))
    with pytest.raises(BadInput, match="29 torques"):
        world.step(np.zeros(1))
