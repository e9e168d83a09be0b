"""How a walker holds itself: upright and turning as planned, calm, in its rest pose, arms against the legs."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from gambol.behaviors.carriage import Carriage, CarriageGains, rest_turns
from gambol.behaviors.limbs import Limbs
from gambol.control.contact.patches import PatchState
from gambol.control.objectives import Objective
from gambol.control.pose_gains import WalkingPoseGains, walking_gains
from gambol.features import Kinematics
from gambol.gains import Gains
from gambol.params import param
from gambol.planning.contact_phase import Strides
from gambol.planning.footing import yaw_matrix
from gambol.planning.preview.plan import Moment, Plan
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Support


@dataclass(frozen=True)
class PostureGains(Gains):
    """How a walker holds itself."""

    carriage: CarriageGains = field(default=CarriageGains())
    pose: WalkingPoseGains = field(default=WalkingPoseGains())
    squat: float = param(0.85, low=0.5, high=1.0, doc="a leg of this share of its resting length is bent little")
    deep: float = param(0.65, low=0.3, high=0.95,
                        doc="one of this share is bent deeply: one that has to lift the body bends the trunk, for "
                            "its ankle is at its stop, and only the trunk can bring the body forward")
    lift_some: float = param(0.1, unit="m", low=0.0, high=0.3,
                             doc="a deeply bent leg that has to lift the body by this")
    lift_more: float = param(0.3, unit="m", low=0.0, high=0.6, doc="or up to this")
    bow: float = param(0.7, unit="rad", low=0.0, high=1.5, doc="bends the trunk by this")
    lift_most: float = param(0.45, unit="m", low=0.0, high=1.0, doc="one that has to lift it by this")
    bow_most: float = param(1.0, unit="rad", low=0.0, high=1.5, doc="bends it by this")
    calm: float = param(0.01, unit="s2/(kg m2)2", low=0.0, high=1.0,
                        doc="how much angular momentum along the ground counts, of who runs or stands: a runner who "
                            "comes down hard needs it stopped")
    striding: float = param(0.002, unit="s2/(kg m2)2", low=0.0, high=1.0,
                            doc="how much of who walks: a leg that swings far up has much of it, and to stop that "
                                "takes the pressure away from where it drives the body on")
    spin: float = param(0.1, unit="s2/(kg m2)2", low=0.0, high=10.0, doc="how much that about the vertical counts")
    arms_in_air: float = param(10.0, low=1.0, high=100.0,
                               doc="how much more the pose of the arms counts in the air: thrown back, they hit the "
                                   "edge that the body jumped from")
    arm_swing: float = param(0.7, low=0.0, high=1.5,
                             doc="how far the arms swing, as a share of the angle between the legs")


class Bearing:
    """Objectives of what neither carries nor swings a foot."""

    def __init__(self, limbs: Limbs, gains: PostureGains, tick: float) -> None:
        figure = limbs.figure
        self.limbs, self.gains = limbs, gains
        self.carriage = Carriage(figure, rest_turns(figure, limbs.resting.xmat), *walking_gains(figure, gains.pose),
                                 gains.carriage, tick)
        self.lifts = (0.0, gains.lift_some, gains.lift_more, gains.lift_most)
        self.bows = (0.0, gains.bow, gains.bow, gains.bow_most)

    def held(self, kinematics: Kinematics, soles: list[PatchState], plan: Plan, moment: Moment,
             strides: Strides, low: bool) -> list[Objective]:
        """As the plan has it at a moment; `low` is a runner who is low or comes down hard."""
        limbs, gains, carriage, figure = self.limbs, self.gains, self.carriage, self.limbs.figure
        up = np.array([0.0, 0.0, 1.0])
        turning, turn = moment.turning / limbs.pace * up, moment.turn / limbs.size * up
        bowed = yaw_matrix(moment.yaw, self.bow(plan, moment, strides))
        turns = {"root": bowed, "trunk": bowed, "head": yaw_matrix(moment.yaw, 0.0)}
        ahead, tall = np.array([np.cos(moment.yaw), np.sin(moment.yaw)]), figure.standing_height
        apart = soles[0].center[:2] - soles[1].center[:2]
        parting = (soles[0].velocity - soles[1].velocity).sum(axis=0)[:2] / len(soles[0].height)
        stride, striding = float(np.arctan2(ahead @ apart, tall)), float(ahead @ parting) / tall
        swing, held = gains.arm_swing * limbs.arm_forward, carriage.pose_weight
        calm = gains.striding if plan.gait is Gait.WALK and not low else gains.calm
        if strides.support is Support.FLIGHT:
            held = held.copy()
            held[carriage.arms] *= gains.arms_in_air
        return [*carriage.facing(kinematics, turns, turning, turn),
                *carriage.calm(kinematics, np.array([calm, calm, gains.spin]), figure.rest + stride * swing,
                               striding * swing, held)]

    def bow(self, plan: Plan, moment: Moment, strides: Strides) -> float:
        """How far the trunk bends forward, rad: as the leg that carries is bent, if it is to lift the body."""
        limbs, gains, stance, place = self.limbs, self.gains, strides.stance, self.limbs.figure.data.xpos
        if strides.support is Support.FLIGHT:
            return 0.0
        lift = float(plan.preview.places[3][0, 2] - moment.com[2])
        leg = place[limbs.thighs[stance]] - place[limbs.feet[stance]]
        bent = (gains.squat - sqrt(leg.dot(leg)) / limbs.leg_lengths[stance]) / max(gains.squat - gains.deep, 1e-3)
        return min(max(bent, 0.0), 1.0) * float(np.interp(lift, self.lifts, self.bows))
