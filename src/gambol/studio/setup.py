"""What is on stage: the names a live session is built from, and how a world and a behavior come from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gambol.behaviors import BEHAVIORS, Behavior, make_behavior
from gambol.bodies import find_character
from gambol.errors import unknown
from gambol.world.world import World

BALLS = 2
"""Balls that can be in the air at once."""
REMEMBERED = 60.0
"""Seconds that are always kept, so that what just happened can still be saved."""


@dataclass(frozen=True)
class Setup:
    """Character, behavior and terrain by name; `settings` are the behavior's parameters that differ from default."""

    behavior: str = "balance"
    character: str = "human"
    """a built-in name, or the path of a MuJoCo XML file"""
    terrain: str = "flat"
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def build(self) -> tuple[World, Behavior]:
        """A fresh world with the behavior in it; BadInput says what does not fit."""
        if self.behavior not in BEHAVIORS:  # before the long work
            raise unknown("behavior", self.behavior, BEHAVIORS)
        world = World(find_character(self.character), terrain=self.terrain, seed=self.seed, projectiles=BALLS,
                      keep=REMEMBERED)
        return world, make_behavior(self.behavior, world, self.settings)
