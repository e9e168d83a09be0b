"""Balance (in work)."""
from __future__ import annotations

from gambol.behaviors.behavior import register
from gambol.behaviors.stand import Stand


@register
class Balance(Stand):
    """keeps its balance when pushed"""
