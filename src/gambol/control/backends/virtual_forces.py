"""Virtual forces: springs on the joints, and forces at points of the body that the joints make by `J' F`.

Nothing is solved but a small least-squares problem. A force F at a part needs something to push against:

* a part of the body itself (`base`): the joints between the two make it, `tau = (J_part - J_base)' F`, both Jacobians
  at the point where F acts;
* else what carries the figure: the points that touch share the reaction, as forces f_i with the same sum and the same
  moment, the least ones: `tau = J_part' F - sum_i J_i' f_i`. The root, which nothing drives, is then in balance;
* nothing, in the air: then it is held against the root. A figure that is fixed to the world pushes against that.

The weight of the body is such a force, too. Contacts are not asked whether they pull or slide, and limits of joints are
not minded: that is for the springs, and for the behavior to see to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.control.backends.back_end import BackEnd
from gambol.control.contact.support import SupportPoints
from gambol.control.pd import stable_pd
from gambol.kinematics.kinematics import Kinematics, skew
from gambol.units import GRAVITY
from gambol.world.figure import Figure


@dataclass(frozen=True, slots=True)
class VirtualForce:
    """A force that a part of the body, or all of it, should feel."""

    name: str
    place: np.ndarray
    """(3,) where it acts, in the world, m"""
    force: np.ndarray
    """(3,) N"""
    body: int | None = None
    """the part it acts on; None: the centre of mass"""
    base: int | None = None
    """the part it is held against; None: what carries the figure"""


def spring_force(name: str, place: np.ndarray, velocity: np.ndarray, goal: np.ndarray, kp: float, kv: float,
                 body: int | None = None, base: int | None = None) -> VirtualForce:
    """A spring (N/m) and a damper (N s/m) from where a point is to where it should be."""
    return VirtualForce(name, place, kp * (goal - place) - kv * velocity, body, base)


class VirtualForces(BackEnd[VirtualForce]):
    """Springs to a pose, virtual forces, and the weight of the body."""

    def __init__(self, figure: Figure, stiffness: np.ndarray, damping: np.ndarray, tick: float,
                 weight: float = 1.0) -> None:
        self.figure, self.stiffness, self.damping, self.tick, self.weight = figure, stiffness, damping, tick, weight
        """stiffness and damping of the joints, (nu,), N m/rad and N m s/rad; time for which torques are held, s; share
        of the weight that is compensated for"""
        self.pose = figure.rest.copy()
        """angles that the springs pull to, (nu,); a behavior may change them at any tick"""
        self._last: list[tuple[str, float]] = []

    def torques(self, kinematics: Kinematics, support: SupportPoints, wishes: Sequence[VirtualForce]) -> np.ndarray:
        figure, limit = self.figure, self.figure.torque_limit
        forces = [wish for wish in wishes if np.isfinite(wish.force).all()]  # one that is no number is left out
        if support.touches or not figure.floating:
            lift = np.array([0.0, 0.0, self.weight * figure.mass * GRAVITY])
            forces.append(VirtualForce("weight", kinematics.com, lift))
        own = np.clip(joint_torques(kinematics, support, forces), -limit, limit)
        spring = stable_pd(figure, self.pose, self.stiffness, self.damping, self.tick, own)
        self._last = [(each.name, float(np.linalg.norm(each.force))) for each in forces]
        return np.clip(np.nan_to_num(own + spring), -limit, limit)

    def report(self) -> list[tuple[str, ...]]:
        return [(name, "-", f"{size:.3g} N", "-") for name, size in self._last]


def joint_torques(kinematics: Kinematics, support: SupportPoints, forces: Sequence[VirtualForce]) -> np.ndarray:
    """Torques, (nu,), that make forces at parts and let what carries the figure take the reaction."""
    return generalized_force(kinematics, support, forces)[kinematics.figure.driven]


def generalized_force(kinematics: Kinematics, support: SupportPoints, forces: Sequence[VirtualForce]) -> np.ndarray:
    """The same for all degrees of freedom, (nv,): zero for a free root, if three or more points carry the figure."""
    figure, total = kinematics.figure, np.zeros(kinematics.figure.nv)
    wrench, grounded = np.zeros(6), support.touches and figure.floating
    for each in forces:
        total += part_jacobian(kinematics, each.body, each.place).T @ each.force
        if each.base is not None:
            total -= part_jacobian(kinematics, each.base, each.place).T @ each.force
        elif grounded:
            wrench[:3] += each.force
            wrench[3:] += np.cross(each.place - kinematics.com, each.force)
        elif figure.floating:
            total -= part_jacobian(kinematics, figure.root, each.place).T @ each.force
    if grounded:
        reaction = shared(support.touching(support.position) - kinematics.com, wrench)
        total -= np.einsum("kiv,ki->v", support.touching(support.jacobian)[:, :, :figure.nv], reaction)
    return total


def part_jacobian(kinematics: Kinematics, body: int | None, place: np.ndarray) -> np.ndarray:
    """(3, nv) of a point that is now at a place and moves with a part, or of the centre of mass."""
    if body is None:
        return kinematics.com_jacobian
    return kinematics.points(np.array([body]), place[None])[2][0]


def shared(arms: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """The least forces (k, 3) at some arms (k, 3) that make a force and a moment, (6,), or come nearest to it."""
    sums = np.concatenate([np.tile(np.eye(3), len(arms)), np.concatenate(list(skew(arms)), axis=1)])
    return np.linalg.lstsq(sums, wrench, rcond=None)[0].reshape(-1, 3)
