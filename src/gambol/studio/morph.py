"""Morphing while running: a body grows toward another size in small steps, so that the feet stay on the ground."""

from __future__ import annotations

from collections.abc import Mapping

from gambol.bodies.character import Character
from gambol.bodies.shape.scaling import standing_height
from gambol.world.world import World

STEPS = 8
EVERY = 0.12
"""Simulated seconds between two steps of growth."""
SIDES = ("front_left_", "front_right_", "middle_left_", "middle_right_", "hind_left_", "hind_right_", "left_", "right_")


def limb_groups(character: Character) -> dict[str, tuple[str, ...]]:
    """Parts that are sized together: `thigh` for the left and the right one."""
    groups: dict[str, list[str]] = {}
    for role in character.anatomy.bodies:
        name = next((role.removeprefix(side) for side in SIDES if role.startswith(side)), role)
        groups.setdefault(name, []).append(role)
    return {name: tuple(roles) for name, roles in groups.items() if name != "root"}


class Morph:
    """Where a body's proportions are, and where they are going; 1 is the size it was made with."""

    def __init__(self, character: Character) -> None:
        self.base = character
        self.groups = limb_groups(character)
        self._now: dict[str, float] = {}
        self.goal: dict[str, float] = {}
        self._left = 0
        self._due = 0.0

    def aim(self, height: float, limbs: Mapping[str, float]) -> None:
        """Set the goal: factors of the whole height and of groups of limbs."""
        self.goal = {"height": height, **limbs}
        self._left, self._due = STEPS, 0.0

    def step(self, world: World) -> None:
        """Grow a little if it is time to."""
        if not self._left or world.time < self._due:
            return
        for name, goal in self.goal.items():
            now = self._now.get(name, 1.0)
            self._now[name] = now + (goal - now) / self._left
        self._left -= 1
        self._due = world.time + EVERY
        world.morph(self._grown())

    def _grown(self) -> Character:
        limbs = {role: self._now.get(name, 1.0) for name, roles in self.groups.items() for role in roles}
        grown = self.base.scaled(limb={role: factor for role, factor in limbs.items() if factor != 1.0})
        return grown.scaled(height=standing_height(grown) * self._now.get("height", 1.0))
