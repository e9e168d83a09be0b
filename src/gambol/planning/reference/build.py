"""References of recorded clips and of Motions.

A clip is retargeted, its contacts are found and cleaned, and the COM is projected onto what they can carry; then the
pose is fitted again onto that COM, and projected once more. A Motion of a character goes the same way, but for the
retargeting: it says itself what every part does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gambol.bodies.character import Character
from gambol.motion.formats.bvh_reader import read_bvh
from gambol.motion.formats.skeleton import SkeletonAnimation
from gambol.motion.motion import Motion
from gambol.motion.reference import RATE, Reference
from gambol.planning.reference import retarget
from gambol.planning.reference.cleaning import cleaned
from gambol.planning.reference.clip import Clip, read_clip
from gambol.planning.reference.contacts import find_contacts, floor_height
from gambol.planning.reference.cycle import unrolled
from gambol.planning.reference.poser import Poser
from gambol.planning.reference.project import Projected, project
from gambol.planning.reference.recorded import recorded
from gambol.planning.reference.retarget import Targets, fit, targets_of
from gambol.planning.reference.series import rates, smooth
from gambol.planning.reference.track import Tracked, calm_rates, resample, tracked

SETTLE = 0.1
"""s, of the Gaussian by which the pelvis follows where cleaning moved the feet."""


def reference_of_clip(path_or_animation: Path | str | SkeletonAnimation, character: str | Character = "human", *,
                      mirrored: bool = False, loop: bool = False, begin: float = 0.0, end: float | None = None
                      ) -> Reference:
    """A recorded clip for a character. `begin` and `end` (s) take a part of it; `loop` repeats it (see `cycle`)."""
    animation, origin = _animation(path_or_animation)
    poser = Poser(character)
    return clip_reference(_clip(animation, origin, poser, mirrored, begin, end), poser, loop)


def read_for(path: Path | str, character: str | Character = "human") -> tuple[Clip, Poser]:
    """A clip in the measures of a character, and the character."""
    animation, origin = _animation(path)
    poser = Poser(character)
    return _clip(animation, origin, poser, False, 0.0, None), poser


def clip_reference(clip: Clip, poser: Poser, loop: bool = False) -> Reference:
    """The Reference of a clip that was read."""
    targets = targets_of(clip, poser)
    if loop:
        targets = unrolled(targets)
    poses = fit(poser, targets)
    ends = poser.end_places(poses, poser.feet)
    floor = floor_height(ends, retarget.RATE)
    down = np.array([0.0, 0.0, floor])
    balls = [targets.balls[foot] - down if foot in targets.balls else None for foot in poser.feet]
    ends, targets = ends - down, replace(targets, hips=targets.hips - down)
    poses[:, 2] -= floor
    touching = find_contacts(ends, targets.hips, retarget.RATE, balls)
    stem = Path(clip.origin).stem if clip.origin else "clip"
    return _finish(_Draft(stem, poser, targets, poses, ends, poser.feet, touching, True))


def reference_of_motion(motion: Motion, figure: int = 0, character: Character | None = None) -> Reference:
    """A simulated take or a plan of one of its figures; `character`: whose it is, where that is no built-in one."""
    take = recorded(motion, figure, character)
    poser = take.poser
    return _finish(_Draft(take.name, poser, take.targets, take.poses, poser.end_places(take.poses, poser.feet),
                          take.patches, take.touching, False))


def _animation(given: Path | str | SkeletonAnimation) -> tuple[SkeletonAnimation, str]:
    if isinstance(given, SkeletonAnimation):
        return given, "clip"
    return read_bvh(given), str(given)


def _clip(animation: SkeletonAnimation, origin: str, poser: Poser, mirrored: bool, begin: float, end: float | None
          ) -> Clip:
    clip = read_clip(animation, poser.leg(), origin)
    if begin != 0.0 or end is not None:
        clip = clip.part(begin, end)
    return clip.mirrored() if mirrored else clip


# -- what clips and Motions share --------------------------------------------------------------------------------------


@dataclass
class _Draft:
    """A motion with contacts, at the rate of the fit, on its way to a Reference."""

    name: str
    poser: Poser
    targets: Targets
    poses: np.ndarray
    ends: np.ndarray
    """(n, feet, 2, 3) as they were recorded"""
    patches: tuple[str, ...]
    touching: np.ndarray
    """(n, patches, 2), the feet first"""
    level: bool
    """whether the ground is at z = 0 and recorded feet are too low for it"""

    @property
    def times(self) -> np.ndarray:
        """Of the rows of the Reference, s."""
        return np.arange(0.0, (len(self.poses) - 1) / retarget.RATE + 1e-9, 1.0 / RATE)

    def rows(self, values: np.ndarray) -> np.ndarray:
        """Values of the fit's rows at those of the Reference."""
        known = np.arange(len(self.poses)) / retarget.RATE
        flat = np.asarray(values, dtype=float).reshape(len(values), -1)
        found = np.stack([np.interp(self.times, known, column) for column in flat.T], axis=1)
        return found.reshape(-1, *values.shape[1:])

    def at_fit(self, values: np.ndarray) -> np.ndarray:
        """Values of the Reference's rows at those of the fit, (m, 3)."""
        known = np.arange(len(self.poses)) / retarget.RATE
        return np.stack([np.interp(known, self.times, column) for column in values.T], axis=1)


