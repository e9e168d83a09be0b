"""Measures of a solution: what is left of every wish, at 100 Hz, with a limit for each.

Computed from the trajectory in NumPy, not from the residuals that were minimised: boxes have sharp edges here, the
nearest surface counts alone, spins come from differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry import solids
from gambol.synthesis.layout import LOADED
from gambol.synthesis.problem import Actor, Problem
from gambol.synthesis.trajectory import Trajectory
from gambol.units import GRAVITY

SWING = 0.15
"""A foot that is unloaded while it travels this far (m) makes a step, and must clear the ground."""
MOMENT, TOUCHES = 0.1, 0.01
"""Who is without load for less than this time (s), and no farther than this (m) from the surface, has made no step."""
FEATURE = "feature "
"""What names of measures of features begin with."""
NEAR = 5.0
"""So many times its limit is not off by much."""


@dataclass(frozen=True)
class Measure:
    """One figure with the most (or least) it may be."""

    name: str
    value: float
    limit: float
    unit: str
    least: bool = False

    @property
    def good(self) -> bool:
        return bool(self.value >= self.limit if self.least else self.value <= self.limit)

    @property
    def excess(self) -> float:
        """Value relative to the limit: more than 1 is off."""
        return self.limit / max(self.value, 1e-9) if self.least else self.value / self.limit

    def __str__(self) -> str:
        return f"{self.name} {self.value:.3g} {self.unit}".strip()


def measure(problem: Problem, z: np.ndarray) -> list[Measure]:
    """M1 to M6, and creep, friction, end height, clearance and palms, which they do not see."""
    path = Trajectory(problem, z)
    force, moment = _physics(path)
    gap, tilt, slip, cone = _contacts(path)
    found = [Measure("force", force, 0.03, "weights"), Measure("moment", moment, 0.03, "weight m"),
             Measure("gap", gap, 0.01, "m"), Measure("tilt", tilt, 5.0, "degrees"), Measure("slip", slip, 0.05, "m/s"),
             Measure("creep", _creep(path), 0.03, "m"), Measure("friction", cone, 0.05, "weights"),
             Measure("through", _through(path), 0.01, "m"), Measure("stretch", _stretch(path), 0.01, "m")]
    clearance = _clearance(path)
    if clearance is not None:
        found.append(Measure("clearance", clearance, 0.02, "m", least=True))
    palms = _palms(path)
    if palms is not None:
        found.append(Measure("palms", palms, 0.1, "weights", least=True))
    return found + _tasks(problem, z)


def passed(measures: list[Measure]) -> bool:
    return all(m.good for m in measures)


def near(measures: list[Measure]) -> bool:
    """Whether nothing is off by much: then another climb may do."""
    return all(m.excess <= NEAR for m in measures if not m.least)


def rank(measures: list[Measure]) -> tuple[int, float]:
    """The less the better: how many are off, and how far the worst is, relative to its limit."""
    return sum(not m.good for m in measures), max(m.excess for m in measures)


def surfaces(problem: Problem, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Signed distance of points (..., 3) from the nearest fixed surface, and its normal there."""
    distance = points[..., 2].copy()
    normal = np.zeros_like(points)
    normal[..., 2] = 1.0
    boxes = problem.constants()["boxes"]
    for center, turn, half in zip(boxes["center"], boxes["turn"], boxes["half"], strict=True):
        here, way = solids.box((points - center) @ turn, half)
        way = way @ turn.T
        closer = here < distance
        distance = np.where(closer, here, distance)
        normal = np.where(closer[..., None], way, normal)
    return distance, normal


def gaps(path: Trajectory) -> np.ndarray:
    """Largest distance of a point of each contact with the surroundings from them, 0 for others, (t, activations)."""
    layout, points = path.problem.layout, path.points[0]
    found = np.zeros((len(path.time), layout.activations))
    for i in layout.fixed:
        row = layout.contacts[i]
        gap = np.abs(surfaces(path.problem, points[:, i])[0] - path.problem.contacts[i].radius)
        found[:, row[3]] = np.maximum(found[:, row[3]], gap)
    return found


