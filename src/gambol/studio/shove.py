"""The folder of disturbances: a push by the hand of nobody, or a thrown ball."""

from __future__ import annotations

import random
from typing import Any

import viser

from gambol.studio.session import Session
from gambol.studio.widgets import on_change, on_click

PATIENCE = 10.0


class Shove:
    """Push and throw."""

    def __init__(self, gui: viser.GuiApi, session: Session) -> None:
        self.gui, self.session = gui, session
        with gui.add_folder("Push"):
            self.button = gui.add_button("Push", icon=viser.Icon.HAND_MOVE)
            on_click(self.button, self._push)
            self.force = gui.add_slider("Force (N)", 0, 800, 10, 150, hint="how hard")
            self.angle = gui.add_slider("Toward (°)", -180, 180, 5, 0,
                                        hint="where it pushes to: 0 forward, 90 to its left, 180 backward")
            self.duration = gui.add_slider("For (s)", 0.05, 1.0, 0.05, 0.1, hint="how long")
            self.body: Any = gui.add_dropdown("On", self._bodies(), initial_value=self._main())
            self.throw = gui.add_button("Throw a ball", icon=viser.Icon.BALL_VOLLEYBALL)
            on_click(self.throw, self._throw)
            with gui.add_folder("The ball", expand_by_default=False):
                self.mass = gui.add_slider("Mass (kg)", 0.5, 20.0, 0.5, 3.0)
                self.speed: Any = gui.add_slider("Speed (m/s)", 2.0, 20.0, 0.5, 8.0)
                self.anywhere: Any = gui.add_checkbox("From anywhere", True, hint="each ball from another side")
                self.bearing: Any = gui.add_slider("From (°)", -180, 180, 5, 0, disabled=True,
                                                   hint="where it comes from: 0 its front, 90 its left, 180 behind")
                on_change(self.anywhere, lambda: setattr(self.bearing, "disabled", self.anywhere.value))

    def remake(self) -> None:
        """Another character has other parts."""
        bodies = self._bodies()
        if self.body.options != bodies:
            self.body.options = bodies
            self.body.value = self._main()

    def _bodies(self) -> tuple[str, ...]:
        """Roles first, then the names of parts that have none."""
        return tuple(dict.fromkeys(sorted(self.session.world.figure.role_of_body.values(), key=self._rank)))

    def _rank(self, name: str) -> int:
        roles = list(self.session.world.figure.anatomy.bodies)
        return roles.index(name) if name in roles else len(roles)

    def _main(self) -> str:
        return "trunk" if "trunk" in self.session.world.figure.anatomy.bodies else self._bodies()[0]

    def _push(self) -> None:
        self.session.push(self.body.value, float(self.force.value), float(self.angle.value),
                          float(self.duration.value)).result(PATIENCE)

    def _throw(self) -> None:
        if self.anywhere.value:
            self.bearing.value = 5 * random.randint(-36, 36)
        self.session.throw(body=self.body.value, mass=float(self.mass.value), speed=float(self.speed.value),
                           bearing=float(self.bearing.value)).result(PATIENCE)
