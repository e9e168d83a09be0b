"""The numbers of a jump. Lengths, times and speeds are an adult's; on another body they scale with its height."""

from __future__ import annotations

from dataclasses import dataclass, field

from gambol.control.contact.gains import SupportGains
from gambol.gains import Gains
from gambol.params import param


@dataclass(frozen=True)
class BearingGains(Gains):
    """How a jumper bears himself in a stage."""

    arms: float = param(0.0, unit="rad", low=-2.0, high=3.0, doc="arms forward")
    lean: float = param(0.0, unit="rad", low=-1.0, high=1.5, doc="trunk forward")
    toes: float = param(0.0, unit="rad", low=-1.0, high=1.2, doc="toes down")


@dataclass(frozen=True)
class StageGains(Gains):
    """The bearing of each stage, and how fast one follows from another."""

    standing: BearingGains = field(default=BearingGains())
    compression: BearingGains = field(default=BearingGains(arms=-0.7))
    thrust: BearingGains = field(default=BearingGains(1.4, 0.3, 0.6))
    ascent: BearingGains = field(default=BearingGains(1.2, 0.1, 0.35))
    descent: BearingGains = field(default=BearingGains(0.7, 0.2, -0.08))
    impact: BearingGains = field(default=BearingGains(0.3, 0.6, 0.0))
    rate: float = param(14.0, unit="1/s", low=1.0, high=60.0, doc="how fast arms, trunk and toes change over")
    most: float = param(150.0, unit="rad/s2", low=5.0, high=1000.0, doc="most acceleration of that")


@dataclass(frozen=True)
class CrouchGains(Gains):
    """Standing, and the way down before the thrust."""

    first: float = param(0.5, unit="s", low=0.0, high=5.0, doc="it stands so long before the first jump")
    still: float = param(0.05, unit="m/s", low=0.005, high=0.5, doc="slower than this it stands still")
    height_kp: float = param(100.0, unit="1/s2", low=1.0, high=600.0, doc="pull of the COM to its standing height")
    time: float = param(0.55, unit="s", low=0.2, high=2.0, doc="how long it crouches")
    lean: float = param(3.6, unit="rad/m", low=0.0, high=10.0,
                        doc="lean of the trunk for each metre of crouch: the ankles' range lets it no deeper without")
    windup: float = param(0.05, low=0.0, high=0.5, doc="it winds up by this share of the twist")
    forward: float = param(-0.03, unit="m", low=-0.1, high=0.1,
                           doc="the COM goes so far ahead of the middle of the feet")
    forward_share: float = param(0.12, low=0.0, high=0.5, doc="and by this share of the way to jump")


@dataclass(frozen=True)
class ThrustGains(Gains):
    """The thrust; heights are the COM's, above standing."""

    heel_off: float = param(-0.03, unit="m", low=-0.2, high=0.1, doc="height at which heels are let go")
    take_off: float = param(0.02, unit="m", low=-0.1, high=0.15, doc="height where it ends")
    toe_loss: float = param(0.1, unit="m/s", low=0.0, high=1.0,
                            doc="speed along the ground that the toes, pushing alone, take away again")
    calm: float = param(10.0, low=0.0, high=1000.0, doc="how much it counts that the body does not tumble")
    calm_time: float = param(0.05, unit="s", low=0.005, high=0.5,
                             doc="it counts in full when this time is left: the trunk swings up first")
    limit_rate: float = param(80.0, unit="1/s", low=5.0, high=200.0,
                              doc="how fast joints may run into their limits: legs straighten fast, and the usual "
                                  "bound would brake the knees in the middle of the thrust. Only there: ankles that "
                                  "run into their stops in a landing would be braked so hard that all motors are at "
                                  "their limits")
    heel_kp: float = param(600.0, unit="1/s2", low=10.0, high=2000.0, doc="stiffness of a heel that rises")
    heel_weight: float = param(3.0, low=0.0, high=100.0, doc="how much that counts")


