"""The phase clock: where in its Reference a figure is. It goes by contacts, not by the wall.

It waits for a foot that is late, takes one that is early and catches up with it, and goes faster on all feet while the
pressure point cannot be where it is wanted: then only the next step helps. To hurry while one foot is in the air did
harm (20 to 14 of 32 pushes survived at twice the speed): the foot arrives where the body is not yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gambol.behaviors.follow.gains import ClockGains
from gambol.control.contact.patches import PatchState
from gambol.motion.reference import Reference


@dataclass(frozen=True)
class Phase:
    """What a tick is about."""

    time: float
    """in the reference, s"""
    row: int
    rate: float
    """how fast the clock goes: 1 is as in the reference"""
    down: Mapping[str, bool]
    """whether each patch is to carry now: as planned, or because it is early"""
    early: frozenset[str] = field(default=frozenset())
    late: frozenset[str] = field(default=frozenset())


class PhaseClock:
    """Advances through a Reference."""

    def __init__(self, reference: Reference, gains: ClockGains, pace: float) -> None:
        self.reference, self.gains, self.pace = reference, gains, pace
        """`pace`: root of the size of the body against an adult's, by which its times scale"""
        self.time, self.waited = 0.0, 0.0
        up = np.where(~reference.down, np.arange(len(reference.down))[:, None] / reference.rate, -np.inf)
        self.raised: np.ndarray = np.maximum.accumulate(up, axis=0)
        """(n, patches) time of the last row, this one included, at which a patch was up; -infinity if it never was"""

    @property
    def over(self) -> bool:
        """Whether the last row is reached."""
        return self.time >= self.reference.seconds - 1e-9

    def tick(self, patches: Sequence[PatchState], tick: float, speed: float, short: float) -> Phase:
        """What is to be done now; the clock goes on by a tick, s.

        `speed` is how fast the reference is followed, `short` how far the pressure point wanted last was out of reach.
        """
        reference, gains, row = self.reference, self.gains, self.reference.row(self.time)
        planned = dict(zip(reference.patches, reference.down[row].tolist(), strict=True))
        early = frozenset(patch.role for patch in patches if gains.waits and self._early(patch, row))
        late = frozenset(patch.role for patch in patches if gains.waits and self._late(patch, row))
        rate = 1.0
        if late and self.waited < gains.wait * self.pace:
            rate = gains.late_rate
            self.waited += tick
        elif early:
            rate = gains.early_rate
        if not late:
            self.waited = max(self.waited - gains.forgive * tick, 0.0)
        down = {role: carries or role in early for role, carries in planned.items()}
        if gains.hasten and not late and all(down.values()) and self._lifts(row) < gains.hasten_before * self.pace:
            share = (short - gains.hasten_from) / gains.hasten_over
            rate = max(rate, 1.0 + gains.hasten * min(max(share, 0.0), 1.0))
        now = Phase(self.time, row, 0.0 if self.over else speed * rate, down, early, late)
        self.time = min(self.time + now.rate * tick, reference.seconds)
        return now

    def _early(self, patch: PatchState, row: int) -> bool:
        """Whether a patch in the air has landed before its time, well on its way."""
        reference, gains = self.reference, self.gains
        index = reference.patches.index(patch.role)
        if reference.down[row, index] or not patch.touches or int(patch.near.sum()) < gains.early_points:
            return False
        lands, lifted = reference.lands[row, index], reference.lifted[row, index]
        return bool(np.isfinite(lands)) and self.time - lifted > gains.early * (lands - lifted)

    def _late(self, patch: PatchState, row: int) -> bool:
        """Whether a patch has landed in the reference a moment ago, and here it has not."""
        index = self.reference.patches.index(patch.role)
        if not self.reference.down[row, index] or patch.touches:
            return False
        return row / self.reference.rate - self.raised[row, index] < self.gains.fresh

    def _lifts(self, row: int) -> float:
        """Seconds until a patch that carries lifts."""
        return float(self.reference.lifts[row].min()) - row / self.reference.rate
