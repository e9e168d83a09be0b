"""A Trial: what is to be simulated, as a value that can be compared, changed, pickled and sent to another machine.

    Trial.of("walk", "child", preset="sad", seconds=5, pushes=[Push(2, "trunk", (0, 50, 0))])
    Trial((Cast("walk"), Cast("balance", "child", name="b", start=Start(x=2.0))), terrain="slope:angle=5", seed=3)

What is None is taken from the default scene of the behavior (of the first, where there are several).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from gambol.behaviors import BEHAVIORS, Behavior
from gambol.behaviors.scenes import DefaultScene, scene_of
from gambol.bodies.character import Character
from gambol.errors import BadInput, unknown
from gambol.gains import Gains
from gambol.runs.rates import Rates, rates_of
from gambol.world.props import Prop
from gambol.world.pushes import Push, Throw
from gambol.world.starts import Start
from gambol.world.terrain import Terrain

LONGEST = 3600.0
"""s"""
CHARACTER, TERRAIN = "human", "flat"
"""Who and where, if neither the user nor the behavior says."""
Change = tuple[float, str, Any]
"""At a time (s), a parameter gets a value; of another figure than the first as `b/height`."""


@dataclass(frozen=True)
class Cast:
    """One figure of a trial: who does what, beginning how."""

    behavior: str
    character: str | Character | None = None
    """a built-in name, the path of an MJCF file, or a Character"""
    name: str = ""
    """what the figure is called, for pushes (`b/trunk`) and in the Motion; its character's name if it is not given"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """values or texts of parameters, before those of the preset"""
    gains: Gains | None = None
    """of the behavior, where they are not its own"""
    preset: str | None = None
    start: Start | None = None

    @property
    def kind(self) -> type[Behavior]:
        """Its behavior's class; BadInput if there is none of that name."""
        if self.behavior not in BEHAVIORS:
            raise unknown("behavior", self.behavior, BEHAVIORS)
        return BEHAVIORS[self.behavior]

    @property
    def preset_values(self) -> Mapping[str, Any]:
        """What its preset says, nothing if it has none."""
        if self.preset is None:
            return {}
        presets = self.kind.presets
        if not presets:
            raise BadInput(f"{self.behavior!r} has no presets; it takes settings: "
                           f"{', '.join(info.name for info in self.kind.Params.describe())}")
        if self.preset not in presets:
            raise unknown(f"preset of {self.behavior!r}", self.preset, presets)
        return presets[self.preset]

    @property
    def all_settings(self) -> dict[str, Any]:
        """The preset's values, and its own, which come first."""
        return {**self.preset_values, **self.settings}

    @property
    def character_name(self) -> str:
        """A name of the character, to call it by."""
        who = self.character or CHARACTER
        return who if isinstance(who, str) else who.name

    def scene(self, seed: int) -> DefaultScene:
        """The scene of its preset, and of its behavior where that says nothing."""
        of_preset = scene_of(self.preset_values) or DefaultScene()
        return of_preset.over(self.kind.scene(seed) or DefaultScene())


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
        figures = [replace(cast, character=cast.character or scene.character or CHARACTER,
                           start=replace(cast.start or scene.start or Start(), spread=cast.kind.jitter))
                   for cast, scene in zip(self.figures, scenes, strict=True)]
        for cast in figures:
            cast.kind.Params.parse(cast.all_settings)  # before the long work
        scene = scenes[0]
        return replace(self, figures=_named(figures), terrain=self.terrain or scene.terrain or TERRAIN,
                       props=scene.props or () if self.props is None else self.props,
                       throws=scene.throws or () if self.throws is None else self.throws)


def _check_names(names: list[str]) -> None:
    for k, name in enumerate(names):
        if name in names[:k]:
            raise BadInput(f"two figures are called {name!r}; give each a name of its own")
        if not re.fullmatch(r"[A-Za-z]\w*", name):
            raise BadInput(f"a figure cannot be called {name!r}; a name is letters, digits and _, a letter first")
        if name == "terrain":
            raise BadInput("a figure cannot be called 'terrain', like the ground; give it another name")


def _named(figures: list[Cast]) -> tuple[Cast, ...]:
    """Figures with names: those given, else that of the character, with a number where it is taken."""
    taken = {cast.name for cast in figures if cast.name}
    named = []
    for cast in figures:
        if not cast.name:
            base = re.sub(r"\W", "_", cast.character_name.rpartition("/")[2].partition(".")[0]) or "figure"
            free = (name for name in (base, *(f"{base}{k}" for k in range(2, len(figures) + 2))) if name not in taken)
            cast = replace(cast, name=next(free))
            taken.add(cast.name)
        named.append(cast)
    return tuple(named)
