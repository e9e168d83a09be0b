"""What a controller takes for granted of what it stands on."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.gains import Gains
from gambol.params import param


@dataclass(frozen=True)
class SupportGains(Gains):
    """How far friction is counted on, and how loose props behave under a figure."""

    counted_on: float = param(0.7, low=0.05, high=1.0,
                              doc="share of the true friction that is counted on, so that feet do not slide when the "
                                  "controller errs")
    prop_rate: float = param(20.0, unit="1/s", low=1.0, high=200.0,
                             doc="how fast a loose prop that is stood on comes to rest")


USUAL = SupportGains()
