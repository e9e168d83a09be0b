"""A child stands on an adult's shoulders, and both keep their balance; nothing published.

    run(on_shoulders(seconds=10)).falls
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.behaviors import Behavior
from gambol.behaviors.whole_body import WholeBodyBehavior
from gambol.bodies import make_character
from gambol.bodies.character import Character
from gambol.experiments.experiment import Context, Result, below, count_of, experiment, report
from gambol.motion.measures import Measured
from gambol.motion.motion import Motion
from gambol.reporting.pictures import film
from gambol.runs.cast import Cast
from gambol.runs.performance import Performance
from gambol.runs.run import run
from gambol.runs.trial import Trial
from gambol.units import GRAVITY
from gambol.world.figure import Figure
from gambol.world.starts import Start, State
from gambol.world.world import World

SIDES = ("left", "right")
LEG = ("hip", "knee", "ankle")
ROUNDS, CLOSE = 40, 1e-5
"""Steps in which feet are brought onto shoulders, and how near is near enough, m and rad."""

SECONDS, SEEDS = 10.0, 3
SETTLED, EVERY = 1.0, 5
"""When forces are measured: from so many seconds on, every so many ticks."""
CLOSE_TO = 0.02
"""Planned and given forces are to differ by less than this share of the weight that is carried."""


@dataclass(frozen=True)
class Stood:
    """How it went."""

    falls: tuple[str | None, ...]
    seconds: float
    planned: np.ndarray
    given: np.ndarray
    """(samples, 2) upward forces on the feet of both, N: as planned, and as MuJoCo makes them"""
    weights: tuple[float, float]
    """of both together, and of who is borne, N: what the feet of each carry"""
    swayed: float
    """how far the COM of who is borne was from where it began, along the ground, m"""
    motion: Motion


def on_shoulders(seconds: float = 10.0, seed: int = 0, jitter: float = 1.0, bearer: str | Character = "human",
                 borne: str | Character = "child") -> Trial:
    """A trial: one figure stands on the shoulders of another, looking the same way; both balance.

    Both begin in their rest poses, disturbed by the seed; then the feet of who is borne are put onto the shoulders.
    """
    below, above = (World(make_character(who) if isinstance(who, str) else who, seed=2 * seed + k,
                          starts=[Start(x=0.0, y=0.0, jitter=jitter)]) for k, who in enumerate((bearer, borne)))
    _step_onto(above, _shoulders(below.figure))
    return Trial((Cast("balance", bearer, name="bearer", start=Start(state=_state(below, "the pose of a bearer"))),
                  Cast("balance", borne, name="borne", start=Start(state=_state(above, "the pose of who is borne")))),
                 terrain="flat", seconds=seconds, seed=seed)


def _shoulders(figure: Figure) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each shoulder: its middle (3,), and axes (3, 3): forward, left and up as columns."""
    found = []
    for side in SIDES:
        patch = figure.patch_set((f"{side}_shoulder",)).patches[0]
        turn = figure.data.xmat[patch.body].reshape(3, 3)
        found.append((figure.data.xpos[patch.body] + turn @ patch.points.mean(axis=0), turn))
    return found


