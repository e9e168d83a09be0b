"""The folder of the behavior: what it does, its presets as buttons, a control for each parameter."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import viser

from gambol.behaviors.behavior import Behavior
from gambol.behaviors.scenes import scene_of
from gambol.studio.session import Session, Status
from gambol.studio.widgets import on_change, on_click, param_widget, say

PATIENCE = 30.0
PRESET_ORDER, STEER_ORDER = 1.0, 2.0
"""Places in the folder: buttons stand between the words on top and the folders below."""


class ParamControls:
    """Made once; `remake` for every behavior."""

    def __init__(self, gui: viser.GuiApi, session: Session) -> None:
        self.gui, self.session = gui, session
        self.folder = gui.add_folder("Behavior")
        with self.folder:
            self.doc = gui.add_markdown("", order=0.0)
            self.sliders = gui.add_folder("Parameters", expand_by_default=False, order=3.0)
            self.doing_folder = gui.add_folder("What it is doing now", expand_by_default=False, order=4.0)
        with self.doing_folder:
            self.doing = gui.add_html("")
        self.presets: Any = None
        self.controls: dict[str, Any] = {}

    def remake(self, status: Status) -> None:
        """Controls for the parameters of the present behavior."""
        for control in self.controls.values():
            control.remove()
        if self.presets is not None:
            self.presets.remove()
        kind, settings = status.trial.first.kind, status.trial.first.all_settings
        say(self.doc, f"*{kind.name}*: {kind.doc}")
        self.presets = self._add_presets(kind) if kind.presets else None
        with self.sliders:
            self.controls = {info.name: param_widget(self.gui, info, settings.get(info.name, info.default))
                             for info in kind.Params.describe()}
        for name, control in self.controls.items():
            self._connect(name, control)

    def _add_presets(self, kind: type[Behavior]) -> Any:
        with self.folder:
            buttons = self.gui.add_button_group("Preset", tuple(kind.presets), order=PRESET_ORDER,
                                                hint="named sets of values; the sliders show them")
        on_click(buttons, lambda: self._choose(kind, buttons.value).result(PATIENCE))
        return buttons

    def _choose(self, kind: type[Behavior], name: str) -> Future[None]:
        """A preset of parameters only changes what goes on; one that names a scene begins there."""
        if scene_of(kind.presets[name]) is not None:
            return self.session.choose_preset(name)
        return self.change(preset_values(kind, name))

    def _connect(self, name: str, control: Any) -> None:
        on_change(control, lambda: self.session.set_param(name, control.value).result(PATIENCE))

    def change(self, values: Mapping[str, Any]) -> Future[None]:
        """Set parameters, and let their controls show them."""
        answer = self.session.set_params(values)
        for name, value in values.items():
            self.controls[name].value = value
        return answer


def preset_values(kind: type[Behavior], name: str) -> dict[str, Any]:
    """All parameters as a preset has them; it does not turn a character that is on its way."""
    values = {info.name: info.default for info in kind.Params.describe()}
    if kind.steering is not None:
        del values[kind.steering.heading]
    return values | dict(kind.presets[name])