@dataclass(frozen=True)
class FlightGains(Gains):
    """The flight."""

    bent: float = param(0.06, unit="m", low=0.0, high=0.3, doc="ankles are so much closer to the COM than in standing")
    legs_weight: float = param(0.3, low=0.0, high=10.0,
                               doc="how much the rest pose of the legs counts: it keeps knees from being caught "
                                   "straight")
    lead: float = param(0.6, unit="rad", low=0.0, high=1.5, doc="feet may be turned so much further than the hips")
    catch: float = param(0.25, unit="s", low=0.0, high=1.0, doc="they are put where the COM would be after this time")
    apart_for: float = param(0.75, low=0.2, high=1.0, doc="share of the flight in which legs go apart and together")
    ankle_kp: float = param(600.0, unit="1/s2", low=10.0, high=2000.0, doc="stiffness of the ankles' places")
    ankle_weight: float = param(100.0, low=0.1, high=1000.0, doc="how much they count")
    foot_kp: float = param(600.0, unit="1/s2", low=10.0, high=2000.0, doc="stiffness of how the feet are turned")
    foot_weight: float = param(10.0, low=0.1, high=1000.0, doc="how much that counts")


@dataclass(frozen=True)
class ImpactGains(Gains):
    """The impact, and a foot that has lost the ground."""

    softness: float = param(16.0, unit="m/s2", low=2.0, high=60.0, doc="deceleration of the COM")
    least_stroke: float = param(0.04, unit="m", low=0.005, high=0.2,
                                doc="least way in which it is stopped, whatever the body's size")
    most_stroke: float = param(0.3, unit="m", low=0.08, high=0.6, doc="most way")
    over: float = param(0.3, unit="m/s", low=0.0, high=2.0, doc="it is over when the COM sinks slower than this")
    feel: float = param(0.02, unit="m", low=0.0, high=0.2, doc="a foot that lost the ground feels for it so far down")
    feel_kp: float = param(100.0, unit="1/s2", low=10.0, high=2000.0, doc="with this stiffness")
    feel_weight: float = param(1.0, low=0.1, high=1000.0, doc="and this weight")


@dataclass(frozen=True)
class HeldGains(Gains):
    """What is held all the time: pressure, trunk, head, pose, calm."""

    capture_gain: float = param(4.0, unit="1/s", low=0.1, high=20.0,
                                doc="how fast the capture point is brought back over the feet")
    inside: float = param(0.1, low=0.0, high=0.4, doc="the pressure keeps so far inside the sole points, as a share of "
                                                      "the way across them")
    upright_kp: float = param(400.0, unit="1/s2", low=10.0, high=2000.0, doc="stiffness of hips, trunk and head")
    trunk_weight: float = param(10.0, low=0.1, high=1000.0, doc="how much hips and trunk count")
    head_weight: float = param(1.0, low=0.0, high=1000.0, doc="how much the head counts")
    head_lean: float = param(0.3, low=0.0, high=1.0, doc="the head leans by this share of the trunk's lean")
    hips_windup: float = param(0.5, low=0.0, high=1.0, doc="hips wind up by this share of what the trunk does")
    swing_weight: float = param(0.02, low=0.0, high=10.0,
                                doc="how much the rest pose of joints counts that bend and stretch the legs")
    plane_weight: float = param(0.2, low=0.0, high=10.0, doc="and of those that keep them in their plane")
    shoulder_kp: float = param(500.0, unit="1/s2", low=10.0, high=2000.0, doc="stiffness of the shoulders' pose")
    calm_rate: float = param(20.0, unit="1/s", low=1.0, high=100.0, doc="how fast angular momentum is taken out")
    tumble_weight: float = param(0.01, low=0.0, high=10.0, doc="how much that along the ground counts")
    spin_weight: float = param(0.1, low=0.0, high=10.0, doc="how much that about the vertical counts")


@dataclass(frozen=True)
class JumpGains(Gains):
    """How jump does what its Params ask for."""

    stages: StageGains = field(default=StageGains())
    crouch: CrouchGains = field(default=CrouchGains())
    thrust: ThrustGains = field(default=ThrustGains())
    flight: FlightGains = field(default=FlightGains())
    impact: ImpactGains = field(default=ImpactGains())
    held: HeldGains = field(default=HeldGains())
    support: SupportGains = field(default=SupportGains())
