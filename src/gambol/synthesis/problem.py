"""Problem: a layout's program with the numbers of one scene. What the solvers work on.

`Problem` knows its start, bounds and scales, has all arguments of its program under the weights of a stage, and gives
its costs as a table. Building it and solving it are two calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gambol.synthesis import poses, tasks
from gambol.synthesis.contacts import ContactRow, contact_row
from gambol.synthesis.folding import limb_constants
from gambol.synthesis.groups import body_contacts, body_frames, instances, limb_contacts
from gambol.synthesis.layout import ActorShape, Layout
from gambol.synthesis.moment import Wanted
from gambol.synthesis.program import Params, Program, program
from gambol.synthesis.puppet import Puppet
from gambol.synthesis.stages import WEIGHTS, Stage
from gambol.synthesis.terms import LEVER, TERMS, TURN_LEVER

SCALES = {"x": 0.1, "v": 0.3, "bumps": 0.05, "c": 0.3, "f": 1.5}
"""Typical size of each kind of number, for solvers that need it."""
ROOT_SMOOTH = 32.0
"""How much more than a limb's a root's acceleration costs: leaps are for when nothing else will do."""
BENT = ("base", "links", "pole", "wrist", "foot")
"""The constants of a limb that say how it bends."""
UNDERGROUND = 3.0
"""Boxes on the ground reach down so far, m, so that nothing slips along their bottom face."""


@dataclass(frozen=True)
class Box:
    """A fixed box: `center` and full `size` in m, turned by `yaw` degrees."""

    center: tuple[float, float, float]
    size: tuple[float, float, float]
    yaw: float = 0.0


@dataclass(frozen=True)
class Actor:
    """A puppet (of a character, or of a prop: no limbs) and how it starts."""

    puppet: Puppet
    start: poses.Frames
    friction: float = 1.0
    grip: bool = False
    """whether hands may pull"""
    burden: float = 1.0
    """factor on what contact forces cost it"""
    is_prop: bool = False
    half: np.ndarray = field(default_factory=lambda: np.zeros(3))
    """the box that others touch: half sizes and centre in the root's frame"""
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    touches: tuple[tuple[int, int], ...] = ()

    @property
    def shape(self) -> ActorShape:
        limbs = tuple((limb.is_foot, len(limb.points)) for limb in self.puppet.limbs)
        return ActorShape(limbs, len(self.puppet.points), len(self.puppet.spheres), self.is_prop, self.touches)


