"""A biped's limbs as locomotion sees them: lengths of legs, which way knees fold, how arms swing, gains of the pose."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.errors import BadInput, MissingRole
from gambol.gains import Gains
from gambol.params import param
from gambol.planning.footing import FootSize, rounding
from gambol.planning.preview.situation import Leg
from gambol.units import ADULT_HEIGHT
from gambol.world.figure import Figure

SIDES = ("left_", "right_")


@dataclass(frozen=True)
class LimbGains(Gains):
    """What plans may ask of legs."""

    longest: float = param(0.98, low=0.8, high=1.0,
                           doc="length of a leg from hip to ankle that is nearly straight, as a share of thigh and "
                               "shank")
    shortest: float = param(0.6, low=0.3, high=0.9, doc="of one that is well bent")
    rest: float = param(0.97, low=0.6, high=1.0, doc="of one that is as it likes to be")
    ankle_spare: float = param(0.21, unit="rad", low=0.0, high=0.6,
                               doc="what plans leave of the way to an ankle's stop: a body over an ankle at its stop "
                                   "cannot be held")


class Limbs:
    """Measured on the figure as it is; made anew when the body grows."""

    def __init__(self, figure: Figure, name: str, gains: LimbGains) -> None:
        roles = [sole.role for sole in figure.soles]
        if sorted(roles) != ["left_foot", "right_foot"]:
            raise MissingRole(f"{name} needs a left and a right foot; found {', '.join(roles) or 'none'}")
        self.figure, self.gains = figure, gains
        self.order = [roles.index(f"{side}foot") for side in SIDES]
        """where the left and the right foot are among the figure's soles"""
        self.thighs, self.shanks, self.feet = ([figure.body_id(f"{side}{part}") for side in SIDES]
                                               for part in ("thigh", "shank", "foot"))
        self.resting = figure.posed(figure.rest)
        self.size = figure.standing_height / ADULT_HEIGHT
        self.pace = float(np.sqrt(self.size))
        sizes = FootSize.of(figure)
        counts = [len(sole.points) for sole in figure.soles]
        if counts[0] != counts[1] or min(size.length for size in sizes) <= 0.0:
            raise BadInput(f"{name} needs soles with a length, and as many points on the left as on the right; "
                           f"{figure.character.name!r} has {counts[0]} and {counts[1]}, "
                           f"{sizes[0].length:.2g} and {sizes[1].length:.2g} m long")
        self.foot_sizes = [sizes[k] for k in self.order]
        self.foot_turn = [self.resting.xmat[foot].reshape(3, 3).copy() for foot in self.feet]
        self.folds = [knee_fold(figure, side) for side in SIDES]
        self.edges = [(self.resting.xmat[sole.body].reshape(3, 3)[2].copy(), rounding(figure, sole))
                      for sole in figure.soles]
        """what is up at rest in the axes of each foot, and the radius of the rounding at its ends, m"""
        self.tips = [ankle_tip(figure, side) for side in SIDES]
        self.legs = [self._leg(k) for k in (0, 1)]
        self.leg_lengths = [float(np.linalg.norm(self.resting.xpos[thigh] - self.resting.xpos[foot]))
                            for thigh, foot in zip(self.thighs, self.feet, strict=True)]
        """from hip to ankle at rest, m"""
        self.arms = figure.joint_index(figure.anatomy.arm_joints)
        self.arm_forward = arms_against_legs(figure, self.resting)

    def _leg(self, side: int) -> Leg:
        """In an adult's units."""
        place, com, s = self.resting.xpos, self.resting.subtree_com[self.figure.top], self.size
        hip, bend, end = (place[parts[side]] for parts in (self.thighs, self.shanks, self.feet))
        length = float(np.linalg.norm(hip - bend) + np.linalg.norm(bend - end)) / s
        foot = self.foot_sizes[side]
        size = FootSize(*(value / s for value in (foot.back, foot.front, foot.half_width, foot.ahead, foot.below)))
        ankle, knee = (self._strength(joints[side]) for joints in (self.tips, self.folds))
        forward = float((bend - 0.5 * (hip + end))[0]) >= 0.0
        leans = float(np.arctan2((bend - end)[0], (bend - end)[2]))
        lean = self.tipped(side, self.figure.rest) + leans - self.gains.ankle_spare if forward else np.inf
        gains = self.gains
        rest, shortest, longest = gains.rest * length, gains.shortest * length, gains.longest * length
        return Leg((hip - com) / s, rest, shortest, longest, size, ankle, knee, forward, lean)

    def _strength(self, joints: np.ndarray) -> float:
        """Most torque of some joints over the body's mass, in an adult's units; infinite if there are none."""
        torque = self.figure.torque_limit[joints != 0]
        return float(torque.sum()) / self.figure.mass / self.size if len(torque) else np.inf

    def tipped(self, side: int, angles: np.ndarray | None = None) -> float:
        """How far the shank can still lean forward over a flat foot, rad; infinite without an ankle for that."""
        tip, (low, high) = self.tips[side], self.figure.joint_limits
        angles = self.figure.angles if angles is None else angles
        room = np.where(tip > 0, high - angles, angles - low)[tip != 0]
        return float(room.min()) if len(room) else np.inf

    def facing(self, side: int) -> float:
        """Where a foot points now, rad."""
        turn = self.figure.data.xmat[self.feet[side]].reshape(3, 3) @ self.foot_turn[side].T
        return float(np.arctan2(turn[1, 0], turn[0, 0]))


