"""Bounds that hold a minimum back: guessed from the last tick, corrected a few times, proven by their prices.

From tick to tick the active bounds hardly change. With the right ones held as equalities the bounded minimum is one
small linear system, and it proves itself: no other bound is violated, and every held one pulls inward. Where the guess
cannot be mended in a few rounds (bounds violated are added, bounds that push outward are dropped), a QP solver decides.
"""

from __future__ import annotations

import numpy as np

from gambol.control.problem import NONE, WholeBodyProblem
from gambol.control.qp.bounded import ACTIVE_ABOVE, ACTIVE_BELOW, HARD_SLACK, SOFT_SLACK
from gambol.control.qp.row_space import RowMinimum, RowProblem

ROUNDS = 4
"""How often a guess is mended: each round costs about a third of a QP."""
NOWHERE = np.zeros(0, dtype=int)


class ActiveBounds:
    """The active bounds of a problem's quantities (see `WholeBodyProblem.limits`), kept from tick to tick."""

    def __init__(self) -> None:
        self.marks = np.zeros(0, dtype=np.int32)
        """(n + n_joint,) 0, or DAQP's mark of a bound active above or below"""
        self.dependent = False
        """whether the last attempt failed because exact rows depend on each other"""

    def begin(self, problem: WholeBodyProblem) -> None:
        """Take up a problem: with more or fewer contacts than before, all that is known is forgotten."""
        if len(self.marks) != problem.n + problem.n_joint:
            self.marks = np.zeros(problem.n + problem.n_joint, dtype=np.int32)
        elif len(places := self.marks.nonzero()[0]):
            lower, upper = problem.limits()
            bound = np.where(self.marks[places] == ACTIVE_ABOVE, upper[places], lower[places])
            self.marks[places[np.abs(bound) >= NONE]] = 0

    def forget(self) -> None:
        """Begin without a guess."""
        self.marks[:] = 0

    def minimum(self, problem: WholeBodyProblem, rows: RowProblem) -> np.ndarray | None:
        """The bounded minimum, or None if it was not found."""
        lower, upper = problem.limits()
        for _ in range(ROUNDS):
            places = self.marks.nonzero()[0]
            found = self._hold(problem, rows, places) if len(places) else self._free(rows)
            if found is None:
                break
            x, outward = found
            values = problem.quantities(x)
            beyond = np.maximum(values - upper, lower - values)
            if beyond[beyond.argmax()] <= HARD_SLACK and not len(outward):  # quicker than `max`
                return x
            held_soft = places[problem.soft[places]]
            slack = np.where(problem.soft, SOFT_SLACK, HARD_SLACK) if len(held_soft) else HARD_SLACK
            above, below = values > upper + slack, values < lower - slack
            if not (above.any() or below.any() or len(outward)):
                return x if np.isfinite(values).all() else None
            if (above[held_soft] | below[held_soft]).any():
                break  # it cannot be met
            self.marks[outward] = 0
            self.marks[above] = ACTIVE_ABOVE
            self.marks[below] = ACTIVE_BELOW
        return None

    def _free(self, rows: RowProblem) -> tuple[np.ndarray, np.ndarray] | None:
        """The minimum without bounds, and which of those held push outward: none."""
        minimum = RowMinimum(rows)
        self.dependent = minimum.trouble
        return None if minimum.trouble else (minimum.x, NOWHERE)

    def _hold(self, problem: WholeBodyProblem, rows: RowProblem, places: np.ndarray
              ) -> tuple[np.ndarray, np.ndarray] | None:
        """The minimum with some quantities held at their bounds, and which of them push outward.

        Unknowns are simply taken out; torques, and unknowns that give way, are held by rows.
        """
        lower, upper = problem.limits()
        marks, soft = self.marks[places], problem.soft[places]
        at = np.where(marks == ACTIVE_ABOVE, upper[places], lower[places])
        by_row = soft | (places >= problem.n)
        plain = not by_row.any()
        fixed = places if plain else places[~by_row]
        minimum = RowMinimum(rows, fixed, at if plain else at[~by_row])
        self.dependent = minimum.trouble
        if minimum.trouble:
            return None
        if plain:
            return minimum.x, places[minimum.pushes()[places] * (2 - marks) < 0.0]
        held, offset = problem.quantity_rows(places[by_row])
        found = minimum.held(held, at[by_row] - offset, soft[by_row])
        if found is None:
            return None
        push = np.empty(len(places))
        push[~by_row], push[by_row] = found[1][fixed], found[2]
        return found[0], places[push * (2 - marks) < 0.0]
