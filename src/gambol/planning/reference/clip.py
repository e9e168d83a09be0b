"""A recorded clip in metres of the character: z up, starting over the origin and facing +x, its joints by role.

What a joint's turn means differs from file to file. It is told from a pose of reference in which the actor stands
straight: the T-pose of the first frame, else the rest pose of the file, else (where that is no standing pose) the mean
over the clip of what the geometry of hips and shoulders says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import BadInput
from gambol.motion.formats.skeleton import SkeletonAnimation
from gambol.planning.reference.skeleton import SIDES, Roles, find_roles, path_to, rest_places
from gambol.rotations import matrix, unit

LIMBS = (("thigh", "shank"), ("shank", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))
"""Parts with a direction, each from its own joint to the next one's."""
SHORTEST = 0.2
"""s, the shortest clip there can be."""
UPRIGHT = 0.85
"""Cosine: how straight up the trunk and down the legs are of who stands."""
SIDEWAYS = 0.35
"""Vertical part of the direction of an arm that is held out to the side."""


@dataclass(frozen=True)
class Clip:
    """n frames of a recording."""

    origin: str
    roles: Roles
    names: tuple[str, ...]
    """of the file's joints"""
    scale: float
    """m a unit of the file"""
    rate: float
    """frames a second"""
    posed: str
    """where the pose of reference comes from: `T-pose`, `rest pose`, or `mean pose`"""
    hips: np.ndarray
    """(n, 3) between the hip joints, m"""
    turns: dict[str, np.ndarray]
    """role -> (n, 3, 3) turn since the pose of reference, world axes"""
    directions: dict[str, np.ndarray]
    """role -> (n, 3) direction of a limb; of a foot where its front points"""
    straight: dict[str, np.ndarray]
    """role -> (3,) direction of a limb in the pose of reference"""
    balls: dict[str, np.ndarray]
    """foot -> (n, 3) its ball, where the skeleton has one, m"""

    @property
    def frames(self) -> int:
        return len(self.hips)

    @property
    def seconds(self) -> float:
        return (self.frames - 1) / self.rate

    def part(self, begin: float, end: float | None) -> Clip:
        """What lies between two moments, s, moved to the origin and turned to face +x."""
        last = self.seconds if end is None else min(end, self.seconds)
        if not 0 <= begin < last or last - begin < SHORTEST:
            raise BadInput(f"{self.origin}: from {begin:g} to {last:g} s there is nothing to follow; the clip lasts "
                           f"{self.seconds:.2f} s, and at least {SHORTEST:g} s are needed")
        rows = slice(round(begin * self.rate), round(last * self.rate) + 1)
        return self._moved(rows)

    def mirrored(self) -> Clip:
        """Left and right exchanged: a picture in a mirror."""
        flip = np.diag([1.0, -1.0, 1.0])

        def swapped(table: dict[str, np.ndarray], square: bool = False) -> dict[str, np.ndarray]:
            return {other_side(role): flip @ values @ flip if square else values @ flip
                    for role, values in table.items()}

        return replace(self, hips=self.hips @ flip, turns=swapped(self.turns, True),
                       directions=swapped(self.directions), straight=swapped(self.straight),
                       balls=swapped(self.balls))

    def _moved(self, rows: slice) -> Clip:
        """Some rows, put over the origin and turned to face +x."""
        root, hips = self.turns["root"][rows], self.hips[rows]
        forward = root[0, :, 0]
        if np.hypot(*forward[:2]) < 0.3:  # lying face up or down: where the head points
            forward = root[0, :, 2]
        back = _yaw(-np.arctan2(forward[1], forward[0]))
        start = hips[0] * [1.0, 1.0, 0.0]
        return replace(self, hips=(hips - start) @ back.T,
                       turns={role: back @ values[rows] for role, values in self.turns.items()},
                       directions={role: values[rows] @ back.T for role, values in self.directions.items()},
                       balls={role: (values[rows] - start) @ back.T for role, values in self.balls.items()})


def other_side(role: str) -> str:
    """`left_foot` for `right_foot`, and the other way."""
    if role.startswith("left_"):
        return "right_" + role[5:]
    return "left_" + role[6:] if role.startswith("right_") else role


