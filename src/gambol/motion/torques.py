"""Torques of a Motion: what the actuators gave their joints, by the recorded controls and states.

A motor gives what its control says. What a servo gives changes while the joint moves, so over a tick it is the mean of
what it gives at both ends.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from gambol.bodies.actuation import Actuation, read_actuation
from gambol.errors import BadInput
from gambol.motion.motion import Motion
from gambol.world.index import ModelIndex


def joint_torques(motion: Motion, share: ModelIndex) -> np.ndarray:
    """Torque of each motor on its joint, (ticks, motors)."""
    _require_controls(motion)
    ctrl = motion.ctrl[:, share.motors]
    found = np.empty(ctrl.shape)
    for ticks, actuation in _actuations(motion, share):
        found[ticks] = _given(motion, share, actuation, ctrl, ticks) if actuation.states else ctrl[ticks]
    return found


def torque_ratios(motion: Motion, share: ModelIndex) -> np.ndarray:
    """Share of its strength, as it was then, that each motor used, (ticks, motors); 0 of one without strength."""
    _require_controls(motion)
    torques = joint_torques(motion, share)
    for ticks, actuation in _actuations(motion, share):
        torques[ticks] = np.abs(torques[ticks]) / np.where(actuation.limit > 0, actuation.limit, np.inf)
    return torques


def _given(motion: Motion, share: ModelIndex, actuation: Actuation, ctrl: np.ndarray, ticks: slice) -> np.ndarray:
    angles = np.array([share.drives.angles(row) for row in motion.qpos])
    rates = motion.qvel[:, share.drives.dofs]
    after = slice(ticks.start + 1, ticks.stop + 1)
    return 0.5 * (actuation.torques(ctrl[ticks], angles[ticks], rates[ticks])
                  + actuation.torques(ctrl[ticks], angles[after], rates[after]))


def _actuations(motion: Motion, share: ModelIndex) -> Iterator[tuple[slice, Actuation]]:
    """How the motors worked, from tick to tick: body edits may make them stronger or weaker."""
    edits = [(max(0, tick), fields) for tick, fields in motion.edits
             if any(name.startswith(("actuator_", "jnt_actfrc")) for name in fields)]
    if not edits:
        yield slice(0, len(motion.ctrl)), read_actuation(motion.model, share.motors)
        return
    model = mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))  # its own: edits change it
    begin = 0
    for tick, fields in [*edits, (len(motion.ctrl), {})]:
        if tick > begin:
            yield slice(begin, tick), read_actuation(model, share.motors)
            begin = tick
        for name, value in fields.items():
            getattr(model, name)[:] = value


def _require_controls(motion: Motion) -> None:
    if not motion.simulated:
        raise BadInput("this motion has no controls (a synthesised one?), so it has no torques")
