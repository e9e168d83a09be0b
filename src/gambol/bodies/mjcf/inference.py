"""Anatomy of a foreign model from its tree, its geometry and its names.

The model stands in a pose that may serve for standing, facing +x, z up. Feet are found first (what reaches the ground
at the end of a sided limb); legs, root, trunk, arms, head and tail follow from how everything hangs together. Names
only break ties: a model with meaningless names gets nearly the same anatomy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.body_tree import BodyTree
from gambol.bodies.mjcf.soles import sole_points

REACH = 0.06
"""A part whose lowest point is within this share of the height above the ground reaches the ground."""
ANKLE = 0.35
"""An ankle is lower than this share of the height of the hip."""
HEAD = re.compile(r"head|skull|cranium", re.IGNORECASE)
TAIL = re.compile(r"tail|caudal|^ca_?\d", re.IGNORECASE)


@dataclass
class Limb:
    """A chain of moving links that ends in a foot or a hand."""

    side: str
    links: list[int]
    """first body of each moving link, proximal first"""
    end: int
    """the foot or hand"""
    middle: int
    """index in `links` of the one below the knee or elbow"""


@dataclass
class Draft:
    """Roles so far."""

    bodies: dict[str, str] = field(default_factory=dict)
    joints: dict[str, tuple[str, ...]] = field(default_factory=dict)
    feet: dict[str, int] = field(default_factory=dict)


def infer(tree: BodyTree) -> Anatomy:
    """Roles and soles of a model in a standing pose."""
    draft = Draft()
    branches = side_branches(tree)
    feet = find_feet(tree, branches)
    legs = {role: make_limb(tree, side, branch_base, foot) for role, (side, branch_base, foot) in feet.items()}
    root = tree.common(b for b in _leg_parents(tree, feet)) if feet else tree.top
    arms = find_arms(tree, branches, feet)
    trunk = find_trunk(tree, root, legs, arms, feet)
    pelvis = tree.common([tree.parent[feet[r][1]] for r in feet if "front" not in r]) if feet else root
    head = find_head(tree, trunk, feet, arms)
    tail = find_tail(tree, pelvis, head, feet)
    draft.bodies |= {"root": tree.names[root], "trunk": tree.names[trunk]}
    _spine(tree, draft, pelvis, trunk)
    if head is not None:
        draft.bodies["head"] = tree.names[head]
        _joints(tree, draft, "neck", [b for b in tree.between(trunk, head)])
    for side, base in arms.items():
        _name_arm(tree, draft, side, make_limb(tree, side, base, _hand(tree, base)))
    for role, leg in legs.items():
        _name_leg(tree, draft, role.removesuffix("foot"), leg)
    if tail is not None:
        draft.bodies["tail"] = tree.names[tail]
        _joints(tree, draft, "tail", tree.below(tail))
    soles = {}
    for role in draft.feet:
        points = sole_points(tree, draft.feet[role])
        if len(points):
            soles[role] = points
    return Anatomy(draft.bodies, draft.joints, soles)


def side_branches(tree: BodyTree) -> dict[int, str]:
    """Base bodies of everything that hangs to one side of the midline: body -> `left` or `right`."""
    branches: dict[int, str] = {}

    def walk(body: int) -> None:
        for child in tree.children[body]:
            if tree.on_midline(child) or _straddles(tree, child):
                walk(child)
            else:
                branches[child] = "left" if tree.com[child][1] > 0 else "right"
    walk(tree.top)
    return branches


def _straddles(tree: BodyTree, body: int) -> bool:
    """Whether parts below it lie clearly on both sides: then it is a body part of the middle."""
    y = tree.data.xipos[tree.below(body)][:, 1]
    far = 0.02 * tree.height
    return bool(y.max() > far and y.min() < -far and abs(y.max() + y.min()) < 0.5 * np.ptp(y))


def find_feet(tree: BodyTree, branches: dict[int, str]) -> dict[str, tuple[str, int, int]]:
    """Foot role -> (side, base of its limb, foot body), front to back."""
    level = tree.ground + REACH * tree.height
    found: dict[str, list[tuple[int, int]]] = {"left": [], "right": []}
    for base, side in branches.items():
        foot = _foot(tree, base, level)
        if foot is not None and _links(tree, base, foot):
            found[side].append((base, foot))
    if not found["left"] and not found["right"]:
        return _one_foot(tree, level)
    feet: dict[str, tuple[str, int, int]] = {}
    count = max(len(v) for v in found.values())
    places = {1: [""], 2: ["front_", "hind_"], 3: ["front_", "middle_", "hind_"]}.get(
        count, [f"pair{k + 1}_" for k in range(count)])
    for side in ("left", "right"):
        limbs = sorted(found[side], key=lambda limb: -tree.anchor(limb[0])[0] - 0.3 * tree.com[limb[0]][0])
        for place, (base, foot) in zip(places, limbs, strict=False):
            feet[f"{place}{side}_foot"] = (side, base, foot)
    return dict(sorted(feet.items(), key=lambda item: places.index(re.sub("(left|right)_foot", "", item[0]))))


def _foot(tree: BodyTree, base: int, level: float) -> int | None:
    """The part of a limb that stands: the uppermost that touches the ground and is jointed near it (toes are below).

    A peg leg has no such part; then the last one that touches.
    """
    touching = [b for b in tree.below(base) if tree.lowest[b] < level]
    top = tree.ground + ANKLE * (tree.anchor(base)[2] - tree.ground)
    low = [b for b in touching if tree.anchor(b)[2] < top]
    return low[0] if low else touching[-1] if touching else None


def _one_foot(tree: BodyTree, level: float) -> dict[str, tuple[str, int, int]]:
    """A hopper: one limb on the midline that reaches the ground."""
    for body in tree.bodies:
        if tree.lowest[body] < level:
            path = tree.path(body)
            return {"foot": ("", path[1], body)} if len(path) > 1 else {}
    return {}


def _leg_parents(tree: BodyTree, feet: dict[str, tuple[str, int, int]]) -> list[int]:
    return [tree.parent[base] for _, base, _ in feet.values()]


def _links(tree: BodyTree, base: int, end: int) -> list[int]:
    """Bodies with joints from the limb's base to its end."""
    return [b for b in tree.path(end) if b >= base and base in tree.path(b) and tree.joints(b)]


