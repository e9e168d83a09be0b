"""Program: the compiled functions of one layout: cost, gradient, Gauss-Newton system, its banded solution.

The residuals are groups of equal instances (contact points, limbs, trunks, bodies, features): one function of the few
numbers it depends on, mapped over instances, samples and phases. So compiled code stays small whatever the scene, and
the Gauss-Newton matrix comes from small dense blocks: `J'J` of an instance over a phase, added into the phase's block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gambol.synthesis import engine, spline, tasks, terms  # noqa: F401  (engine sets JAX up)
from gambol.synthesis.kept import Kept
from gambol.synthesis.layout import Layout
from gambol.synthesis.rotations import angular_acceleration, matrix_and_velocity

Params = dict[str, Any]
"""All that a scene and a stage may change: weights, constants of the groups, boxes, start, tasks. A tree of arrays."""


class Slot(NamedTuple):
    """One argument of a group's function, for all its instances."""

    kind: str
    """`pose`, `state` or `motion` (state and acceleration) of a frame, or `plain` numbers of the sample"""
    where: np.ndarray
    """frames (n,), or sample indices (n, m)"""


WIDTHS = {"pose": (12, 6), "state": (18, 12), "motion": (24, 18)}
"""Numbers of a frame's slot: as matrices and angular velocities, and as features."""


@dataclass(frozen=True)
class Group:
    """Equal residual functions of different parts of one sample."""

    name: str
    function: Callable[..., terms.Rows]
    """of the slots' values, constants and params"""
    slots: tuple[Slot, ...]
    dense: bool = False
    """whether it is evaluated at more samples"""

    def index(self, layout: Layout) -> np.ndarray:
        """Sample indices of all features it depends on, (instances, features)."""
        parts = []
        for kind, where in self.slots:
            orders = range({"pose": 1, "state": 2, "motion": 3}[kind]) if kind != "plain" else ()
            parts += [layout.at(where, order) for order in orders] if kind != "plain" else [where]
        return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)


def _pose(u: jax.Array) -> terms.Pose:
    return terms.Pose(u[:3], u[3:12].reshape(3, 3))


def _state(u: jax.Array) -> terms.State:
    return terms.State(u[:3], u[3:12].reshape(3, 3), u[12:15], u[15:18])


def groups_of(layout: Layout) -> list[Group]:
    """All groups of a layout. The order of their instances is that of the constants in `problem.constants`."""
    fixed, moving = layout.fixed, layout.moving
    frame = np.array([layout.frame_of(i) for i in range(len(layout.contacts))])
    roots = np.array(layout.roots)
    pairs = np.array([(roots[a], f) for a, limbs in enumerate(layout.limbs) for f in limbs]).reshape(-1, 2)
    acting = body_contacts(layout)

    def contact(which: np.ndarray) -> Slot:
        return Slot("plain", np.concatenate([layout.activation_at(which)[:, None], layout.force_at(which)], axis=1))

    def on_body(column: int) -> tuple[Slot, Slot]:
        which = acting[:, column]
        forces = np.where(which[:, None] < 0, layout.zero, layout.force_at(which))
        return Slot("pose", frame[which]), Slot("plain", forces)

    groups = [
        Group("fixed", lambda a, b, k, p: terms.fixed_contact(_state(a), b[0], b[1:], k, p["w"], p["boxes"]),
              (Slot("state", frame[fixed]), contact(fixed))),
        Group("solid", lambda a, k, p: terms.solid_point(_pose(a), k, p["w"], p["boxes"]),
              (Slot("pose", frame[fixed]),), dense=True),
        Group("trunk", lambda a, k, p: terms.trunk(_pose(a), k, p["w"], p["boxes"]), (Slot("pose", roots),),
              dense=True),
        Group("physics", lambda a, *rest: terms.physics(_state(a), a[18:21], a[21:], jnp.concatenate(rest[:-2]),
                                                        rest[-2], rest[-1]["w"]),
              (Slot("motion", roots), *(slot for column in range(acting.shape[1]) for slot in on_body(column)))),
        Group("smooth", lambda a, k, p: terms.smoothness(a, k, p["w"]),
              (Slot("plain", 2 * layout.features + np.arange(layout.features).reshape(-1, 3)),))]
    if len(pairs):
        ends = (Slot("pose", pairs[:, 0]), Slot("pose", pairs[:, 1]))
        groups += [Group("limb", lambda a, b, k, p: terms.limb(_pose(a), _pose(b), k, p["w"], p["boxes"]), ends,
                         dense=True),
                   Group("posture", lambda a, b, k, p: terms.posture(_pose(a), _pose(b), k, p["w"]), ends),
                   Group("hurry", lambda a, k, p: terms.hurry(a, p["w"]),
                         (Slot("plain", layout.at(pairs[:, 1], 1)[:, :3]),)),
                   Group("effort", lambda a, b, f, k, p: terms.effort(_pose(a), _pose(b), f, k, p["w"]),
                         (*ends, Slot("plain", _limb_forces(layout))))]
    others = limbs_and_others(layout)
    if len(others):
        groups.append(Group("between", lambda a, b, c, k, p: terms.between(_pose(a), _pose(b), _pose(c), k, p["w"]),
                            (Slot("pose", roots[others[:, 0]]), Slot("pose", pairs[others[:, 1], 1]),
                             Slot("pose", roots[others[:, 2]])), dense=True))
    if len(moving):
        groups.append(Group("moving", lambda a, b, f, k, p: terms.moving_contact(_state(a), _state(b), f[0], f[1:], k,
                                                                                 p["w"]),
                            (Slot("state", frame[moving]), Slot("state", roots[layout.contacts[moving, 4]]),
                             contact(moving))))
    return groups


