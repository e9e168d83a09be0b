"""Small plots in one style. Matplotlib is imported late."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("#2c6e91", "#e07b39", "#4a9b6e", "#a8518a", "#8a7a4b", "#5b6478", "#c2a83e", "#7d3c98")
MOST_POINTS = 1200
"""A longer series is thinned before it is drawn."""
STYLE: Any = {
    "font.size": 9.0, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": "#e4e7ea", "grid.linewidth": 0.6, "axes.edgecolor": "#8b939c", "axes.labelcolor": "#39424c",
    "xtick.color": "#5b6670", "ytick.color": "#5b6670", "lines.linewidth": 1.4, "svg.hashsalt": "gambol"}


def axes(columns: int = 1, height: float = 2.7, **options: Any) -> tuple[Figure, list[Any]]:
    """A new figure with a row of axes."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(3.9 * columns, height), layout="constrained")
        FigureCanvasAgg(figure)
        row = list(figure.subplots(1, columns, squeeze=False, **options)[0])
    for axis in row:
        axis.set_prop_cycle(color=COLORS)
    return figure, row


def svg(figure: Figure) -> bytes:
    """The figure as an SVG file, the same bytes every time."""
    from matplotlib import rc_context

    for axis in figure.axes:  # titles are made after the style was set
        axis.title.set(fontsize=9.5, fontweight="bold", color="#26303a")
    buffer = io.BytesIO()
    with rc_context(STYLE):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def thin(*series: np.ndarray) -> tuple[np.ndarray, ...]:
    """Every n-th row of arrays of one length, so that few enough are left."""
    step = max(1, int(np.ceil(len(series[0]) / MOST_POINTS)))
    return tuple(array[::step] for array in series)


def legend(axis: Any, columns: int = 4) -> None:
    """What the lines are, below the plot, where it covers none of them."""
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=columns, fontsize=7.5, frameon=False,
                handlelength=1.4, columnspacing=1.2)


def plot_residuals(axis: Any, time: np.ndarray, residuals: np.ndarray, names: Sequence[str]) -> None:
    """Residual of each level over time, on a logarithmic scale; (n,), (n, levels)."""
    time, residuals = thin(time, residuals)
    for column, name in zip(residuals.T, names, strict=True):
        axis.semilogy(time, np.maximum(column, 1e-17), label=name)
    axis.set(title="residual of each level", xlabel="time [s]", ylim=(1e-17, None))
    legend(axis)


def plot_series(axis: Any, time: np.ndarray, values: np.ndarray, names: Sequence[str], title: str, unit: str) -> None:
    """Columns over time."""
    time, values = thin(time, values)
    for column, name in zip(values.T, names, strict=True):
        axis.plot(time, column, label=name)
    axis.set(title=title, xlabel="time [s]", ylabel=unit)
    legend(axis)
