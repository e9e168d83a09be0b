"""Roles of a recorded skeleton: which joint is the left hip, the right ankle, the head.

By names first, as motion capture and animation programs give them; where names say nothing, by the tree: the legs are
the two long chains that end lowest, the arms those that leave the trunk to the sides. Roles are the Anatomy's words for
the part that begins at the joint (`left_thigh` is the joint of the left hip). A skeleton needs a root and two legs, the
rest may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gambol.errors import BadInput
from gambol.motion.formats.skeleton import SkeletonAnimation

SIDES = ("left", "right")
LEG = ("thigh", "shank", "foot")
WORDS: Mapping[str, tuple[str, ...]] = {
    "thigh": ("upleg", "upperleg", "thigh", "femur", "hip", "legupper", "leg1"),
    "shank": ("lowleg", "lowerleg", "calf", "shin", "shank", "knee", "tibia", "leg", "leglower", "leg2"),
    "foot": ("foot", "ankle"),
    "toes": ("toebase", "toe", "toes", "ball", "toe0"),
    "upper_arm": ("upperarm", "uparm", "arm", "humerus", "shoulder", "armupper", "arm1"),
    "forearm": ("forearm", "lowerarm", "lowarm", "elbow", "radius", "armlower", "arm2"),
    "hand": ("hand", "wrist", "palm")}
"""What a part with a side is called, its most telling name first."""
MIDDLE: Mapping[str, tuple[str, ...]] = {
    "root": ("hips", "pelvis", "hip", "root", "cog"),
    "head": ("head", "neck1", "neck2", "neck"),
    "trunk": ("thorax", "upperchest", "chest", "spine3", "spine2", "spine1", "torso", "spine")}
PREFIXES = re.compile(r"^(mixamorig\d*[\s_.\-]*|(bip\d*|valvebiped|def|rig|character\d*|cc_base)[\s_.\-]+)+", re.I)
"""What programs put in front of every name."""
SHORT = 0.15
"""Of the tallness of the skeleton: a chain shorter than this is no limb."""


@dataclass(frozen=True)
class Roles:
    """Joints of a skeleton by role."""

    joints: Mapping[str, int]
    by: str
    """`names` or `tree`"""

    def __contains__(self, role: str) -> bool:
        return role in self.joints

    def __getitem__(self, role: str) -> int:
        return self.joints[role]


def find_roles(animation: SkeletonAnimation, origin: str = "this clip") -> Roles:
    """Who plays which role, or one line that says what is missing."""
    named = _by_names(animation)
    missing = _missing(animation, named)
    if not missing:
        return Roles(_with_trunk(animation, named), "names")
    guessed = _by_tree(animation, named)
    if guessed is None:
        raise BadInput(f"{origin}: no two legs in this skeleton; by name there is no {', no '.join(missing)}, and no "
                       f"two chains of the tree look like legs; joints: {', '.join(animation.names[:12])}"
                       + (", ..." if len(animation.names) > 12 else ""))
    return Roles(guessed, "tree")


# -- by names ----------------------------------------------------------------------------------------------------------


def plain(name: str) -> tuple[str, str]:
    """The side that a joint's name tells, or none, and what is left of the name: ("left", "upleg")."""
    name = PREFIXES.sub("", name.rsplit(":", 1)[-1].strip())
    side = ""
    for word in SIDES:
        if (found := re.search(word, name, re.I)) is not None:
            side, name = word, name[:found.start()] + name[found.end():]
            break
    else:
        for letter, word in (("l", "left"), ("r", "right")):
            upper = letter.upper()
            for pattern in (rf"^[{letter}{upper}][\s_.\-]", rf"[\s_.\-][{letter}{upper}](?=$|[\s_.\-])",
                            rf"^[{letter}{upper}](?=[A-Z])", rf"(?<=[a-z]){upper}$"):
                if re.search(pattern, name):
                    side, name = word, re.sub(pattern, "", name, count=1)
                    break
            if side:
                break
    return side, re.sub(r"[\s_.\-]", "", name).lower()


