"""Contacts and their forces: how they are decided, what hands are asked for, what props stand on."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("jax", reason="the extra `synthesis` is not installed")

from gambol.synthesis import groups, spline
from gambol.synthesis import problem as problems
from gambol.synthesis.deciding import unstuck
from gambol.synthesis.measures import measure
from gambol.synthesis.problem import Problem
from gambol.synthesis.scene import Handstand, Performer, Place, PropBox, Scene, Stand
from gambol.synthesis.stages import LADDER
from gambol.synthesis.synthesize import decided, synthesize
from gambol.synthesis.trajectory import Trajectory
from short_problem import PHASES


def test_contacts_are_decided_so_that_nobody_is_left_without_support(problem: Problem) -> None:
    layout, z = problem.layout, problem.guess(0.6)
    feet = np.isin(layout.contacts[:, 1], [0, 1])
    z[:, layout.parts["f"]].reshape(PHASES, spline.NODES, -1, 3)[:, :, feet, 2] = 9.81 / 8
    z[:, 2] += 0.5
    for foot in layout.limbs[0][:2]:
        z[:, layout.frames[foot][2]] += 0.2 * (foot == layout.limbs[0][0]) + 0.2
    on = decided(problem, z)
    assert (on[1:].sum(axis=1) >= 1).all()  # both are off the ground, but who would hold it?
    for foot in layout.limbs[0][:2]:
        z[:, layout.frames[foot][2]] = problem.start[layout.frames[foot][2]] + 0.2 * (foot == layout.limbs[0][0])
    assert (decided(problem, z)[1:].sum(axis=1) == 1).all()  # one stands: the other is let go


def test_forces_outside_of_cones_add_up(problem: Problem) -> None:
    """Else who has no friction walks all the same: on many points, a little on each."""
    layout, z = problem.layout, problem.guess(0.6)
    friction = lambda: next(m.value for m in measure(problem, z) if m.name == "friction")  # noqa: E731
    assert friction() == 0.0
    forces = z[:, layout.parts["f"]].reshape(PHASES, spline.NODES, -1, 3)
    forces[:, :, layout.fixed[:3], 1] = 0.02 * 9.81
    assert friction() == pytest.approx(0.06)


def test_feet_that_creep_are_seen_though_they_are_slow(problem: Problem) -> None:
    layout, z = problem.layout, problem.guess(1.0)
    forces = z[:, layout.parts["f"]].reshape(PHASES, spline.NODES, -1, 3)
    forces[:, :, :4, 2] = 9.81 / 4
    found = lambda: {m.name: m for m in measure(problem, z)}  # noqa: E731
    assert found()["creep"].value < 1e-9
    x = layout.frames[layout.limbs[0][0]][0]
    z[:, x] += 0.02 * np.arange(1, PHASES + 1)
    z[:, layout.features + x] = 0.02 / spline.PHASE
    assert found()["slip"].good and not found()["creep"].good
    assert found()["creep"].value == pytest.approx(0.02 * PHASES, rel=0.1)
    forces[:, -1, :4, 2] = 0.0  # let go for a moment in every phase: that is no step
    assert found()["creep"].value == pytest.approx(0.02 * PHASES, rel=0.1)
    forces[1, :, :4, 2] = 0.0  # a step between two stands: each counts alone
    assert found()["creep"].value == pytest.approx(0.02, rel=0.2)


def test_who_has_no_partners_touches_none() -> None:
    def touched(partners: bool) -> set[tuple[int, int]]:
        both = [Performer(partners=partners), Performer(x=2.0, yaw=180.0)]
        layout = Scene(both, [Stand()], props=[PropBox(name="crate", x=1.0)], phases=2).problem().layout
        return {(int(row[0]), int(row[4])) for row in layout.contacts if row[4] >= 0}

    assert touched(True) == {(0, 1), (0, 2), (1, 0), (1, 2)} and touched(False) == {(0, 2), (1, 0), (1, 2)}


def test_a_handstand_asks_for_both_palms() -> None:
    problem = Scene([Performer()], [Handstand()], phases=3).problem()
    layout, z = problem.layout, problem.guess(1.0)
    palms = [row[3] for row in layout.contacts if row[1] >= 2]
    params = problem.params(LADDER[1])
    task = lambda: problem.table(z, params)["task"]  # noqa: E731
    before = task()
    for phase, palm, dear in ((-1, palms[0], True), (-2, palms[1], True), (0, palms[0], False), (-1, 0, False)):
        z[phase, layout.parts["c"].start + palm] = 0.5
        assert (task() - before > 1.0) is dear
        z[phase, layout.parts["c"].start + palm] = 1.0


def test_a_handstand_is_on_both_hands() -> None:
    problem = Scene([Performer()], [Handstand()], phases=2).problem()
    layout, z = problem.layout, problem.guess(0.6)
    hands = [i for i, row in enumerate(layout.contacts) if row[1] >= 2]
    assert len(hands) == 2
    forces = z[:, layout.parts["f"]].reshape(2, spline.NODES, -1, 3)
    for pushing, good in ((hands[:1], False), (hands, True)):
        forces[-1, :, pushing, 2] = 0.5 * 9.81
        assert next(m for m in measure(problem, z) if m.name == "palms").good is good


def test_a_prop_that_is_wished_to_move_is_taken_off_the_ground() -> None:
    crate = PropBox(name="crate", x=1.0)
    problem = Scene([Performer()], [Place(prop="crate", x=2.0)], props=[crate], phases=3).problem()
    layout, z = problem.layout, problem.guess(0.5)
    z[1:, layout.frames[layout.roots[1]][0]] += [0.4, 0.4]  # it stays, moves, and stays
    underside = layout.contacts[layout.contacts[:, 0] == 1, 3][0]
    on = unstuck(layout, problem.start, z)
    np.testing.assert_allclose(on[:, underside], [0.5, 0.0, 0.5])
    np.testing.assert_allclose(np.delete(on, underside, axis=1), 0.5)


def test_a_prop_stands_on_one_contact_and_forces_on_it_count_by_its_own_weight() -> None:
    prop = PropBox(name="crate", x=1.0, mass=3.0)
    problem = Scene([Performer()], [Place(prop="crate", x=2.0)], props=[prop], phases=2).problem()
    layout = problem.layout
    underside = layout.contacts[(layout.contacts[:, 0] == 1) & (layout.contacts[:, 1] < 0)]
    assert len(underside) == 4 and len(set(underside[:, 3])) == 1
    z = problem.guess()
    forces = z[:, layout.parts["f"]].reshape(2, spline.NODES, -1, 3)
    forces[:, :, np.flatnonzero(layout.contacts[:, 3] == underside[0, 3]), 2] = 9.81 * 3.0 / 81.82 / 4
    np.testing.assert_allclose(Trajectory(problem, z).load()[:, underside[0, 3]], 1.0, rtol=1e-3)


# -- constants ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def crowded() -> Scene:
    """Two characters and a prop: every group has several instances."""
    return Scene([Performer(), Performer("child", x=1.0, partners=True)], [Stand()], phases=1,
                 props=[PropBox(name="crate", x=2.0)])


def test_constants_and_contacts_are_made_once(crowded: Scene) -> None:
    problem = crowded.problem()
    assert problem.constants() is problem.constants() and problem.contacts is problem.contacts
    for one, row in zip(problem.contacts, problem.layout.contacts, strict=True):
        assert bool(one.held) is bool(row[4] == 2) and bool(one.prop) is bool(row[0] == 2)


def test_a_scene_is_made_into_a_problem_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, made, make = Scene([Performer()], [Stand()], phases=PHASES), [], Scene.problem
    monkeypatch.setattr(Scene, "problem", lambda self: [made.append(1), make(self)][1])
    synthesize(scene, tell=lambda news: True)
    assert len(made) == 1


def test_constants_follow_the_order_of_instances(crowded: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slots of groups and constants are both made from `instances`, whatever order that has."""
    layout = crowded.layout
    before, slots = crowded.problem().constants(), {group.name: group.slots for group in groups.groups_of(layout)}
    turned = {name: rows[::-1] for name, rows in groups.instances(layout).items()}
    assert set(turned) == set(slots)
    for module in (groups, problems):
        monkeypatch.setattr(module, "instances", lambda layout: turned)
    after = Problem(crowded.actors, crowded.phases, crowded.boxes).constants()
    for group in groups.groups_of(layout):
        assert len(slots[group.name][0].where) > 1
        for old, new in zip(slots[group.name], group.slots, strict=True):
            np.testing.assert_array_equal(new.where, old.where[::-1], group.name)
        for name, value in before[group.name].items():
            if (group.name, name) != ("pace", "trunk"):  # only their number matters
                np.testing.assert_array_equal(after[group.name][name], value[::-1], f"{group.name} {name}")


def test_constants_that_miss_a_row_are_noticed(crowded: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    of = groups.instances(crowded.layout)
    monkeypatch.setattr(problems, "instances", lambda layout: {**of, "limb": of["limb"][1:]})
    with pytest.raises(ValueError, match=r"of group limb: 7 rows for 8 instances"):
        crowded.problem()
