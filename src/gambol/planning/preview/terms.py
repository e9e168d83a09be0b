"""What a preview is judged by: goals, modelling terms and soft constraints, each a block of residuals (2.12).

The objective is the sum of squares of all residuals, so that a least-squares method can use its structure. One call
judges a whole population: unknowns (b, 29) to residuals (b, m). The blocks are in `wanted.py`, `legs.py`, `stances.py`
and `landings.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.planning.preview import landings, legs, stances, wanted
from gambol.planning.preview.rollout import roll_out
from gambol.planning.preview.situation import Goals, Situation


@dataclass(frozen=True)
class Weights:
    """How much each term counts. The first row is Table 5.1, the second the dossier's, the third ours."""

    duration: float = 10.0
    length: float = 10.0
    heading: float = 5.0
    acceleration: float = 0.05
    leg: float = 60.0
    hip: float = 10.0

    limits: float = 200.0
    drift: float = 4.0
    unfit: float = 500.0

    climb: float = 10.0
    """no higher steps than need be"""
    clear: float = 100.0
    """no thrown ball passes near"""
    onward: float = 10.0
    """the capture point at the end of the preview is where the next step can catch it"""
    flight: float = 200.0
    """a flight that is wanted lasts as long as wanted"""
    speed: float = 12.0
    """a runner flies as fast as he goes"""
    advance: float = 400.0
    """two steps of a runner lead ahead by one at least: else he dances at an edge until he falls over it"""
    onto: float = 50.0
    """the same of a walker before a ledge"""
    rhythm: float = 60.0
    """as duration, of a runner's stance"""
    lift: float = 10.0
    """the last stance ends as fast upward as a flight needs, or does not sink"""
    straight: float = 4000.0
    """legs are not straight at take-off and landing"""
    strain: float = 60.0
    """a runner or jumper does not push harder than ankle and knee can"""
    lean: float = 200.0
    """no flat foot's ankle is bent further than it goes"""
    stride: float = 3.0
    """the step after the next one is as usual"""
    apart: float = 400.0
    reach: float = 1000.0
    owed: float = 20.0
    """the body is not left far below where the last foot wants it"""
    debt: float = 80.0
    """the same before a ledge: that step is taken now"""
    hurry: float = 100.0
    """no foothold that the swing foot cannot reach in time"""
    fall: float = 2.0
    """feet on the ground carry something"""
    push: float = 10.0
    """the spring does not pull"""
    bend: float = 0.08
    """legs bent further than this (of the length squared, m2) cost less than the square: stairs need it"""
    twist: float = 1.0
    """feet point where the hips do"""
    step: float = 0.1
    """a step is not taken for nothing"""
    turn: float = 0.01
    """hips do not turn to and fro"""
    middle: float = 0.4
    """the pressure is in the middle of a sole, seen across it: what is left of it catches errors"""
    calm: float = 0.002
    """the pressure point does not jump about"""


def residuals(u: np.ndarray, situation: Situation, goals: Goals, standing: np.ndarray, weights: Weights,
              literal: bool = False) -> np.ndarray:
    """All residuals (b, m) of plans (b, 29), each times the root of its weight."""
    preview = roll_out(u, situation, standing, literal)
    return np.concatenate([wanted.steps(preview, situation, goals, standing, weights, literal),
                           wanted.flights(preview, situation, goals, standing, weights),
                           legs.straight(preview, u, situation, weights),
                           wanted.onward(preview, situation, goals, standing, weights),
                           stances.modelling(preview, u, situation, standing, weights),
                           landings.footing(preview, situation, standing, weights)], axis=1)