def _by_names(animation: SkeletonAnimation) -> dict[str, int]:
    """Roles that names tell; of several joints with one name the first of the tree."""
    names = [plain(name) for name in animation.names]
    found: dict[str, int] = {}
    for role, words in MIDDLE.items():
        _take(found, role, [("", word) for word in words], names)
    for side in SIDES:
        for role, words in WORDS.items():
            _take(found, f"{side}_{role}", [(side, word) for word in words], names)
    if "root" not in found or animation.parents[found["root"]] >= 0:
        above = _common(animation, [found[role] for role in ("left_thigh", "right_thigh") if role in found])
        if above is not None:
            found["root"] = above
    return found


def _take(found: dict[str, int], role: str, wanted: list[tuple[str, str]], names: list[tuple[str, str]]) -> None:
    """The joint with the most telling name."""
    for want in wanted:
        if want in names:
            found[role] = names.index(want)
            return


def _missing(animation: SkeletonAnimation, found: Mapping[str, int]) -> list[str]:
    """Roles without which nothing can be done; parts of a leg that do not hang on each other count as missing."""
    missing = [role for role in ("root", *(f"{side}_{part}" for side in SIDES for part in LEG)) if role not in found]
    if not missing:
        for side in SIDES:
            thigh, shank, foot = (found[f"{side}_{part}"] for part in LEG)
            if not (shank in path_to(animation, foot)[:-1] and thigh in path_to(animation, shank)[:-1]):
                missing.append(f"{side} leg whose parts hang on each other")
    return missing


def path_to(animation: SkeletonAnimation, joint: int) -> list[int]:
    """The joints from the root of the file to this one."""
    path = [joint]
    while animation.parents[path[-1]] >= 0:
        path.append(animation.parents[path[-1]])
    return path[::-1]


def _common(animation: SkeletonAnimation, joints: list[int]) -> int | None:
    """The last joint that all of these hang on."""
    if not joints:
        return None
    paths = [path_to(animation, joint)[:-1] for joint in joints]
    shared = [joint for joint in paths[0] if all(joint in path for path in paths)]
    return shared[-1] if shared else None


def _with_trunk(animation: SkeletonAnimation, found: dict[str, int]) -> dict[str, int]:
    """Where arms and neck leave the spine is the trunk, whatever it is called; arms need a fore- and an upper part."""
    for side in SIDES:
        if not all(f"{side}_{part}" in found for part in ("upper_arm", "forearm", "hand")):
            for part in ("upper_arm", "forearm", "hand"):
                found.pop(f"{side}_{part}", None)
    arms = [found[f"{side}_upper_arm"] for side in SIDES if f"{side}_upper_arm" in found]
    above = _common(animation, arms) if len(arms) == 2 else None
    if above is not None and above != found["root"]:
        found["trunk"] = above
    return found


# -- by the tree -------------------------------------------------------------------------------------------------------


def rest_places(animation: SkeletonAnimation) -> np.ndarray:
    """Where the joints are when all rotations are zero, (joints, 3) in the file's axes."""
    places = np.array(animation.offsets, dtype=float)
    for joint, parent in enumerate(animation.parents):
        if parent >= 0:
            places[joint] += places[parent]
    return places


