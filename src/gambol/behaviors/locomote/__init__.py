"""Locomote: two steps planned ahead, over any ground."""

from gambol.behaviors.locomote.behavior import Locomote

__all__ = ["Locomote"]
