"""Patches: the parts of a body's surface that can carry load, each as a few points. One point carries a point contact,
two a line, three or more an area.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.errors import unknown

KINDS = {"sole": "what it stands on", "paw": "the underside of a four-legged one's foot",
         "palm": "the inside of a hand", "knee": "the front of a knee", "shank": "the front of a lower leg",
         "seat": "the underside of the pelvis and of the thighs", "elbow": "the point of an elbow",
         "forearm": "the underside of a forearm", "back": "the back of the trunk", "chest": "the front of the trunk",
         "shoulder": "the top of a shoulder", "tail": "the underside of a tail"}
"""Kinds of patches, with what each is."""
FEET = ("sole", "paw")
"""Kinds that a body stands on."""


@dataclass(frozen=True)
class Patch:
    """Points of one part that can carry load."""

    kind: str
    body: str
    """the body (by name) that the points are fixed in"""
    points: np.ndarray
    """(k, 3) in that body's frame when all joints are at zero; of a foot the heel's first, the toe's last"""
    heel: int = -1
    """how many of a foot's points are its heel's; half of them if not said"""
    toes: str = ""
    """the body that the toe's points are fixed in, where toes have a joint of their own"""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown("kind of patch", self.kind, KINDS)
        object.__setattr__(self, "points", np.asarray(self.points, dtype=float).reshape(-1, 3))
        if self.heel < 0:
            object.__setattr__(self, "heel", len(self.points) // 2)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as a Motion file keeps them."""
        plain = {"kind": self.kind, "body": self.body, "points": self.points.tolist(), "heel": self.heel}
        return plain | ({"toes": self.toes} if self.toes else {})

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Patch:
        """The patch that `as_dict` wrote."""
        return Patch(plain["kind"], plain["body"], np.array(plain["points"]), plain["heel"], plain.get("toes", ""))

    @property
    def is_foot(self) -> bool:
        """Whether a body stands on it."""
        return self.kind in FEET