def _step_onto(world: World, places: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Put the soles of a figure flat on places, by the joints of its legs; its trunk goes where they are."""
    figure, model, data = world.figure, world.model, world.data
    middles = [patch.points.mean(axis=0) for patch in figure.soles]
    soles = np.array([data.xpos[patch.body] + data.xmat[patch.body].reshape(3, 3) @ middle
                      for patch, middle in zip(figure.soles, middles, strict=True)])
    goals = np.array([place for place, _ in places])
    hips = np.array([data.xpos[figure.body_id(f"{side}_thigh")] for side in SIDES])
    leg, apart = float(np.mean(hips[:, 2] - soles[:, 2])), 0.5 * float(np.ptp(goals[:, 1]) - np.ptp(hips[:, 1]))
    address = int(model.jnt_qposadr[model.body_jntadr[figure.top]])
    data.qpos[address:address + 3] += goals.mean(axis=0) - soles.mean(axis=0)
    data.qpos[address + 2] -= leg - np.sqrt(leg**2 - apart**2)  # legs apart are as long as before
    jacobian, step = np.zeros((6, model.nv)), np.zeros(model.nv)
    for _ in range(ROUNDS):
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        step[:], worst = 0.0, 0.0
        for side, patch, middle, (place, axes) in zip(SIDES, figure.soles, middles, places, strict=True):
            turn = data.xmat[patch.body].reshape(3, 3)
            point = data.xpos[patch.body] + turn @ middle
            off = np.concatenate([place - point, 0.5 * np.cross(turn.T, axes.T).sum(axis=0)])
            mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], point, patch.body)
            legs = figure.anatomy.joints_of(*(f"{side}_{part}" for part in LEG))
            dofs = figure.joint_dofs[figure.joint_index(legs)]
            step[dofs] = np.linalg.lstsq(jacobian[:, dofs], off, rcond=None)[0]
            worst = max(worst, float(np.abs(off).max()))
        if worst < CLOSE:
            break
        mujoco.mj_integratePos(model, data.qpos, 0.7 * step, 1.0)


def _state(world: World, source: str) -> State:
    """How the figure of a world is now."""
    figure, data = world.figure, world.data
    joints = [data.joint(int(joint)) for joint in figure.joints]
    return State({joint.name.removeprefix(figure.prefix): (joint.qpos.copy(), joint.qvel.copy()) for joint in joints},
                 source)


def stands(seconds: float, seed: int) -> Stood:
    """A child on an adult's shoulders, until one falls."""
    performance = Performance.of(on_shoulders(seconds, seed))
    bearer, borne = performance.world.figures
    planned, given = [], []

    def feel(world: World, _: Behavior) -> None:
        """Forces as they were planned for the tick that is over, and as its end has them."""
        if world.time > min(SETTLED, seconds / 2) and world.tick % EVERY == 1:
            planned.append([_planned(behavior) for behavior in performance.behaviors])
            given.append([_on_feet(world, figure) for figure in world.figures])

    stood = run(performance, each=feel, to_fall="any")
    way = Measured(stood.motion, 1).series("com")[:, :2]
    weights = (bearer.mass + borne.mass) * GRAVITY, borne.mass * GRAVITY
    return Stood(tuple(None if fall is None else fall.reason for fall in stood.falls), stood.seconds,
                 np.array(planned).reshape(-1, 2), np.array(given).reshape(-1, 2), weights,
                 float(np.linalg.norm(way - way[0], axis=1).max()), stood.motion)


def _planned(behavior: object) -> float:
    """Sum of the upward forces that a behavior planned at its contacts, N."""
    problem = behavior.problem if isinstance(behavior, WholeBodyBehavior) else None
    return 0.0 if problem is None or problem.solution is None else float(problem.contact_force(problem.solution)[2])


def _on_feet(world: World, figure: Figure) -> float:
    """Sum of the upward forces on its feet, N."""
    return float(sum(contact.force[2] for contact in world.contacts.of(figure) if contact.role.endswith("_foot")))


@experiment("contacts-shoulders", group="contacts", source="own: another body is a surface, too",
            published="no figure")
def contacts_shoulders(context: Context) -> Result:
    """A child stands on an adult's shoulders; both balance, and each plans the forces that it gets"""
    seconds, seeds = (2.0, 1) if context.quick else (SECONDS, SEEDS)
    found = context.trials(stands, [(seconds, context.seed + k) for k in range(seeds)])
    rows = [count_of(f"both stand {seconds:g} s", "-", sum(not any(each.falls) for each in found), seeds, seeds)]
    for k, name in enumerate(("adult's feet", "child's feet")):
        planned, given, weight = (np.concatenate([each.planned[:, k] for each in found]),
                                  np.concatenate([each.given[:, k] for each in found]), found[0].weights[k])
        if not len(planned):
            continue
        rows.append(report(f"{name}: planned, given, weight above", "-",
                           f"{planned.mean():.0f} N, {given.mean():.0f} N, {weight:.0f} N"))
        rows.append(below(f"{name}: planned less given, median", "-",
                          float(np.median(np.abs(planned - given))) / weight, CLOSE_TO, "of that weight"))
    rows.append(report("child's COM: farthest from where it began", "-",
                       f"{100 * max(each.swayed for each in found):.1f} cm"))
    shown = found[0]
    return Result(rows, film(shown.motion, np.linspace(0.0, shown.seconds - 0.05, 5), "On the shoulders",
                             bearing=150.0, zoom=1.8, size=(220, 420)),
                  [f"Both begin in their rest poses, disturbed by the seed; forces from {SETTLED:g} s on."],
                  {"shoulders": shown.motion})
