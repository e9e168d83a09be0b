"""Support: the points of patches that are to stay where they are, on whatever carries them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.linalg import lapack

from gambol.control.contact.cones import cached_rays
from gambol.control.contact.gains import USUAL, SupportGains
from gambol.control.contact.loose import LooseProps
from gambol.control.contact.patches import BIAS, VELOCITY, PatchPoints, PatchState, part_of
from gambol.kinematics.kinematics import skew
from gambol.lazy import lazy

UNITS = np.eye(3)
Held = Sequence[tuple[PatchState, np.ndarray]]


class SupportPoints(PatchPoints):
    """The k points that are to stay where they are, of all patches together.

    On a surface that moves, velocities and biases are against that surface; on a loose prop the Jacobian has columns
    for its degrees of freedom behind the figure's.
    """

    def __init__(self, table: np.ndarray, jacobian: np.ndarray, near: np.ndarray, friction: float | np.ndarray,
                 held: Held, loose: LooseProps | None = None, carried: np.ndarray | None = None) -> None:
        super().__init__(table, jacobian, near)
        self.held, self.loose, self.carried = held, loose, carried
        """each patch with the mask of its points that are held; loose props under them; and (6,) mean velocity and
        acceleration of the surfaces that carry the points, if any of them may move"""
        self.standing: SupportPoints | None = None
        """the points of the feet alone, if palms are among the points, too; balance takes its reference from these"""
        flags = near.tolist()
        self.touches, self._all_near = True in flags, all(flags)
        counted = self.touching(friction) if isinstance(friction, np.ndarray) else friction
        self.rays = cached_rays(self.touching(self.normal), counted)
        """(near points, RAYS, 3) edges of the friction pyramids of those that touch, in units of FORCE_UNIT"""

    @property
    def count(self) -> int:
        return len(self.table)

    @lazy
    def ends(self) -> slice | np.ndarray:
        """Of feet with toes heel and tip, if both are held."""
        if not any([state.patch.hinges for state, _ in self.held]):
            return slice(None)
        return np.concatenate([part_of(state, mask).all_ends for state, mask in self.held]).nonzero()[0]

    def touching(self, values: np.ndarray) -> np.ndarray:
        """Of values (k, ...) those of the points that touch a surface."""
        return values if self._all_near else values[self.near]

    def ray_jacobian(self) -> np.ndarray:
        """(near points * RAYS, nv): generalized force of one unit along each ray; those of loose props follow."""
        own = (self.rays @ self.touching(self.jacobian)).reshape(-1, self.jacobian.shape[2])
        return own if self.loose is None else np.concatenate([own, self.loose.behind(own.shape[1])])

    def together(self) -> np.ndarray:
        """(r, 3 k) orthonormal: what k points of rigid parts can do at once, r = 6 a part that has three or more.

        All else that could be asked of the points is out of reach. So in least squares these combinations of their rows
        stand for all rows: same solution, half the rows.
        """
        parts = [_motions(state, mask) for state, mask in self.held]
        combined = np.zeros((sum([height for height, _, _ in parts]), 3 * self.count))
        row = column = 0
        for height, width, motions in parts:
            end, right = row + height, column + width
            combined[row:end, column:right] = motions
            row, column = end, right
        return combined


def support_points(states: Sequence[PatchState], held: Sequence[np.ndarray],
                   gains: SupportGains | float = USUAL) -> SupportPoints:
    """The points of some patches that are to be held: a mask (k,) for each patch.

    `gains` may be the share of the friction that is counted on alone.
    """
    if not isinstance(gains, SupportGains):
        gains = SupportGains(counted_on=gains)
    kept, parts, whole, alike, friction = [], [], True, True, -1.0
    for state, mask in zip(states, held, strict=True):
        flags = mask.tolist()
        if True not in flags:
            continue
        kept.append((state, mask))
        friction = state.friction if friction < 0.0 else friction
        alike = alike and state.touch is None and state.friction == friction
        if all(flags):
            parts.append((state.table, state.jacobian, state.near))
        else:
            whole = False
            parts.append((state.table[mask], state.jacobian[mask], state.near[mask]))
    if not kept:
        state, mask = states[0], held[0]
        return SupportPoints(state.table[mask], state.jacobian[mask], state.near[mask],
                             gains.counted_on * state.friction, kept)
    together = kept[0][0].together
    if len(parts) == 1:
        table, jacobian, near = parts[0]
    elif whole and [state for state, _ in kept] == together:  # a state equals itself alone
        table, jacobian, near = kept[0][0].whole
    else:
        table, jacobian, near = (np.concatenate(column) for column in zip(*parts, strict=True))
    if alike:
        return SupportPoints(table, jacobian, near, gains.counted_on * friction, kept)
    return _on_things(table, jacobian, near, kept, gains)


def _on_things(table: np.ndarray, jacobian: np.ndarray, near: np.ndarray, held: Held,
               gains: SupportGains) -> SupportPoints:
    """The same where points are on things that may move, or where frictions differ from point to point."""
    motion, friction, bodies = np.zeros((len(table), 6)), np.empty(len(table)), np.zeros(len(table), dtype=int)
    begin = 0
    surfaces = None
    for state, mask in held:
        flags = mask.tolist()
        own = slice(begin, begin + sum(flags))
        begin, friction[own] = own.stop, state.friction
        touch = state.touch
        if touch is not None and not all(flags):
            touch = touch.part(mask)
        if touch is not None:
            motion[own, :3], motion[own, 3:] = touch.velocity, touch.acceleration
            friction[own], bodies[own], surfaces = touch.friction, touch.body, touch.surfaces
    carried = motion[near].mean(axis=0) if near.any() else None
    loose = None
    if surfaces is not None:
        bearing = int(surfaces.model.body_rootid[held[0][0].body])
        loose = LooseProps.under(surfaces, bodies[near], gains, bearing)
    if loose is not None:
        place = table[:, :3] - table[:, 12:] * table[:, 9:12]
        jacobian = np.concatenate([jacobian, -loose.jacobian(bodies, place)], axis=2)
        motion[:, 3:] = np.where(loose.among(bodies)[:, None], loose.bias(bodies, place), motion[:, 3:])
    table = table.copy()
    table[:, VELOCITY] -= motion[:, :3]
    table[:, BIAS] -= motion[:, 3:]
    return SupportPoints(table, jacobian, near, gains.counted_on * friction, held, loose, carried)


def _motions(state: PatchState, held: np.ndarray) -> tuple[int, int, np.ndarray]:
    """r, 3 k, and the ways (r, 3 k) in which the held points of one patch can move at once, in the world's axes."""
    if state.patch.hinges:
        return _hinged_motions(state, held)
    height, width, motions = rigid_motions(state.key, held.tobytes())
    return height, width, motions.dot(state.rotation.T).reshape(height, width)


