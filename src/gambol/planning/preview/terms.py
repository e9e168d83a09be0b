"""What a preview is judged by: goals, modelling terms and soft constraints, each a block of residuals.

They are those of [delasa2011, section 5.3] and ours. The objective is the sum of squares of all residuals, so that a
least-squares method can use its structure. One call judges a whole population: unknowns (b, 29) to residuals (b, m).
The blocks are in `goal_terms.py`, `legs.py`, `stances.py` and `landings.py`, their weights in `weights.py`, their other
numbers in `gains.py`.
"""

from __future__ import annotations

import numpy as np

from gambol.planning.preview import goal_terms, landings, legs, stances
from gambol.planning.preview.gains import PreviewGains
from gambol.planning.preview.rollout import roll_out
from gambol.planning.preview.situation import Goals, Situation


def residuals(u: np.ndarray, situation: Situation, goals: Goals, standing: np.ndarray, gains: PreviewGains,
              literal: bool = False) -> np.ndarray:
    """All residuals (b, m) of plans (b, 29), each times the root of its weight."""
    preview = roll_out(u, situation, standing, literal, gains)
    return np.concatenate([goal_terms.steps(preview, situation, goals, standing, gains, literal),
                           goal_terms.flights(preview, situation, goals, standing, gains),
                           legs.straight(preview, u, situation, gains),
                           goal_terms.onward(preview, situation, goals, standing, gains),
                           stances.modelling(preview, u, situation, standing, gains),
                           landings.footing(preview, situation, standing, gains)], axis=1)
