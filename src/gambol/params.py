"""Numbers a person may change: a dataclass whose fields know their unit, range and meaning.

Declared once, they are shown and checked everywhere without further code: `--set` on the command line,
sliders in the studio, `gambol list`, terrain specs.

    @dataclass
    class HopParams(Params):
        height: float = param(0.2, unit="m", low=0.0, high=0.6, doc="how high to hop")

Params are what a person asks for; gains (`gains.py`) are how a behavior does it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from gambol.errors import BadInput, unknown


@dataclass(frozen=True)
class ParamInfo:
    """What the world may know about one parameter."""

    name: str
    default: Any
    unit: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    doc: str

    @property
    def range_text(self) -> str:
        if self.choices:
            return " | ".join(self.choices)
        if isinstance(self.default, bool):
            return "true | false"
        if isinstance(self.default, str):
            return "text"
        return f"{self.low:g} to {self.high:g} {self.unit}".strip()

    def as_dict(self) -> dict[str, Any]:
        """As `gambol list --json` prints it."""
        return {"name": self.name, "default": self.default, "unit": self.unit, "low": self.low, "high": self.high,
                "choices": list(self.choices), "doc": self.doc}

    def parse(self, value: Any) -> Any:
        """Check a value, or text meant as one; return it with the type of the default."""
        if isinstance(self.default, bool):
            return _parse_bool(self.name, value)
        if self.choices:
            if value not in self.choices:
                raise unknown(f"value for {self.name}", str(value), self.choices)
            return value
        if isinstance(self.default, str):
            return _parse_text(self.name, value)
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise BadInput(f"{self.name}={value!r} is not a number; it takes {self.range_text}") from None
        if not math.isfinite(number):
            raise BadInput(f"{self.name}={value} is not a finite number; it takes {self.range_text}")
        if not (self.low is None or number >= self.low) or not (self.high is None or number <= self.high):
            raise BadInput(f"{self.name}={number:g} is out of range; it takes {self.range_text}")
        if isinstance(self.default, int):
            if number != round(number):
                raise BadInput(f"{self.name}={number:g} must be a whole number; it takes {self.range_text}")
            return int(number)
        return number


def param(default: Any, *, unit: str = "", low: float | None = None, high: float | None = None,
          choices: tuple[str, ...] = (), doc: str) -> Any:
    """A dataclass field that carries its unit, range and meaning; text without choices may be any."""
    if not choices and not isinstance(default, bool | str) and (low is None or high is None):
        raise TypeError("a number needs a range: give low and high")
    return field(default=default, metadata=dict(unit=unit, low=low, high=high, choices=choices,
                                                doc=" ".join(doc.split())))


@dataclass
class Params:
    """Base of every parameter set. Values may be changed at any time through `set`, which checks them."""

    @classmethod
    def describe(cls) -> list[ParamInfo]:
        return [ParamInfo(f.name, f.default, **f.metadata) for f in dataclasses.fields(cls) if f.metadata]

    @classmethod
    def info(cls, name: str) -> ParamInfo:
        for info in cls.describe():
            if info.name == name:
                return info
        raise unknown("parameter", name, (i.name for i in cls.describe()))

    @classmethod
    def parse(cls, settings: dict[str, Any]) -> Self:
        """Build from `{name: value or text}`, checking every entry."""
        params = cls()
        for name, value in settings.items():
            params.set(name, value)
        return params

    def set(self, name: str, value: Any) -> None:
        setattr(self, name, self.info(name).parse(value))

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def _parse_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{name}={value!r} is not text")
    return value


def _parse_bool(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).lower()
    if text in ("true", "yes", "on", "1"):
        return True
    if text in ("false", "no", "off", "0"):
        return False
    raise BadInput(f"{name}={value!r} must be true or false")


def settings_text(values: Mapping[str, Any]) -> str:
    """The text that `parse_settings` reads; numbers to the last bit."""
    return ",".join(f"{key}={number_text(value) if isinstance(value, float) else value}"
                    for key, value in values.items())


def number_text(value: float) -> str:
    """A number as short as it can be read back from, the same to the last bit."""
    return repr(float(value)).removesuffix(".0")


def parse_settings(text: str) -> dict[str, str]:
    """`key=value,key=value` to a dictionary. The one small grammar of pushes, terrains and `--set`."""
    settings: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = item.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise BadInput(f"{item!r} is not of the form key=value")
        if key.strip() in settings:
            raise BadInput(f"{key.strip()!r} is given twice in {text!r}")
        settings[key.strip()] = value.strip()
    return settings
