"""How much each term of a preview counts."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.gains import Gains
from gambol.params import param


@dataclass(frozen=True)
class Weights(Gains):
    """How much each term counts.

    The first six are those of [delasa2011, table 5.1], which has 1 for `heading` and 10 for `leg`; `limits`, `unfit`
    and `clear` are there without a weight; all others are ours.
    """

    duration: float = param(10.0, low=0.0, high=1000.0, doc="steps last as long as wanted")
    length: float = param(10.0, low=0.0, high=1000.0, doc="steps are as long as wanted")
    heading: float = param(5.0, low=0.0, high=500.0, doc="it faces where it is told to")
    acceleration: float = param(0.05, low=0.0, high=5.0, doc="the COM is not thrown about")
    leg: float = param(60.0, low=0.0, high=6000.0, doc="legs are as long as they like to be")
    hip: float = param(10.0, low=0.0, high=1000.0, doc="hips stay over where they are at rest")
    limits: float = param(200.0, low=0.0, high=20000.0, doc="no leg is longer or shorter than it can be")
    drift: float = param(4.0, low=0.0, high=400.0, doc="it goes back to its track")
    unfit: float = param(500.0, low=0.0, high=50000.0, doc="feet land on fit ground")
    climb: float = param(10.0, low=0.0, high=1000.0, doc="no higher steps than need be")
    clear: float = param(100.0, low=0.0, high=10000.0, doc="no thrown ball passes near")
    onward: float = param(10.0, low=0.0, high=1000.0,
                          doc="the capture point at the end of the preview is where the next step can catch it")
    flight: float = param(200.0, low=0.0, high=20000.0, doc="a flight that is wanted lasts as long as wanted")
    speed: float = param(12.0, low=0.0, high=1200.0, doc="a runner flies as fast as he goes")
    advance: float = param(400.0, low=0.0, high=40000.0,
                           doc="two steps of a runner lead ahead by one at least: else he dances at an edge until he "
                               "falls over it")
    onto: float = param(50.0, low=0.0, high=5000.0, doc="the same of a walker before a ledge")
    rhythm: float = param(60.0, low=0.0, high=6000.0, doc="as duration, of a runner's stance")
    lift: float = param(10.0, low=0.0, high=1000.0,
                        doc="the last stance ends as fast upward as a flight needs, or does not sink")
    straight: float = param(4000.0, low=0.0, high=400000.0, doc="legs are not straight at take-off and landing")
    strain: float = param(60.0, low=0.0, high=6000.0,
                          doc="a runner or jumper does not push harder than ankle and knee can")
    lean: float = param(200.0, low=0.0, high=20000.0, doc="no flat foot's ankle is bent further than it goes")
    stride: float = param(3.0, low=0.0, high=300.0, doc="the step after the next one is as usual")
    apart: float = param(400.0, low=0.0, high=40000.0, doc="feet do not cross")
    reach: float = param(1000.0, low=0.0, high=100000.0, doc="footholds are within reach of the leg")
    owed: float = param(20.0, low=0.0, high=2000.0, doc="the body is not left far below where the last foot wants it")
    debt: float = param(80.0, low=0.0, high=8000.0, doc="the same before a ledge: that step is taken now")
    hurry: float = param(100.0, low=0.0, high=10000.0, doc="no foothold that the swing foot cannot reach in time")
    fall: float = param(2.0, low=0.0, high=200.0, doc="feet on the ground carry something")
    push: float = param(10.0, low=0.0, high=1000.0, doc="the spring does not pull")
    bend: float = param(0.08, unit="m2", low=0.001, high=10.0,
                        doc="legs bent further than this (of the length squared, m2) cost less than the square: "
                            "stairs need it")
    twist: float = param(1.0, low=0.0, high=100.0, doc="feet point where the hips do")
    step: float = param(0.1, low=0.0, high=10.0, doc="a step is not taken for nothing")
    turn: float = param(0.01, low=0.0, high=1.0, doc="hips do not turn to and fro")
    middle: float = param(0.4, low=0.0, high=40.0,
                          doc="the pressure is in the middle of a sole, seen across it: what is left of it catches "
                              "errors")
    calm: float = param(0.002, low=0.0, high=1.0, doc="the pressure point does not jump about")
