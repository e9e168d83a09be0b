"""What should be true at a knot: residuals of all tasks there, each switched by its weight.

Tasks are those of [mordatch2015, section 3.3.3].

Arrays of a task have one row a knot, so that tasks at the end and strikes on the way are the same thing, and all tasks
share one compiled program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gambol.synthesis.layout import Layout
from gambol.synthesis.moment import Wanted
from gambol.synthesis.rotations import matrix
from gambol.synthesis.terms import Constants, Rows, Weights, length

REST = 0.3
"""Weight of coming to rest, relative to the tasks' own."""


UP = np.array([0.0, 0.0, 1.0])


def no_tasks(layout: Layout, wanted: Sequence[Wanted] = ()) -> dict[str, Any]:
    """Arrays of all tasks, with nothing asked for; of features a pair (target, weight) each."""
    k, a, n = layout.phases, len(layout.actors), sum(len(limbs) for limbs in layout.limbs)
    return {"place": np.zeros((k, a, 3)), "place_weight": np.zeros((k, a, 3)),
            "facing": np.tile([1.0, 0, 0], (k, a, 1)), "facing_weight": np.zeros((k, a)),
            "axis": np.tile([0.0, 0, 1], (k, a, 1)), "axis_weight": np.zeros((k, a)),
            "settled": np.zeros((k, n)), "over": np.zeros((k, n)), "straight": np.zeros((k, n)),
            "upward": np.zeros((k, n)),
            "hit": np.zeros((k, n, 3)), "hit_weight": np.zeros((k, n)), "speed": np.zeros((k, n, 3)),
            "speed_weight": np.zeros((k, n)), "still": np.zeros(k), "touch": np.zeros((k, layout.activations)),
            "wanted": tuple((np.zeros((k, one.size(layout))), np.zeros(k)) for one in wanted)}


def knot_rows(layout: Layout, knot: jax.Array, task: Any, limbs: Constants, w: Weights,
              wanted: Sequence[Wanted] = ()) -> Rows:
    """Residuals at one knot, `knot` = (x, x'), `task` = that knot's row of every array."""
    n = layout.features
    x, v = (jnp.concatenate([part, jnp.zeros(1)]) for part in (knot[:n], knot[n:]))
    index = np.where(layout.frames < 0, n, layout.frames)
    roots, owners = x[index[layout.roots]], np.repeat(np.arange(len(layout.actors)), [len(f) for f in layout.limbs])
    turns = jax.vmap(matrix)(roots[:, 3:])
    rows = [task["place_weight"] * (roots[:, :3] - task["place"]),
            task["facing_weight"][:, None] * (turns[:, :, 0] - task["facing"]),
            task["axis_weight"][:, None] * (turns[:, :, 2] - task["axis"])]
    if len(owners):
        frames = index[[f for actor in layout.limbs for f in actor]]
        ends = x[frames]
        speeds = v[frames]
        base = roots[owners, :3] + jnp.einsum("iab,ib->ia", turns[owners], limbs["base"])
        wrist = ends[:, :3] + jnp.einsum("iab,ib->ia", jax.vmap(matrix)(ends[:, 3:]), limbs["wrist"])
        line = wrist - base
        distance = length(line)
        mean = jnp.zeros((len(layout.actors), 2)).at[owners].add(task["over"][:, None] * (roots[owners] - ends)[:, :2])
        hang = jnp.einsum("iba,ib->ia", turns[owners], ends[:, :3] - roots[owners, :3])
        rows += [mean, task["settled"][:, None] * (hang - limbs["rest"]), task["straight"] * (distance - limbs["full"]),
                 jnp.abs(task["upward"])[:, None] * line / distance[:, None] - task["upward"][:, None] * UP,
                 task["hit_weight"][:, None] * (ends[:, :3] - task["hit"]),
                 0.1 * task["speed_weight"][:, None] * (speeds[:, :3] - task["speed"])]
    rows += [weight * one.scale * (one.value(layout, knot) - target)
             for one, (target, weight) in zip(wanted, task["wanted"], strict=True)]
    return {"task": w["task"] * jnp.concatenate([row.ravel() for row in rows]),
            "rest": w["task"] * REST * task["still"] * v[:n]}
