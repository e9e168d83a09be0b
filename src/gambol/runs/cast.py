"""A Cast: one figure of a Trial, who does what and how it begins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gambol.behaviors import BEHAVIORS, Behavior
from gambol.behaviors.parameter_file import read_params
from gambol.behaviors.scenes import DefaultScene, scene_of
from gambol.bodies.character import Character
from gambol.errors import BadInput, unknown
from gambol.gains import Gains
from gambol.world.props import PROJECTILE
from gambol.world.starts import Jitter, Start

CHARACTER = "human"
"""Who, if neither the user nor the behavior says."""
NAME = re.compile(r"[A-Za-z]\w*")
"""What a figure may be called."""


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
    preset: str | None = None
    params: str | None = None
    """a parameter file; its values come before those of the preset"""
    gains: Gains | None = None
    """those of the parameter file, or of the behavior itself, if not given"""
    start: Start | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    """x, y (m), yaw (degrees) and jitter that replace those of its start, or of the scene's start if it has none"""
    actuators: str = "motors"
    """of an MJCF file: motors, or those of the `file`"""

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

    def with_file(self) -> Cast:
        """With the values of its parameter file written out, so that it is whole without the file."""
        if self.params is None:
            return self
        found = read_params(self.params, self.behavior)
        return replace(self, params=None, settings={**found.settings, **self.settings},
                       gains=found.gains if self.gains is None else self.gains)

    @property
    def all_settings(self) -> dict[str, Any]:
        """The preset's values, and its own, which come first."""
        return {**self.preset_values, **self.settings}

    def parsed(self) -> dict[str, Any]:
        """All settings as the behavior has them, text read; BadInput where one does not fit."""
        params = self.kind.Params.parse(self.all_settings)
        return {name: getattr(params, name) for name in self.all_settings}

    def resolved(self, scene: DefaultScene) -> Cast:
        """With nothing left open but its name, and its settings as values."""
        whole = self.with_file()
        values = whole.parsed()
        return replace(whole, settings={name: values[name] for name in whole.settings},
                       character=self.character or scene.character or CHARACTER, start=self.begins(scene), where={})

    def begins(self, scene: DefaultScene) -> Start:
        """Its start, or that of the scene."""
        start = replace(self.start or scene.start or Start())
        for name, value in self.where.items():
            start.set(name, value)
        return start

    @property
    def spread_start(self) -> Start:
        """Its start; seeds are as far apart as its behavior says, unless the start says it."""
        start = self.start or Start()
        return replace(start, spread=self.kind.jitter) if start.spread == Jitter() else start

    def doing(self, behavior: str, seed: int) -> Cast:
        """The same figure with another behavior, without what belonged to the one before: settings, preset, gains, and
        the start if that was of its scene."""
        own, was = self.start or Start(), self.scene(seed).start or Start()
        of_scene = replace(own, jitter=was.jitter) == was
        where = {"jitter": own.jitter} if of_scene and own != was else {}
        cast = replace(self, behavior=behavior, settings={}, preset=None, params=None, gains=None,
                       start=None if of_scene else own, where=where)
        return cast.resolved(cast.scene(seed))

    def become(self, character: str | Character) -> Cast:
        """The same figure with another body, without what belonged to the one before: the name it had from it, kind of
        actuators, and joints that it was to begin with."""
        if character == self.character:
            return self
        own = re.fullmatch(rf"{re.escape(self.derived_name)}\d*", self.name) is not None
        start = self.start if self.start is None else replace(self.start, state=None)
        return replace(self, character=character, name="" if own else self.name, actuators="motors", start=start)

    @property
    def character_name(self) -> str:
        """A name of the character, to call it by."""
        who = self.character or CHARACTER
        return who if isinstance(who, str) else who.name

    @property
    def derived_name(self) -> str:
        """What the figure is called if nobody says: like its character or the file, made fit to be a name."""
        stem = re.sub(r"\W", "_", self.character_name.rpartition("/")[2].partition(".")[0])
        fit = NAME.fullmatch(stem) and not re.fullmatch(rf"{PROJECTILE}\d+", stem)  # thrown balls are called so
        return stem if fit else f"figure_{stem.lstrip('_')}".rstrip("_")

    def scene(self, seed: int) -> DefaultScene:
        """The scene of its preset, and of its behavior where that says nothing."""
        of_preset = scene_of(self.preset_values) or DefaultScene()
        own = self.kind.scene_of(self.with_file().all_settings, seed, self.character)
        return of_preset.over(own or DefaultScene())
