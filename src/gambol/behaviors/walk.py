"""Walk: feet step in turn, the centre of mass is carried along, everything else follows (Table 4.3 of the source).

| priority | objective | reference |
|---|---|---|
| 1 | contact | the sole points that each foot's state holds |
| 2 | com, along the ground | pressure-point feedback on the capture point (our addition, see docs/walk.md) |
| 2 | com height | held, lower for longer steps (our addition) |
| 3 | swing heel and toe | target objectives to the landing place |
| 3 | hips, trunk | upright, turning against each other; the neck `lean` ahead of the com |
| 3 | angular momentum, pose, arms, head | calm; rest pose; little torque; facing the way |

Each foot is in one of four states: swing, plant, support, heel off. Lengths are for an adult; on another body they
scale with its height and times with the root of that.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.behaviors.balance import FRICTION, SOLVERS, hold_contacts, pose_gains
from gambol.behaviors.behavior import Behavior, Steering, register
from gambol.control.contacts import SoleState, sole_states, support_points
from gambol.control.objectives import Objective, minimum_torque, momentum, setpoint, target_acceleration
from gambol.control.problem import WholeBodyProblem
from gambol.errors import MissingRole
from gambol.features import AngularMomentum, CenterOfMass, Kinematics, Orientation, Pose, RelativePoints
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.planning import capture
from gambol.planning.footing import FootSize, FootState, turned, way, yaw_matrix
from gambol.planning.stepping import Step, adapt_step

ADULT_HEIGHT = 1.0
"""COM height of the body that the lengths in Params are meant for, m."""
DOUBLE_SUPPORT = 0.08
CAPTURE_GAIN = 3.0
TURN_RATE = np.radians(20)
LONGER, SHORTER = 0.13, 0.06
"""Most that a step is longer or shorter than the one before, m: braking takes more steps than starting."""
FREEZE = 0.05
"""The landing place is not changed any more in the last moments of a swing, s."""
LANDING_SPEED = -0.3
STRAIGHT = 0.97
"""Share of its length to which a standing leg may stretch."""
BEARING_WEIGHT, ARM_WEIGHT = 10.0, 0.3
LEG_KP, LEG_WEIGHT = 2000.0, 0.02
"""Rest pose of the legs: stiff for all joints alike, but of little weight, so that it does not hold back the swing."""
SWING_WEIGHT, PITCH_WEIGHT = 200.0, 20.0
FOOT_SPEED, SOONEST, LATEST, LIFT_TIME = 4.0, 0.6, 1.25, 0.06
LIMIT_RATE = 60.0
ROLL, SINKING = 0.25, 0.3
HEEL_RISE = 0.3
HEEL_WEIGHT, HEEL_MARGIN, HEEL_KP, TOES = 10.0, 0.05, 0.0, 200.0
HEIGHT_KP = 100.0
COM_HEIGHT, COM_DROP = 1.0, 0.2
"""COM height of the walk, as a share of standing: this, less this times the step length (m) squared."""
HEEL_FIRST = 0.7
"""Slope of the foot when the heel lands, per second that the toe is late."""
FOLD = 0.5
"""The knee of a leg that starts to swing is bent by this much more, rad: a straight leg cannot lift its foot."""
TWIST = 0.25
"""Hips turn with the legs, shoulders against them, by this share of the angle between the legs."""


@register
class Walk(Behavior):
    """walks: step length and duration, swing height, lean, heading; parameters may change while it walks"""

    needs = ("root", "trunk", "feet")
    steering = Steering(heading="heading", pace="step_length")

    @dataclass
    class Params(BaseParams):
        step_length: float = param(0.4, unit="m", low=0.0, high=0.7, doc="how far each step goes")
        swing_duration: float = param(0.5, unit="s", low=0.3, high=0.7, doc="how long a foot is in the air")
        swing_height: float = param(0.05, unit="m", low=0.0, high=0.1, doc="how high the foot is lifted")
        foot_spread: float = param(0.02, unit="m", low=0.0, high=0.03, doc="how far the feet are apart, each side")
        swing_delay: float = param(0.1, unit="s", low=0.0, high=0.3, doc="how much later the toe lands than the heel")
        hip_shift: float = param(0.0, unit="m", low=0.0, high=0.3, doc="how far the hips sway over the standing foot")
        lean: float = param(0.0, unit="m", low=-0.3, high=0.3, doc="how far the neck is ahead of the centre of mass")
        crouch: float = param(0.0, unit="m", low=0.0, high=0.15, doc="how much lower it walks")
        head_turn: float = param(0.0, unit="degrees", low=-180.0, high=180.0, doc="where it looks, to the left")
        head_nod: float = param(0.0, unit="degrees", low=-60.0, high=60.0, doc="where it looks, downward")
        arm_swing: float = param(0.7, low=0.0, high=1.5, doc="how far the arms swing against the legs")
        heading: float = param(0.0, unit="degrees", low=-180.0, high=180.0, doc="which way to go")
        solver: str = param("prioritized", choices=tuple(SOLVERS), doc="strict priorities, or one weighted problem")

    presets = {"normal": {"step_length": 0.4, "swing_duration": 0.5},
               "fast": {"step_length": 0.6, "swing_duration": 0.4},
               "slow": {"step_length": 0.25, "swing_duration": 0.65},
               "sad": {"step_length": 0.25, "swing_duration": 0.65, "lean": 0.1, "head_nod": 35.0, "arm_swing": 0.2,
                       "crouch": 0.04},
               "in place": {"step_length": 0.0}}

    def start(self) -> None:
        figure = self.figure
        if len(figure.soles) != 2:
            raise MissingRole(f"walk needs two feet; found {', '.join(s.role for s in figure.soles) or 'none'}")
        self.size = figure.standing_height / ADULT_HEIGHT
        self.foot = FootSize.of(figure)
        side = figure.soles[0].role.removesuffix("foot")
        hip, knee, ankle = (figure.data.xpos[figure.body_id(f"{side}{part}")] for part in ("thigh", "shank", "foot"))
        self.leg_length = float(np.linalg.norm(hip - knee) + np.linalg.norm(knee - ankle))
        self.ankle_height = float(-figure.soles[0].points[:, 2].mean())
        self.ankle_back = float(figure.soles[0].points[:, 0].mean())
        self.kinematics = Kinematics(figure)
        self.com, self.momentum, self.pose = CenterOfMass(), AngularMomentum(), Pose(figure)
        self.orientations = {role: Orientation(figure, role) for role in ("root", "trunk", "head")
                             if role in figure.anatomy.bodies}
        neck = figure.data.xpos[figure.body_id("head" if "head" in figure.anatomy.bodies else "trunk")]
        self.neck_height = max(float(neck[2] - figure.com[2]), 0.1 * self.size)
        self.hips = RelativePoints(figure, "root", np.zeros(3))
        self.foot_orientations = [Orientation(figure, sole.role) for sole in figure.soles]
        self.solvers = {name: kind() for name, kind in SOLVERS.items()}
        self.problem: WholeBodyProblem | None = None
        self._tune_pose()
        self.heading = figure.heading
        self.rest_turn = {name: yaw_matrix(-self.heading) @ figure.data.xmat[f.body].reshape(3, 3)
                          for name, f in self.orientations.items()}
        self.foot_turn = [yaw_matrix(-self.heading) @ figure.data.xmat[f.body].reshape(3, 3)
                          for f in self.foot_orientations]
        self.hips_rest = way(self.heading) @ self.hips.at(self.kinematics).value[:2]
        self.states = [FootState.SUPPORT, FootState.SUPPORT]
        self.side = self._sides()
        self.folds = [self._fold(sole.role.removesuffix("foot")) for sole in figure.soles]
        self.ankles = [figure.joint_index(figure.anatomy.joints.get(sole.role.removesuffix("foot") + "ankle", ()))
                       for sole in figure.soles]
        self.phase, self.since, self.swing = "shift", self.world.time, 1
        self.steps, self.length = 0, 0.0
        self._plan_step()
        self.came_from = figure.com[:2]
        self.landing, self.lands = np.zeros(2), self.duration

    def _sides(self) -> list[float]:
        """+1 for the foot on the left of the way, -1 for the right one."""
        points = [self.figure.data.xpos[sole.body][:2] for sole in self.figure.soles]
        left = (way(self.heading) @ (points[0] - points[1]))[1]
        return [1.0, -1.0] if left > 0 else [-1.0, 1.0]

    def _tune_pose(self) -> None:
        figure = self.figure
        self.pose_kp = pose_gains(figure)
        self.pose_weight = np.ones(figure.nu)
        legs = figure.joint_index(figure.anatomy.joints_of("hip", "knee", "ankle"))
        self.pose_kp[legs], self.pose_weight[legs] = LEG_KP, LEG_WEIGHT
        self.arms = figure.joint_index(figure.anatomy.arm_joints)
        self.pose_weight[self.arms] = ARM_WEIGHT
        self.arm_forward = np.zeros(figure.nu)
        for side, sign in (("left", -1.0), ("right", 1.0)):  # against the leg of the same side
            joints = figure.joint_index(figure.anatomy.joints.get(f"{side}_shoulder", ()))
            self.arm_forward[joints] = sign * self._forward_share(joints)

    def _fold(self, side: str) -> np.ndarray:
        """Direction in joint space, (nu,), that bends a leg's knee so that the leg gets shorter."""
        figure, fold = self.figure, np.zeros(self.figure.nu)
        for joint in figure.joint_index(figure.anatomy.joints.get(f"{side}knee", ())):
            reach = []
            scratch = mujoco.MjData(figure.model)
            for bend in (-0.2, 0.2):
                scratch.qpos[:] = figure.data.qpos
                scratch.qpos[figure.joint_qpos[joint]] += bend
                mujoco.mj_kinematics(figure.model, scratch)
                ends = (figure.body_id(f"{side}thigh"), figure.body_id(f"{side}foot"))
                reach.append(np.linalg.norm(scratch.xpos[ends[0]] - scratch.xpos[ends[1]]))
            fold[joint] = np.sign(reach[0] - reach[1])
        return fold

    def _forward_share(self, joints: np.ndarray) -> np.ndarray:
        """How much each joint swings a hanging limb forward: the part of its axis that points to the right."""
        axes = self.figure.data.xaxis[self.figure.model.dof_jntid[self.figure.joint_dofs[joints]]]
        right = -way(self.figure.heading)[1]
        return axes[:, :2] @ right

    # -- one tick --------------------------------------------------------------------------------------------------

    def act(self) -> np.ndarray:
        kinematics = self.kinematics.refresh()
        soles = sole_states(kinematics, self.world.terrain)
        self._turn()
        self._advance(kinematics, soles)
        held = [state.held(sole.near) for state, sole in zip(self.states, soles, strict=True)]
        support = support_points(soles, held, FRICTION)
        objectives = [*self._carry(kinematics, soles), *self._swing_objectives(kinematics, soles),
                      *self._heels(soles),
                      *self._bearing(kinematics, soles)]
        if support.count:
            objectives.append(hold_contacts(support))
        self.problem = WholeBodyProblem(kinematics, support, objectives, LIMIT_RATE)
        return self.solvers[self.params.solver].torques(self.problem)

    def _turn(self) -> None:
        wanted = turned(np.radians(self.params.heading) - self.heading)
        step = TURN_RATE * self.world.tick_length
        self.heading = turned(self.heading + float(np.clip(wanted, -step, step)))

    # measures of the step that is being made, scaled to this body

    def _plan_step(self) -> None:
        """Take over the parameters, for the step that begins: lengths change by a little a step, not in mid-air."""
        params = self.params
        self.length += float(np.clip(params.step_length * self.size - self.length, -SHORTER * self.size,
                                     LONGER * self.size))
        self.width = (0.13 + 2 * params.foot_spread) * self.size
        wanted = params.swing_duration * float(np.sqrt(self.size))
        self.duration: float = wanted if self.steps == 0 else self.duration + float(
            np.clip(wanted - self.duration, -0.05, 0.05))

    @property
    def double(self) -> float:
        return DOUBLE_SUPPORT * np.sqrt(self.size)

    @property
    def com_height(self) -> float:
        step = self.length / self.size
        return self.figure.standing_height * (COM_HEIGHT - COM_DROP * step**2) - self.params.crouch * self.size

    # -- the state machine of the feet -----------------------------------------------------------------------------

    def _advance(self, kinematics: Kinematics, soles: list[SoleState]) -> None:
        now = self.world.time - self.since
        swing, stance = self.swing, 1 - self.swing
        if self.phase == "shift":
            offset = way(self.heading) @ (self._capture(kinematics, soles[stance])[0] - soles[stance].center[:2])
            if (abs(offset[1]) < 0.03 * self.size and now > 0.3) or now > 1.5:
                self._begin_swing()
        elif self.phase == "swing":
            if self._has_landed(soles[swing], now):
                self._raise_heel(stance, soles)
                self.states[swing] = FootState.PLANT
                self.phase, self.since = "double", self.world.time
                self.steps += 1
                self.swing = stance
            elif self._over_toes(kinematics, soles[stance]) and self._ankle_room(stance) < HEEL_MARGIN:
                self._raise_heel(stance, soles)
        elif self.phase == "double" and now > self.double:
            self.states[stance] = FootState.SUPPORT
            self._begin_swing()

    def _has_landed(self, sole: SoleState, now: float) -> bool:
        """Touching, not rising, and where it should be: a toe that brushes the ground on its way does not count."""
        near = np.linalg.norm(sole.center[:2] - self.landing) < 0.1 * self.size
        due = now > (0.5 if near else 0.9) * self.lands
        return due and bool((sole.height < 0.002).any()) and float(sole.velocity[:, 2].mean()) < 0.05

    def _over_toes(self, kinematics: Kinematics, sole: SoleState) -> bool:
        toes = sole.position[len(sole.height) // 2:, :2].mean(axis=0)
        return bool(way(self.heading)[0] @ (kinematics.com[:2] - toes) > TOES)

    def _raise_heel(self, foot: int, soles: list[SoleState]) -> None:
        if self.states[foot] is not FootState.HEEL_OFF:
            self.states[foot], self.heel_off, self.heel_place = FootState.HEEL_OFF, self.world.time, soles[foot].center

    def _ankle_room(self, foot: int) -> float:
        """How far a foot's ankle is from the nearest end of its range, rad."""
        joints = self.ankles[foot]
        if not len(joints):
            return np.inf
        low, high = self.figure.joint_limits
        angle = self.figure.angles[joints]
        return float(np.minimum(angle - low[joints], high[joints] - angle).min())

    def _begin_swing(self) -> None:
        self._plan_step()
        self.phase, self.since, self.lands = "swing", self.world.time, self.duration
        self.states[self.swing], self.states[1 - self.swing] = FootState.SWING, FootState.SUPPORT

    # -- carrying the centre of mass -------------------------------------------------------------------------------

    def _capture(self, kinematics: Kinematics, stance: SoleState) -> tuple[np.ndarray, float]:
        rate = capture.natural_rate(kinematics.com[2] - stance.center[2])
        velocity = kinematics.com_jacobian @ kinematics.rate
        return capture.capture_point(kinematics.com[:2], velocity[:2], rate), rate

    def _carry(self, kinematics: Kinematics, soles: list[SoleState]) -> list[Objective]:
        """Acceleration of the COM along the ground that follows from where the pressure should be, and its height."""
        stance, other = soles[1 - self.swing], soles[self.swing]
        axes = way(self.heading)
        point, rate = self._capture(kinematics, stance)
        foot = stance.center[:2] if self.states[1 - self.swing] is not FootState.HEEL_OFF else self.heel_place[:2]
        now = self.world.time - self.since
        low, high = self._reach(axes @ foot)
        if self.phase == "shift":
            share = min(now / 0.5, 1.0)
            reference = self.came_from + share * (foot - self.came_from)
            pressure = reference + 3.0 * (point - reference)
            low, high = _union((low, high), self._reach(axes @ other.center[:2]))
        else:
            side, period = self.side[self.swing], self.duration + self.double
            if self.phase == "swing" and self.lands - now > FREEZE:
                self._adapt(axes @ (point - foot), rate, now, axes, foot, other)
            # the weight changes feet in the middle of the double support
            done = now + (0.5 if self.phase == "swing" else -0.5) * self.double
            left = max(self.lands + 0.5 * self.double - now if self.phase == "swing" else period - done, 0.0)
            # the pressure rolls from heel to toe while the foot stands
            roll, rolling = self._roll(done, left)
            place = np.array([self.length, side * self.width])
            arrival = place + self._offset(rate) - [rolling * left, 0.0]
            steady = roll + [rolling / rate, 0.0]
            reference = foot + (steady + (arrival - steady) * np.exp(-rate * left)) @ axes
            nominal = foot + roll @ axes
            if self.phase == "double":
                toe = other.center[:2] + 0.5 * self.foot.front * axes[0]
                nominal = toe + (nominal - toe) * min(1.0, now / self.double)
                low, high = _union((low, high), self._reach(axes @ toe))
            elif self.states[1 - self.swing] is FootState.HEEL_OFF:
                # on the toes alone, the pressure is on the line between them: any other wish would spin the body
                half = len(stance.height) // 2
                low[0] = high[0] = axes[0] @ stance.position[half:, :2].mean(axis=0)
            pressure = capture.correcting_pressure(point, reference, nominal, rate, CAPTURE_GAIN)
        pressure = np.clip(axes @ pressure, low, high) @ axes
        com = self.com.at(kinematics)
        flat = rate**2 * (kinematics.com[:2] - pressure)
        height = self.world.terrain.height(*foot) + self._height(kinematics, com.velocity, now)
        up = HEIGHT_KP * (height - kinematics.com[2]) - 2.0 * np.sqrt(HEIGHT_KP) * com.velocity[2]
        return [Objective("com", 2, com.jacobian[:2], flat - com.bias[:2]),
                Objective("com height", 2, com.jacobian[2:], np.array([up]) - com.bias[2:])]

    def _roll(self, done: float, left: float) -> tuple[np.ndarray, float]:
        """Where under the standing foot the pressure should be, (ahead, left) of its middle, and how fast it goes."""
        length = float(np.clip(ROLL * self.length, -1.2 * self.foot.back, 1.2 * self.foot.front))
        whole = done + left
        return np.array([length * (done / whole - 0.5), 0.0]), length / whole

    def _offset(self, rate: float) -> np.ndarray:
        """Usual place of the capture point relative to the middle of a foot that lands, (ahead, left)."""
        length = float(np.clip(ROLL * self.length, -1.2 * self.foot.back, 1.2 * self.foot.front))
        period = self.duration + self.double
        ahead, inward = capture.steady_offset(self.length - length, self.width, period, rate)
        return np.array([ahead - 0.5 * length + length / period / rate, -self.side[self.swing] * inward])

    def _height(self, kinematics: Kinematics, velocity: np.ndarray, now: float) -> float:
        """COM height over the ground: as wished, but within reach of the standing leg now and of the other one when it
        lands."""
        data, wish = self.figure.data, self.com_height
        above = kinematics.com[2]
        for foot in (0, 1):
            side = self.figure.soles[foot].role.removesuffix("foot")
            hip, ankle = data.xpos[self.figure.body_id(f"{side}thigh")], data.xpos[self.figure.body_id(f"{side}foot")]
            if foot != self.swing:
                reach = self._reachable(hip[:2] - ankle[:2])
                wish = min(wish, reach + above - hip[2])
            elif self.phase == "swing":
                left = max(self.lands - now, 0.0)
                behind = yaw_matrix(self.heading)[:2, 0] * self.ankle_back
                reach = self._reachable(hip[:2] + velocity[:2] * left - self.landing + behind)
                wish = min(wish, reach + above - hip[2] + SINKING * left)
        return wish

    def _reachable(self, away: np.ndarray) -> float:
        """Height of a hip over the ground when the leg is nearly straight and its ankle this far to the side."""
        upright = np.sqrt(max((STRAIGHT * self.leg_length) ** 2 - float(away @ away), 0.0))
        return self.ankle_height + float(upright)

    def _reach(self, center: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Corners of where the pressure may be under a foot, in the frame of the way."""
        back, front, half = 0.7 * self.foot.back, 0.8 * self.foot.front, 0.75 * self.foot.half_width
        return center - [back, half], center + [front, half]

    def _adapt(self, point: np.ndarray, rate: float, now: float, axes: np.ndarray, foot: np.ndarray,
               sole: SoleState) -> None:
        """Set place and time of the landing, within reach of the leg, on its own side."""
        side = self.side[self.swing]
        place = np.array([self.length, side * self.width])
        low, high = np.array([-0.5, 0.09 * side]) * self.size, np.array([0.75, 0.45 * side]) * self.size
        travel = float(np.linalg.norm(self.landing - sole.center[:2])) / (FOOT_SPEED * np.sqrt(self.size))
        least = max(SOONEST * self.duration - now, travel, FREEZE)
        exchange = 0.5 * self.double
        roll, rolling = self._roll(now + exchange, self.duration + exchange - now)
        steady = roll + [rolling / rate, 0.0]
        step = adapt_step(point - steady, steady, rolling, Step(place, self.duration - now + exchange),
                          self._offset(rate), rate,
                          (least + exchange, max(LATEST * self.duration - now, least) + exchange), np.minimum(low, high),
                          np.maximum(low, high), self.size)
        self.landing, self.lands = foot + step.place @ axes, now + step.time_left - exchange

    # -- the swing foot --------------------------------------------------------------------------------------------

    def _swing_objectives(self, kinematics: Kinematics, soles: list[SoleState]) -> list[Objective]:
        if self.phase != "swing":
            return []
        sole, now = soles[self.swing], self.world.time - self.since
        left, half = self.lands - now, len(sole.height) // 2
        ground = float(self.world.terrain.height(*self.landing))
        forward = way(self.heading)[0]
        value, velocity = sole.position.mean(axis=0), sole.velocity.mean(axis=0)
        rows, bias = sole.jacobian.mean(axis=0), sole.bias.mean(axis=0)
        # pitch of the foot as the height of its toe over its heel
        tilt, tilting = (np.array([x[half:, 2].mean() - x[:half, 2].mean()]) for x in (sole.position, sole.velocity))
        toe_up = self.params.swing_delay * HEEL_FIRST * (self.foot.back + self.foot.front)
        down = LANDING_SPEED * np.sqrt(self.size)
        if left > 0:
            flat = target_acceleration(value[:2], velocity[:2], self.landing, np.zeros(2), left)
            if now < 0.5 * self.lands:
                lift = ground + max(self.params.swing_height, 0.02) * self.size + 0.5 * abs(tilt[0])
                up = target_acceleration(value[2:], velocity[2:], np.array([lift]), np.zeros(1),
                                         max(0.5 * self.lands - now, LIFT_TIME))
            else:
                up = target_acceleration(value[2:], velocity[2:], np.array([ground + 0.5 * toe_up]), np.array([down]),
                                         left)
        else:
            flat, up = -20.0 * velocity[:2], 20.0 * (down - velocity[2:])
        # Accelerations in m/s2 stand against angular ones of the pose: on a small body they are small.
        objectives = [Objective("swing", 3, rows, np.concatenate([flat, up]) - bias, SWING_WEIGHT / self.size**2)]
        tipping = target_acceleration(tilt, tilting, np.array([toe_up]), np.zeros(1), max(left, LIFT_TIME))
        pitch = sole.jacobian[half:, 2].mean(axis=0) - sole.jacobian[:half, 2].mean(axis=0)
        drift = sole.bias[half:, 2].mean() - sole.bias[:half, 2].mean()
        objectives.append(Objective("swing pitch", 3, pitch[None], tipping - drift, PITCH_WEIGHT / self.size**2))
        feature = self.foot_orientations[self.swing]
        state = feature.at(kinematics)
        level = setpoint(feature, state, yaw_matrix(self.heading) @ self.foot_turn[self.swing], 3, kp=400.0)
        about = np.array([[*forward, 0.0], [0.0, 0.0, 1.0]])  # roll and yaw
        objectives.append(Objective("swing foot level", 3, about @ level.rows, about @ level.target, BEARING_WEIGHT))
        return objectives

    def _heels(self, soles: list[SoleState]) -> list[Objective]:
        """Heels of feet that stand on their toes rise steadily."""
        objectives = []
        for sole, state in zip(soles, self.states, strict=True):
            if state is FootState.HEEL_OFF:
                half = len(sole.height) // 2
                place, speed = sole.height[:half].mean(), sole.velocity[:half, 2].mean()
                rise = HEEL_RISE * np.sqrt(self.size)
                wanted = HEEL_KP * (rise * (self.world.time - self.heel_off) - place) + 2 * np.sqrt(HEEL_KP) * (rise - speed)
                rows, bias = sole.jacobian[:half, 2].mean(axis=0), sole.bias[:half, 2].mean()
                objectives.append(Objective("heel", 3, rows[None], np.array([wanted - bias]), HEEL_WEIGHT / self.size**2))
        return objectives

    # -- bearing: trunk, head, arms, calm --------------------------------------------------------------------------

    def _bearing(self, kinematics: Kinematics, soles: list[SoleState]) -> list[Objective]:
        axes = way(self.heading)
        ahead = axes[0] @ (soles[0].center - soles[1].center)[:2] * self.side[0]
        stride = float(np.arctan2(ahead, self.com_height))  # angle between the legs, left one ahead positive
        return [*self._facing(kinematics, stride), *self._posture(kinematics, axes), *self._calm(kinematics, stride)]

    def _facing(self, kinematics: Kinematics, stride: float) -> list[Objective]:
        """Hips, chest and head: hips turn with the legs, the chest against them, the head where it looks."""
        params, objectives = self.params, []
        lean = np.arctan2(params.lean * self.size, self.neck_height)
        turns = {"root": yaw_matrix(self.heading - TWIST * stride),
                 "trunk": yaw_matrix(self.heading + TWIST * stride, lean),
                 "head": yaw_matrix(self.heading + np.radians(np.clip(params.head_turn, -80.0, 80.0)),
                                    np.radians(params.head_nod))}
        gains = {"root": (200.0, BEARING_WEIGHT), "trunk": (200.0, BEARING_WEIGHT), "head": (300.0, 1.0)}
        for name, (kp, weight) in gains.items():
            if name in self.orientations:
                feature = self.orientations[name]
                objective = setpoint(feature, feature.at(kinematics), turns[name] @ self.rest_turn[name], 3, kp=kp,
                                     weight=weight)
                objectives.append(objective)
        return objectives

    def _posture(self, kinematics: Kinematics, axes: np.ndarray) -> list[Objective]:
        """How far the hips sway over the standing foot."""
        if self.params.hip_shift == 0.0 or self.phase != "swing":
            return []
        phase = np.clip((self.world.time - self.since) / self.duration, 0.0, 1.0)
        sway = -self.side[self.swing] * min(self.params.hip_shift, 0.1) * self.size * np.sin(np.pi * phase)
        return [self._along("hips", self.hips, kinematics, axes[1], self.hips_rest[1] + sway)]

    def _along(self, name: str, feature: RelativePoints, kinematics: Kinematics, axis: np.ndarray,
               reference: float) -> Objective:
        """A point relative to the COM, along one horizontal direction only."""
        state = feature.at(kinematics)
        row = np.array([*axis, 0.0])
        desired = 200.0 * (reference - row @ state.value) - 28.0 * (row @ state.velocity)
        return Objective(name, 3, (row @ state.jacobian)[None], np.array([desired - row @ state.bias]), BEARING_WEIGHT)

    def _calm(self, kinematics: Kinematics, stride: float) -> list[Objective]:
        """Little angular momentum, the rest pose, arms that swing against the legs, a knee that folds to swing."""
        pose = self.figure.rest + self.params.arm_swing * stride * self.arm_forward
        if self.phase == "swing" and self.world.time - self.since < 0.6 * self.duration:
            pose = pose + FOLD * self.folds[self.swing]
        objectives = [
            momentum(self.momentum, self.momentum.at(kinematics), np.zeros(3), 3, rate=20.0,
                     weight=np.array([0.01, 0.01, 0.1])),
            setpoint(self.pose, self.pose.at(kinematics), pose, 3, kp=self.pose_kp, weight=self.pose_weight)]
        if len(self.arms):
            objectives.append(minimum_torque(self.arms, self.figure.nu, 3, weight=1e-3))
        return objectives

    def report(self) -> list[tuple[str, ...]]:
        return [] if self.problem is None else self.problem.table()


Corners = tuple[np.ndarray, np.ndarray]


def _union(first: Corners, second: Corners) -> Corners:
    return np.minimum(first[0], second[0]), np.maximum(first[1], second[1])
