"""Characters: what a World is populated with."""

from __future__ import annotations

from collections.abc import Callable

from gambol.bodies.actuation import ACTUATORS
from gambol.bodies.character import Character
from gambol.bodies.creatures.dinosaur import dinosaur
from gambol.bodies.creatures.human import human
from gambol.bodies.creatures.human44 import human44
from gambol.bodies.creatures.ostrich import ostrich
from gambol.bodies.creatures.people import asymmetric, child
from gambol.bodies.creatures.planar import chain, planar_biped
from gambol.bodies.creatures.quadruped import quadruped
from gambol.bodies.creatures.wide_biped import wide_biped
from gambol.errors import BadInput, unknown

CHARACTERS: dict[str, Callable[[], Character]] = {
    make.__name__: make for make in (
        human, human44, child, asymmetric, ostrich, dinosaur, quadruped, wide_biped, planar_biped, chain)}
"""The built-in characters, by name."""


def make_character(name: str) -> Character:
    """A fresh built-in character."""
    if name not in CHARACTERS:
        raise unknown("character", name, CHARACTERS)
    return CHARACTERS[name]()


def is_file(name: str) -> bool:
    """Whether a character's name is that of an MJCF file."""
    return name.endswith((".xml", ".mjcf")) or "/" in name


def find_character(name: str, actuators: str = "motors") -> Character:
    """A built-in character by name, or one from an MJCF file, there with motors or with the actuators of the `file`."""
    if is_file(name):
        return Character.from_mjcf(name, actuators=actuators)
    if actuators not in ACTUATORS:
        raise unknown("kind of actuators", actuators, ACTUATORS)
    character = make_character(name)
    if actuators != "motors":
        raise BadInput(f"{name!r} is built in and has motors; actuators=file is for a character from an MJCF file")
    return character