class Problem:
    """One scene, ready to be solved."""

    def __init__(self, actors: Sequence[Actor], phases: int, boxes: Sequence[Box] = (),
                 asked: dict[str, Any] | None = None, wanted: tuple[Wanted, ...] = ()) -> None:
        self.actors = tuple(actors)
        self.boxes = tuple(boxes)
        self.layout = Layout(tuple(actor.shape for actor in actors), phases, len(boxes))
        self.wanted = wanted
        self.program: Program = program(self.layout, wanted)
        self.asked = asked if asked is not None else tasks.no_tasks(self.layout, wanted)
        self._check_rows()
        self._constants = jax.tree.map(lambda a: jnp.asarray(a, dtype=float), self.constants())

    # -- numbers ---------------------------------------------------------------------------------------------------

    @property
    def start(self) -> np.ndarray:
        """The given state at t = 0: features and zero velocity."""
        rows = [poses.features(actor.start, [True, *(limb.is_foot for limb in actor.puppet.limbs)])
                for actor in self.actors]
        x = np.concatenate(rows)
        return np.concatenate([x, np.zeros_like(x)])

    def guess(self, activation: float = 0.5) -> np.ndarray:
        """The start pose repeated, no force: the only initial guess there is."""
        z = np.zeros((self.layout.phases, self.layout.width))
        z[:, :self.layout.knot] = self.start
        z[:, self.layout.parts["c"]] = activation
        return z

    @property
    def scales(self) -> np.ndarray:
        """Typical sizes, one a number of a phase."""
        scale = np.ones(self.layout.width)
        for name, part in self.layout.parts.items():
            scale[part] = SCALES[name]
        return scale

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds, one a number of a phase: activations are between 0 and 1."""
        low, high = np.full(self.layout.width, -np.inf), np.full(self.layout.width, np.inf)
        low[self.layout.parts["c"]], high[self.layout.parts["c"]] = 0.0, 1.0
        return low, high

    def params(self, stage: Stage | None = None, **weights: float) -> Params:
        """All arguments of the program under the weights of a stage."""
        chosen = {**(stage.full() if stage is not None else WEIGHTS), **weights}
        return {**self._constants, "w": {name: jnp.asarray(float(value)) for name, value in chosen.items()}}

    def table(self, z: np.ndarray, params: Params) -> dict[str, float]:
        """Cost of each term by name."""
        _, found = self.program.costs(jnp.asarray(z), params)
        return {name: float(found[name]) for name in TERMS}

    # -- constants of the groups ------------------------------------------------------------------------------------

    @cached_property
    def contacts(self) -> tuple[ContactRow, ...]:
        """All about each contact, in the order of `layout.contacts`."""
        return tuple(contact_row(self.actors, row) for row in self.layout.contacts)

    def constants(self) -> Params:
        """All that the program's functions are given apart from z and weights, by group: a row an instance."""
        return self._numbers

    @cached_property
    def _numbers(self) -> Params:
        of = instances(self.layout)
        found: Params = {"start": self.start, "boxes": self._boxes(), "tasks": self.asked,
                         "fixed": _stacked([vars(self.contacts[i]) for i in of["fixed"]]),
                         "solid": _stacked([{"point": c.point, "radius": c.radius}
                                            for c in (self.contacts[i] for i in of["solid"])]),
                         "trunk": self._trunks(of["trunk"]), "physics": self._physics(of["physics"]),
                         "smooth": {"smooth": self._smooth(of["smooth"])}}
        if "moving" in of:
            found["moving"] = _stacked([vars(self.contacts[i]) for i in of["moving"]])
        limbs = [limb_constants(actor.puppet, limb) for actor in self.actors for limb in actor.puppet.limbs]
        if "between" in of:
            found["between"] = _stacked([{**_some(limbs[i], *BENT, "thickness"), "half": self.actors[other].half,
                                          "center": self.actors[other].center} for _, i, other in of["between"]])
        if "limb" in of:
            found["limb"] = _stacked([limbs[i] for _, _, i in of["limb"]])
            found["posture"] = _stacked([_some(limbs[i], "rest", "tied", "turned") for _, _, i in of["posture"]])
            found["pace"] = {"trunk": np.arange(len(of["pace"]))}
            places = self.layout.frames[:, 0]
            found["hurry"] = {"lever": np.where(np.isin(of["hurry"][:, 0], places), 1.0, TURN_LEVER)}
            points = limb_contacts(self.layout)[of["effort"][:, 2]]
            found["effort"] = _stacked([{**_some(limbs[i], *BENT), "points": [self._point(k) for k in row]}
                                        for (_, _, i), row in zip(of["effort"], points, strict=True)])
        return found

    def _smooth(self, triples: np.ndarray) -> np.ndarray:
        """Weight of each feature triple's acceleration: places of roots count most."""
        weights: dict[int, float] = {}
        for frame, (place, _, _, turn, _, _) in enumerate(self.layout.frames):
            root = ROOT_SMOOTH if frame in self.layout.roots else 1.0
            weights |= {place: root, turn: root * LEVER}
        return np.array([weights[first] for first in triples[:, 0]])

    def _boxes(self) -> Params:
        rows = []
        for box in self.boxes:
            low, high = box.center[2] - box.size[2] / 2, box.center[2] + box.size[2] / 2
            low = low - UNDERGROUND if low < 0.02 else low
            angle = np.deg2rad(box.yaw)
            turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
            rows.append({"center": np.array([*box.center[:2], (low + high) / 2]), "turn": turn,
                         "half": np.array([box.size[0] / 2, box.size[1] / 2, (high - low) / 2])})
        return _stacked(rows) if rows else {"center": np.zeros((0, 3)), "turn": np.zeros((0, 3, 3)),
                                            "half": np.zeros((0, 3))}

    def _point(self, contact: int) -> np.ndarray:
        """Where a contact is in its frame; zero for none (-1)."""
        return self.contacts[contact].point if contact >= 0 else np.zeros(3)

    def _trunks(self, actors: np.ndarray) -> Params:
        most = max(len(actor.puppet.spheres) for actor in self.actors)
        chosen = [self.actors[a] for a in actors]
        spheres = [np.concatenate([s := actor.puppet.spheres, np.repeat(s[:1], most - len(s), axis=0)])
                   for actor in chosen]
        return {"spheres": np.array(spheres), "upright": np.array([0.0 if actor.is_prop else 1.0 for actor in chosen])}

    def _physics(self, actors: np.ndarray) -> Params:
        layout = self.layout
        unit = self.actors[0].puppet.mass
        rows = []
        for a in actors:
            acting, frames = body_contacts(layout)[a], body_frames(layout)[a]
            puppet = self.actors[a].puppet
            mass = puppet.mass / unit
            at = np.zeros((len(acting), len(frames)))
            for i, contact in enumerate(acting):
                if contact >= 0:
                    at[i, list(frames).index(layout.frame_of(contact))] = 1.0
            rows.append({"points": np.array([self._point(i) for i in acting]),
                         "sign": np.array([0.0 if i < 0 else 1.0 if layout.contacts[i, 0] == a else -1.0
                                           for i in acting]),
                         "mass": mass, "inertia": puppet.inertia, "at": at,
                         "prop": float(self.actors[a].is_prop)})
        return _stacked(rows)

    def _check_rows(self) -> None:
        """Every group must have as many rows of each constant as it has instances."""
        for group in self.program.groups:
            wanted = len(group.slots[0].where)
            for name, value in self._numbers[group.name].items():
                if len(value) != wanted:
                    raise ValueError(f"{name} of group {group.name}: {len(value)} rows for {wanted} instances")


def _stacked(rows: Sequence[Mapping[str, Any]]) -> Params:
    return {key: np.stack([np.asarray(row[key], dtype=float) for row in rows]) for key in rows[0]}


def _some(params: Params, *names: str) -> Params:
    return {name: params[name] for name in names}
