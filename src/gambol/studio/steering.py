"""Steering: arrow keys, pads of buttons, and an arrow on the ground that can be dragged.

Any behavior that says by which of its parameters it is steered (`Behavior.steering`) gets all of them. The ring around
the character shows the heading; drag its arrow, or click on the ground, and the character turns there.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import viser

from gambol.behaviors.behavior import Steering as Declared
from gambol.params import ParamInfo
from gambol.studio.compass import ARROW, RING, WAY, arrow, ring, upright_turn
from gambol.studio.frame import Frame
from gambol.studio.session import Session, Status
from gambol.studio.stage import WORLD, Stage
from gambol.studio.widgets import attend, nice_step

PATIENCE = 10.0
"""Seconds a key waits for the simulation."""

TURN = 15.0
"""Degrees of one press of a key."""
LIFT = 0.012
"""The ring hovers this far above the ground, m."""
CLOSE = 0.25
"""Nearer to the character than this share of the ring a place says nothing about a direction."""
BLUE = (64, 168, 238)

MOVES = {"◀": ("Turn left", "arrowleft"), "▲": ("Faster", "arrowup"), "▼": ("Slower", "arrowdown"),
         "▶": ("Turn right", "arrowright")}
"""Face on the pad -> name and key."""
GOES = {"⇦": ("Go to its left", "arrowleft", 90.0), "⇧": ("Go ahead", "arrowup", 0.0),
        "⇩": ("Go backwards", "arrowdown", 180.0), "⇨": ("Go to its right", "arrowright", -90.0)}
"""Face on the second pad -> name, key with shift, and the direction from where it faces, degrees."""

KEYS = """<img id="gambol-steers" src="data:," hidden data-shift="{shift}" onerror="
window.gambolKeys ??= (window.addEventListener('keydown', (e) => {{
  const steers = document.getElementById('gambol-steers');
  if (!e.isTrusted || !e.key.startsWith('Arrow') || e.ctrlKey || e.altKey || e.metaKey || !steers
      || (e.shiftKey && !steers.dataset.shift)
      || e.target.matches?.('input:not([type=checkbox]), textarea, select')) return;
  e.stopImmediatePropagation();
  e.preventDefault();
  if (e.repeat && e.timeStamp - window.gambolKeys < 150) return;
  window.gambolKeys = e.timeStamp;
  document.documentElement.dispatchEvent(
    new KeyboardEvent('keydown', {{ key: e.key, code: e.code, shiftKey: e.shiftKey }}));
}}, true), 1)">"""
"""viser turns its camera with the arrow keys, and sliders take them too. While there is something to steer, this gives
them to the commands alone (these listen at the root of the page, the camera above it), a held key seven times a
second."""


