"""A child stands on an adult's shoulders, and both keep their balance; no source.

    run(on_shoulders(seconds=10)).falls
"""

from __future__ import annotations

import mujoco
import numpy as np

from gambol.bodies import make_character
from gambol.bodies.character import Character
from gambol.runs.cast import Cast
from gambol.runs.trial import Trial
from gambol.world.figure import Figure
from gambol.world.starts import Start, State
from gambol.world.world import World

SIDES = ("left", "right")
LEG = ("hip", "knee", "ankle")
ROUNDS, CLOSE = 40, 1e-5
"""Steps in which feet are brought onto shoulders, and how near is near enough, m and rad."""


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
            dofs = figure.joint_dofs[figure.joint_index([name for part in LEG
                                                         for name in figure.anatomy.joints[f"{side}_{part}"]])]
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
