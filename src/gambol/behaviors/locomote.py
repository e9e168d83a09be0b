"""Locomote: plan two steps ahead, follow the first instant, plan again (chapter 5 of the source).

| priority | objective | reference |
|---|---|---|
| 1 | contact | the sole points of the feet that carry |
| 2 | com, along the ground | the acceleration that follows from the planned pressure point |
| 3 | com height | the planned leg spring |
| 3 | swing | heel and toe go to the planned foothold, over what is in between (`swing.py`) |
| 3 | root, trunk, head | upright, turning as planned |
| 3 | angular momentum, pose, arms | calm; rest pose; arms swing against the legs |

All in one weighted problem, as in the source; strict priorities are a parameter away. How it plans: docs/locomote.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from gambol.behaviors.balance import FRICTION, SOLVERS, hold_contacts
from gambol.behaviors.behavior import Behavior, Outlook, Steering, register
from gambol.behaviors.limbs import Limbs
from gambol.behaviors.swing import Flight, Swing
from gambol.control.contacts import SoleState, drawn_in, on_edge, sole_states, support_points
from gambol.control.objectives import Objective, minimum_torque, momentum, setpoint
from gambol.control.problem import WholeBodyProblem
from gambol.features import AngularMomentum, CenterOfMass, Kinematics, Orientation, Pose
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.planning import capture, pace
from gambol.planning.footholds import along, grade, ledge, survey
from gambol.planning.footing import turned, yaw_matrix
from gambol.planning.preview.heels import TIPTOE, tiptoe
from gambol.planning.preview.landings import CLIMB
from gambol.planning.preview.pendulum import GRAVITY
from gambol.planning.preview.plan import Moment, Plan
from gambol.planning.preview.planner import EVENT_STEPS, Planner
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Footplant, Goals, Ground, Situation, Support
from gambol.planning.preview.threats import Threat, foreseen
from gambol.planning.strides import Event, Strides

DEVIATION = 0.02
"""A capture point this far from the plan asks for a new one, m."""
HEIGHT_KP, HEIGHT_WEIGHT, COM_WEIGHT = 100.0, 1000.0, 10.0
CAPTURE_GAIN = 1.5
"""How much of its deviation from the plan the capture point's pressure makes up for between two plans."""
FALLING = 0.8
"""Most that the planned COM may fall, as a share of gravity, while a foot carries."""
TOES = 0.02
"""A pressure point this near the line of the toes lets the heel rise, m."""
ANKLE_ROOM, NEARLY = 0.12, 0.05
"""An ankle this near its stop lets the heel rise, rad, if the body is no farther than that behind the toes, m: held
flat, the foot would stop the knee and throw the body."""
ON_HEELS = 0.5
"""A runner who comes down faster than this stays on his heels, m/s: his ankle alone could not stop him."""
HARD, CROUCHED = 2.0, 0.75
"""A runner who comes down faster than this, m/s, or is lower than this, m, walks on."""
OVERHANG = 0.04
"""Points of a standing sole that are higher than this above the ground hang over an edge, m."""
BEARS = 0.015
"""Points of a standing sole that are higher than this above the ground carry nothing, m: a foot may rock on an edge."""
TILTED = 0.98
"""Cosine of the angle between a sole and the ground from which on its rounded ends count."""
INSIDE = 0.9
"""Share of the area between the sole points where the pressure may be."""
MOST_ASTRAY = 0.4
"""Most that the planned heading may be ahead of the real one, rad."""
HIP_SEEN = 0.5
"""How much the planner believes where the hips are from the COM now, against where they are at rest."""
IN_SIGHT, OVERHEAD = 20.0, 4.0
"""Balls farther away or higher than this are no threat, m."""
FIRST_HOP = 0.05
"""The first hop from standing is no higher than this, m."""
ASIDE = 0.15
"""Most that it goes back to its track in two steps, m."""
LIMIT_RATE = 60.0
"""How fast joints may run into their limits, 1/s: a swinging knee must not brake far before it is straight."""
BEARING = {"root": (200.0, 10.0), "trunk": (200.0, 10.0), "head": (300.0, 1.0)}
"""Stiffness and weight by which parts are held upright."""
SQUAT, DEEP = 0.85, 0.65
"""Shares of its resting length between which a leg is bent little and deeply."""
LIFTS, BOWS = (0.0, 0.1, 0.3, 0.45), (0.0, 0.7, 0.7, 1.0)
"""A deeply bent leg that has to lift the body, by so many metres of an adult, bends the trunk, by so many radians: its
ankle is at its stop, and only the trunk can bring the body forward."""
OUTLOOK = 24
"""Points of the drawn path."""
ARMS_IN_AIR = 10.0
"""How much more the pose of the arms counts in the air: thrown back, they hit the edge that the body jumped from."""
ARM_SWING = 0.7
"""How far the arms swing, as a share of the angle between the legs."""


