"""Where what is followed comes from: a file, read once as long as it stays what it is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import mujoco

from gambol.behaviors.scenes import DefaultScene
from gambol.bodies import find_character
from gambol.bodies.character import Character
from gambol.errors import BadInput
from gambol.motion.moments import state_at
from gambol.motion.motion import Motion
from gambol.motion.reference import Reference
from gambol.planning.reference.build import reference_of_clip
from gambol.planning.reference.take import reference_of_take
from gambol.world.figure import Figure
from gambol.world.starts import Start, State

USUAL = "human"
"""Who does a clip if nobody is named."""
KEPT = 4
"""Clips that are kept ready."""
_clips: list[tuple[str, int, bool, Character, Reference]] = []


def reference_from(path: str, figure: Figure, mirrored: bool = False) -> Reference:
    """What a file has for a figure to follow; BadInput if that is nothing."""
    if is_clip(path):
        return _clip(path, mirrored, figure.character)
    if mirrored:
        raise BadInput(f"only recorded clips (.bvh) can be mirrored; {path!r} is a Motion")
    return reference_of_take(_motion(path), figure, path)


def scene_from(path: str, begin: float, character: str | Character | None = None, mirrored: bool = False
               ) -> DefaultScene:
    """Who is in a file, in the state of a time in it, s. In a clip is whoever is asked for, or else a human."""
    if is_clip(path):
        body = character if isinstance(character, Character) else find_character(character or USUAL)
        reference = _clip(path, mirrored, body)
        return DefaultScene(None if character is not None else USUAL,
                            start=Start(state=_state(reference, body, begin, f"{path}@{begin:g}")))
    motion = _motion(path)
    return DefaultScene(_character(motion), start=Start(state=state_at(motion, begin, source=f"{path}@{begin:g}")))


def is_clip(path: str) -> bool:
    """Whether a file is a recorded clip."""
    return path.lower().endswith(".bvh")


def _clip(path: str, mirrored: bool, character: Character) -> Reference:
    """A clip for a character; the last few are kept as long as their files stay what they are."""
    changed = _changed(path)
    for *known, whose, reference in _clips:
        if known == [path, changed, mirrored] and whose == character:
            return reference
    reference = reference_of_clip(path, character, mirrored=mirrored)
    _clips[:] = [*_clips[-KEPT + 1:], (path, changed, mirrored, character, reference)]
    return reference


def _state(reference: Reference, character: Character, time: float, source: str) -> State:
    """The joints of a character at a time of a reference; its root goes as fast as the projected COM."""
    model, row = character.compile(), reference.row(time)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = reference.qpos[row], reference.qvel[row]
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    data.qvel[:3] += reference.com_velocity[row] - data.subtree_linvel[1]
    joints = [data.joint(joint) for joint in range(model.njnt)]
    return State({joint.name: (joint.qpos.copy(), joint.qvel.copy()) for joint in joints}, source)


def _motion(path: str) -> Motion:
    if not path:
        raise BadInput("follow needs a motion: --motion FILE.npz or FILE.bvh, or --set motion=FILE")
    return _read(path, _changed(path))


def _changed(path: str) -> int:
    file = Path(path)
    return file.stat().st_mtime_ns if file.is_file() else 0


@lru_cache(maxsize=4)
def _read(path: str, changed: int) -> Motion:
    return Motion.load(path)


def _character(motion: Motion) -> str | None:
    """Who is in a motion, as a name or a file; None if it does not say."""
    if not motion.figures:
        return None
    try:
        found = motion.meta["trial"]["figures"][0]["character"]
    except (KeyError, IndexError, TypeError):
        found = None
    return found if isinstance(found, str) else motion.figures[0].character
