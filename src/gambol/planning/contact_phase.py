"""Which feet carry: the progress of locomotion from contact to contact, as the plan wants it and as it happens.

A foot lifts, or the body takes off, when the plan says so; a foot has landed when it touches the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from gambol.control.contact.patches import PatchState
from gambol.gains import Gains
from gambol.params import param
from gambol.planning.footing import FootState
from gambol.planning.preview.plan import Plan
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Support


@dataclass(frozen=True)
class StrideGains(Gains):
    """When a foot counts as lifted, lost or landed, of an adult."""

    touching: float = param(0.002, unit="m", low=0.0, high=0.02, doc="a landing sole is lower than this")
    rising: float = param(0.05, unit="m/s", low=0.0, high=0.5, doc="and does not go up faster than this")
    lost: float = param(0.015, unit="m", low=0.002, high=0.1,
                        doc="a standing sole that is higher than this everywhere has left the ground, whatever the "
                            "plan says")
    close: float = param(0.1, unit="m", low=0.01, high=0.5,
                         doc="a foot this near its foothold may land from the middle of its swing on, else only near "
                             "the end of it")
    shift: float = param(0.25, unit="s", low=0.0, high=1.0,
                         doc="time that shifting the weight takes before the first step")
    planting: float = param(0.3, unit="s", low=0.0, high=1.0, doc="a foot that stands longer than this is flat")


class Event(Enum):
    """A change of contacts."""

    LIFTED = "lifted"
    LANDED = "landed"
    TOOK_OFF = "took off"


class Strides:
    """Support, stance foot and times of the last contacts. Foot 0 is the left one."""

    size: float
    pace: float

    def __init__(self, time: float, com: np.ndarray, size: float, gains: StrideGains | None = None) -> None:
        self.gains = gains or StrideGains()
        self.resize(size)
        self.support, self.stance = Support.DOUBLE, 0
        self.lifted = [time, time]
        self.landed = -np.inf
        """when each foot left the ground, and when the last one came down"""
        self.exchanged, self.origin = time, com[:2].copy()
        """when and where the COM was at the last exchange of support"""
        self.on_toes = False
        """whether the heel of the stance foot has left the ground"""
        self.steps = 0
        self.stand(time, com)

    @property
    def other(self) -> int:
        """The foot that swings, or will."""
        return 1 - self.stance

    def swung(self, time: float) -> float:
        """How long the other foot has been in the air, s."""
        return 0.0 if self.support is Support.DOUBLE else time - self.lifted[self.other]

    def join(self, time: float, touching: Sequence[bool]) -> None:
        """Take over a body under way: feet that do not touch the ground swing."""
        if all(touching):
            return
        self.support = Support.SINGLE if any(touching) else Support.FLIGHT
        self.stance, self.exchanged = (0 if touching[0] else 1), time

    def resize(self, size: float) -> None:
        """The body has grown."""
        self.size, self.pace = size, float(np.sqrt(size))

    def stand(self, time: float, com: np.ndarray) -> None:
        """It stands: a step that begins now has time to shift the weight first."""
        self.exchanged, self.origin = time + self.gains.shift * self.pace, com[:2].copy()

    def event(self, time: float, since: float, plan: Plan, soles: Sequence[PatchState],
              com: np.ndarray) -> Event | None:
        """Go on to the next support if it is due; `since` is the age of the plan, s."""
        if self.support is Support.DOUBLE:
            if self._lost(soles[0]) and self._lost(soles[1]):
                self.support, self.lifted = Support.FLIGHT, [time, time]
                return Event.TOOK_OFF
            if plan.gait is Gait.STAND or since < plan.lifts * self.pace:
                return None
            self.support, self.lifted[self.other] = Support.SINGLE, time
            return Event.LIFTED
        if self._landed(time, since, plan, soles[self.other]):
            self.support = Support.DOUBLE if self.support is Support.SINGLE else Support.SINGLE
            self.stance, self.on_toes = self.other, False
            self.exchanged, self.origin, self.steps = time, com[:2].copy(), self.steps + 1
            self.landed = time
            return Event.LANDED
        leaves = plan.flies and since >= plan.leaves * self.pace
        if self.support is Support.SINGLE and (leaves or self._lost(soles[self.stance])):
            self.support, self.lifted[self.stance] = Support.FLIGHT, time
            return Event.TOOK_OFF
        return None

    def _lost(self, sole: PatchState) -> bool:
        return bool(sole.height.min() > self.gains.lost * self.size)

    def _landed(self, time: float, since: float, plan: Plan, sole: PatchState) -> bool:
        """Touching, not rising, and when it should: a toe that brushes the ground on its way does not count."""
        gains = self.gains
        if not (sole.height < gains.touching * self.size).any():
            return False
        swung, left = self.swung(time), plan.lands * self.pace - since
        close = float(np.hypot(*(sole.center[:2] - plan.foothold[:2] * self.size))) < gains.close * self.size
        due = swung > (0.5 if close else 0.9) * (swung + left)
        return due and float(sole.velocity[:, 2].mean()) < gains.rising * self.pace

    def states(self, time: float, standing: bool) -> list[FootState]:
        """What each foot does; `standing` says that the plan stays on both feet."""
        states = [FootState.SWING, FootState.SWING]
        if self.support is Support.FLIGHT:
            return states
        states[self.stance] = FootState.HEEL_OFF if self.on_toes else FootState.SUPPORT
        if self.support is Support.DOUBLE:
            states[self.other] = FootState.SUPPORT
            if not standing and time - self.landed < self.gains.planting * self.pace:
                states[self.stance], states[self.other] = FootState.PLANT, FootState.HEEL_OFF
        return states
