"""Moment: all bodies of a scene at one time, as features see them; and a feature as a scene wants it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from gambol.errors import BadInput, unknown
from gambol.synthesis.layout import Layout
from gambol.synthesis.rotations import matrix

if TYPE_CHECKING:  # what is in there changes no program
    from gambol.synthesis.features import Quantity

USUAL = 0.05
"""The limit of a feature that weighs as much as other tasks do."""


class Moment:
    """All bodies of a scene at one time. A part is `trunk`, a hand, a foot, or the name of a prop."""

    def __init__(self, layout: Layout, parts: tuple[tuple[str, ...], ...], who: int, knot: jax.Array) -> None:
        """`parts`: the names of each actor's frames; `who`: whose parts are meant where nobody is named."""
        self._layout, self._parts, self.who = layout, parts, who
        self._x, self._v = (jnp.concatenate([part, jnp.zeros(1)]) for part in jnp.split(knot, 2))

    def place(self, part: str = "trunk", who: int | None = None) -> jax.Array:
        """Where it is, m: a hand, the middle of a sole, the middle of a prop; `trunk` is the body's centre of mass."""
        return self._x[self._numbers(part, who)[:3]]

    def speed(self, part: str = "trunk", who: int | None = None) -> jax.Array:
        """How fast that place moves, m/s."""
        return self._v[self._numbers(part, who)[:3]]

    def distance(self, part: str, other: str, who: int | None = None, whose: int | None = None) -> jax.Array:
        """Between two places, m, with a slope where they meet; the other part is of `whose`, else of `who` as well."""
        apart = self.place(part, who) - self.place(other, who if whose is None else whose)
        return jnp.sqrt(apart @ apart + 1e-8)

    def axes(self, part: str = "trunk", who: int | None = None) -> jax.Array:
        """Its axes as columns: forward, left, up."""
        numbers = self._numbers(part, who)
        if numbers[3] < 0:
            raise BadInput(f"{part} has no axes: hands are points here")
        return matrix(self._x[numbers[3:]])

    def _numbers(self, part: str, who: int | None) -> np.ndarray:
        props = {names[0]: i for i, names in enumerate(self._parts) if self._layout.actors[i].patch}
        actor = props.get(part, self.who if who is None else who)
        if part not in props and not 0 <= actor < len(self._parts) - len(props):
            raise BadInput(f"there is no character {actor}; there are {len(self._parts) - len(props)}, counted from 0")
        names = self._parts[actor]
        if part not in names:
            raise unknown("part", part, [*names, *props])
        row = self._layout.frames[self._layout.roots[actor] + names.index(part)]
        return np.asarray(row)


@dataclass(frozen=True)
class Wanted:
    """A feature of one scene, of one character."""

    quantity: Quantity
    parts: tuple[tuple[str, ...], ...]
    who: int

    @property
    def name(self) -> str:
        return self.quantity.name

    @property
    def scale(self) -> float:
        """Factor on its residual, so that its unit does not matter: what counts is how far it is off, in limits."""
        return USUAL / self.quantity.limit

    def value(self, layout: Layout, knot: jax.Array) -> jax.Array:
        """Its numbers at a knot (x, x'), (m,)."""
        found = self.quantity(Moment(layout, self.parts, self.who, knot))
        return jnp.atleast_1d(jnp.asarray(found, dtype=float))

    def size(self, layout: Layout) -> int:
        """How many numbers it has."""
        try:
            shape = jax.eval_shape(lambda knot: self.value(layout, knot), _spec(layout)).shape
        except BadInput as error:
            raise BadInput(f"feature {self.name}: {error}") from None
        except Exception as error:  # the user's own code, under JAX's tracing
            reason = str(error).strip().split("\n")[0]
            raise BadInput(f"feature {self.name} cannot be computed: {type(error).__name__}: {reason} "
                           "(write it with jax.numpy, and return a number or a row of numbers)") from None
        if len(shape) != 1 or not shape[0]:
            raise BadInput(f"feature {self.name} returns an array of shape {shape}; it takes a number or a row")
        return int(shape[0])

    def check(self, layout: Layout, knot: np.ndarray) -> None:
        """Refuse what has no value or no slope at the start."""
        for what, function in (("value", self.value), ("slope", jax.jacfwd(self.value, argnums=1))):
            if not np.isfinite(function(layout, jnp.asarray(knot))).all():
                raise BadInput(f"feature {self.name} has no {what} at the start; write it so that it always has one")

    def text(self, layout: Layout) -> str:
        """Stands for what it computes, and its limit."""
        lowered = jax.jit(lambda knot: self.value(layout, knot)).lower(_spec(layout)).as_text()
        return hashlib.sha256(f"{self.quantity.limit} {lowered}".encode()).hexdigest()


def _spec(layout: Layout) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct((layout.knot,), float)