def limbs_and_others(layout: Layout) -> np.ndarray:
    """All (actor, limb counted over all actors, other actor)."""
    owners = [a for a, limbs in enumerate(layout.limbs) for _ in limbs]
    return np.array([(a, i, other) for i, a in enumerate(owners) for other in range(len(layout.actors)) if other != a])


def body_contacts(layout: Layout) -> np.ndarray:
    """Contacts that act on each actor, (actors, most), -1 for none: its own, then those of others on it."""
    rows = [[i for i, row in enumerate(layout.contacts) if row[0] == a]
            + [i for i, row in enumerate(layout.contacts) if row[4] == a] for a in range(len(layout.actors))]
    most = max(len(row) for row in rows)
    return np.array([row + [-1] * (most - len(row)) for row in rows])


def limb_contacts(layout: Layout) -> np.ndarray:
    """Contact points of each limb, (limbs, most), -1 for none."""
    rows = [[i for i, row in enumerate(layout.contacts) if tuple(row[:2]) == (a, b)]
            for a, actor in enumerate(layout.actors) for b in range(len(actor.limbs))]
    most = max(len(row) for row in rows)
    return np.array([row + [-1] * (most - len(row)) for row in rows])


def _limb_forces(layout: Layout) -> np.ndarray:
    acting = limb_contacts(layout)
    return np.where(acting[..., None] < 0, layout.zero, layout.force_at(acting)).reshape(len(acting), -1)


def frame_motion(features: jax.Array) -> jax.Array:
    """Place, axes, velocity, angular velocity, acceleration, angular acceleration of a frame from its features (18)."""
    x, v, a = features[:6], features[6:12], features[12:]
    turn, spin = matrix_and_velocity(x[3:], v[3:])
    return jnp.concatenate([x[:3], turn.reshape(9), v[:3], spin, a[:3], angular_acceleration(x[3:], v[3:], a[3:])])