def make_limb(tree: BodyTree, side: str, base: int, end: int) -> Limb:
    """Find the knee or elbow: the joint farthest from both ends of the chain."""
    links = _links(tree, base, end)
    anchors = [tree.anchor(b) for b in links]
    if not tree.joints(end):  # a foot or hand fixed to the last link
        if len(links) >= 3:
            end = links[-1]
        else:
            anchors.append(tree.data.xpos[end])
    middle = len(links)
    inner = range(1, len(anchors) - 1) if len(anchors) > 2 else range(1, len(links))
    if len(inner):
        middle = max(inner, key=lambda k: min(float(np.linalg.norm(anchors[k] - anchors[0])),
                                              float(np.linalg.norm(anchors[k] - anchors[-1]))))
    return Limb(side, links, end, middle)


def find_arms(tree: BodyTree, branches: dict[int, str], feet: dict[str, tuple[str, int, int]]) -> dict[str, int]:
    """Side -> base of the arm: the heaviest mirrored pair of branches that are not legs and have joints."""
    legs = {base for _, base, _ in feet.values()}
    heads = {b for b in tree.bodies if HEAD.search(tree.names[b])}
    candidates = [b for b in branches if b not in legs and not heads & set(tree.path(b)[:-1])
                  and any(tree.joints(k) for k in tree.below(b)) and tree.mass[b] > 0.005 * tree.mass[tree.top]]
    pairs = []
    for left in (b for b in candidates if branches[b] == "left"):
        mirrored = tree.com[left] * (1, -1, 1)
        for right in (b for b in candidates if branches[b] == "right"):
            if (np.linalg.norm(tree.com[right] - mirrored) < 0.1 * tree.height
                    and abs(tree.mass[right] - tree.mass[left]) < 0.2 * tree.mass[left]):
                pairs.append((tree.mass[left], left, right))
    if not pairs:
        return {}
    _, left, right = max(pairs)
    return {"left": left, "right": right}


def _hand(tree: BodyTree, base: int) -> int:
    """Follow the limb to its end, or to where it forks into fingers."""
    body = base
    while len(tree.children[body]) == 1 or (tree.children[body] and not tree.joints(body) and body == base):
        body = max(tree.children[body], key=lambda c: tree.mass[c])
    return body


