"""Layout: which number of the solution is what. Pure bookkeeping, the same for all scenes of one shape.

Every actor (a character's puppet or a prop) has a root frame; every limb has a frame of its own. A frame is a position
and, unless it is a hand, a rotation vector. The features `x` are all frames in a row. One phase of the solution is

    z_k = [ x, x' at the knot | two bumps of each limb feature | activations c | forces at three nodes ]

and one sample of it, the arguments of every residual, is

    u = [ x, x', x'' | c | f | 0 ]

whose last entry is always zero: what a frame lacks points there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.synthesis import spline

LOADED = 0.05
"""A contact that carries more than this share of the lighter body's weight counts as loaded."""
LEAKY = 0.2
"""Activation below which load does not count: force without contact."""


@dataclass(frozen=True)
class ActorShape:
    """How many of what an actor has."""

    limbs: tuple[tuple[bool, int], ...]
    """for each limb whether its frame has axes, and its number of contact points"""
    points: int
    """contact points of the trunk (the corners of a prop)"""
    spheres: int
    patch: bool = False
    """whether the trunk's points are one contact, on or off together: the underside of a prop"""
    touches: tuple[tuple[int, int], ...] = ()
    """pairs (limb, actor): limbs that may touch another actor"""


@dataclass(frozen=True)
class Layout:
    """Indices of everything; equal layouts share compiled programs."""

    actors: tuple[ActorShape, ...]
    phases: int
    boxes: int

    # -- features --------------------------------------------------------------------------------------------------

    @cached_property
    def _frames(self) -> tuple[list[int], list[list[int]], np.ndarray]:
        """Frame of each actor's root, of each of its limbs, and feature indices of all frames (n, 6), -1 for none."""
        roots: list[int] = []
        limbs: list[list[int]] = []
        rows: list[list[int]] = []
        size = 0
        for actor in self.actors:
            roots.append(len(rows))
            limbs.append([])
            for oriented in (True, *(limb[0] for limb in actor.limbs)):
                if len(rows) > roots[-1]:
                    limbs[-1].append(len(rows))
                width = 6 if oriented else 3
                rows.append([*range(size, size + width), *[-1] * (6 - width)])
                size += width
        return roots, limbs, np.array(rows)

    @property
    def roots(self) -> list[int]:
        return self._frames[0]

    @property
    def limbs(self) -> list[list[int]]:
        return self._frames[1]

    @property
    def frames(self) -> np.ndarray:
        return self._frames[2]

    @cached_property
    def features(self) -> int:
        return int(self.frames.max()) + 1

    @cached_property
    def bumped(self) -> np.ndarray:
        """Features that have bumps: those of limbs."""
        rows = self.frames[[f for limbs in self.limbs for f in limbs]] if any(self.limbs) else np.zeros((0, 6), int)
        return np.sort(rows[rows >= 0])

    # -- contacts --------------------------------------------------------------------------------------------------

    @cached_property
    def contacts(self) -> np.ndarray:
        """One row a contact point: actor, limb (-1: trunk), point (-1: the middle), activation, actor touched
        (-1: surroundings)."""
        rows, activation = [], 0
        for a, actor in enumerate(self.actors):
            for i, (_, count) in enumerate(actor.limbs):
                rows += [(a, i, p, activation, -1) for p in range(count)]
                activation += 1
            rows += [(a, -1, p, activation + (0 if actor.patch else p), -1) for p in range(actor.points)]
            activation += 1 if actor.patch else actor.points
        for a, actor in enumerate(self.actors):
            for i, other in actor.touches:
                rows.append((a, i, -1, activation, other))
                activation += 1
        return np.array(rows)

    @cached_property
    def fixed(self) -> np.ndarray:
        """Contacts with the surroundings."""
        return np.flatnonzero(self.contacts[:, 4] < 0)

    @cached_property
    def moving(self) -> np.ndarray:
        """Contacts with other actors."""
        return np.flatnonzero(self.contacts[:, 4] >= 0)

    @cached_property
    def activations(self) -> int:
        return int(self.contacts[:, 3].max()) + 1

    def frame_of(self, contact: int) -> int:
        """The frame a contact point is fixed in."""
        actor, limb = self.contacts[contact, :2]
        return self.roots[actor] if limb < 0 else self.limbs[actor][limb]

    # -- one phase -------------------------------------------------------------------------------------------------

    @property
    def knot(self) -> int:
        """Numbers at a knot."""
        return 2 * self.features

    @cached_property
    def parts(self) -> dict[str, slice]:
        """Slices of one phase of the solution."""
        sizes = {"x": self.features, "v": self.features, "bumps": spline.BUMPS * len(self.bumped),
                 "c": self.activations, "f": spline.NODES * 3 * len(self.contacts)}
        parts, start = {}, 0
        for name, size in sizes.items():
            parts[name] = slice(start, start + size)
            start += size
        return parts

    @cached_property
    def force_owner(self) -> np.ndarray:
        """The activation that each force number of a phase belongs to."""
        return np.tile(np.repeat(self.contacts[:, 3], 3), spline.NODES)

    @property
    def width(self) -> int:
        """Numbers in one phase of the solution."""
        return self.parts["f"].stop

    # -- one sample ------------------------------------------------------------------------------------------------

    @property
    def zero(self) -> int:
        """Index in a sample of the entry that is always zero."""
        return 3 * self.features + self.activations + 3 * len(self.contacts)

    def at(self, frames: np.ndarray | int, order: int = 0) -> np.ndarray:
        """Sample indices of frames (..., 6): their poses (order 0), velocities (1) or accelerations (2)."""
        index = self.frames[frames]
        return np.where(index < 0, self.zero, index + order * self.features)

    def force_at(self, contacts: np.ndarray) -> np.ndarray:
        """(..., 3)."""
        start = 3 * self.features + self.activations + 3 * np.asarray(contacts)
        return np.asarray(start)[..., None] + np.arange(3)

    def sample_map(self, s: np.ndarray) -> np.ndarray:
        """The linear map from [knot before | one phase] to samples, (len(s), zero + 1, knot + width)."""
        n, parts, knot = self.features, self.parts, self.knot
        table = np.zeros((len(s), self.zero + 1, knot + self.width))
        h, b, q = spline.hermite(s), spline.bumps(s), spline.quadratic(s)
        for order in range(3):
            for i in range(n):
                table[:, order * n + i, [i, n + i, knot + i, knot + n + i]] = h[:, order]
            for j, i in enumerate(self.bumped):
                start = knot + parts["bumps"].start
                table[:, order * n + i, [start + j, start + len(self.bumped) + j]] = b[:, order]
        for i in range(self.activations):
            table[:, 3 * n + i, knot + parts["c"].start + i] = 1.0
        forces = 3 * len(self.contacts)
        for i in range(forces):
            columns = knot + parts["f"].start + i + forces * np.arange(spline.NODES)
            table[:, 3 * n + self.activations + i, columns] = q
        return table
