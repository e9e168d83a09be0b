"""A skeleton and how it moves, as animation files have it: joints with offsets, rotations and positions by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import BadInput, unknown
from gambol.rotations import Y_UP, conjugate, multiply, rotate, slerp


@dataclass(frozen=True)
class SkeletonAnimation:
    """Joints in an order in which parents come first; world axes are the file's until `to_z_up`.

    With all rotations zero (the rest pose) every joint's frame is aligned with the world, as in BVH.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    """-1 for a root"""
    offsets: np.ndarray
    """(joints, 3), from the parent's joint, in the parent's frame"""
    translations: np.ndarray
    """(frames, joints, 3): the offset, or what stands in its place where a joint's position is animated"""
    rotations: np.ndarray
    """(frames, joints, 4), relative to the parent"""
    frame_time: float
    tips: tuple[tuple[int, np.ndarray], ...] = ()
    """End Sites: joint, offset"""

    @property
    def frames(self) -> int:
        return len(self.rotations)

    @property
    def seconds(self) -> float:
        return (self.frames - 1) * self.frame_time

    def joint(self, name: str) -> int:
        """Index of a joint by name."""
        if name not in self.names:
            raise unknown("joint", name, self.names)
        return self.names.index(name)

    def sample(self, times: Sequence[float] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Local translations and rotations at any times: between frames straight lines and shortest arcs."""
        if self.frames < 2:
            index = np.zeros(len(times), dtype=int)
            return self.translations[index], self.rotations[index]
        place = np.clip(np.asarray(times, dtype=float) / self.frame_time, 0, self.frames - 1)
        before = np.minimum(place.astype(int), self.frames - 2)
        share = (place - before)[:, None]
        a, b = self.translations[before], self.translations[before + 1]
        return (a + share[..., None] * (b - a),
                slerp(self.rotations[before], self.rotations[before + 1], np.broadcast_to(share, a.shape[:-1])))

    def poses(self, times: Sequence[float] | np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """World positions (n, joints, 3) and orientations (n, joints, 4) at the times, or at all frames."""
        translations, rotations = ((self.translations, self.rotations) if times is None else self.sample(times))
        position, turn = translations.copy(), rotations.copy()
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                position[:, joint] = position[:, parent] + rotate(turn[:, parent], translations[:, joint])
                turn[:, joint] = multiply(turn[:, parent], rotations[:, joint])
        return position, turn

    def positions(self, times: Sequence[float] | np.ndarray | None = None) -> np.ndarray:
        """World positions of all joints, (n, joints, 3)."""
        return self.poses(times)[0]

    def to_z_up(self, scale: float = 1.0) -> SkeletonAnimation:
        """From y up to z up, (x, y, z) to (x, -z, y), with lengths multiplied by `scale` (0.01 for a file in cm)."""
        if not scale > 0:
            raise BadInput(f"scale={scale:g} must be above 0")
        back = conjugate(Y_UP)
        turned = multiply(multiply(back, self.rotations), Y_UP)
        return replace(self, offsets=scale * rotate(back, self.offsets),
                       translations=scale * rotate(back, self.translations), rotations=turned,
                       tips=tuple((joint, scale * rotate(back, tip)) for joint, tip in self.tips))
