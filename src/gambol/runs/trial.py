"""A Trial: what is to be simulated, as a value that can be compared, changed, pickled and sent to another machine.

    Trial.of("walk", "child", preset="sad", seconds=5, pushes=[Push(2, "trunk", (0, 50, 0))])
    Trial((Cast("walk"), Cast("balance", "child", name="b", start=Start(x=2.0))), terrain="slope:angle=5", seed=3)

What is None is taken from the default scene of the behavior (of the first, where there are several).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from itertools import chain, count
from typing import Any

import numpy as np

from gambol.bodies.character import Character
from gambol.errors import BadInput, unknown
from gambol.runs.cast import NAME, Cast
from gambol.runs.rates import Rates, rates_of
from gambol.world.props import Prop
from gambol.world.pushes import Push, Throw
from gambol.world.terrain import Terrain
from gambol.world.vary import Vary

GROUND = "terrain"
"""No figure is called like the ground."""
LONGEST = 3600.0
"""s"""
TERRAIN = "flat"
"""Where, if neither the user nor the behavior says."""
Change = tuple[float, str, Any]
"""At a time (s), a parameter gets a value; of another figure than the first as `b/height`."""


@dataclass(frozen=True)
class Trial:
    """Figures in a world, what happens to them, and for how long."""

    figures: tuple[Cast, ...]
    terrain: str | Terrain | None = None
    props: tuple[Prop, ...] | None = None
    pushes: tuple[Push, ...] = ()
    throws: tuple[Throw, ...] | None = None
    seconds: float = 10.0
    seed: int = 0
    changes: tuple[Change, ...] = ()
    vary: Vary | None = None
    """how a true body differs from what its behavior believes"""
    control_rate: float | None = None
    """Hz at which all behaviors act; None: each at the rate it declares"""
    physics_rate: float | None = None
    """Hz; None: what the behaviors declare"""

    def __post_init__(self) -> None:
        for name in ("figures", "props", "pushes", "throws", "changes"):  # any sequence will do
            value = getattr(self, name)
            if value is not None and not isinstance(value, tuple):
                object.__setattr__(self, name, tuple(value))
        if not self.figures:
            raise BadInput("a trial needs at least one figure")
        if not (np.isfinite(self.seconds) and 0 < self.seconds <= LONGEST):
            raise BadInput(f"seconds={self.seconds:g} is out of range; it takes more than 0, at most {LONGEST:g} s")
        _check_names([cast.name for cast in self.figures if cast.name])

    @staticmethod
    def of(behavior: str, character: str | Character | None = None, **parts: Any) -> Trial:
        """A trial of one figure; further parts are those of its Cast and of the Trial."""
        own = {field.name for field in fields(Cast)}
        cast = Cast(behavior, character, **{name: value for name, value in parts.items() if name in own})
        return Trial((cast,), **{name: value for name, value in parts.items() if name not in own})

    @property
    def first(self) -> Cast:
        """The figure that the run is judged by."""
        return self.figures[0]

    def recast(self, **parts: Any) -> Trial:
        """The same trial with other parts, those of its first figure included."""
        own = {field.name for field in fields(Cast)}
        cast = replace(self.first, **{name: value for name, value in parts.items() if name in own})
        return replace(self, figures=(cast, *self.figures[1:]),
                       **{name: value for name, value in parts.items() if name not in own})

    @property
    def rates(self) -> Rates:
        """How often the world ticks and each behavior acts."""
        return rates_of([cast.kind for cast in self.figures], self.control_rate, self.physics_rate)

    def resolved(self) -> Trial:
        """The trial with nothing left open: default scenes are filled in, and all figures have names of their own."""
        scenes = [cast.scene(self.seed) for cast in self.figures]
        figures = [cast.resolved(scene) for cast, scene in zip(self.figures, scenes, strict=True)]
        scene = scenes[0]
        props = scene.props or () if self.props is None else self.props
        whole = replace(self, figures=_named(figures, (prop.name for prop in props)),
                        terrain=self.terrain or scene.terrain or TERRAIN, props=props,
                        throws=scene.throws or () if self.throws is None else self.throws)
        return replace(whole, changes=tuple(map(whole.parsed, self.changes)))

    def parsed(self, change: Change) -> Change:
        """A change with its value as the behavior has it; BadInput if it does not fit."""
        time, name, value = change
        index, parameter = self.parameter(name)
        return time, name, self.figures[index].kind.Params.info(parameter).parse(value)

    def switched(self, behavior: str, index: int = 0) -> Trial:
        """The resolved trial with another behavior for a figure, and without changes in the one before."""
        casts = list(self.figures)
        casts[index] = casts[index].doing(behavior, self.seed)
        return replace(self, figures=tuple(casts),
                       changes=tuple(change for change in self.changes if self.parameter(change[1])[0] != index))

    def parameter(self, name: str) -> tuple[int, str]:
        """Whose parameter it is (`b/height`), the first figure's if it is not said, and what it is called."""
        who, slash, parameter = name.rpartition("/")
        names = [cast.name for cast in self.figures]
        if slash and who not in names:
            raise unknown("figure", who, names)
        return (names.index(who) if slash else 0), parameter


def _check_names(names: list[str]) -> None:
    for k, name in enumerate(names):
        if name in names[:k]:
            raise BadInput(f"two figures are called {name!r}; give each a name of its own")
        if not NAME.fullmatch(name):
            raise BadInput(f"a figure cannot be called {name!r}; a name is letters, digits and _, a letter first")
        if name == GROUND:
            raise BadInput(f"a figure cannot be called {name!r}, like the ground; give it another name")


def _named(figures: list[Cast], things: Iterable[str]) -> tuple[Cast, ...]:
    """Figures with names: those given, else that of the character, with a number where it is taken."""
    taken = {GROUND, *things, *(cast.name for cast in figures if cast.name)}
    named = []
    for cast in figures:
        if not cast.name:
            base = cast.derived_name
            cast = replace(cast, name=next(name for name in chain([base], (f"{base}{k}" for k in count(2)))
                                           if name not in taken))
            taken.add(cast.name)
        named.append(cast)
    return tuple(named)
