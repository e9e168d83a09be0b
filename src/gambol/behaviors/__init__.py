"""Behaviors: controllers by name. Importing this package registers all of them."""

from gambol.behaviors import balance, stand, walk
from gambol.behaviors.behavior import BEHAVIORS, Behavior, make_behavior, register

__all__ = ["BEHAVIORS", "Behavior", "balance", "make_behavior", "register", "stand", "walk"]
