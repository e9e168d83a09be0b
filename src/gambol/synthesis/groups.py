"""Groups of residuals: one function of the few numbers it depends on, for many equal instances.

Instances are contact points, limbs, trunks, bodies or features. A group says where each instance finds its arguments in
a sample, which numbers of a phase those come from, and by which polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gambol.synthesis import spline, terms
from gambol.synthesis.layout import Layout

KINDS = {"pose": (0, 1), "state": (0, 2), "motion": (0, 3), "speed": (1, 2), "second": (2, 3)}
"""Kinds of arguments that are features: the orders of derivatives they have."""
WIDTHS = {"pose": (12, 6), "state": (18, 12), "motion": (24, 18)}
"""Numbers of a frame: as matrices and angular velocities, and as features."""


@dataclass(frozen=True)
class Slot:
    """One argument of a group's function, for all its instances."""

    kind: str
    """`pose`, `state` or `motion` (state and acceleration) of a frame; `speed` or `second` derivative of features;
    `on` (an activation) or `force` of contacts"""
    where: np.ndarray
    """frames (n,), features (n, m), activations (n, 1), or contacts (n, m), -1 for none"""

    def index(self, layout: Layout) -> np.ndarray:
        """Indices in a sample, (n, numbers)."""
        if self.kind == "on":
            return 3 * layout.features + self.where
        if self.kind == "force":
            found = np.where(self.where[..., None] < 0, layout.zero, layout.force_at(self.where))
            return found.reshape(len(found), -1)
        if self.kind in WIDTHS:
            return np.concatenate([layout.at(self.where, order) for order in range(*KINDS[self.kind])], axis=1)
        return KINDS[self.kind][0] * layout.features + self.where

    def polynomials(self, layout: Layout, s: np.ndarray) -> np.ndarray:
        """What the numbers of a phase count at samples `s`: (samples, orders, polynomials)."""
        if self.kind == "on":
            return np.ones((len(s), 1, 1))
        if self.kind == "force":
            return spline.quadratic(s)[:, None]
        orders = slice(*KINDS[self.kind])
        both = np.concatenate([spline.hermite(s), spline.bumps(s)], axis=2)[:, orders]
        return both if np.isin(self._features(layout), layout.bumped).any() else both[..., :4]

    def columns(self, layout: Layout) -> np.ndarray:
        """Where in [knot before | one phase] each polynomial's factor of each number is, (n, polynomials * numbers)."""
        wide, parts, knot = layout.knot + layout.width, layout.parts, layout.knot
        if self.kind == "on":
            return knot + parts["c"].start + self.where
        if self.kind == "force":
            first = 3 * np.repeat(self.where, 3, axis=1) + np.tile(np.arange(3), self.where.shape[1])
            nodes = [knot + parts["f"].start + 3 * len(layout.contacts) * node + first for node in range(spline.NODES)]
            return np.concatenate([np.where(first < 0, wide, row) for row in nodes], axis=1)
        features = self._features(layout)
        bump = np.full(layout.features + 1, -1)
        bump[layout.bumped] = np.arange(len(layout.bumped))
        start = knot + parts["bumps"].start
        found = [np.where(features < 0, wide, shift + features) for shift in (0, layout.features, knot,
                                                                             knot + layout.features)]
        found += [np.where(bump[features] < 0, wide, shift + bump[features]) for shift in (start, start
                                                                                           + len(layout.bumped))]
        return np.concatenate(found[:self.polynomials(layout, np.zeros(1)).shape[2]], axis=1)

    def _features(self, layout: Layout) -> np.ndarray:
        """(n, m), -1 for none."""
        return layout.frames[self.where] if self.kind in WIDTHS else self.where


@dataclass(frozen=True)
class Group:
    """Equal residual functions of different parts of one sample."""

    name: str
    function: Callable[..., terms.Rows]
    """of the slots' values, constants and params"""
    slots: tuple[Slot, ...]
    grid: str = "few"
    """the samples it is evaluated at, of `spline.GRIDS`; but for the few ones, it depends on poses alone"""
    wide: bool = False
    """whether it has few rows of very many numbers"""

    def __post_init__(self) -> None:
        if self.grid != "few" and any(slot.kind != "pose" for slot in self.slots):
            raise ValueError(f"{self.name}: only poses are known at many samples")


def _pose(u: jax.Array) -> terms.Pose:
    return terms.Pose(u[:3], u[3:12].reshape(3, 3))


def _state(u: jax.Array) -> terms.State:
    return terms.State(u[:3], u[3:12].reshape(3, 3), u[12:15], u[15:18])


def instances(layout: Layout) -> dict[str, np.ndarray]:
    """What each instance of each group is, in order: the slots of groups and their constants are both made from this.

    Contacts (fixed, solid, moving), actors (trunk, physics, pace), (actor, limb of it, limb counted over all) (limb,
    posture, effort), (actor, limb counted over all, other actor) (between), feature triples (smooth, hurry).
    """
    actors = np.arange(len(layout.actors))
    limbs = np.array([(a, b) for a, actor in enumerate(layout.limbs) for b in range(len(actor))]).reshape(-1, 2)
    limbs = np.column_stack([limbs, np.arange(len(limbs))])
    found = {"fixed": layout.fixed, "solid": layout.fixed, "trunk": actors, "physics": actors,
             "smooth": np.arange(layout.features).reshape(-1, 3)}
    if len(limbs):
        found |= {"limb": limbs, "posture": limbs, "effort": limbs, "pace": np.unique(limbs[:, 0]),
                  "hurry": limb_features(layout)}
    if len(others := limbs_and_others(layout)):
        found["between"] = others
    if len(layout.moving):
        found["moving"] = layout.moving
    return found