def read_clip(animation: SkeletonAnimation, leg: float, origin: str = "this clip") -> Clip:
    """A clip for a character whose thigh and shank together are `leg` long, m."""
    roles = find_roles(animation, origin)
    positions, quaternions = animation.poses()
    rotations = matrix(quaternions)
    size = _leg_length(animation, roles)
    if not size > 0:
        raise BadInput(f"{origin}: the legs of this skeleton have no length")
    scale = leg / size
    rest = rest_places(animation)
    up = _up_axis(rest, positions, roles)
    first = _first(positions, up, roles)
    if first:
        posed, pose, spin = "T-pose", positions[0], rotations[0]
        keep = slice(1, None)
    else:
        posed, pose, spin = "rest pose", rest, np.broadcast_to(np.eye(3), rotations.shape[1:])
        keep = slice(None)
    if len(rotations[keep]) < 2 or (len(rotations[keep]) - 1) * animation.frame_time < SHORTEST:
        raise BadInput(f"{origin}: {len(rotations[keep])} frames of {animation.frame_time:.4g} s are too short to "
                       f"follow; at least {SHORTEST:g} s are needed")
    if first or _stands(pose, up, roles):
        axes = _axes(pose, up, roles)
        zero = axes @ spin
    else:
        posed = "mean pose"
        axes = _axes(positions[keep][0], up, roles)
        zero = _mean_pose(axes, positions[keep] @ axes.T, axes @ rotations[keep], roles)
        pose = None
    return _by_roles(animation, roles, origin, scale, posed, positions[keep] @ axes.T, axes @ rotations[keep], zero,
                     None if pose is None else pose @ axes.T)


def _by_roles(animation: SkeletonAnimation, roles: Roles, origin: str, scale: float, posed: str, positions: np.ndarray,
              rotations: np.ndarray, zero: np.ndarray, pose: np.ndarray | None) -> Clip:
    """The clip with axes settled: turns since `zero` (joints, 3, 3), directions, places in metres."""
    turns = {role: rotations[:, joint] @ zero[joint].T for role, joint in roles.joints.items()
             if not role.endswith("toes")}
    directions, straight = {}, {}
    for side in SIDES:
        for part, end in LIMBS:
            a, b = f"{side}_{part}", f"{side}_{end}"
            if a in roles and b in roles:
                directions[a] = unit(positions[:, roles[b]] - positions[:, roles[a]])
                straight[a] = np.array([0.0, 0.0, -1.0]) if pose is None else unit(pose[roles[b]] - pose[roles[a]])
        directions[f"{side}_foot"] = turns[f"{side}_foot"][:, :, 0]
        straight[f"{side}_foot"] = np.array([1.0, 0.0, 0.0])
    hips = scale * 0.5 * (positions[:, roles["left_thigh"]] + positions[:, roles["right_thigh"]])
    balls = {f"{side}_foot": scale * positions[:, roles[f"{side}_toes"]] for side in SIDES if f"{side}_toes" in roles}
    clip = Clip(origin, roles, animation.names, scale, 1.0 / animation.frame_time, posed, hips, turns, directions,
                straight, balls)
    return clip._moved(slice(None))


# -- finding axes ------------------------------------------------------------------------------------------------------


def _leg_length(animation: SkeletonAnimation, roles: Roles) -> float:
    """Thigh and shank, mean of both sides, in the file's units."""
    def length(lower: int, upper: int) -> float:
        path = path_to(animation, lower)
        return float(sum(np.linalg.norm(animation.offsets[joint]) for joint in path[path.index(upper) + 1:]))

    return 0.5 * sum(length(roles[f"{side}_{b}"], roles[f"{side}_{a}"]) for side in SIDES
                     for a, b in (("thigh", "shank"), ("shank", "foot")))


def _top(places: np.ndarray, roles: Roles) -> np.ndarray:
    """From the feet to the highest part there is a role for, (..., 3)."""
    high = next(roles[role] for role in ("head", "trunk", "root") if role in roles)
    feet = 0.5 * (places[..., roles["left_foot"], :] + places[..., roles["right_foot"], :])
    found: np.ndarray = places[..., high, :] - feet
    return found


def _up_axis(rest: np.ndarray, positions: np.ndarray, roles: Roles) -> np.ndarray:
    """Which axis of the file is up: the one along which the actor is tall, at rest and in the clip."""
    tall = unit(np.abs(_top(rest, roles))) + 2 * unit(np.abs(_top(positions, roles)).mean(axis=0))
    axis = 1 if tall[1] >= tall[2] else 2
    found: np.ndarray = np.eye(3)[axis]
    return found


def _stands(places: np.ndarray, up: np.ndarray, roles: Roles) -> bool:
    """Whether a pose (joints, 3) stands: legs down, trunk up, both about straight."""
    legs = [unit(places[roles[f"{side}_thigh"]] - places[roles[f"{side}_foot"]]) @ up for side in SIDES]
    return bool(min(*legs, unit(_top(places, roles)) @ up) > UPRIGHT)


