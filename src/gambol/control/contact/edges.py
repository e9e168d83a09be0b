"""Feet on edges: a sole that hangs over one is drawn in to what carries it, one tilted far stands on its ends."""

from __future__ import annotations

import numpy as np

from gambol.control.contact.patches import BIAS, HEIGHT, MOTION, NORMAL, POSITION, VELOCITY, PatchState
from gambol.kinematics.kinematics import Frame, skew
from gambol.world.terrain import Terrain


def drawn_in(sole: PatchState, terrain: Terrain, overhang: float) -> PatchState:
    """A sole whose points that hang over an edge are drawn in, along the sole, to where the ground carries it.

    A point between heel and toe moves as the mean of these does. Given back as it is if nothing hangs over, or if the
    ground carries no part of it: toes over an edge and a heel that has risen still leave what is on the edge.
    """
    high = sole.height > overhang
    if not high.any():
        return sole
    local = np.frombuffer(sole.key).reshape(-1, 3).copy()
    table, jacobian = sole.table.copy(), sole.jacobian.copy()
    shares, found = np.linspace(0.02, 0.98, 49)[:, None], False
    for point in np.flatnonzero(high):
        other = _other_end(sole, int(point), high)
        way = sole.position[point] + shares * (sole.position[other] - sole.position[point])
        carried = way[:, 2] - terrain.height(way[:, 0], way[:, 1]) < overhang
        if not carried.any():
            continue
        found = True
        share = float(shares[int(np.argmax(carried)), 0])
        local[point] += share * (local[other] - local[point])
        table[point, MOTION] += share * (sole.table[other, MOTION] - table[point, MOTION])
        jacobian[point] += share * (sole.jacobian[other] - jacobian[point])
    if not found:
        return sole
    ground, table[:, NORMAL] = terrain.surface(table[:, 0], table[:, 1])
    table[:, HEIGHT] = (table[:, 2] - ground) * table[:, 11]
    return sole.changed(table, jacobian, local.tobytes())


def _other_end(sole: PatchState, point: int, high: np.ndarray) -> int:
    """The point at the other end of the sole; a ball's is the tip if that does not hang over, too."""
    wide, tip = sole.heel.stop, sole.tip.start
    if tip == wide:
        return (point + wide) % len(high)
    ahead = tip + point % wide
    return ahead if point < wide or (point < tip and not high[ahead]) else point % wide


def on_edge(sole: PatchState, frame: Frame, up: np.ndarray, radius: float) -> PatchState:
    """A sole that is tilted far, on the rounded edges at its ends: the places where these meet the ground.

    Points of a sole are where it touches when it lies flat; a foot that stands on its toes rolls on their rounding. Its
    toes then seem to be in the air by up to the radius, and on a steep foot to have lost the ground. `up` is the
    normal of the sole in the foot's axes. All points move alike, so their pattern stays the same.
    """
    away = radius * (sole.rotation.dot(up) - sole.normal)
    if sole.patch.hinges:  # toes that bend stay flat
        away[sole.toe] = 0.0
    table, spin = sole.table.copy(), frame.spin
    turning = _cross(spin, away)
    table[:, POSITION] += away
    table[:, VELOCITY] += turning
    table[:, BIAS] += _cross(frame.spin_bias, away) + _cross(spin, turning)
    table[:, HEIGHT] += (away * sole.normal).sum(axis=1)
    return sole.changed(table, sole.jacobian - skew(away) @ frame.spin_jacobian)


def _cross(vector: np.ndarray, others: np.ndarray) -> np.ndarray:
    """A vector (3,) times others (k, 3): `np.cross` takes several times as long."""
    (x, y, z), (a, b, c), out = vector, others.T, np.empty(others.shape)
    out[:, 0], out[:, 1], out[:, 2] = y * c - z * b, z * a - x * c, x * b - y * a
    return out
