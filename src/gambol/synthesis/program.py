"""Program: the compiled functions of one layout: cost, gradient, Gauss-Newton system, its banded solution.

The residuals are groups of equal instances, each mapped over instances, samples and phases. So compiled code stays
small whatever the scene, and the Gauss-Newton matrix comes from small dense blocks: `J'J` of an instance over a phase,
added into the phase's block.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gambol.synthesis import engine, spline, tasks, terms  # noqa: F401  (engine sets JAX up)
from gambol.synthesis.banded import damped_step
from gambol.synthesis.groups import WIDTHS, Group, groups_of
from gambol.synthesis.kept import Kept
from gambol.synthesis.layout import Layout
from gambol.synthesis.moment import Wanted
from gambol.synthesis.rotations import angular_acceleration, matrix, matrix_and_velocity
from gambol.synthesis.sums import Sums

Params = dict[str, Any]
"""All that a scene and a stage may change: weights, constants of the groups, boxes, start, tasks. A tree of arrays."""
Block = tuple[jax.Array, jax.Array, jax.Array]
"""Cost, J'J and J'r: of each instance over each phase, (k, n, m, m) and (k, n, m), or of all together."""


def frame_pose(features: jax.Array) -> jax.Array:
    """Place and axes of a frame from its features (6)."""
    return jnp.concatenate([features[:3], matrix(features[3:]).reshape(9)])


def frame_motion(features: jax.Array) -> jax.Array:
    """Place, axes, velocity, angular velocity, acceleration, angular acceleration of a frame from its features (18)."""
    x, v, a = features[:6], features[6:12], features[12:]
    turn, spin = matrix_and_velocity(x[3:], v[3:])
    return jnp.concatenate([x[:3], turn.reshape(9), v[:3], spin, a[:3], angular_acceleration(x[3:], v[3:], a[3:])])


class Program:
    """Compiled functions of a layout. Get it from `program`, which keeps them."""

    def __init__(self, layout: Layout, wanted: tuple[Wanted, ...] = (),
                 kept: Callable[[Callable[..., Any], str], Any] = Kept) -> None:
        """`wanted`: features that are asked for.

        `kept` makes a fast function of a function and its name. Those of `Kept` cannot be mapped or derived.
        """
        self.layout, self.wanted = layout, wanted
        self.groups = groups_of(layout)
        whole = " ".join([str(layout), *(one.text(layout) for one in wanted)])
        self.costs = kept(self._costs, f"costs {whole}")
        """total cost, and cost of each term by name"""
        self.gradient = kept(jax.value_and_grad(lambda z, params: self._costs(z, params)[0]), f"gradient {whole}")
        self._move = kept(self._moved_all, f"move {layout}")
        self._blocks = [kept(partial(self._block, index), f"{group.name} {layout}")
                        for index, group in enumerate(self.groups)]
        self._assemble = kept(self._assembled, f"assemble {whole}")
        self.solve = kept(partial(damped_step, layout, self.sums), f"solve {layout}")
        self._ready = False

    def prepare(self, z: jax.Array, params: Params) -> None:
        """Compile all that Gauss-Newton needs, side by side, unless it is done."""
        if self._ready:
            return
        self._ready = True
        moved = self._move.prepare(z, params["start"])
        blocks = [block.prepare(*moved[group.grid], params)
                  for group, block in zip(self.groups, self._blocks, strict=True)]
        system = self._assemble.prepare(z, params, blocks)
        self.solve.prepare(system, 1.0, z, False)
        self.costs.prepare(z, params)

    # -- residuals -------------------------------------------------------------------------------------------------

    def sampled(self, z: jax.Array, start: jax.Array, grid: np.ndarray) -> jax.Array:
        """Samples of a solution, (phases, samples, numbers of a sample)."""
        layout = self.layout
        h, b, q = spline.hermite(grid), spline.bumps(grid), spline.quadratic(grid)
        phases, n, parts = len(z), layout.features, layout.parts
        knots = jnp.concatenate([start[None], z[:, :layout.knot]]).reshape(phases + 1, 2, n)
        ends = jnp.concatenate([knots[:-1], knots[1:]], axis=1)
        x = jnp.einsum("sob,kbi->ksoi", h, ends)
        bump = z[:, parts["bumps"]].reshape(phases, spline.BUMPS, len(layout.bumped))
        x = x.at[..., layout.bumped].add(jnp.einsum("sob,kbi->ksoi", b, bump))
        c = jnp.broadcast_to(z[:, None, parts["c"]], (phases, len(h), layout.activations))
        f = jnp.einsum("sn,kni->ksi", q, z[:, parts["f"]].reshape(phases, spline.NODES, -1))
        flat = x.reshape(phases, len(h), 3 * n)
        return jnp.concatenate([flat, c, f, jnp.zeros((phases, len(h), 1))], axis=-1)

    def rows(self, z: jax.Array, params: Params) -> list[terms.Rows]:
        """All residuals of samples, by group and name: (phases, samples, instances, rows)."""

        def at_sample(row: jax.Array, grid: str) -> list[terms.Rows]:
            frames = self.moved(row)
            return [jax.vmap(lambda slots, k, group=group: group.function(*slots, k, params))(
                self._slots(group, row, frames), params[group.name]) for group in self.groups if group.grid == grid]

        return [rows for grid, s in spline.GRIDS.items()
                for rows in jax.vmap(jax.vmap(partial(at_sample, grid=grid)))(self.sampled(z, params["start"], s))]

    def moved(self, row: jax.Array) -> jax.Array:
        """State and acceleration of all frames of a sample, (frames, 24): rotations as matrices."""
        orders = [row[self.layout.at(np.arange(len(self.layout.frames)), order)] for order in range(3)]
        return jax.vmap(frame_motion)(jnp.concatenate(orders, axis=1))

    def _slots(self, group: Group, row: jax.Array, frames: jax.Array) -> list[jax.Array]:
        return [frames[slot.where, :WIDTHS[slot.kind][0]] if slot.kind in WIDTHS else row[slot.index(self.layout)]
                for slot in group.slots]

    def knots(self, z: jax.Array, params: Params) -> terms.Rows:
        """Residuals of the tasks, (phases, rows)."""
        return jax.vmap(partial(self._knot, params))(z[:, :self.layout.knot], params["tasks"])

    def _knot(self, params: Params, knot: jax.Array, task: Any) -> terms.Rows:
        return tasks.knot_rows(self.layout, knot, task, params.get("limb", {}), params["w"], self.wanted)

    def _all(self, z: jax.Array, params: Params) -> list[terms.Rows]:
        return [*self.rows(z, params), self.knots(z, params), self._on(z, params)]

    def _on(self, z: jax.Array, params: Params) -> terms.Rows:
        """Residuals of activations: off, but on where a touch is asked for."""
        c, w = z[:, self.layout.parts["c"]], params["w"]
        return {"on": w["on"] * c, "task": w["task"] * w["touch"] * params["tasks"]["touch"] * (1 - c)}

    def cost(self, z: jax.Array, params: Params) -> jax.Array:
        return self.costs(z, params)[0]

    def _costs(self, z: jax.Array, params: Params) -> tuple[jax.Array, dict[str, jax.Array]]:
        by_term = {name: jnp.zeros(()) for name in terms.TERMS}
        for rows in self._all(z, params):
            for name, row in rows.items():
                by_term[name] += 0.5 * (row * row).sum()
        return jnp.stack(list(by_term.values())).sum(), by_term

    # -- Gauss-Newton ----------------------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> list[np.ndarray]:
        """The columns of a phase's block that instances depend on, (n, m): of each group, of all tasks at a knot, of
        activations."""
        layout = self.layout
        groups = [np.concatenate([slot.columns(layout) for slot in group.slots], axis=1) for group in self.groups]
        knot, on = np.arange(layout.knot, 2 * layout.knot), layout.knot + np.arange(layout.width)[layout.parts["c"]]
        return [*groups, knot[None], on[:, None]]

    @cached_property
    def sums(self) -> Sums:
        """Where the blocks of J'J are added up."""
        return Sums(self._columns, self.layout.knot + self.layout.width)

    def system(self, z: jax.Array, params: Params) -> Block:
        """Cost; and over [knot before | phase] of every phase J'J as `sums` has it, and J'r, (k, n).

        One compiled function a group: as one program XLA makes it twice as slow.
        """
        moved = self._move(z, params["start"])
        blocks = [block(*moved[group.grid], params) for group, block in zip(self.groups, self._blocks, strict=True)]
        return self._assemble(z, params, blocks)

    def _block(self, index: int, u: jax.Array, frames: jax.Array, turning: jax.Array, params: Params) -> Block:
        """A group's cost, and J'J and J'r of each instance over each phase."""
        group = self.groups[index]
        r, parts = self._derived(group, u, frames, turning, params)
        tables = [slot.polynomials(self.layout, spline.GRIDS[group.grid]) for slot in group.slots]
        if group.wide:
            jac, rows = _by_phase(r, parts, tables)
            square, slope = jnp.einsum("knrc,knrd->kncd", jac, jac), jnp.einsum("knrc,knr->knc", jac, rows)
        else:
            square, slope = _gram(r, parts, tables)
        return 0.5 * (r * r).sum(), square, slope

    def _assembled(self, z: jax.Array, params: Params, blocks: list[Block]) -> Block:
        """All groups' blocks, tasks and the weight on activations in one system."""
        blocks = [*blocks, self._task_block(z, params), self._on_block(z, params)]
        slope = jnp.zeros((len(z), self.layout.knot + self.layout.width))
        for columns, (_, _, part) in zip(self._columns, blocks, strict=True):
            slope = slope.at[:, columns].add(part, mode="drop")  # what no number makes points beyond the last
        return sum((cost for cost, _, _ in blocks), jnp.zeros(())), self.sums.add([b[1] for b in blocks]), slope

    def _task_block(self, z: jax.Array, params: Params) -> Block:
        def flat(knot: jax.Array, task: Any) -> jax.Array:
            return jnp.concatenate(list(self._knot(params, knot, task).values()))

        knots = z[:, :self.layout.knot], params["tasks"]
        r, jac = jax.vmap(flat)(*knots), jax.vmap(jax.jacfwd(flat))(*knots)
        square, slope = jnp.einsum("kra,krb->kab", jac, jac), jnp.einsum("kra,kr->ka", jac, r)
        return 0.5 * (r * r).sum(), square[:, None], slope[:, None]

    def _on_block(self, z: jax.Array, params: Params) -> Block:
        rows, w = self._on(z, params), params["w"]
        asked = w["task"] * w["touch"] * params["tasks"]["touch"]
        square, slope = w["on"]**2 + asked**2, w["on"] * rows["on"] - asked * rows["task"]
        cost = 0.5 * sum(((row * row).sum() for row in rows.values()), jnp.zeros(()))
        return cost, square[..., None, None], slope[..., None]

    def _moved_all(self, z: jax.Array, start: jax.Array) -> dict[str, tuple[jax.Array, jax.Array, jax.Array]]:
        """On each grid its samples, their frames, and the derivatives of the frames by their features.

        What is looked at more often depends on poses alone: no other numbers of its samples are there.
        """
        found = {}
        for name, grid in spline.GRIDS.items():
            u = self.sampled(z, start, grid)
            found[name] = (u if name == "few" else u[..., :0]), *self.frames_and_slopes(u, name)
        return found

    def frames_and_slopes(self, u: jax.Array, grid: str) -> tuple[jax.Array, jax.Array]:
        """Frames of samples (k, s, frames, numbers), and their derivatives by the features of each."""
        motion, orders = (frame_motion, 3) if grid == "few" else (frame_pose, 1)
        frames = np.arange(len(self.layout.frames))
        features = u[..., np.concatenate([self.layout.at(frames, order) for order in range(orders)], axis=1)]
        moved, slopes = (jax.vmap(jax.vmap(jax.vmap(f)))(features) for f in (motion, jax.jacfwd(motion)))
        return moved, slopes

    def _derived(self, group: Group, u: jax.Array, frames: jax.Array, turning: jax.Array, params: Params
                 ) -> tuple[jax.Array, list[jax.Array]]:
        """Residuals of a group (k, s, n, rows); for each slot their derivatives (k, s, n, rows, orders, numbers)."""
        widths = [WIDTHS[slot.kind][0] if slot.kind in WIDTHS else slot.index(self.layout).shape[1]
                  for slot in group.slots]
        cuts = np.cumsum(widths)[:-1]

        def flat(values: jax.Array, constants: terms.Constants) -> jax.Array:
            rows = group.function(*jnp.split(values, cuts), constants, params)
            return jnp.concatenate([row.ravel() for row in rows.values()])

        def both(values: jax.Array, constants: terms.Constants, slopes: list[jax.Array]
                 ) -> tuple[jax.Array, list[jax.Array]]:
            """Rows, and for each slot what they change by (rows, numbers)."""
            if 2 * jax.eval_shape(flat, values, constants).shape[0] <= len(values):  # few rows: derived backward
                parts = jnp.split(jax.jacrev(flat)(values, constants), cuts, axis=-1)
                return flat(values, constants), [part @ slope for part, slope in zip(parts, slopes, strict=True)]
            ways = jax.scipy.linalg.block_diag(*slopes).T
            rows, push = jax.linearize(lambda v: flat(v, constants), values)
            ends = np.cumsum([slope.shape[1] for slope in slopes])[:-1]
            return rows, jnp.split(jax.vmap(push, out_axes=-1)(ways), ends, axis=-1)

        def at_sample(row: jax.Array, moved: jax.Array, turned: jax.Array) -> tuple[jax.Array, list[jax.Array]]:
            values = jnp.concatenate(self._slots(group, row, moved), axis=1)
            slopes = [turned[slot.where, :width, :WIDTHS[slot.kind][1]] if slot.kind in WIDTHS
                      else jnp.broadcast_to(jnp.eye(width), (len(values), width, width))
                      for slot, width in zip(group.slots, widths, strict=True)]
            return jax.vmap(both)(values, params[group.name], slopes)

        r, parts = jax.vmap(jax.vmap(at_sample))(u, frames, turning)
        orders = [WIDTHS[slot.kind][1] // 6 if slot.kind in WIDTHS else 1 for slot in group.slots]
        return r, [part.reshape(*part.shape[:-1], count, -1) for part, count in zip(parts, orders, strict=True)]


def _by_phase(r: jax.Array, parts: list[jax.Array], tables: list[np.ndarray]) -> tuple[jax.Array, jax.Array]:
    """Derivatives by the numbers of a phase from those by samples, (k, n, rows, numbers), and the rows (k, n, rows)."""
    spread = [jnp.einsum("ksnroi,sob->knsrbi", part, table) for part, table in zip(parts, tables, strict=True)]
    jac = jnp.concatenate([part.reshape(*part.shape[:4], -1) for part in spread], axis=-1)
    shape = (*jac.shape[:2], -1)
    return jac.reshape(*shape, jac.shape[-1]), r.transpose(0, 2, 1, 3).reshape(shape)


def _gram(r: jax.Array, parts: list[jax.Array], tables: list[np.ndarray]) -> tuple[jax.Array, jax.Array]:
    """J'J and J'r of each instance over a phase: products at samples first, which are small, then the polynomials."""
    blocks: list[list[jax.Array]] = [[] for _ in parts]
    for i, (left, a) in enumerate(zip(parts, tables, strict=True)):
        for j, (right, b) in enumerate(zip(parts, tables, strict=True)):
            if j < i:
                block = blocks[j][i].transpose(0, 1, 3, 2)
            else:
                pairs = jnp.einsum("ksnroi,ksnrpj->sopknij", left, right)
                block = jnp.einsum("sopbc,sopknij->knbicj", np.einsum("sob,spc->sopbc", a, b), pairs)
                block = block.reshape(*block.shape[:2], a.shape[2] * left.shape[-1], -1)
            blocks[i].append(block)
    slopes = [jnp.einsum("sob,ksnoi->knbi", a, jnp.einsum("ksnroi,ksnr->ksnoi", part, r))
              for part, a in zip(parts, tables, strict=True)]
    square = jnp.concatenate([jnp.concatenate(row, axis=-1) for row in blocks], axis=-2)
    return square, jnp.concatenate([slope.reshape(*slope.shape[:2], -1) for slope in slopes], axis=-1)


@lru_cache(maxsize=16)
def program(layout: Layout, wanted: tuple[Wanted, ...] = ()) -> Program:
    """The program of a layout and the features asked for, compiled once."""
    return Program(layout, wanted)
