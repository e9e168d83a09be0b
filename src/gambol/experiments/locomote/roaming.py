"""What experiments on `locomote` share: takes of it, a table of figures as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gambol.experiments.walked import Walked, walked
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import axes, svg

NAME, GROUP = "locomote", "preview"
SETTLES = 5.0
"""Speeds are measured from this time on, s: from standing to 3 m/s takes several steps."""


def roamed(seconds: float, seed: int, settings: dict[str, Any] | None = None, **options: Any) -> Walked:
    """A take of `locomote`; options as for `walked`."""
    return walked(seconds, seed, settings, behavior=NAME, **options)


def table_picture(values: np.ndarray, rows: Sequence[str], columns: Sequence[str], title: str, across: str,
                  caption: str, most: float, form: str = "{:g}") -> Picture:
    """Figures as a coloured table, (rows, columns)."""
    figure, (axis,) = axes(1, height=1.1 + 0.28 * len(rows))
    axis.grid(False)
    axis.pcolormesh(values, cmap="YlGnBu", vmin=0.0, vmax=1.3 * most, edgecolors="white", linewidth=1.0)
    for (row, column), value in np.ndenumerate(values):
        axis.text(column + 0.5, row + 0.5, form.format(value), ha="center", va="center", fontsize=8)
    axis.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=7.5)
    axis.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize=7.5)
    axis.invert_yaxis()
    axis.set(title=title, xlabel=across)
    return Picture(caption, svg(figure))
