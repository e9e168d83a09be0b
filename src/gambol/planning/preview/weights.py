"""How much each term of a preview counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Weights:
    """How much each term counts. The first row is Table 5.1, the second the dossier's, the third ours."""

    duration: float = 10.0
    length: float = 10.0
    heading: float = 5.0
    acceleration: float = 0.05
    leg: float = 60.0
    hip: float = 10.0

    limits: float = 200.0
    drift: float = 4.0
    unfit: float = 500.0

    climb: float = 10.0
    """no higher steps than need be"""
    clear: float = 100.0
    """no thrown ball passes near"""
    onward: float = 10.0
    """the capture point at the end of the preview is where the next step can catch it"""
    flight: float = 200.0
    """a flight that is wanted lasts as long as wanted"""
    speed: float = 12.0
    """a runner flies as fast as he goes"""
    advance: float = 400.0
    """two steps of a runner lead ahead by one at least: else he dances at an edge until he falls over it"""
    onto: float = 50.0
    """the same of a walker before a ledge"""
    rhythm: float = 60.0
    """as duration, of a runner's stance"""
    lift: float = 10.0
    """the last stance ends as fast upward as a flight needs, or does not sink"""
    straight: float = 4000.0
    """legs are not straight at take-off and landing"""
    strain: float = 60.0
    """a runner or jumper does not push harder than ankle and knee can"""
    lean: float = 200.0
    """no flat foot's ankle is bent further than it goes"""
    stride: float = 3.0
    """the step after the next one is as usual"""
    apart: float = 400.0
    reach: float = 1000.0
    owed: float = 20.0
    """the body is not left far below where the last foot wants it"""
    debt: float = 80.0
    """the same before a ledge: that step is taken now"""
    hurry: float = 100.0
    """no foothold that the swing foot cannot reach in time"""
    fall: float = 2.0
    """feet on the ground carry something"""
    push: float = 10.0
    """the spring does not pull"""
    bend: float = 0.08
    """legs bent further than this (of the length squared, m2) cost less than the square: stairs need it"""
    twist: float = 1.0
    """feet point where the hips do"""
    step: float = 0.1
    """a step is not taken for nothing"""
    turn: float = 0.01
    """hips do not turn to and fro"""
    middle: float = 0.4
    """the pressure is in the middle of a sole, seen across it: what is left of it catches errors"""
    calm: float = 0.002
    """the pressure point does not jump about"""
