"""The Behavior protocol and its registry. A new behavior is one new file: Params on top, `act` below.

    @register
    class Wave(Behavior):
        \"\"\"stands and waves\"\"\"

        @dataclass
        class Params(BaseParams):
            speed: float = param(1.0, unit="Hz", low=0.1, high=3.0, doc="waves per second")

        def start(self) -> None: ...
        def act(self) -> np.ndarray: ...
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gambol.behaviors.scenes import DefaultScene
from gambol.bodies.actuation import Controls
from gambol.bodies.character import Character
from gambol.errors import BadInput, unknown
from gambol.gains import Gains as BaseGains
from gambol.params import Params as BaseParams
from gambol.world.starts import Jitter
from gambol.world.world import CONTROL_RATE, PHYSICS_RATE, World


@dataclass(frozen=True)
class Steering:
    """The parameters by which a behavior is steered: arrow keys, pad and handle of the studio change these."""

    heading: str
    """the way to go in the world, degrees, to the left positive"""
    pace: str
    """more of it is faster"""
    direction: str | None = None
    """which way it goes from where it faces, degrees, to the left positive; none if it goes where it faces"""


@dataclass(frozen=True)
class Outlook:
    """What a behavior plans to do, to be drawn ahead of the figure; all in the world's axes, m."""

    com: np.ndarray
    """(n, 3) path of the centre of mass"""
    pressure: np.ndarray
    """(m, 3) path of the pressure point on the ground"""
    footholds: np.ndarray
    """(k, 3) where the next feet land"""
    yaws: np.ndarray
    """(k,) where these feet point, rad"""


class Behavior(ABC):
    """A controller of one figure: reads the world, returns torques. Its Params may change at any time."""

    name: ClassVar[str]
    doc: ClassVar[str]
    Params: ClassVar[type[BaseParams]]
    Gains: ClassVar[type[BaseGains] | None] = None
    """the numbers by which it does what its Params ask for, if it has any that may be tuned"""
    needs: ClassVar[tuple[str, ...]] = ()
    """roles the character must have"""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """named sets of parameter values; a `Preset` may name parts of the scene, too"""
    control_rate: ClassVar[float] = CONTROL_RATE
    """how often it acts, Hz"""
    physics_rate: ClassVar[float] = PHYSICS_RATE
    """how often physics steps at least, Hz; a World takes the next multiple of its control rate"""
    steering: ClassVar[Steering | None] = None
    """how it is steered, if it goes anywhere"""
    standing: bool = True
    """whether it says that it stands; one that begins lying or seated says so when it is up"""
    every: int = 1
    """ticks of the world from one `act` to the next: a world with a faster behavior in it ticks faster than this one"""
    jitter: ClassVar[Jitter] = Jitter()
    """how far its starts of different seeds are apart"""

    def __init__(self, world: World, params: BaseParams | None = None, index: int = 0,
                 gains: BaseGains | None = None) -> None:
        self.world = world.believed  # the world itself, unless the body is varied
        self.index, self.figure = index, self.world.figures[index]
        self.params: Any = params if params is not None else self.Params()
        self.gains: Any = self._fit(gains)
        self.figure.anatomy.require(*self.needs)
        self.start()

    def _fit(self, gains: BaseGains | None) -> BaseGains | None:
        """Gains of its kind: those given, or the default ones."""
        if gains is None:
            return None if self.Gains is None else self.Gains()
        if self.Gains is None:
            raise BadInput(f"{self.name!r} has no gains; it takes params only")
        if not isinstance(gains, self.Gains):
            raise BadInput(f"{self.name!r} takes {self.Gains.__name__}; got {type(gains).__name__}")
        return gains

    @classmethod
    def scene(cls, seed: int) -> DefaultScene | None:
        """What it is shown in where the user names nothing: character, terrain, props, throws, start."""
        return None

    @classmethod
    def scene_of(cls, settings: Mapping[str, Any], seed: int, character: str | Character | None = None
                 ) -> DefaultScene | None:
        """The same where it depends on the settings of its parameters: who is in a motion that it follows.

        `character` is who does it, if the user says so.
        """
        return cls.scene(seed)

    @property
    def tick_length(self) -> float:
        """Seconds from one `act` to the next."""
        return self.every * self.world.tick_length

    def start(self) -> None:  # noqa: B027  most behaviors have something to set up, not all
        """Set up for the present state of the world; called at the beginning and after every reset."""

    @abstractmethod
    def act(self) -> np.ndarray | Controls:
        """Torques (N m) for this control tick, in the order of the figure's motors; or `Controls` of its actuators."""

    def failed(self, world: World | None = None) -> str | None:
        """Why it has failed, or None: its figure has fallen, from the moment it says that it stands.

        A behavior with another task states its own rule here. `world` is where to look, if that is not its own: it may
        compute on a body that it believes in, and is judged by the true one.
        """
        world = world or self.world
        return world.contacts.fallen(world.figures[self.index], self.uses) if self.standing else None

    @property
    def uses(self) -> tuple[str, ...]:
        """Roles besides the feet that may touch the ground now without it being a fall."""
        return ()

    def report(self) -> list[tuple[str, ...]]:
        """What it is doing now, a row (name, priority, weight, residual) an objective, for tables and the studio."""
        return []

    def outlook(self) -> Outlook | None:
        """What it plans ahead, if it does."""
        return None

    def notes(self) -> dict[str, float | str]:
        """Plan and reality of this tick by name, for `--explain`; empty if it does not plan."""
        return {}


BEHAVIORS: dict[str, type[Behavior]] = {}
RESERVED = ("name", "character", "behavior", "preset", "params", "actuators", "start", "pose", "x", "y", "yaw",
            "jitter")
"""What a figure's text (`runs/figure_text.py`) says besides parameters."""


def register(kind: type[Behavior]) -> type[Behavior]:
    """Class decorator: make a behavior known by its class name in lower case."""
    for info in kind.Params.describe():
        if info.name in RESERVED:
            raise BadInput(f"the behavior {kind.__name__.lower()!r} cannot have a parameter {info.name!r}, which means "
                           f"something else in --figure, as do {', '.join(RESERVED)}; give it another name")
    kind.name = kind.__name__.lower()
    kind.doc = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
    BEHAVIORS[kind.name] = kind
    return kind


def make_behavior(name: str, world: World, settings: Mapping[str, Any] | None = None, index: int = 0,
                  gains: BaseGains | None = None) -> Behavior:
    """A behavior by name for a figure of a world, with parameters given as values or text, and gains if not its own."""
    if name not in BEHAVIORS:
        raise unknown("behavior", name, BEHAVIORS)
    kind = BEHAVIORS[name]
    return kind(world, kind.Params.parse(dict(settings or {})), index, gains)