def swing_inertia(figure: Figure, resting: mujoco.MjData, thigh: int) -> float:
    """Moment of inertia of a leg about the lateral axis of its hip, in the rest pose, kg m2."""
    model, hip = figure.model, resting.xpos[thigh]
    leg = [body for body in figure.bodies if _hangs_from(model, int(body), thigh)]
    turn = resting.ximat[leg].reshape(-1, 3, 3)
    ahead, _, up = (resting.xipos[leg] - hip).T
    own = np.einsum("bk,bk->b", turn[:, 1] ** 2, model.body_inertia[leg])
    return float((own + model.body_mass[leg] * (ahead**2 + up**2)).sum())


def _hangs_from(model: mujoco.MjModel, body: int, thigh: int) -> bool:
    """Whether a body is the thigh, or one of those below it."""
    while body > thigh:  # parents come first
        body = int(model.body_parentid[body])
    return body == thigh


def knee_fold(figure: Figure, side: str) -> np.ndarray:
    """Direction in joint space, (nu,), that bends a leg's knee so that the leg gets shorter; `side` as in SIDES."""
    fold, ends = np.zeros(figure.nu), [figure.body_id(f"{side}{part}") for part in ("thigh", "foot")]
    for joint in figure.joint_index(figure.anatomy.joints.get(f"{side}knee", ())):
        bend, reach = np.zeros(figure.nu), []
        for bend[joint] in (-0.2, 0.2):
            place = figure.posed(figure.rest + bend).xpos
            reach.append(np.linalg.norm(place[ends[0]] - place[ends[1]]))
        fold[joint] = np.sign(reach[0] - reach[1])
    return fold


def ankle_tip(figure: Figure, side: str) -> np.ndarray:
    """Direction in joint space, (nu,), that bends an ankle so that the toes come up, or the shank forward."""
    tip, foot = np.zeros(figure.nu), figure.body_id(f"{side}foot")
    level = figure.posed(figure.rest).xmat[foot].reshape(3, 3).T @ [1.0, 0.0, 0.0]
    for joint in figure.joint_index(figure.anatomy.joints.get(f"{side}ankle", ())):
        bend = np.zeros(figure.nu)
        bend[joint] = 0.2
        rise = float((figure.posed(figure.rest + bend).xmat[foot].reshape(3, 3) @ level)[2])
        tip[joint] = np.sign(rise) if abs(rise) > 0.1 else 0.0
    return tip


def arms_against_legs(figure: Figure, resting: mujoco.MjData) -> np.ndarray:
    """How much each joint swings a hanging arm forward, (nu,), negative on the left: against the leg of its side."""
    forward = np.zeros(figure.nu)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        joints = figure.joint_index(figure.anatomy.joints.get(f"{side}_shoulder", ()))
        forward[joints] = -sign * resting.xaxis[figure.model.dof_jntid[figure.joint_dofs[joints]], 1]
    return forward
