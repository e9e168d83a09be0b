"""Gains: the numbers by which a behavior does what its Params ask for: stiffnesses, weights, thresholds, times.

    @dataclass(frozen=True)
    class HopGains(Gains):
        stiffness: float = param(200.0, unit="1/s2", low=20.0, high=800.0, doc="pull of the legs")
        landing: LandingGains = LandingGains()      # gains may hold gains

They are frozen: a behavior holds one set from its start on. A search sees them as a vector with bounds, a file and an
ablation as a dictionary; those of a part are called by its name, a dot, and their own name: `landing.stiffness`.
Flags (true or false) are part of the dictionary and not of the vector.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gambol.errors import BadInput, unknown
from gambol.params import ParamInfo


@dataclass(frozen=True)
class Gains:
    """Base of every set of gains."""

    @classmethod
    def describe(cls) -> list[ParamInfo]:
        """What there is to know about each of them, in the order of the vector; parts by dotted names."""
        return [dataclasses.replace(info, name=name) for name, info in _walk(cls())]

    def as_dict(self) -> dict[str, float | bool]:
        """By name."""
        return {info.name: _get(self, info.name) for info in self.describe()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The default gains with some of another value; BadInput if a name or a value is not fit."""
        return cls().changed(values)

    def changed(self, values: Mapping[str, Any]) -> Self:
        """These gains with some of another value, checked."""
        infos = {info.name: info for info in self.describe()}
        for name in values:
            if name not in infos:
                raise unknown(f"gain of {type(self).__name__}", str(name), infos)
        return _with(self, {name: _parsed(infos[name], value) for name, value in values.items()})

    def changes(self) -> dict[str, float | bool]:
        """Those that are not as they are by default, by name."""
        usual = type(self)().as_dict()
        return {name: value for name, value in self.as_dict().items() if value != usual[name]}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Of the numbers in the vector."""
        return tuple(info.name for info in cls.describe() if not isinstance(info.default, bool))

    def vector(self) -> np.ndarray:
        """All numbers, (n,)."""
        return np.array([_get(self, name) for name in self.names()])

    @classmethod
    def from_vector(cls, vector: Sequence[float] | np.ndarray) -> Self:
        """Gains with these numbers, checked; flags as they are by default."""
        names = cls.names()
        if np.shape(vector) != (len(names),):
            raise BadInput(f"{cls.__name__} has {len(names)} numbers; got an array of shape {np.shape(vector)}")
        return cls.from_dict(dict(zip(names, np.asarray(vector, dtype=float).tolist(), strict=True)))

    @classmethod
    def bounds(cls) -> np.ndarray:
        """Lowest and highest value of each number, (2, n)."""
        numbers = [info for info in cls.describe() if not isinstance(info.default, bool)]
        return np.array([[info.low for info in numbers], [info.high for info in numbers]], dtype=float)


def _walk(gains: Gains) -> Iterator[tuple[str, ParamInfo]]:
    """Every number and flag, parts in their place."""
    for field in dataclasses.fields(gains):
        value = getattr(gains, field.name)
        if isinstance(value, Gains):
            yield from ((f"{field.name}.{name}", info) for name, info in _walk(value))
        else:
            yield field.name, ParamInfo(field.name, value, **field.metadata)


def _parsed(info: ParamInfo, value: Any) -> Any:
    """A checked value; true and false are no numbers."""
    if isinstance(value, bool) and not isinstance(info.default, bool):
        raise BadInput(f"{info.name}={value} is not a number; it takes {info.range_text}")
    return info.parse(value)


def _get(gains: Gains, name: str) -> Any:
    value: Any = gains
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _with(gains: Gains, values: Mapping[str, Any]) -> Any:
    """The same with some of another value, names dotted."""
    own = {name: value for name, value in values.items() if "." not in name}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        part, dot, rest = name.partition(".")
        if dot:
            parts.setdefault(part, {})[rest] = value
    return dataclasses.replace(gains, **own, **{part: _with(getattr(gains, part), new) for part, new in parts.items()})