class Program:
    """Compiled functions of a layout. Get it from `program(layout)`, which keeps them."""

    def __init__(self, layout: Layout, kept: Callable[[Callable[..., Any], str], Any] = Kept) -> None:
        """`kept` makes a fast function of a function and its name. Those of `Kept` cannot be mapped or derived."""
        self.layout = layout
        self.groups = groups_of(layout)
        self.grids = {False: spline.SAMPLES, True: spline.DENSE}
        """places of the samples of groups that are dense, and of those that are not"""
        self.costs = kept(self._costs, f"costs {layout}")
        """total cost, and cost of each term by name"""
        self.gradient = kept(jax.value_and_grad(lambda z, params: self._costs(z, params)[0]), f"gradient {layout}")
        self._move = kept(self._moved_all, f"move {layout}")
        self._blocks = [kept(partial(self._block, index), f"{group.name} {layout}")
                        for index, group in enumerate(self.groups)]
        self._assemble = kept(self._assembled, f"assemble {layout}")
        self.solve = kept(self._solve, f"solve {layout}")
        self._ready = False

    def prepare(self, z: jax.Array, params: Params) -> None:
        """Compile all that Gauss-Newton needs, side by side, unless it is done."""
        if self._ready:
            return
        self._ready = True
        moved = self._move.prepare(z, params["start"])
        blocks = [block.prepare(*moved[group.dense], params)
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

        def at_sample(row: jax.Array, dense: bool) -> list[terms.Rows]:
            frames = self._moved(row)
            return [jax.vmap(lambda slots, k, group=group: group.function(*slots, k, params))(
                self._slots(group, row, frames), params[group.name]) for group in self.groups if group.dense == dense]

        return [rows for dense, grid in self.grids.items()
                for rows in jax.vmap(jax.vmap(partial(at_sample, dense=dense)))(self.sampled(z, params["start"], grid))]

    def _moved(self, row: jax.Array) -> jax.Array:
        """State and acceleration of all frames of a sample, (frames, 24): rotations as matrices."""
        orders = [row[self.layout.at(np.arange(len(self.layout.frames)), order)] for order in range(3)]
        return jax.vmap(frame_motion)(jnp.concatenate(orders, axis=1))

    def _slots(self, group: Group, row: jax.Array, frames: jax.Array) -> list[jax.Array]:
        return [row[where] if kind == "plain" else frames[where, :WIDTHS[kind][0]] for kind, where in group.slots]

    def knots(self, z: jax.Array, params: Params) -> terms.Rows:
        """Residuals of the tasks, (phases, rows)."""
        return jax.vmap(lambda knot, task: tasks.knot_rows(self.layout, knot, task, params.get("limb", {}), params["w"])
                        )(z[:, :self.layout.knot], params["tasks"])

    def _all(self, z: jax.Array, params: Params) -> list[terms.Rows]:
        return [*self.rows(z, params), self.knots(z, params), {"on": self._on(z, params)}]

    def _on(self, z: jax.Array, params: Params) -> jax.Array:
        return params["w"]["on"] * z[:, self.layout.parts["c"]]

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
    def _columns(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each group the columns its instances depend on (n, m), and the map to arguments (s, n, a, m)."""
        tables = {dense: np.pad(self.layout.sample_map(grid), ((0, 0), (0, 0), (0, 1)))
                  for dense, grid in self.grids.items()}
        wide = self.layout.knot + self.layout.width
        result = []
        for group in self.groups:
            table = tables[group.dense]
            indices = group.index(self.layout)
            used = [np.flatnonzero(np.abs(table[:, index]).sum(axis=(0, 1))) for index in indices]
            most = max(len(columns) for columns in used)
            columns = np.array([[*row, *[wide] * (most - len(row))] for row in used])
            maps = np.stack([table[:, index][:, :, row] for index, row in zip(indices, columns, strict=True)], 1)
            result.append((columns, maps))
        return result

    def system(self, z: jax.Array, params: Params) -> tuple[jax.Array, ...]:
        """Cost; and over [knot before | phase] of every phase the blocks of J'J, (k, n, n), and of J'r, (k, n).

        One compiled function a group: as one program XLA makes it twice as slow.
        """
        moved = self._move(z, params["start"])
        blocks = [block(*moved[group.dense], params) for group, block in zip(self.groups, self._blocks, strict=True)]
        return self._assemble(z, params, blocks)

    def _block(self, index: int, u: jax.Array, frames: jax.Array, turning: jax.Array, params: Params
               ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """A group's cost, and J'J and J'r of each instance over each phase."""
        r, jac = self._derived(self.groups[index], u, frames, turning, params)
        jac = jnp.einsum("ksnra,snac->knsrc", jac, self._columns[index][1])
        r = r.transpose(0, 2, 1, 3)
        shape = (*jac.shape[:2], -1)
        jac, r = jac.reshape(*shape, jac.shape[-1]), r.reshape(shape)
        return 0.5 * (r * r).sum(), jnp.einsum("knrc,knrd->kncd", jac, jac), jnp.einsum("knrc,knr->knc", jac, r)

    def _assembled(self, z: jax.Array, params: Params, blocks: list[tuple[jax.Array, jax.Array, jax.Array]]
                   ) -> tuple[jax.Array, ...]:
        """All groups' blocks, tasks and the weight on activations in one system."""
        layout = self.layout
        wide = layout.knot + layout.width
        hessian = jnp.zeros((len(z), wide + 1, wide + 1))
        gradient = jnp.zeros((len(z), wide + 1))
        cost = jnp.zeros(())
        for (columns, _), (part, square, slope) in zip(self._columns, blocks, strict=True):
            hessian = hessian.at[:, columns[:, :, None], columns[:, None, :]].add(square)
            gradient = gradient.at[:, columns].add(slope)
            cost += part
        hessian, gradient = hessian[:, :-1, :-1], gradient[:, :-1]

        def knot_flat(knot: jax.Array, task: terms.Constants) -> jax.Array:
            rows = tasks.knot_rows(layout, knot, task, params.get("limb", {}), params["w"])
            return jnp.concatenate(list(rows.values()))

        knots = z[:, :layout.knot]
        r = jax.vmap(knot_flat)(knots, params["tasks"])
        jac = jax.vmap(jax.jacfwd(knot_flat))(knots, params["tasks"])
        here = slice(layout.knot, 2 * layout.knot)
        hessian = hessian.at[:, here, here].add(jnp.einsum("kra,krb->kab", jac, jac))
        gradient = gradient.at[:, here].add(jnp.einsum("kra,kr->ka", jac, r))
        on = np.arange(layout.knot + layout.parts["c"].start, layout.knot + layout.parts["c"].stop)
        hessian = hessian.at[:, on, on].add(params["w"]["on"] ** 2)
        gradient = gradient.at[:, on].add(params["w"]["on"] * self._on(z, params))
        cost += 0.5 * ((r * r).sum() + (self._on(z, params) ** 2).sum())
        return cost, hessian, gradient

    def _moved_all(self, z: jax.Array, start: jax.Array) -> list[tuple[jax.Array, jax.Array, jax.Array]]:
        """Samples, their frames, and the derivatives of the frames, on both grids."""
        found = []
        for grid in self.grids.values():
            u = self.sampled(z, start, grid)
            found.append((u, jax.vmap(jax.vmap(self._moved))(u), jax.vmap(jax.vmap(self._moved_slopes))(u)))
        return found

    def _moved_slopes(self, row: jax.Array) -> jax.Array:
        """Derivatives of `_moved` by the features of each frame, (frames, 24, 18)."""
        orders = [row[self.layout.at(np.arange(len(self.layout.frames)), order)] for order in range(3)]
        return jax.vmap(jax.jacfwd(frame_motion))(jnp.concatenate(orders, axis=1))

    def _derived(self, group: Group, u: jax.Array, frames: jax.Array, turning: jax.Array, params: Params
                 ) -> tuple[jax.Array, jax.Array]:
        """Residuals of a group (k, s, n, rows) and their derivatives by its features (k, s, n, rows, features)."""
        widths = [where.shape[1] if kind == "plain" else WIDTHS[kind][0] for kind, where in group.slots]
        cuts = np.cumsum(widths)[:-1]

        def flat(values: jax.Array, constants: terms.Constants) -> jax.Array:
            rows = group.function(*jnp.split(values, cuts), constants, params)
            return jnp.concatenate([row.ravel() for row in rows.values()])

        def both(values: jax.Array, constants: terms.Constants) -> tuple[jax.Array, jax.Array]:
            derive = jax.jacrev if group.name == "physics" else jax.jacfwd
            return flat(values, constants), derive(flat)(values, constants)

        def at_sample(row: jax.Array, moved: jax.Array) -> tuple[jax.Array, jax.Array]:
            values = jnp.concatenate(self._slots(group, row, moved), axis=1)
            return jax.vmap(both)(values, params[group.name])

        r, by_slot = jax.vmap(jax.vmap(at_sample))(u, frames)
        parts = []
        for (kind, where), part in zip(group.slots, jnp.split(by_slot, cuts, axis=-1), strict=True):
            if kind != "plain":
                high, low = WIDTHS[kind]
                part = jnp.einsum("ksnra,ksnab->ksnrb", part, turning[:, :, where, :high, :low])
            parts.append(part)
        return r, jnp.concatenate(parts, axis=-1)

    def _solve(self, system: tuple[jax.Array, ...], damping: jax.Array, z: jax.Array, kept: jax.Array
               ) -> tuple[jax.Array, jax.Array]:
        """Damped step and the decrease of the cost it promises. Phase-local numbers go first (Schur), then the knots.

        `kept`: whether activations stay as they are, and contacts that are off stay without force.
        """
        layout = self.layout
        knot, parts = layout.knot, layout.parts
        _, full, slope = system
        local = slice(2 * knot, None)
        blocks, cross, inner = full[:, :2 * knot, :2 * knot], full[:, :2 * knot, local], full[:, local, local]
        diagonal = blocks[:, knot:, knot:].at[:-1].add(blocks[1:, :knot, :knot])
        upper = blocks[1:, :knot, knot:]
        g = slope[:, knot:2 * knot].at[:-1].add(slope[1:, :knot])
        g_local = slope[:, local]
        inner_scale = damping * (jnp.diagonal(inner, axis1=1, axis2=2) + 1e-3)
        knot_scale = damping * (jnp.diagonal(diagonal, axis1=1, axis2=2) + 1e-3)
        c = z[:, parts["c"]]
        on = slice(parts["c"].start - knot, parts["c"].stop - knot)
        held = ((c <= 0) & (g_local[:, on] > 0)) | ((c >= 1) & (g_local[:, on] < 0)) | kept
        hold = jnp.zeros_like(inner_scale).at[:, on].set(1e8 * held)
        forces = slice(parts["f"].start - knot, parts["f"].stop - knot)
        hold = hold.at[:, forces].set(1e8 * kept * (c[:, layout.force_owner] < 0.5))
        factor = jnp.linalg.cholesky(inner + jax.vmap(jnp.diag)(inner_scale + hold))
        side = jnp.concatenate([cross.transpose(0, 2, 1), g_local[..., None]], axis=2)
        solved = jax.scipy.linalg.solve_triangular(factor, side, lower=True)
        schur = jnp.einsum("kab,kac->kbc", solved[..., :-1], solved)
        reduced, shift = schur[..., :-1], schur[..., -1]
        diagonal = diagonal + jax.vmap(jnp.diag)(knot_scale) - reduced[:, knot:, knot:]
        diagonal = diagonal.at[:-1].add(-reduced[1:, :knot, :knot])
        upper = upper - reduced[1:, :knot, knot:]
        right = (shift[:, knot:] - g).at[:-1].add(shift[1:, :knot])
        step_knots = _block_tridiagonal(diagonal, upper, right)
        before = jnp.concatenate([jnp.zeros((1, knot)), step_knots[:-1]])
        known = jnp.concatenate([before, step_knots], axis=1)
        side_local = -g_local - jnp.einsum("kba,kb->ka", cross, known)
        step_local = jax.vmap(lambda low, b: jax.scipy.linalg.cho_solve((low, True), b))(factor, side_local)
        step_local = step_local.at[:, on].set(jnp.clip(c + step_local[:, on], 0.0, 1.0) - c)
        step = jnp.concatenate([step_knots, step_local], axis=1)
        scale = jnp.concatenate([knot_scale, inner_scale], axis=1)
        promised = 0.5 * (step * (scale * step - jnp.concatenate([g, g_local], axis=1))).sum()
        return step, promised


def _block_tridiagonal(diagonal: jax.Array, upper: jax.Array, right: jax.Array) -> jax.Array:
    """Solution of a symmetric block-tridiagonal system by Cholesky, block by block."""
    size = diagonal.shape[1]
    none = jnp.zeros((1, size, size))

    def forward(carry: tuple[jax.Array, jax.Array], block: tuple[jax.Array, ...]) -> tuple[Any, Any]:
        low, before = carry
        d, e, b = block
        x = jax.scipy.linalg.solve_triangular(low, e, lower=True)
        new = jnp.linalg.cholesky(d - x.T @ x)
        y = jax.scipy.linalg.solve_triangular(new, b - x.T @ before, lower=True)
        return (new, y), (new, y, x)

    def backward(after: jax.Array, block: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
        low, y, x = block
        found = jax.scipy.linalg.solve_triangular(low.T, y - x @ after, lower=False)
        return found, found

    start = (jnp.eye(size), jnp.zeros(size))
    _, (lows, ys, xs) = jax.lax.scan(forward, start, (diagonal, jnp.concatenate([none, upper]), right))
    _, found = jax.lax.scan(backward, jnp.zeros(size), (lows, ys, jnp.concatenate([xs[1:], none])), reverse=True)
    return found


@lru_cache(maxsize=16)
def program(layout: Layout) -> Program:
    """The program of a layout, compiled once."""
    return Program(layout)