def _finish(draft: _Draft) -> Reference:
    """Feet cleaned, COM projected, pose fitted onto it, and projected once more."""
    poser, feet = draft.poser, draft.touching[:, :len(draft.poser.feet)]
    places, weights = cleaned(draft.ends, feet, retarget.RATE, draft.level)
    moved = smooth((places - draft.ends).mean(axis=(1, 2)), SETTLE, retarget.RATE)
    targets = replace(draft.targets, hips=draft.targets.hips + moved, ends=places, end_weights=weights)
    limbs = tuple(targets.directions)
    touching = draft.rows(draft.touching) > 0.5
    poses = fit(poser, targets, draft.poses)
    track = tracked(poser, resample(poser, poses, retarget.RATE, draft.times), RATE, draft.patches, ())
    first = _projected(track, touching, draft)
    poses = fit(poser, replace(targets, com=draft.at_fit(first.com)), poses)
    track = tracked(poser, resample(poser, poses, retarget.RATE, draft.times), RATE, draft.patches, limbs)
    raw = np.stack([draft.rows(targets.directions[role]) for role in limbs], axis=1)
    raw /= np.maximum(np.linalg.norm(raw, axis=2, keepdims=True), 1e-9)
    last = _projected(track, touching, draft)
    cosine = np.clip((raw * track.directions).sum(axis=2), -1.0, 1.0)
    report = {"direction_error": float(np.degrees(np.arccos(cosine)).mean()),
              "com_moved": first.moved, "pressure_outside_before": first.outside_before,
              "pressure_outside": last.outside}
    return _rows(draft, track, last, touching, limbs, raw, report)


def _projected(track: Tracked, touching: np.ndarray, draft: _Draft) -> Projected:
    """The COM that the contacts can carry."""
    turning = calm_rates(track.momentum, RATE)
    return project(track.com, turning, supports(draft.poser, draft.patches, track.points, touching), RATE,
                   draft.poser.mass)


def supports(poser: Poser, patches: tuple[str, ...], points: tuple[np.ndarray, ...], touching: np.ndarray
             ) -> list[np.ndarray]:
    """The points (k, 3) that carry in each row: heel and toe of a foot each for itself, other patches as a whole."""
    masks = []
    for k, role in enumerate(patches):
        patch = poser.index.patches[role]
        own = np.zeros((len(touching), len(patch.places)), dtype=bool)
        if patch.is_foot and len(patch.places[patch.heel]):
            own[:, patch.heel] |= touching[:, k, :1]
            own[:, patch.toe] |= touching[:, k, 1:]
        else:
            own |= touching[:, k, :1] | touching[:, k, 1:]
        masks.append(own)
    mask, place = np.concatenate(masks, axis=1), np.concatenate(points, axis=1)
    return [place[row][mask[row]] for row in range(len(touching))]


def _rows(draft: _Draft, track: Tracked, com: Projected, touching: np.ndarray, limbs: tuple[str, ...], raw: np.ndarray,
          report: dict[str, float]) -> Reference:
    """All that a Reference says."""
    speeds = rates(track.places, RATE)
    qvel = track.qvel.copy()
    qvel[:, :3] += com.velocity - rates(track.com, RATE)  # the root goes with the projected COM
    return Reference(
        name=draft.name, character=draft.poser.name, qpos=track.qpos, qvel=qvel, com=com.com,
        com_velocity=com.velocity, com_acceleration=com.acceleration, momentum=track.momentum,
        pressure_shift=com.pressure_shift, parts=draft.poser.parts, turns=track.turns, spins=track.spins,
        spin_rates=calm_rates(track.spins, RATE), patches=draft.patches, touching=touching, places=track.places,
        speeds=speeds, accelerations=calm_rates(speeds, RATE), limbs=limbs, directions=raw, report=report)

