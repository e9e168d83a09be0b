"""From frames to a full body: inverse kinematics of the real character, row by row, contacts first.

Each foot's corners and each hand's point are targets; knees and elbows follow the puppet's softly; the root stays near
the puppet's trunk, but gives way where a joint would be beyond its range; what is left free stays near the rest pose
and near the row before.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d
from scipy.spatial.transform import Rotation

from gambol.bodies.character import Character
from gambol.synthesis.layout import LOADED
from gambol.synthesis.puppet import Limb, Puppet
from gambol.synthesis.trajectory import Trajectory
from gambol.world.index import ModelIndex

RATE = 60.0
"""Rows of the Motion a second."""
STEPS = 60
"""Most iterations a row: few are needed but where a foot lands quickly with a joint at its limit."""
NEAR_REST, NEAR_LAST, STIFF_SPINE, STIFF_ROOT, MIDDLE = 2e-4, 2e-3, 0.01, 2.0, 0.2
"""Weights of staying near the rest pose and near the last row, of the spine's bend, of the root off the plan, and of
the places of knees and elbows."""

PINNED, IDLE, FADE = 4.0, 0.2, 3
"""Weight of a foot or hand that carries load, and of one in the air; rows over which it changes."""


@dataclass(frozen=True)
class Target:
    """Points of a body that should be somewhere."""

    body: int
    local: np.ndarray
    """in the body's frame, (k, 3)"""
    world: np.ndarray
    """over time, (t, k, 3)"""
    weight: np.ndarray
    """over time, (t,)"""
    activation: int | None = None


