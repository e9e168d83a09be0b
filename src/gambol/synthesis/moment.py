"""Moment: all bodies of a scene at one time, as features see them."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from gambol.errors import BadInput, unknown
from gambol.synthesis.features import Feature
from gambol.synthesis.layout import Layout
from gambol.synthesis.rotations import matrix


class Moment:
    """All bodies of a scene at one time. A part is `trunk`, a hand, a foot, or the name of a prop."""

    def __init__(self, layout: Layout, parts: tuple[tuple[str, ...], ...], who: int, knot: jax.Array) -> None:
        """`parts`: the names of each actor's frames; `who`: whose parts are meant where nobody is named."""
        self._layout, self._parts, self.who = layout, parts, who
        self._x, self._v = (jnp.concatenate([part, jnp.zeros(1)]) for part in jnp.split(knot, 2))

    def place(self, part: str = "trunk", who: int | None = None) -> jax.Array:
        """Where it is, m: a trunk's centre of mass, a hand, the middle of a sole, the middle of a prop."""
        return self._x[self._numbers(part, who)[:3]]

    def speed(self, part: str = "trunk", who: int | None = None) -> jax.Array:
        """How fast that place moves, m/s."""
        return self._v[self._numbers(part, who)[:3]]

    def distance(self, part: str, other: str, who: int | None = None, whose: int | None = None) -> jax.Array:
        """Between two places, m; with a slope where they meet."""
        apart = self.place(part, who) - self.place(other, whose)
        return jnp.sqrt(apart @ apart + 1e-8)

    def axes(self, part: str = "trunk", who: int | None = None) -> jax.Array:
        """Its axes as columns: forward, left, up."""
        numbers = self._numbers(part, who)
        if numbers[3] < 0:
            raise BadInput(f"a feature asks for the axes of {part}; hands are points here and have none")
        return matrix(self._x[numbers[3:]])

    def _numbers(self, part: str, who: int | None) -> np.ndarray:
        actor = self.who if who is None else who
        if not 0 <= actor < len(self._parts):
            raise BadInput(f"a feature asks for character {actor}; there are {len(self._parts)}, counted from 0")
        props = {names[0]: i for i, names in enumerate(self._parts) if self._layout.actors[i].patch}
        actor = props.get(part, actor)
        names = self._parts[actor]
        if part not in names:
            raise unknown("part of a feature", part, [*names, *props])
        row = self._layout.frames[self._layout.roots[actor] + names.index(part)]
        return np.asarray(row)


@dataclass(frozen=True)
class Wanted:
    """A feature of one scene."""

    feature: Feature
    parts: tuple[tuple[str, ...], ...]
    who: int

    def value(self, layout: Layout, knot: jax.Array) -> jax.Array:
        """Its numbers at a knot (x, x'), (m,)."""
        return jnp.atleast_1d(self.feature.function(Moment(layout, self.parts, self.who, knot)))

    def size(self, layout: Layout) -> int:
        """How many numbers it has."""
        knot = jax.ShapeDtypeStruct((layout.knot,), float)
        shape = jax.eval_shape(lambda knot: self.value(layout, knot), knot).shape
        if len(shape) != 1:
            raise BadInput(f"feature {self.feature.name} returns an array of shape {shape}; it takes a number or a row")
        return int(shape[0])
