"""Putting figures where and how they begin: standing on what is there, seated, lying limp, or as a Motion had them.

Who lies was dropped limp, and who sits was lowered onto the seat by springs, before time begins: in data of its own,
while everything else, standing figures and props, was held where it begins. The run itself starts from what came of it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

import mujoco
import numpy as np

from gambol.bodies.body_tree import body_points
from gambol.bodies.poses import lying, sitting
from gambol.errors import BadInput, Diverged
from gambol.world.figure import Figure
from gambol.world.props import Chair, Prop
from gambol.world.starts import Start, State
from gambol.world.surfaces import Surfaces

DROP = 0.05
"""A figure that is to lie is dropped from this height over the ground, m."""
CLOSE = 1e-4
"""A figure that overlaps a thing by less than this, m, counts as outside of it."""
SETTLING = 1.0
"""Time to come to rest, s."""
BESIDE = 1.2
"""Figures without a place begin this far beside each other, m."""
BACK_GAP, CALF_GAP = 0.04, 0.02
"""Room between a back and the back of the chair, and between the seat's edge and the calves, m."""
STIFF, SOFT = 5.0, 2.0
"""Springs that hold a figure while it comes to rest on its seat, of trunk and arms, and of legs: shares of each joint's
strength per radian."""
AHEAD = 0.15
"""Seated feet are about this far before the seat's edge, m."""
RUNAWAY = 1e3
"""Speed, m/s and rad/s, from which on a figure that comes to rest counts as flown off."""


