"""Locomote: plan two steps ahead, follow the first instant, plan again [delasa2011, chapter 5].

| priority | objective | reference |
|---|---|---|
| 1 | contact | the sole points of the feet that carry |
| 2 | com, along the ground | the acceleration that follows from the planned pressure point |
| 3 | com height | the planned leg spring |
| 3 | swing | heel and toe go to the planned foothold, over what is in between (`swing.py`) |
| 3 | root, trunk, head | upright, turning as planned (`posture.py`) |
| 3 | angular momentum, pose, arms | calm; rest pose; arms swing against the legs |

All in one weighted problem, as published; strict priorities are a parameter away. What it plans from is in
`perception.py`; how it plans: docs/locomote.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.behaviors.behavior import Outlook, Steering, register
from gambol.behaviors.limbs import Limbs
from gambol.behaviors.locomote.gains import LocomoteGains
from gambol.behaviors.locomote.perception import Senses, place_of
from gambol.behaviors.locomote.posture import Bearing
from gambol.behaviors.locomote.swing import Flight, Swing
from gambol.behaviors.whole_body import WholeBodyBehavior
from gambol.control.backends.whole_body import WholeBodyQP
from gambol.control.contact.objectives import hold_contacts, props_rest
from gambol.control.contact.patches import PatchState, patch_states
from gambol.control.contact.support import support_points
from gambol.control.objectives import Objective
from gambol.control.solvers import SOLVERS
from gambol.features import Kinematics
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.planning import capture, step_targets
from gambol.planning.contact_phase import Event, Strides
from gambol.planning.footing import turned
from gambol.planning.preview.heels import tiptoe
from gambol.planning.preview.plan import Moment, Plan
from gambol.planning.preview.planner import Planner
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Goals, Situation, Support
from gambol.units import GRAVITY
from gambol.world.walkable import walkable

TICK = 1.0 / 250.0
"""`replan` counts in these, s, at whatever rate it acts."""
OUTLOOK = 24
"""Points of the drawn path."""


@dataclass(frozen=True)
class Drive:
    """How the legs should drive the COM at a tick."""

    pressure: np.ndarray
    """(2,) where the pressure point should be, wherever the feet are, m"""
    up: float
    """vertical acceleration of the COM, m/s2"""
    rate: float
    """natural rate of the pendulum on that pressure point, 1/s"""


@register
class Locomote(WholeBodyBehavior):
    """walks, runs, stands and jumps over any ground by planning two steps ahead; goals may change at any time

    Lengths, times and speeds in Params are an adult's; on another body they scale with its height.
    """

    needs = ("root", "trunk", "feet")
    steering = Steering(heading="heading", pace="speed", direction="direction")

    @dataclass
    class Params(BaseParams):
        speed: float = param(1.2, unit="m/s", low=0.0, high=3.5, doc="how fast it goes; 0 stands")
        gait: str = param("any", choices=("any", "walk", "run"), doc="whether it may run, must, or must not")
        heading: float = param(0.0, unit="degrees", low=-180.0, high=180.0, doc="where it faces")
        direction: float = param(0.0, unit="degrees", low=-180.0, high=180.0,
                                 doc="which way it goes, from where it faces; 180 is backwards")
        jump: float = param(0.0, unit="m", low=0.0, high=0.5, doc="how high it flies in every step; 0 does not ask")
        step_length: float = param(0.0, unit="m", low=0.0, high=1.4, doc="length of a step; 0 leaves it to the speed")
        step_duration: float = param(0.0, unit="s", low=0.0, high=0.9,
                                     doc="time of a step on the ground; 0 leaves it to the speed")
        dodge: float = param(0.6, unit="m", low=0.0, high=1.0,
                             doc="how far from a thrown ball's path it wants to be; 0 does not dodge")
        replan: int = param(8, low=1, high=100, doc="ticks of 4 ms from plan to plan")
        when: str = param("always", choices=("always", "ticks", "contacts", "deviation"),
                          doc="plan every so many ticks, when contacts change, when off the plan; always is all three")
        solver: str = param("weighted", choices=tuple(SOLVERS), doc="one weighted problem, or strict priorities")

    presets = {name: {"speed": speed, "jump": jump, "gait": "any", "step_length": 0.0, "step_duration": 0.0}
               for name, speed, jump in [("stand", 0.0, 0.0), ("walk", 1.2, 0.0), ("run", 2.5, 0.0),
                                         ("jump", 0.5, 0.1)]}

    Gains = LocomoteGains
    gains: LocomoteGains

    def make_back_end(self) -> WholeBodyQP:
        return WholeBodyQP(self.params, self.gains.drive.limit_rate)

    def start(self) -> None:
        super().start()
        figure, gains = self.figure, self.gains
        self._measure()
        self.strides = Strides(self.world.time, figure.com, self.limbs.size, gains.strides)
        every = patch_states(self.kinematics.refresh(), self.world.surfaces)
        self.strides.join(self.world.time, [every[k].touches for k in self.limbs.order])
        self.senses = Senses(self.world, self.limbs, self.strides, self.kinematics, gains)
        self.planner = Planner(gains.preview)
        self.plan: Plan | None = None
        self.planned, self.age = self.world.time, 0
        self.yaw, self.turning = figure.heading, 0.0
        self.track = (self._way(), figure.com[:2])
        self.trim, self.wanted, self.stepped = step_targets.Trim(gains.steps), self._wanted(), False
        self.low = False
        """whether it is a runner who is low or lands hard"""

    def _measure(self) -> None:
        """All that depends on the body's shape; taken anew when it grows."""
        gains = self.gains
        self.limbs = Limbs(self.figure, self.name, gains.limbs)
        self.bearing = Bearing(self.limbs, gains.posture, self.tick_length)
        self.swing = Swing(self.limbs, walkable(self.world.surfaces, self.figure), gains.swing, self.bearing.carriage)

    def resized(self) -> None:
        before = self.limbs.size
        self._measure()
        self.strides.resize(self.limbs.size)
        self.planner.resized(before / self.limbs.size)
        self.senses.limbs = self.limbs

    @property
    def steps(self) -> int:
        """Steps made so far."""
        return self.strides.steps

    def act(self) -> np.ndarray:
        kinematics, time = self.sense(), self.world.time
        felt = self.senses.soles()
        plan = self._follow(kinematics, felt)  # contacts may change here
        soles = self.senses.carrying(felt)
        moment = plan.at((time - self.planned) / self.limbs.pace)
        self.yaw, self.turning = moment.yaw, moment.turning
        drive = self._drive(kinematics, moment, soles)
        if drive is not None and self._heel_rises(soles, drive, moment):
            self.strides.on_toes = True  # until the next foot lands
        states = self.strides.states(time, plan.gait is Gait.STAND)
        bears = self.gains.drive.bears * self.limbs.size
        held = [state.held(sole) & (sole.height < bears)
                for state, sole in zip(states, soles, strict=True)]
        support = support_points(soles, held, self.gains.support)
        objectives = [*([] if drive is None else self._carry(kinematics, drive, soles)),
                      *self._swing(kinematics, soles, plan),
                      *self.bearing.held(kinematics, soles, plan, moment, self.strides, self.low)]
        if support.count:
            objectives += [hold_contacts(support), *props_rest(support)]
        return self.back_end.torques(kinematics, support, objectives)

    # -- planning --------------------------------------------------------------------------------------------------

    def _follow(self, kinematics: Kinematics, soles: list[PatchState]) -> Plan:
        """The plan at hand, or a new one if it is due."""
        time, strides, plan = self.world.time, self.strides, self.plan
        if plan is None:
            self._look(soles)
            return self._make_plan(kinematics, soles)
        since, before = time - self.planned, strides.support
        began, origin = strides.exchanged, strides.origin
        event = strides.event(time, since + 0.5 * self.tick_length, plan, self.senses.carrying(soles),
                              kinematics.com)
        self.age += 1
        if event is None and not self._due(kinematics, plan, since):
            return plan
        self.planner.passed(since / self.limbs.pace, before)
        if event is Event.LANDED:
            self.planner.exchanged()
            self._look(soles)
            if self.stepped:  # the first step from standing is another one
                self._learn(kinematics.com[:2] - origin, time - began)
            self.stepped = True
        return self._make_plan(kinematics, soles, self._effort(event))

    def _effort(self, event: Event | None) -> int | None:
        """Steps of the optimiser for a change of contacts: a lift as planned is no surprise on even ground."""
        surprising = event is not None and (event is not Event.LIFTED or self.senses.ground.unfit is not None)
        return self.gains.preview.search.event_steps if surprising else None

    def _learn(self, travelled: np.ndarray, time: float) -> None:
        """Compare the speed of the last step with what was wanted."""
        way = self._way()
        speed = float(travelled @ [np.cos(way), np.sin(way)]) / max(time, 0.1 * self.limbs.pace) / self.limbs.pace
        self.trim.stepped(self.params.speed * self.senses.care, speed)

    def _wanted(self) -> tuple[object, ...]:
        params = self.params
        return params.speed, params.gait, params.jump, self._way(), params.step_length, params.step_duration

    def _due(self, kinematics: Kinematics, plan: Plan, since: float) -> bool:
        when = self.params.when
        old = self.age >= round(self.params.replan * TICK / self.tick_length)
        if when in ("always", "ticks") and old:
            return True
        if when == "contacts":  # a foot that is late needs news all the same
            return old and since > plan.lands * self.limbs.pace > 0.0
        most = self.gains.deviation * self.limbs.size
        return when in ("always", "deviation") and self._astray(kinematics, plan, since) > most

    def _astray(self, kinematics: Kinematics, plan: Plan, since: float) -> float:
        """How far the capture point is from where the plan has it, m."""
        moment, size = plan.at(since / self.limbs.pace), self.limbs.size
        rate = capture.natural_rate(kinematics.com[2] - plan.level * size)
        planned = size * moment.com[:2] + self.limbs.pace * moment.velocity[:2] / rate
        point = capture.capture_point(kinematics.com[:2], kinematics.com_velocity[:2], rate)
        return float(np.hypot(*(point - planned)))

    def _way(self) -> float:
        """Direction of travel, rad."""
        return float(np.radians(self.params.heading + self.params.direction))

    def _look(self, soles: list[PatchState]) -> None:
        self.senses.look(soles, self.plan, self._way(), self.yaw)

    def _make_plan(self, kinematics: Kinematics, soles: list[PatchState], steps: int | None = None) -> Plan:
        if abs(turned(self._way() - self.track[0])) > 1e-6:  # told to go another way
            self.track = (self._way(), kinematics.com[:2].copy())
            self._look(soles)
        heading = self.figure.heading
        most = self.gains.most_astray
        self.yaw = heading + float(np.clip(turned(self.yaw - heading), -most, most))
        situation = self.senses.situation(soles, self.plan, self.yaw, self.turning, self.params.dodge)
        plan = self.plan = self.planner.plan(situation, self._goals(kinematics, situation), steps)
        self.planned, self.age = self.world.time, 0
        if plan.gait is Gait.STAND:
            self.strides.stand(self.world.time, kinematics.com)
            self.stepped = False
        return plan

    def _goals(self, kinematics: Kinematics, situation: Situation) -> Goals:
        """What the parameters ask of the next steps."""
        params, size, heading, way = self.params, self.limbs.size, np.radians(self.params.heading), self._way()
        gains, natural = self.gains, self.gains.steps
        along, across = np.array([np.cos(way), np.sin(way)]), np.array([-np.sin(way), np.cos(way)])
        aside = float((self.track[1] - kinematics.com[:2]) @ across) / size
        speed = float(kinematics.com_velocity[:2] @ along) / self.limbs.pace
        if self._wanted() != self.wanted:  # what was learned was learned for something else
            self.wanted = self._wanted()
            self.trim.reset()
        trim = 1.0 if params.step_length else self.trim.factor
        target = step_targets.toward(params.speed * self.senses.care, speed, natural)
        gait = params.gait
        if gait == "any" and params.speed <= natural.walks_to and params.jump == 0:
            gait = "run" if target > 0 and speed > natural.too_fast else "walk"
        jump = params.jump if self.stepped else min(params.jump, gains.first_hop)
        self.low = gait != "walk" and self._low(situation)
        if jump == 0 and self.low:
            gait, target = "walk", max(speed - natural.loss, 0.0)
        wanted = step_targets.steps(target, gait, jump, params.step_length * self.senses.care, params.step_duration,
                                    natural)
        stones = self.senses.ground.unfit is not None  # no haste on them
        wanted = wanted.trimmed(trim, params.step_duration > 0 or stones, natural)
        flying = step_targets.toward(wanted.length / wanted.whole, speed, natural)
        moving = wanted.length > 0 or wanted.fly > 0
        back = float(np.clip(aside, -gains.aside, gains.aside))
        return Goals(wanted.length, wanted.duration, moving, way, back, heading, wanted.apex, wanted.fly,
                     wanted.flight, flying, gait != "walk")

    def _low(self, situation: Situation) -> bool:
        """Whether a runner is so low, or comes down so fast, that he needs both legs: to rise again, or to crouch."""
        height = situation.com[2] - situation.feet[situation.stance].place[2]
        return situation.support is not Support.FLIGHT and bool(
            height < self.gains.crouched or situation.velocity[2] < -self.gains.hard)

    # -- carrying the centre of mass -------------------------------------------------------------------------------

    def _drive(self, kinematics: Kinematics, moment: Moment, soles: list[PatchState]) -> Drive | None:
        """How the legs should drive the COM now, and from where: as planned, and back to the plan. None in the air."""
        if self.strides.support is Support.FLIGHT or moment.pressure is None:
            return None
        gains, velocity, place, size = self.gains.drive, kinematics.com_velocity, kinematics.com, self.limbs.size
        up = (moment.acceleration[2] + gains.height_kp * (moment.com[2] - place[2] / size)
              + 2.0 * np.sqrt(gains.height_kp) * (moment.velocity[2] - velocity[2] / self.limbs.pace))
        up = max(up, -gains.falling * GRAVITY)
        standing = soles[self.strides.stance]
        rate = float(np.sqrt((GRAVITY + up) / max(place[2] - place_of(standing)[2], 0.1 * size)))
        planned = size * moment.com[:2] + self.limbs.pace * moment.velocity[:2] / rate
        point = capture.capture_point(place[:2], velocity[:2], rate)
        return Drive(size * moment.pressure + gains.capture_gain * (point - planned), up, rate)

    def _carry(self, kinematics: Kinematics, drive: Drive, soles: list[PatchState]) -> list[Objective]:
        """Acceleration of the COM that follows from where the pressure should be and how hard the legs should push."""
        com, gains = self.com.at(kinematics), self.gains.drive
        flat = drive.rate**2 * (kinematics.com[:2] - self._under(soles, drive.pressure))
        return [Objective("com", 2, com.jacobian[:2], flat - com.bias[:2], gains.com_weight),
                Objective("com height", 3, com.jacobian[2:], np.array([drive.up]) - com.bias[2:],
                          gains.height_weight)]

    def _heel_rises(self, soles: list[PatchState], drive: Drive, moment: Moment) -> bool:
        """Whether the standing foot may let its heel rise. There are three cases:

        - the pressure that is wanted has come to the toes, and the COM is ahead of them;
        - the ankle is bent to its stop with the COM over the toes, so that only the heel can give way; not while the
          COM rises and the pressure is well behind the toes, for then the foot still drives the body up;
        - the plan wants the leg longer than straight.

        None counts while a runner, or one who has landed low or hard, sinks.
        """
        strides, size, gains = self.strides, self.limbs.size, self.gains.heel
        if strides.support is not Support.SINGLE or strides.on_toes or self.plan is None:
            return False
        sinking = self.kinematics.com_velocity[2] < -gains.on_heels * self.limbs.pace
        if sinking and (self.plan.flies or self.low):
            return False
        facing = self.limbs.facing(strides.stance)
        forward = np.array([np.cos(facing), np.sin(facing)])
        standing = soles[strides.stance]
        toes = standing.position[standing.toe, :2]
        toe = toes.sum(axis=0) / len(toes)
        past = float(forward @ (self.kinematics.com[:2] - toe))
        ahead = float(forward @ (drive.pressure - toe))
        over = ahead > -gains.toes * size and past > 0
        drives = ahead < -gains.loaded * size and self.kinematics.com_velocity[2] > 0
        bent = past > -gains.nearly * size and not drives and self.limbs.tipped(strides.stance) < gains.ankle_room
        return over or bent or (moment.phase == 1 and self.plan.stretched(moment))

    def _under(self, soles: list[PatchState], pressure: np.ndarray) -> np.ndarray:
        """The pressure point brought under what carries."""
        strides, points = self.strides, []
        for foot, sole in enumerate(soles):
            if foot == strides.stance and strides.on_toes:
                points.append(sole.position[sole.toe, :2])
            elif foot == strides.stance or strides.support is Support.DOUBLE:
                points.append(sole.position[sole.near, :2])
        area = np.concatenate(points)
        return capture.supported(area, pressure, self.gains.drive.inside) if len(area) > 1 else pressure

    # -- the foot in the air ---------------------------------------------------------------------------------------

    def _swing(self, kinematics: Kinematics, soles: list[PatchState], plan: Plan) -> list[Objective]:
        strides, time = self.strides, self.world.time
        if strides.support is Support.DOUBLE:
            return []
        flight = Flight(plan.foothold * self.limbs.size, plan.foothold_yaw, strides.swung(time),
                        plan.lands * self.limbs.pace - (time - self.planned), self._toes(plan),
                        strides.support is Support.FLIGHT)
        objectives = self.swing.landing(kinematics, soles[strides.other], strides.other, flight)
        if strides.support is Support.FLIGHT:
            objectives += self.swing.trailing(kinematics, soles[strides.stance], strides.stance)
        return objectives

    def _toes(self, plan: Plan) -> float:
        """How much higher its heel than its toe is when the foot lands, m."""
        foot = self.limbs.foot_sizes[self.strides.other]
        if plan.flies:
            return 0.0
        raised = float(tiptoe(plan.down, self.gains.preview.rising))
        return self.limbs.size * raised * foot.length / (foot.ahead + foot.front)

    # -- what others may see ---------------------------------------------------------------------------------------

    def outlook(self) -> Outlook | None:
        plan, size = self.plan, self.limbs.size
        if plan is None:
            return None
        begin = (self.world.time - self.planned) / self.limbs.pace
        moments = [plan.at(time) for time in np.linspace(begin, max(plan.seconds, begin), OUTLOOK)]
        ground = self.senses.walkable.height
        pressures = [size * moment.pressure for moment in moments if moment.pressure is not None]
        pressed = [[x, y, float(ground(x, y))] for x, y in pressures]
        feet = plan.footholds * size
        return Outlook(size * np.array([moment.com for moment in moments]), np.array(pressed).reshape(-1, 3), feet,
                       plan.foothold_yaws[:len(feet)])

    def notes(self) -> dict[str, float | str]:
        plan, strides, size, pace_ = self.plan, self.strides, self.limbs.size, self.limbs.pace
        if plan is None:
            return {}
        moment = plan.at((self.world.time - self.planned) / pace_)
        com, velocity = self.kinematics.com, self.kinematics.com_velocity
        notes: dict[str, float | str] = {
            "support": strides.support.value, "stance": ("left", "right")[strides.stance], "gait": plan.gait.value,
            "steps": float(strides.steps), "cost": plan.cost, "plan age": self.world.time - self.planned,
            "lands in": plan.lands * pace_ - (self.world.time - self.planned),
            "yaw": self.figure.heading, "yaw planned": moment.yaw,
            "degradations": float(sum(self.solvers[self.params.solver].degradations.values()))}
        for axis, name in enumerate("xyz"):
            notes[f"com {name}"], notes[f"com {name} planned"] = float(com[axis]), float(size * moment.com[axis])
            notes[f"speed {name}"] = float(velocity[axis])
            notes[f"speed {name} planned"] = float(pace_ * moment.velocity[axis])
            notes[f"foothold {name}"] = float(size * plan.foothold[axis])
        for axis, name in enumerate("xy"):
            notes[f"pressure {name} planned"] = float("nan") if moment.pressure is None else float(
                size * moment.pressure[axis])
        return notes
