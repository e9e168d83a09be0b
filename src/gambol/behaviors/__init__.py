"""Behaviors: controllers by name. Importing this package registers all of them."""

from gambol.behaviors import balance, follow, jump, locomote, stand, walk
from gambol.behaviors.behavior import BEHAVIORS, Behavior, Outlook, Steering, make_behavior, register

__all__ = ["BEHAVIORS", "Behavior", "Outlook", "Steering", "balance", "follow", "jump", "locomote",
           "make_behavior", "register", "stand", "walk"]
