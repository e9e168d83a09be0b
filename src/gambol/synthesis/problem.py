"""Problem: a layout's program with the numbers of one scene. What the solvers work on.

`Problem` knows its start, bounds and scales, has all arguments of its program under the weights of a stage, and gives
its costs as a table. Building it and solving it are two calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gambol.synthesis import poses, tasks
from gambol.synthesis.folding import limb_constants
from gambol.synthesis.groups import body_contacts, body_frames, limb_contacts, limbs_and_others
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
HAND, GRIP = 1.2, 4.0
"""How much more force costs at a hand than at a foot, and at a hand on a prop: more, to lead it there from afar."""
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

    # -- constants of the groups, in the order of their instances ---------------------------------------------------

    def constants(self) -> Params:
        layout = self.layout
        limbs = [(a, limb) for a, actor in enumerate(self.actors) for limb in actor.puppet.limbs]
        contacts = [self._contact(row) for row in layout.contacts]
        found: Params = {
            "start": self.start, "boxes": self._boxes(), "tasks": self.asked,
            "fixed": _stacked([contacts[i] for i in layout.fixed]),
            "trunk": self._trunks(), "physics": self._physics(),
            "smooth": {"smooth": self._smooth()}}
        found["solid"] = {key: found["fixed"][key] for key in ("point", "radius")}
        if len(layout.moving):
            found["moving"] = _stacked([contacts[i] for i in layout.moving])
        if len(others := limbs_and_others(layout)):
            found["between"] = _stacked([
                {**{key: value for key, value in limb_constants(self.actors[a].puppet, limbs[i][1]).items()
                    if key in ("base", "links", "pole", "wrist", "foot", "thickness")},
                 "half": self.actors[other].half, "center": self.actors[other].center} for a, i, other in others])
        if limbs:
            found["limb"] = _stacked([limb_constants(self.actors[a].puppet, limb) for a, limb in limbs])
            found["posture"] = {key: found["limb"][key] for key in ("rest", "tied", "turned")}
            found["pace"] = {"trunk": np.arange(sum(bool(actor.puppet.limbs) for actor in self.actors))}
            feet = sum(limb.is_foot for _, limb in limbs)
            found["hurry"] = {"lever": np.concatenate([np.ones(len(limbs)), np.full(feet, TURN_LEVER)])}
            points = [[self._point(layout.contacts[i]) if i >= 0 else np.zeros(3) for i in row]
                      for row in limb_contacts(layout)]
            found["effort"] = {**{key: found["limb"][key] for key in ("base", "links", "pole", "wrist", "foot")},
                               "points": np.array(points)}
        return found

    def _smooth(self) -> np.ndarray:
        """Weight of each feature triple's acceleration: places of roots count most."""
        weights = []
        for actor in self.actors:
            weights += [ROOT_SMOOTH, ROOT_SMOOTH * LEVER]
            for limb in actor.puppet.limbs:
                weights += [1.0, LEVER] if limb.is_foot else [1.0]
        return np.array(weights)

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

    def _point(self, row: np.ndarray) -> np.ndarray:
        puppet = self.actors[row[0]].puppet
        if row[2] < 0:
            return np.zeros(3)
        return np.asarray(puppet.points[row[2]] if row[1] < 0 else puppet.limbs[row[1]].points[row[2]])

    def _contact(self, row: np.ndarray) -> Params:
        actor = self.actors[row[0]]
        limb = actor.puppet.limbs[row[1]] if row[1] >= 0 else None
        foot = limb is not None and limb.is_foot
        sole = foot and row[4] < 0
        count = len(limb.points) if limb and sole else len(actor.puppet.points) if actor.is_prop else 1
        other = self.actors[row[4]] if row[4] >= 0 else None
        grip = limb is not None and not foot and (actor.grip or (other is not None and other.is_prop))
        masses = [body.puppet.mass for body in (actor, other) if body is not None]
        half, center = (np.zeros(3), np.zeros(3)) if other is None else (other.half, other.center)
        if foot and other is not None and not other.is_prop:  # one stands on a partner, not against its chest
            half, center = np.array([*half[:2], 0.0]), center + np.array([0.0, 0.0, half[2]])
        return {"point": self._point(row), "radius": limb.radius if limb is not None else 0.0,
                "share": 1 / np.sqrt(count), "unit": min(masses) / self.actors[0].puppet.mass,
                "reluctance": GRIP if other is not None and other.is_prop else HAND if limb and not foot else 1.0,
                "prop": float(actor.is_prop), "limb": float(limb is not None), "burden": actor.burden,
                "friction": actor.friction, "cone": 0.0 if grip else 1.0, "skim": float(foot),
                "sole": float(sole and count > 2),
                "anchor": np.zeros(3) if limb is not None else self._point(row),
                "held": float(other is not None and other.is_prop), "half": half, "center": center}

    def _trunks(self) -> Params:
        most = max(len(actor.puppet.spheres) for actor in self.actors)
        spheres = [np.concatenate([s := actor.puppet.spheres, np.repeat(s[:1], most - len(s), axis=0)])
                   for actor in self.actors]
        return {"spheres": np.array(spheres), "upright": np.array([0.0 if actor.is_prop else 1.0
                                                                   for actor in self.actors])}

    def _physics(self) -> Params:
        layout = self.layout
        unit = self.actors[0].puppet.mass
        rows = []
        for a, (acting, frames) in enumerate(zip(body_contacts(layout), body_frames(layout), strict=True)):
            puppet = self.actors[a].puppet
            mass = puppet.mass / unit
            at = np.zeros((len(acting), len(frames)))
            for i, contact in enumerate(acting):
                if contact >= 0:
                    at[i, list(frames).index(layout.frame_of(contact))] = 1.0
            rows.append({"points": np.array([self._point(layout.contacts[i]) if i >= 0 else np.zeros(3)
                                             for i in acting]),
                         "sign": np.array([0.0 if i < 0 else 1.0 if layout.contacts[i, 0] == a else -1.0
                                           for i in acting]),
                         "mass": mass, "inertia": puppet.inertia, "at": at,
                         "prop": float(self.actors[a].is_prop)})
        return _stacked(rows)


def _stacked(rows: list[Params]) -> Params:
    return {key: np.stack([np.asarray(row[key], dtype=float) for row in rows]) for key in rows[0]}
