"""Anatomy: which parts of a body tree play which role. Behaviors ask for roles, never for body names.

Roles are plain names. Bodies: `root`, `trunk`, `head`, `tail`, and with a side in front `left_thigh`,
`left_shank`, `left_foot`, `left_upper_arm`, `left_forearm`, `left_hand` (a quadruped says `front_left_...`).
Joint groups: `lower_spine`, `upper_spine`, `neck`, `tail`, and with a side `hip`, `knee`, `ankle`, `shoulder`,
`elbow`, `wrist`. A character that lacks a part simply lacks the role.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gambol.bodies.patches import Patch
from gambol.errors import MissingRole

Vector = np.ndarray


@dataclass(frozen=True)
class Anatomy:
    """Role tables of one character; all names are names in its body tree."""

    bodies: Mapping[str, str]
    """role -> body name"""
    joints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """role -> joint names, proximal first"""
    soles: Mapping[str, Vector] = field(default_factory=dict)
    """foot role -> (k, 3) sole points in the foot's frame, the heel's first, the toe's last"""
    patches: Mapping[str, Patch] = field(default_factory=dict)
    """role -> what else can carry load: `left_palm`, `seat`, `right_knee`; and feet of which more is to be said"""

    def as_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, as a Motion file keeps them."""
        return {"bodies": dict(self.bodies), "joints": {role: list(names) for role, names in self.joints.items()},
                "soles": {role: np.asarray(points).tolist() for role, points in self.soles.items()},
                "patches": {role: patch.as_dict() for role, patch in self.patches.items()}}

    @staticmethod
    def from_dict(tables: Mapping[str, Any]) -> Anatomy:
        """The anatomy that `as_dict` wrote."""
        return Anatomy(tables["bodies"], {role: tuple(names) for role, names in tables["joints"].items()},
                       {role: np.array(points) for role, points in tables["soles"].items()},
                       {role: Patch.from_dict(patch) for role, patch in tables.get("patches", {}).items()})

    @property
    def feet(self) -> tuple[str, ...]:
        """Roles of the parts it stands on."""
        return tuple(self.soles)

    @property
    def all_patches(self) -> dict[str, Patch]:
        """Everything that can carry load, the feet first."""
        feet = {role: Patch("sole", self.body(role), points) for role, points in self.soles.items()}
        return feet | dict(self.patches)

    @property
    def hands(self) -> tuple[str, ...]:
        return tuple(role for role in self.bodies if role.endswith("hand"))

    @property
    def arm_joints(self) -> tuple[str, ...]:
        """All shoulder, elbow and wrist joints."""
        return self.joints_of("shoulder", "elbow", "wrist")

    def joints_of(self, *parts: str) -> tuple[str, ...]:
        """Joint names of every role that ends in one of the given words, e.g. `joints_of("ankle")`."""
        return tuple(name for role, names in self.joints.items() if role.endswith(parts) for name in names)

    def body(self, role: str) -> str:
        """The body that plays a role, or an error that lists the roles there are."""
        try:
            return self.bodies[role]
        except KeyError:
            found = ", ".join(sorted(self.bodies)) or "none"
            raise MissingRole(f"this character has no {role!r}; roles found: {found}") from None

    def require(self, *roles: str) -> None:
        """Raise unless every role is filled. `feet` stands for at least one foot."""
        for role in roles:
            if role == "feet":
                if not self.soles:
                    raise MissingRole(f"this character has no feet; roles found: {', '.join(sorted(self.bodies))}")
            else:
                self.body(role)
