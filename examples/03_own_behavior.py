"""Your own behavior: one class. It squats in time, waves, and keeps its balance.

A behavior says what it wants as a list of objectives; the solver finds torques. This one borrows the machinery of
`Balance` and changes the wishes: feet stay, the centre of mass stays over them, the pose follows a rhythm. Everything
else is as before, pushes included: physics is the same for a behavior that you wrote. `@register` makes it known by the
name of its class in lower case, and its `Params` are checked and shown like those of any other.

    python examples/03_own_behavior.py          writes squat.npz here
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gambol import Push, simulate
from gambol.behaviors import register
from gambol.behaviors.balance import Balance
from gambol.control.contact.objectives import hold_contacts
from gambol.control.contact.support import SupportPoints
from gambol.control.objectives import Objective, momentum, setpoint
from gambol.features import CenterOfMass, Kinematics
from gambol.params import param


@register
class Squat(Balance):
    """squats in time and waves with the right arm"""

    needs = ("root", "feet", "right_hand")

    @dataclass
    class Params(Balance.Params):
        bend: float = param(60.0, unit="degrees", low=0.0, high=80.0, doc="bend of the knees, deepest")
        period: float = param(2.0, unit="s", low=1.0, high=10.0, doc="time of one squat")

    def start(self) -> None:
        super().start()
        self.over_feet = CenterOfMass(np.eye(3)[:2])  # x and y only: the height follows from the pose

    def pose_now(self) -> np.ndarray:
        """Angles to aim at, in the order of the motors."""
        phase = 2 * np.pi * self.world.time / self.params.period
        bend = np.radians(self.params.bend) * 0.5 * (1 - np.cos(phase))
        wanted = dict(zip(self.figure.joint_names, self.figure.rest, strict=True))
        for side in ("left", "right"):
            wanted[f"{side}_knee"] += bend
            wanted[f"{side}_hip_flexion"] += 0.5 * bend
            wanted[f"{side}_ankle_flexion"] += 0.5 * bend
        wanted |= {"right_shoulder_abduction": 1.8, "right_shoulder_rotation": 1.2,
                   "right_elbow": 1.2 + 0.5 * np.sin(3 * phase)}
        return np.array(list(wanted.values()))

    def objectives(self, kinematics: Kinematics, support: SupportPoints) -> list[Objective]:
        wishes = [momentum(self.momentum, self.momentum.at(kinematics), np.zeros(3), 3, rate=20.0, weight=0.1),
                  setpoint(self.pose, self.pose.at(kinematics), self.pose_now(), 3, kp=self.pose_kp)]
        if support.count:
            middle = support.position.mean(axis=0)[:2]
            wishes += [hold_contacts(support),
                       setpoint(self.over_feet, self.over_feet.at(kinematics), middle, 2, kp=200.0)]
        return wishes


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    run = simulate("squat", seconds=4, settings={"bend": 70}, pushes=[Push(2.0, "trunk", (0, 120, 0))])
    path = run.motion.save(folder / "squat.npz")
    print(f"wrote {path}: {run.summary['seconds']:g} s, {'fell' if run.summary['fell'] else 'did not fall'}")
