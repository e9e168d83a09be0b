"""Patches of a foreign model, from its roles and its colliding geoms, in the rest pose.

Each place is found by a ray from outside: to a knee from the front, to the pelvis from below, and so on. What the ray
meets first on that part is the surface that can carry load.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.body_tree import BodyTree
from gambol.bodies.patches import Patch

ALONG_SHIN, ALONG_FOREARM = (0.25, 0.8), (0.25, 0.85)
"""Where the points of a line along a limb are, as shares of its length."""
BELOW_KNEE = 0.05
"""How far below its joint a knee carries, as a share of the shank."""
SEAT_LENGTH, SEAT_WIDTH = 0.03, 0.5
"""Half a seat's length as a share of the height, and half its width as a share of the way from the middle to a hip."""
INNER = 0.5
"""Share of a trunk's breadth, and of its height, between the points of back and chest."""
LEVEL = 0.06
"""Points of one patch are level to this share of the height: what is farther in is a gap beside it."""
STRAIGHT = 0.3
"""If an arm is bent by less than this, rad, its bend does not tell which way the elbow points."""

Points = list[np.ndarray]


def infer_patches(tree: BodyTree, anatomy: Anatomy) -> dict[str, Patch]:
    """Patches by role; only those whose parts there are, and whose surface was found."""
    probe = Probe(tree, anatomy)
    found = {role: probe.patch(kind, body, points) for role, kind, body, points in (
        *_hands(probe), *_legs(probe), *_trunk(probe)) if points}
    if len(anatomy.soles) > 2:
        found |= {role: Patch("paw", anatomy.bodies[role], points) for role, points in anatomy.soles.items()}
    return found


def pad_geoms(tree: BodyTree, patches: Iterable[Patch]) -> list[int]:
    """Ids of the geoms that the points of patches lie on."""
    model, found = tree.model, set()
    for patch in patches:
        body = tree.names.index(patch.body)
        geoms = _solid(model, [body])
        places = tree.data.xpos[body] + patch.points @ tree.data.xmat[body].reshape(3, 3).T
        if geoms:
            found |= {min(geoms, key=lambda geom: _off_surface(tree, geom, place)) for place in places}
    return sorted(found)


