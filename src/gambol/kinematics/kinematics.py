"""What all features of one figure share in one control tick: mass matrix, frames, centroidal quantities.

Everything is for the figure's own degrees of freedom (nv columns) and is computed at most once a tick, on demand.
Velocities follow MuJoCo: a free joint has linear velocity in world axes and angular velocity in body axes.
"""

from __future__ import annotations

import mujoco
import numpy as np

from gambol.lazy import lazy
from gambol.world.figure import Figure
from gambol.world.patches import PatchSet


def skew(vectors: np.ndarray) -> np.ndarray:
    """Cross-product matrices of vectors (..., 3): `skew(a) @ b == a x b`."""
    matrix = np.zeros((*vectors.shape, 3))
    matrix[..., 0, 1], matrix[..., 0, 2] = -vectors[..., 2], vectors[..., 1]
    matrix[..., 1, 0], matrix[..., 1, 2] = vectors[..., 2], -vectors[..., 0]
    matrix[..., 2, 0], matrix[..., 2, 1] = -vectors[..., 1], vectors[..., 0]
    return matrix


IDENTITY = np.eye(3)
MINUS_SKEW = -skew(IDENTITY).reshape(3, 9)
"""`(arm @ MINUS_SKEW).reshape(3, 3)` is `-skew(arm)`"""
SPIN_TO_SKEW = np.concatenate([-MINUS_SKEW, np.zeros((3, 9))])
"""... and `([spin, velocity] @ SPIN_TO_SKEW).reshape(3, 3)` is `skew(spin)`"""

PointStates = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Position, velocity (k, 3), Jacobian (k, 3, nv) and bias acceleration (k, 3)"""


class Frame:
    """Motion of a body's axes and origin, world axes, each part computed when it is asked for."""

    def __init__(self, kinematics: Kinematics, body: int) -> None:
        self._kinematics, self._body = kinematics, body
        self.rotation = kinematics.data.xmat[body].reshape(3, 3).copy()

    @lazy
    def position(self) -> np.ndarray:
        """(3,)"""
        return self._kinematics.data.xpos[self._body].copy()

    @property
    def spin(self) -> np.ndarray:
        """Angular velocity, (3,)."""
        return self._kinematics.data.cvel[self._body, :3].copy()

    @property
    def spin_jacobian(self) -> np.ndarray:
        """(3, nv)"""
        figure = self._kinematics.figure
        return self._kinematics.axes[:figure.nv, :3].T * figure.moves[self._body]

    @property
    def spin_bias(self) -> np.ndarray:
        """Angular acceleration at zero joint acceleration, (3,)."""
        return self._kinematics.spin_biases[self._body]

    @lazy
    def _origin(self) -> PointStates:
        return self.points(np.zeros((1, 3)))

    @property
    def velocity(self) -> np.ndarray:
        """Of the origin, (3,)."""
        return self._origin[1][0]

    @property
    def jacobian(self) -> np.ndarray:
        """Of the origin, (3, nv)."""
        return self._origin[2][0]

    @property
    def bias(self) -> np.ndarray:
        """Acceleration of the origin at zero joint acceleration, (3,)."""
        return self._origin[3][0]

    def points(self, local: np.ndarray) -> PointStates:
        """Points fixed in the body, given in its axes (k, 3)."""
        return self._kinematics.points(np.full(len(local), self._body), self.position + local.dot(self.rotation.T))


