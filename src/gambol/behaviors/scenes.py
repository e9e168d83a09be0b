"""What a behavior is shown in if nobody says otherwise: its default scene, and presets that name a scene.

    class Climb(Behavior):
        presets = {"slow": {"speed": 0.3}, "on stairs": Preset({"speed": 0.5}, scene=DefaultScene(terrain="stairs"))}

        @classmethod
        def scene(cls, seed: int) -> DefaultScene:
            return DefaultScene(terrain=f"rough:seed={seed}")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from gambol.bodies.character import Character
from gambol.world.props import Prop
from gambol.world.pushes import Throw
from gambol.world.starts import Start
from gambol.world.terrain import Terrain


@dataclass(frozen=True)
class DefaultScene:
    """Parts of a scene; None where there is nothing to say. What the user names comes before it."""

    character: str | Character | None = None
    terrain: str | Terrain | None = None
    props: tuple[Prop, ...] | None = None
    throws: tuple[Throw, ...] | None = None
    start: Start | None = None

    def over(self, other: DefaultScene) -> DefaultScene:
        """This scene, and the other one where this says nothing."""
        return replace(other, **self._said())

    def as_dict(self) -> dict[str, Any]:
        """What it says, as `gambol list --json` prints it: texts, as on the command line."""
        said = self._said()
        for name, value in said.items():
            match value:
                case Character():
                    said[name] = value.name
                case Terrain() | Start():
                    said[name] = value.text
                case tuple():
                    said[name] = [getattr(thing, "text", "") or thing.name for thing in value]
        return said

    def _said(self) -> dict[str, Any]:
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}


class Preset(dict[str, Any]):
    """Values of parameters by name, as any mapping among `presets`, that may also say where they belong."""

    def __init__(self, settings: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), *,
                 scene: DefaultScene | None = None) -> None:
        super().__init__(settings)
        self.scene = scene


def scene_of(preset: Mapping[str, Any]) -> DefaultScene | None:
    """The scene that a preset names, if it does."""
    return getattr(preset, "scene", None)
