"""The numbers of a walk. Lengths are for an adult; on another body they scale with its height, times with the root."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import radians

from gambol.behaviors.carriage import CarriageGains
from gambol.control.contact.gains import SupportGains
from gambol.control.pose_gains import WalkingPoseGains
from gambol.gains import Gains
from gambol.params import param
from gambol.planning.gait import GaitGains


@dataclass(frozen=True)
class BodyGains(Gains):
    """How the centre of mass is carried."""

    com_weight: float = param(1000.0, low=1.0, high=1e5,
                              doc="how much the COM along the ground counts; strict, it would leave a body on its "
                                  "toes no torque from the ground, and what swings a leg forward would turn the "
                                  "trunk")
    height_kp: float = param(100.0, unit="1/s2", low=1.0, high=600.0, doc="pull of the COM to its height")
    com_drop: float = param(0.12, low=0.0, high=0.4,
                            doc="how much lower than standing it walks, as a share, for steps of a metre; it goes "
                                "with their square")
    straight: float = param(0.97, low=0.8, high=1.0, doc="share of its length to which a leg may stretch")
    sinking: float = param(0.3, unit="m/s", low=0.0, high=1.0,
                           doc="how fast the COM sinks at the end of a swing if the foot would not reach the ground "
                               "otherwise")
    limit_rate: float = param(60.0, unit="1/s", low=5.0, high=200.0,
                              doc="how fast joints may run into their limits: a swinging knee must not brake far "
                                  "before it is straight")


@dataclass(frozen=True)
class FootGains(Gains):
    """How a foot goes through the air."""

    weight: float = param(200.0, low=1.0, high=5000.0, doc="how much the way of its middle counts")
    pitch_weight: float = param(20.0, low=0.1, high=1000.0, doc="how much its pitch counts")
    least_lift: float = param(0.03, unit="m", low=0.0, high=0.1,
                              doc="least height of its sole: feet that are told to skim the ground would stumble")
    lift_time: float = param(0.06, unit="s", low=0.01, high=0.3, doc="least time to get there")
    landing_speed: float = param(0.3, unit="m/s", low=0.0, high=1.5, doc="how fast it comes down")
    aim_below: float = param(0.01, unit="m", low=0.0, high=0.05,
                             doc="how far below the ground it aims, to land in time")
    late_braking: float = param(20.0, unit="1/s", low=1.0, high=100.0,
                                doc="how fast a foot that is late goes straight down")
    heel_first: float = param(0.7, unit="1/s", low=0.0, high=3.0,
                              doc="its slope when the heel lands, for each second that the toe is late")
    fold: float = param(0.5, unit="rad", low=0.0, high=1.5,
                        doc="how much more the knee is bent when the leg starts to swing: a straight leg cannot lift "
                            "its foot")
    folded_for: float = param(0.6, low=0.0, high=1.0, doc="share of the swing for which it is")
    heavy_swing: float = param(1.7, low=0.0, high=4.0,
                               doc="least time of a swing over sqrt(I / (m g e)): in this time the pressure at the "
                                   "edges e of the standing foot turns a leg of inertia I by 0.7 rad from rest to "
                                   "rest; a leg too heavy for that turns the trunk")
    point: float = param(0.05, unit="m", low=0.01, high=0.2,
                         doc="a foot shorter than twice this counts as one of that length for the time of a swing")


@dataclass(frozen=True)
class WalkGains(Gains):
    """How walk does what its Params ask for."""

    body: BodyGains = field(default=BodyGains())
    foot: FootGains = field(default=FootGains())
    gait: GaitGains = field(default=GaitGains())
    carriage: CarriageGains = field(default=CarriageGains())
    pose: WalkingPoseGains = field(default=WalkingPoseGains())
    support: SupportGains = field(default=SupportGains())
    turn_rate: float = param(radians(30.0), unit="rad/s", low=0.05, high=2.0, doc="how fast it turns when told to")
    lean_rate: float = param(0.15, unit="m/s", low=0.01, high=1.0, doc="how fast it leans when told to")
    under_way: float = param(0.2, unit="m/s", low=0.0, high=1.0,
                             doc="a figure that goes faster than this when it is told to walk is walking already")
    tumble_weight: float = param(0.01, low=0.0, high=1.0, doc="how much angular momentum along the ground counts")
    spin_weight: float = param(0.1, low=0.0, high=10.0, doc="how much angular momentum about the vertical counts")
    twist: float = param(0.25, low=0.0, high=1.0,
                         doc="hips turn with the legs, and shoulders against them, by this share of the angle "
                             "between the legs")
    hip_lean: float = param(0.6, low=0.0, high=3.0,
                            doc="pitch of the pelvis for a lean of the neck, as a share of the angle that it makes "
                                "with the COM: that moves too")
    trunk_lean: float = param(1.6, low=0.0, high=3.0, doc="pitch of the chest, likewise")
    most_sway: float = param(0.1, unit="m", low=0.0, high=0.3, doc="what a body can do of the sway of its hips")
    sway_kp: float = param(200.0, unit="1/s2", low=10.0, high=1000.0, doc="stiffness of the sway")
    sway_kv: float = param(28.0, unit="1/s", low=1.0, high=100.0, doc="damping of the sway")
    sway_weight: float = param(10.0, low=0.1, high=200.0, doc="how much the sway counts")
    most_head_turn: float = param(80.0, unit="degrees", low=0.0, high=120.0,
                                  doc="what a neck can do of a turn of the head")
    pocket_ahead: float = param(0.06, unit="m", low=-0.3, high=0.3, doc="where a pocket is from the pelvis: ahead")
    pocket_aside: float = param(0.2, unit="m", low=0.0, high=0.5, doc="to the side of its hand")
    pocket_up: float = param(-0.04, unit="m", low=-0.5, high=0.5, doc="up")
    pocket_kp: float = param(200.0, unit="1/s2", low=10.0, high=1000.0, doc="stiffness that keeps a hand in its pocket")
    pocket_weight: float = param(10.0, low=0.1, high=200.0, doc="how much that counts")
