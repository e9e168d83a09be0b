"""Retargeting: poses of a character in which its limbs point where those of a recorded actor do.

Gauss-Newton on one frame after the other, each beginning with the last. What is kept is the directions of the limbs,
the turns of pelvis, trunk and head, and (in the second fit) the places of the feet and of the COM; joint angles are
whatever gives these. Twist of thighs and upper arms is followed softly, and the two joints of a spine share its bend.
Joints that would leave their range are fixed at it and the rest is solved again: merely cutting them off would leave
the feet under the ground in a squat.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from gambol.planning.reference.clip import Clip, shortest
from gambol.planning.reference.poser import Poser
from gambol.planning.reference.series import turns_at, values_at
from gambol.rotations import rotation_vector, unit

RATE = 60.0
"""Poses a second that are solved for."""
WEIGHTS = {"limb": 1.0, "root": 1.0, "trunk": 1.0, "head": 0.5, "foot": 1.0, "placed_foot": 0.3, "twist": 0.15,
           "hips": 0.9, "bend": 0.5, "posture": 0.011, "com": 10.0}
"""Of the rows of each kind, relative to a limb's direction; places in 1/m."""
DAMPING = 1e-4
ROUNDS, FIRST_ROUNDS = 5, 60
STEP = 0.5
"""rad, the most that a joint turns in a round."""
CLOSE = 2e-3
"""rad or m: a smaller step is the last one."""


@dataclass
class Targets:
    """What the poses of n moments should be like, `1 / RATE` s apart."""

    hips: np.ndarray
    """(n, 3) between the hip joints, m"""
    turns: dict[str, np.ndarray]
    """role -> (n, 3, 3) turn since the zero pose"""
    twists: dict[str, np.ndarray]
    """the same of limbs, of which only the twist is wanted"""
    directions: dict[str, np.ndarray]
    """role -> (n, 3); of feet too, which the fit has as turns"""
    posture: np.ndarray
    """(n, nq) or (1, nq): where joints go that nothing else asks for"""
    ends: np.ndarray | None = None
    """(n, feet, 2, 3) places of heels and toes, m"""
    end_weights: np.ndarray | None = None
    """(n, feet, 2)"""
    com: np.ndarray | None = None
    """(n, 3) m"""
    balls: dict[str, np.ndarray] = field(default_factory=dict)
    """foot -> (n, 3) the ball of the recorded foot"""

    @property
    def count(self) -> int:
        return len(self.hips)

    def posture_at(self, row: int) -> np.ndarray:
        return self.posture[min(row, len(self.posture) - 1)]


def targets_of(clip: Clip, poser: Poser) -> Targets:
    """What a clip asks of a character: by role, as far as both have the part."""
    times = np.arange(0.0, clip.seconds + 1e-9, 1.0 / RATE)
    turns = {role: turns_at(clip.turns[role], clip.rate, times) for role in poser.parts if role in clip.turns}
    twists = {}
    for side in ("left", "right"):
        for part in ("thigh", "upper_arm"):
            role = f"{side}_{part}"
            if role in clip.turns and role in clip.straight and role in poser.limbs:
                # from the limb of the zero pose to that of the pose of reference, and on with what was recorded
                out = shortest(poser.hanging[role], clip.straight[role])
                twists[role] = turns_at(clip.turns[role], clip.rate, times) @ out
    directions = {role: unit(values_at(clip.directions[role], clip.rate, times))
                  for role in (*poser.limbs, *poser.feet) if role in clip.directions}
    return Targets(values_at(clip.hips, clip.rate, times), turns, twists, directions, poser.zero[None].copy(),
                   balls={foot: values_at(clip.balls[foot], clip.rate, times)
                          for foot in poser.feet if foot in clip.balls})


def fit(poser: Poser, targets: Targets, start: np.ndarray | None = None) -> np.ndarray:
    """Poses (n, nq) that come nearest to the targets; `start`: poses to begin with, of an earlier fit."""
    problem = _Problem(poser, targets)
    last = _first_guess(poser, targets) if start is None else start[0].copy()
    poses = np.empty((targets.count, poser.model.nq))
    for row in range(targets.count):
        guess = last.copy()
        if start is not None and row:
            guess = _between(poser.model, last, start[row])
        last = poses[row] = problem.solve(row, guess, ROUNDS if row else FIRST_ROUNDS)
    return poses


def _first_guess(poser: Poser, targets: Targets) -> np.ndarray:
    """The posture, put where the root is."""
    qpos = targets.posture_at(0).copy()
    if "root" in targets.turns:
        turn = targets.turns["root"][0] @ poser.rest_turn[poser.index.root]
        mujoco.mju_mat2Quat(qpos[3:7], np.ascontiguousarray(turn).ravel())
    qpos[:3] = targets.hips[0]
    return qpos


