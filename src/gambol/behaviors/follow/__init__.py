"""Follow: a Motion done again under physics, by a clock that waits and footholds that adapt."""

from gambol.behaviors.follow.behavior import Follow

__all__ = ["Follow"]
