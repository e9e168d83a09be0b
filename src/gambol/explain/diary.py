"""The diary of a run: what the behavior noted at every tick (`Behavior.notes`), to be read by name."""

from __future__ import annotations

import numpy as np

from gambol.behaviors.behavior import Behavior
from gambol.world.world import World


class Diary:
    """Watches a run (`simulate(..., watch=diary)`)."""

    def __init__(self) -> None:
        self.rows: list[dict[str, float | str]] = []

    def __call__(self, world: World, behavior: Behavior) -> None:
        self.rows.append(behavior.notes())

    def has(self, *names: str) -> bool:
        """Whether all of these were ever noted."""
        return all(any(name in row for row in self.rows) for name in names)

    def numbers(self, *names: str) -> np.ndarray:
        """Columns by name, (ticks, names), not a number where there was no note."""
        return np.array([[float(row.get(name, np.nan)) for name in names] for row in self.rows]).reshape(-1, len(names))

    def words(self, name: str) -> np.ndarray:
        """A column of words, (ticks,), empty where there was no note."""
        return np.array([str(row.get(name, "")) for row in self.rows], dtype=object)
