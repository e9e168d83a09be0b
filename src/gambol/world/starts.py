"""How a figure begins: in which pose, where, facing which way, and how much its start differs by the seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gambol.bodies.character import Character
from gambol.bodies.poses import POSES, check_pose, floats, seat_height, sitting
from gambol.errors import BadInput
from gambol.params import Params, param, parse_settings, settings_text
from gambol.world.props import Chair, Prop
from gambol.world.terrain import Terrain


@dataclass(frozen=True)
class Jitter:
    """How far starts of different seeds are apart. A behavior that wants more than a little says so."""

    joints: float = 0.01
    """standard deviation of each joint's angle, rad; of who lies also of the trunk's roll and pitch"""
    rates: float = 0.05
    """standard deviation of each joint's rate, rad/s"""
    heading: float = 0.0
    """largest turn about the vertical, degrees, either way; who sits is not turned"""
    seat: float = 0.0
    """who sits is moved on the seat by at most this, m"""


ANYHOW = Jitter(joints=0.1, heading=180.0, seat=0.03)
"""For behaviors that begin on the floor or on a chair: joints far from alike, any heading, anywhere on the seat."""


@dataclass(frozen=True, eq=False)
class State:
    """A figure's joints at one moment, by name: to begin where a recording was. Equal if equal to the last bit."""

    joints: Mapping[str, tuple[np.ndarray, np.ndarray]]
    """joint -> its part of `qpos` and of `qvel`"""
    source: str
    """where it is from, for messages"""

    def _key(self) -> tuple[Any, ...]:
        return self.source, frozenset((name, *(np.asarray(part, dtype=float).tobytes() for part in parts))
                                      for name, parts in self.joints.items())

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, State) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


@dataclass
class Start(Params):
    """The start of one figure. Without a place it stands where the terrain begins, beside those that came before."""

    pose: str = param("standing", choices=POSES, doc="how it begins")
    x: float | None = None
    """where, m; None: where the terrain begins, of a state where it was recorded; who sits is where the chair is"""
    y: float | None = None
    yaw: float = param(0.0, unit="degrees", low=-360.0, high=360.0, doc="where it faces, to the left positive")
    jitter: float = param(1.0, low=0.0, high=100.0, doc="how much the start differs by the seed; 0: not at all")
    spread: Jitter = Jitter()
    """how much that is at a jitter of 1"""
    state: State | None = None
    """the moment of a Motion to begin at, instead of a pose; it has no jitter"""

    @property
    def stands(self) -> bool:
        """Whether it begins in the rest pose, on its feet."""
        return self.pose == "standing" and self.state is None

    @property
    def placed(self) -> bool:
        """Whether it is said where it begins or where it faces."""
        return self.x is not None or self.y is not None or self.yaw != 0.0

    @property
    def text(self) -> str:
        """The text that makes it again; of a recorded moment, where that is from."""
        own = {name: value for name in ("x", "y", "yaw", "jitter")
               if (value := getattr(self, name)) != getattr(type(self), name)}
        return ":".join(filter(None, (self.pose if self.state is None else self.state.source, settings_text(own))))

    @classmethod
    def parse(cls, settings: dict[str, Any] | str) -> Self:
        """From settings, or from text: a pose, and after a colon settings: `supine`, `standing:x=1,yaw=90`."""
        if isinstance(settings, str):
            pose, _, rest = settings.partition(":")
            if pose not in POSES:
                raise BadInput(f"unknown start {pose!r}; it takes {', '.join(POSES)} or a moment of a Motion, "
                               "FILE.npz@2.5")
            settings = {"pose": pose, **parse_settings(rest)}
        start = cls()
        for name, value in settings.items():
            start.set(name, value)
        return start

    def set(self, name: str, value: Any) -> None:
        """Change a setting; x and y are numbers in m."""
        if name not in ("x", "y"):
            super().set(name, value)
            return
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise BadInput(f"{name}={value!r} is not a number; it takes metres") from None
        if not abs(number) <= 1000.0:
            raise BadInput(f"{name}={number:g} is out of range; it takes -1000 to 1000 m")
        setattr(self, name, number)


def needed_props(starts: Sequence[Start], characters: Sequence[Character], props: Sequence[Prop],
                 terrain: Terrain, taken: Sequence[str] = ()) -> list[Prop]:
    """Chairs for those who sit and find none, at the height of their knees; poses that a body cannot take are refused.

    To be asked before a scene is compiled. Names that are `taken`, those of figures, are not given to chairs.
    """
    if len(starts) != len(characters):
        raise BadInput(f"{len(starts)} starts for {len(characters)} characters; give one for each")
    chairs = iter([prop for prop in props if isinstance(prop, Chair)])
    added: list[Prop] = []
    names = {*taken, *(prop.name for prop in props)}
    for start, character in zip(starts, characters, strict=True):
        check_pose(character, "standing" if start.state is not None else start.pose)
        _check_place(character, start)
        if start.state is not None or start.pose != "sitting":
            continue
        if (chair := next(chairs, None)) is not None:
            _check_seat(character, start, chair)
            continue
        name = next(name for k in range(1, 1000) if (name := "chair" if k == 1 else f"chair{k}") not in names)
        names.add(name)
        added.append(_chair(name, start, character, terrain, beside=len(added)))
    return added


def _check_place(character: Character, start: Start) -> None:
    """Refuse a place that a body cannot be brought to."""
    if start.placed and not floats(character):
        raise BadInput(f"{character.name!r} cannot be moved or turned: it is held by the world (a fixed root, or one "
                       "that lives in a plane); leave out its x, y and yaw")


def _check_seat(character: Character, start: Start, chair: Chair) -> None:
    """Refuse a place of who sits, unless the chair is there: a chair that was added for it is."""
    turned = 0.0 if start.yaw == 0.0 else (start.yaw - chair.yaw) % 360.0
    if turned or start.x not in (None, chair.x) or start.y not in (None, chair.y):
        raise BadInput(f"{character.name!r} sits on the chair {chair.name!r}; leave out x, y and yaw")


def _chair(name: str, start: Start, character: Character, terrain: Terrain, beside: int) -> Chair:
    """A chair of the size of a body, where its start says."""
    seat = max(seat_height(character), Chair.info("seat").low or 0.0)
    seated = sitting(character, seat, name)
    size = max(min(max(seat, seated.width), seated.calves - seated.back), Chair.info("size").low or 0.0)
    x, y = terrain.start[0] if start.x is None else start.x, terrain.start[1] + 1.2 * beside
    y = y if start.y is None else start.y
    legs = size / 2 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    ground = float(terrain.height(x + legs[:, 0], y + legs[:, 1]).max())
    return Chair(name=name, x=x, y=y, z=ground, yaw=start.yaw, seat=seat, size=size, back=seat)
