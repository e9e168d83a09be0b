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

from gambol.errors import BadInput
from gambol.synthesis import spline
from gambol.synthesis.deciding import decided, unstuck
from gambol.synthesis.layout import Layout
from gambol.synthesis.program import Params, Program
from gambol.synthesis.solvers import FIRST_DAMPING, HOPELESS, LEAST_DAMPING, PATIENCE, SMALL, WORTH
from gambol.synthesis.stages import LADDER, Stage
from gambol.synthesis.surfaces import KEEN, distances
from gambol.units import GRAVITY


@lru_cache(maxsize=4)
def batched(layout: Layout) -> Program:
    """The program of a layout in a form that can be mapped."""
    return Program(layout, kept=lambda function, name: jax.jit(function))


class Batch:
    """Scenes of one layout that differ in some of the program's arguments."""

    def __init__(self, layout: Layout, shared: Params, varied: Params) -> None:
        """`shared`: all arguments but weights; `varied`: those that differ, each leaf with a leading axis of scenes."""
        if {**shared, **varied}["tasks"].get("wanted"):
            raise BadInput("a batch knows no features of one's own; solve such scenes one by one")
        self.program = program = batched(layout)
        self.arguments = {**shared, **varied}
        self.size = len(jax.tree.leaves(varied)[0])
        axes = {name: 0 if name in varied else None for name in (*self.arguments, "w")}
        self._system = jax.vmap(program.system, (0, axes))
        self._cost = jax.vmap(program.cost, (0, axes))
        self._solve = jax.vmap(program.solve, (0, 0, 0, None))
        self._looked_at = jax.jit(jax.vmap(self._touching, (0, 0, {name: axes[name] for name in self.arguments})))
        self._starts = jnp.broadcast_to(jnp.asarray(self.arguments["start"]), (self.size, 2 * program.layout.features))

    def climb(self, seeds: Sequence[int], ladder: Sequence[Stage] = LADDER) -> tuple[np.ndarray, np.ndarray]:
        """Solutions and iterations of all scenes, from their start poses: `synthesize.climb` side by side, but
        neither untangled nor mended."""
        layout = self.program.layout
        shape, on = (layout.phases, layout.width), layout.parts["c"]
        z = np.zeros((self.size, *shape))
        starts = np.asarray(self._starts)
        z[:, :, :layout.knot] = starts[:, None]
        z[:, :, on] = 0.5
        noise = [np.random.default_rng(seed) for seed in seeds]
        iterations = np.zeros(self.size, dtype=int)
        for stage in ladder:
            if stage.loose:
                z[:, :, on] = [unstuck(layout, start, one) for start, one in zip(starts, z, strict=True)]
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
            small = np.where(good & (cost - new >= SMALL * cost), 0, small + busy)
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
        """As `synthesize.decided`, with denser samples."""
        layout, c = self.program.layout, z[:, :, self.program.layout.parts["c"]]
        load, gaps = (np.asarray(part) for part in self._looked_at(jnp.asarray(z), self._starts, self.arguments))
        return np.stack([decided(layout, *one) for one in zip(load, gaps, c, strict=True)])

    def _touching(self, z: jax.Array, start: jax.Array, arguments: Params) -> tuple[jax.Array, jax.Array]:
        """Mean load and mean gap of each contact of one scene in each phase, (phases, activations)."""
        layout = self.program.layout
        owner = layout.contacts[:, 3] == np.arange(layout.activations)[:, None]
        rows = self.program.sampled(z, start, spline.GRIDS["many"])
        force = rows[..., 3 * layout.features + layout.activations:-1].reshape(*rows.shape[:2], -1, 3)
        mass = arguments["physics"]["mass"]
        whose, other = mass[layout.contacts[:, 0]], mass[layout.contacts[:, 4]]
        weight = GRAVITY * jnp.where(layout.contacts[:, 4] < 0, whose, jnp.minimum(whose, other))
        load = jnp.linalg.norm(jnp.einsum("ai,ksix->ksax", owner / weight, force), axis=-1).mean(axis=1)
        frames = jax.vmap(jax.vmap(self.program.moved))(rows)[..., [layout.frame_of(i) for i in layout.fixed], :]
        points = frames[..., :3] + jnp.einsum("ksiab,ib->ksia", frames[..., 3:12].reshape(*frames.shape[:3], 3, 3),
                                              arguments["fixed"]["point"])
        away = jax.vmap(lambda point: distances(point, arguments["boxes"], KEEN)[0].min())(points.reshape(-1, 3))
        gaps = jnp.abs(away.reshape(points.shape[:3]) - arguments["fixed"]["radius"])
        worst = jnp.where(owner[:, layout.fixed], gaps[:, :, None], 0.0).max(axis=-1, initial=0.0)
        return load, worst.mean(axis=1)
