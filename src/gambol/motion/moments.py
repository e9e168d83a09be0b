"""Beginning where a Motion was: the state of a figure at one time, as a start of another run.

    World(human(), starts=[start_from("walk.npz@2.5")])
"""

from __future__ import annotations

import mujoco
import numpy as np

from gambol.errors import BadInput
from gambol.motion.kinematics import share_of
from gambol.motion.motion import Motion
from gambol.world.starts import Start, State

SAME = 1e-6
"""A row of the motion this near to the time asked for (s) is taken as it is."""


def start_from(text: str) -> Start:
    """A start from text: a pose (`supine`, `standing:x=1`), or a moment of a Motion, `FILE.npz@2.5`."""
    path, at, time = text.rpartition("@")
    if not at:
        if text.endswith(".npz"):
            raise BadInput(f"{text!r} does not say which moment of the motion to begin at; give one: {text}@2.5")
        return Start.parse(text)
    try:
        moment = float(time)
    except ValueError:
        raise BadInput(f"{time!r} in {text!r} is not a time; it takes seconds, as in FILE.npz@2.5") from None
    return Start(state=state_at(Motion.load(path), moment, source=text))


def state_at(motion: Motion, time: float, figure: int = 0, source: str = "the motion") -> State:
    """The joints of a figure at a time, s from the motion's start: a row as it was recorded, or between two rows."""
    if not 0.0 <= time <= motion.seconds + SAME:
        raise BadInput(f"{source}: {time:g} s is not in the motion, which lasts {motion.seconds:g} s")
    share, model, at = share_of(motion, figure), motion.model, motion.time[0] + time
    row = int(np.abs(motion.time - at).argmin())
    if abs(motion.time[row] - at) <= SAME:
        qpos, qvel = motion.qpos[row], motion.qvel[row]
    else:
        qpos = motion.sample(np.array([at]))[0]
        qvel = np.array([np.interp(at, motion.time, column) for column in motion.qvel.T])
    joints = {}
    for joint in share.joints:
        first, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        wide, free = WIDTHS[mujoco.mjtJoint(model.jnt_type[joint])]
        name = model.joint(int(joint)).name.removeprefix(share.prefix)
        joints[name] = qpos[first:first + wide].copy(), qvel[dof:dof + free].copy()
    return State(joints, source)


WIDTHS = {mujoco.mjtJoint.mjJNT_FREE: (7, 6), mujoco.mjtJoint.mjJNT_BALL: (4, 3), mujoco.mjtJoint.mjJNT_SLIDE: (1, 1),
          mujoco.mjtJoint.mjJNT_HINGE: (1, 1)}
"""How many numbers of `qpos` and of `qvel` a joint has."""