class Placing:
    """Places the figures of a world in its data."""

    def __init__(self, data: mujoco.MjData, figures: Sequence[Figure], starts: Sequence[Start],
                 props: Sequence[Prop], surfaces: Surfaces, rng: np.random.Generator) -> None:
        self.model, self.data, self.rng = surfaces.model, data, rng
        self.figures, self.starts, self.surfaces = figures, starts, surfaces
        self.tops = {figure.top for figure in figures}
        self.taken: set[str] = set()
        """names of the chairs that somebody sits on"""
        self.chairs: Iterator[Chair] = iter([prop for prop in props if isinstance(prop, Chair)])

    def place(self) -> None:
        """All of them; who lies or sits comes to rest after all have their places."""
        resting: list[Figure] = []
        for index, (figure, start) in enumerate(zip(self.figures, self.starts, strict=True)):
            if start.state is not None:
                self._put(figure, start, start.state)
            elif start.pose == "standing":
                self._stand(figure, start, index)
            else:
                self._rest(figure, start, index)
                resting.append(figure)
        if resting:
            self._settle(resting)

    # -- standing ----------------------------------------------------------------------------------------------------

    def _stand(self, figure: Figure, start: Start, index: int) -> None:
        """In the rest pose, slightly disturbed, soles on the highest thing below."""
        data = self.data
        self._disturb(figure, start, figure.rest)
        if not figure.floating:
            return
        self._go(figure, start, index)
        self._turn(figure, start)
        mujoco.mj_kinematics(self.model, data)
        self._set_down(figure, figure.sole_points() if figure.soles else data.xipos[figure.bodies])

    def _disturb(self, figure: Figure, start: Start, angles: np.ndarray) -> None:
        data, noise = self.data, start.jitter * figure.floating
        figure.drives.put(angles + start.spread.joints * noise * self.rng.standard_normal(figure.nu), data.qpos)
        data.qvel[figure.joint_dofs] = start.spread.rates * noise * self.rng.standard_normal(figure.nu)

    def _go(self, figure: Figure, start: Start, index: int) -> None:
        x, y = self.surfaces.terrain.start
        row = [k for k, other in enumerate(self.starts) if other.y is None]  # who has a place takes none of the others'
        beside = y + BESIDE * (row.index(index) - (len(row) - 1) / 2) if start.y is None else y
        address = _address(figure)
        self.data.qpos[address:address + 2] = (x if start.x is None else start.x,
                                               beside if start.y is None else start.y)

    def _turn(self, figure: Figure, start: Start) -> None:
        yaw = start.yaw
        if start.spread.heading and start.jitter:
            yaw += min(180.0, start.jitter * start.spread.heading) * self.rng.uniform(-1.0, 1.0)
        if yaw:
            self._rotate(figure, (0.0, 0.0, 1.0), np.radians(yaw))

    def _rotate(self, figure: Figure, axis: tuple[float, float, float], angle: float) -> None:
        """Turn it about an axis of the world."""
        address, half = _address(figure), angle / 2
        mujoco.mju_mulQuat(self.data.qpos[address + 3:address + 7],
                           np.array([np.cos(half), *(np.sin(half) * np.array(axis))]),
                           self.data.qpos[address + 3:address + 7].copy())

    def _set_down(self, figure: Figure, points: np.ndarray) -> None:
        """Put points of it on the ground; if it is in a thing there, on top of that, and so on."""
        data, address = self.data, _address(figure) + 2
        ground = self.surfaces.terrain.height(points[:, 0], points[:, 1])
        data.qpos[address] += np.max(ground - points[:, 2])
        if self.surfaces.bare:
            return
        begin, level = data.qpos[address], 0.0
        points = points + [0.0, 0.0, np.max(ground - points[:, 2])]
        while things := self._is_in(figure):
            tops = [max(self.surfaces.top(thing, float(x), float(y)) - z for x, y, z in points) for thing in things]
            higher = [top for top in tops if top > level]
            if not higher:  # in something that has no top to stand on there, such as a wall before the chest
                break
            level = min(higher)
            data.qpos[address] = begin + level

    # -- lying and seated --------------------------------------------------------------------------------------------

    def _rest(self, figure: Figure, start: Start, index: int) -> None:
        data, (first, last) = self.data, _share(figure)
        noise = start.jitter * start.spread.joints * self.rng.standard_normal(figure.nv)
        if start.pose == "sitting":
            self._seat(figure, start, noise[6:])
            self._lift(figure)
            return
        data.qpos[first:last] = lying(figure.character, start.pose)
        self._go(figure, start, index)
        for axis, tilt in zip(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), noise[:2], strict=True):
            self._rotate(figure, axis, float(tilt))
        self._turn(figure, start)
        turn = np.zeros(self.model.nv)
        turn[figure.dofs][6:] = noise[6:]
        mujoco.mj_integratePos(self.model, data.qpos, turn, 1.0)
        figure.drives.put(np.clip(figure.angles, *figure.joint_limits), data.qpos)
        mujoco.mj_kinematics(self.model, data)
        self._set_down(figure, np.concatenate([body_points(self.model, data, int(body)) for body in figure.bodies]))
        self._lift(figure)
        data.qpos[_address(figure) + 2] += DROP

    def _seat(self, figure: Figure, start: Start, noise: np.ndarray) -> None:
        """On the next chair, looking where that looks."""
        data, (first, last) = self.data, _share(figure)
        chair = next(self.chairs, None)
        if chair is None:
            raise BadInput(f"{figure.character.name!r} has no chair to sit on")
        self.taken.add(chair.name)
        mujoco.mj_kinematics(self.model, data)
        body = data.body(chair.name)
        turn, half = body.xmat.reshape(3, 3), chair.size / 2
        seat = float(body.xpos[2]) + chair.seat
        feet = body.xpos + turn @ np.array([half + AHEAD, 0.0, 0.0])
        ground = float(self.surfaces.height(feet[0], feet[1], seat))
        seated = sitting(figure.character, seat - ground, chair.name, noise)
        data.qpos[first:last] = seated.qpos
        ahead = max(chair.backrest + BACK_GAP - seated.back, half + CALF_GAP - seated.calves)
        shift = start.jitter * start.spread.seat * self.rng.uniform(-1.0, 1.0, 2) if start.spread.seat else np.zeros(2)
        place = body.xpos + turn @ np.array([ahead + shift[0], shift[1], 0.0])
        address = _address(figure)
        data.qpos[address:address + 2] = place[:2]
        data.qpos[address + 2] += ground
        self._rotate(figure, (0.0, 0.0, 1.0), float(np.arctan2(turn[1, 0], turn[0, 0])))

    def _lift(self, figure: Figure) -> None:
        """Raise a figure, 5 mm at a time, until it overlaps nothing."""
        while self._is_in(figure, terrain=True):
            self.data.qpos[_address(figure) + 2] += 0.005

    def _is_in(self, figure: Figure, terrain: bool = False) -> list[int]:
        """Geoms of props that a figure overlaps; of the terrain too, if wanted."""
        model, data = self.model, self.data
        mujoco.mj_fwdPosition(model, data)
        deep = data.contact.geom[data.contact.dist < -CLOSE]
        own = model.body_rootid[model.geom_bodyid[deep]]
        things = [int(geoms[1 - side]) for geoms, tops in zip(deep, own, strict=True) for side in (0, 1)
                  if tops[side] == figure.top and tops[1 - side] not in self.tops]
        return [thing for thing in dict.fromkeys(things) if terrain or not self.surfaces.is_ground(thing)]

    def _settle(self, resting: Sequence[Figure]) -> None:
        """Let some figures come to rest by themselves, and loose chairs that they sit on; no motor pulls."""
        model = copy.copy(self.model)
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
        scratch = copy.copy(self.data)
        free_q, free_v = np.zeros(model.nq, dtype=bool), np.zeros(model.nv, dtype=bool)
        for figure in resting:
            free_q[slice(*_share(figure))] = free_v[figure.dofs] = True
            if self.starts[self.figures.index(figure)].pose == "sitting":
                _hold(model, scratch, figure)
        for joint in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE):  # a seat gives way a little, too
            if model.body(model.jnt_bodyid[joint]).name in self.taken:
                address, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
                free_q[address:address + 7] = free_v[dof:dof + 6] = True
        held = scratch.qpos[~free_q].copy()
        scratch.qvel[:] = 0.0
        for _ in range(round(SETTLING / model.opt.timestep)):
            mujoco.mj_step(model, scratch)
            scratch.qpos[~free_q], scratch.qvel[~free_v] = held, 0.0
        if not (np.abs(scratch.qvel).max() < RUNAWAY and np.isfinite(scratch.qpos).all()):
            raise Diverged("a figure that was to lie or to sit did not come to rest where it begins")
        self.data.qpos[free_q], self.data.qvel[free_v] = scratch.qpos[free_q], scratch.qvel[free_v]

    # -- a moment of a Motion ----------------------------------------------------------------------------------------

    def _put(self, figure: Figure, start: Start, state: State) -> None:
        """As it was recorded; moved and turned if a place or a heading is given."""
        model, data, name = self.model, self.data, figure.character.name
        joints = {model.joint(int(joint)).name.removeprefix(figure.prefix): int(joint) for joint in figure.joints}
        if set(joints) != set(state.joints) or any(
                len(state.joints[key][0]) != len(data.joint(joint).qpos) for key, joint in joints.items()):
            odd = sorted(set(joints) ^ set(state.joints))
            raise BadInput(f"{state.source} is of another body: {name!r} has {len(joints)} joints, who was "
                           f"recorded {len(state.joints)}" + (f", and only one of them has {odd[0]!r}" if odd else ""))
        for key, joint in joints.items():
            data.joint(joint).qpos[:], data.joint(joint).qvel[:] = state.joints[key]
        if not figure.floating:
            return
        address, terrain = _address(figure), self.surfaces.terrain
        before = data.qpos[address:address + 3].copy()
        if start.yaw:
            self._rotate(figure, (0.0, 0.0, 1.0), np.radians(start.yaw))
            first, yaw = figure.dofs.start, np.radians(start.yaw)
            turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
            data.qvel[first:first + 2] = turn @ data.qvel[first:first + 2]
        place = (before[0] if start.x is None else start.x, before[1] if start.y is None else start.y)
        if start.x is not None or start.y is not None:
            data.qpos[address + 2] += float(terrain.height(*place)) - float(terrain.height(before[0], before[1]))
        data.qpos[address:address + 2] = place


