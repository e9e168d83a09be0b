"""Steering: arrow keys, a pad of buttons, and an arrow on the ground that can be dragged.

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

from gambol.behaviors.behavior import BEHAVIORS
from gambol.behaviors.behavior import Steering as Declared
from gambol.params import ParamInfo
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
RING = (0.60, 0.625)
"""Inner and outer radius for a body whose centre of mass is 1 m high."""
ARROW = ((0.65, 0.14), (0.90, 0.0), (0.65, -0.14), (0.71, 0.0))
"""Corners of the arrow that points along x, for the same body."""
THICKNESS = 0.03
BLUE = (64, 168, 238)

MOVES = {"◀": ("Turn left", "arrowleft"), "▲": ("Faster", "arrowup"), "▼": ("Slower", "arrowdown"),
         "▶": ("Turn right", "arrowright")}
"""Face on the pad -> name and key."""

KEYS = """<img id="gambol-steers" src="data:," hidden onerror="
window.gambolKeys ??= (window.addEventListener('keydown', (e) => {
  if (!e.isTrusted || !e.key.startsWith('Arrow') || e.ctrlKey || e.altKey || e.metaKey || e.shiftKey
      || e.target.matches?.('input, textarea, select') || !document.getElementById('gambol-steers')) return;
  e.stopImmediatePropagation();
  e.preventDefault();
  if (e.repeat && e.timeStamp - window.gambolKeys < 150) return;
  window.gambolKeys = e.timeStamp;
  document.documentElement.dispatchEvent(new KeyboardEvent('keydown', { key: e.key, code: e.code }));
}, true), 1)">"""
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
        kind = BEHAVIORS[status.setup.behavior]
        self.declared, self._infos = kind.steering, {info.name: info for info in kind.Params.describe()}
        self.group.visible = self.declared is not None
        if self.declared is not None:
            self._add_pad()
            self._add_keys()
            self.stage.scene.on_click()(self._clicked)

    def _add_pad(self) -> None:
        with self.folder:
            self.pad: Any = self.gui.add_button_group(
                "Steer", tuple(MOVES), order=self.order, hint="or press the arrow keys, drag the arrow on the ground, "
                "or click on the ground: left and right turn it, up and down change its pace")
            self._handles += [self.pad, self.gui.add_html(KEYS, order=self.order)]

        @self.pad.on_click
        async def _(event: Any) -> None:  # in the server's own loop: here the value is still that of this click
            face = self.pad.value
            asyncio.get_running_loop().run_in_executor(None, attend, event, lambda: self.move(face))

    def _add_keys(self) -> None:
        for face, (name, key) in MOVES.items():
            command = self.gui.add_command(name, hotkey=key)  # type: ignore[arg-type]
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
        return float(self.session.status.setup.settings.get(name, self._infos[name].default))

    def _clicked(self, event: Any) -> None:
        attend(event, lambda: self._face(np.array(event.ray_origin), np.array(event.ray_direction)))

    async def _dragged(self, event: Any) -> None:
        """In the server's own loop, so that the last of many events is the last to be heard: nothing waits in here."""
        eye = np.array(event.client.camera.position)
        attend(event, lambda: self._face(eye, np.array(event.end_position) - eye))

    def _face(self, eye: np.ndarray, ray: np.ndarray) -> None:
        """Turn to the place of the ground that a viewer points at."""
        center = np.array(self.stage.root.position) + np.array(self.group.position)
        degrees = bearing(eye, ray, center, CLOSE * RING[0] * self._size)
        if degrees is not None and self.declared is not None:
            self.head_for(degrees)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def draw(self, frame: Frame) -> None:
        """Put the ring around the character, its arrow to where it is to go."""
        if self.declared is None:
            return
        size = max(float(frame.com[2] - frame.ground), 0.1)
        if self.arrow is None or not 0.5 < size / self._size < 1.5:  # another character, not one that crouches
            self._draw_anew(size)
        half = np.radians(self.value(self.declared.heading)) / 2
        self.group.position = (frame.com[0], frame.com[1], frame.ground + LIFT)
        self.arrow.wxyz = (np.cos(half), 0.0, 0.0, np.sin(half))

    def _draw_anew(self, size: float) -> None:
        self._size, scene, path = size, self.stage.scene, f"{WORLD}/steering"
        scene.add_mesh_simple(f"{path}/ring", *ring(size), color=BLUE, opacity=0.6, side="double", cast_shadow=False,
                              receive_shadow=False)
        self.arrow = scene.add_mesh_simple(f"{path}/arrow", *arrow(size), color=BLUE, side="double", flat_shading=True)
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
    degrees = round(degrees / step) * step
    return within(info, (degrees - info.low) % 360.0 + info.low)


def pace_step(info: ParamInfo) -> float:
    """One press of a key: about a fifteenth of the range."""
    assert info.low is not None and info.high is not None
    return 5 * nice_step(info.high - info.low)


def within(info: ParamInfo, value: float) -> float:
    """The nearest value the parameter takes."""
    assert info.low is not None and info.high is not None
    return float(round(np.clip(value, info.low, info.high), 9))


def ring(size: float, corners: int = 72) -> tuple[np.ndarray, np.ndarray]:
    """A flat ring, as vertices and triangles."""
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(corners)])
    inner, outer = np.arange(corners), corners + np.arange(corners)
    after = np.roll(inner, -1)
    return (size * np.vstack([RING[0] * circle, RING[1] * circle]),
            np.concatenate([np.column_stack([inner, outer, after]), np.column_stack([outer, corners + after, after])]))


def arrow(size: float) -> tuple[np.ndarray, np.ndarray]:
    """A thick arrow head that lies on the ground."""
    flat = np.column_stack([np.array(ARROW), np.zeros(4)])
    vertices = np.vstack([flat, flat + [0.0, 0.0, THICKNESS]])
    top = np.array([(4, 7, 5), (7, 6, 5)])
    sides = [(k, (k + 1) % 4, 4 + k) for k in range(4)] + [((k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    return size * vertices, np.vstack([top, np.array(sides)])
