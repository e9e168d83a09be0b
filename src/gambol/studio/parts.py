"""Parts of the panel that a live session and a recorded motion share: overlays, plots, downloads."""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import viser

from gambol.motion.motion import Motion
from gambol.studio.frame import MEASURES, Frame
from gambol.studio.overlays import OVERLAYS, Overlay
from gambol.studio.stage import Stage
from gambol.studio.widgets import attend, on_change, tell

FORMATS = (".npz", ".glb", ".bvh", ".mp4", ".csv")
PLOT_SECONDS = 10.0
PLOT_RATE = 8.0
NOTHING = "nothing"
BLUE = "#2b7fb8"


class View:
    """The folder of things to see: following, and every overlay."""

    def __init__(self, gui: viser.GuiApi, stage: Stage, more: Sequence[Overlay] = ()) -> None:
        self.overlays = [*(kind(stage.scene) for kind in OVERLAYS), *more]
        self.boxes: dict[str, Any] = {}
        with gui.add_folder("View", expand_by_default=False):
            follow = gui.add_checkbox("Follow", stage.follow, hint="the view goes along with the character")
            on_change(follow, lambda: setattr(stage, "follow", follow.value))
            for overlay in self.overlays:
                self._add(gui, overlay)

    def _add(self, gui: viser.GuiApi, overlay: Any) -> None:
        box = gui.add_checkbox(overlay.label, overlay.shown, hint=overlay.hint)
        on_change(box, lambda: overlay.switch(box.value))
        self.boxes[overlay.label] = box

    def offer(self, label: str, possible: bool) -> None:
        """Let an overlay be chosen only where there is something to draw."""
        if self.boxes[label].disabled is possible:
            self.boxes[label].disabled = not possible

    def draw(self, frame: Frame) -> None:
        for overlay in self.overlays:
            if overlay.shown:
                overlay.draw(frame)


class Plot:
    """One measure over the last seconds."""

    def __init__(self, gui: viser.GuiApi, label: str, measure: str) -> None:
        self.rows: deque[tuple[float, dict[str, float]]] = deque(maxlen=int(PLOT_SECONDS * 31))
        self._next = 0.0
        self._range = (0.0, 0.0)
        self.choice = gui.add_dropdown(label, (NOTHING, *MEASURES), initial_value=measure)
        self.chart = gui.add_uplot(
            (np.array([-1.0, 0.0]), np.zeros(2)), ({"label": "s"}, {"label": label, "stroke": BLUE, "width": 2}),
            axes=({"label": "seconds ago", "labelSize": 16, "size": 32}, {"size": 48}), scales=_scales(0.0, 1.0),
            legend={"show": False}, height=170, visible=measure != NOTHING)
        on_change(self.choice, self._draw)

    def add(self, frame: Frame) -> None:
        """Take in a frame; draw eight times a second."""
        if self.rows:
            last = self.rows[-1][0]
            if frame.time == last:
                return
            if not last < frame.time < last + PLOT_SECONDS:  # reset, or sought elsewhere
                self.rows.clear()
        self.rows.append((frame.time, frame.measures))
        now = time.perf_counter()
        if now >= self._next and self.choice.value != NOTHING:
            self._next = now + 1.0 / PLOT_RATE
            self._draw()

    def _draw(self) -> None:
        measure, rows = self.choice.value, tuple(self.rows)
        self.chart.visible = measure != NOTHING
        if measure == NOTHING or len(rows) < 2:
            return
        ago = np.array([when for when, _ in rows]) - rows[-1][0]
        values = np.array([measures[measure] for _, measures in rows])[ago >= -PLOT_SECONDS]
        self.chart.data = (ago[ago >= -PLOT_SECONDS], values)
        title, span = f"{measure} ({MEASURES[measure].unit})", MEASURES[measure].span
        low, high = plot_range(float(values.min()), float(values.max()), span)
        if (low, high) != self._range or self.chart.title != title:
            self._range = (low, high)
            self.chart.title, self.chart.scales = title, _scales(low, high)


def plot_range(low: float, high: float, span: float) -> tuple[float, float]:
    """Limits of an axis in whole spans around the values, so that it seldom changes and noise looks like noise."""
    return float(np.floor(low / span) * span), float((np.floor(high / span) + 1) * span)


def _scales(low: float, high: float) -> dict[str, Any]:
    return {"x": {"time": False, "auto": False, "range": (-PLOT_SECONDS, 0.0)},
            "y": {"auto": False, "range": (low, high)}}


class Plots:
    """The folder of plots."""

    def __init__(self, gui: viser.GuiApi) -> None:
        with gui.add_folder("Plot", expand_by_default=False):
            self.plots = [Plot(gui, "Plot", "COM height"), Plot(gui, "And", NOTHING)]

    def add(self, frame: Frame) -> None:
        for plot in self.plots:
            plot.add(frame)


def add_downloads(gui: viser.GuiApi, motion: Callable[[], Motion]) -> Any:
    """A button a format; the file arrives as a download of the browser that asked."""
    buttons = gui.add_button_group("Download", FORMATS, hint=".npz holds everything and can be verified; .glb and "
                                   ".bvh are for Blender and engines, .mp4 is a video, .csv a table")

    @buttons.on_click
    def _(event: Any) -> None:
        suffix = event.target.value
        if event.client is not None:
            attend(event, lambda: _send(event.client, motion(), suffix))

    return buttons


def _send(client: viser.ClientHandle, motion: Motion, suffix: str) -> None:
    note = client.add_notification("Writing the file", f"{motion.seconds:.1f} s as {suffix}", loading=True,
                                   with_close_button=False)
    try:
        name = f"{motion.meta.get('character', 'motion')}-{motion.meta.get('behavior', 'motion')}{suffix}"
        client.send_file_download(name, file_bytes(motion, suffix), save_immediately=True)
    finally:
        note.remove()
    tell(client, name, title="Downloaded", color="green")


def file_bytes(motion: Motion, suffix: str) -> bytes:
    """A motion as the content of a file of that kind."""
    from gambol.motion.export import export  # imports the video writer: not at start

    with tempfile.TemporaryDirectory(prefix="gambol-") as folder:
        path = Path(folder) / f"motion{suffix}"
        if suffix == ".npz":
            motion.save(path)
        else:
            export(motion, path)
        return path.read_bytes()
