"""A short problem of synthesis, and a solution to try its parts on, for the tests of what problems are made of."""

from __future__ import annotations

import numpy as np

from gambol.synthesis.problem import Problem
from gambol.synthesis.scene import Obstacle, Performer, Position, Scene, Stand

PHASES = 3


def short_problem() -> Problem:
    scene = Scene([Performer()], [Stand(), Position(x=0.3)], [Obstacle(x=0.6)], phases=PHASES)
    return scene.problem()


def off_kinks(problem: Problem) -> np.ndarray:
    """A solution away from all kinks."""
    rng = np.random.default_rng(1)
    z = problem.guess(0.6) + 0.03 * rng.normal(size=(PHASES, problem.layout.width))
    z[:, problem.layout.parts["f"]] += rng.normal(size=z[:, problem.layout.parts["f"]].shape)
    return z
