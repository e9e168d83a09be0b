"""Many scenes of one layout solved together: the same ladder and the same program, mapped over a batch with `vmap`.

All scenes take each step together, on whatever device JAX runs on; one that has finished its stage waits for the
others. Only the program and its arguments are needed, not MuJoCo.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

from gambol.synthesis import spline
from gambol.synthesis.layout import LEAKY, LOADED, Layout
from gambol.synthesis.program import Params, Program
from gambol.synthesis.solvers import FIRST_DAMPING, HOPELESS, LEAST_DAMPING, PATIENCE, SMALL, WORTH
from gambol.synthesis.stages import LADDER, Stage


@lru_cache(maxsize=4)
def batched(layout: Layout) -> Program:
    """The program of a layout in a form that can be mapped."""
    return Program(layout, lambda function, name: jax.jit(function))


class Batch:
    """Scenes of one layout that differ in some of the program's arguments."""

    def __init__(self, layout: Layout, shared: Params, varied: Params) -> None:
        """`shared`: all arguments but weights; `varied`: those that differ, each leaf with a leading axis of scenes."""
        self.program = program = batched(layout)
        self.arguments = {**shared, **varied}
        self.size = len(jax.tree.leaves(varied)[0])
        axes = {name: 0 if name in varied else None for name in (*self.arguments, "w")}
        self._system = jax.vmap(program.system, (0, axes))
        self._cost = jax.vmap(program.cost, (0, axes))
        self._solve = jax.vmap(program.solve, (0, 0, 0, None))
        self._starts = jnp.broadcast_to(jnp.asarray(self.arguments["start"]), (self.size, 2 * program.layout.features))

    def climb(self, seeds: Sequence[int], ladder: Sequence[Stage] = LADDER) -> tuple[np.ndarray, np.ndarray]:
        """Solutions and iterations of all scenes, from their start poses: `synthesize.climb` side by side."""
        layout = self.program.layout
        shape, on = (layout.phases, layout.width), layout.parts["c"]
        z = np.zeros((self.size, *shape))
        z[:, :, :layout.knot] = self._starts[:, None]
        z[:, :, on] = 0.5
        noise = [np.random.default_rng(seed) for seed in seeds]
        iterations = np.zeros(self.size, dtype=int)
        for stage in ladder:
            z[:, :, :layout.knot] += [stage.noise * rng.normal(size=(shape[0], layout.knot)) for rng in noise]
            z[:, :, on] += [stage.noise * rng.normal(size=(shape[0], layout.activations)) for rng in noise]
            z[:, :, on] = np.clip(z[:, :, on], 0, 1)
            if stage.commit:
                z[:, :, on] = self.decided(z)
                z[:, :, layout.parts["f"]] *= z[:, :, on][:, :, layout.force_owner]
            z, done = self.improve(z, stage)
            iterations += done
        return z, iterations

    def improve(self, z: np.ndarray, stage: Stage) -> tuple[np.ndarray, np.ndarray]:
        """One stage: `solvers.gauss_newton` side by side. Solutions, and the iterations each took."""
        weights = {name: jnp.asarray(float(value)) for name, value in stage.full().items()}
        params = {**self.arguments, "w": weights}
        here = jnp.asarray(z)
        system = self._system(here, params)
        cost = np.asarray(system[0])
        damping, factor = np.full(self.size, FIRST_DAMPING), np.full(self.size, 2.0)
        small, done = np.zeros(self.size, dtype=int), np.zeros(self.size, dtype=int)
        while (busy := (done < stage.iterations) & (small < PATIENCE) & (damping < HOPELESS)).any():
            step, promised = self._solve(system, jnp.asarray(damping), here, stage.commit)
            there = here + step
            new = np.asarray(self._cost(there, params))
            gain = (cost - new) / np.maximum(np.asarray(promised), 1e-30)
            good = busy & np.isfinite(new) & (gain > WORTH)
            small = np.where(good, np.where(cost - new < SMALL * cost, small + 1, 0), small)
            cost = np.where(good, new, cost)
            here = jnp.where(jnp.asarray(good)[:, None, None], there, here)
            lower = np.maximum(damping * np.maximum(1 / 3, 1 - (2 * np.where(good, gain, 0.5) - 1) ** 3), LEAST_DAMPING)
            damping = np.where(good, lower, np.where(busy, damping * factor, damping))
            factor = np.where(good, 2.0, np.where(busy, factor * 2, factor))
            done += busy
            if good.any():
                system = self._system(here, params)
        return np.array(here), done

    def decided(self, z: np.ndarray) -> np.ndarray:
        """Activations that are 1 in phases with load that is no leak, else 0.

        As `synthesize.decided`, but with denser samples, and without its look at whether contacts stand askew.
        """
        layout = self.program.layout
        grid = spline.GRIDS["many"]
        rows = jax.vmap(lambda one, start: self.program.sampled(one, start, grid))(jnp.asarray(z), self._starts)
        force = np.asarray(rows)[..., 3 * layout.features + layout.activations:-1]
        force = force.reshape(*force.shape[:-1], len(layout.contacts), 3)
        mass = np.asarray(self.arguments["physics"]["mass"])
        owner, other = mass[layout.contacts[:, 0]], mass[layout.contacts[:, 4]]
        weight = 9.81 * np.where(layout.contacts[:, 4] < 0, owner, np.minimum(owner, other))
        owner = (layout.contacts[:, 3] == np.arange(layout.activations)[:, None]) / weight
        load = np.linalg.norm(np.einsum("ai,bksix->bksax", owner, force), axis=-1)
        return ((load.mean(axis=2) > LOADED) & (z[:, :, layout.parts["c"]] > LEAKY)).astype(float)
