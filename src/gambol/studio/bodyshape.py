"""The folder of body sizes: the character grows and shrinks while it goes on."""

from __future__ import annotations

from typing import Any

import viser

from gambol.bodies.shape.scaling import standing_height
from gambol.studio.session import Session
from gambol.studio.widgets import nice_step, on_change, on_click

LEAST, MOST = 0.7, 1.4
"""Factors a body or limb may have."""
SKIPPED = ("tail", "neck")
PATIENCE = 10.0


class BodyShape:
    """One slider for the height, one for each group of limbs."""

    def __init__(self, gui: viser.GuiApi, session: Session) -> None:
        self.gui, self.session = gui, session
        self.folder = gui.add_folder("Body", expand_by_default=False)
        self._widgets: list[Any] = []
        self.limbs: dict[str, Any] = {}

    def remake(self) -> None:
        """Sliders for the present character, at its own size."""
        for widget in self._widgets:
            widget.remove()
        morph = self.session.body
        self.base = standing_height(morph.base)
        with self.folder:
            self.height: Any = self.gui.add_slider(
                "Height (m)", round(LEAST * self.base, 2), round(MOST * self.base, 2), nice_step(0.7 * self.base),
                round(morph.goal.get("height", 1.0) * self.base, 2), hint="it grows to this within a second")
            self.limbs = {name: self.gui.add_slider(_plural(name, roles), LEAST, MOST, 0.05,
                                                    morph.goal.get(name, 1.0), hint="times its own size")
                          for name, roles in morph.groups.items() if name not in SKIPPED}
            undo = self.gui.add_button("Original size", color="gray", icon=viser.Icon.ARROW_BACK_UP)
        on_click(undo, self._undo)
        for slider in (self.height, *self.limbs.values()):
            on_change(slider, self._aim)
        self._widgets = [self.height, *self.limbs.values(), undo]

    def _aim(self) -> None:
        factors = {name: float(slider.value) for name, slider in self.limbs.items()}
        self.session.morph(float(self.height.value) / self.base, factors).result(PATIENCE)

    def _undo(self) -> None:
        self.height.value = round(self.base, 2)
        for slider in self.limbs.values():
            slider.value = 1.0
        self._aim()


def _plural(name: str, roles: tuple[str, ...]) -> str:
    words = name.replace("_", " ").capitalize()
    if len(roles) == 1:
        return words
    return "Feet" if name == "foot" else words + "s"
