"""The numbers of a preview: what its plans may be, what its terms measure by, how hard the planner looks.

Lengths, times and speeds are an adult's, as all of a preview. How much each term counts is in `weights.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gambol.gains import Gains
from gambol.params import param
from gambol.planning.preview.weights import Weights


@dataclass(frozen=True)
class ScheduleGains(Gains):
    """Which gaits a plan may use, and how long their phases last."""

    runs: float = param(1.9, unit="m/s", low=0.5, high=4.0,
                        doc="steps faster than this may be flights even if nobody asks for that")
    jog: float = param(1.0, unit="m/s", low=0.0, high=3.0, doc="runs begin at this speed; below, a runner may walk")
    insist: float = param(100.0, low=1.0, high=1000.0, doc="unless the flight counts this much: a jump")
    stand: float = param(0.8, unit="s", low=0.2, high=3.0, doc="how far ahead a standing body looks")
    double_least: float = param(0.06, unit="s", low=0.0, high=0.2,
                                doc="a walker has both feet on the ground for at least this long")
    double_most: float = param(0.6, unit="s", low=0.4, high=2.0, doc="most time left on both feet that stand now")
    swing_least: float = param(0.25, unit="s", low=0.05, high=0.4, doc="least time of a swing")
    lands_least: float = param(0.02, unit="s", low=0.001, high=0.1,
                               doc="least time left of a swing or a flight that has not ended yet")
    leaves_least: float = param(0.004, unit="s", low=0.001, high=0.1,
                                doc="least time left until take-off: a plan that is late must not put it off again "
                                    "and again")
    stance_least: float = param(0.12, unit="s", low=0.02, high=0.3,
                                doc="least time of a runner's stance, and of the last one of all: else the preview "
                                    "would end in free fall, where nothing is charged")
    stance_most: float = param(0.8, unit="s", low=0.4, high=2.0, doc="most time left on the stance foot")
    flight_least: float = param(0.05, unit="s", low=0.005, high=0.2, doc="a flight shorter than this is none")
    flight_most: float = param(0.6, unit="s", low=0.2, high=1.5, doc="most time in the air of the next flight")
    exchange_most: float = param(0.4, unit="s", low=0.2, high=1.5,
                                 doc="most time on both feet when the next one has landed")
    next_most: float = param(0.8, unit="s", low=0.3, high=2.0, doc="most time on that foot alone")
    end_most: float = param(0.12, unit="s", low=0.01, high=1.0, doc="most time in the air at the end of the preview")
    most_turn: float = param(8.0, unit="rad/s2", low=0.5, high=50.0, doc="most that it may turn faster")
    least_spring: float = param(-0.3, unit="m", low=-1.0, high=0.5,
                                doc="least rest length of the leg's spring over the ground: no force after a drop")
    most_spring: float = param(3.5, unit="m", low=1.5, high=6.0, doc="most of it: about three body weights")


@dataclass(frozen=True)
class LandingGains(Gains):
    """Where feet can land."""

    foot_speed: float = param(7.0, unit="m/s", low=1.0, high=20.0, doc="how fast a swinging foot can go")
    steep: float = param(6.2, low=0.0, high=20.0, doc="so many times slower up")
    down: float = param(2.3, low=0.0, high=20.0, doc="and down")
    climb: float = param(0.1, unit="m", low=0.0, high=0.4, doc="steps no higher or deeper than this cost nothing")
    ladder: float = param(0.2, unit="m", low=0.01, high=2.0,
                          doc="steps higher or deeper than that by much more than this cost less than the square: "
                              "some must be taken")
    owed: float = param(0.15, unit="m", low=0.0, high=1.0,
                        doc="the body may be this much lower at the end than it will be above the last foothold; more "
                            "must be paid later: without that a high step is always the next one")
    reach: float = param(0.5, low=0.1, high=1.5,
                         doc="a foot lands at most this far from the COM along each axis, as a share of the leg's "
                             "length")
    apart: float = param(0.1, unit="m", low=0.0, high=0.4, doc="least distance of a foot to its own side of the other")


@dataclass(frozen=True)
class StanceGains(Gains):
    """What legs that carry do."""

    unsteered: float = param(0.6, low=0.0, high=1.0,
                             doc="a body on its feet falls no faster than this share of gravity: they could not steer "
                                 "it")
    strains: float = param(1.0, unit="m/s", low=0.0, high=5.0,
                           doc="a walker who comes down faster than this does not push harder than his legs can, "
                               "either")
    weakest: float = param(0.3, low=0.05, high=1.0,
                           doc="least mean force, as a share of the weight, for which the pendulum is computed: below, "
                               "the spring would pull")


@dataclass(frozen=True)
class AimGains(Gains):
    """How far a plan may fall short of what is wanted."""

    drops: float = param(0.6, unit="m/s", low=0.0, high=3.0,
                         doc="a runner who lands lower may take off more slowly by so much")
    sinking: float = param(0.3, unit="m/s", low=0.0, high=2.0,
                           doc="a walker may sink this fast at the end of the preview")


@dataclass(frozen=True)
class ThreatGains(Gains):
    """Which balls count, and when."""

    passing: float = param(0.12, unit="s", low=0.01, high=1.0,
                           doc="a ball counts for about this long before and after it passes")
    farther: float = param(0.5, unit="s", low=0.0, high=3.0,
                           doc="how long the body may go on as at the end of the preview")
    slowest: float = param(1.0, unit="m/s", low=0.05, high=10.0, doc="a ball slower than this is none")
    horizon: float = param(1.5, unit="s", low=0.1, high=5.0, doc="nor is one that passes later than this")


@dataclass(frozen=True)
class RisingGains(Gains):
    """How much longer a leg gets by a heel that rises."""

    ahead: float = param(0.15, unit="m", low=0.0, high=0.5,
                         doc="a hip farther ahead of its ankle than this makes the heel rise, a jumper's sooner")
    rise: float = param(0.4, low=0.0, high=2.0, doc="by this share of the rest")
    most: float = param(0.08, unit="m", low=0.0, high=0.3, doc="up to so much")
    steep: float = param(0.55, low=0.0, high=2.0,
                         doc="on ground steeper than this a foot behind pushes with its toes while both stand: its "
                             "heel rises higher")
    steeper: float = param(0.25, low=0.01, high=2.0, doc="all of it on ground so much steeper")
    toe_off: float = param(0.07, unit="m", low=0.0, high=0.3, doc="by so much")
    down: float = param(0.1, unit="m", low=0.0, high=0.5,
                        doc="a foot that lands lower than the other by more than this lands on its toes: its ankle is "
                            "higher")
    tiptoe: float = param(0.5, low=0.0, high=2.0, doc="by this share of the rest")
    tiptoe_most: float = param(0.08, unit="m", low=0.0, high=0.3, doc="up to so much")
    comes_off: float = param(0.3, low=0.0, high=0.6,
                             doc="the heel begins to come off the ground when the pressure is here, heel 0 to toe 1")
    is_off: float = param(0.9, low=0.65, high=1.5, doc="and is off it when the pressure is here")


@dataclass(frozen=True)
class SoleGains(Gains):
    """Shares of a sole where the pressure may be."""

    back: float = param(0.7, low=0.1, high=1.0, doc="to the back")
    front: float = param(0.95, low=0.1, high=1.0, doc="to the front")
    sides: float = param(0.75, low=0.1, high=1.0, doc="to the sides")


@dataclass(frozen=True)
class SearchGains(Gains):
    """How hard the planner looks, and how faithful it is to what it has found."""

    cold_steps: int = param(8, low=1, high=50,
                            doc="steps of the optimiser without a plan at hand, and of a walker who weighs other plans "
                                "where the ground is not fit everywhere")
    event_steps: int = param(5, low=1, high=50, doc="when contacts have changed unforeseen")
    warm_steps: int = param(2, low=1, high=50, doc="and else")
    look_around: int = param(4, low=1, high=100,
                             doc="every so many plans, and when contacts have changed unforeseen, other gaits and "
                                 "footholds are weighed too")
    elsewhere: int = param(3, low=0, high=10,
                           doc="most patches of fit ground near by to start from where the ground is not fit "
                               "everywhere")
    onward: int = param(2, low=0, high=10, doc="and for each of them for the next foot")
    back: float = param(0.6, unit="m", low=0.0, high=2.0, doc="how far back along the way they are looked for")
    ahead: float = param(1.5, unit="m", low=0.1, high=3.0, doc="and how far ahead")
    near: float = param(0.6, unit="m", low=0.0, high=2.0,
                        doc="up to where they are near: of those that are not, only the next one ahead counts, for it "
                            "may be beyond a gap")
    fit: float = param(0.03, unit="m", low=0.0, high=0.2, doc="ground this far from fit counts as fit there")
    waits: float = param(0.4, unit="s", low=0.05, high=1.0,
                         doc="there, who stands on both feet may also push with both for so long from now: few small "
                             "steps of the optimiser do not get from a hasty step to that")
    then_swings: float = param(0.3, unit="s", low=0.05, high=1.0, doc="and then swing for so long")
    faithful: float = param(0.9, low=0.1, high=1.0,
                            doc="another gait must cost less than this share of the present one's to be taken up")
    steady: float = param(0.7, low=0.1, high=1.0,
                          doc="other footholds, while a foot is on its way, must cost less than this share")


@dataclass(frozen=True)
class PreviewGains(Weights):
    """All numbers of a preview: the weights of its terms, and the parts above."""

    schedule: ScheduleGains = field(default=ScheduleGains())
    landings: LandingGains = field(default=LandingGains())
    stances: StanceGains = field(default=StanceGains())
    aims: AimGains = field(default=AimGains())
    threats: ThreatGains = field(default=ThreatGains())
    rising: RisingGains = field(default=RisingGains())
    soles: SoleGains = field(default=SoleGains())
    search: SearchGains = field(default=SearchGains())


USUAL = PreviewGains()
