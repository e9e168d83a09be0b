"""What the joints of a limb allow, measured by moving them: what the puppet must know so that the full body can follow.

A real ankle does not turn about the shank, so the sole's axes say where the knee points; how far they may be turned
against the trunk is up to the hip. All of it is in the axes of the trunk in the rest pose.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.bodies.body_tree import BodyTree
from gambol.synthesis.angles import DOWN, aside, swing, twist

CUT = 0.1
"""Share of the settings of a hip or shoulder that is left out at either end: corners of its range."""

STILL = 1e-3
"""Range of an angle (rad) that is none."""


@dataclass(frozen=True)
class Ranges:
    """Of one limb. Pairs are least and most."""

    axis: np.ndarray
    """middle of the directions that hip or shoulder allows"""
    spread: float
    """cosine of the largest angle from that axis"""
    swing: tuple[float, float]
    """turn of those directions about y, from that axis, rad"""
    reach: tuple[float, float]
    """distances from base to wrist that the middle joint allows, m"""
    sideways: tuple[float, float]
    """angle of those directions off the plane of x and z, rad"""
    twist: tuple[float, float]
    """turn of the knee's axis about the thigh, less `couples` times the angle off the plane of x and z, rad"""
    couples: float
    """how much that axis turns as the thigh goes aside: a hip's axes need not be square to the thigh"""
    lean: tuple[float, float]
    """turn of the shank's direction about the foot's y, from below, rad"""
    tip: tuple[float, float]
    """angle of that direction off the plane of x and z, rad"""


def ranges(tree: BodyTree, bodies: tuple[int, int, int], links: tuple[float, float], hinge: np.ndarray) -> Ranges:
    """Of a limb of bodies (upper, lower, end), whose middle joint turns about `hinge` in the rest pose of `tree`."""
    upper, lower, end = bodies
    rest = tree.data
    reaches = [_length(data, bodies, links) for data in _settings(tree, lower, 31)]
    directions, twists = [], []
    for data in _settings(tree, upper, 7):
        along = data.xpos[lower] - data.xpos[upper]
        directions.append(along / np.linalg.norm(along))
        twists.append(float(twist(directions[-1], _turn(rest, data, upper) @ hinge, hinge)))
    shanks = []
    for data in _settings(tree, end, 15):
        along = data.xpos[end] - data.xpos[lower]
        shanks.append(_turn(rest, data, end).T @ along / np.linalg.norm(along))
    axis = np.mean(directions, axis=0)
    axis /= np.linalg.norm(axis)
    spread = float(np.quantile(np.array(directions) @ axis, CUT))
    asides = np.array([float(aside(d)) for d in directions])
    couples = float(np.polyfit(asides, twists, 1)[0]) if np.ptp(asides) > STILL else 0.0
    return Ranges(axis, spread, _span([float(swing(d, axis)) for d in directions], CUT), _span(reaches),
                  _span(asides, CUT), _span(twists - couples * asides, CUT), couples,
                  _span([float(swing(s, DOWN)) for s in shanks]), _span([float(aside(s)) for s in shanks]))


def _span(values: Sequence[float] | np.ndarray, cut: float = 0.0) -> tuple[float, float]:
    return float(np.quantile(values, cut)), float(np.quantile(values, 1 - cut))


def _settings(tree: BodyTree, body: int, count: int) -> Iterator[mujoco.MjData]:
    """The tree with a body's joints at `count` values each, all combinations; look before you ask for the next."""
    joints = [tree.model.joint(name) for name in tree.joints(body)]
    spans = [tuple(map(float, joint.range)) if joint.range[1] > joint.range[0] else (-2.0, 2.0) for joint in joints]
    data = mujoco.MjData(tree.model)
    data.qpos[:] = tree.data.qpos
    for values in itertools.product(*(np.linspace(low, high, count) for low, high in spans)):
        for joint, value in zip(joints, values, strict=True):
            data.qpos[joint.qposadr[0]] = value
        mujoco.mj_kinematics(tree.model, data)
        yield data


def _length(data: mujoco.MjData, bodies: tuple[int, int, int], links: tuple[float, float]) -> float:
    """Distance from base to wrist; the second link may be longer than the body is, by a hand."""
    upper, lower, end = (data.xpos[b] for b in bodies)
    return float(np.linalg.norm(lower - upper + (end - lower) * links[1] / np.linalg.norm(end - lower)))


def _turn(rest: mujoco.MjData, data: mujoco.MjData, body: int) -> np.ndarray:
    """How a body is turned from its rest pose."""
    return np.asarray(data.xmat[body].reshape(3, 3) @ rest.xmat[body].reshape(3, 3).T)