class Steering:
    """Made once; `remake` for every behavior, `draw` for every frame."""

    def __init__(self, gui: viser.GuiApi, session: Session, stage: Stage, folder: Any, order: float,
                 change: Callable[[Mapping[str, Any]], Any]) -> None:
        self.gui, self.session, self.stage = gui, session, stage
        self.folder, self.order, self.change = folder, order, change
        self.declared: Declared | None = None
        self._handles: list[Any] = []
        self._turning = threading.Lock()
        self.group = stage.scene.add_frame(f"{WORLD}/steering", show_axes=False, visible=False)
        self.arrow: Any = None
        self._size = 0.0

    # -- making ----------------------------------------------------------------------------------------------------

    def remake(self, status: Status) -> None:
        """Controls for the present behavior, if it can be steered."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        if self.declared is not None:
            self.stage.scene.remove_click_callback(self._clicked)
        kind = status.trial.first.kind
        self.declared, self._infos = kind.steering, {info.name: info for info in kind.Params.describe()}
        self.group.visible = self.declared is not None
        if self.declared is not None:
            self._add_pad()
            self._add_keys()
            self.stage.scene.on_click()(self._clicked)

    def _add_pad(self) -> None:
        assert self.declared is not None
        self.pad = self._pad("Steer", tuple(MOVES), "or press the arrow keys, drag the arrow on the ground, or click "
                             "on the ground: left and right turn it, up and down change its pace")
        if self.declared.direction is not None:
            self.way_pad = self._pad("Go", tuple(GOES), "sideways or backwards without turning; or press shift and an "
                                     "arrow key")
        with self.folder:
            keys = KEYS.format(shift="yes" if self.declared.direction is not None else "")
            self._handles.append(self.gui.add_html(keys, order=self.order))

    def _pad(self, label: str, faces: tuple[str, ...], hint: str) -> Any:
        with self.folder:
            pad: Any = self.gui.add_button_group(label, faces, order=self.order, hint=hint)
        self._handles.append(pad)

        @pad.on_click
        async def _(event: Any) -> None:  # in the server's own loop: here the value is still that of this click
            face = pad.value
            asyncio.get_running_loop().run_in_executor(None, attend, event, lambda: self.move(face))

        return pad

    def _add_keys(self) -> None:
        assert self.declared is not None
        for face, (name, key) in MOVES.items():
            self._command(face, name, hotkey=key)
        if self.declared.direction is not None:
            for face, (name, key, _) in GOES.items():
                self._command(face, name, hotkey=key, modifier="shift")

    def _command(self, face: str, name: str, **keys: Any) -> None:
        command = self.gui.add_command(name, **keys)
        command.on_trigger(self._presser(face))
        self._handles.append(command)

    def _presser(self, face: str) -> Callable[[Any], None]:
        def press(event: Any) -> None:
            attend(event, lambda: self.move(face))

        return press

    # -- steering --------------------------------------------------------------------------------------------------

    def move(self, face: str) -> None:
        """What a key or a button of the pad does."""
        with self._turning:  # the next press starts from where this one ends
            if self.declared is None:
                return
            if face in "◀▶":
                self.head_for(self.value(self.declared.heading) + (TURN if face == "◀" else -TURN)).result(PATIENCE)
            elif face in GOES:
                if self.declared.direction is not None:
                    info = self._infos[self.declared.direction]
                    self.change({info.name: angle_in(info, GOES[face][2])}).result(PATIENCE)
            else:
                info = self._infos[self.declared.pace]
                step = pace_step(info) * (1 if face == "▲" else -1)
                self.change({info.name: within(info, self.value(info.name) + step)}).result(PATIENCE)

    def head_for(self, degrees: float) -> Any:
        """Set the heading, without waiting for it."""
        assert self.declared is not None
        return self.change({self.declared.heading: heading_in(self._infos[self.declared.heading], degrees)})

    def value(self, name: str) -> float:
        """A parameter as it is now."""
        return float(self.session.status.trial.first.settings.get(name, self._infos[name].default))

    @property
    def direction(self) -> float:
        """Where it goes, from where it faces, degrees."""
        sideways = None if self.declared is None else self.declared.direction
        return 0.0 if sideways is None else self.value(sideways)

    def _clicked(self, event: Any) -> None:
        """Go there: who walks backwards turns its back to it."""
        attend(event, lambda: self._face(np.array(event.ray_origin), np.array(event.ray_direction), -self.direction))

    async def _dragged(self, event: Any) -> None:
        """In the server's own loop, so that the last of many events is the last to be heard: nothing waits in here."""
        eye = np.array(event.client.camera.position)
        attend(event, lambda: self._face(eye, np.array(event.end_position) - eye))

    def _face(self, eye: np.ndarray, ray: np.ndarray, turn: float = 0.0) -> None:
        """Turn to the place of the ground that a viewer points at, or so many degrees from it."""
        center = np.array(self.stage.root.position) + np.array(self.group.position)
        degrees = bearing(eye, ray, center, CLOSE * RING[0] * self._size)
        if degrees is not None and self.declared is not None:
            self.head_for(degrees + turn)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def draw(self, frame: Frame) -> None:
        """Put the ring around the character, its arrow to where it is to go."""
        if self.declared is None:
            return
        size = max(float(frame.com[2] - frame.ground), 0.1)
        if self.arrow is None or not 0.5 < size / self._size < 1.5:  # another character, not one that crouches
            self._draw_anew(size)
        heading, direction = self.value(self.declared.heading), self.direction
        self.group.position = (frame.com[0], frame.com[1], frame.ground + LIFT)
        self.arrow.wxyz, self.way.wxyz = upright_turn(heading), upright_turn(heading + direction)
        self.way.visible = direction != 0.0

    def _draw_anew(self, size: float) -> None:
        self._size, scene, path = size, self.stage.scene, f"{WORLD}/steering"
        scene.add_mesh_simple(f"{path}/ring", *ring(size), color=BLUE, opacity=0.6, side="double", cast_shadow=False,
                              receive_shadow=False)
        self.arrow, self.way = (scene.add_mesh_simple(f"{path}/{name}", *arrow(size, corners), color=BLUE,
                                                      side="double", flat_shading=True)
                                for name, corners in (("arrow", ARROW), ("way", WAY)))
        self.arrow.on_drag(self._dragged)


def bearing(eye: np.ndarray, ray: np.ndarray, center: np.ndarray, close: float) -> float | None:
    """Direction from a center, degrees, to where a ray meets the level ground there; None if that says nothing."""
    if ray[2] > -1e-3 * np.linalg.norm(ray):
        return None
    way = (eye + ray * ((center[2] - eye[2]) / ray[2]) - center)[:2]
    return float(np.degrees(np.arctan2(way[1], way[0]))) if np.linalg.norm(way) > close else None


def heading_in(info: ParamInfo, degrees: float) -> float:
    """A direction as a value of the parameter: on its slider's steps, the same way round as its range."""
    assert info.low is not None and info.high is not None
    step = nice_step(info.high - info.low)
    return angle_in(info, (round(degrees / step) * step - info.low) % 360.0 + info.low)


def angle_in(info: ParamInfo, degrees: float) -> float:
    """An angle as a value of the parameter, the same way round as its range."""
    assert info.low is not None and info.high is not None
    return within(info, degrees if info.low <= degrees <= info.high else (degrees - info.low) % 360.0 + info.low)


def pace_step(info: ParamInfo) -> float:
    """One press of a key: about a fifteenth of the range."""
    assert info.low is not None and info.high is not None
    return 5 * nice_step(info.high - info.low)


def within(info: ParamInfo, value: float) -> float:
    """The nearest value the parameter takes."""
    assert info.low is not None and info.high is not None
    return float(round(np.clip(value, info.low, info.high), 9))
