"""Pushes: the only outside forces there are. A declared wrench, or a ball that is thrown.

Both come from a short text: `t=2,body=trunk,force=300:0:0,duration=0.1` and `t=2,body=trunk,mass=3,speed=8,bearing=90`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gambol.errors import BadInput, unknown
from gambol.params import number_text, parse_settings, settings_text
from gambol.units import GRAVITY

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Push:
    """A force and torque (world axes, N and N m) on the centre of mass of a part, for a while."""

    t: float
    body: str
    """a role (`trunk`) or a body's name"""
    force: Triple
    duration: float = 0.1
    torque: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _check("t", self.t, 0.0, 1e6, "s")
        _check("duration", self.duration, 1e-4, 1e6, "s")
        for name in ("force", "torque"):
            object.__setattr__(self, name, tuple(map(float, getattr(self, name))))  # an array has no one truth value
            for value in getattr(self, name):
                _check(name, value, -1e5, 1e5, "N")

    @property
    def wrench(self) -> np.ndarray:
        return np.array([*self.force, *self.torque])

    @property
    def text(self) -> str:
        """What `parse` reads."""
        return settings_text({"t": float(self.t), "body": self.body, "force": _colons(self.force),
                              "duration": float(self.duration), "torque": _colons(self.torque)})

    @staticmethod
    def parse(text: str) -> Push:
        settings = _settings("push", text, required=("t", "body", "force"), optional=("duration", "torque"))
        return Push(t=_number("t", settings["t"]), body=settings["body"], force=_triple("force", settings["force"]),
                    duration=_number("duration", settings.get("duration", "0.1")),
                    torque=_triple("torque", settings.get("torque", "0:0:0")))


@dataclass(frozen=True)
class Throw:
    """A ball thrown at a part: it starts `distance` away in direction `bearing` and flies so that it would hit."""

    t: float
    body: str = "trunk"
    mass: float = 3.0
    speed: float = 8.0
    """level, as who is hit sees it: the ball is thrown at where that will be, m/s"""
    bearing: float = 0.0
    """where it comes from, degrees from the character's front, counter-clockwise"""
    distance: float = 3.0
    radius: float = 0.1

    def __post_init__(self) -> None:
        for name, low, high, unit in (("t", 0, 1e6, "s"), ("mass", 0.01, 100, "kg"), ("speed", 0.5, 40, "m/s"),
                                      ("bearing", -360, 360, "degrees"), ("distance", 0.5, 20, "m"),
                                      ("radius", 0.02, 0.5, "m")):
            _check(name, getattr(self, name), low, high, unit)

    @property
    def text(self) -> str:
        """What `parse` reads."""
        return settings_text({name: value if name == "body" else float(value) for name, value in vars(self).items()})

    @staticmethod
    def parse(text: str) -> Throw:
        settings = _settings("throw", text, required=("t",),
                             optional=("body", "mass", "speed", "bearing", "distance", "radius"))
        numbers = {key: _number(key, value) for key, value in settings.items() if key != "body"}
        return Throw(body=settings.get("body", "trunk"), **numbers)

    def launch(self, target: np.ndarray, heading: float, going: np.ndarray,
               gravity: float = GRAVITY) -> tuple[np.ndarray, np.ndarray]:
        """Start position and velocity of a ballistic flight through a target that goes on; heading in radians."""
        angle = heading + math.radians(self.bearing)
        away = np.array([math.cos(angle), math.sin(angle), 0.0])
        flight = self.distance / self.speed
        velocity = -away * self.speed
        velocity[:2] += going[:2]
        velocity[2] += 0.5 * gravity * flight
        return target + away * self.distance, velocity


def _settings(kind: str, text: str, required: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, str]:
    settings = parse_settings(text)
    for key in settings:
        if key not in required + optional:
            raise unknown(f"{kind} setting", key, required + optional)
    for key in required:
        if key not in settings:
            raise BadInput(f"a {kind} needs {key}=...; got {text!r}")
    return settings


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput(f"{name}={text!r} is not a number") from None


def _triple(name: str, text: str) -> Triple:
    parts = text.split(":")
    if len(parts) != 3:
        raise BadInput(f"{name}={text!r} must be three numbers x:y:z, for example 200:0:0")
    x, y, z = (_number(name, part) for part in parts)
    return x, y, z


def _colons(triple: Triple) -> str:
    return ":".join(map(number_text, triple))


def _check(name: str, value: float, low: float, high: float, unit: str) -> None:
    if not math.isfinite(value) or not low <= value <= high:
        raise BadInput(f"{name}={value:g} is out of range; it takes {low:g} to {high:g} {unit}")
