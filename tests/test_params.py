"""Parameters check themselves: type, range, name."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gambol.errors import BadInput
from gambol.params import Params, param, parse_settings


@dataclass
class Hop(Params):
    height: float = param(0.2, unit="m", low=0.0, high=0.6, doc="how high")
    count: int = param(3, low=1, high=9, doc="how often")
    turn: bool = param(False, doc="whether to turn")
    style: str = param("calm", choices=("calm", "wild"), doc="how")


def test_text_becomes_typed_values() -> None:
    hop = Hop.parse({"height": "0.5", "count": "4", "turn": "yes", "style": "wild"})
    assert hop == Hop(height=0.5, count=4, turn=True, style="wild")


@pytest.mark.parametrize(("name", "value", "words"), [
    ("height", "0.7", "0 to 0.6 m"), ("height", "nan", "finite"), ("height", "inf", "finite"),
    ("height", "tall", "not a number"), ("height", "-0.1", "out of range"), ("count", "2.5", "whole number"),
    ("turn", "maybe", "true or false"), ("style", "wilt", "did you mean 'wild'"),
    ("heigth", "0.1", "did you mean 'height'")])
def test_bad_values_are_refused_with_the_fix(name: str, value: str, words: str) -> None:
    hop = Hop()
    with pytest.raises(BadInput, match=words):
        hop.set(name, value)
    assert hop == Hop()


def test_a_number_without_a_range_cannot_be_declared() -> None:
    with pytest.raises(TypeError, match="range"):
        param(1.0, doc="no range")


@pytest.mark.parametrize("text", ["a", "a=", "=1", "a=1,a=2"])
def test_settings_text_must_be_key_value_pairs(text: str) -> None:
    with pytest.raises(BadInput):
        parse_settings(text)


def test_settings_text() -> None:
    assert parse_settings(" a=1 , b=x:y ") == {"a": "1", "b": "x:y"}
    assert parse_settings("") == {}