def _physics(path: Trajectory) -> tuple[float, float]:
    """M1, M2: root mean square of what no force explains, the worst actor."""
    problem, layout = path.problem, path.problem.layout
    unit = problem.actors[0].puppet.mass
    points, _ = path.points
    worst = np.zeros(2)
    for a, actor in enumerate(problem.actors):
        root, mass = layout.roots[a], actor.puppet.mass / unit
        own, on = layout.contacts[:, 0] == a, layout.contacts[:, 4] == a
        forces = path.force * (own.astype(float) - on)[:, None]
        turn, spin = path.turn[:, root], path.spin[:, root]
        inertia = turn @ actor.puppet.inertia @ turn.transpose(0, 2, 1)
        twist = np.einsum("tab,tb->ta", inertia, path.angular_acceleration[:, root])
        twist += np.cross(spin, np.einsum("tab,tb->ta", inertia, spin))
        linear = forces.sum(1) / mass + [0, 0, -GRAVITY] - path.acceleration[:, root]
        angular = np.cross(points - path.place[:, root, None], forces).sum(1) / mass - twist
        worst = np.maximum(worst, [np.sqrt((r**2).sum(-1).mean()) / GRAVITY for r in (linear, angular)])
    return float(worst[0]), float(worst[1])


def _contacts(path: Trajectory) -> tuple[float, float, float, float]:
    """M3, M4 and friction: gap, tilt of soles (degrees), slip where loaded; force outside cones, all of a body's."""
    problem, layout = path.problem, path.problem.layout
    points, speeds = path.points
    load, masses = path.load(), [actor.puppet.mass / problem.actors[0].puppet.mass for actor in problem.actors]
    gaps, slips, tilts, cone = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)], np.zeros((len(load), len(masses)))
    for i, (a, limb, _, activation, other) in enumerate(layout.contacts):
        contact = problem.contacts[i]
        if other >= 0:
            root = layout.roots[other]
            arm = points[:, i] - path.place[:, root]
            local = np.einsum("tba,tb->ta", path.turn[:, root], arm) - contact.center
            distance, face = solids.box(local, contact.half)
            normal = np.einsum("tab,tb->ta", path.turn[:, root], face)
            if contact.half[2] == 0:  # a foot: on top of it, or nowhere
                normal = path.turn[:, root, :, 2]
            speed = speeds[:, i] - path.speed[:, root] - np.cross(path.spin[:, root], arm)
        else:
            distance, normal = surfaces(problem, points[:, i])
            speed = speeds[:, i]
        sole = limb >= 0 and contact.sole > 0
        if sole:
            up = path.turn[:, layout.limbs[a][limb], :, 2]
        on = load[:, activation] > LOADED
        gaps.append(np.abs(distance[on] - contact.radius))
        slips.append(np.linalg.norm(speed[on], axis=-1))
        if sole:  # angle and cone at the middle of the sole: who tilts it has no friction more than the ground gives
            normal = surfaces(problem, path.place[:, layout.limbs[a][limb]])[1]
            tilts.append(np.degrees(np.arccos(np.clip((up * normal).sum(-1)[on], -1, 1))))
        pressed = (path.force[:, i] * normal).sum(-1)
        sideways = np.linalg.norm(path.force[:, i] - pressed[:, None] * normal, axis=-1)
        outside = np.maximum(sideways - contact.friction * np.maximum(pressed, 0), -pressed)
        for body in (a, other)[:1 + (other >= 0)]:
            cone[:, body] += contact.cone * np.maximum(outside, 0) / (GRAVITY * masses[body])
    gap, tilt, slip = (float(np.sqrt((np.concatenate(part)**2).mean())) if sum(map(len, part)) else 0.0
                       for part in (gaps, tilts, slips))
    return gap, tilt, slip, float(cone.max())


def _creep(path: Trajectory) -> float:
    """How far a loaded point is from where it touched down, the worst: many slow samples make a long way.

    A moment without load does not count as a step if the point stays where it is.
    """
    layout, (points, _), load = path.problem.layout, path.points, path.load()
    worst = 0.0
    for i, (_, _, _, activation, other) in enumerate(layout.contacts):
        place, on = points[:, i], load[:, activation] > LOADED
        touches = np.ones(len(on), dtype=bool)
        if other >= 0:
            root = layout.roots[other]
            place = np.einsum("tba,tb->ta", path.turn[:, root], place - path.place[:, root])
        else:
            touches = surfaces(path.problem, place)[0] - path.problem.contacts[i].radius < TOUCHES
        for gap in stretches(~on):
            if gap.start > 0 and gap.stop < len(on) and path.time[gap.stop] - path.time[gap.start] < MOMENT:
                on[gap] |= touches[gap].all()
        for span in stretches(on):
            worst = max(worst, float(np.linalg.norm(place[span] - place[span.start], axis=-1).max()))
    return worst


