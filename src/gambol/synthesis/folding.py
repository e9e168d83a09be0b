"""Folding a leg beside a trunk that lies: the place of its foot that breaks no limit, found among many."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.spatial.transform import Rotation

from gambol.synthesis import terms
from gambol.synthesis.puppet import Limb, Puppet
from gambol.synthesis.stages import WEIGHTS

FOOT_TIE = 2.0
"""How much more than a hand a foot is drawn to its place under the hip: keeps steps short."""
PAW_TIE = 15.0
"""How much more a paw, whose ankle only bends, keeps the trunk's axes than a foot does."""
ROOM = 0.01
"""Distance of a folded leg from its trunk, m."""
CLEAR = 0.5
"""How much of a knee's direction must be across the line from hip to ankle: along it, the knee may be anywhere."""
LOW = 0.01
"""How much a foot's height weighs among places that break no limit."""
NOWHERE = {"center": np.zeros((0, 3)), "turn": np.zeros((0, 3, 3)), "half": np.zeros((0, 3))}


def limb_constants(puppet: Puppet, limb: Limb) -> dict[str, Any]:
    """What the residuals know of a limb."""
    body = puppet.spheres[:-1] if len(puppet.spheres) > 1 else puppet.spheres  # the last is the head
    full = np.linalg.norm(limb.rest + limb.wrist - limb.base) if limb.is_foot else 0.97 * limb.reach[1]
    return {"base": limb.base, "links": np.array(limb.links), "reach": np.array(limb.reach), "pole": limb.pole,
            "axis": limb.axis, "spread": limb.spread, "wrist": limb.wrist, "thickness": limb.thickness,
            "rest": limb.rest, "tied": FOOT_TIE if limb.is_foot else 1.0, "foot": float(limb.is_foot),
            "turned": 0.0 if not limb.is_foot else 1.0 if len(limb.points) > 2 else PAW_TIE, "radius": limb.radius,
            "full": full, "trunk": np.array([*body[0, :3], *body[-1, :3], body[:, 3].max()])}


@jax.jit
def _broken(place: jax.Array, turns: jax.Array, root: jax.Array, spheres: jax.Array, points: jax.Array,
            k: terms.Constants) -> jax.Array:
    """How much each place of a foot (n, 3) breaks: limits, lengths, ground and trunk."""
    trunk = terms.Pose(root, jnp.eye(3))
    weights = {name: jnp.asarray(1.0) for name in WEIGHTS} | {"margin": jnp.zeros(())}

    def one(spot: jax.Array, turn: jax.Array) -> jax.Array:
        foot = terms.Pose(spot, turn)
        rows = terms.limb(trunk, foot, k, weights, {name: jnp.asarray(a) for name, a in NOWHERE.items()})
        base, middle, wrist, distance = terms.two_links(trunk, foot, k)
        pole, along = (jnp.eye(3) + 0.5 * turn) @ k["pole"], (wrist - base) / distance
        parts = jnp.concatenate([spot + points @ turn.T, jnp.stack([wrist, middle, (wrist + middle) / 2])])
        away = terms.length(parts[:, None] - root - spheres[:, :3]) - spheres[:, 3]
        broken = [0.2 * rows["limits"], rows["stretch"], rows["through"], terms.positive(ROOM - away),
                  terms.positive(-parts[:, 2]),
                  terms.positive(CLEAR - terms.length(pole - (pole @ along) * along))]
        return sum((jnp.square(row).sum() for row in broken), (LOW * spot[2]) ** 2)

    return jax.vmap(one)(place, turns)


def folded(puppet: Puppet, limb: Limb, root: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place and axes of a foot beside a trunk at `root` that lies level on its belly."""
    length, side = limb.reach[1], np.sign(limb.base[1])
    grid = np.meshgrid(np.linspace(-1, 1, 25) * length, np.linspace(0, 0.4, 5) * length * side,
                       np.linspace(0, 0.3, 7) * length, np.linspace(-40, 40, 5), indexing="ij")
    ahead, aside, up, pitch = (axis.ravel() for axis in grid)
    place = np.stack([root[0] + limb.base[0] + ahead, root[1] + limb.base[1] + aside, up], axis=1)
    turns = Rotation.from_euler("y", pitch[:, None], degrees=True).as_matrix()
    place[:, 2] -= np.minimum((turns @ limb.points.T)[:, 2].min(axis=1), 0.0)  # no point below the ground
    constants = {name: jnp.asarray(value, dtype=float) for name, value in limb_constants(puppet, limb).items()}
    best = int(np.argmin(_broken(place, turns, root, puppet.spheres, limb.points, constants)))
    return place[best], turns[best]
