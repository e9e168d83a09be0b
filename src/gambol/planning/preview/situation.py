"""What a preview starts from: the walker's proportions, where it is now, what it should do, the ground it sees.

Everything is in an adult's units: lengths are divided by the body's size (standing height of its COM over an adult's),
times by the root of that. The planner therefore knows one body size only, and the same parameters serve a child.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from gambol.planning.footing import FootSize
from gambol.planning.preview.threats import Threat


class Support(Enum):
    """Which feet carry now."""

    DOUBLE = "double"
    SINGLE = "single"
    FLIGHT = "flight"


@dataclass(frozen=True)
class Leg:
    """One leg: where its hip is from the COM (ahead, left, up), its lengths from hip to ankle, and its foot."""

    hip: np.ndarray
    rest: float
    shortest: float
    longest: float
    foot: FootSize
    ankle: float = np.inf
    knee: float = np.inf
    """most torque over the body's mass, m2/s2"""
    forward: bool = True
    """whether the knee bends forward; a bird's bends back"""
    lean: float = np.inf
    """how far the shank can lean forward over a flat foot, rad"""


@dataclass(frozen=True)
class Footplant:
    """A foot on the ground: middle of its sole (3,), and where it points, rad."""

    place: np.ndarray
    yaw: float


@dataclass(frozen=True)
class Goals:
    """What the user wants of the next steps."""

    length: float = 0.75
    """travel of the COM a step, m"""
    duration: float = 0.6
    """stance time a step, s"""
    timed: bool = True
    """whether the duration counts; it does not when standing"""
    way: float = 0.0
    """direction of travel, rad"""
    aside: float = 0.0
    """travel to the left of it by the end of the preview, m"""
    heading: float = 0.0
    """where the body faces, rad"""
    apex: float = 0.0
    """height of the COM in flight over take-off and landing, m"""
    fly: float = 0.0
    """how much the apex counts"""
    flight: float = 0.1
    """time of a flight that is wanted, s"""
    speed: float | None = None
    """along the way in it, m/s; given, it counts instead of the length of runs and jumps"""
    may_run: bool = True
    """whether fast steps may be flights though no flight is wanted"""

    @property
    def paced(self) -> bool:
        """Whether it flies at a speed."""
        return self.fly > 0 and self.speed is not None


Field = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""A quantity of places on the ground."""


def level(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height of flat ground."""
    return np.zeros(np.broadcast(x, y).shape)


@dataclass(frozen=True)
class Ground:
    """The ground as the planner sees it: heights, and how far a place is from one fit for a foot, m."""

    height: Field = level
    unfit: Field | None = None
    ledge: bool = False
    """whether one high step up is ahead"""
    steep: float = 0.0
    """height over length of the steepest stride along the way, up or down, ledges included"""


@dataclass(frozen=True)
class Situation:
    """A moment of locomotion. Foot 0 is the left one."""

    com: np.ndarray
    velocity: np.ndarray
    yaw: float
    turning: float
    """yaw rate, rad/s"""
    support: Support
    stance: int
    """the foot that carries, or carried last"""
    feet: tuple[Footplant, Footplant]
    """where they stand; of a foot in the air, where it is"""
    legs: tuple[Leg, Leg]
    since: float = 0.0
    """time since the last exchange of support, s"""
    swung: float = 0.0
    """how long the other foot has been in the air, s"""
    origin: np.ndarray = field(default_factory=lambda: np.zeros(2))
    """where the COM was then"""
    sole: tuple[float, float] = (0.0, 1.0)
    """the part of the stance foot's sole that carries, heel 0 to toe 1: not all of it on an edge, or on the toes"""
    ground: Ground = Ground()
    threats: tuple[Threat, ...] = ()
    """what flies at it"""

    @property
    def other(self) -> int:
        """The foot that swings, or will."""
        return 1 - self.stance

    @property
    def side(self) -> float:
        """+1 if the foot that will land is the left one, else -1."""
        return 1.0 if self.other == 0 else -1.0

    def with_(self, **changes: object) -> Situation:
        return replace(self, **changes)  # type: ignore[arg-type]
