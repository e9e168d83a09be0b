"""Verify: replay a Motion in plain MuJoCo and say whether it is what it claims to be.

Two independent looks. The fingerprints say which entry of the file was changed after it was written. The physics says
whether the recorded states follow from the recorded controls and declared pushes alone: a replay from the start gives
the largest difference, and a replay tick by tick finds each moment that does not follow from the one before, with the
force that would explain it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

from gambol.errors import BadInput
from gambol.motion.motion import FORMAT, Motion, digest, read_content
from gambol.world.recorder import STATE
from gambol.world.world import put_projectile

TICK_TOLERANCE = 1e-6
"""Velocity difference (m/s, rad/s) over one tick that counts as unexplained when a replay had to be restarted."""

Progress = Callable[[float], None]


@dataclass
class Verdict:
    """What a replay found."""

    ticks: int
    difference: float
    """largest absolute difference in qpos and qvel over the replay"""
    first_tick: int | None = None
    """first tick whose outcome differs"""
    unexplained: list[int] = field(default_factory=list)
    """ticks whose outcome does not follow from the recorded state before them"""
    force: float = 0.0
    """largest undeclared generalized force that would explain one of them, N or N m"""
    changed: list[str] = field(default_factory=list)
    """entries of the file that were changed after it was written"""
    rule_breaks: list[str] = field(default_factory=list)
    """rules of honest physics the model breaks, in words"""

    @property
    def ok(self) -> bool:
        return self.difference == 0.0 and not self.changed and not self.rule_breaks

    def sentences(self) -> list[str]:
        """The verdict in words, one finding a line."""
        lines = [f"{self.ticks} ticks replayed; largest difference {self.difference:g}"]
        lines += [f"{name!r} was changed after the recording" for name in self.changed]
        lines += self.rule_breaks
        if self.difference and not self.unexplained:
            lines.append("the states follow from each other, but not from the initial state")
        if self.unexplained:
            first, count = self.unexplained[0], len(self.unexplained)
            lines.append(f"undeclared force: {count} tick{'s' if count > 1 else ''} from tick {first} do not follow "
                         f"from the controls and declared pushes (up to {self.force:.3g} N or N m unexplained)")
        if self.ok:
            lines.append("no undeclared force")
        return lines


def verify_file(path: Path | str, progress: Progress | None = None) -> Verdict:
    """Verify a Motion file, fingerprints included."""
    motion = Motion.load(path)
    content = read_content(Path(path))
    recorded = motion.meta.get("digest", {})
    changed = [name for name, value in content.items() if name != "meta" and recorded.get(name) != digest(value)]
    changed += [name for name in recorded if name not in content]
    verdict = verify(motion, progress)
    verdict.changed = changed if recorded else []
    return verdict


def verify(motion: Motion, progress: Progress | None = None) -> Verdict:
    """Replay a Motion and compare every row."""
    if not motion.simulated:
        raise BadInput(f"this Motion has no controls (a synthesised one?); there is nothing to replay ({FORMAT})")
    model = _fresh_model(motion)
    verdict = Verdict(ticks=len(motion.ctrl), difference=0.0, rule_breaks=_rule_breaks(motion, model))
    data = mujoco.MjData(model)
    if len(motion.initial_state) != mujoco.mj_stateSize(model, STATE):
        raise BadInput("the initial state does not fit the model; was it recorded with another MuJoCo?")
    mujoco.mj_setState(model, data, motion.initial_state, STATE)
    _compare(verdict, motion, data, 0)
    for tick in range(verdict.ticks):
        replay_tick(motion, model, data, tick)
        _compare(verdict, motion, data, tick + 1)
        if progress is not None and tick % 64 == 0:
            progress(tick / verdict.ticks)
    if verdict.difference:
        _find_unexplained(verdict, motion)
    return verdict


def replay_tick(motion: Motion, model: mujoco.MjModel, data: mujoco.MjData, tick: int) -> None:
    """Advance a plain MuJoCo simulation by one recorded control tick: edits, throws, pushes, controls, steps."""
    for at, fields in motion.edits:
        if at == tick:
            for name, value in fields.items():
                getattr(model, name)[:] = value
    for k in np.flatnonzero(motion.throw_tick == tick):
        put_projectile(model, data, int(motion.throw_body[k]), motion.throw_state[k])
    data.xfrc_applied[:] = 0.0
    for k in np.flatnonzero(motion.push_tick == tick):
        data.xfrc_applied[motion.push_body[k]] += motion.push_wrench[k]
    data.ctrl[:] = motion.ctrl[tick]
    mujoco.mj_step(model, data, motion.substeps)


def _fresh_model(motion: Motion) -> mujoco.MjModel:
    """A model of its own: edits change it."""
    return mujoco.MjModel.from_xml_string(motion.model_xml, dict(motion.assets))


def _compare(verdict: Verdict, motion: Motion, data: mujoco.MjData, row: int) -> None:
    if np.array_equal(data.qpos, motion.qpos[row], equal_nan=True) and np.array_equal(
            data.qvel, motion.qvel[row], equal_nan=True):
        return
    difference = max(np.abs(data.qpos - motion.qpos[row]).max(), np.abs(data.qvel - motion.qvel[row]).max())
    verdict.difference = float(max(verdict.difference, np.nan_to_num(difference, nan=np.inf)))
    if verdict.first_tick is None:
        verdict.first_tick = max(0, row - 1)


def _find_unexplained(verdict: Verdict, motion: Motion) -> None:
    """Start every tick from the recorded state and see whether the next recorded state follows."""
    model = _fresh_model(motion)
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, motion.initial_state, STATE)
    inertia = np.zeros((model.nv, model.nv))
    for tick in range(verdict.ticks):
        data.qpos[:], data.qvel[:] = motion.qpos[tick], motion.qvel[tick]
        replay_tick(motion, model, data, tick)
        missing = motion.qvel[tick + 1] - data.qvel
        off = np.abs(data.qpos - motion.qpos[tick + 1]).max()
        if not (np.abs(missing).max() <= TICK_TOLERANCE and off <= TICK_TOLERANCE):
            verdict.unexplained.append(tick)
            mujoco.mj_fullM(model, data, inertia)
            force = np.abs(inertia @ missing).max() / (model.opt.timestep * motion.substeps)
            verdict.force = float(max(verdict.force, np.nan_to_num(force, nan=np.inf)))


def _rule_breaks(motion: Motion, model: mujoco.MjModel) -> list[str]:
    """Rules of honest physics that can be read off the model, its edits and the initial state."""
    breaks = []
    if not np.allclose(model.opt.gravity, [0, 0, -9.81]):
        breaks.append(f"gravity is {model.opt.gravity}, not 9.81 m/s2 downward")
    if model.opt.wind.any() or model.opt.density or model.opt.viscosity:
        breaks.append("the air is not still and thin: wind, density or viscosity is set")
    friction = max([model.geom_friction[:, 0].max(initial=0),
                    *(fields["geom_friction"][:, 0].max() for _, fields in motion.edits if "geom_friction" in fields)])
    if friction > 1.0:
        breaks.append(f"a friction coefficient is {friction:g}, above 1")
    figures = _figure_bodies(motion, model)
    floating = [model.body_gravcomp] + [f["body_gravcomp"] for _, f in motion.edits if "body_gravcomp" in f]
    if any(np.asarray(values)[figures].any() for values in floating):
        breaks.append("a part of a character does not feel gravity (gravcomp)")
    if _held_to_world(model, figures):
        breaks.append("a character is tied to the world by an equality constraint")
    if _drives_root(model, figures):
        breaks.append("an actuator pushes a character's free joint, a site or a body, not a joint")
    data = mujoco.MjData(model)
    if len(motion.initial_state) == mujoco.mj_stateSize(model, STATE):
        mujoco.mj_setState(model, data, motion.initial_state, STATE)
        if data.qfrc_applied.any() or data.xfrc_applied.any():
            breaks.append("the initial state holds applied forces")
    beyond = np.abs(motion.ctrl) > _strengths(motion, model) * (1 + 1e-12)
    if (beyond & (model.actuator_ctrllimited > 0)).any():
        breaks.append("a recorded control is beyond the strength of its actuator")
    return breaks


def _figure_bodies(motion: Motion, model: mujoco.MjModel) -> np.ndarray:
    """Ids of the bodies of all characters; of all bodies where the file does not say."""
    prefixes = tuple(figure.prefix for figure in motion.figures)
    bodies = range(1, model.nbody)
    return np.array([b for b in bodies if not prefixes or model.body(b).name.startswith(prefixes)], dtype=int)


def _held_to_world(model: mujoco.MjModel, figures: np.ndarray) -> bool:
    """Whether a connect or weld joins a character's body to something that cannot move."""
    for k in range(model.neq):
        if mujoco.mjtEq(model.eq_type[k]) in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD) and (
                mujoco.mjtObj(model.eq_objtype[k]) == mujoco.mjtObj.mjOBJ_BODY):
            ends = (int(model.eq_obj1id[k]), int(model.eq_obj2id[k]))
            if any(end in figures for end in ends) and any(model.body_weldid[end] == 0 for end in ends):
                return True
    return False


def _drives_root(model: mujoco.MjModel, figures: np.ndarray) -> bool:
    """Whether an actuator acts on a character other than through one of its joints or tendons."""
    for k in range(model.nu):
        kind, target = mujoco.mjtTrn(model.actuator_trntype[k]), int(model.actuator_trnid[k, 0])
        if kind in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT):
            free = mujoco.mjtJoint(model.jnt_type[target]) == mujoco.mjtJoint.mjJNT_FREE
            if free and model.jnt_bodyid[target] in figures:
                return True
        elif (kind == mujoco.mjtTrn.mjTRN_SITE and model.site_bodyid[target] in figures) or (
                kind == mujoco.mjtTrn.mjTRN_BODY and target in figures):
            return True
    return False


def _strengths(motion: Motion, model: mujoco.MjModel) -> np.ndarray:
    """Largest control of every actuator at every tick, (n, nu): declared body edits may change it."""
    strengths = np.tile(np.abs(model.actuator_ctrlrange).max(axis=1), (len(motion.ctrl), 1))
    for tick, fields in motion.edits:
        if "actuator_ctrlrange" in fields:
            strengths[tick:] = np.abs(fields["actuator_ctrlrange"]).max(axis=1)
    return strengths