def _hinged_motions(state: PatchState, held: np.ndarray) -> tuple[int, int, np.ndarray]:
    """The same for a foot whose toes bend: motions as of one part, and the bend if points of both parts are held."""
    arms = state.position[held]
    arms = arms - arms.sum(axis=0) / len(arms)
    motions = np.empty((len(arms), 3, 6 + len(state.patch.hinges)))
    motions[:, :, :3], motions[:, :, 3:6] = UNITS, skew(arms)
    motions[:, :, 6:] = state.jacobian[held][:, :, state.patch.hinges]
    if not held[state.heel].any():
        motions = motions[:, :, :6]
    motions[:, :, 3:] /= max(float(np.abs(arms).max()), 1e-9)  # turns weigh as much as shifts
    factors, scales = lapack.dgeqrf(motions.reshape(3 * len(arms), -1))[:2]
    ways = lapack.dorgqr(factors[:, :len(scales)], scales)[0].T
    own = np.abs(factors.diagonal())  # share of each motion that the ones before it do not have
    if own.min() < 1e-6:
        ways = ways[own > 1e-6]
    return *ways.shape, ways


@lru_cache(maxsize=256)
def rigid_motions(points: bytes, held: bytes) -> tuple[int, int, np.ndarray]:
    """The ways in which some of the points of one rigid part can move at once, in its axes.

    r, 3 k, and orthonormal rows of these sizes, as (r k, 3).
    """
    places = np.frombuffer(points).reshape(-1, 3)[np.frombuffer(held, dtype=bool)]
    motions = np.zeros((len(places), 3, 6))
    motions[:, :, :3], motions[:, :, 3:] = np.eye(3), -skew(places - places.mean(axis=0))
    motions[:, :, 3:] /= max(float(np.abs(motions[:, :, 3:]).max()), 1e-9)
    U, size, _ = np.linalg.svd(motions.reshape(-1, 6), full_matrices=False)
    ways = np.ascontiguousarray(U.T[size > 1e-6 * size[0]])
    return *ways.shape, ways.reshape(-1, 3)
