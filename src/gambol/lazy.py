"""A property that is computed when it is first asked for, then kept: `functools.cached_property` without its lock.

Up to Python 3.11 that lock costs more than many of the values; a control tick has dozens of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):
    """Decorator of a method without arguments. To compute it anew, pop it from the object's `__dict__`."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> lazy[T]: ...

    @overload
    def __get__(self, owner: object, kind: type) -> T: ...

    def __get__(self, owner: object | None, kind: type) -> T | lazy[T]:
        if owner is None:
            return self
        value = owner.__dict__[self.name] = self.compute(owner)
        return value