def _by_tree(animation: SkeletonAnimation, named: Mapping[str, int]) -> dict[str, int] | None:
    """Roles of a skeleton whose names say little, from where its joints are at rest; named arms are no legs."""
    places = rest_places(animation)
    spread = np.ptp(places, axis=0)
    up = 1 if spread[1] > 0.7 * spread[2] else 2
    tall = float(spread[up])
    tips = [j for j in range(len(places)) if j not in animation.parents]
    if tall <= 0 or len(tips) < 2:
        return None
    tips.sort(key=lambda tip: float(places[tip, up]))
    arms = {joint for role, joint in named.items() if role.endswith(("arm", "hand"))}
    pair = _legs(animation, places, [tip for tip in tips if not arms & set(path_to(animation, tip))], tall, up)
    if pair is None:
        return None
    root, legs = pair
    sites = dict(animation.tips)
    forward = np.mean([places[leg[-1]] + sites.get(leg[-1], 0.0) - places[leg[2]] for leg in legs.values()], axis=0)
    left = np.cross(np.eye(3)[up], forward)
    if np.linalg.norm(left) < 0.01 * tall:  # without toes nothing says what is ahead: mostly left is +x
        left = np.eye(3)[0]
    a, b = sorted(legs, key=lambda tip: float(left @ places[legs[tip][0]]))
    found = {"root": root}
    for side, tip in (("left", b), ("right", a)):
        found |= dict(zip((f"{side}_{part}" for part in (*LEG, "toes")), legs[tip], strict=False))
    _upper_body(animation, places, tips, tall, up, left, found)
    return found


def _legs(animation: SkeletonAnimation, places: np.ndarray, tips: list[int], tall: float, up: int
          ) -> tuple[int, dict[int, list[int]]] | None:
    """The joint that both legs hang on, and hip, knee, ankle and what comes after of each by its tip."""
    for k, first in enumerate(tips):
        for second in tips[k + 1:]:
            root = _common(animation, [first, second])
            if root is None or min(places[root, up] - places[[first, second], up]) < 2 * SHORT * tall:
                continue
            legs = {tip: _limb(animation, places, root, tip) for tip in (first, second)}
            if all(len(leg) >= 3 for leg in legs.values()):
                return root, legs
    return None


def _limb(animation: SkeletonAnimation, places: np.ndarray, above: int, tip: int) -> list[int]:
    """Beginning of the upper part, of the lower part, its end, and the rest to the tip: the two longest neighbours."""
    path = path_to(animation, tip)
    path = path[path.index(above) + 1:]
    path = [joint for k, joint in enumerate(path)
            if k == 0 or np.linalg.norm(places[joint] - places[path[k - 1]]) > 1e-6] or path
    lengths = [float(np.linalg.norm(places[b] - places[a])) for a, b in pairwise(path)]
    if len(lengths) < 2:
        return []
    sums = np.array([a + b for a, b in pairwise(lengths)])
    best = int(np.flatnonzero(sums > 0.9 * sums.max())[-1])  # of about equal ones the last: a collar bone is no arm
    return path[best:]


def _upper_body(animation: SkeletonAnimation, places: np.ndarray, tips: list[int], tall: float, up: int,
                left: np.ndarray, found: dict[str, int]) -> None:
    """Head, trunk and arms, as far as there are such."""
    high = [tip for tip in tips if found["root"] in path_to(animation, tip)
            and places[tip, up] > places[found["root"], up] + SHORT * tall]
    if not high:
        return
    middle = left @ places[found["root"]] / np.linalg.norm(left)
    aside = {tip: float(left @ places[tip] / np.linalg.norm(left) - middle) for tip in tips}
    top = max(high, key=lambda tip: float(places[tip, up]) - abs(aside[tip]))
    found["head"] = top
    spine = path_to(animation, top)
    legs = {joint for role, joint in found.items() if role.endswith(LEG)}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arms = [tip for tip in tips if sign * aside[tip] > 0.05 * tall and not legs & set(path_to(animation, tip))]
        for tip in sorted(arms, key=lambda tip: -sign * aside[tip] - _reach(animation, places, tip, spine)):
            above = [joint for joint in path_to(animation, tip) if joint in spine][-1]
            arm = _limb(animation, places, above, tip)
            if len(arm) >= 3:
                found |= dict(zip((f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")), arm, strict=False))
                found["trunk"] = above
                break


def _reach(animation: SkeletonAnimation, places: np.ndarray, tip: int, spine: list[int]) -> float:
    """Length of the chain from the trunk to a tip."""
    path = [joint for joint in path_to(animation, tip) if joint not in spine]
    return float(sum(np.linalg.norm(places[b] - places[a]) for a, b in pairwise(path)))
