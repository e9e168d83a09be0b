"""Rotations: quaternions (w, x, y, z) and Euler angles on whole arrays, and single matrices for control.

On arrays the last axis is the rotation, the others broadcast.
"""

from __future__ import annotations

import warnings
from math import cos, sin

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

Y_UP = np.array([np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0])
"""Turns z up into y up: (x, y, z) becomes (x, z, -y)."""

FIRST, SECOND = np.array([1, 2, 0]), np.array([2, 0, 1])


def conjugate(q: np.ndarray) -> np.ndarray:
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """First `b`, then `a`."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack([aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
                     aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw], axis=-1)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross products of vectors (k, 3), bit for bit NumPy's, which takes three times as long for a few."""
    return a[:, FIRST] * b[:, SECOND] - a[:, SECOND] * b[:, FIRST]


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors turned by quaternions."""
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrices, (..., 3, 3)."""
    return np.stack([rotate(q, np.broadcast_to(axis, (*q.shape[:-1], 3))) for axis in np.eye(3)], axis=-1)


def slerp(a: np.ndarray, b: np.ndarray, share: np.ndarray) -> np.ndarray:
    """From `a` to `b` at constant rate on the shorter arc; `share` has one axis less than the quaternions."""
    dot = np.sum(a * b, axis=-1)
    b = np.where(dot[..., None] < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(dot), 0.0, 1.0))
    small = angle < 1e-6  # there the two weights below are 0/0, and a straight line is exact enough
    sine = np.where(small, 1.0, np.sin(angle))
    before = np.where(small, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
    after = np.where(small, share, np.sin(share * angle) / sine)
    return unit(before[..., None] * a + after[..., None] * b)


def unit(v: np.ndarray) -> np.ndarray:
    """Vectors of length one; a zero vector stays zero."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > 0, length, 1.0)


def continuous(q: np.ndarray) -> np.ndarray:
    """Signs chosen so that neighbours along the first axis are on the same side (q and -q turn alike)."""
    flips = np.sum(q[1:] * q[:-1], axis=-1) < 0
    signs = np.concatenate([np.ones((1, *q.shape[1:-1])), np.where(np.cumsum(flips, axis=0) % 2, -1.0, 1.0)])
    return q * signs[..., None]


def from_euler(order: str, angles: np.ndarray) -> np.ndarray:
    """Quaternions of angles (..., k) in radians about moving axes: "ZXY" is first Z, then the new X, then the new Y."""
    total = np.zeros((*angles.shape[:-1], 4))
    total[..., 0] = 1.0
    for k, axis in enumerate(order):
        turn = np.zeros_like(total)
        turn[..., 0] = np.cos(angles[..., k] / 2)
        turn[..., 1 + "XYZ".index(axis)] = np.sin(angles[..., k] / 2)
        total = multiply(total, turn)
    return total


def to_euler(order: str, q: np.ndarray) -> np.ndarray:
    """Angles (n, 3) in radians of a series of quaternions (n, 4), without jumps from one to the next.

    Every rotation has two triples of angles, and each angle may have turns added. The nearest to the one before is
    taken, so that a curve through them does not leap. At the singularity (middle angle +-90 degrees) the first angle is
    kept and the last one takes up the turn.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scipy tells of the singularity; handled by taking the nearest
        first = Rotation.from_quat(np.roll(q, -1, axis=-1)).as_euler(order)
    second = np.stack([first[:, 0] + np.pi, np.pi - first[:, 1], first[:, 2] + np.pi], axis=-1)
    angles = np.empty_like(first)
    last = np.zeros(3)
    for row, choices in zip(angles, np.stack([first, second], axis=1), strict=True):
        near = choices - 2 * np.pi * np.round((choices - last) / (2 * np.pi))
        row[:] = last = near[np.argmin(np.abs(near - last).sum(axis=-1))]
    return angles


# -- one at a time: matrices -------------------------------------------------------------------------------------------


def yaw_matrix(heading: float, pitch: float = 0.0) -> np.ndarray:
    """Rotation that faces a heading, then pitches forward (positive: nose down)."""
    c, s, cp, sp = cos(heading), sin(heading), cos(pitch), sin(pitch)
    return np.array([[c * cp, -s, c * sp], [s * cp, c, s * sp], [-sp, 0.0, cp]])


def rotation_vector(rotation: np.ndarray) -> np.ndarray:
    """Logarithm of a rotation matrix, (3,)."""
    quaternion, vector = np.empty(4), np.empty(3)
    mujoco.mju_mat2Quat(quaternion, rotation.ravel())
    mujoco.mju_quat2Vel(vector, quaternion, 1.0)
    return vector
