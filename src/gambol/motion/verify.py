"""Verify: replay a Motion in plain MuJoCo and say whether it is what it claims to be.

Two independent looks. The fingerprints say which entry of the file was changed after it was written. The physics says
whether the recorded states follow from the recorded controls and declared pushes alone: a replay from the start gives
the largest difference, and a replay tick by tick finds each moment that does not follow from the one before, with the
force that would explain it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from gambol.errors import BadInput
from gambol.motion.motion import FORMAT, Motion, digest, read_content
from gambol.motion.rules import check_edits, rule_breaks
from gambol.world.recorder import STATE
from gambol.world.world import put_projectile

TICK_TOLERANCE = 1e-6
"""Velocity difference (m/s, rad/s) over one tick that counts as unexplained when a replay had to be restarted."""
JUMP = 10.0
"""A change of position this many times what the change of velocity makes in a tick is a jump, not made by a force."""

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Declared:
    """The outside influences that a Motion declares."""

    pushed_ticks: int = 0
    impulse: float = 0.0
    """of all pushes, N s"""
    largest_force: float = 0.0
    """N"""
    largest_torque: float = 0.0
    """N m, of pushes that turn"""
    throws: int = 0
    body_edits: int = 0
    vary: str = ""
    """how the body differs from what the behavior believed it to be"""

    @staticmethod
    def of(motion: Motion) -> Declared:
        forces, torques = (np.linalg.norm(motion.push_wrench[:, part], axis=1) for part in (slice(0, 3), slice(3, 6)))
        return Declared(len(np.unique(motion.push_tick)), float(forces.sum() * motion.substeps
                                                                * motion.model.opt.timestep),
                        float(forces.max(initial=0)), float(torques.max(initial=0)), len(motion.throw_tick),
                        len(motion.edits), str(motion.meta.get("vary", "")))

    def sentence(self) -> str:
        turning = f" and {self.largest_torque:.3g} N m" if self.largest_torque else ""
        pushes = f" ({self.impulse:.3g} N s in all, up to {self.largest_force:.3g} N{turning})"
        return (f"declared: {_count(self.pushed_ticks, 'pushed tick')}{pushes if self.pushed_ticks else ''}, "
                f"{_count(self.throws, 'throw')}, {_count(self.body_edits, 'body edit')}"
                + (f"; the body is varied ({self.vary})" if self.vary else ""))


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
    jumps: list[int] = field(default_factory=list)
    """those of them where positions changed more than any change of velocity explains: states written by hand"""
    jump: float = 0.0
    """the largest of these changes, m or rad"""
    time_difference: float = 0.0
    """largest difference between recorded and replayed time, s"""
    force: float = 0.0
    """largest undeclared generalized force that would explain one of them, N or N m"""
    changed: list[str] = field(default_factory=list)
    """entries of the file that were changed after it was written"""
    rule_breaks: list[str] = field(default_factory=list)
    """rules of honest physics that are broken, in words"""
    fingerprints: bool = True
    """whether the file has fingerprints"""
    declared: Declared = Declared()

    @property
    def ok(self) -> bool:
        return self.difference == self.time_difference == 0.0 and not self.changed and not self.rule_breaks

    def as_dict(self) -> dict[str, Any]:
        """The verdict as `gambol verify --json` prints it."""
        return {"ok": self.ok, "ticks": self.ticks, "difference": self.difference, "first_tick": self.first_tick,
                "unexplained_ticks": self.unexplained, "undeclared_force": self.force, "changed": self.changed,
                "rule_breaks": self.rule_breaks, "position_jump": self.jump,
                "time_difference": self.time_difference, "fingerprints": self.fingerprints,
                "declared": asdict(self.declared)}

    def sentences(self) -> list[str]:
        """The verdict in words, one finding a line."""
        lines = [f"{self.ticks} ticks replayed; largest difference {self.difference:g}", self.declared.sentence()]
        lines += [f"{name!r} was changed after the recording" for name in self.changed]
        if not self.fingerprints:
            lines.append("no fingerprints: whether the file was changed after the recording cannot be told from them")
        lines += self.rule_breaks
        if self.time_difference:
            lines.append(f"the recorded time is not that of the replay: up to {self.time_difference:.3g} s apart")
        if self.difference and not self.unexplained:
            lines.append("the states follow from each other, but not from the initial state")
        if self.jumps:
            lines.append(f"position jump: {_count(len(self.jumps), 'tick')} from tick {self.jumps[0]}, up to "
                         f"{self.jump:.3g} m or rad that no force explains")
        forced = [tick for tick in self.unexplained if tick not in self.jumps]
        if forced:
            lines.append(f"undeclared force: {_count(len(forced), 'tick')} from tick {forced[0]} do not follow "
                         f"from the controls and declared pushes (up to {self.force:.3g} N or N m unexplained)")
        if self.ok:
            lines.append("no undeclared force")
        return lines


def verify_file(path: Path | str, progress: Progress | None = None) -> Verdict:
    """Verify a Motion file, fingerprints included."""
    motion = Motion.load(path)
    content = read_content(Path(path))
    recorded = motion.meta.get("digest")
    recorded = recorded if isinstance(recorded, dict) else {}
    verdict = verify(motion, progress)
    verdict.fingerprints = bool(recorded)
    if verdict.fingerprints:
        meta = json.dumps({name: value for name, value in motion.meta.items() if name != "digest"})
        found = {name: digest(value) for name, value in (content | {"meta": meta}).items()}
        verdict.changed = [name for name in found if recorded.get(name) != found[name]]
        verdict.changed += [name for name in recorded if name not in found]
    return verdict


def verify(motion: Motion, progress: Progress | None = None) -> Verdict:
    """Replay a Motion and compare every row."""
    if not motion.simulated:
        raise BadInput(f"this Motion has no controls (a synthesised one?); there is nothing to replay ({FORMAT})")
    model = _fresh_model(motion)
    check_edits(motion, model)
    verdict = Verdict(ticks=len(motion.ctrl), difference=0.0, rule_breaks=rule_breaks(motion, _fresh_model(motion)),
                      declared=Declared.of(motion))
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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _compare(verdict: Verdict, motion: Motion, data: mujoco.MjData, row: int) -> None:
    if data.time != motion.time[row]:
        apart = np.nan_to_num(abs(data.time - motion.time[row]), nan=np.inf)
        verdict.time_difference = float(max(verdict.time_difference, apart))
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
    inertia, moved = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    tick_length = model.opt.timestep * motion.substeps
    for tick in range(verdict.ticks):
        data.qpos[:], data.qvel[:] = motion.qpos[tick], motion.qvel[tick]
        replay_tick(motion, model, data, tick)
        missing = motion.qvel[tick + 1] - data.qvel
        off = np.abs(data.qpos - motion.qpos[tick + 1]).max()
        if np.abs(missing).max() <= TICK_TOLERANCE and off <= TICK_TOLERANCE:
            continue
        verdict.unexplained.append(tick)
        mujoco.mj_differentiatePos(model, moved, 1.0, data.qpos, motion.qpos[tick + 1])
        if off > TICK_TOLERANCE and np.abs(moved).max() > JUMP * np.abs(missing).max() * tick_length:
            verdict.jumps.append(tick)
            verdict.jump = float(max(verdict.jump, np.abs(moved).max()))
        else:
            mujoco.mj_fullM(model, data, inertia)
            force = np.abs(inertia @ missing).max() / tick_length
            verdict.force = float(max(verdict.force, np.nan_to_num(force, nan=np.inf)))