def stretches(on: np.ndarray) -> list[slice]:
    """Where a row of booleans is true without a break."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(int), [0]])))
    return [slice(begin, end) for begin, end in zip(edges[::2], edges[1::2], strict=True)]


def _through(path: Trajectory) -> float:
    """M5: deepest point inside ground or a box."""
    return max(0.0, *(float(depth.max()) for depth in depths(path).values()))


def depths(path: Trajectory) -> dict[str, np.ndarray]:
    """How deep contact points, middles of soles, trunk and head, knees, elbows and links are in ground or a box."""
    problem, layout = path.problem, path.problem.layout
    points, _ = path.points
    radius = np.array([contact.radius for contact in problem.contacts])
    found = {"contacts": radius - surfaces(problem, points)[0]}
    for a, actor in enumerate(problem.actors):
        root = layout.roots[a]
        spheres = actor.puppet.spheres
        centers = path.place[:, root, None] + np.einsum("tab,nb->tna", path.turn[:, root], spheres[:, :3])
        found[f"trunk {a}"] = spheres[:, 3] - surfaces(problem, centers)[0]
        for b, limb in enumerate(actor.puppet.limbs):
            base, middle, wrist = path.joints(a, b)
            parts = np.stack([middle, (middle + wrist) / 2, (middle + base) / 2], 1)
            found[f"{limb.role} {a}"] = limb.thickness - surfaces(problem, parts)[0]
            found[f"{limb.role} {a}, middle"] = -surfaces(problem, path.place[:, layout.limbs[a][b], None])[0]
            for o, other in enumerate(problem.actors):
                if o != a:
                    mine = np.concatenate([parts, wrist[:, None]], 1) if limb.is_foot else parts
                    found[f"{limb.role} {a} in {o}"] = limb.thickness - _from_box(path, o, other, mine)
    return found


def _from_box(path: Trajectory, index: int, actor: Actor, points: np.ndarray) -> np.ndarray:
    """Signed distance of points (t, n, 3) from an actor's box."""
    root = path.problem.layout.roots[index]
    local = np.einsum("tba,tnb->tna", path.turn[:, root], points - path.place[:, root, None]) - actor.center
    beyond = np.abs(local) - actor.half
    away = np.linalg.norm(np.maximum(beyond, 0), axis=-1)
    return np.asarray(np.where(away > 0, away, beyond.max(axis=-1)))


def _stretch(path: Trajectory) -> float:
    """M5: how much a limb is too long or too short."""
    worst = 0.0
    for a, actor in enumerate(path.problem.actors):
        for b, limb in enumerate(actor.puppet.limbs):
            base, _, wrist = path.joints(a, b)
            distance = np.linalg.norm(wrist - base, axis=-1)
            worst = max(worst, float((distance - limb.reach[1]).max()), float((limb.reach[0] - distance).max()))
    return worst


def swings(path: Trajectory) -> list[tuple[int, int, slice]]:
    """Steps: (actor, limb, samples) of each stretch between two loads in which a foot travels."""
    layout, load = path.problem.layout, path.load()
    found = []
    for a, actor in enumerate(path.problem.actors):
        for b in actor.puppet.feet:
            rows = np.flatnonzero((layout.contacts[:, 0] == a) & (layout.contacts[:, 1] == b))
            off = np.asarray(load[:, np.unique(layout.contacts[rows, 3])].max(axis=1) <= LOADED)
            place = path.place[:, layout.limbs[a][b]]
            found += [(a, b, span) for span in stretches(off) if span.start > 0 and span.stop < len(off)
                      and np.linalg.norm(place[span.stop, :2] - place[span.start, :2]) > SWING]
    return found


