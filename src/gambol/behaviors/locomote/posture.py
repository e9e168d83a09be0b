"""How a walker holds itself: upright and turning as planned, calm, in its rest pose, arms against the legs."""

from __future__ import annotations

from math import sqrt

import numpy as np

from gambol.behaviors.limbs import Limbs
from gambol.control.contact.patches import PatchState
from gambol.control.objectives import Objective, minimum_torque, momentum, setpoint
from gambol.features import AngularMomentum, Kinematics, Orientation, Pose
from gambol.planning.contact_phase import Strides
from gambol.planning.footing import yaw_matrix
from gambol.planning.preview.plan import Moment, Plan
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Support

UPRIGHT = {"root": (200.0, 10.0), "trunk": (200.0, 10.0), "head": (300.0, 1.0)}
"""Stiffness and weight by which parts are held upright."""
SQUAT, DEEP = 0.85, 0.65
"""Shares of its resting length between which a leg is bent little and deeply."""
LIFTS, BOWS = (0.0, 0.1, 0.3, 0.45), (0.0, 0.7, 0.7, 1.0)
"""A deeply bent leg that has to lift the body, by so many metres of an adult, bends the trunk, by so many radians: its
ankle is at its stop, and only the trunk can bring the body forward."""
CALM, STRIDING, SPIN = 0.01, 0.002, 0.1
"""How much angular momentum along the ground counts, of who runs or stands and of who walks, and that about the
vertical, s2/(kg m2)2. A leg that swings far up has much of it, and to stop that takes the pressure away from where it
drives the body on; but a runner who comes down hard needs it stopped."""
ARMS_IN_AIR = 10.0
"""How much more the pose of the arms counts in the air: thrown back, they hit the edge that the body jumped from."""
ARM_SWING = 0.7
"""How far the arms swing, as a share of the angle between the legs."""


class Bearing:
    """Objectives of what neither carries nor swings a foot."""

    def __init__(self, limbs: Limbs) -> None:
        figure = limbs.figure
        self.limbs, self.momentum, self.pose = limbs, AngularMomentum(), Pose(figure)
        self.upright = {role: Orientation(figure, role) for role in UPRIGHT if figure.has(role)}
        self.rest_turn = {role: limbs.resting.xmat[part.body].reshape(3, 3).copy()
                          for role, part in self.upright.items()}

    def held(self, kinematics: Kinematics, soles: list[PatchState], plan: Plan, moment: Moment,
             strides: Strides, low: bool) -> list[Objective]:
        """As the plan has it at a moment; `low` is a runner who is low or comes down hard."""
        limbs, figure, objectives = self.limbs, self.limbs.figure, []
        up = np.array([0.0, 0.0, 1.0])
        turning, turn = moment.turning / limbs.pace * up, moment.turn / limbs.size * up
        bow = self.bow(plan, moment, strides)
        for role, feature in self.upright.items():
            kp, weight = UPRIGHT[role]
            facing = yaw_matrix(moment.yaw, 0.0 if role == "head" else bow)
            objectives.append(setpoint(feature, feature.at(kinematics), facing.dot(self.rest_turn[role]), 3, kp=kp,
                                       weight=weight, velocity=turning, acceleration=turn))
        ahead, tall = np.array([np.cos(moment.yaw), np.sin(moment.yaw)]), figure.standing_height
        apart = soles[0].center[:2] - soles[1].center[:2]
        parting = (soles[0].velocity - soles[1].velocity).sum(axis=0)[:2] / len(soles[0].height)
        stride, striding = float(np.arctan2(ahead @ apart, tall)), float(ahead @ parting) / tall
        swing, held = ARM_SWING * limbs.arm_forward, limbs.pose_weight
        calm = STRIDING if plan.gait is Gait.WALK and not low else CALM
        if strides.support is Support.FLIGHT:
            held = held.copy()
            held[limbs.arms] *= ARMS_IN_AIR
        objectives += [momentum(self.momentum, self.momentum.at(kinematics), np.zeros(3), 3, rate=20.0,
                                weight=np.array([calm, calm, SPIN])),
                       setpoint(self.pose, self.pose.at(kinematics), figure.rest + stride * swing, 3,
                                kp=limbs.pose_kp, weight=held, velocity=striding * swing)]
        if len(limbs.arms):
            objectives.append(minimum_torque(limbs.arms, figure.nu, 3, weight=1e-3))
        return objectives

    def bow(self, plan: Plan, moment: Moment, strides: Strides) -> float:
        """How far the trunk bends forward, rad: as the leg that carries is bent, if it is to lift the body."""
        limbs, stance, place = self.limbs, strides.stance, self.limbs.figure.data.xpos
        if strides.support is Support.FLIGHT:
            return 0.0
        lift = float(plan.preview.places[3][0, 2] - moment.com[2])
        leg = place[limbs.thighs[stance]] - place[limbs.feet[stance]]
        bent = (SQUAT - sqrt(leg.dot(leg)) / limbs.leg_lengths[stance]) / (SQUAT - DEEP)
        return min(max(bent, 0.0), 1.0) * float(np.interp(lift, LIFTS, BOWS))
