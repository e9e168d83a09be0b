"""Playing a recorded Motion: a player with its own thread, and its panel."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import viser

from gambol.errors import BadInput
from gambol.motion.kinematics import apply_edit
from gambol.motion.motion import Motion
from gambol.studio.frame import Frame, Mirror
from gambol.studio.parts import Plots, View, add_downloads
from gambol.studio.session import FRAME_RATE
from gambol.studio.stage import Stage
from gambol.studio.widgets import PAUSE, PLAY, on_change, on_click, show_button
from gambol.world.terrains import make_terrain


@dataclass(frozen=True)
class PlayStatus:
    """Where playback is."""

    time: float = 0.0
    playing: bool = True
    loop: bool = True
    speed: float = 1.0
    epoch: int = 1


class Player:
    """Turns a Motion into frames, at the pace of the wall clock."""

    def __init__(self, motion: Motion) -> None:
        if not motion.figures:
            raise BadInput("this motion does not say whose body is whose (no 'figures' in its meta)")
        self.motion = motion
        self.status = PlayStatus()
        self.frame: Frame | None = None
        self.watched = threading.Event()
        self.changed = threading.Condition()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._mirrors = _Mirrors(motion)
        self._thread = threading.Thread(target=self._live, name="gambol-player", daemon=True)
        self._thread.start()

    def show(self, motion: Motion) -> None:
        """Play another motion of the same model and length from now on."""
        self.motion = self._mirrors.motion = motion

    def seek(self, moment: float) -> None:
        """Go to a moment, in seconds from the start."""
        self._tell(time=min(max(moment, 0.0), self.motion.seconds))

    def scrub(self, moment: float) -> None:
        """Pause, and go to a moment."""
        self._tell(playing=False)
        self.seek(moment)

    def step(self, frames: int) -> None:
        """Pause, and go on or back by thirtieths of a second."""
        self._tell(playing=False)
        self.seek(self.status.time + frames / FRAME_RATE)

    def play(self, playing: bool) -> None:
        if playing and self.status.time >= self.motion.seconds:
            self.seek(0.0)
        self._tell(playing=playing)

    def set(self, **settings: Any) -> None:
        """`loop` and `speed`."""
        self._tell(**settings)

    def close(self) -> None:
        self._stopping.set()
        self._thread.join(timeout=10.0)

    def _tell(self, **news: Any) -> None:
        with self._lock:
            self.status = replace(self.status, **news)

    def _live(self) -> None:
        last, shown = time.perf_counter(), -1.0
        while not self._stopping.wait(1.0 / FRAME_RATE):
            now = time.perf_counter()
            passed, last = now - last, now
            if not self.watched.is_set():
                continue
            if self.status.playing:
                self._move(passed)
            if self.status.time != shown or self.frame is None:
                shown = self.status.time
                self.frame = self._mirrors.frame(shown)
            with self.changed:
                self.changed.notify_all()

    def _move(self, passed: float) -> None:
        with self._lock:
            status, end = self.status, self.motion.seconds
            moment = status.time + passed * status.speed
            if moment > end:
                moment = moment % end if status.loop and end > 0 else end
            self.status = replace(status, time=moment, playing=status.playing and (status.loop or moment < end))


class _Mirrors:
    """Frames of a motion at any moment, with the body edits up to then."""

    def __init__(self, motion: Motion) -> None:
        info = motion.figures[0]
        self.motion = motion
        self.model = motion.model
        self._original: dict[str, Any] = {}
        for _, fields in motion.edits:
            self._original |= {name: getattr(self.model, name).copy() for name in fields}
        self._edited = 0
        try:
            terrain = make_terrain(str(motion.meta.get("terrain", "flat")))
        except BadInput:
            terrain = make_terrain("flat")
        self.mirror = Mirror(self.model, info.prefix, info.anatomy, terrain)

    def frame(self, moment: float) -> Frame:
        motion = self.motion
        row = min(round(moment / motion.tick_length) if motion.tick_length else 0, len(motion.time) - 1)
        self._apply_edits(row)
        ctrl = motion.ctrl[min(row, len(motion.ctrl) - 1)] if motion.simulated else None
        return self.mirror.frame_of_row(moment, motion.qpos[row], motion.qvel[row], ctrl)

    def _apply_edits(self, row: int) -> None:
        due = sum(tick <= row for tick, _ in self.motion.edits)
        if due == self._edited:
            return
        if due < self._edited:
            apply_edit(self.model, self._original)
            self._edited = 0
        for _, fields in self.motion.edits[self._edited:due]:
            apply_edit(self.model, fields)
        self._edited = due


class PlayPanel:
    """Controls of a player."""

    def __init__(self, server: viser.ViserServer, player: Player, stage: Stage, name: str) -> None:
        gui, self.player = server.gui, player
        end = round(player.motion.seconds, 3)
        self.about: Any = gui.add_markdown(about(player.motion, name))
        with gui.add_folder("Play"):
            self.play: Any = gui.add_button("Pause", icon=viser.Icon.PLAYER_PAUSE)
            on_click(self.play, lambda: player.play(not player.status.playing))
            self.scrub: Any = gui.add_slider("Time (s)", 0.0, max(end, 0.01), 0.01, 0.0)
            on_change(self.scrub, lambda: player.scrub(self.scrub.value))
            self.step: Any = gui.add_button_group("Frame", ("back", "on"), hint="by a thirtieth of a second")
            on_click(self.step, self._step)
            self.speed: Any = gui.add_slider("Speed", 0.1, 2.0, 0.1, 1.0, hint="1 is real time")
            on_change(self.speed, lambda: player.set(speed=self.speed.value))
            self.loop: Any = gui.add_checkbox("Loop", True)
            on_change(self.loop, lambda: player.set(loop=self.loop.value))
        with gui.add_folder("Download", expand_by_default=False):
            add_downloads(gui, lambda: player.motion)
        self.view = View(gui, stage)
        self.plots = Plots(gui)

    def _step(self) -> None:
        self.player.step(1 if self.step.value == "on" else -1)
        self.scrub.value = round(self.player.status.time, 2)

    def refresh(self, frame: Frame, status: PlayStatus) -> None:
        self.view.draw(frame)
        self.plots.add(frame)
        show_button(self.play, *(PAUSE if status.playing else PLAY))
        moment = round(status.time, 2)
        if status.playing and self.scrub.value != moment:
            self.scrub.value = moment


def about(motion: Motion, name: str) -> str:
    """What the motion says of itself."""
    meta = motion.meta
    known = {key: meta.get(key) for key in ("character", "behavior", "terrain", "seed")}
    lines = [f"**{name}** · {motion.seconds:.1f} s", "", "| | |", "|---|---|"]
    lines += [f"| {key} | {value} |" for key, value in known.items() if value is not None]
    others = [f"{entry['character']}, {entry.get('behavior', '?')}" for entry in meta.get("figures", [])[1:]]
    if others:
        lines.append(f"| with | {'; '.join(others)} |")
    lines.append(f"| kind | {'simulated' if motion.simulated else 'synthesised, no controls'} |")
    counts = {"pushes": len(motion.push_tick), "balls thrown": len(motion.throw_tick),
              "body edits": len(motion.edits)}
    lines += [f"| {key} | {count} |" for key, count in counts.items() if count]
    events = [f"{event.get('time', 0.0):.2f} s {event.get('event', '')}" for event in meta.get("events", [])
              if event.get("event") != "throw"]  # these are counted
    if events:
        lines.append(f"| events | {'; '.join(events[:6])}{' …' if len(events) > 6 else ''} |")
    return "\n".join(lines + _residuals(meta))


def _residuals(meta: Mapping[str, Any]) -> list[str]:
    """What is left of every wish of a synthesised motion, beside its limit."""
    residuals, limits, off = meta.get("residuals"), meta.get("limits"), meta.get("off")
    if not isinstance(residuals, dict):
        return []
    limits, off = limits if isinstance(limits, dict) else {}, off if isinstance(off, list) else []
    solved = "solved" if meta.get("solved") is True else "**not solved**" if meta.get("solved") is False else ""
    lines = ["", solved, "", "| residual | value | limit |", "|---|---|---|"]
    for name, value in residuals.items():
        if isinstance(value, int | float):
            limit = limits.get(name)
            mark = f"**{value:.3g}** off" if name in off else f"{value:.3g}"
            lines.append(f"| {name} | {mark} | {f'{limit:g}' if isinstance(limit, int | float) else ''} |")
    return lines
