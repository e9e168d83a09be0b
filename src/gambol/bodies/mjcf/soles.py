"""Sole points of a foot from its colliding geoms: the corners of the plane it would rest on."""

from __future__ import annotations

import numpy as np

from gambol.bodies.body_tree import DOWN, BodyTree, body_points

TILT = np.deg2rad(40)
"""The zero pose of a model may hold its feet tilted, but hardly by more than this."""


def sole_points(tree: BodyTree, foot: int) -> np.ndarray:
    """Up to four corners of what a foot stands on, in the foot's frame: heel first, toe last; left before right.

    The foot is taken as it is in the tree's pose where it lies flat, else as tilted onto the plane that gives it the
    largest support. A foot without extent gives one point; (0, 3) for a foot without colliding geoms.
    """
    if not len(_points(tree, foot, DOWN)):
        return np.zeros((0, 3))
    down = _best_down(tree, foot)
    corners = _support(tree, foot, down)[0]
    return (corners - tree.data.xpos[foot]) @ tree.data.xmat[foot].reshape(3, 3)


def settled(tree: BodyTree, foot: int, points: np.ndarray) -> np.ndarray:
    """Sole points moved down or up by the little that makes the lowest of them the foot's lowest point in this pose.

    A curved sole may reach below the plane of its corners; the start on the ground goes by the points.
    """
    turn = tree.data.xmat[foot].reshape(3, 3)
    gap = _points(tree, foot, DOWN)[:, 2].min() - (tree.data.xpos[foot] + points @ turn.T)[:, 2].min()
    return points + turn[2] * gap


def _points(tree: BodyTree, foot: int, down: np.ndarray) -> np.ndarray:
    return np.concatenate([body_points(tree.model, tree.data, b, down) for b in tree.below(foot)])


def _best_down(tree: BodyTree, foot: int) -> np.ndarray:
    """The direction the sole faces: down, unless another gives clearly more support."""
    best, most = DOWN, 1.3 * _support(tree, foot, DOWN)[1]
    whole = np.maximum(np.ptp(_points(tree, foot, DOWN)[:, :2], axis=0), 0.002 * tree.height)
    if most > 0.6 * np.prod(whole) or whole.max() < 0.015 * tree.height:
        return DOWN
    for pitch in np.linspace(-TILT, TILT, 33):
        for roll in np.linspace(-TILT, TILT, 33):
            down = np.array([np.sin(pitch), np.sin(roll), 0.0])
            down[2] = -np.sqrt(max(1 - down @ down, 0.0))
            area = _support(tree, foot, down)[1] * (1 - 0.2 * (abs(pitch) + abs(roll)) / TILT)
            if area > most:
                best, most = down, area
    return best


def _support(tree: BodyTree, foot: int, down: np.ndarray) -> tuple[np.ndarray, float]:
    """Corners of the foot on the plane that faces `down`, and the area between them."""
    points = _points(tree, foot, down)
    depth = points @ down
    left = np.cross(-down, [1.0, 0.0, 0.0])
    left /= np.linalg.norm(left)
    flat = points @ np.array([np.cross(left, -down), left]).T
    low = depth > depth.max() - 0.05 * tree.height
    extent = np.ptp(flat[low], axis=0).max()
    near = depth > depth.max() - max(0.05 * extent, 0.003 * tree.height)
    size = np.ptp(flat[near], axis=0)
    if size.max() < 0.015 * tree.height:
        picks = [int(depth.argmax())]
    else:
        picks = _heel_first(flat, _corners(np.flatnonzero(near), flat / np.maximum(size, 0.3 * size.max())))
    return points[picks], float(np.prod(np.maximum(np.ptp(flat[picks], axis=0), 0.002 * tree.height)))


def _corners(near: np.ndarray, flat: np.ndarray) -> list[int]:
    """Indices of the extreme points toward heel-left, heel-right, toe-left, toe-right; each once."""
    picks: list[int] = []
    for direction in ((-1, 1), (-1, -1), (1, 1), (1, -1)):
        index = int(near[(flat[near] @ np.array(direction)).argmax()])
        if all(np.linalg.norm(flat[index] - flat[k]) > 0.15 for k in picks):
            picks.append(index)
    return picks


def _heel_first(flat: np.ndarray, picks: list[int]) -> list[int]:
    """The back half, left to right, then the front half, left to right."""
    forward = flat[picks, 0]
    front = forward > (forward.min() + forward.max()) / 2
    order = np.lexsort((-flat[picks, 1], front))
    return [picks[k] for k in order]
