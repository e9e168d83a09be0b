"""Footholds that adapt: where a foot in the air goes, when the body is not where its Reference has it.

The capture error e grows by itself as `exp(w t)`; the pressure point works against it by dp as far as the feet reach.
At the time of landing

    dp + (e - dp) exp(w t)

of it is left, nothing along an axis where dp holds e. By that much the step goes beyond its place. When the foot has
landed, the whole Reference glides to the offset that it really has: the plan goes on from there. While the body is
where the plan wants it, each step goes a little back toward the path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

import numpy as np

from gambol.behaviors.follow.clock import Phase
from gambol.behaviors.follow.gains import FootholdGains
from gambol.control.contact.patches import PatchState
from gambol.motion.reference import Reference

AHEAD_OF_EARLY = 5
"""A foot that is early is compared with the place that it has so many rows later."""
LEAST_SHARE, UP_SHARE = 0.05, 0.2
"""How much a foot counts for where the reference goes, that lands or lifts just now, or is up in the reference."""
SIDES = {"left_foot": 1.0, "right_foot": -1.0}
"""Which side of a biped a foot is on: to the left positive."""


class Footholds:
    """Offsets of the feet and of the whole Reference, all (2,) and in the world's axes, m."""

    def __init__(self, reference: Reference, gains: FootholdGains, size: float) -> None:
        self.reference, self.gains, self.size = reference, gains, size
        self.pace = size**0.5
        self.glide, self.slide = np.zeros(2), np.zeros(2)
        """how far the reference has gone with the feet, and by what the clock gains on the body"""
        self.step = np.zeros(2)
        """how far the foot in the air goes beyond that"""
        self.offset = {role: np.zeros(2) for role in reference.patches}
        """of each foot from its place in the reference"""
        self._left = {role: np.zeros(2) for role in reference.patches}
        """the same, when it lifted"""
        self.stands = {role: True for role in reference.patches}

    @property
    def shift(self) -> np.ndarray:
        """Of the whole reference."""
        return self.glide + self.slide

    def see(self, phase: Phase, patches: Sequence[PatchState], places: Mapping[str, np.ndarray], tick: float) -> None:
        """Take up where feet have landed, and let the reference glide there. `places`: of the feet, (3,)."""
        reference = self.reference
        for patch in patches:
            role, index = patch.role, reference.patches.index(patch.role)
            if phase.down[role] and patch.touches:
                if not self.stands[role]:
                    row = phase.row + (AHEAD_OF_EARLY if role in phase.early else 0)
                    place = reference.places[min(row, len(reference.places) - 1), index]
                    self.glide, self.slide = self.glide + self.slide, np.zeros(2)
                    self.offset[role] = (places[role] - place)[:2]
                self.stands[role] = True
            elif not phase.down[role]:
                if self.stands[role]:
                    self._left[role], self.step = self.offset[role].copy(), np.zeros(2)
                self.stands[role] = False
        standing = [role for role in reference.patches if phase.down[role] and self.stands[role]]
        if self.gains.adapt and standing:
            shares = np.array([self._share(role, phase.row) for role in standing])
            goal = shares.dot([self.offset[role] for role in standing]) / shares.sum()
            self.glide = self.glide + (goal - self.glide) * min(tick / (self.gains.settle * self.pace), 1.0)

    def gain(self, velocity: np.ndarray, gained: float) -> None:
        """The clock has gained so many seconds on a body that goes at a velocity (2,): the reference stays with it."""
        self.slide = self.slide - velocity * gained

    def swing(self, role: str, phase: Phase, error: np.ndarray, pressed: np.ndarray, rate: float, tick: float
              ) -> tuple[np.ndarray, np.ndarray]:
        """Offset (2,) of a foot in the air from its place in the reference, and how fast that changes.

        `error` and `pressed` are e and dp (2,), `rate` is w, 1/s.
        """
        if not self.gains.adapt:
            return np.zeros(2), np.zeros(2)
        reference, index = self.reference, self.reference.patches.index(role)
        lands, lifted = reference.lands[phase.row, index], reference.lifted[phase.row, index]
        share, left, lasts = 1.0, 0.0, max(1.0 - lifted, 0.1)
        if np.isfinite(lands) and not reference.down[phase.row, index]:
            share = min(max((phase.time - lifted) / max(lands - lifted, 0.05), 0.0), 1.0)
            left, lasts = max(lands - phase.time, 0.0), max(lands - lifted, 0.1)
        if left > self.gains.decided * self.pace:
            self._plan(role, phase, error, pressed, exp(rate * min(left, self.gains.ahead * self.pace)), tick)
        goal, start, there = self.shift + self.step, self._left[role], self.gains.there
        s = min(share / there, 1.0)
        self.offset[role] = start + s * s * (3.0 - 2.0 * s) * (goal - start)
        rise = 6.0 * s * (1.0 - s) / there / lasts * phase.rate
        return self.offset[role], rise * (goal - start)

    def _plan(self, role: str, phase: Phase, error: np.ndarray, pressed: np.ndarray, grown: float, tick: float
              ) -> None:
        """Move the goal of the step toward what will be left of the error when the foot lands."""
        gains = self.gains
        left = np.where(np.abs(pressed) >= np.abs(error), 0.0, pressed + (error - pressed) * grown)
        left = np.where(np.sign(left) == np.sign(error), left, 0.0)
        most = gains.most * self.size
        goal = np.clip(gains.adapt * left, -most, most)
        if np.linalg.norm(error) < gains.calm * self.size:
            goal = goal - self.shift * min(gains.back * self.size / max(float(np.linalg.norm(self.shift)), 1e-9), 1.0)
        goal = self._beside(role, phase, goal)
        move = goal - self.step
        self.step = self.step + move * min(1.0, gains.pace * self.pace * tick / max(float(np.linalg.norm(move)), 1e-9))

    def _beside(self, role: str, phase: Phase, goal: np.ndarray) -> np.ndarray:
        """A biped's foot does not come down across the one that stands, unless the reference has it so."""
        others = [other for other in self.reference.patches if other in SIDES and other != role]
        if role not in SIDES or not others or np.linalg.norm(goal) < 0.01 * self.size:
            return goal
        reference, other = self.reference, others[0]
        own, its = reference.patches.index(role), reference.patches.index(other)
        lands = reference.row(float(reference.lands[phase.row, own]))
        facing = reference.turns[lands, reference.parts.index("root")][:2, 0]
        outward = SIDES[role] * np.array([-facing[1], facing[0]]) / max(float(np.linalg.norm(facing)), 1e-6)
        nominal = outward.dot((reference.places[lands, own] - reference.places[phase.row, its])[:2])
        gap = nominal + outward.dot(self.shift + goal - self.offset[other])
        least = min(self.gains.apart * self.size, max(nominal, 0.0))
        return goal + outward * (least - gap) if gap < least and nominal > 0.0 else goal

    def _share(self, role: str, row: int) -> float:
        """Weight that a foot counts with: it fades in after landing and out before lifting."""
        reference, index = self.reference, self.reference.patches.index(role)
        if not reference.down[row, index]:
            return UP_SHARE
        rows = max(round(self.gains.fade * self.pace * reference.rate), 1)
        down = reference.down[max(row - rows, 0):row + rows, index]
        here = min(row, rows)
        ahead, behind = np.flatnonzero(~down[here:]), np.flatnonzero(~down[:here + 1])
        after = ahead[0] / rows if len(ahead) else 1.0
        before = (here - behind[-1]) / rows if len(behind) else 1.0
        return max(min(after, before), LEAST_SHARE)