class FullBody:
    """One figure of a compiled scene and what it should follow."""

    def __init__(self, model: mujoco.MjModel, prefix: str, character: Character, path: Trajectory, actor: int) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        self.path, self.actor = path, actor
        self.puppet: Puppet = path.problem.actors[actor].puppet
        self.index = ModelIndex(model, prefix, character.anatomy)
        free, hinges = self.index.joints[0], self.index.joints[1:]
        self.free = int(model.jnt_qposadr[free])
        self.qpos, self.dofs = model.jnt_qposadr[hinges], model.jnt_dofadr[hinges]
        limited = model.jnt_limited[hinges].astype(bool)
        self.low = np.where(limited, model.jnt_range[hinges, 0], -np.pi)
        self.high = np.where(limited, model.jnt_range[hinges, 1], np.pi)
        self.moves = np.concatenate([model.jnt_dofadr[free] + np.arange(6), self.dofs])
        names = [model.joint(j).name.removeprefix(prefix) for j in hinges]
        spine = {n for role in ("lower_spine", "upper_spine", "neck", "tail")
                 for n in character.anatomy.joints.get(role, ())}
        self.pull = np.array([STIFF_SPINE if name in spine else NEAR_REST for name in names])
        self.rest = np.clip(np.array([character.rest.get(name, 0.0) for name in names]), self.low, self.high)
        self.targets = self._targets(character)

    def _targets(self, character: Character) -> list[Target]:
        layout, found = self.path.problem.layout, []
        load = self.path.load()
        self.data.qpos[:] = self.model.qpos0
        self.data.qpos[self.qpos] = self.rest
        mujoco.mj_kinematics(self.model, self.data)
        for b, limb in enumerate(self.puppet.limbs):
            frame = layout.limbs[self.actor][b]
            body = self.index.body_id(limb.role)
            link = limb.role.replace("hand", "forearm").replace("foot", "shank")
            lower = self.index.body_id(link)
            place, turn = self.path.place[:, frame], self.path.turn[:, frame]
            row = next(row for row in layout.contacts if tuple(row[:2]) == (self.actor, b))
            if limb.is_foot:
                local = np.asarray(character.anatomy.soles[limb.role])
                world = place[:, None] + np.einsum("tab,kb->tka", turn, limb.points)
            else:
                local = _along_forearm(self.data, lower, body, limb)[None]
                world = place[:, None]
            middle = self.path.joints(self.actor, b)[1][:, None]
            found.append(Target(lower, np.zeros((1, 3)), middle, np.full(len(world), MIDDLE)))
            on = (load[:, row[3]] > LOADED).astype(float)
            weight = IDLE + (PINNED - IDLE) * gaussian_filter1d(maximum_filter1d(on, 2 * FADE + 1), FADE / 2)
            found.append(Target(body, local, world, weight, int(row[3])))
        return found

    def follow(self) -> np.ndarray:
        """`qpos` of the whole model over time, this figure's part filled in, (t, nq)."""
        frame = self.path.problem.layout.roots[self.actor]
        rows = np.tile(self.model.qpos0, (len(self.path.time), 1))
        row = self.model.qpos0.copy()
        row[self.qpos] = self.rest
        for t in range(len(rows)):
            turn = self.path.turn[t, frame]
            plan = row.copy()
            plan[self.free:self.free + 3] = self.path.place[t, frame] - turn @ self.puppet.center
            plan[self.free + 3:self.free + 7] = Rotation.from_matrix(turn).as_quat()[[3, 0, 1, 2]]
            row = plan.copy()
            for _ in range(STEPS):
                step = self._step(row, plan, t)
                full = np.zeros(self.model.nv)
                full[self.moves] = step
                mujoco.mj_integratePos(self.model, row, full, 1.0)
                row[self.qpos] = np.clip(row[self.qpos], self.low, self.high)
                if np.abs(step).max() < 1e-4:
                    break
            rows[t] = row
        return rows

    def _step(self, row: np.ndarray, plan: np.ndarray, t: int) -> np.ndarray:
        """A Gauss-Newton step; joints at their limits that would go beyond are held."""
        self.data.qpos[:] = row
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        q = row[self.qpos]
        follow = 0.0 if t == 0 else NEAR_LAST
        off = np.zeros(self.model.nv)
        mujoco.mj_differentiatePos(self.model, off, 1.0, row, plan)
        matrix = np.diag(np.concatenate([np.full(6, STIFF_ROOT), self.pull + follow]) + 1e-6)
        side = np.concatenate([STIFF_ROOT * off[self.moves[:6]], self.pull * (self.rest - q) + follow * off[self.dofs]])
        jacobian = np.zeros((3, self.model.nv))
        for target in self.targets:
            turn = self.data.xmat[target.body].reshape(3, 3)
            for local, wanted in zip(target.local, target.world[t], strict=True):
                point = self.data.xpos[target.body] + turn @ local
                mujoco.mj_jac(self.model, self.data, jacobian, None, point, target.body)
                own = jacobian[:, self.moves]
                matrix += target.weight[t] ** 2 * own.T @ own
                side += target.weight[t] ** 2 * own.T @ (wanted - point)
        step = np.linalg.solve(matrix, side)
        held = np.zeros(len(step), dtype=bool)
        for _ in range(4):  # joints that arrive at a limit leave the rest to others
            turn_ = step[6:]
            beyond = ((q <= self.low) & (turn_ < 0)) | ((q >= self.high) & (turn_ > 0))
            if not (beyond & ~held[6:]).any():
                break
            held[6:] |= beyond
            loose = ~held
            step = np.zeros_like(step)
            step[loose] = np.linalg.solve(matrix[np.ix_(loose, loose)], side[loose])
        return np.clip(step, -0.3, 0.3)

    def drift(self, rows: np.ndarray) -> tuple[float, float]:
        """Largest distance from the plan of a loaded contact point, and of the trunk, m."""
        load, frame = self.path.load(), self.path.problem.layout.roots[self.actor]
        trunk = self.path.place[:, frame] - self.path.turn[:, frame] @ self.puppet.center
        away = float(np.linalg.norm(rows[:, self.free:self.free + 3] - trunk, axis=-1).max())
        worst = 0.0
        for t, row in enumerate(rows):
            self.data.qpos[:] = row
            mujoco.mj_kinematics(self.model, self.data)
            for target in self.targets:
                if target.activation is not None and load[t, target.activation] > LOADED:
                    points = self.data.xpos[target.body] + target.local @ self.data.xmat[target.body].reshape(3, 3).T
                    worst = max(worst, float(np.linalg.norm(points - target.world[t], axis=-1).max()))
        return worst, away


def _along_forearm(data: mujoco.MjData, lower: int, hand: int, limb: Limb) -> np.ndarray:
    """The hand's contact point in its body's frame: on the line of the forearm, as far out as the puppet's."""
    along = data.xpos[hand] - data.xpos[lower]
    reach = limb.links[1] - np.linalg.norm(along)
    return np.asarray(data.xmat[hand].reshape(3, 3).T @ (along / np.linalg.norm(along) * reach))
