"""Folding a leg beside a trunk that lies: among many settings of the character's joints, the one that breaks least."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import mujoco
import numpy as np

from gambol.bodies.body_tree import BodyTree
from gambol.bodies.character import Character
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
LOW, FAR, FLAT = 0.1, 0.02, 0.02
"""How much a foot's height, its way from where it stands (m) and its tilt weigh among places that break no limit."""
TRIED = 5000
"""How many settings of a leg's joints are tried at most, all over their ranges."""
KEPT, SPREADS = 20, (0.1, 0.05, 0.025, 0.012, 0.006, 0.003)
"""How many of the best are looked about for better ones, and how far (in ranges), round by round."""
NOWHERE = {"center": np.zeros((0, 3)), "turn": np.zeros((0, 3, 3)), "half": np.zeros((0, 3))}


def limb_constants(puppet: Puppet, limb: Limb) -> dict[str, Any]:
    """What the residuals know of a limb."""
    body = puppet.spheres[:-1] if len(puppet.spheres) > 1 else puppet.spheres  # the last is the head
    full = np.linalg.norm(limb.rest + limb.wrist - limb.base) if limb.is_foot else 0.97 * limb.reach[1]
    return {"base": limb.base, "links": np.array(limb.links), "pole": limb.pole, "wrist": limb.wrist,
            **{name: np.array(value) for name, value in vars(limb.ranges).items()}, "thickness": limb.thickness,
            "rest": limb.rest, "tied": FOOT_TIE if limb.is_foot else 1.0, "foot": float(limb.is_foot),
            "turned": 0.0 if not limb.is_foot else 1.0 if len(limb.points) > 2 else PAW_TIE, "radius": limb.radius,
            "full": full, "trunk": np.array([*body[0, :3], *body[-1, :3], body[:, 3].max()])}


@jax.jit
def _broken(place: jax.Array, turns: jax.Array, root: jax.Array, lies: jax.Array, spheres: jax.Array, points: jax.Array,
            k: terms.Constants) -> jax.Array:
    """How much each place of a foot (n, 3) breaks: limits, lengths, ground and trunk."""
    trunk = terms.Pose(root, lies)
    weights = {name: jnp.asarray(1.0) for name in WEIGHTS} | {"margin": jnp.zeros(())}

    def one(spot: jax.Array, turn: jax.Array) -> jax.Array:
        foot = terms.Pose(spot, turn)
        rows = terms.limb(trunk, foot, k, weights, {name: jnp.asarray(a) for name, a in NOWHERE.items()})
        base, middle, wrist, distance = terms.two_links(trunk, foot, k)
        across = terms.cross((wrist - base) / distance, turn @ k["pole"])
        parts = jnp.concatenate([spot + points @ turn.T, jnp.stack([wrist, middle, (wrist + middle) / 2])])
        away = terms.length(parts[:, None] - root - spheres[:, :3] @ lies.T) - spheres[:, 3]
        broken = [0.2 * rows["limits"], rows["stretch"], rows["through"], terms.positive(ROOM - away),
                  terms.positive(-parts[:, 2]),
                  terms.positive(CLEAR - terms.length(across))]
        far = (spot - root - lies @ k["rest"])[:2]
        return sum((jnp.square(row).sum() for row in broken),
                   (LOW * spot[2]) ** 2 + FAR**2 * (far @ far) + FLAT**2 * (1 - turn[2, 2]))

    return jax.vmap(one)(place, turns)


class Leg:
    """A foot in the frame of its trunk, from the joints of its leg."""

    def __init__(self, character: Character, limb: Limb, puppet: Puppet) -> None:
        self.model = character.compile()
        start, bodies = character.rest_qpos(self.model), character.anatomy.bodies
        tree = BodyTree(self.model, start)
        side = limb.role.removesuffix("foot")
        bones = [self.model.body(bodies[side + part]).id for part in ("thigh", "shank", "foot")]
        joints = [self.model.joint(name) for body in bones for name in tree.joints(body)]
        self.low, self.high = np.array([joint.range for joint in joints]).T
        self.at = [joint.qposadr[0] for joint in joints]
        self.foot, root = bones[2], self.model.body(character.anatomy.body("root")).id
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:] = start
        mujoco.mj_kinematics(self.model, self.data)
        self.upright, self.center = self.data.xmat[root].reshape(3, 3).copy(), self.data.xpos[root] + puppet.center
        self.flat = self.data.xmat[self.foot].reshape(3, 3).copy()
        self.middle = np.mean(character.anatomy.soles[limb.role], axis=0)

    def place(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places and axes of the foot at settings (n, joints)."""
        places, turns = [], []
        for row in values:
            self.data.qpos[self.at] = row
            mujoco.mj_kinematics(self.model, self.data)
            axes = self.data.xmat[self.foot].reshape(3, 3)
            places.append(self.upright.T @ (self.data.xpos[self.foot] + axes @ self.middle - self.center))
            turns.append(self.upright.T @ axes @ self.flat.T @ self.upright)
        return np.array(places), np.array(turns)

    def grid(self) -> np.ndarray:
        """Settings all over the ranges."""
        count = int(TRIED ** (1 / len(self.low)))
        return np.array(list(itertools.product(*np.linspace(self.low, self.high, count).T)))


def folded(puppet: Puppet, limb: Limb, root: np.ndarray, lies: np.ndarray, character: Character
           ) -> tuple[np.ndarray, np.ndarray]:
    """Place and axes of a foot beside a trunk that lies on its belly, at `root` with axes `lies`."""
    leg, rng = Leg(character, limb, puppet), np.random.default_rng(0)
    values = leg.grid()
    for spread in (*SPREADS, 0.0):
        places, turns = leg.place(values)
        places, turns = root + places @ lies.T, lies @ turns
        order = np.argsort(_all_broken(puppet, limb, root, lies, places, turns))
        best = values[order[:KEPT]]
        around = best[:, None] + spread * (leg.high - leg.low) * rng.normal(size=(len(best), TRIED // KEPT // 10,
                                                                                 len(leg.low)))
        values = np.concatenate([best, np.clip(around, leg.low, leg.high).reshape(-1, len(leg.low))])
    return places[order[0]], turns[order[0]]


def breaks(puppet: Puppet, limb: Limb, root: np.ndarray, turn: np.ndarray, place: np.ndarray, axes: np.ndarray
           ) -> float:
    """How much a foot at `place` with `axes` breaks under a trunk at `root` with axes `turn`: squares of m and rad."""
    return float(_all_broken(puppet, limb, root, turn, place[None], axes[None])[0])


def _all_broken(puppet: Puppet, limb: Limb, root: np.ndarray, turn: np.ndarray, places: np.ndarray, turns: np.ndarray
                ) -> np.ndarray:
    constants = {name: jnp.asarray(value, dtype=float) for name, value in limb_constants(puppet, limb).items()}
    return np.asarray(_broken(places, turns, root, turn, puppet.spheres, limb.points, constants))