def _clearance(path: Trajectory) -> float | None:
    """Lowest point of a sole in the middle third of its swing, the worst step; None without steps."""
    layout = path.problem.layout
    points, _ = path.points
    least = None
    for a, b, span in swings(path):
        third = (span.stop - span.start) // 3
        middle = slice(span.start + third, max(span.stop - third, span.start + third + 1))
        rows = np.flatnonzero((layout.contacts[:, 0] == a) & (layout.contacts[:, 1] == b) & (layout.contacts[:, 4] < 0))
        height = float(np.median(surfaces(path.problem, points[middle][:, rows])[0].min(axis=1)))
        least = height if least is None else min(least, height)
    return least


def _palms(path: Trajectory) -> float | None:
    """Least load of a hand at the end of a phase that is to end in a handstand, which is on both; None without one."""
    layout, wanted = path.problem.layout, path.problem.asked["straight"] > 0
    if not wanted.any():
        return None
    limbs = [(a, b) for a, actor in enumerate(layout.limbs) for b in range(len(actor))]
    load = path.load().reshape(layout.phases, -1, layout.activations)[:, -1]
    hands = {tuple(row[:2]): row[3] for row in layout.contacts if row[4] < 0}
    return float(min(load[phase, hands[limbs[limb]]] for phase, limb in np.argwhere(wanted)))


def _tasks(problem: Problem, z: np.ndarray) -> list[Measure]:
    """M6 and the height at the end: the worst error of each kind of task."""
    layout, asked = problem.layout, problem.asked
    path = Trajectory(problem, z, rate=2.0, ends=True)
    knots = slice(1, None)
    place, turn = path.place[knots][:, layout.roots], path.turn[knots][:, layout.roots]
    limbs = [f for actor in layout.limbs for f in actor]
    ends, speeds = path.place[knots][:, limbs], path.speed[knots][:, limbs]
    found = []

    def add(name: str, errors: np.ndarray, wanted: np.ndarray, limit: float, unit: str) -> None:
        if wanted.any():
            found.append(Measure(name, float(errors[wanted].max()), limit, unit))

    add("position", np.linalg.norm((place - asked["place"]) * (asked["place_weight"] > 0), axis=-1),
        asked["place_weight"].max(axis=-1) > 0, 0.05, "m")
    add("direction", _angle(turn[..., 0], asked["facing"]), asked["facing_weight"] >= 1, 5.0, "degrees")
    add("upright", _angle(turn[..., 2], asked["axis"]), asked["axis_weight"] > 0, 5.0, "degrees")
    heights = []
    for a, actor in enumerate(problem.actors):
        for b in range(len(actor.puppet.limbs)):
            base, _, wrist = path.joints(a, b)
            heights.append((wrist - base)[knots, 2])
    if heights:
        limbs_of = problem.constants()["limb"]
        full = np.where(asked["straight"] > 0, limbs_of["full"], np.abs(limbs_of["rest"] + limbs_of["wrist"]
                                                                        - limbs_of["base"])[:, 2])
        add("end height", np.abs(np.abs(np.stack(heights, 1)) - full),
            (asked["straight"] > 0) | (asked["settled"] > 0), 0.05, "m")
    add("hit", np.linalg.norm(ends - asked["hit"], axis=-1), asked["hit_weight"] > 0, 0.03, "m")
    wanted = np.linalg.norm(asked["speed"], axis=-1)
    add("hit speed", np.linalg.norm(speeds - asked["speed"], axis=-1) / np.maximum(wanted, 0.1),
        asked["speed_weight"] > 0, 0.2, "")
    return [*found, *_features(problem, z)]


def _features(problem: Problem, z: np.ndarray) -> list[Measure]:
    """How far each feature is from what is wanted, the worst time and character."""
    found: dict[str, Measure] = {}
    for one, (target, weight) in zip(problem.wanted, problem.asked["wanted"], strict=True):
        values = np.stack([one.value(problem.layout, knot) for knot in z[weight > 0, :problem.layout.knot]])
        error = float(np.linalg.norm(values - target[weight > 0], axis=-1).max())
        error = max(error, found[one.name].value) if one.name in found else error
        found[one.name] = Measure(FEATURE + one.name, error, one.quantity.limit, one.quantity.unit)
    return list(found.values())


def _angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.degrees(np.arccos(np.clip((a * b).sum(-1), -1, 1))))
