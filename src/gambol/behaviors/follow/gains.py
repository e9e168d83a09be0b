"""The numbers of following. Lengths are an adult's; on another body they scale with its height."""

from __future__ import annotations

from dataclasses import dataclass, field

from gambol.control.contact.gains import SupportGains
from gambol.gains import Gains
from gambol.params import param


@dataclass(frozen=True)
class ClockGains(Gains):
    """How the phase clock goes by contacts."""

    waits: bool = param(True, doc="whether it goes by contacts at all, or runs on whatever happens")
    early: float = param(0.75, low=0.0, high=1.0, doc="a foot may land from this share of its swing on")
    early_points: int = param(2, low=1, high=8, doc="... with so many points of its sole")
    early_rate: float = param(1.6, low=1.0, high=4.0, doc="how fast the clock goes then, to catch up with it")
    late_rate: float = param(0.2, low=0.0, high=1.0, doc="how fast it goes while a foot is late")
    wait: float = param(0.12, unit="s", low=0.0, high=1.0, doc="longest wait for it")
    forgive: float = param(0.2, low=0.0, high=1.0, doc="share of time on the ground by which waiting is forgiven")
    fresh: float = param(0.08, unit="s", low=0.0, high=0.5, doc="who landed in the reference no longer ago may be late")
    hasten: float = param(1.0, low=0.0, high=3.0, doc="how much faster it may go on all feet, when the pressure point "
                                                      "cannot be where it is wanted: the next step then comes sooner")
    hasten_from: float = param(0.03, unit="m", low=0.0, high=0.3, doc="from so far out of reach on")
    hasten_over: float = param(0.1, unit="m", low=0.01, high=0.5, doc="and fully when it is so much farther")
    hasten_before: float = param(0.6, unit="s", low=0.0, high=5.0, doc="if a foot lifts within this time")


@dataclass(frozen=True)
class FootholdGains(Gains):
    """How footholds adapt."""

    adapt: float = param(1.0, low=0.0, high=2.0, doc="share of the capture error that a step takes up; 0: footholds "
                                                     "stay where the reference has them")
    most: float = param(0.6, unit="m", low=0.0, high=1.5, doc="most that a step is moved")
    back: float = param(0.03, unit="m", low=0.0, high=0.3, doc="so much a step goes back toward the path, in calm")
    calm: float = param(0.05, unit="m", low=0.0, high=0.5, doc="it is calm while the capture error is less than this")
    pace: float = param(4.0, unit="m/s", low=0.1, high=20.0, doc="how fast the goal of a step may move")
    apart: float = param(0.02, unit="m", low=-0.1, high=0.3, doc="least way between the places of both feet, sideways")
    decided: float = param(0.04, unit="s", low=0.0, high=0.3, doc="a step is not changed any more when it is so near")
    ahead: float = param(0.5, unit="s", low=0.1, high=1.0, doc="an error grows by itself for at most this long")
    there: float = param(0.85, low=0.3, high=1.0, doc="share of a swing after which a foot is where it goes")
    settle: float = param(0.05, unit="s", low=0.004, high=1.0, doc="how fast the reference glides to where feet stand")
    fade: float = param(0.16, unit="s", low=0.0, high=0.5, doc="a foot counts fully so long after landing and before "
                                                               "lifting")


@dataclass(frozen=True)
class ComGains(Gains):
    """The centre of mass."""

    gain: float = param(3.0, low=0.0, high=20.0, doc="capture error to shift of the pressure point, besides 1")
    height_kp: float = param(100.0, unit="1/s2", low=1.0, high=600.0, doc="pull to the height of the reference")
    weight: float = param(30.0, low=0.1, high=1000.0, doc="how much it counts, a priority above the rest")
    inside: float = param(0.95, low=0.1, high=1.0, doc="share of the area between the points that carry where the "
                                                       "pressure may go")
    turning: float = param(1.0, low=0.0, high=2.0, doc="how much of what the planned turning takes of it is minded")
    brake: float = param(4.0, unit="1/s", low=0.5, high=20.0, doc="after the end: how fast it goes over the feet")


@dataclass(frozen=True)
class PartGains(Gains):
    """Turns of the parts, feet in the air, angular momentum, pose."""

    turn_kp: float = param(200.0, unit="1/s2", low=10.0, high=2000.0, doc="stiffness of hips, chest and head")
    turn_weight: float = param(10.0, low=0.01, high=200.0, doc="how much hips and chest count")
    head: float = param(0.3, low=0.0, high=5.0, doc="how much the head counts against these")
    swing_kp: float = param(900.0, unit="1/s2", low=50.0, high=3000.0, doc="stiffness of a foot in the air")
    swing_weight: float = param(60.0, low=0.1, high=1000.0, doc="how much its place counts")
    foot_turn_weight: float = param(10.0, low=0.1, high=200.0, doc="how much its turn counts")
    press: float = param(0.02, unit="m", low=0.0, high=0.1, doc="a foot that is late is looked for so far below")
    press_speed: float = param(0.3, unit="m/s", low=0.0, high=1.0, doc="... and goes there so fast")
    momentum_rate: float = param(5.0, unit="1/s", low=0.5, high=60.0, doc="how fast angular momentum is brought to the "
                                                                         "reference's")
    momentum_weight: float = param(0.1, low=0.0, high=10.0, doc="how much it counts")
    pose_kp: float = param(300.0, unit="1/s2", low=10.0, high=2000.0, doc="stiffness of the pose")
    leg_weight: float = param(0.02, low=0.0, high=1.0, doc="how much legs count: little, they are told by feet and COM")
    rest_weight: float = param(1.0, low=0.0, high=20.0, doc="how much all other joints count")


@dataclass(frozen=True)
class FallGains(Gains):
    """When it has lost its reference."""

    touch: float = param(0.3, unit="s", low=0.0, high=2.0, doc="a part may touch if the reference does so within this")
    below: float = param(0.25, unit="m", low=0.05, high=1.0, doc="the COM may be so far below the reference's")


@dataclass(frozen=True)
class FollowGains(Gains):
    """All of them."""

    limit_rate: float = param(20.0, unit="1/s", low=5.0, high=200.0, doc="how fast joints may run into their limits; "
                                                                         "at 60 hips brake with all their strength")
    clock: ClockGains = field(default=ClockGains())
    footholds: FootholdGains = field(default=FootholdGains())
    com: ComGains = field(default=ComGains())
    parts: PartGains = field(default=PartGains())
    fall: FallGains = field(default=FallGains())
    support: SupportGains = field(default=SupportGains())