def find_trunk(tree: BodyTree, root: int, legs: dict[str, Limb], arms: dict[str, int],
               feet: dict[str, tuple[str, int, int]]) -> int:
    """What carries the arms; on four legs, what carries the front ones; else the heaviest part of the middle."""
    if arms:
        return tree.common(tree.parent[b] for b in arms.values())
    front = [tree.parent[base] for role, (_, base, _) in feet.items() if role.startswith("front")]
    if front:
        return tree.common(front)
    middle = [b for b in tree.bodies if tree.on_midline(b) and not any(b in tree.below(leg.links[0])
                                                                       for leg in legs.values())]
    return max(middle, key=lambda b: (tree.model.body_mass[b], -b)) if middle else root


def find_head(tree: BodyTree, trunk: int, feet: dict[str, tuple[str, int, int]], arms: dict[str, int]) -> int | None:
    """By name, or the end of the midline chain from the trunk that goes up (two legs) or forward (four)."""
    named = [b for b in tree.bodies if HEAD.search(tree.names[b]) and tree.on_midline(b)]
    if named:
        return min(named, key=lambda b: (tree.names[b].lower() not in ("head", "skull"), b))
    direction = np.array([1.0, 0.0, 0.5]) if len(feet) > 2 else np.array([0.0, 0.0, 1.0])
    limbs = {base for _, base, _ in feet.values()} | set(arms.values())
    ends = [b for b in tree.below(trunk) if not tree.children[b] and b != trunk and tree.on_midline(b)
            and not limbs & set(tree.path(b))]
    if not ends:
        return None
    best = max(ends, key=lambda b: float(direction @ tree.data.xipos[b]))
    ahead = float(direction @ (tree.data.xipos[best] - tree.data.xipos[trunk]))
    return best if ahead > 0.05 * tree.height else None


def find_tail(tree: BodyTree, pelvis: int, head: int | None, feet: dict[str, tuple[str, int, int]]) -> int | None:
    """Base of a midline chain behind the pelvis that ends free."""
    limbs = {base for _, base, _ in feet.values()}
    taken = set(tree.path(head)) if head is not None else set()
    for base in tree.children[pelvis]:
        chain = tree.below(base)
        if (base in taken or not tree.on_midline(base) or any(limb in chain for limb in limbs)
                or not any(tree.joints(b) for b in chain)):
            continue
        behind = tree.data.xipos[chain][:, 0].min() < tree.data.xipos[pelvis][0] - 0.05 * tree.height
        if TAIL.search(tree.names[base]) or (behind and len(feet) > 2):
            return base
    return None


def _spine(tree: BodyTree, draft: Draft, pelvis: int, trunk: int) -> None:
    """Joints between pelvis and trunk: the lower half of the bodies is the lower spine."""
    jointed = [b for b in tree.between(pelvis, trunk) if tree.joints(b)]
    lower = (len(jointed) + 1) // 2
    _joints(tree, draft, "lower_spine", jointed[:lower])
    _joints(tree, draft, "upper_spine", jointed[lower:])


def _joints(tree: BodyTree, draft: Draft, role: str, bodies: list[int]) -> None:
    names = tuple(name for b in bodies for name in tree.joints(b))
    if names:
        draft.joints[role] = names


def _name_leg(tree: BodyTree, draft: Draft, prefix: str, leg: Limb) -> None:
    _name_limb(tree, draft, prefix, leg, ("thigh", "shank", "foot"), ("hip", "knee", "ankle"))
    draft.feet[f"{prefix}foot"] = leg.end
    draft.bodies[f"{prefix}foot"] = tree.names[leg.end]


def _name_arm(tree: BodyTree, draft: Draft, side: str, arm: Limb) -> None:
    _name_limb(tree, draft, f"{side}_", arm, ("upper_arm", "forearm", "hand"), ("shoulder", "elbow", "wrist"))
    if tree.names[arm.end] not in draft.bodies.values():
        draft.bodies[f"{side}_hand"] = tree.names[arm.end]


def _name_limb(tree: BodyTree, draft: Draft, prefix: str, limb: Limb, parts: tuple[str, str, str],
               joints: tuple[str, str, str]) -> None:
    upper, lower, far = limb.links[:limb.middle], limb.links[limb.middle:limb.middle + 1], limb.links[limb.middle + 1:]
    for link, part in ((upper[-1:], parts[0]), (lower, parts[1])):
        if link and (link[0] != limb.end or part == "upper_arm" or part == "forearm"):
            draft.bodies[prefix + part] = tree.names[link[0]]
    for links, joint in zip((upper, lower, far), joints, strict=True):
        _joints(tree, draft, prefix + joint, links)
