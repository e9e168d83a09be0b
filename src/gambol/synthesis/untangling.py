"""Untangling: feet in the air that are turned as no leg can turn them are turned as one can, near to the trunk's axes.

While limits count little a foot without load may end up the wrong way round. No small step leads back: the way is past
a knee that points nowhere. What is left then outweighs all else, and the forces pay for it.
"""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
from scipy.spatial.transform import Rotation

from gambol.synthesis import terms
from gambol.synthesis.folding import NOWHERE
from gambol.synthesis.layout import Layout
from gambol.synthesis.problem import Problem
from gambol.synthesis.spline import PHASE
from gambol.synthesis.stages import WEIGHTS
from gambol.synthesis.trajectory import Trajectory

SAMPLES = 12
"""Samples of a phase that are looked at."""
MUCH = 0.3
"""How far (rad) joints are beyond their ranges where a foot is taken for tangled."""
TRIED = np.radians(list(itertools.product(range(-60, 61, 30), range(-120, 121, 30), (-20, 0, 20))))
"""Turns of a foot against its trunk that are tried: about z, then y, then x, rad."""
NEAREST = 0.05
"""How much the angle between a turn and the trunk's weighs beside what it breaks."""


@jax.jit
def _beyond(roots: terms.Pose, feet: terms.Pose, k: terms.Constants) -> jax.Array:
    """How far the joints of a leg are beyond their ranges, rad, (n, joints): all limits but that feet do not cross."""
    weights = {name: jnp.ones(()) for name in WEIGHTS}
    boxes = {name: jnp.asarray(value) for name, value in NOWHERE.items()}
    return jax.vmap(lambda root, foot: terms.limb(root, foot, k, weights, boxes)["limits"][:-1])(roots, feet)


def untangled(problem: Problem, z: np.ndarray) -> np.ndarray:
    """The solution with feet turned anew at knots where they are in the air and tangled before or after."""
    layout, z, path = problem.layout, z.copy(), Trajectory(problem, z, rate=SAMPLES / PHASE)
    constants = problem.constants()["limb"]
    limbs = [(actor, limb) for actor, frames in enumerate(layout.limbs) for limb in range(len(frames))]
    for index, (actor, limb) in enumerate(limbs):
        shape = problem.actors[actor].puppet.limbs[limb]
        if not shape.is_foot:
            continue
        k = {name: jnp.asarray(value[index]) for name, value in constants.items()}
        root, foot = layout.roots[actor], layout.limbs[actor][limb]
        off = _beyond(*(_pose(path.place[:, frame], path.turn[:, frame]) for frame in (root, foot)), k)
        tangled = np.asarray(off).max(axis=1).reshape(layout.phases, -1).max(axis=1) > MUCH
        knots = _in_the_air(layout, z, actor, limb) & (tangled | np.append(tangled[1:], False))
        for knot in map(int, np.flatnonzero(knots)):
            _turn_anew(problem, z, knot, layout.frames[root], layout.frames[foot], shape.wrist, k)
        if knots.any():
            _without_rounds(problem, z, layout.frames[foot])
    return z


def _turn_anew(problem: Problem, z: np.ndarray, knot: int, root: np.ndarray, foot: np.ndarray, wrist: np.ndarray,
               k: terms.Constants) -> None:
    """Turn a foot about its ankle as its leg can at this knot, and leave the bumps beside it out."""
    layout, against = problem.layout, Rotation.from_euler("ZYX", TRIED)
    trunk, now = (Rotation.from_rotvec(z[knot, frame[3:]]) for frame in (root, foot))
    turns = trunk * against
    places = z[knot, foot[:3]] + now.apply(wrist) - turns.apply(wrist)
    same = _pose(np.tile(z[knot, root[:3]], (len(TRIED), 1)), np.tile(trunk.as_matrix(), (len(TRIED), 1, 1)))
    broken = np.square(_beyond(same, _pose(places, turns.as_matrix()), k)).sum(axis=1)
    best = int(np.argmin(broken + (NEAREST * against.magnitude()) ** 2))
    z[knot, foot] = np.concatenate([places[best], turns[best].as_rotvec()])
    z[knot, layout.features + foot[3:]] = 0.0
    for phase in range(knot, min(knot + 2, layout.phases)):
        bumps = z[phase, layout.parts["bumps"]].reshape(-1, len(layout.bumped))
        bumps[:, np.isin(layout.bumped, foot)] = 0.0


def _without_rounds(problem: Problem, z: np.ndarray, foot: np.ndarray) -> None:
    """Write turns as the vectors nearest to those before, so that none goes round between two knots."""
    before = problem.start[foot[3:]]
    for row in z:
        vector = nearest_vector(Rotation.from_rotvec(row[foot[3:]]), before)
        if np.linalg.norm(vector - row[foot[3:]]) > 1e-6:
            row[foot[3:]], row[problem.layout.features + foot[3:]] = vector, 0.0
        before = row[foot[3:]]


def _pose(places: np.ndarray, turns: np.ndarray) -> terms.Pose:
    return terms.Pose(jnp.asarray(places), jnp.asarray(turns))


def _in_the_air(layout: Layout, z: np.ndarray, actor: int, limb: int) -> np.ndarray:
    """Whether a limb touches nothing about a knot, neither before nor after, (knots)."""
    own = (layout.contacts[:, 0] == actor) & (layout.contacts[:, 1] == limb)
    on = z[:, layout.parts["c"]][:, layout.contacts[own, 3]].max(axis=1) > 0.5
    return ~on & ~np.append(on[1:], False)


def nearest_vector(turn: Rotation, near: np.ndarray) -> np.ndarray:
    """The rotation vector of a turn that is nearest to another: whole turns make no difference."""
    vector = turn.as_rotvec()
    angle = np.linalg.norm(vector)
    if angle < 1e-9:
        return vector
    several = [vector * (1 + 2 * np.pi * k / angle) for k in (-1, 0, 1)]
    return np.asarray(min(several, key=lambda v: np.linalg.norm(v - near)))
