"""The numbers of locomote. Lengths, times and speeds are an adult's; on another body they scale with its height."""

from __future__ import annotations

from dataclasses import dataclass, field

from gambol.behaviors.limbs import LimbGains
from gambol.behaviors.locomote.perception import SenseGains
from gambol.behaviors.locomote.posture import PostureGains
from gambol.behaviors.locomote.swing import SwingGains
from gambol.control.contact.gains import SupportGains
from gambol.gains import Gains
from gambol.params import param
from gambol.planning.contact_phase import StrideGains
from gambol.planning.footholds import FootholdGains
from gambol.planning.preview.gains import PreviewGains
from gambol.planning.step_targets import StepGains


@dataclass(frozen=True)
class DriveGains(Gains):
    """How the legs carry the centre of mass along the plan, and back to it."""

    height_kp: float = param(100.0, unit="1/s2", low=1.0, high=600.0, doc="pull of the COM to its planned height")
    height_weight: float = param(1000.0, low=1.0, high=1e5, doc="how much the height counts")
    com_weight: float = param(10.0, low=0.1, high=1e4, doc="how much the COM along the ground counts, a level above")
    capture_gain: float = param(1.5, low=0.0, high=10.0,
                                doc="how much of its deviation from the plan the capture point's pressure makes up "
                                    "for between two plans")
    falling: float = param(0.8, low=0.0, high=1.0,
                           doc="most that the planned COM may fall, as a share of gravity, while a foot carries")
    inside: float = param(0.9, low=0.3, high=1.0,
                          doc="share of the area between the sole points where the pressure may be")
    bears: float = param(0.015, unit="m", low=0.0, high=0.1,
                         doc="points of a standing sole that are higher than this above the ground carry nothing: a "
                             "foot may rock on an edge")
    limit_rate: float = param(60.0, unit="1/s", low=5.0, high=200.0,
                              doc="how fast joints may run into their limits: a swinging knee must not brake far "
                                  "before it is straight")


@dataclass(frozen=True)
class HeelGains(Gains):
    """When the heel of the standing foot rises."""

    toes: float = param(0.02, unit="m", low=0.0, high=0.2,
                        doc="a pressure point this near the line of the toes lets it rise")
    ankle_room: float = param(0.12, unit="rad", low=0.0, high=0.5,
                              doc="an ankle this near its stop lets it rise: held flat, the foot would stop the knee "
                                  "and throw the body")
    nearly: float = param(0.05, unit="m", low=0.0, high=0.3,
                          doc="but only if the body is no farther than this behind the toes")
    loaded: float = param(0.08, unit="m", low=0.0, high=0.3,
                          doc="and not while the body rises and the pressure is wanted farther than this behind "
                              "them: such a foot drives the body on with all of its sole")
    on_heels: float = param(0.5, unit="m/s", low=0.0, high=3.0,
                            doc="a runner who comes down faster than this stays on his heels: his ankle alone could "
                                "not stop him")


@dataclass(frozen=True)
class LocomoteGains(Gains):
    """How locomote does what its Params ask for."""

    drive: DriveGains = field(default=DriveGains())
    heel: HeelGains = field(default=HeelGains())
    swing: SwingGains = field(default=SwingGains())
    posture: PostureGains = field(default=PostureGains())
    limbs: LimbGains = field(default=LimbGains())
    senses: SenseGains = field(default=SenseGains())
    steps: StepGains = field(default=StepGains())
    strides: StrideGains = field(default=StrideGains())
    footholds: FootholdGains = field(default=FootholdGains())
    support: SupportGains = field(default=SupportGains())
    preview: PreviewGains = field(default=PreviewGains())
    deviation: float = param(0.02, unit="m", low=0.001, high=0.2,
                             doc="a capture point this far from the plan asks for a new one")
    hard: float = param(2.0, unit="m/s", low=0.5, high=5.0, doc="a runner who comes down faster than this walks on")
    crouched: float = param(0.75, unit="m", low=0.3, high=1.0, doc="one who is lower than this walks on, too")
    most_astray: float = param(0.4, unit="rad", low=0.05, high=1.5,
                               doc="most that the planned heading may be ahead of the real one")
    first_hop: float = param(0.05, unit="m", low=0.0, high=0.3,
                             doc="the first hop from standing is no higher than this")
    aside: float = param(0.15, unit="m", low=0.0, high=1.0, doc="most that it goes back to its track in two steps")
