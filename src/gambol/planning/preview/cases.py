"""Moments of an adult's locomotion to try planners on, without a simulation: for tests, benchmarks, experiments.

Feet in the air are told by the ground below them, as `locomote` does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.planning.footing import FootSize
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Footplant, Goals, Ground, Leg, Situation, Support

FOOT = FootSize(0.126, 0.126, 0.039, 0.069, 0.07)
REST = 0.86
"""Length of an adult's leg from hip to ankle, m: thigh and shank nearly straight (0.97 of 0.884 m)."""
HIP = 0.085
"""Half the distance of the hips, m."""
HEIGHT = 0.98
"""of the standing COM, m"""
STRIDE = Goals(0.75, 0.6)
"""The walk of [delasa2011, table 5.1]: length of a step, m, and its time, s."""
SPRINT = Goals(1.05, 0.4, apex=0.04, fly=20.0)
STILL = Goals(0.0, 0.6, timed=False)


def adult() -> tuple[Leg, Leg]:
    """Legs of an adult: nearly straight at most, well bent at least."""
    left, right = (Leg(np.array([0.0, side * HIP, -0.065]), REST, 0.6 * REST, 1.01 * REST, FOOT) for side in (1, -1))
    return left, right


def standing() -> Situation:
    """On both feet, at rest."""
    feet = Footplant(np.array([0.0, HIP, 0.0]), 0.0), Footplant(np.array([0.0, -HIP, 0.0]), 0.0)
    return Situation(np.array([0.0, 0.0, HEIGHT]), np.zeros(3), 0.0, 0.0, Support.DOUBLE, 0, feet, adult(), since=-0.25)


def swinging(speed: float = 1.2, since: float = 0.3) -> Situation:
    """On the left foot, the right one beside it."""
    feet = Footplant(np.array([0.0, HIP, 0.0]), 0.0), Footplant(np.array([0.05, -HIP, 0.0]), 0.0)
    return Situation(np.array([0.03, 0.03, 0.95]), np.array([speed, 0.0, 0.0]), 0.0, 0.0, Support.SINGLE, 0, feet,
                     adult(), since, since - 0.08, np.array([0.03 - speed * since, 0.0]))


def running(speed: float = 2.6) -> Situation:
    """In the middle of a runner's stance."""
    return swinging(speed, 0.15).with_(velocity=np.array([speed, 0.0, 0.2]), swung=0.2)


def flying(speed: float = 2.6) -> Situation:
    """A runner in the air, the right foot ahead."""
    feet = Footplant(np.array([-0.5, HIP, 0.0]), 0.0), Footplant(np.array([0.2, -HIP, 0.0]), 0.0)
    return swinging(speed, 0.3).with_(com=np.array([0.0, 0.0, 1.02]), velocity=np.array([speed, 0.0, 0.1]),
                                      support=Support.FLIGHT, feet=feet, swung=0.3)


RISER, RISE, RUN = 0.45, 0.15, 0.3
"""Where the stairs begin, their height and depth, m."""


def stairs() -> Ground:
    """Stairs ahead: their edges are unfit for feet."""
    def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return RISE * np.clip(np.floor((x - RISER) / RUN) + 1.0, 0.0, None) + 0.0 * y

    def unfit(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        off = np.abs((x - RISER + 0.5 * RUN) % RUN - 0.5 * RUN)  # from the nearest edge
        return np.where(x > RISER - 0.5 * RUN, np.maximum(0.12 - off, 0.0), 0.0) + 0.0 * y

    return Ground(height, unfit)


@dataclass(frozen=True)
class Case:
    """A moment, what is wanted, and the gait to be planned."""

    situation: Situation
    goals: Goals
    gait: Gait


def cases() -> dict[str, Case]:
    """Moments of all kinds by name."""
    walking = swinging()
    return {
        "stand": Case(standing(), STILL, Gait.STAND),
        "first step": Case(standing(), STRIDE, Gait.WALK),
        "mid-swing": Case(walking, STRIDE, Gait.WALK),
        "pushed ahead": Case(walking.with_(velocity=np.array([1.7, 0.0, 0.0])), STRIDE, Gait.WALK),
        "pushed inward": Case(walking.with_(velocity=np.array([1.2, -0.4, 0.0])), STRIDE, Gait.WALK),
        "pushed outward": Case(walking.with_(velocity=np.array([1.2, 0.4, 0.0])), STRIDE, Gait.WALK),
        "turn": Case(walking, Goals(0.6, 0.55, way=0.8, heading=0.8), Gait.WALK),
        "run": Case(running(), SPRINT, Gait.RUN),
        "flight": Case(flying(), SPRINT, Gait.RUN),
        "stairs": Case(walking.with_(ground=stairs()), Goals(0.5, 0.6), Gait.WALK),
        "run on stairs": Case(running(2.2).with_(ground=stairs()), SPRINT, Gait.RUN),
    }
