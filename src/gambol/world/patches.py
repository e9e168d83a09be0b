"""Patches of a figure: where on which of its bodies they are, one by one, and several at once for quick arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from gambol.bodies.patches import FEET, Patch
from gambol.errors import BadInput
from gambol.world.index import ModelIndex

_ALL = slice(None)


@dataclass(frozen=True)
class FigurePatch:
    """A patch in a compiled model."""

    role: str
    kind: str
    body: int
    points: np.ndarray
    """(k, 3) in the frame of `body` when all joints are at zero; of a foot the heel's first, the toe's last"""
    bodies: np.ndarray
    """(k,) the body that each point is fixed in: the toe's points of a foot whose toes bend are fixed in the toes"""
    places: np.ndarray
    """(k, 3) each in the frame of its own body"""
    heel: slice
    toe: slice
    tip: slice
    """the toe's points at its front end; where toes bend, the points of the ball come before these"""
    ends: slice | np.ndarray
    """heel and tip: what is said of a sole as a whole, its length and its middle, goes by these"""
    hinges: tuple[int, ...]
    """the figure's degrees of freedom by which toes bend"""
    friction: float
    priority: int
    """sliding friction of its pads; and MuJoCo's priority: in a contact the geom with the higher one decides"""

    @property
    def is_foot(self) -> bool:
        """Whether a body stands on it."""
        return self.kind in FEET

    @cached_property
    def key(self) -> bytes:
        """The points as bytes, to look up what was computed for them."""
        return self.points.tobytes()


class PatchSet:
    """Several patches of a figure, their points one after the other."""

    def __init__(self, patches: Sequence[FigurePatch], moves: np.ndarray) -> None:
        self.patches = tuple(patches)
        self.feet = all(patch.kind in FEET for patch in patches)
        """whether all of them are feet: these feel the terrain by its height alone"""
        self.frames = np.array([body for patch in patches for body in dict.fromkeys(patch.bodies.tolist())], dtype=int)
        """bodies that the points are fixed in"""
        self.point_bodies = np.concatenate([patch.bodies for patch in patches] or [np.zeros(0, dtype=int)])
        """(k,) which of them each point is fixed in"""
        self.moves = np.tile(np.repeat(moves[self.point_bodies], 3, axis=0), 2)
        """(3 k, 2 nv) which degrees of freedom move each point, a row a coordinate; for velocity, and acceleration"""
        self.slices, self.main_frame, rows, frame, begin = [], [], [], 0, 0
        for patch in patches:
            self.slices.append(slice(begin, begin + len(patch.points)))
            """the points of each patch"""
            own = list(dict.fromkeys(patch.bodies.tolist()))
            self.main_frame.append(frame + own.index(patch.body))
            """which frame is that of each patch"""
            rows += [frame + own.index(int(body)) for body in patch.bodies]
            frame, begin = frame + len(own), begin + len(patch.points)
        self.begins = np.array([part.start for part in self.slices], dtype=int)
        """where the points of each patch begin"""
        self.pads = np.repeat([[patch.friction, patch.priority] for patch in patches] or np.zeros((0, 2)),
                              [len(patch.points) for patch in patches], axis=0)
        """(k, 2) sliding friction and priority of each point's pad"""
        self.placed = np.zeros((begin, 4 * frame))
        """(k, 4 frames): times the axes and places of the bodies it gives all points, see `Kinematics.patch_points`"""
        for row, (block, place) in enumerate(zip(rows, [p for patch in patches for p in patch.places], strict=True)):
            self.placed[row, 4 * block:4 * block + 4] = *place, 1.0


def point_bodies(index: ModelIndex, role: str, patch: Patch) -> tuple[np.ndarray, np.ndarray]:
    """The body that each point of a patch is fixed in, (k,), and its place in the frame of that, (k, 3)."""
    model, body = index.model, index.body_id(patch.body)
    bodies, places = np.full(len(patch.points), body), patch.points.copy()
    if patch.toes:
        toes = index.body_id(patch.toes)
        if model.body_parentid[toes] != body:
            raise BadInput(f"patch {role!r}: its toes {patch.toes!r} do not hang on {patch.body!r}")
        turn = np.empty(9)
        mujoco.mju_quat2Mat(turn, model.body_quat[toes])
        bodies[patch.heel:] = toes
        places[patch.heel:] = (places[patch.heel:] - model.body_pos[toes]) @ turn.reshape(3, 3)
    return bodies, places


def bind(index: ModelIndex, role: str, patch: Patch) -> FigurePatch:
    """A character's patch in a model that it was compiled into."""
    model, body, count = index.model, index.body_id(patch.body), len(patch.points)
    bodies, places = point_bodies(index, role, patch)
    hinges: tuple[int, ...] = ()
    tip = slice(patch.heel, count)
    ends: slice | np.ndarray = _ALL
    if patch.toes:
        tip = slice(max(patch.heel, count - patch.heel), count)
        ends = np.r_[0:patch.heel, tip]
        toes = index.body_id(patch.toes)
        first = int(model.body_dofadr[toes]) - index.dofs.start
        hinges = tuple(range(first, first + int(model.body_dofnum[toes])))
    friction, priority = _pads(model, sorted(set(bodies.tolist())))
    return FigurePatch(role, patch.kind, body, patch.points, bodies, places, slice(0, patch.heel),
                       slice(patch.heel, count), tip, ends, hinges, friction, priority)


def _pads(model: mujoco.MjModel, bodies: list[int]) -> tuple[float, int]:
    """Least friction and priority of the geoms that decide about the contacts of some bodies."""
    geoms = np.flatnonzero(np.isin(model.geom_bodyid, bodies) & ((model.geom_contype | model.geom_conaffinity) != 0))
    if not len(geoms):
        return 1.0, 0
    priority = int(model.geom_priority[geoms].max())
    deciding = geoms[model.geom_priority[geoms] == priority]
    return float(model.geom_friction[deciding, 0].min()), priority


def pair_friction(friction: ArrayLike, priority: ArrayLike, other: np.ndarray,
                  other_priority: np.ndarray) -> np.ndarray:
    """Sliding friction of pairs of geoms, as MuJoCo combines it: of the higher priority, else the larger one."""
    return np.where(other_priority > priority, other,
                    np.where(other_priority < priority, friction, np.maximum(other, friction)))