def groups_of(layout: Layout) -> list[Group]:
    """All groups of a layout."""
    of = instances(layout)
    frame = np.array([layout.frame_of(i) for i in range(len(layout.contacts))])
    roots = np.array(layout.roots)
    touching, acting = body_frames(layout)[of["physics"]], body_contacts(layout)[of["physics"]]

    def ends(which: np.ndarray) -> tuple[Slot, Slot]:
        return Slot("pose", roots[which[:, 0]]), Slot("pose", np.array([layout.limbs[a][b] for a, b, _ in which]))

    def contact(which: np.ndarray) -> tuple[Slot, Slot]:
        return Slot("on", layout.contacts[which, 3:4]), Slot("force", which[:, None])

    def physics(root: jax.Array, *rest: Any) -> terms.Rows:
        *frames, forces, k, p = rest
        return terms.physics(_state(root), root[18:21], root[21:], jnp.stack([root[:12], *frames]),
                             forces.reshape(-1, 3), k, p["w"])

    groups = [
        Group("fixed", lambda a, c, f, k, p: terms.fixed_contact(_state(a), c[0], f, k, p["w"], p["boxes"]),
              (Slot("state", frame[of["fixed"]]), *contact(of["fixed"]))),
        Group("solid", lambda a, k, p: terms.solid_point(_pose(a), k, p["w"], p["boxes"]),
              (Slot("pose", frame[of["solid"]]),), grid="most"),
        Group("trunk", lambda a, k, p: terms.trunk(_pose(a), k, p["w"], p["boxes"]),
              (Slot("pose", roots[of["trunk"]]),), grid="many"),
        Group("physics", physics, (Slot("motion", roots[of["physics"]]),
                                   *(Slot("pose", column) for column in touching.T[1:]), Slot("force", acting)),
              wide=True),
        Group("smooth", lambda a, k, p: terms.smoothness(a, k, p["w"]), (Slot("second", of["smooth"]),))]
    if "limb" in of:
        trunks = layout.frames[roots[of["pace"]]]
        groups += [Group("limb", lambda a, b, k, p: terms.limb(_pose(a), _pose(b), k, p["w"], p["boxes"]),
                         ends(of["limb"]), grid="many"),
                   Group("posture", lambda a, b, k, p: terms.posture(_pose(a), _pose(b), k, p["w"]),
                         ends(of["posture"])),
                   Group("pace", lambda a, k, p: terms.pace(a, p["w"]), (Slot("speed", trunks[:, :3]),)),
                   Group("hurry", lambda a, k, p: terms.hurry(a, k, p["w"]), (Slot("speed", of["hurry"]),)),
                   Group("effort", lambda a, b, f, k, p: terms.effort(_pose(a), _pose(b), f, k, p["w"]),
                         (*ends(of["effort"]), Slot("force", limb_contacts(layout)[of["effort"][:, 2]])))]
    if "between" in of:
        others, limbs = of["between"], np.array([f for limbs in layout.limbs for f in limbs])
        groups.append(Group("between", lambda a, b, c, k, p: terms.between(_pose(a), _pose(b), _pose(c), k, p["w"]),
                            (Slot("pose", roots[others[:, 0]]), Slot("pose", limbs[others[:, 1]]),
                             Slot("pose", roots[others[:, 2]])), grid="many"))
    if "moving" in of:
        moving = of["moving"]
        groups.append(Group("moving", lambda a, b, c, f, k, p: terms.moving_contact(_state(a), _state(b), c[0], f, k,
                                                                                    p["w"]),
                            (Slot("state", frame[moving]), Slot("state", roots[layout.contacts[moving, 4]]),
                             *contact(moving))))
    return groups


def limb_features(layout: Layout) -> np.ndarray:
    """Features of places of all hands and feet, then of turns of feet, (n, 3)."""
    ends = layout.frames[[f for limbs in layout.limbs for f in limbs]]
    return np.concatenate([ends[:, :3], ends[ends[:, 3] >= 0, 3:]])


def limbs_and_others(layout: Layout) -> np.ndarray:
    """All (actor, limb counted over all actors, other actor)."""
    owners = [a for a, limbs in enumerate(layout.limbs) for _ in limbs]
    return np.array([(a, i, other) for i, a in enumerate(owners) for other in range(len(layout.actors)) if other != a])


def body_contacts(layout: Layout) -> np.ndarray:
    """Contacts that act on each actor, (actors, most), -1 for none: its own, then those of others on it."""
    return _filled([[i for i, row in enumerate(layout.contacts) if row[0] == a]
                    + [i for i, row in enumerate(layout.contacts) if row[4] == a] for a in range(len(layout.actors))])


def body_frames(layout: Layout) -> np.ndarray:
    """Frames that those contacts are fixed in, (actors, most): the actor's root, then others (the root for none)."""
    rows = [[root, *sorted({layout.frame_of(i) for i in acting if i >= 0} - {root})]
            for root, acting in zip(layout.roots, body_contacts(layout), strict=True)]
    found = _filled(rows)
    return np.where(found < 0, found[:, :1], found)


def limb_contacts(layout: Layout) -> np.ndarray:
    """Contact points of each limb, (limbs, most), -1 for none."""
    return _filled([[i for i, row in enumerate(layout.contacts) if tuple(row[:2]) == (a, b)]
                    for a, actor in enumerate(layout.actors) for b in range(len(actor.limbs))])


def _filled(rows: list[list[int]]) -> np.ndarray:
    """Rows of different lengths as one array, filled up with -1."""
    most = max(len(row) for row in rows)
    return np.array([row + [-1] * (most - len(row)) for row in rows])