@register
class Locomote(Behavior):
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
        replan: int = param(8, low=1, high=100, doc="control ticks from plan to plan")
        when: str = param("always", choices=("always", "ticks", "contacts", "deviation"),
                          doc="plan every so many ticks, when contacts change, when off the plan; always is all three")
        solver: str = param("weighted", choices=tuple(SOLVERS), doc="one weighted problem, or strict priorities")

    presets = {name: {"speed": speed, "jump": jump, "gait": "any", "step_length": 0.0, "step_duration": 0.0}
               for name, speed, jump in [("stand", 0.0, 0.0), ("walk", 1.2, 0.0), ("run", 2.5, 0.0),
                                         ("jump", 0.5, 0.1)]}

    def start(self) -> None:
        figure = self.figure
        self._measure()
        self.kinematics = Kinematics(figure)
        self.com, self.momentum, self.pose = CenterOfMass(), AngularMomentum(), Pose(figure)
        self.strides = Strides(self.world.time, figure.com, self.limbs.size)
        every = sole_states(self.kinematics.refresh(), self.world.terrain)
        self.strides.join(self.world.time, [every[k].touches for k in self.limbs.order])
        self.planner = Planner()
        self.plan: Plan | None = None
        self.planned, self.age = self.world.time, 0
        self.yaw, self.turning = figure.heading, 0.0
        self.track = (self._way(), figure.com[:2])
        self.care, self.ground = 1.0, Ground()
        self.trim, self.wanted, self.stepped = pace.Trim(), self._wanted(), False
        self.low = False
        """whether it is a runner who is low or lands hard"""
        self.solvers = {name: kind() for name, kind in SOLVERS.items()}
        self.problem: WholeBodyProblem | None = None
        self.drawn: dict[SoleState, SoleState] = {}
        """soles of this tick, drawn in from edges"""

    def _measure(self) -> None:
        """All that depends on the body's shape; taken anew when it grows."""
        self.limbs = Limbs(self.figure, self.name)
        self.swing = Swing(self.limbs, self.world.terrain)
        self.upright = {role: Orientation(self.figure, role) for role in BEARING if self.figure.has(role)}
        self.rest_turn = {role: self.limbs.resting.xmat[part.body].reshape(3, 3).copy()
                          for role, part in self.upright.items()}

    @property
    def steps(self) -> int:
        """Steps made so far."""
        return self.strides.steps

    def act(self) -> np.ndarray:
        if self.figure.soles is not self.limbs.soles:  # the body has grown
            before = self.limbs.size
            self._measure()
            self.strides.resize(self.limbs.size)
            self.planner.resized(before / self.limbs.size)
        kinematics, time = self.kinematics.refresh(), self.world.time
        soles, self.drawn = self._soles(kinematics), {}
        plan = self._follow(kinematics, soles)
        soles = self._carrying_part(soles)
        moment = plan.at((time - self.planned) / self.limbs.pace)
        self.yaw, self.turning = moment.yaw, moment.turning
        carry = self._carry(kinematics, moment, soles)
        states = self.strides.states(time, plan.gait is Gait.STAND)
        held = [state.held(sole.near) & (sole.height < BEARS * self.limbs.size)
                for state, sole in zip(states, soles, strict=True)]
        support = support_points(soles, held, FRICTION)
        objectives = [*carry, *self._swing(kinematics, soles, plan), *self._bear(kinematics, soles, moment)]
        if support.count:
            objectives.append(hold_contacts(support))
        self.problem = WholeBodyProblem(kinematics, support, objectives, LIMIT_RATE)
        return self.solvers[self.params.solver].torques(self.problem)

    def _soles(self, kinematics: Kinematics) -> list[SoleState]:
        """The left and the right foot; one that is tilted far touches with the rounding of its toes or its heel."""
        every = sole_states(kinematics, self.world.terrain)
        soles = [(every[k], *self.limbs.edges[k]) for k in self.limbs.order]
        return [on_edge(sole, kinematics.frame(sole.body), up, radius)
                if radius and float(sole.rotation.dot(up) @ sole.normal[0]) < TILTED else sole
                for sole, up, radius in soles]

    # -- planning --------------------------------------------------------------------------------------------------

    def _follow(self, kinematics: Kinematics, soles: list[SoleState]) -> Plan:
        """The plan at hand, or a new one if it is due."""
        time, strides, plan = self.world.time, self.strides, self.plan
        if plan is None:
            self._look(soles)
            return self._make_plan(kinematics, soles)
        since, before = time - self.planned, strides.support
        began, origin = strides.exchanged, strides.origin
        event = strides.event(time, since + 0.5 * self.world.tick_length, plan, self._carrying_part(soles),
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
        surprising = event is not None and (event is not Event.LIFTED or self.ground.unfit is not None)
        return EVENT_STEPS if surprising else None

    def _learn(self, travelled: np.ndarray, time: float) -> None:
        """Compare the speed of the last step with what was wanted."""
        way = self._way()
        speed = float(travelled @ [np.cos(way), np.sin(way)]) / max(time, 0.1 * self.limbs.pace) / self.limbs.pace
        self.trim.stepped(self.params.speed * self.care, speed)

    def _wanted(self) -> tuple[object, ...]:
        params = self.params
        return params.speed, params.gait, params.jump, self._way(), params.step_length, params.step_duration

    def _due(self, kinematics: Kinematics, plan: Plan, since: float) -> bool:
        when = self.params.when
        if when in ("always", "ticks") and self.age >= self.params.replan:
            return True
        if when == "contacts":  # a foot that is late needs news all the same
            return self.age >= self.params.replan and since > plan.lands * self.limbs.pace > 0.0
        return when in ("always", "deviation") and self._astray(kinematics, plan, since) > DEVIATION * self.limbs.size

    def _astray(self, kinematics: Kinematics, plan: Plan, since: float) -> float:
        """How far the capture point is from where the plan has it, m."""
        moment, size = plan.at(since / self.limbs.pace), self.limbs.size
        rate = capture.natural_rate(kinematics.com[2] - self._ground_height(plan))
        planned = size * moment.com[:2] + self.limbs.pace * moment.velocity[:2] / rate
        point = capture.capture_point(kinematics.com[:2], kinematics.com_velocity[:2], rate)
        return float(np.hypot(*(point - planned)))

    def _ground_height(self, plan: Plan) -> float:
        return float(plan.situation.feet[plan.situation.stance].place[2]) * self.limbs.size

    def _down(self, plan: Plan) -> float:
        """How much lower the next foothold is than the ground under the foot that stands, in an adult's units."""
        return float(plan.situation.feet[plan.situation.stance].place[2] - plan.foothold[2])

    def _look(self, soles: list[SoleState]) -> None:
        """See the ground around."""
        terrain, size = self.world.terrain, self.limbs.size
        foot, ahead = place_of(soles[self.strides.stance]), self.figure.com[:2] + 0.4 * self.kinematics.com_velocity[:2]
        if self.strides.support is Support.FLIGHT and self.plan is not None:
            foot[2] = self._ground_height(self.plan)
        runs = self.plan is not None and self.plan.gait is Gait.RUN
        seen = survey(terrain.height, ahead, float(foot[2]), self.limbs.foot_sizes[0].length, self.yaw, size, runs,
                      arms=len(self.limbs.arms) > 0)
        profile = along(terrain.height, foot, self._way(), size)
        (up, down), high = grade(profile), ledge(profile)
        self.care = pace.careful(down if high else max(up, down))
        self.ground = Ground(lambda x, y: terrain.height(x * size, y * size) / size,
                             None if seen is None else seen.unfit, high, max(up, down))

    def _way(self) -> float:
        """Direction of travel, rad."""
        return float(np.radians(self.params.heading + self.params.direction))

    def _make_plan(self, kinematics: Kinematics, soles: list[SoleState], steps: int | None = None) -> Plan:
        if abs(turned(self._way() - self.track[0])) > 1e-6:  # told to go another way
            self.track = (self._way(), kinematics.com[:2].copy())
            self._look(soles)
        situation = self._situation(kinematics, soles)
        plan = self.plan = self.planner.plan(situation, self._goals(kinematics, situation), steps)
        self.planned, self.age = self.world.time, 0
        if plan.gait is Gait.STAND:
            self.strides.stand(self.world.time, kinematics.com)
            self.stepped = False
        return plan

    def _situation(self, kinematics: Kinematics, soles: list[SoleState]) -> Situation:
        """The present moment in an adult's units."""
        limbs, strides, size, time = self.limbs, self.strides, self.limbs.size, self.world.time
        yaw = self.figure.heading
        self.yaw = yaw + float(np.clip(turned(self.yaw - yaw), -MOST_ASTRAY, MOST_ASTRAY))
        places = [place_of(sole) for sole in soles]
        if strides.support is not Support.DOUBLE:  # a foot in the air is where it is
            places[strides.other][2] = float(soles[strides.other].position[:, 2].min())
        if strides.support is Support.FLIGHT and self.plan is not None:  # the ground it left, not what is below now
            places[strides.stance][2] = self._ground_height(self.plan)
        feet = [Footplant(place / size, self.yaw + turned(limbs.facing(k) - self.yaw))
                for k, place in enumerate(places)]
        legs = []
        for k, (leg, thigh) in enumerate(zip(limbs.legs, limbs.thighs, strict=True)):
            seen = yaw_matrix(-yaw) @ (self.figure.data.xpos[thigh] - kinematics.com) / size
            hip = leg.hip + HIP_SEEN * (seen - leg.hip) * [1.0, 0.0, 1.0]
            legs.append(replace(leg, hip=hip, longest=leg.longest + self._raised(k, places[k])))
        return Situation(kinematics.com / size, kinematics.com_velocity / limbs.pace, self.yaw, self.turning,
                         strides.support, strides.stance, (feet[0], feet[1]), (legs[0], legs[1]),
                         (time - strides.exchanged) / limbs.pace, strides.swung(time) / limbs.pace,
                         strides.origin / size, self._carrying(soles[strides.stance]), self.ground,
                         self._threats(kinematics))

    def _raised(self, foot: int, place: np.ndarray) -> float:
        """How much longer the leg that carries is because its heel has not come down yet, in an adult's units."""
        strides, limbs = self.strides, self.limbs
        if foot != strides.stance or strides.on_toes or strides.support is Support.FLIGHT or self._climbs():
            return 0.0
        above = float(self.figure.data.xpos[limbs.feet[foot], 2] - place[2]) / limbs.size - limbs.legs[foot].foot.below
        return float(np.clip(above, 0.0, TIPTOE[2]))

    def _climbs(self) -> bool:
        """Whether the foot on its way goes to higher ground than the other one stands on."""
        return self.plan is not None and -self._down(self.plan) > CLIMB

    def _threats(self, kinematics: Kinematics) -> tuple[Threat, ...]:
        """Balls in the air that would pass too near."""
        size, pace_, data, found = self.limbs.size, self.limbs.pace, self.world.data, []
        for ball in self.world.projectiles if self.params.dodge > 0 else ():
            place, velocity = data.body(ball.name).xpos, data.joint(ball.name).qvel[:3]
            above = place[2] - float(self.world.terrain.height(*place[:2]))
            if np.hypot(*(place - kinematics.com)[:2]) < IN_SIGHT * size and above < OVERHEAD * size:
                found.append(foreseen(place / size, velocity / pace_, kinematics.com / size,
                                      kinematics.com_velocity / pace_, self.params.dodge))
        return tuple(threat for threat in found if threat is not None)

    def _carrying(self, sole: SoleState) -> tuple[float, float]:
        """The part of the standing foot that carries, heel 0 to toe 1."""
        drawn = self._drawn_in(sole)
        if self.strides.support is Support.FLIGHT or drawn is sole:
            return (1.0, 1.0) if self.strides.on_toes else (0.0, 1.0)
        half = len(sole.height) // 2
        heel, toe, back, front = (points.mean(axis=0) for points in (
            sole.position[:half], sole.position[half:], drawn.position[:half], drawn.position[half:]))
        length = float(np.linalg.norm(toe - heel))
        begin, end = float(np.linalg.norm(back - heel)) / length, float(np.linalg.norm(front - heel)) / length
        return (end if self.strides.on_toes else begin), end

    def _carrying_part(self, soles: list[SoleState]) -> list[SoleState]:
        """The soles, standing ones drawn in from edges that they hang over."""
        support, stance = self.strides.support, self.strides.stance
        if support is Support.FLIGHT:
            return soles
        return [self._drawn_in(sole) if foot == stance or support is Support.DOUBLE else sole
                for foot, sole in enumerate(soles)]

    def _drawn_in(self, sole: SoleState) -> SoleState:
        """Asked for several times a tick."""
        if sole not in self.drawn:
            self.drawn[sole] = drawn_in(sole, self.world.terrain, OVERHANG * self.limbs.size)
        return self.drawn[sole]

    def _goals(self, kinematics: Kinematics, situation: Situation) -> Goals:
        """What the parameters ask of the next steps."""
        params, size, heading, way = self.params, self.limbs.size, np.radians(self.params.heading), self._way()
        along, across = np.array([np.cos(way), np.sin(way)]), np.array([-np.sin(way), np.cos(way)])
        aside = float((self.track[1] - kinematics.com[:2]) @ across) / size
        speed = float(kinematics.com_velocity[:2] @ along) / self.limbs.pace
        if self._wanted() != self.wanted:  # what was learned was learned for something else
            self.wanted = self._wanted()
            self.trim.reset()
        trim = 1.0 if params.step_length else self.trim.factor
        target = pace.toward(params.speed * self.care, speed)
        gait = params.gait
        if gait == "any" and params.speed <= pace.WALKS_TO and params.jump == 0:
            gait = "run" if target > 0 and speed > pace.TOO_FAST else "walk"
        jump = params.jump if self.stepped else min(params.jump, FIRST_HOP)
        self.low = gait != "walk" and self._low(situation)
        if jump == 0 and self.low:
            gait, target = "walk", max(speed - pace.LOSS, 0.0)
        wanted = pace.steps(target, gait, jump, params.step_length * self.care, params.step_duration)
        wanted = wanted.trimmed(trim, params.step_duration > 0 or self.ground.unfit is not None)  # no haste on stones
        flying = pace.toward(wanted.length / wanted.whole, speed)
        moving = wanted.length > 0 or wanted.fly > 0
        return Goals(wanted.length, wanted.duration, moving, way, float(np.clip(aside, -ASIDE, ASIDE)), heading,
                     wanted.apex, wanted.fly, wanted.flight, flying, gait != "walk")

    def _low(self, situation: Situation) -> bool:
        """Whether a runner is so low, or comes down so fast, that he needs both legs: to rise again, or to crouch."""
        height = situation.com[2] - situation.feet[situation.stance].place[2]
        return situation.support is not Support.FLIGHT and bool(height < CROUCHED or situation.velocity[2] < -HARD)

    # -- carrying the centre of mass -------------------------------------------------------------------------------

    def _carry(self, kinematics: Kinematics, moment: Moment, soles: list[SoleState]) -> list[Objective]:
        """Acceleration of the COM that follows from where the pressure should be and how hard the legs should push."""
        if self.strides.support is Support.FLIGHT or moment.pressure is None:
            return []
        com, place, size = self.com.at(kinematics), kinematics.com, self.limbs.size
        up = (moment.acceleration[2] + HEIGHT_KP * (moment.com[2] - place[2] / size)
              + 2.0 * np.sqrt(HEIGHT_KP) * (moment.velocity[2] - com.velocity[2] / self.limbs.pace))
        up = max(up, -FALLING * GRAVITY)
        standing = soles[self.strides.stance]
        rate = float(np.sqrt((GRAVITY + up) / max(place[2] - place_of(standing)[2], 0.1 * size)))
        planned = size * moment.com[:2] + self.limbs.pace * moment.velocity[:2] / rate
        point = capture.capture_point(place[:2], com.velocity[:2], rate)
        pressure = size * moment.pressure + CAPTURE_GAIN * (point - planned)
        self._rise_heel(standing, pressure, moment)
        pressure = self._under(soles, pressure)
        flat = rate**2 * (place[:2] - pressure)
        return [Objective("com", 2, com.jacobian[:2], flat - com.bias[:2], COM_WEIGHT),
                Objective("com height", 3, com.jacobian[2:], np.array([up]) - com.bias[2:], HEIGHT_WEIGHT)]

    def _rise_heel(self, standing: SoleState, pressure: np.ndarray, moment: Moment) -> None:
        """Let go of the heel when the pressure has come to the toes and the body is ahead of them; when the leg is
        straight and the plan wants it longer, or the ankle is bent as far as it goes: only the heel can give that."""
        strides, size = self.strides, self.limbs.size
        if strides.support is not Support.SINGLE or strides.on_toes or self.plan is None:
            return
        sinking = self.kinematics.com_velocity[2] < -ON_HEELS * self.limbs.pace
        if sinking and (self.plan.flies or self.low):
            return
        facing = self.limbs.facing(strides.stance)
        forward = np.array([np.cos(facing), np.sin(facing)])
        toes = standing.position[len(standing.height) // 2:, :2]
        toe = toes.sum(axis=0) / len(toes)
        past = float(forward @ (self.kinematics.com[:2] - toe))
        over = forward @ (pressure - toe) > -TOES * size and past > 0
        bent = past > -NEARLY * size and self.limbs.tipped(strides.stance) < ANKLE_ROOM
        strides.on_toes = bool(over) or bent or (moment.phase == 1 and self.plan.stretched(moment))

    def _under(self, soles: list[SoleState], pressure: np.ndarray) -> np.ndarray:
        """The pressure point brought under what carries."""
        strides, points = self.strides, []
        for foot, sole in enumerate(soles):
            if foot == strides.stance and strides.on_toes:
                points.append(sole.position[len(sole.height) // 2:, :2])
            elif foot == strides.stance or strides.support is Support.DOUBLE:
                points.append(sole.position[sole.near, :2])
        area = np.concatenate(points)
        return capture.supported(area, pressure, INSIDE) if len(area) > 1 else pressure

    # -- limbs and bearing -----------------------------------------------------------------------------------------

    def _swing(self, kinematics: Kinematics, soles: list[SoleState], plan: Plan) -> list[Objective]:
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
        return self.limbs.size * float(tiptoe(self._down(plan))) * foot.length / (foot.ahead + foot.front)

    def _bear(self, kinematics: Kinematics, soles: list[SoleState], moment: Moment) -> list[Objective]:
        """Upright and turning as planned, calm, arms against the legs."""
        limbs, objectives = self.limbs, []
        up = np.array([0.0, 0.0, 1.0])
        turning, turn = moment.turning / limbs.pace * up, moment.turn / limbs.size * up
        bow = self._bow(moment)
        for role, feature in self.upright.items():
            kp, weight = BEARING[role]
            facing = yaw_matrix(moment.yaw, 0.0 if role == "head" else bow)
            objectives.append(setpoint(feature, feature.at(kinematics), facing.dot(self.rest_turn[role]), 3, kp=kp,
                                       weight=weight, velocity=turning, acceleration=turn))
        ahead, tall = np.array([np.cos(moment.yaw), np.sin(moment.yaw)]), self.figure.standing_height
        apart = soles[0].center[:2] - soles[1].center[:2]
        parting = (soles[0].velocity - soles[1].velocity).sum(axis=0)[:2] / len(soles[0].height)
        stride, striding = float(np.arctan2(ahead @ apart, tall)), float(ahead @ parting) / tall
        swing, held = ARM_SWING * limbs.arm_forward, limbs.pose_weight
        if self.strides.support is Support.FLIGHT:
            held = held.copy()
            held[limbs.arms] *= ARMS_IN_AIR
        objectives += [momentum(self.momentum, self.momentum.at(kinematics), np.zeros(3), 3, rate=20.0,
                                weight=np.array([0.01, 0.01, 0.1])),
                       setpoint(self.pose, self.pose.at(kinematics), self.figure.rest + stride * swing, 3,
                                kp=limbs.pose_kp, weight=held, velocity=striding * swing)]
        if len(limbs.arms):
            objectives.append(minimum_torque(limbs.arms, self.figure.nu, 3, weight=1e-3))
        return objectives

    def _bow(self, moment: Moment) -> float:
        """How far the trunk bends forward, rad: as the leg that carries is bent, if it is to lift the body."""
        limbs, stance, place = self.limbs, self.strides.stance, self.figure.data.xpos
        if self.plan is None or self.strides.support is Support.FLIGHT:
            return 0.0
        lift = float(self.plan.preview.places[3][0, 2] - moment.com[2])
        leg = place[limbs.thighs[stance]] - place[limbs.feet[stance]]
        bent = (SQUAT - sqrt(leg.dot(leg)) / limbs.leg_lengths[stance]) / (SQUAT - DEEP)
        return min(max(bent, 0.0), 1.0) * float(np.interp(lift, LIFTS, BOWS))

    # -- what others may see ---------------------------------------------------------------------------------------

    def report(self) -> list[tuple[str, ...]]:
        return [] if self.problem is None else self.problem.table()

    def outlook(self) -> Outlook | None:
        plan, size = self.plan, self.limbs.size
        if plan is None:
            return None
        begin = (self.world.time - self.planned) / self.limbs.pace
        moments = [plan.at(time) for time in np.linspace(begin, max(plan.seconds, begin), OUTLOOK)]
        ground = self.world.terrain.height
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


def place_of(sole: SoleState) -> np.ndarray:
    """Middle of a sole, put down on the highest ground under it, (3,)."""
    place = sole.position.sum(axis=0) / len(sole.height)
    place[2] = sole.ground[:, 2].max()
    return place