class Probe:
    """Finds places on the surface of parts."""

    def __init__(self, tree: BodyTree, anatomy: Anatomy) -> None:
        self.tree, self.anatomy, self.far = tree, anatomy, 2.0 * tree.height

    def body(self, role: str) -> int | None:
        name = self.anatomy.bodies.get(role)
        return None if name is None else self.tree.names.index(name)

    def surface(self, body: int, place: np.ndarray, outward: np.ndarray) -> Points:
        """Where a ray that comes in against `outward`, toward a place, meets a body first; empty if it does not."""
        start = place + self.far * outward
        ways = [way for way in (_ray(self.tree, geom, start, -outward) for geom in _solid(self.tree.model, [body]))
                if way >= 0]
        return [start - min(ways) * outward] if ways else []

    def level(self, body: int, places: Iterable[np.ndarray], outward: np.ndarray) -> Points:
        """... for several places, without those that are far behind the foremost."""
        points = [point for place in places for point in self.surface(body, place, outward)]
        foremost = max((float(point @ outward) for point in points), default=0.0)
        return [point for point in points if point @ outward > foremost - LEVEL * self.tree.height]

    def patch(self, kind: str, body: int, points: Points) -> Patch:
        """World points in the axes of their body when all joints are at zero, which are those of the body itself."""
        local = (np.array(points) - self.tree.data.xpos[body]) @ self.tree.data.xmat[body].reshape(3, 3)
        return Patch(kind, self.tree.names[body], local)

    def box(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest corner of a body's colliding geoms."""
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        model, data = self.tree.model, self.tree.data
        for geom in _solid(model, [body]):
            turn = data.geom_xmat[geom].reshape(3, 3)
            middle = data.geom_xpos[geom] + turn @ model.geom_aabb[geom, :3]
            half = np.abs(turn) @ model.geom_aabb[geom, 3:]
            low, high = np.minimum(low, middle - half), np.maximum(high, middle + half)
        return low, high


Found = list[tuple[str, str, int, Points]]


def _hands(probe: Probe) -> Found:
    """The ends of hands, the points of elbows, the undersides of forearms."""
    tree, found = probe.tree, []
    for side in ("left", "right"):
        upper, fore, hand = (probe.body(f"{side}_{part}") for part in ("upper_arm", "forearm", "hand"))
        if upper is None or fore is None or upper == fore:
            continue
        elbow, shoulder = tree.anchor(fore), tree.anchor(upper)
        if hand is not None and hand != fore:
            along = _unit(tree.com[hand] - elbow)
            found.append((f"{side}_palm", "palm", hand, probe.surface(hand, tree.com[hand], along)))
            end = tree.anchor(hand)
        else:
            end = elbow + 2.0 * (tree.data.xipos[fore] - elbow)
        away, back = _unit(end - elbow), _unit(shoulder - elbow)
        out = -(away + back) if np.linalg.norm(away + back) > STRAIGHT else np.array([-1.0, 0.0, 0.0])
        out = _unit(out)
        found.append((f"{side}_elbow", "elbow", fore, probe.surface(fore, elbow, out)))
        under = _unit(out - (out @ away) * away)
        places = [elbow + share * (end - elbow) for share in ALONG_FOREARM]
        found.append((f"{side}_forearm", "forearm", fore, probe.level(fore, places, under)))
    return found


def _legs(probe: Probe) -> Found:
    """Knees and shins, on the side that a knee points to."""
    tree, found = probe.tree, []
    for foot in probe.anatomy.feet:
        leg = foot.removesuffix("foot")
        thigh, shank, end = (probe.body(f"{leg}{part}") for part in ("thigh", "shank", "foot"))
        if thigh is None or shank is None or end is None or shank in (thigh, end):
            continue
        hip, knee, ankle = tree.anchor(thigh), tree.anchor(shank), tree.anchor(end)
        along = _unit(ankle - knee)
        ahead = np.array([1.0, 0.0, 0.0])
        if (knee - 0.5 * (hip + ankle))[0] < -0.02 * tree.height:  # it points backward, as a bird's
            ahead = -ahead
        front = _unit(ahead - (ahead @ along) * along)
        places = [knee + share * (ankle - knee) for share in (BELOW_KNEE, *ALONG_SHIN)]
        found.append((f"{leg}knee", "knee", shank, probe.surface(shank, places[0], front)))
        found.append((f"{leg}shank", "shank", shank, probe.level(shank, places[1:], front)))
    return found


def _trunk(probe: Probe) -> Found:
    """Seat, back and chest; of what goes on four legs the undersides; the middle of a tail."""
    tree, down, found = probe.tree, np.array([0.0, 0.0, -1.0]), []
    root, trunk, tail = (probe.body(role) for role in ("root", "trunk", "tail"))
    hips = [tree.anchor(thigh) for foot in probe.anatomy.feet if "front" not in foot
            if (thigh := probe.body(foot.removesuffix("foot") + "thigh")) is not None]
    if root is not None and len(hips) >= 2:
        middle, size = np.mean(hips, axis=0), SEAT_LENGTH * tree.height
        wide = SEAT_WIDTH * float(np.ptp([hip[1] for hip in hips])) / 2
        places = [middle + [x, y, 0.0] for y in (wide, -wide) for x in (-size, size)]
        found.append(("seat", "seat", root, probe.level(root, places, down)))
    if trunk is not None and _solid(tree.model, [trunk]):
        low, high = probe.box(trunk)
        middle, half = 0.5 * (low + high), 0.5 * INNER * (high - low)
        if len(probe.anatomy.feet) > 2:
            places = [middle + [x, y, 0.0] for y in (half[1], -half[1]) for x in (-half[0], half[0])]
            found.append(("chest", "chest", trunk, probe.level(trunk, places, down)))
        else:
            places = [middle + [0.0, y, z] for y in (half[1], -half[1]) for z in (-half[2], half[2])]
            for role, ahead in (("chest", 1.0), ("back", -1.0)):
                found.append((role, role, trunk, probe.level(trunk, places, np.array([ahead, 0.0, 0.0]))))
    if tail is not None:
        found.append(("tail", "tail", tail, probe.surface(tail, tree.data.xipos[tail], down)))
    return found


def _solid(model: mujoco.MjModel, bodies: Iterable[int]) -> list[int]:
    """Colliding geoms of some bodies."""
    return [geom for body in bodies
            for geom in range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body])
            if model.geom_contype[geom] or model.geom_conaffinity[geom]]


def _ray(tree: BodyTree, geom: int, start: np.ndarray, way: np.ndarray) -> float:
    """How far a ray goes until it meets a geom; -1 if it does not."""
    model, data = tree.model, tree.data
    kind = int(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        return float(mujoco.mj_rayMesh(model, data, geom, start, way, None))
    return float(mujoco.mju_rayGeom(data.geom_xpos[geom], data.geom_xmat[geom], model.geom_size[geom], start, way, kind,
                                    None))


def _off_surface(tree: BodyTree, geom: int, place: np.ndarray) -> float:
    """How far a place is from the nearest surface of a geom along the line to its middle, m."""
    middle = tree.data.geom_xpos[geom]
    distance = float(np.linalg.norm(place - middle))
    if distance < 1e-9:
        return np.inf
    way = (middle - place) / distance
    far = 10.0 * tree.height
    hit = _ray(tree, geom, place - far * way, way)
    return abs(hit - far) if hit >= 0 else np.inf


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def corrected(found: Mapping[str, Patch], given: Mapping[str, Patch | None]) -> dict[str, Patch]:
    """What was inferred, with the user's patches over it; None takes one away."""
    merged = {**found, **given}
    return {role: patch for role, patch in merged.items() if patch is not None}
