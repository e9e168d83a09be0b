"""What is told when a simulation diverges: whose it was, as far as it was one figure's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.errors import Diverged
from gambol.world.figure import Figure

RUNAWAY = 1e4
"""A velocity beyond this (m/s, rad/s) means that the simulation has diverged."""


def no_torque(figures: Sequence[Figure], figure: Figure, time: float) -> Diverged:
    """Of a figure whose behavior gave a torque that is no number."""
    return Diverged(f"the behavior of {_called(figures, figure)!r} gave a torque that is not a number "
                    f"at t={time:.3f} s", figure=figures.index(figure))


def runaway(figures: Sequence[Figure], speeds: np.ndarray, time: float) -> Diverged:
    """Of velocities that are none; where only one figure has such, it is that one's."""
    wild = ~(np.abs(speeds) < RUNAWAY)
    whose = [figure for figure in figures if wild[figure.dofs].any()]
    of = f" of {_called(figures, whose[0])!r}" if len(whose) == 1 < len(figures) else ""
    return Diverged(f"the simulation diverged at t={time:.3f} s: a velocity{of} is {np.abs(speeds).max():g}",
                    figure=figures.index(whose[0]) if len(whose) == 1 else None)


def _called(figures: Sequence[Figure], figure: Figure) -> str:
    """A figure's name; where it is alone, its character's."""
    return figure.prefix.rstrip("/") if len(figures) > 1 else figure.character.name
