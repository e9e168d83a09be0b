"""Stand: every joint is held at its rest angle by a spring and a damper, and that is all.

The honest baseline: it knows nothing of balance and falls when shoved. Others are compared with it. It can hold the
angles it begins with instead: who sits then stays on the chair.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.behaviors.behavior import Behavior, register
from gambol.control.pd import stable_pd
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.units import GRAVITY
from gambol.world.world import World

SEATED = 0.1
"""Who has this share of the weight on other parts than the feet does not stand."""


@register
class Stand(Behavior):
    """holds its rest pose, or how it began, with springs; falls when shoved (the baseline)"""

    @dataclass
    class Params(BaseParams):
        stiffness: float = param(1.0, low=0.0, high=5.0, doc="multiplies all springs")
        damping: float = param(1.0, low=0.0, high=5.0, doc="multiplies all dampers")
        hold: str = param("rest", choices=("rest", "start"),
                          doc="what it holds: its rest pose, or how it began, as sitting")

    def start(self) -> None:
        """Springs in proportion to the strength of each joint, dampers to what it carries, so any body is held."""
        figure = self.figure
        inertia = np.zeros((figure.model.nv, figure.model.nv))
        mujoco.mj_fullM(figure.model, figure.data, inertia)
        self.stiffness = 5.0 * figure.torque_limit
        self.damping = 2.0 * np.sqrt(self.stiffness * np.diag(inertia)[figure.joint_dofs])
        self.begun, self.stood = figure.angles.copy(), self._stands()

    def act(self) -> np.ndarray:
        held = self.figure.rest if self.params.hold == "rest" else self.begun
        return stable_pd(self.figure, held, self.params.stiffness * self.stiffness,
                         self.params.damping * self.damping, self.tick_length)

    def failed(self, world: World | None = None) -> str | None:
        """Who is to stay as it sits or lies has not fallen."""
        return super().failed(world) if self.params.hold == "rest" or self.stood else None

    def _stands(self) -> bool:
        """Whether it has not fallen, and nothing but its feet carries it."""
        figure, contacts = self.figure, self.world.contacts
        if contacts.fallen(figure) is not None:
            return False
        feet = {figure.role_of_body[body] for body in figure.foot_bodies}
        carried = sum(max(0.0, float(contact.force[2])) for contact in contacts.of(figure) if contact.role not in feet)
        return carried < SEATED * figure.mass * GRAVITY