def _first(positions: np.ndarray, up: np.ndarray, roles: Roles) -> bool:
    """Whether the first frame is a T-pose: stands, with both arms straight out to opposite sides."""
    arms = []
    for side in SIDES:
        if f"{side}_hand" not in roles:
            return False
        arms.append([unit(positions[0, roles[f"{side}_{b}"]] - positions[0, roles[f"{side}_{a}"]])
                     for a, b in (("upper_arm", "forearm"), ("forearm", "hand"))])
    level = max(abs(float(part @ up)) for arm in arms for part in arm) < SIDEWAYS
    opposite = all(float(a @ b) < -UPRIGHT for a, b in zip(*arms, strict=True))
    return level and opposite and _stands(positions[0], up, roles)


def _axes(places: np.ndarray, up: np.ndarray, roles: Roles) -> np.ndarray:
    """Rows: ahead, left and up of a pose (joints, 3), in the file's axes."""
    left = places[roles["left_thigh"]] - places[roles["right_thigh"]]
    left = unit(left - (left @ up) * up)
    return np.array([np.cross(left, up), left, up])


def _yaw(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


# -- a file whose rest pose says nothing -------------------------------------------------------------------------------


def _mean_pose(axes: np.ndarray, positions: np.ndarray, rotations: np.ndarray, roles: Roles) -> np.ndarray:
    """Rotation of each joint when the actor stands straight with arms down, (joints, 3, 3), as the clip's mean has it.

    Pelvis and trunk are what the lines of hips and shoulders say; head, thighs and upper arms are on average not
    twisted against what they hang on; feet are level on average while they are low.
    """
    zero = np.broadcast_to(np.eye(3), rotations.shape[1:]).copy()
    at = lambda role: positions[:, roles[role]]  # noqa: E731
    high = next(role for role in ("trunk", "head", "root") if role in roles)
    hips = 0.5 * (at("left_thigh") + at("right_thigh"))
    pelvis = _frames(at("left_thigh") - at("right_thigh"), (at(high) if high != "root" else at("root")) - hips)
    frames = {"root": pelvis, "trunk": pelvis, "head": pelvis}
    if "left_upper_arm" in roles and "right_upper_arm" in roles:
        middle = 0.5 * (at("left_upper_arm") + at("right_upper_arm"))
        frames["trunk"] = frames["head"] = _frames(at("left_upper_arm") - at("right_upper_arm"), middle - hips)
    for side in SIDES:
        for part, end, above in (("thigh", "shank", "root"), ("shank", "foot", "root"),
                                 ("upper_arm", "forearm", "trunk")):
            if f"{side}_{part}" in roles:
                way = unit(at(f"{side}_{end}") - at(f"{side}_{part}"))
                frames[f"{side}_{part}"] = _tilted(frames[above], way)
        ahead = at(f"{side}_toes") - at(f"{side}_foot") if f"{side}_toes" in roles else pelvis[:, :, 0]
        up = np.broadcast_to([0.0, 0.0, 1.0], ahead.shape)
        frames[f"{side}_foot"] = _frames(np.cross(up, ahead), up)
    low = {role: _low(positions[:, roles[role], 2]) for role in frames if role.endswith("foot")}
    for role, frame in frames.items():
        if role in roles:
            rows = low.get(role, slice(None))
            u, _, v = np.linalg.svd((frame[rows].swapaxes(1, 2) @ rotations[rows, roles[role]]).mean(axis=0))
            zero[roles[role]] = u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v
    return zero


def _low(heights: np.ndarray) -> np.ndarray:
    """Frames in which a foot is near its lowest."""
    found: np.ndarray = heights <= np.percentile(heights, 30)
    return found


def _frames(left: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Rotations (n, 3, 3) whose y is `left` and whose z is near `up`."""
    y = unit(left)
    z = unit(up - (up * y).sum(axis=1, keepdims=True) * y)
    found: np.ndarray = np.stack([np.cross(y, z), y, z], axis=2)
    return found


def _tilted(frames: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Frames (n, 3, 3) turned on the shortest way so that their -z is `way`."""
    found: np.ndarray = shortest(-frames[:, :, 2], way) @ frames
    return found


def shortest(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rotations (..., 3, 3) that take unit vectors a to b on the shortest way."""
    v, c = np.cross(a, b), (a * b).sum(axis=-1)[..., None, None]
    cross = np.zeros((*v.shape[:-1], 3, 3))
    cross[..., 0, 1], cross[..., 0, 2], cross[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    cross = cross - cross.swapaxes(-1, -2)
    found: np.ndarray = np.eye(3) + cross + cross @ cross / np.maximum(1.0 + c, 1e-6)
    return found