class Kinematics:
    """One figure at one moment. Make a new one, or call `refresh`, every tick.

    Here and where torques are solved for, products are written `a.dot(b)`: of small arrays it takes half of what
    `a @ b` takes, and a tick has dozens of them.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure, self.model, self.data = figure, figure.model, figure.data
        self._gravity = np.concatenate([self.model.opt.gravity, np.zeros(3)])
        self._change = np.zeros((6, 6))
        """(6, 6) force on a free root and moment about it to acceleration of the COM and rate of angular momentum"""
        self._frames: dict[int, Frame] = {}
        self._carry: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._lasting = dict(self.__dict__)
        """all of it that outlasts a tick"""

    def refresh(self) -> Kinematics:
        """Forget everything computed for the last tick."""
        own, lasting = self.__dict__, self._lasting
        own.clear()
        own.update(lasting)
        self._lasting, self._frames = lasting, {}
        return self

    @lazy
    def mass_matrix(self) -> np.ndarray:
        """(nv, nv)"""
        full, own = np.empty((self.model.nv, self.model.nv)), self.figure.dofs
        mujoco.mj_fullM(self.model, self.data, full)
        return full[own, own]

    @lazy
    def bias_force(self) -> np.ndarray:
        """Coriolis, centrifugal, gravity less passive forces, (nv,): `M qacc + bias = tau + J' f`."""
        own = self.figure.dofs
        return self.data.qfrc_bias[own] - self.data.qfrc_passive[own]

    @lazy
    def rate(self) -> np.ndarray:
        """Velocity, (nv,)."""
        return self.data.qvel[self.figure.dofs].copy()

    @lazy
    def angles(self) -> np.ndarray:
        """Actuated joint angles, as `Figure.angles`, (nu,)."""
        return self.figure.angles

    @lazy
    def axes(self) -> np.ndarray:
        """(2 nv, 6) turn, and velocity of what is at the COM, for a unit of each rate; then how fast these change.

        MuJoCo has them for all degrees of freedom about one point. So no body needs a Jacobian computed: it is this,
        without the degrees of freedom that do not move the body.
        """
        own = self.figure.dofs
        return np.concatenate([self.data.cdof[own], self.data.cdof_dot[own]])

    @lazy
    def spin_biases(self) -> np.ndarray:
        """Angular accelerations of all bodies of the model at zero joint acceleration, (nbody, 3)."""
        return self.figure.moves.dot(self.axes[self.figure.nv:, :3] * self.rate[:, None])

    def frame(self, body: int) -> Frame:
        """Motion of a body's axes and origin."""
        frame = self._frames.get(body)
        if frame is None:
            frame = self._frames[body] = Frame(self, body)
        return frame

    def points(self, bodies: np.ndarray, places: np.ndarray) -> PointStates:
        """Points fixed in bodies (k,), now at these places (k, 3) in the world."""
        moves = self.figure.moves[bodies]
        return self._points(bodies, places, np.repeat(np.concatenate([moves, moves], axis=1), 3, axis=0))

    def _points(self, bodies: np.ndarray, places: np.ndarray, moves: np.ndarray) -> PointStates:
        """... with what moves each body, (3 k, 2 nv): once for each coordinate, velocity and acceleration."""
        count, (carry, arms) = len(places), self._carrying(len(places))
        arms[:] = (places - self.com).dot(MINUS_SKEW).reshape(-1, 3, 3)
        moving = carry.dot(self.axes.T)
        moving *= moves
        moved = moving.reshape(6 * count, -1).dot(self.rate).reshape(count, 3, 2)
        velocity = moved[:, :, 0]
        spinning = self.data.cvel[bodies].dot(SPIN_TO_SKEW).reshape(-1, 3, 3)
        jacobian = moving[:, :self.figure.nv].reshape(count, 3, -1)
        return places, velocity, jacobian, moved[:, :, 1] + _times(spinning, velocity)

    def _carrying(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(3 count, 6) spin and velocity at the COM to velocity of points, `v + w x arm`, and its part for the arms."""
        if count not in self._carry:
            carry = np.tile(np.hstack([np.zeros((3, 3)), IDENTITY]), (count, 1))
            self._carry[count] = carry, carry.reshape(count, 3, 6)[:, :, :3]
        return self._carry[count]

    def patch_points(self, patches: PatchSet, frames: np.ndarray) -> PointStates:
        """All points of some patches, patch by patch, from the frames of their bodies."""
        places = patches.placed.dot(frames.reshape(-1, 3))
        return self._points(patches.point_bodies, places, patches.moves)

    def patch_frames(self, patches: PatchSet) -> np.ndarray:
        """(frames, 4, 3): of each body that points are fixed in, its three axes as rows, then its place."""
        bodies = patches.frames
        frames = np.empty((len(bodies), 4, 3))
        frames[:, :3], frames[:, 3] = self.data.xmat[bodies].reshape(-1, 3, 3).swapaxes(1, 2), self.data.xpos[bodies]
        return frames

    def sole_points(self) -> PointStates:
        """All sole points, the feet in their order."""
        return self.patch_points(self.figure.sole_set, self.patch_frames(self.figure.sole_set))

    # -- the body as a whole: its COM (first half of each stack) and its angular momentum about it -----------------

    @lazy
    def com(self) -> np.ndarray:
        return self.figure.com

    @lazy
    def _whole(self) -> tuple[np.ndarray, np.ndarray]:
        """(6, nv) velocity of the COM and angular momentum by the rates; (6,) their change without acceleration."""
        return self._whole_by_root() if self.figure.floating else self._whole_by_bodies()

    def _whole_by_root(self) -> tuple[np.ndarray, np.ndarray]:
        """... from the first six rows of the dynamics, which are those of a free root: force, and moment about it."""
        data, top, start, change = self.data, self.figure.top, self.figure.dofs.start, self._change
        change[0, 0] = change[1, 1] = change[2, 2] = 1.0 / self.figure.mass
        x, y, z = (self.com - data.xpos[top]).tolist()
        change[3, 1], change[3, 2], change[4, 0], change[4, 2], change[5, 0], change[5, 1] = z, -y, -z, x, y, -x
        change[3:, 3:] = data.xmat[top].reshape(3, 3)
        bias = change.dot(data.qfrc_bias[start:start + 6]) + self._gravity
        return change.dot(self.mass_matrix[:6]), bias

    def _whole_by_bodies(self) -> tuple[np.ndarray, np.ndarray]:
        """... as sums over the bodies."""
        model, data, bodies, own = self.model, self.data, self.figure.bodies, self.figure.dofs
        rows = np.zeros((2, 3, model.nv))
        mujoco.mj_jacSubtreeCom(model, data, rows[0], self.figure.top)
        mujoco.mj_angmomMat(model, data, rows[1], self.figure.top)
        masses, arms = model.body_mass[bodies], data.xipos[bodies] - self.com
        linear, spin = self.points(bodies, data.xipos[bodies])[3], data.cvel[bodies, :3]
        angular = self.spin_biases[bodies]
        turn = data.ximat[bodies].reshape(-1, 3, 3)
        inertia = (turn * model.body_inertia[bodies][:, None, :]) @ turn.swapaxes(1, 2)
        moment = (_times(inertia, angular) + np.cross(spin, _times(inertia, spin))
                  + masses[:, None] * np.cross(arms, linear)).sum(axis=0)
        return rows[..., own].reshape(6, -1), np.concatenate([masses @ linear / masses.sum(), moment])

    @lazy
    def _whole_rates(self) -> tuple[np.ndarray, np.ndarray]:
        """Velocity of the COM and angular momentum about it: MuJoCo sums them up in a microsecond."""
        mujoco.mj_subtreeVel(self.model, self.data)
        top = self.figure.top
        return self.data.subtree_linvel[top].copy(), self.data.subtree_angmom[top].copy()

    @property
    def com_jacobian(self) -> np.ndarray:
        """(3, nv)"""
        return self._whole[0][:3]

    @property
    def com_velocity(self) -> np.ndarray:
        return self._whole_rates[0]

    @property
    def com_bias(self) -> np.ndarray:
        """Acceleration of the COM at zero joint acceleration, (3,)."""
        return self._whole[1][:3]

    @property
    def momentum_matrix(self) -> np.ndarray:
        """Angular momentum about the COM is this times the velocity, (3, nv)."""
        return self._whole[0][3:]

    @property
    def momentum(self) -> np.ndarray:
        """Angular momentum about the COM, (3,)."""
        return self._whole_rates[1]

    @property
    def momentum_bias(self) -> np.ndarray:
        """Rate of change of the angular momentum at zero joint acceleration, (3,)."""
        return self._whole[1][3:]


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Each matrix (k, 3, 3) times its vector (k, 3)."""
    return (matrices @ vectors[:, :, None])[:, :, 0]
