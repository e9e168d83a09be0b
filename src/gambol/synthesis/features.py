"""Features: what a scene may ask for besides the tasks there are, and how to add one's own.

A feature is a function of a `Moment`, written with `jax.numpy`, that returns a number or a row of numbers:

    @feature(unit="m", limit=0.03)
    def hands_apart(moment):
        "distance between the hands"
        return moment.distance("left_hand", "right_hand")

A scene asks for it with `feature: {name: hands_apart, target: 0.3, at: 2.0}`. This file itself needs no JAX.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gambol.errors import BadInput

if TYPE_CHECKING:
    from gambol.synthesis.moment import Moment

Numbers = Any
"""A number or a row of numbers, as JAX has them."""


@dataclass(frozen=True)
class Quantity:
    """What a feature is: a quantity of all bodies at a moment."""

    name: str
    function: Callable[[Moment], Numbers]
    unit: str
    limit: float
    """how far it may be from what is wanted"""
    doc: str

    def __call__(self, moment: Moment) -> Numbers:
        return self.function(moment)


FEATURES: dict[str, Quantity] = {}
"""Features by name."""


def feature(unit: str = "m", limit: float = 0.05) -> Callable[[Callable[[Moment], Numbers]], Quantity]:
    """Make a function a feature that scenes can ask for by its name; `limit`: how far off counts as met."""
    if not isinstance(unit, str):
        raise BadInput("@feature takes a unit and a limit: @feature(unit=\"m\", limit=0.05), or @feature()")
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit < math.inf:
        raise BadInput(f"the limit of a feature is a number above 0, not {limit!r}")

    def register(function: Callable[[Moment], Numbers]) -> Quantity:
        name = function.__name__
        if name in BUILT_IN:
            raise BadInput(f"there is a feature {name!r} in gambol already; give yours another name")
        FEATURES[name] = Quantity(name, function, unit, float(limit), (function.__doc__ or "").strip().split("\n\n")[0])
        return FEATURES[name]

    return register


BUILT_IN: tuple[str, ...] = ()


@feature()
def hands_apart(moment: Moment) -> Numbers:
    """distance between the hands"""
    return moment.distance("left_hand", "right_hand")


@feature()
def feet_apart(moment: Moment) -> Numbers:
    """distance between the feet"""
    return moment.distance("left_foot", "right_foot")


@feature()
def left_hand(moment: Moment) -> Numbers:
    """place of the left hand, x, y, z"""
    return moment.place("left_hand")


@feature()
def right_hand(moment: Moment) -> Numbers:
    """place of the right hand, x, y, z"""
    return moment.place("right_hand")


@feature(unit="")
def trunk_up(moment: Moment) -> Numbers:
    """the way the trunk's top points, x, y, z of a row of length 1"""
    return moment.axes("trunk")[:, 2]


@feature(unit="m/s", limit=0.2)
def trunk_speed(moment: Moment) -> Numbers:
    """velocity of the trunk, x, y, z"""
    return moment.speed("trunk")


BUILT_IN = tuple(FEATURES)
