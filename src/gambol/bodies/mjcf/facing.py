"""Left, right and forward of a model nobody here wrote: names first, then the shape of the feet."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from gambol.bodies.body_tree import BodyTree


def side_pairs(names: "list[str]") -> list[tuple[str, str]]:
    """(left, right) names that differ in just that: `left_foot`/`right_foot`, `lfoot`/`rfoot`, `foot_L`/`foot_R`."""
    known, pairs = set(names), []
    for name in names:
        mirrors = [name[:m.start()] + _in_case(m.group(), "right") + name[m.end():]
                   for m in re.finditer("left", name, re.IGNORECASE)]
        mirrors += [name[:k] + _in_case(letter, "r") + name[k + 1:]
                    for k, letter in enumerate(name) if letter in "lL"]
        pairs += [(name, mirror) for mirror in mirrors[:] if mirror in known][:1]
    return pairs


def _in_case(like: str, word: str) -> str:
    if like.isupper():
        return word.upper()
    return word.capitalize() if like[:1].isupper() else word


@dataclass(frozen=True)
class Facing:
    """Which way a model looks."""

    turn: float
    """angle about the vertical that makes it face +x, a multiple of 90 degrees where it stands on an axis"""
    reason: str


def find_facing(tree: BodyTree) -> Facing:
    """Forward is left cross up where names tell left from right; otherwise where the feet and the head point."""
    index = {name: body for body, name in enumerate(tree.names)}
    across = np.zeros(2)
    for left, right in side_pairs(tree.names[1:]):
        across += (tree.com[index[left]] - tree.com[index[right]])[:2]
    if np.linalg.norm(across) > 0.02 * tree.height:
        forward = np.array([across[1], -across[0]])  # left (+y) cross up (+z) = forward (+x)
        return Facing(_turn(forward), "its names say left and right")
    forward = _toes(tree)
    if np.linalg.norm(forward) > 0.02 * tree.height:
        return Facing(_turn(forward), "its feet point that way")
    return Facing(0.0, "")


def _toes(tree: BodyTree) -> np.ndarray:
    """Sum over the low leaf parts of the way from their joint to their middle."""
    total = np.zeros(2)
    for body in tree.bodies:
        if tree.lowest[body] < tree.ground + 0.06 * tree.height and body != tree.top:
            total += (tree.data.xipos[body] - tree.anchor(body))[:2]
    return total


def _turn(forward: np.ndarray) -> float:
    """The rotation about z that takes this direction to +x; snapped to quarter turns when near one."""
    angle = -float(np.arctan2(forward[1], forward[0]))
    quarter = round(angle / (np.pi / 2)) * np.pi / 2
    return quarter if abs(angle - quarter) < np.deg2rad(25) else angle