def _hold(model: mujoco.MjModel, data: mujoco.MjData, figure: Figure) -> None:
    """Springs and dampers that pull each joint to where it is now."""
    legs = set(figure.joint_index(figure.anatomy.joints_of("hip", "knee", "ankle")).tolist())
    for k, (joint, dof) in enumerate(zip(figure.drives.joints, figure.joint_dofs, strict=True)):
        stiffness = (SOFT if k in legs else STIFF) * figure.torque_limit[k]
        model.jnt_stiffness[joint] = stiffness
        model.dof_damping[dof] += 2.0 * np.sqrt(stiffness * model.dof_M0[dof])
    share = slice(*_share(figure))
    model.qpos_spring[share] = data.qpos[share]


def _address(figure: Figure) -> int:
    """Where the free joint's place begins in `qpos`."""
    return int(figure.model.jnt_qposadr[figure.model.body_jntadr[figure.top]])


def _share(figure: Figure) -> tuple[int, int]:
    """First and last + 1 of its part of `qpos`: its joints stand there in the order of its bare tree."""
    model, joints = figure.model, figure.joints
    wide = {mujoco.mjtJoint.mjJNT_FREE: 7, mujoco.mjtJoint.mjJNT_BALL: 4}.get(
        mujoco.mjtJoint(model.jnt_type[joints[-1]]), 1)
    return int(model.jnt_qposadr[joints[0]]), int(model.jnt_qposadr[joints[-1]]) + wide
