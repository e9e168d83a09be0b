"""Soles on bare ground, as behaviors asked for them before there were surfaces; goes with the next release."""

from __future__ import annotations

import warnings
from weakref import WeakKeyDictionary

from gambol.control.contact.patches import PatchState, patch_states
from gambol.kinematics.kinematics import Kinematics
from gambol.world.surfaces import Surfaces
from gambol.world.terrain import Terrain

_surfaces: WeakKeyDictionary[Kinematics, Surfaces] = WeakKeyDictionary()
"""Made once for a figure: that takes longer than a tick."""


def sole_states(kinematics: Kinematics, terrain: Terrain) -> list[PatchState]:
    """All feet of a figure."""
    if kinematics not in _surfaces:
        warnings.warn("sole_states(kinematics, world.terrain) goes with the next release; use patch_states(kinematics, "
                      "world.surfaces) of gambol.control.contact", DeprecationWarning, stacklevel=2)
        figure = kinematics.figure
        _surfaces[kinematics] = Surfaces(figure.model, figure.data, terrain, [figure])
    return patch_states(kinematics, _surfaces[kinematics])
