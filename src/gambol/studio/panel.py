"""The panel of a live session: every control, in folders. Controls send commands to the session and nothing else."""

from __future__ import annotations

import time
from typing import Any

import viser

from gambol.behaviors.behavior import BEHAVIORS
from gambol.bodies import CHARACTERS
from gambol.studio.ahead import plans_ahead
from gambol.studio.bodyshape import BodyShape
from gambol.studio.frame import Frame
from gambol.studio.overlays import Plan
from gambol.studio.paramcontrols import STEER_ORDER, ParamControls
from gambol.studio.parts import Plots, View, add_downloads
from gambol.studio.session import Session, Status
from gambol.studio.shove import Shove
from gambol.studio.stage import Stage
from gambol.studio.steering import Steering
from gambol.studio.widgets import PAUSE, PLAY, on_change, on_click, say, show_button, table
from gambol.world.terrains import TERRAINS

PATIENCE = 30.0
"""Seconds a control waits for the simulation's answer."""
REFRESH = 0.25
RECORD, STOP = ("Record", viser.Icon.PLAYER_RECORD), ("Stop recording", viser.Icon.PLAYER_STOP)


class Panel:
    """Made once; `refresh` follows the session."""

    def __init__(self, server: viser.ViserServer, session: Session, stage: Stage) -> None:
        self.gui, self.session = server.gui, session
        self._epoch = -1
        self._next = 0.0
        self.status = self.gui.add_markdown("")
        self._add_run()
        self._add_scene()
        self.params = ParamControls(self.gui, session)
        self.steering = Steering(self.gui, session, stage, self.params.folder, STEER_ORDER, self.params.change)
        self.shove = Shove(self.gui, session)
        self.shape = BodyShape(self.gui, session)
        self._add_record()
        self.view = View(self.gui, stage, [Plan(stage.scene, session.foresee)])
        self.plots = Plots(self.gui)

    # -- building --------------------------------------------------------------------------------------------------

    def _add_run(self) -> None:
        gui, session = self.gui, self.session
        with gui.add_folder("Run"):
            self.play: Any = gui.add_button("Pause", icon=viser.Icon.PLAYER_PAUSE)
            on_click(self.play, lambda: (session.pause() if session.status.running else session.play())
                     .result(PATIENCE))
            self.moves: Any = gui.add_button_group("Go", ("Reset", "Step"), hint="Reset: to the start. Step: pause, "
                                                   "and go on by a thirtieth of a second")
            on_click(self.moves, lambda: (session.reset() if self.moves.value == "Reset" else session.step())
                     .result(PATIENCE))
            self.speed: Any = gui.add_slider("Speed", 0.1, 2.0, 0.1, 1.0, hint="1 is real time; smaller is slow motion")
            on_change(self.speed, lambda: session.set_speed(self.speed.value).result(PATIENCE))

    def _add_scene(self) -> None:
        gui, first = self.gui, self.session.status.trial.first
        terrain = self.session.world.terrain
        characters = tuple(dict.fromkeys([*CHARACTERS, first.character_name]))
        with gui.add_folder("Scene"):
            self.character: Any = gui.add_dropdown("Character", characters, initial_value=first.character_name,
                                              hint="who is on stage; a change starts afresh")
            on_change(self.character, lambda: self._rebuild(character=self.character.value))
            self.behavior: Any = gui.add_dropdown("Behavior", tuple(BEHAVIORS), initial_value=first.behavior,
                                             hint="what it does; a change takes over in full motion")
            on_change(self.behavior, self._switch)
            self.terrain: Any = gui.add_dropdown("Terrain", tuple(TERRAINS),
                                            initial_value=terrain.name, hint=_terrain_help())
            on_change(self.terrain, lambda: self._rebuild(terrain=self.terrain.value))
            self.spec: Any = gui.add_text("Details", terrain.text, hint="a terrain with its measures, such as "
                                     "stairs:rise=0.1,run=0.3; then press Build")
            self.build: Any = gui.add_button("Build terrain", color="gray", icon=viser.Icon.CRANE)
            on_click(self.build, lambda: self._rebuild(terrain=self.spec.value.strip()))

    def _add_record(self) -> None:
        gui, session = self.gui, self.session
        with gui.add_folder("Record", expand_by_default=False):
            self.record: Any = gui.add_button("Record", icon=viser.Icon.PLAYER_RECORD, color="red")
            on_click(self.record, lambda: (session.record() if session.status.recording is None
                                           else session.stop_recording()).result(PATIENCE))
            self.take = gui.add_markdown("")
            add_downloads(gui, lambda: session.motion().result(PATIENCE))

    # -- commands with an answer -----------------------------------------------------------------------------------

    def _rebuild(self, **changes: Any) -> None:
        try:
            self.session.rebuild(**changes).result(PATIENCE)
        finally:
            self._show_setup()

    def _switch(self) -> None:
        try:
            self.session.switch(self.behavior.value).result(PATIENCE)
        finally:
            self._show_setup()

    def _show_setup(self) -> None:
        """Let the controls say what really is on stage, also after something could not be built."""
        first, terrain = self.session.status.trial.first, self.session.world.terrain
        if first.character_name not in self.character.options:
            self.character.options = (*self.character.options, first.character_name)
        self.character.value, self.behavior.value = first.character_name, first.behavior
        self.terrain.value, self.spec.value = terrain.name, terrain.text

    # -- following the session -------------------------------------------------------------------------------------

    def refresh(self, frame: Frame, status: Status) -> None:
        """Show a frame's figures; called for every frame, from the display thread."""
        if status.epoch != self._epoch:
            self._epoch = status.epoch
            self._show_setup()
            self.params.remake(status)
            self.steering.remake(status)
            self.shove.remake()
            self.shape.remake()
            self.view.offer(Plan.label, plans_ahead(status.trial.first.kind))
        self.view.draw(frame)
        self.steering.draw(frame)
        self.plots.add(frame)
        now = time.perf_counter()
        if now >= self._next:
            self._next = now + REFRESH
            self._show_status(status)

    def _show_status(self, status: Status) -> None:
        say(self.status, status_text(status))
        say(self.params.doing, table(status.report, ("objective", "priority", "weight", "residual"))
            if status.report else "it does not say")
        say(self.take, take_text(status))
        show_button(self.play, *(PAUSE if status.running else PLAY))
        show_button(self.record, *(RECORD if status.recording is None else STOP))


def status_text(status: Status) -> str:
    """The line on top: is it well, when is it, how fast."""
    if status.problem is not None:
        return f"**Stopped.** {status.problem}"
    state = "upright" if status.fell is None else f"**fell at {status.fell_at:.1f} s** ({status.fell}); Reset to retry"
    pace = f"{status.realtime:.2f}× real time" if status.running else "paused"
    if status.running and 0.0 < status.realtime < 0.9 * status.speed:
        pace += ", as fast as this machine can"
    return f"**{status.time:.1f} s** · {pace} · {state}"


def take_text(status: Status) -> str:
    if status.recording is not None:
        return f"Recording: **{status.recording:.1f} s**"
    if status.take is not None:
        return f"Recorded: **{status.take:.1f} s**, ready to download"
    return "Nothing recorded yet; a download holds the last minute."


def _terrain_help() -> str:
    return "; ".join(f"{name}: {kind.doc}" for name, kind in TERRAINS.items())
