"""The character as something to pose: its kinematics by role, without a world.

Everything is measured against its zero pose, in which it stands and faces +x.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.bodies import find_character
from gambol.bodies.character import Character
from gambol.errors import BadInput
from gambol.planning.reference.clip import LIMBS
from gambol.planning.reference.skeleton import SIDES
from gambol.world.figure import Footed
from gambol.world.patches import FigurePatch

LIMIT = 0.06
"""rad that a Reference keeps off the stops of joints, so that who follows it has room."""


@dataclass(frozen=True)
class End:
    """Heel or toe of a patch: the middle of some of its points."""

    body: int
    point: np.ndarray
    """(3,) in the frame of `body`"""


class Poser:
    """A character's bare tree, poses of which are computed and solved for."""

    def __init__(self, character: str | Character) -> None:
        self.character = find_character(character) if isinstance(character, str) else character
        self.name = character if isinstance(character, str) else character.name
        """by which it can be found again: of a built-in one, or a file"""
        self.model = self.character.compile()
        self.data = mujoco.MjData(self.model)
        anatomy = self.character.anatomy
        self.index = Footed(self.model, "", anatomy, self.data)
        if not self.index.floating:
            raise BadInput(f"{self.name!r} cannot follow a motion: it has no free root")
        self.feet = tuple(sorted(anatomy.feet))
        self.roles = {role: self.index.body_id(role) for role in anatomy.bodies}
        sides = [foot.removesuffix("foot") for foot in self.feet]
        self.limbs = {side + a: (self.roles[side + a], self.roles[side + b])
                      for side in dict.fromkeys([*sides, "left_", "right_"]) for a, b in LIMBS
                      if side + a in self.roles and side + b in self.roles}
        """role -> body it begins at, body at which it ends"""
        self.parts = tuple(role for role in ("root", "trunk", "head", *self.feet) if role in self.roles)
        """whose turns are followed"""
        self._read_rest()
        self._read_limits()
        self.ends = {role: _ends(self.index.patches[role]) for role in self.index.patches}

    def _read_rest(self) -> None:
        """What is measured in the zero pose."""
        model, data = self.model, self.data
        self.zero: np.ndarray = model.qpos0.copy()
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        self.rest_turn = data.xmat.reshape(-1, 3, 3).copy()
        """(nbody, 3, 3)"""
        self.hanging = {role: _unit(data.xpos[b] - data.xpos[a]) for role, (a, b) in self.limbs.items()}
        """direction of each limb"""
        root, thighs = self.index.root, [body for role, body in self.roles.items() if role.endswith("_thigh")]
        hips = data.xpos[thighs or [root]].mean(axis=0)
        self.between_hips: np.ndarray = self.rest_turn[root].T @ (hips - data.xpos[root])
        """(3,) in the root's frame"""
        self.mass = float(model.body_subtreemass[self.index.top])

    def _read_limits(self) -> None:
        """Range of every hinge and slide that has one, and which joints of the spine bend together."""
        model = self.model
        joints = np.flatnonzero((model.jnt_limited != 0) & np.isin(
            model.jnt_type, (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)))
        self.limited_dofs, self.limited_qpos = model.jnt_dofadr[joints], model.jnt_qposadr[joints]
        margin = np.minimum(LIMIT, 0.25 * np.ptp(model.jnt_range[joints], axis=1))
        self.low, self.high = model.jnt_range[joints, 0] + margin, model.jnt_range[joints, 1] - margin
        table = self.character.anatomy.joints
        lower, upper = (self._dofs(table.get(role, ())) for role in ("lower_spine", "upper_spine"))
        pairs = list(zip(lower, upper, strict=True)) if len(lower) == len(upper) else []
        self.bend = np.zeros((len(pairs), model.nv))
        """(pairs, nv) lower less upper bend of the spine about each axis"""
        for row, (a, b) in enumerate(pairs):
            self.bend[row, a], self.bend[row, b] = 1.0, -1.0

    def leg(self) -> float:
        """Thigh and shank together, mean of both sides, m; who has not two legs cannot follow a clip."""
        name, missing = self.name, [f"{side}_{part}" for side in SIDES for part in ("thigh", "shank", "foot")
                                              if f"{side}_{part}" not in self.roles]
        if missing:
            raise BadInput(f"{name!r} cannot follow a clip: it takes two legs; missing: {', '.join(missing)}")
        self.put(self.zero)
        return 0.5 * sum(float(np.linalg.norm(self.data.xpos[b] - self.data.xpos[a])) for a, b in
                         (self.limbs[f"{side}_{part}"] for side in SIDES for part in ("thigh", "shank")))

    def _dofs(self, names: tuple[str, ...]) -> list[int]:
        """Degrees of freedom of joints by name."""
        model = self.model
        ids = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name) for name in names]
        return [int(dof) for dof in np.flatnonzero(np.isin(model.dof_jntid, ids))]

    def put(self, qpos: np.ndarray) -> None:
        """Compute where everything is in a pose."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def end_places(self, poses: np.ndarray, roles: tuple[str, ...]) -> np.ndarray:
        """World places of heel and toe of some patches in poses (n, nq), (n, patches, 2, 3)."""
        places = np.zeros((len(poses), len(roles), 2, 3))
        data = self.data
        for row, qpos in enumerate(poses):
            data.qpos[:] = qpos
            mujoco.mj_kinematics(self.model, data)
            for k, role in enumerate(roles):
                for e, end in enumerate(self.ends[role]):
                    places[row, k, e] = data.xpos[end.body] + data.xmat[end.body].reshape(3, 3) @ end.point
        return places

    def limb_directions(self) -> dict[str, np.ndarray]:
        """Where limbs and feet point in the pose that was put, unit vectors by role."""
        data = self.data
        found = {role: _unit(data.xpos[b] - data.xpos[a]) for role, (a, b) in self.limbs.items()}
        for foot in self.feet:
            body = self.roles[foot]
            found[foot] = data.xmat[body].reshape(3, 3) @ self.rest_turn[body][0]
        return found


def _ends(patch: FigurePatch) -> tuple[End, End]:
    """Heel and toe; a patch without such ends has its middle for both."""
    found = []
    for points in (patch.heel, patch.tip):
        own = slice(None) if not patch.is_foot or not len(patch.places[points]) else points
        body = int(patch.bodies[own][-1])
        same = patch.bodies[own] == body
        found.append(End(body, patch.places[own][same].mean(axis=0)))
    return found[0], found[1]


def _unit(v: np.ndarray) -> np.ndarray:
    found: np.ndarray = v / max(float(np.linalg.norm(v)), 1e-9)
    return found