def _between(model: mujoco.MjModel, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The pose half way between two."""
    way, found = np.empty(model.nv), a.copy()
    mujoco.mj_differentiatePos(model, way, 1.0, a, b)
    mujoco.mj_integratePos(model, found, way, 0.5)
    return found


class _Problem:
    """Rows and right sides of the fit of one frame, in arrays that are made once."""

    def __init__(self, poser: Poser, targets: Targets) -> None:
        self.poser, self.targets = poser, targets
        self.placed = targets.ends is not None
        kinds: dict[str, float] = {role: WEIGHTS[role if role in WEIGHTS else "foot"] for role in targets.turns}
        if self.placed:
            kinds |= {role: WEIGHTS["placed_foot"] for role in kinds if role in poser.feet}
        self.turns = [(poser.roles[role], weight, values @ poser.rest_turn[poser.roles[role]])
                      for role, values in targets.turns.items() for weight in (kinds[role],)]
        self.turns += [(poser.roles[role], WEIGHTS["twist"], values @ poser.rest_turn[poser.roles[role]])
                       for role, values in targets.twists.items()]
        self.limbs = [(*poser.limbs[role], values) for role, values in targets.directions.items()
                      if role in poser.limbs]
        nv = poser.model.nv
        places = 2 * len(poser.feet) * self.placed + (targets.com is not None) + 1
        self.count = 3 * (len(self.turns) + len(self.limbs) + places)
        self.rows = np.zeros((self.count + len(poser.bend) + nv - 6, nv))
        self.wanted = np.zeros(len(self.rows))
        self.rows[self.count:self.count + len(poser.bend)] = WEIGHTS["bend"] * poser.bend
        self.rows[self.count + len(poser.bend):] = WEIGHTS["posture"] * np.eye(nv)[6:]
        self.one, self.two, self.way = np.zeros((3, nv)), np.zeros((3, nv)), np.zeros(nv)

    def solve(self, row: int, qpos: np.ndarray, rounds: int) -> np.ndarray:
        """The pose of a frame, from a guess."""
        poser = self.poser
        for _ in range(rounds):
            poser.put(qpos)
            self._assemble(row, qpos)
            step = self._step(qpos)
            size = float(np.abs(step[6:]).max(initial=0.0))
            if size > STEP:
                step *= STEP / size
            mujoco.mj_integratePos(poser.model, qpos, step, 1.0)
            qpos[poser.limited_qpos] = np.clip(qpos[poser.limited_qpos], poser.low, poser.high)
            if np.abs(step).max() < CLOSE:
                break
        return qpos

    def _assemble(self, row: int, qpos: np.ndarray) -> None:
        """Fill in all rows, linearised at the pose that was put."""
        poser, targets, model, data = self.poser, self.targets, self.poser.model, self.poser.data
        a, r, one, two = self.rows, self.wanted, self.one, self.two
        at = 0
        for body, weight, turns in self.turns:
            mujoco.mj_jacBody(model, data, None, one, body)
            a[at:at + 3] = weight * one
            r[at:at + 3] = weight * rotation_vector(turns[row] @ data.xmat[body].reshape(3, 3).T)
            at += 3
        for begin, finish, directions in self.limbs:
            mujoco.mj_jacBody(model, data, one, None, begin)
            mujoco.mj_jacBody(model, data, two, None, finish)
            way = data.xpos[finish] - data.xpos[begin]
            length = np.sqrt(way @ way)
            way /= length
            change = (two - one) / length
            a[at:at + 3] = change - way[:, None] * (way @ change)
            r[at:at + 3] = directions[row] - way
            at += 3
        root, weight = poser.index.root, WEIGHTS["hips"]
        hips = data.xpos[root] + data.xmat[root].reshape(3, 3) @ poser.between_hips
        at = self._place(at, root, hips, targets.hips[row], weight)
        if targets.ends is not None and targets.end_weights is not None:
            for k, foot in enumerate(poser.feet):
                for e, end in enumerate(poser.ends[foot]):
                    place = data.xpos[end.body] + data.xmat[end.body].reshape(3, 3) @ end.point
                    at = self._place(at, end.body, place, targets.ends[row, k, e], targets.end_weights[row, k, e])
        if targets.com is not None:
            mujoco.mj_jacSubtreeCom(model, data, one, poser.index.top)
            a[at:at + 3] = WEIGHTS["com"] * one
            r[at:at + 3] = WEIGHTS["com"] * (targets.com[row] - data.subtree_com[poser.index.top])
        mujoco.mj_differentiatePos(model, self.way, 1.0, poser.zero, qpos)
        r[self.count:self.count + len(poser.bend)] = -WEIGHTS["bend"] * (poser.bend @ self.way)
        mujoco.mj_differentiatePos(model, self.way, 1.0, qpos, targets.posture_at(row))
        r[self.count + len(poser.bend):] = WEIGHTS["posture"] * self.way[6:]

    def _place(self, at: int, body: int, place: np.ndarray, wanted: np.ndarray, weight: float) -> int:
        """Rows for a point of a body; returns the row after them."""
        mujoco.mj_jac(self.poser.model, self.poser.data, self.one, None, place, body)
        self.rows[at:at + 3] = weight * self.one
        self.wanted[at:at + 3] = weight * (wanted - place)
        return at + 3

    def _step(self, qpos: np.ndarray) -> np.ndarray:
        """The Gauss-Newton step; joints that would leave their range go to its end, the rest is solved again."""
        poser = self.poser
        matrix = self.rows.T @ self.rows
        matrix[np.diag_indices(len(matrix))] += DAMPING
        side = self.rows.T @ self.wanted
        step: np.ndarray = np.linalg.solve(matrix, side)
        now = qpos[poser.limited_qpos]
        fixed = np.zeros(len(step), dtype=bool)
        for _ in range(4):
            to = now + step[poser.limited_dofs]
            out = (to < poser.low - 1e-6) | (to > poser.high + 1e-6) | fixed[poser.limited_dofs]
            if out.sum() == fixed.sum():
                break
            fixed[poser.limited_dofs] = out
            ends = np.zeros(len(step))
            ends[poser.limited_dofs] = np.clip(to, poser.low, poser.high) - now
            free = ~fixed
            step[fixed] = ends[fixed]
            step[free] = np.linalg.solve(matrix[np.ix_(free, free)],
                                         side[free] - matrix[np.ix_(free, fixed)] @ step[fixed])
        return step
