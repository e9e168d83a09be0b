"""Jump: crouch, thrust, fly, land, stand again; turned, with legs apart, or forward [delasa2011, section 4.2].

| stage | feet | centre of mass | leaves when |
|---|---|---|---|
| standing | held | over the feet, standing height | it has stood still for `rest` |
| compression | held | down by `crouch` | the time is up |
| thrust | held, heels rise at the end | target: take-off height at take-off speed | it is there |
| ascent | ankles about the COM | flies | it sinks |
| descent | ankles where they will catch it, level | flies | a sole touches |
| impact | held | stopped within a stroke | it rises |

Priorities as in `balance`: contacts 1, centre of mass 2, everything else 3. Lengths are for an adult; on another body
they scale with its height and times with the root of that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from gambol.behaviors.behavior import register
from gambol.behaviors.jump_gains import BearingGains, JumpGains
from gambol.behaviors.whole_body import WholeBodyBehavior, within_tick
from gambol.control.backends.whole_body import WholeBodyQP
from gambol.control.contact.objectives import hold_contacts, props_rest
from gambol.control.contact.patches import PatchState, patch_states
from gambol.control.contact.support import SupportPoints, support_points
from gambol.control.objectives import Objective, momentum, setpoint, target_acceleration
from gambol.control.pose_gains import pose_gains
from gambol.control.problem import LIMIT_RATE
from gambol.control.reference import SmoothReference
from gambol.control.solvers import SOLVERS
from gambol.errors import MissingRole
from gambol.features import Kinematics, Orientation, RelativePoints
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.planning import capture
from gambol.planning.footing import FootState, turned, way, yaw_matrix
from gambol.units import GRAVITY


class Stage(Enum):
    """Where it is in the jump; the bearing that goes with it is a gain."""

    STANDING = "standing"
    COMPRESSION = "compression"
    THRUST = "thrust"
    ASCENT = "ascent"
    DESCENT = "descent"
    IMPACT = "impact"

    @property
    def airborne(self) -> bool:
        return self in (Stage.ASCENT, Stage.DESCENT)


@register
class Jump(WholeBodyBehavior):
    """jumps on the spot, turned, with a kick or a split, or forward; lands, stands, jumps again"""

    needs = ("root", "trunk", "feet")

    @dataclass
    class Params(BaseParams):
        height: float = param(0.25, unit="m", low=0.05, high=0.45, doc="how high the centre of mass flies")
        crouch: float = param(0.18, unit="m", low=0.1, high=0.3, doc="how deep it crouches before")
        twist: float = param(0.0, unit="degrees", low=-180.0, high=180.0, doc="turn in the air, left positive")
        forward: float = param(0.0, unit="m", low=-0.3, high=0.6, doc="how far ahead it lands")
        kick: float = param(0.0, unit="degrees", low=-60.0, high=60.0, doc="legs apart in the air, fore and aft")
        split: float = param(0.0, unit="degrees", low=0.0, high=50.0, doc="legs apart in the air, sideways")
        rest: float = param(1.5, unit="s", low=0.0, high=10.0, doc="standing still between jumps; 0: only one jump")
        solver: str = param("prioritized", choices=tuple(SOLVERS), doc="strict priorities, or one weighted problem")

    presets = {"standing": {}, "twist 90": {"twist": 90.0},
               "twist 180": {"twist": 180.0, "height": 0.35, "crouch": 0.2},
               "scissor kick": {"kick": 45.0, "height": 0.35, "crouch": 0.22},
               "air split": {"split": 40.0, "height": 0.35, "crouch": 0.22},
               "forward": {"forward": 0.4}}

    Gains = JumpGains
    gains: JumpGains
    back_end: WholeBodyQP

    def start(self) -> None:
        super().start()
        figure, stages = self.figure, self.gains.stages
        self.bearings: dict[Stage, BearingGains] = {stage: getattr(stages, stage.value) for stage in Stage}
        if len(figure.soles) != 2:
            raise MissingRole(f"jump needs two feet; found {', '.join(s.role for s in figure.soles) or 'none'}")
        self.upright = {role: Orientation(figure, role) for role in ("root", "trunk", "head")
                        if role in figure.anatomy.bodies}
        self.foot_level = [Orientation(figure, sole.role) for sole in figure.soles]
        self.ankle = [RelativePoints(figure, sole.role, np.zeros(3)) for sole in figure.soles]
        self._tune_pose()
        self.heading = self.goal = figure.heading
        back = yaw_matrix(-self.heading)
        self.rest_turn = {role: back @ figure.data.xmat[f.body].reshape(3, 3) for role, f in self.upright.items()}
        self.foot_turn = [back @ figure.data.xmat[f.body].reshape(3, 3) for f in self.foot_level]
        self.stance = [back @ (figure.data.xpos[f.body] - figure.com) for f in self.ankle]
        self.side = [float(np.sign(offset[1])) for offset in self.stance]  # +1 left, -1 right
        self.bearing = SmoothReference(np.zeros(4), rate=stages.rate, limit=stages.most)  # arms, lean, toes, wind-up
        self.yaw, self.ground, self.left_ground = self.heading, 0.0, 0.0
        self.glide = SmoothReference(figure.com[2:])
        self.jumps = 0
        self.stage, self.since, self.still_since = Stage.STANDING, self.world.time, self.world.time

    def _tune_pose(self) -> None:
        """Legs bend and stretch as the COM needs it, and keep to their plane."""
        figure, gains = self.figure, self.gains.held
        axes = figure.data.xaxis[figure.model.dof_jntid[figure.joint_dofs]]
        forward = -axes[:, :2] @ way(figure.heading)[1]  # how much each joint swings a hanging limb forward
        legs = figure.joint_index(figure.anatomy.joints_of("hip", "knee", "ankle", "toes"))
        shoulders = figure.joint_index(figure.anatomy.joints_of("shoulder"))
        self.legs = np.zeros(figure.nu, dtype=bool)
        self.legs[legs] = True
        self.pose_kp, self.pose_weight = pose_gains(figure), np.ones(figure.nu)
        self.pose_weight[legs] = np.where(np.abs(forward[legs]) > 0.7, gains.swing_weight, gains.plane_weight)
        self.pose_kp[shoulders] = gains.shoulder_kp
        self.pose_kp = within_tick(self.pose_kp, self.tick_length)
        self.arm_forward = np.zeros(figure.nu)
        self.arm_forward[shoulders] = forward[shoulders]

    # -- one tick --------------------------------------------------------------------------------------------------

    def act(self) -> np.ndarray:
        kinematics = self.sense()
        soles = patch_states(kinematics, self.world.surfaces)
        self._advance(kinematics, soles)
        held = [self._held(sole) for sole in soles]
        support = support_points(soles, held, self.gains.support)
        objectives = self._carry(kinematics, support) + self._bear(kinematics)
        for side, mask in enumerate(held):
            objectives += self._point(kinematics, side, mask)
        thrust = self.stage is Stage.THRUST
        self.back_end.limit_rate = self.gains.thrust.limit_rate if thrust else LIMIT_RATE
        return self.back_end.torques(kinematics, support, objectives)

    def _held(self, sole: PatchState) -> np.ndarray:
        """Points of a foot that are to stay on the ground."""
        if self.stage.airborne or not sole.near.any():
            return FootState.SWING.held(sole)
        if self.stage is Stage.THRUST and self.figure.com[2] - self.ground > self._height(self.gains.thrust.heel_off):
            return FootState.HEEL_OFF.held(sole)
        return FootState.SUPPORT.held(sole)

    @property
    def speed(self) -> float:
        """Of the COM at take-off."""
        return float(np.sqrt(2 * GRAVITY * self.params.height * self.size))

    @property
    def take_off(self) -> float:
        """Height of the COM over the ground where the thrust ends."""
        return self._height(self.gains.thrust.take_off)

    def _height(self, above: float) -> float:
        """Height of the COM over the ground, given above standing."""
        return self.figure.standing_height + above * self.size

    def _flight_left(self, height: float, speed: float) -> float:
        """Time until the COM comes down to where the feet touch, s."""
        drop = max(height - self._height(-self.gains.flight.bent), 0.0)
        return float((speed + np.sqrt(max(speed**2 + 2 * GRAVITY * drop, 0.0))) / GRAVITY)

    # -- the state machine -----------------------------------------------------------------------------------------

    def _advance(self, kinematics: Kinematics, soles: list[PatchState]) -> None:
        now, velocity = self.world.time, kinematics.com_jacobian @ kinematics.rate
        near = [sole.near.any() for sole in soles]
        if not self.stage.airborne and any(near):
            self.ground = float(np.mean([sole.center[2] for sole, on in zip(soles, near, strict=True) if on]))
        height, spent = kinematics.com[2] - self.ground, now - self.since
        self.yaw += turned(self.figure.heading - self.yaw)
        if self.stage is not Stage.STANDING or np.linalg.norm(velocity) > self.gains.crouch.still * np.sqrt(self.size):
            self.still_since = now
        rest = self.params.rest if self.params.rest else np.inf
        leave: dict[Stage, Callable[[], bool]] = {
            Stage.STANDING: lambda: now - self.still_since > rest if self.jumps else spent > self.gains.crouch.first,
            Stage.COMPRESSION: lambda: spent > self.gains.crouch.time * np.sqrt(self.size),
            Stage.THRUST: lambda: height > self.take_off - 0.005 or not any(near) or spent > 0.6,
            Stage.ASCENT: lambda: velocity[2] <= 0,
            Stage.DESCENT: lambda: any((sole.height < 0.002).any() for sole in soles),
            Stage.IMPACT: lambda: velocity[2] >= -self.gains.impact.over * np.sqrt(self.size)}
        if leave[self.stage]():
            self._enter(list(Stage)[(list(Stage).index(self.stage) + 1) % len(Stage)], kinematics, height, velocity)
        left, spent = self._flight_left(height, velocity[2]), now - self.left_ground
        self.flown = spent / (spent + left + 1e-6) if self.stage.airborne else 1.0
        self.thrust_left = max(2 * (self.take_off - height) / (self.speed + max(velocity[2], 0.0)), 0.04)
        bearing, crouch, lean, windup = self.bearings[self.stage], self.gains.crouch, 0.0, 0.0
        if self.stage is Stage.COMPRESSION:
            lean, windup = crouch.lean * self.params.crouch, -crouch.windup * np.radians(self.params.twist)
        self.bearing.toward(np.array([bearing.arms, bearing.lean + lean, bearing.toes, windup]), self.tick_length)

    def _enter(self, stage: Stage, kinematics: Kinematics, height: float, velocity: np.ndarray) -> None:
        self.stage, self.since = stage, self.world.time
        if stage is Stage.COMPRESSION:
            self.jumps, self.goal = self.jumps + 1, self.heading + np.radians(self.params.twist)
        elif stage is Stage.ASCENT:
            self.left_ground = self.world.time
        elif stage is Stage.IMPACT:
            self.heading = self.goal
            gains = self.gains.impact
            stroke = np.clip(velocity[2]**2 / (2 * gains.softness), gains.least_stroke, gains.most_stroke * self.size)
            self.bottom = height - float(stroke)
        elif stage is Stage.STANDING:
            self.glide = SmoothReference(kinematics.com[2:])
            self.glide.velocity = velocity[2:]

    # -- carrying the centre of mass -------------------------------------------------------------------------------

    def _carry(self, kinematics: Kinematics, support: SupportPoints) -> list[Objective]:
        """Contacts, and the acceleration of the COM that follows from where the pressure should be."""
        if not support.count:
            return []
        com = self.com.at(kinematics)
        up = self._lift(com.value[2] - self.ground, com.velocity[2])
        points = support.position[:, :2]
        middle = points[support.ends].mean(axis=0)
        if self.stage is Stage.COMPRESSION:
            forward = self.gains.crouch.forward + self.gains.crouch.forward_share * self.params.forward
            middle = middle + forward * self.size * way(self.heading)[0]
        rate = np.sqrt(max(GRAVITY + up, 3.0) / max(com.value[2] - self.ground, 0.1))
        point = capture.capture_point(com.value[:2], com.velocity[:2], rate)
        pressure = capture.correcting_pressure(point, middle, middle, rate, self.gains.held.capture_gain)
        if self.stage is Stage.THRUST:
            pressure = com.value[:2] - (self._drift() - com.velocity[:2]) / self.thrust_left / rate**2
        axes = way(self.figure.heading)
        low, high = (points @ axes.T).min(axis=0), (points @ axes.T).max(axis=0)
        margin = self.gains.held.inside * (high - low)
        pressure = np.clip(axes @ pressure, low + margin, high - margin) @ axes
        flat = rate**2 * (com.value[:2] - pressure)
        return [hold_contacts(support), *props_rest(support),
                Objective("com", 2, com.jacobian[:2], flat - com.bias[:2]),
                Objective("com height", 2, com.jacobian[2:], np.array([up]) - com.bias[2:])]

    def _drift(self) -> np.ndarray:
        """Horizontal speed wanted at take-off."""
        flight = self._flight_left(self.take_off, self.speed)
        speed = self.params.forward * self.size / (flight + self.gains.flight.catch * np.sqrt(self.size))
        if self.figure.com[2] - self.ground < self._height(self.gains.thrust.heel_off):
            speed += self.gains.thrust.toe_loss * np.sqrt(self.size)
        return speed * way(self.heading)[0]

    def _lift(self, height: float, speed: float) -> float:
        """Vertical acceleration wanted of the COM."""
        tall, spent = self.figure.standing_height, self.world.time - self.since
        if self.stage is Stage.COMPRESSION:
            low = tall - self.params.crouch * self.size
            return float(target_acceleration(np.array([height]), np.array([speed]), np.array([low]), np.zeros(1),
                                             self.gains.crouch.time * np.sqrt(self.size) - spent)[0])
        if self.stage is Stage.THRUST:
            return (self.speed**2 - speed * abs(speed)) / (2 * max(self.take_off - height, 0.01))
        if self.stage is Stage.IMPACT:
            return speed**2 / (2 * max(height - self.bottom, 0.03))
        glide, kp = self.glide, self.gains.crouch.height_kp
        glide.toward(np.array([self.ground + tall]), self.tick_length)
        return float((kp * (glide.value - self.ground - height) + 2.0 * np.sqrt(kp) * (glide.velocity - speed)
                      + glide.acceleration)[0])

    def _point(self, kinematics: Kinematics, side: int, held: np.ndarray) -> list[Objective]:
        """A foot that does not stand flat: how it is turned and, in the air, where its ankle is about the COM."""
        if held.all():
            return []
        foot, ankle, toes, gains = self.foot_level[side], self.ankle[side], self.bearing.value[2], self.gains
        if held.any():  # on the toes
            turn = yaw_matrix(self.heading, toes) @ self.foot_turn[side]
            rise = setpoint(foot, foot.at(kinematics), turn, 3, kp=gains.thrust.heel_kp)
            across = np.array([[*way(self.heading)[1], 0.0]])
            return [Objective("heel rise", 3, across @ rise.rows, across @ rise.target, gains.thrust.heel_weight)]
        velocity, legs = kinematics.com_jacobian @ kinematics.rate, self._legs(side)
        lead = gains.flight.lead * self.flown
        yaw = self.yaw + float(np.clip(self.goal - self.yaw, -lead, lead))
        lift = (gains.flight.bent if self.stage.airborne else -gains.impact.feel) * self.size
        offset = yaw_matrix(yaw) @ legs @ (self.stance[side] + [0.0, 0.0, lift])
        offset[:2] += gains.flight.catch * velocity[:2]
        level = yaw_matrix(yaw) @ legs @ yaw_matrix(0.0, toes) @ self.foot_turn[side]
        kp, weight = gains.impact.feel_kp, gains.impact.feel_weight
        if self.stage.airborne:
            kp, weight = gains.flight.ankle_kp, gains.flight.ankle_weight
        return [setpoint(ankle, ankle.at(kinematics), offset, 3, kp=kp, weight=weight),
                setpoint(foot, foot.at(kinematics), level, 3, kp=gains.flight.foot_kp, weight=gains.flight.foot_weight)]

    def _legs(self, side: int) -> np.ndarray:
        """How a leg is turned from hanging down, in the frame of the hips: out and back again within the flight."""
        if not self.stage.airborne:
            return np.eye(3)
        apart = np.sin(np.pi * min(self.flown / self.gains.flight.apart_for, 1.0)) * self.side[side]
        kick, split = -apart * np.radians(self.params.kick), apart * np.radians(self.params.split)
        c, s = np.cos(split), np.sin(split)
        return yaw_matrix(0.0, kick) @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])

    # -- trunk, head, arms, calm -----------------------------------------------------------------------------------

    def _bear(self, kinematics: Kinematics) -> list[Objective]:
        gains = self.gains.held
        objectives = [self._upright(kinematics, role, share, weight)
                      for role, share, weight in (("root", 1.0, gains.trunk_weight), ("trunk", 1.0, gains.trunk_weight),
                                                  ("head", gains.head_lean, gains.head_weight))
                      if role in self.upright]
        pose = self.figure.rest + self.bearing.value[0] * self.arm_forward
        weight = self.pose_weight
        if self.stage.airborne:
            weight = np.where(self.legs, self.gains.flight.legs_weight, weight)
        objectives.append(setpoint(self.pose, self.pose.at(kinematics), pose, 3, kp=self.pose_kp, weight=weight))
        return objectives if self.stage.airborne else objectives + self._spin(kinematics)

    def _upright(self, kinematics: Kinematics, role: str, share: float, weight: float) -> Objective:
        """A part's lean; its turn about the vertical too, unless momentum has that."""
        feature, thrust = self.upright[role], self.stage is Stage.THRUST
        free = self.stage.airborne or (thrust and self.goal != self.heading)
        _, lean, _, windup = (0.0, self.bearings[self.stage].lean, 0.0, 0.0) if thrust else self.bearing.value
        yaw = (self.yaw if free else self.heading) + windup * (self.gains.held.hips_windup if role == "root" else 1.0)
        reference, state = yaw_matrix(yaw, share * lean) @ self.rest_turn[role], feature.at(kinematics)
        upright = setpoint(feature, state, reference, 3, kp=self.gains.held.upright_kp, weight=weight)
        if thrust:  # there at take-off and no sooner: swung up faster, it would take the whole body with it
            error = feature.error(state.value, reference)
            pull = target_acceleration(0.0 * error, state.velocity, error, 0.0 * error, self.thrust_left)
            upright = Objective(feature.name, 3, state.jacobian, pull - state.bias, weight)
        return Objective(upright.name, 3, upright.rows[:2], upright.target[:2], weight) if free else upright

    def _spin(self, kinematics: Kinematics) -> list[Objective]:
        """Angular momentum: calm; in a thrust none is left at take-off but what the twist needs."""
        state, gains, hold = self.momentum.at(kinematics), self.gains.thrust, self.gains.held
        if self.stage is not Stage.THRUST:
            weight = np.array([hold.tumble_weight, hold.tumble_weight, hold.spin_weight])
            return [momentum(self.momentum, state, np.zeros(3), 3, rate=hold.calm_rate, weight=weight)]
        flight = self._flight_left(self.take_off, self.speed)
        wanted = np.array([0.0, 0.0, self._yaw_inertia(kinematics) * (self.goal - self.yaw) / flight])
        spin = momentum(self.momentum, state, wanted, 3, rate=1 / self.thrust_left)
        return [Objective("tumble", 3, spin.rows[:2], spin.target[:2],
                          gains.calm * min(gains.calm_time * np.sqrt(self.size) / self.thrust_left, 1.0)**2),
                Objective("twist", 2, spin.rows[2:], spin.target[2:])]

    def _yaw_inertia(self, kinematics: Kinematics) -> float:
        """About the vertical through the COM, of the body as it is now, kg m2."""
        figure, up = self.figure, np.array([0.0, 0.0, 1.0])
        if not figure.floating:  # in a plane nothing turns
            return 0.0
        turning = np.zeros(figure.nv)
        turning[:3] = np.cross(up, figure.data.xpos[figure.top] - kinematics.com)
        turning[3:6] = figure.data.xmat[figure.top].reshape(3, 3).T @ up
        return float(kinematics.momentum_matrix[2] @ turning)
