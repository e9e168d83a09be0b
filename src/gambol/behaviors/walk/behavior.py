"""Walk: feet step in turn, the centre of mass is carried along, everything else follows [delasa2011, table 4.3].

| priority | objective | reference |
|---|---|---|
| 1 | contact | the sole points that each foot's state holds |
| 2 | com height | held, lower for longer steps, within reach of both legs (our addition) |
| 3 | com, along the ground | the pressure point that the gait asks for (`planning/gait.py`, our addition) |
| 3 | swing | target objectives of heel and toe to the landing place |
| 3 | hips, trunk | upright, turning against each other; the neck `lean` ahead of the com |
| 3 | angular momentum, pose, arms, head | calm; rest pose; little torque; facing the way |

What was added to the published walk, and why: docs/walk.md. Lengths are for an adult; on another body they scale with
its height and times with the root of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, radians, sqrt

import numpy as np

from gambol.behaviors.behavior import Steering, register
from gambol.behaviors.carriage import Carriage, rest_turns, swing_ends
from gambol.behaviors.limbs import arms_against_legs, knee_fold, swing_inertia
from gambol.behaviors.walk.gains import WalkGains
from gambol.behaviors.whole_body import WholeBodyBehavior
from gambol.control.backends.whole_body import WholeBodyQP
from gambol.control.contact.objectives import hold_contacts, props_rest
from gambol.control.contact.patches import POSITION, VELOCITY, PatchState, middle_and_tilt, part_of, patch_states
from gambol.control.contact.support import support_points
from gambol.control.objectives import Objective, setpoint, target_acceleration
from gambol.control.pose_gains import walking_gains
from gambol.control.solvers import SOLVERS
from gambol.errors import MissingRole
from gambol.features import Kinematics, Orientation, Points, RelativePoints
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.planning import capture
from gambol.planning.footing import FootSize, FootState, Stand, Way, as_they_stand, stands, turned, yaw_matrix
from gambol.planning.gait import Gait, Phase, Wish
from gambol.units import GRAVITY
from gambol.world.walkable import walkable


@register
class Walk(WholeBodyBehavior):
    """walks: step length and duration, swing height, lean, heading; parameters may change while it walks"""

    needs = ("root", "trunk", "feet")
    steering = Steering(heading="heading", pace="step_length")

    @dataclass
    class Params(BaseParams):
        step_length: float = param(0.4, unit="m", low=0.0, high=0.7, doc="how far each step goes")
        swing_duration: float = param(0.5, unit="s", low=0.3, high=0.7,
                                      doc="how long a foot is in the air; longer if a leg is heavy for its body")
        swing_height: float = param(0.05, unit="m", low=0.0, high=0.1, doc="how high the foot is lifted")
        foot_spread: float = param(0.02, unit="m", low=0.0, high=0.03, doc="how far the feet are apart, each side")
        swing_delay: float = param(0.1, unit="s", low=0.0, high=0.3, doc="how much later the toe lands than the heel")
        hip_shift: float = param(0.0, unit="m", low=0.0, high=0.3,
                                 doc="how far the hips sway over the standing foot; does 0.1 at most")
        lean: float = param(0.0, unit="m", low=-0.3, high=0.3, doc="how far the neck is ahead of the centre of mass")
        crouch: float = param(0.0, unit="m", low=0.0, high=0.15, doc="how much lower it walks")
        head_turn: float = param(0.0, unit="degrees", low=-180.0, high=180.0,
                                 doc="where it looks, to the left; does 80 at most")
        head_nod: float = param(0.0, unit="degrees", low=-60.0, high=60.0, doc="where it looks, downward")
        arm_swing: float = param(0.7, low=0.0, high=1.5, doc="how far the arms swing against the legs")
        hands: str = param("swing", choices=("swing", "pockets"), doc="arms that swing, or hands in the pockets")
        heading: float = param(0.0, unit="degrees", low=-180.0, high=180.0, doc="which way to go")
        solver: str = param("prioritized", choices=tuple(SOLVERS),
                            doc="strict priorities; all in one weighted problem; strict by equality rows")

    presets = {"normal": {"step_length": 0.4, "swing_duration": 0.5},
               "fast": {"step_length": 0.6, "swing_duration": 0.4},
               "slow": {"step_length": 0.25, "swing_duration": 0.65},
               "sad": {"step_length": 0.25, "swing_duration": 0.65, "lean": 0.1, "head_nod": 35.0, "hands": "pockets",
                       "crouch": 0.02},
               "in place": {"step_length": 0.0}}

    Gains = WalkGains
    gains: WalkGains

    def make_back_end(self) -> WholeBodyQP:
        return WholeBodyQP(self.params, self.gains.body.limit_rate)

    def start(self) -> None:
        super().start()
        figure = self.figure
        if len(figure.soles) != 2:
            raise MissingRole(f"walk needs two feet; found {', '.join(s.role for s in figure.soles) or 'none'}")
        legs = [sole.role.removesuffix("foot") for sole in figure.soles]
        self.thighs, self.knees, self.feet = ([figure.body_id(f"{leg}{part}") for leg in legs]
                                              for part in ("thigh", "shank", "foot"))
        self.walkable = walkable(self.world.surfaces, self.figure)
        self._measure()
        self.stands = list(self.at_rest)
        self.hips = RelativePoints(figure, "root", np.zeros(3))
        self.hands = {side: Points(figure, role, np.zeros(3))
                      for side, role in ((1.0, "left_hand"), (-1.0, "right_hand"))
                      if role in figure.anatomy.bodies}
        self.foot_orientations = [Orientation(figure, sole.role) for sole in figure.soles]
        self.heading, self.lean = figure.heading, 0.0
        self.hips_rest = float((self.resting.xpos[self.hips.body] - self.resting.subtree_com[figure.top])[1])
        gains = self.gains
        self.carriage = Carriage(figure, rest_turns(figure, self.resting.xmat), *walking_gains(figure, gains.pose),
                                 gains.carriage, self.tick_length)
        self.calm_weight = np.array([gains.tumble_weight, gains.tumble_weight, gains.spin_weight])
        self.pocket = np.array([gains.pocket_ahead, gains.pocket_aside, gains.pocket_up])
        self.arm_forward = arms_against_legs(figure, self.resting)
        self.folds = [knee_fold(figure, leg) for leg in legs]
        self.gait = Gait(self.size, self.foot_sizes, self._sides(), self._wish(), self.world.time, figure.com,
                         self.least_swing, gains.gait)
        soles, along = patch_states(self.kinematics, self.world.surfaces), Way.of(self.heading)
        speed = float(along.ahead @ self.kinematics.com_velocity[:2])
        if speed > gains.under_way * np.sqrt(self.size) or any(not sole.touches for sole in soles):
            self.gait.join(self.world.time, soles, speed, along)

    def resized(self) -> None:
        self._measure()
        self.gait.size, self.gait.least = self.size, self.least_swing

    def _measure(self) -> None:
        """Lengths of the body that the walk needs; taken anew when the body grows while it walks."""
        figure = self.figure
        self.resting = figure.posed(figure.rest)
        place = self.resting.xpos
        self.at_rest = stands(figure)
        self.foot_turn = [self.resting.xmat[foot].reshape(3, 3).copy() for foot in self.feet]
        self.leg_lengths = [float(np.linalg.norm(place[hip] - place[knee]) + np.linalg.norm(place[knee] - place[ankle]))
                            for hip, knee, ankle in zip(self.thighs, self.knees, self.feet, strict=True)]
        foot = self.gains.foot
        self.least_swing = foot.heavy_swing * max(
            sqrt(swing_inertia(figure, self.resting, thigh)
                 / (figure.mass * GRAVITY * max(0.5 * np.ptp(sole.points[:, 0]), foot.point * self.size)))
            for thigh, sole in zip(self.thighs, figure.soles[::-1], strict=True))
        neck = place[figure.body_id("head" if "head" in figure.anatomy.bodies else "trunk")]
        self.neck_height = max(float(neck[2] - self.resting.subtree_com[figure.top][2]), 0.1 * self.size)

    @property
    def foot_sizes(self) -> list[FootSize]:
        return [stand.size for stand in self.stands]

    def _restand(self) -> None:
        """A foot that has come to rest otherwise stands like that when it next lands; its heel is let go at once."""
        for foot, (state, rest) in enumerate(zip(self.gait.states, self.at_rest, strict=True)):
            heel_up = bool((self.stands[foot].points & ~rest.points).any())
            if self.stands[foot] is not rest and (heel_up or state is FootState.SWING):
                self.stands[foot] = rest
                self.gait.feet = self.foot_sizes

    def _sides(self) -> list[float]:
        """+1 for the foot on the left of the way, -1 for the right one."""
        first, second = (self.resting.xpos[sole.body] for sole in self.figure.soles)
        return [1.0, -1.0] if first[1] > second[1] else [-1.0, 1.0]

    # -- one tick --------------------------------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """Steps made so far."""
        return self.gait.steps

    @property
    def double(self) -> float:
        """How long both feet carry, s."""
        return self.gait.double

    def _wish(self) -> Wish:
        return Wish(self.params.step_length, self.params.swing_duration, self.params.foot_spread)

    def act(self) -> np.ndarray:
        kinematics = self.sense()
        self._restand()
        soles = as_they_stand(patch_states(kinematics, self.world.surfaces), kinematics, self.stands)
        standing = [part_of(sole, stand.points) for sole, stand in zip(soles, self.stands, strict=True)]
        self._turn()
        along = Way.of(self.heading)
        objectives = [*self._carry(kinematics, standing, along), *self._swing(kinematics, soles, along),
                      *self._bearing(kinematics, standing, along)]
        held = [state.held(sole) & stand.points
                for state, sole, stand in zip(self.gait.states, soles, self.stands, strict=True)]
        support = support_points(soles, held, self.gains.support)
        if support.count:
            objectives += [hold_contacts(support), *props_rest(support)]
        return self.back_end.torques(kinematics, support, objectives)

    def _turn(self) -> None:
        wanted = turned(radians(self.params.heading) - self.heading)
        self.heading = turned(self.heading + _toward(0.0, wanted, self.gains.turn_rate * self.tick_length))

    # -- carrying the centre of mass -------------------------------------------------------------------------------

    def _carry(self, kinematics: Kinematics, soles: list[PatchState], along: Way) -> list[Objective]:
        """Acceleration of the COM along the ground that follows from where the pressure should be, and its height."""
        com, place = self.com.at(kinematics), kinematics.com
        ground = float(soles[self.gait.stance].center[2])
        rate = capture.natural_rate(float(place[2]) - ground)
        point = capture.capture_point(place[:2], com.velocity[:2], rate)
        time = self.world.time
        self.gait.advance(time, soles, point, along, self._wish())
        pressure = self.gait.pressure(time, soles, point, rate, along)
        flat = rate**2 * (place[:2] - pressure)
        height = ground + self._height(place, com.velocity, along)
        body = self.gains.body
        up = body.height_kp * (height - place[2]) - 2.0 * sqrt(body.height_kp) * com.velocity[2]
        return [Objective("com", 3, com.jacobian[:2], flat - com.bias[:2], body.com_weight),
                Objective("com height", 2, com.jacobian[2:], np.array([up]) - com.bias[2:])]

    @property
    def com_height(self) -> float:
        """Height of the COM that is aimed at, m."""
        step = self.gait.length / self.size
        return self.figure.standing_height * (1.0 - self.gains.body.com_drop * step**2) - self.params.crouch * self.size

    def _height(self, com: np.ndarray, velocity: np.ndarray, along: Way) -> float:
        """... within reach of the standing leg now, and of the other one where and when it lands."""
        place, gait = self.figure.data.xpos, self.gait
        hip = place[self.thighs[gait.stance]]
        height = self._reach(gait.stance, hip[:2] - place[self.feet[gait.stance]][:2]) + com[2] - hip[2]
        if gait.phase is Phase.SWING:
            left, hip = max(gait.left(self.world.time), 0.0), place[self.thighs[gait.swing]]
            ankle = gait.landing - self.foot_sizes[gait.swing].ahead * along.ahead
            over = self._reach(gait.swing, hip[:2] + velocity[:2] * left - ankle) + com[2] - hip[2]
            height = min(height, over + self.gains.body.sinking * left)
        return min(self.com_height, height)

    def _reach(self, leg: int, away: np.ndarray) -> float:
        """Height of a hip over the ground when its leg is nearly straight and the ankle this far to the side."""
        upright = max((self.gains.body.straight * self.leg_lengths[leg]) ** 2 - float(away.dot(away)), 0.0)
        return self.foot_sizes[leg].below + sqrt(upright)

    # -- the swing foot --------------------------------------------------------------------------------------------

    def _swing(self, kinematics: Kinematics, soles: list[PatchState], along: Way) -> list[Objective]:
        """The foot goes to its landing place and time; heel and toe land one after the other."""
        if self.gait.phase is not Phase.SWING:
            return []
        foot = self.gait.swing
        straight = yaw_matrix(self.heading).dot(self.foot_turn[foot])
        return [*self._swing_ends(soles[foot]),
                self.carriage.level(kinematics, self.foot_orientations[foot], straight, along.ahead)]

    def _swing_ends(self, sole: PatchState) -> list[Objective]:
        """Target objectives of heel and toe, as their middle and their difference in height.

        The difference, the pitch of the foot, weighs less: an ankle at the end of its range must not stop the leg.
        """
        stand, gains = self.stands[self.gait.swing], self.gains.foot
        (middle, tilt), (middle_rows, tilt_rows) = middle_and_tilt(sole, stand.heel)
        left = self.gait.left(self.world.time)
        toe_up = stand.tilt + self.params.swing_delay * gains.heel_first * stand.size.length
        going = self._going(middle[POSITION], middle[VELOCITY], left, _over_lowest(float(tilt[2]), stand),
                            _over_lowest(toe_up, stand))
        tipping = target_acceleration(tilt[2], tilt[5], toe_up, 0.0, max(left, gains.lift_time))
        return swing_ends(middle, middle_rows, going, gains.weight / self.size**2, tilt, tilt_rows, tipping,
                          gains.pitch_weight / self.size**2)

    def _going(self, place: np.ndarray, velocity: np.ndarray, left: float, over: float, landing: float
               ) -> np.ndarray:
        """Acceleration of the foot's middle: up in the first half, then down to the landing place.

        The middle is higher than the lowest end of the foot: by `over` now, by `landing` when it lands.
        """
        gait, gains = self.gait, self.gains.foot
        down = -gains.landing_speed * sqrt(self.size)
        if left <= 0:  # late: straight down
            return gains.late_braking * (np.array([0.0, 0.0, down]) - velocity)
        flat = target_acceleration(place[:2], velocity[:2], gait.landing, 0.0, left)
        ground = float(self.walkable.height(*gait.landing))
        to_go = left - 0.5 * gait.lands
        if to_go > 0:
            lift = ground + max(self.params.swing_height, gains.least_lift) * self.size + over
            goal, speed, time = lift, 0.0, max(to_go, gains.lift_time)
        else:
            goal, speed, time = ground + landing - gains.aim_below * self.size, down, left
        return np.concatenate([flat, target_acceleration(place[2:], velocity[2:], goal, speed, time)])

    # -- bearing: trunk, head, arms, calm --------------------------------------------------------------------------

    def _bearing(self, kinematics: Kinematics, soles: list[PatchState], along: Way) -> list[Objective]:
        apart = soles[0].center - soles[1].center
        parting = soles[0].drift - soles[1].drift
        # angle between the legs, left one ahead positive, and how fast it grows
        stride = atan2(along.ahead.dot(apart[:2]) * self.gait.sides[0], self.com_height)
        striding = float(along.ahead.dot(parting[:2])) * self.gait.sides[0] / self.com_height
        return [*self._facing(kinematics, stride), *self._sway(kinematics, along),
                *self._pockets(kinematics), *self._calm(kinematics, stride, striding)]

    def _facing(self, kinematics: Kinematics, stride: float) -> list[Objective]:
        """Hips, chest and head: hips turn with the legs, the chest against them, the head where it looks."""
        params, gains = self.params, self.gains
        look = radians(min(max(params.head_turn, -gains.most_head_turn), gains.most_head_turn))
        self.lean = _toward(self.lean, params.lean, gains.lean_rate * self.tick_length)
        lean = atan2(self.lean * self.size, self.neck_height)
        turns = {"root": yaw_matrix(self.heading - gains.twist * stride, gains.hip_lean * lean),
                 "trunk": yaw_matrix(self.heading + gains.twist * stride, gains.trunk_lean * lean),
                 "head": yaw_matrix(self.heading + look, radians(params.head_nod))}
        return self.carriage.facing(kinematics, turns)

    def _sway(self, kinematics: Kinematics, along: Way) -> list[Objective]:
        """The hips go to the side of the standing foot and back."""
        gait, gains = self.gait, self.gains
        if self.params.hip_shift == 0.0 or gait.phase is not Phase.SWING:
            return []
        share = min(max((self.world.time - gait.since) / gait.duration, 0.0), 1.0)
        sway = -gait.sides[gait.swing] * min(self.params.hip_shift, gains.most_sway) * self.size * np.sin(np.pi * share)
        state, row = self.hips.at(kinematics), np.array([*along.axes[1], 0.0])
        desired = (gains.sway_kp * (self.hips_rest + sway - row @ state.value)
                   - gains.sway_kv * (row @ state.velocity))
        return [Objective("hips", 3, (row @ state.jacobian)[None], np.array([desired - row @ state.bias]),
                          gains.sway_weight)]

    def _pockets(self, kinematics: Kinematics) -> list[Objective]:
        """Hands held at the hips, where pockets are."""
        if self.params.hands != "pockets":
            return []
        pelvis, objectives = kinematics.frame(self.figure.body_id("root")), []
        for side, hand in self.hands.items():
            local = yaw_matrix(self.heading) @ (self.pocket * [1.0, side, 1.0]) * self.size
            place, velocity = pelvis.position + local, pelvis.velocity + np.cross(pelvis.spin, local)
            objectives.append(setpoint(hand, hand.at(kinematics), place, 3, kp=self.gains.pocket_kp,
                                       velocity=velocity, weight=self.gains.pocket_weight))
        return objectives

    def _calm(self, kinematics: Kinematics, stride: float, striding: float) -> list[Objective]:
        """Little angular momentum, the rest pose, arms that swing against the legs, a knee that folds to swing."""
        swing = self.params.arm_swing * self.arm_forward * (self.params.hands == "swing")
        pose = self.figure.rest + stride * swing
        gait, foot = self.gait, self.gains.foot
        if gait.phase is Phase.SWING and self.world.time - gait.since < foot.folded_for * gait.duration:
            pose = pose + foot.fold * self.folds[gait.swing]
        return self.carriage.calm(kinematics, self.calm_weight, pose, striding * swing, self.carriage.pose_weight)

def _toward(value: float, goal: float, step: float) -> float:
    """A value moved toward a goal, by a step at most."""
    return value + min(max(goal - value, -step), step)


def _over_lowest(tilt: float, stand: Stand) -> float:
    """How much higher the middle of a foot is than its lower end, the toe being `tilt` over the heel."""
    return max((1.0 - stand.heel) * tilt, -stand.heel * tilt)
