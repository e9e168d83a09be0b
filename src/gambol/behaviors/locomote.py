"""Locomote: plan two steps ahead, follow the first instant, plan again (chapter 5 of the source).

| priority | objective | reference |
|---|---|---|
| 1 | contact | the sole points of the feet that carry |
| 2 | com | the acceleration that follows from the planned pressure point and leg spring |
| 3 | swing | heel and toe go to the planned foothold, over what is in between |
| 3 | heading, trunk, head | upright, turning as planned |
| 3 | angular momentum, pose, arms | calm; rest pose; arms swing against the legs |
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.behaviors.balance import FRICTION, SOLVERS, hold_contacts, pose_gains
from gambol.behaviors.behavior import Behavior, Steering, register
from gambol.control.contacts import SoleState, sole_states, support_points
from gambol.control.objectives import Objective, minimum_torque, momentum, setpoint, target_acceleration
from gambol.control.problem import WholeBodyProblem
from gambol.errors import MissingRole
from gambol.features import AngularMomentum, CenterOfMass, Kinematics, Orientation, Pose
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.planning import capture
from gambol.planning.footing import FootSize, FootState, turned, yaw_matrix
from gambol.planning.footholds import grade, survey
from gambol.planning.preview.planner import Planner
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Footplant, Goals, Ground, Leg, Situation, Support

ADULT_HEIGHT = 1.0
WARM_STEPS, EVENT_STEPS = 2, 6
REPLAN = 8
"""Ticks between plans."""
HEIGHT_KP, HEIGHT_WEIGHT, COM_WEIGHT = 100.0, 1000.0, 10.0
LONGEST, SHORTEST, REST = 0.98, 0.6, 0.97
HIP_SEEN = 0.5
"""How much of where the hips are from the COM now, against at rest, the planner takes for the rest of the plan."""
ASIDE = 0.15
"""Most that it goes back to its track in two steps, m."""
SHIFT = 0.25
"""Time that shifting the weight takes before the first step, s."""
GENTLE, CAREFUL = 0.15, 3.0
"""Ground steeper than this is walked more slowly, by so much."""
OVERHANG = 0.04
"""Points of a standing sole that are higher than this above the ground hang over an edge, m."""
FOLD_KP, FOLD_WEIGHT = 300.0, 10.0
TOES = 0.02
"""A pressure point this near the line of the toes lets the heel rise, m."""
MOST_SWING = 80.0
"""Most acceleration of a swinging foot, m/s2."""
GAIN, LOSS = 0.5, 0.6
"""Most that it wants to be faster or slower than it is, m/s."""
SWING_WEIGHT, PITCH_WEIGHT, BEARING_WEIGHT = 200.0, 20.0, 10.0
LEG_KP, LEG_WEIGHT, ARM_WEIGHT, SPINE_WEIGHT, NECK_WEIGHT = 2000.0, 0.02, 0.3, 0.2, 0.02
LIMIT_RATE = 60.0
LIFT, LIFT_TIME = 0.07, 0.06
LANDING_SPEED, AIM_BELOW = 0.3, 0.01
LEVEL_TIME = 0.12
"""A foot that must go over something is level in this time, s: its toe hangs down at first."""
DESCENT = 1.0
"""How fast a swinging foot comes down, m/s."""


@register
class Locomote(Behavior):
    """walks, runs, stands and jumps by planning two steps ahead; goals may change at any time"""

    needs = ("root", "trunk", "feet")
    steering = Steering(heading="heading", pace="step_length")

    @dataclass
    class Params(BaseParams):
        step_length: float = param(0.6, unit="m", low=0.0, high=1.3, doc="how far each step goes")
        step_duration: float = param(0.5, unit="s", low=0.2, high=0.8, doc="how long each step's foot is on the ground")
        heading: float = param(0.0, unit="degrees", low=-180.0, high=180.0, doc="where it faces")
        direction: float = param(0.0, unit="degrees", low=-180.0, high=180.0, doc="way of travel, from where it faces")
        apex: float = param(0.0, unit="m", low=0.0, high=0.5, doc="how high it flies")
        fly: float = param(0.0, low=0.0, high=100.0, doc="weight of the apex")
        solver: str = param("weighted", choices=tuple(SOLVERS), doc="...")

    presets = {"walk": {"step_length": 0.6, "step_duration": 0.5}, "stand": {"step_length": 0.0}}

    def start(self) -> None:
        figure = self.figure
        legs = ["left_", "right_"]
        roles = [sole.role for sole in figure.soles]
        if set(roles) != {"left_foot", "right_foot"}:
            raise MissingRole(f"locomote needs a left and a right foot; found {', '.join(roles) or 'none'}")
        self.order = [roles.index(f"{leg}foot") for leg in legs]
        self.thighs, self.knees, self.feet = ([figure.body_id(f"{leg}{part}") for leg in legs]
                                              for part in ("thigh", "shank", "foot"))
        self._measure()
        self.kinematics = Kinematics(figure)
        self.com, self.momentum, self.pose = CenterOfMass(), AngularMomentum(), Pose(figure)
        self.orientations = {role: Orientation(figure, role) for role in ("root", "trunk", "head")
                             if role in figure.anatomy.bodies}
        self.foot_orientations = [Orientation(figure, f"{leg}foot") for leg in legs]
        self.rest_turn = {name: self.resting.xmat[f.body].reshape(3, 3).copy() for name, f in self.orientations.items()}
        self.foot_turn = [self.resting.xmat[f.body].reshape(3, 3).copy() for f in self.foot_orientations]
        self._tune_pose()
        from gambol.behaviors.walk import Walk
        self.folds = [Walk._fold(self, leg) for leg in legs]
        self.planner = Planner()
        self.support, self.stance = Support.DOUBLE, 0
        self.exchanged_at, self.origin = self.world.time + SHIFT * self.pace, figure.com[:2]
        self.lifted_at = [self.world.time, self.world.time]
        self.plan, self.planned_at, self.countdown = None, self.world.time, 0
        self.steps = 0
        self.care = 1.0
        self.track: tuple[float, np.ndarray] | None = None
        self.on_toes = False
        self.solvers = {name: kind() for name, kind in SOLVERS.items()}
        self.problem: WholeBodyProblem | None = None
        self.log: list = []

    def _measure(self) -> None:
        figure = self.figure
        self.resting = figure.posed(figure.rest)
        place, com = self.resting.xpos, self.resting.subtree_com[figure.top]
        self.size = figure.standing_height / ADULT_HEIGHT
        self.pace = float(np.sqrt(self.size))
        sizes = FootSize.of(figure)
        self.foot_sizes = [sizes[k] for k in self.order]
        self.legs = []
        for hip, knee, ankle, foot in zip(self.thighs, self.knees, self.feet, self.foot_sizes, strict=True):
            length = float(np.linalg.norm(place[hip] - place[knee]) + np.linalg.norm(place[knee] - place[ankle]))
            s = self.size
            size = FootSize(*(v / s for v in (foot.back, foot.front, foot.half_width, foot.ahead, foot.below)))
            self.legs.append(Leg((place[hip] - com) / s, REST * length / s, SHORTEST * length / s, LONGEST * length / s,
                                 size))

    def _tune_pose(self) -> None:
        figure = self.figure
        self.pose_kp = pose_gains(figure)
        self.pose_weight = np.ones(figure.nu)
        legs = figure.joint_index(figure.anatomy.joints_of("hip", "knee", "ankle"))
        self.pose_kp[legs], self.pose_weight[legs] = LEG_KP, LEG_WEIGHT
        for part, weight in (("neck", NECK_WEIGHT), ("spine", SPINE_WEIGHT)):
            self.pose_weight[figure.joint_index(figure.anatomy.joints_of(part))] = weight
        self.arms = figure.joint_index(figure.anatomy.arm_joints)
        self.pose_weight[self.arms] = ARM_WEIGHT
        self.arm_forward = np.zeros(figure.nu)
        for side, sign in (("left", -1.0), ("right", 1.0)):
            joints = figure.joint_index(figure.anatomy.joints.get(f"{side}_shoulder", ()))
            self.arm_forward[joints] = -sign * self.resting.xaxis[
                figure.model.dof_jntid[figure.joint_dofs[joints]], 1]

    # ------------------------------------------------------------------

    @property
    def other(self) -> int:
        return 1 - self.stance

    def goals(self) -> Goals:
        p = self.params
        heading = np.radians(p.heading)
        way = heading + np.radians(p.direction)
        speed = float(self.kinematics.com_velocity[:2] @ [np.cos(way), np.sin(way)]) / self.pace
        whole = p.step_duration + (float(self.plan.times[2]) if self.plan is not None else 0.0)
        length = min(max(p.step_length * self.care, (speed - LOSS) * whole), (max(speed, 0.0) + GAIN) * whole)
        if self.track is None or abs(turned(way - self.track[0])) > 1e-6:
            self.track = (way, self.figure.com[:2])
        aside = float((self.track[1] - self.figure.com[:2]) @ [-np.sin(way), np.cos(way)]) / self.size
        return Goals(aside=float(np.clip(aside, -ASIDE, ASIDE)), length=length, duration=p.step_duration, timed=p.step_length > 0 or p.fly > 0,
                     way=heading + np.radians(p.direction), heading=heading, apex=p.apex, fly=p.fly)

    def act(self) -> np.ndarray:
        kinematics = self.kinematics.refresh()
        soles = sole_states(kinematics, self.world.terrain)
        soles_lr = [soles[k] for k in self.order]
        event = self._events(soles_lr)
        if event or self.plan is None or self.countdown <= 0:
            self._replan(kinematics, soles_lr, EVENT_STEPS if event else WARM_STEPS)
        self.countdown -= 1
        now = self.world.time - self.planned_at
        moment = self.plan.at(now / self.pace)
        self.yaw, self.turning = moment.yaw, moment.turning
        states = self._states()
        held = [states[self.order.index(k)].held(soles[k].near) & (soles[k].height < OVERHANG * self.size)
                for k in range(2)]
        support = support_points(soles, held, FRICTION)
        objectives = [*self._carry(kinematics, moment, soles_lr), *self._swing(kinematics, soles_lr, now),
                      *self._bearing(kinematics, soles_lr, moment)]
        if support.count:
            objectives.append(hold_contacts(support))
        self.problem = WholeBodyProblem(kinematics, support, objectives, LIMIT_RATE)
        torque = self.solvers[self.params.solver].torques(self.problem)
        return torque

    def _states(self) -> list[FootState]:
        states = [FootState.SUPPORT, FootState.SUPPORT]
        if self.support is Support.DOUBLE:
            if self.plan.gait is not Gait.STAND and self.steps and self.world.time - self.exchanged_at < 0.3:
                states[self.other] = FootState.HEEL_OFF
                states[self.stance] = FootState.PLANT
        elif self.support is Support.SINGLE:
            states[self.other] = FootState.SWING
            if self.on_toes:
                states[self.stance] = FootState.HEEL_OFF
        else:
            states = [FootState.SWING, FootState.SWING]
        return states

    def _events(self, soles: list[SoleState]) -> bool:
        """Contacts change: a foot lifts, a foot lands, the body takes off."""
        if self.plan is None:
            return False
        now = self.world.time - self.planned_at
        dt = 0.5 * self.world.tick_length
        if self.support is Support.DOUBLE:
            if self.plan.gait is not Gait.STAND and now + dt >= self.plan.lifts * self.pace:
                self._passed()
                self.support, self.lifted_at[self.other] = Support.SINGLE, self.world.time
                return True
            return False
        sole = soles[self.other]
        if self._landed(sole, now):
            self._passed()
            self.planner.exchanged(self.situation)
            flew = self.support is Support.FLIGHT
            self.support = Support.SINGLE if flew else Support.DOUBLE
            self.on_toes = False
            self.stance = self.other
            self.steps += 1
            self.exchanged_at, self.origin = self.world.time, self.figure.com[:2]
            return True
        if self.support is Support.SINGLE and self.plan.flies and now + dt >= self.plan.leaves * self.pace:
            self._passed()
            self.support, self.lifted_at[self.stance] = Support.FLIGHT, self.world.time
            return True
        return False

    def _landed(self, sole: SoleState, now: float) -> bool:
        swung = self.world.time - self.lifted_at[self.other]
        whole = swung + self.plan.lands * self.pace - now
        near = float(np.hypot(*(sole.center[:2] - self.plan.foothold[:2] * self.size))) < 0.1 * self.size
        due = swung > (0.5 if near else 0.9) * whole
        return due and bool((sole.height < 0.002).any()) and float(sole.velocity[:, 2].mean()) < 0.05

    def _look(self, soles: list[SoleState]) -> None:
        """See the ground around."""
        terrain, s = self.world.terrain, self.size
        ahead = self.figure.com[:2] + 0.4 * self.kinematics.com_velocity[:2]
        seen = survey(terrain.height, ahead, float(_place(soles[self.stance])[2]), self.foot_sizes[0].length, s)
        way = np.radians(self.params.heading + self.params.direction)
        steep = max(grade(terrain.height, soles[self.stance].position.mean(axis=0), way, s) - GENTLE, 0.0)
        self.care = 1.0 / (1.0 + CAREFUL * steep)
        self.ground = Ground(lambda x, y: terrain.height(x * s, y * s) / s, None if seen is None else seen.unfit)

    def _carrying(self, sole: SoleState) -> tuple[float, float]:
        """The part of the standing foot that carries, heel 0 to toe 1."""
        if self.on_toes:
            return (1.0, 1.0)
        near = sole.height < OVERHANG * self.size
        half = len(near) // 2
        if self.support is Support.FLIGHT or not near.any() or (near[:half].any() and near[half:].any()):
            return (0.0, 1.0)
        return (0.85, 1.0) if near[half:].any() else (0.0, 0.15)

    def _passed(self) -> None:
        self.planner.passed((self.world.time - self.planned_at) / self.pace, self.support_before())
        self.planned_at = self.world.time

    def support_before(self) -> Support:
        return self.support

    def _replan(self, kinematics: Kinematics, soles: list[SoleState], steps: int) -> None:
        if self.plan is not None:
            self._passed()
        s = self.size
        if steps == EVENT_STEPS or self.plan is None:
            self._look(soles)
        feet = []
        for k in (0, 1):
            turn = self.figure.data.xmat[self.feet[k]].reshape(3, 3) @ self.foot_turn[k].T
            yaw = float(np.arctan2(turn[1, 0], turn[0, 0]))
            feet.append(Footplant(_place(soles[k]) / s, yaw))
        yaw = self.figure.heading
        if self.plan is None:
            self.yaw, self.turning = yaw, 0.0
        self.yaw = yaw + float(np.clip(turned(self.yaw - yaw), -0.4, 0.4))
        near = [Footplant(f.place, self.yaw + turned(f.yaw - self.yaw)) for f in feet]
        back = yaw_matrix(-yaw)
        legs = []
        for leg, hip in zip(self.legs, self.thighs, strict=True):
            offset = back @ (self.figure.data.xpos[hip] - kinematics.com) / s
            legs.append(replace(leg, hip=np.array([offset[0], leg.hip[1], offset[2]]) * HIP_SEEN + (1 - HIP_SEEN) * leg.hip))
        self.situation = Situation(
            kinematics.com / s, kinematics.com_velocity / self.pace, self.yaw, self.turning,
            self.support, self.stance, (near[0], near[1]), (legs[0], legs[1]),
            (self.world.time - self.exchanged_at) / self.pace,
            0.0 if self.support is Support.DOUBLE else (self.world.time - self.lifted_at[self.other]) / self.pace, self.origin / s,
            self._carrying(soles[self.stance]), self.ground)
        self.plan = self.planner.plan(self.situation, self.goals(), steps)
        self.planned_at = self.world.time
        if self.plan.gait is Gait.STAND:
            self.exchanged_at, self.origin = self.world.time + SHIFT * self.pace, self.figure.com[:2]
        self.countdown = REPLAN

    # ------------------------------------------------------------------

    def _carry(self, kinematics: Kinematics, moment, soles: list[SoleState]) -> list[Objective]:
        if self.support is Support.FLIGHT or moment.pressure is None:
            return []
        com, place, s = self.com.at(kinematics), kinematics.com, self.size
        up = (moment.acceleration[2] + HEIGHT_KP * (moment.com[2] - place[2] / s)
              + 2.0 * np.sqrt(HEIGHT_KP) * (moment.velocity[2] - com.velocity[2] / self.pace))
        up = max(up, -0.8 * 9.81)
        ground = _place(soles[self.stance])[2]
        rate = float(np.sqrt((9.81 + up) / max(place[2] - ground, 0.1)))
        planned = (moment.com[:2] + moment.velocity[:2] / (rate * self.pace)) * s
        point = capture.capture_point(place[:2], com.velocity[:2], rate)
        pressure = moment.pressure * s + (point - planned) * 1.5
        standing = soles[self.stance]
        half = len(standing.height) // 2
        if self.support is Support.SINGLE and not self.on_toes:
            turn = self.figure.data.xmat[self.feet[self.stance]].reshape(3, 3) @ self.foot_turn[self.stance].T
            forward = turn[:2, 0]
            toe = standing.position[half:, :2].mean(axis=0)
            self.on_toes = bool(forward @ (pressure - toe) > -TOES * self.size) and bool(
                forward @ (place[:2] - toe) > 0)
        parts = [np.arange(half, len(standing.height)) if k == self.stance and self.on_toes else sole.near
                 for k, sole in enumerate(soles)]
        points = np.concatenate([sole.position[parts[k]][:, :2] for k, sole in enumerate(soles)
                                 if k == self.stance or self.support is Support.DOUBLE])
        if len(points) >= 2:
            pressure = capture.supported(points, pressure, 0.9)
        flat = rate**2 * (place[:2] - pressure)
        self.pressure = pressure
        return [Objective("com", 2, com.jacobian[:2], flat - com.bias[:2], COM_WEIGHT),
                Objective("com height", 3, com.jacobian[2:], np.array([up]) - com.bias[2:], HEIGHT_WEIGHT)]

    def _swing(self, kinematics: Kinematics, soles: list[SoleState], now: float) -> list[Objective]:
        if self.support is Support.DOUBLE:
            return []
        foot, sole = self.other, soles[self.other]
        left = self.plan.lands * self.pace - now
        feature = self.foot_orientations[foot]
        level = setpoint(feature, feature.at(kinematics), yaw_matrix(self.plan.foothold_yaw) @ self.foot_turn[foot], 3,
                         kp=400.0)
        c, s = np.cos(self.plan.foothold_yaw), np.sin(self.plan.foothold_yaw)
        about = np.array([[c, s, 0.0], [0.0, 0.0, 1.0]])
        half = len(sole.height) // 2
        heel, toe = ([part[k].mean(axis=0) for part in (sole.position, sole.velocity, sole.bias, sole.jacobian)]
                     for k in (slice(0, half), slice(half, None)))
        middle = [0.5 * (h + t) for h, t in zip(heel, toe, strict=True)]
        tilt = [(t - h)[2:] for h, t in zip(heel, toe, strict=True)]
        going, blocked = self._going(middle[0], middle[1], left, float(sole.position[:, 2].min()))
        level_in = max(min(left, LEVEL_TIME) if blocked else left, LIFT_TIME)
        tipping = target_acceleration(tilt[0], tilt[1], np.array([0.01]), np.zeros(1), level_in)
        swung = self.world.time - self.lifted_at[self.other]
        share = swung / max(swung + left, 1e-6)
        weight = SWING_WEIGHT / self.size**2 * np.array([1.0, 1.0, np.clip((share - 0.15) / 0.4, 0.03, 1.0)])
        out = [*self._fold_knee(foot, share),
               Objective("swing", 3, middle[3], going - middle[2], weight),
               Objective("swing pitch", 3, tilt[3], tipping - tilt[2], PITCH_WEIGHT * (5.0 if blocked else 1.0) / self.size**2),
               Objective("swing foot level", 3, about @ level.rows, about @ level.target, BEARING_WEIGHT)]
        if self.support is Support.FLIGHT:
            out += self._fold_knee(self.stance, 0.1) + self._trail(kinematics, soles[self.stance], self.stance)
        return out

    def _fold_knee(self, foot: int, share: float) -> list[Objective]:
        """The knee of a swinging leg bends in the first half: a straight leg cannot lift its foot."""
        knee = np.flatnonzero(self.folds[foot])
        if not len(knee) or share > 0.55:
            return []
        figure, sign = self.figure, self.folds[foot][knee]
        speed = float(np.linalg.norm(self.kinematics.com_velocity[:2])) / self.pace
        bend = np.interp(speed, [0.0, 1.0, 3.0], [0.5, 0.9, 1.5])
        error = sign * bend - (figure.angles[knee] - 0.0)
        ahead = np.maximum(sign * error, 0.0) * sign
        rows = np.zeros((len(knee), figure.nv))
        rows[np.arange(len(knee)), figure.driven[knee]] = 1.0
        desired = FOLD_KP * ahead - 1.2 * np.sqrt(FOLD_KP) * figure.rates[knee]
        return [Objective("fold", 3, rows, desired, FOLD_WEIGHT * (1.0 - share / 0.55))]

    def _trail(self, kinematics: Kinematics, sole: SoleState, foot: int) -> list[Objective]:
        """The foot that has left the ground: drawn up under its hip."""
        part = [p.mean(axis=0) for p in (sole.position, sole.velocity, sole.bias, sole.jacobian)]
        hip = self.figure.data.xpos[self.thighs[foot]]
        goal = hip - np.array([0.0, 0.0, 0.7 * self.legs[foot].rest * self.size])
        velocity = kinematics.com_velocity
        desired = 150.0 * (goal - part[0]) + 24.0 * (velocity - part[1])
        return [Objective("trail", 3, part[3], desired - part[2], 20.0 / self.size**2)]

    def _going(self, place: np.ndarray, velocity: np.ndarray, left: float, lowest: float) -> tuple[np.ndarray, bool]:
        """Acceleration of the foot's middle, and whether something is in its way: up first, over, then down."""
        down, below = -LANDING_SPEED * self.pace, place[2] - lowest
        goal = self.plan.foothold * self.size
        if left <= 0:
            ground = float(self.world.terrain.height(*place[:2])) - AIM_BELOW * self.size
            up = target_acceleration(place[2:], velocity[2:], np.array([ground]), np.array([down]), LIFT_TIME)
            return np.array([*(-20.0 * velocity[:2]), *np.clip(up, -MOST_SWING, MOST_SWING)]), False
        over = self._over(place, goal)
        blocked = over > goal[2] + 0.02 * self.size or over > lowest
        top = max(goal[2], over) + LIFT * self.size + below
        descent = (top - goal[2]) / (DESCENT * self.pace) + LIFT_TIME
        flat = target_acceleration(place[:2], velocity[:2], goal[:2], np.zeros(2),
                                   max(left - 0.6 * descent * blocked, LIFT_TIME))
        if left > descent or blocked:
            height, speed, time = top, 0.0, max(left - descent, LIFT_TIME)
            if blocked:  # first up, then forward
                free = np.clip((lowest - over) / (0.05 * self.size), 0.0, 1.0)
                flat = free * flat - (1.0 - free) * 10.0 * velocity[:2] * (self._gap(place, over) < 0.05 * self.size)
        else:
            height, speed, time = goal[2] - AIM_BELOW * self.size, down, left
        up = target_acceleration(place[2:], velocity[2:], np.array([height]), np.array([speed]), time)
        going = np.concatenate([flat, up])
        return going * min(1.0, MOST_SWING / max(float(np.linalg.norm(going)), 1e-9)), blocked

    def _gap(self, place: np.ndarray, over: float) -> float:
        """How far the toe is from what is in its way, m."""
        half = 0.5 * self.foot_sizes[self.other].length
        way = self.plan.foothold[:2] * self.size - place[:2]
        length = max(float(np.hypot(*way)), 1e-6)
        reach = half + np.linspace(0.0, 0.2 * self.size, 6)
        points = place[:2] + np.outer(reach, way / length)
        high = self.world.terrain.height(points[:, 0], points[:, 1]) > over - 0.02 * self.size
        return float(reach[int(np.argmax(high))] - half) if high.any() else np.inf

    def _over(self, place: np.ndarray, goal: np.ndarray) -> float:
        """Highest ground on the way of the foot, short of where it lands."""
        way = goal[:2] - place[:2]
        length = float(np.hypot(*way))
        if length < 0.15 * self.size:
            return -np.inf
        shares = np.linspace(0.0, 1.0 - 0.1 * self.size / length, 8)
        half = 0.5 * self.foot_sizes[self.other].length
        points = place[:2] + np.outer(shares, way) + half * way / length
        return float(self.world.terrain.height(points[:, 0], points[:, 1]).max())

    def _bearing(self, kinematics: Kinematics, soles, moment) -> list[Objective]:
        objectives = []
        for name, (kp, weight) in {"root": (200.0, BEARING_WEIGHT), "trunk": (200.0, BEARING_WEIGHT),
                                   "head": (300.0, 1.0)}.items():
            if name in self.orientations:
                feature = self.orientations[name]
                objectives.append(setpoint(feature, feature.at(kinematics), yaw_matrix(moment.yaw) @ self.rest_turn[name],
                                           3, kp=kp, weight=weight,
                                           velocity=np.array([0.0, 0.0, moment.turning / self.pace]),
                                           acceleration=np.array([0.0, 0.0, moment.turn / self.size])))
        apart = soles[0].center - soles[1].center
        parting = soles[0].velocity.mean(axis=0) - soles[1].velocity.mean(axis=0)
        ahead = np.array([np.cos(moment.yaw), np.sin(moment.yaw)])
        stride = float(np.arctan2(ahead @ apart[:2], self.figure.standing_height))
        striding = float(ahead @ parting[:2]) / self.figure.standing_height
        swing = 0.7 * self.arm_forward
        pose = self.figure.rest + stride * swing
        objectives += [momentum(self.momentum, self.momentum.at(kinematics), np.zeros(3), 3, rate=20.0,
                                weight=np.array([0.01, 0.01, 0.1])),
                       setpoint(self.pose, self.pose.at(kinematics), pose, 3,
                                kp=self.pose_kp, weight=self.pose_weight, velocity=striding * swing)]
        if len(self.arms):
            objectives.append(minimum_torque(self.arms, self.figure.nu, 3, weight=1e-3))
        return objectives

    def report(self) -> list[tuple[str, ...]]:
        return [] if self.problem is None else self.problem.table()


def _place(sole: SoleState) -> np.ndarray:
    """Middle of a sole, put down on the highest ground under it, (3,)."""
    place = sole.position.mean(axis=0)
    place[2] = float((sole.position - sole.height[:, None] * sole.normal)[:, 2].max())
    return place
