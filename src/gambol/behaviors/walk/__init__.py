"""Walk: steps of a commanded length and duration on level ground."""

from gambol.behaviors.walk.behavior import Walk

__all__ = ["Walk"]
