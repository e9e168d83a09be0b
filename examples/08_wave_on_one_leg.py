"""Compose a behavior from objectives: it stands on one leg and waves, in forty lines.

A behavior is a list of wishes, each a feature with a reference, a priority and a weight; the solver finds torques that
fulfil the important ones first and the others as well as they then can be. docs/compose.md goes through this one.

    python examples/08_wave_on_one_leg.py                       writes wave_human.npz and wave_child.npz here
    python examples/08_wave_on_one_leg.py . full                20 s each, from 5 starts: some minutes
    gambol --load examples/08_wave_on_one_leg.py run wave       the same from the shell, with --set and --push
    gambol --load examples/08_wave_on_one_leg.py studio wave    with sliders, and pushes by hand
"""

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gambol import Push, simulate
from gambol.behaviors import register
from gambol.behaviors.balance import Balance
from gambol.control.contact.objectives import hold_contacts
from gambol.control.contact.patches import patch_states, planted
from gambol.control.contact.support import support_points
from gambol.control.objectives import Objective, momentum, setpoint
from gambol.control.reference import SmoothReference
from gambol.features import Feature, Orientation, Points, RelativePoints
from gambol.params import param
from gambol.rotations import yaw_matrix


@register
class Wave(Balance):
    """stands on its left leg and waves with the right hand"""

    needs = ("root", "trunk", "left_foot", "right_foot", "right_hand")

    @dataclass
    class Params(Balance.Params):
        lift: float = param(0.25, unit="m", low=0.0, high=0.4, doc="how high the right foot is lifted, for an adult")
        beat: float = param(1.2, unit="Hz", low=0.2, high=2.0, doc="waves per second")

    def start(self) -> None:
        super().start()  # the centre of mass, momentum and pose come from Balance, with their gains and solvers
        figure, self.size, self.facing = self.figure, self.figure.standing_height, yaw_matrix(self.figure.heading)
        self.bearing = [Orientation(figure, role) for role in ("root", "trunk", "right_foot")]
        self.upright = [feature.at(self.kinematics).value for feature in self.bearing]
        self.hand = RelativePoints(figure, "right_hand", np.zeros(3))  # from the centre of mass
        self.foot = Points(figure, "right_foot", np.zeros(3))
        self.ground = self.foot.at(self.kinematics).value
        self.step, self.lifted = SmoothReference(self.ground), False
        limbs = tuple(f"right_{joint}" for joint in ("hip", "knee", "ankle", "shoulder", "elbow"))
        self.pose_weight[figure.joint_index(figure.anatomy.joints_of(*limbs))] = 0.002  # these have other wishes

    def act(self) -> np.ndarray:
        kinematics, params, tick = self.sense(), self.params, self.tick_length
        left, right = sorted(patch_states(kinematics, self.world.surfaces), key=lambda sole: sole.role)
        held = [left] if self.lifted else [left, right]
        support = support_points(held, planted(held))
        # First the centre of mass goes over the left foot; only when it is there may the right one leave the ground.
        self.lifted = self.lifted or math.dist(kinematics.com[:2], left.center[:2]) < 0.015 * self.size
        com, step, wave = self.reference, self.step, 0.14 * math.sin(2 * math.pi * params.beat * self.world.time)
        com.toward(left.center + [0.0, 0.0, params.height * self.size], tick)
        step.toward(self.ground + self.lifted * self.size * (self.facing @ [0.1, 0.0, params.lift]), tick)
        hand = self.size * (self.facing @ [0.15, wave - 0.42, 0.68])

        def want(feature: Feature, goal: np.ndarray, priority: int, kp: Any, weight: Any, **more: Any) -> Objective:
            return setpoint(feature, feature.at(kinematics), goal, priority, kp=kp, weight=weight, **more)

        return self.back_end.torques(kinematics, support, [
            *([hold_contacts(support)] if support.count else []),
            want(self.com, com.value, 2, 200.0, 1.0, velocity=com.velocity, acceleration=com.acceleration),
            *(want(feature, value, 3, 200.0, 10.0) for feature, value in zip(self.bearing, self.upright, strict=True)),
            want(self.foot, step.value, 3, 200.0, 100.0, velocity=step.velocity),
            want(self.hand, hand, 3, 400.0, 100.0),
            momentum(self.momentum, self.momentum.at(kinematics), np.zeros(3), 3, rate=params.calm, weight=0.1),
            want(self.pose, self.figure.rest, 3, self.pose_kp, self.pose_weight)])


if __name__ == "__main__":
    folder, full = Path(sys.argv[1] if len(sys.argv) > 1 else "."), "full" in sys.argv[2:]
    for character, impulse in (("human", 5.0), ("child", 1.0)):  # N s, every two seconds, each from another side
        seconds, seeds = (20.0, 5) if full else (6.5, 1)
        pushes = [Push(t, "trunk", (10 * impulse * math.cos(t), 10 * impulse * math.sin(t), 0), 0.1)
                  for t in np.arange(3.0, seconds - 1.0, 2.0)]
        runs = [simulate("wave", character, seconds=seconds, seed=seed, pushes=pushes) for seed in range(seeds)]
        path = runs[0].motion.save(folder / f"wave_{character}.npz")
        print(f"wrote {path}: {seconds:g} s, {len(pushes)} pushes of {impulse:g} N s, "
              f"{sum(not run.summary['fell'] for run in runs)} of {seeds} did not fall")
