"""How a figure begins: in which pose, where, facing which way, and how much its start differs by the seed."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.params import Params, param

POSES = ("standing",)


@dataclass
class Start(Params):
    """The start of one figure. Without a place it stands where the terrain begins, beside those that came before."""

    pose: str = param("standing", choices=POSES, doc="how it begins")
    x: float | None = None
    """where, m; None: where the terrain begins"""
    y: float | None = None
    yaw: float = param(0.0, unit="degrees", low=-360.0, high=360.0, doc="where it faces, to the left positive")
    jitter: float = param(1.0, low=0.0, high=100.0, doc="how much the start differs by the seed; 0: not at all")
