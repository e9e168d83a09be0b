"""Bounds that hold a minimum back: guessed from the last tick, corrected a few times, proven by their prices.

From tick to tick the active bounds hardly change. With the right ones held as equalities the bounded minimum is one
small linear system, and it proves itself: no other bound is violated, and every held one pulls inward. Where the guess
cannot be mended in a few rounds (bounds violated are added, bounds that push outward are dropped), a QP solver decides.
"""

from __future__ import annotations

import numpy as np

from gambol.control.bounded import ACTIVE_ABOVE, ACTIVE_BELOW, HARD_SLACK, SOFT_SLACK
from gambol.control.dual import RowMinimum
from gambol.control.problem import NONE, WholeBodyProblem

ROUNDS = 4
"""How often a guess is mended: each round costs about a fifth of a QP."""


class ActiveBounds:
    """The active bounds of a problem's quantities (see `WholeBodyProblem.limits`), kept from tick to tick."""

    def __init__(self) -> None:
        self.marks = np.zeros(0, dtype=np.int32)
        """(n + n_joint,) 0, or DAQP's mark of a bound active above or below"""

    def begin(self, problem: WholeBodyProblem) -> None:
        """Take up a problem: with more or fewer contacts than before, all that is known is forgotten."""
        if len(self.marks) != problem.n + problem.n_joint:
            self.marks = np.zeros(problem.n + problem.n_joint, dtype=np.int32)
        lower, upper = problem.limits()
        self.marks[np.where(self.marks == ACTIVE_ABOVE, upper >= NONE, lower <= -NONE)] = 0

    def minimum(self, problem: WholeBodyProblem, without: RowMinimum) -> np.ndarray | None:
        """The bounded minimum, from the one `without` bounds; None if it was not found."""
        lower, upper = problem.limits()
        soft = problem.soft
        for _ in range(ROUNDS):
            places = np.flatnonzero(self.marks)
            if len(places):
                rows, offset = problem.quantity_rows(places)
                at = np.where(self.marks[places] == ACTIVE_ABOVE, upper[places], lower[places]) - offset
                found = without.held(rows, at, soft[places])
                if found is None:
                    break
                x, price = found
            else:
                x, price = without.free(), None
            values = problem.quantities(x)
            slack = np.where(soft, SOFT_SLACK, HARD_SLACK) if price is not None else HARD_SLACK
            above, below = values > upper + slack, values < lower - slack
            outward = None if price is None else places[price * (2 - self.marks[places]) < 0.0]
            if not (above.any() or below.any()) and (outward is None or not len(outward)):
                return x if np.isfinite(x).all() else None
            if outward is not None:
                if soft[places].any() and (above[places] | below[places])[soft[places]].any():
                    break  # a soft bound that is held and cannot be met
                self.marks[outward] = 0
            self.marks[above] = ACTIVE_ABOVE
            self.marks[below] = ACTIVE_BELOW
        self.marks[:] = 0
        return None
