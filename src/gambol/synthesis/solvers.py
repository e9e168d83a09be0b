"""Two solvers of one Problem: Levenberg-Marquardt on the banded Gauss-Newton system, and scaled L-BFGS-B."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from gambol.errors import GambolError
from gambol.synthesis.program import Params

if TYPE_CHECKING:  # it needs MuJoCo; solving does not
    from gambol.synthesis.problem import Problem

SMALL, PATIENCE = 5e-4, 8
"""A step that lowers the cost by less than this share, or is refused, counts as small; so many in a row end a stage."""
FIRST_DAMPING, LEAST_DAMPING, HOPELESS = 1e-2, 1e-8, 1e10
"""Damping at the start of a stage, the least there is, and the most before it gives up."""
WORTH = 1e-3
"""Share of the promised decrease that makes a step worth taking."""
MEMORY = 20
PER_STEP = 16
"""L-BFGS iterations that make up for one Gauss-Newton step, in time and in progress."""


@dataclass(frozen=True)
class Step:
    """Where a solver stands: all that Gauss-Newton needs to go on as if it had never stopped."""

    z: np.ndarray
    cost: float = np.inf
    iteration: int = 0
    damping: float = FIRST_DAMPING
    factor: float = 2.0
    small: int = 0


Watch = Callable[[Step], bool]
"""Called after each iteration; True stops."""


def gauss_newton(problem: Problem, params: Params, begin: Step, iterations: int, watch: Watch | None = None,
                 keep: bool = False) -> Step:
    """Levenberg-Marquardt, with the damping of [nielsen1999]."""
    program = problem.program
    here = jnp.asarray(begin.z)
    program.prepare(here, params)
    system = program.system(here, params)
    cost = begin.cost if np.isfinite(begin.cost) else float(system[0])
    if not np.isfinite(cost):
        blame = (f"a feature has no value or slope there: {', '.join(one.name for one in problem.wanted)}"
                 if problem.wanted else "this is a bug in a residual")
        raise GambolError(f"synthesis: the cost is {cost} before the first step; {blame}")
    step = replace(begin, cost=cost)
    while step.iteration < iterations and step.small < PATIENCE and step.damping < HOPELESS:
        change, promised = program.solve(system, step.damping, here, keep)
        there = here + change
        new = float(program.cost(there, params))
        gain = (cost - new) / max(float(promised), 1e-30)
        damping, factor, small = step.damping * step.factor, step.factor * 2, step.small + 1
        if np.isfinite(new) and gain > WORTH:
            small = small if cost - new < SMALL * cost else 0
            here, cost = there, new
            system = program.system(here, params)
            damping, factor = max(step.damping * max(1 / 3, 1 - (2 * gain - 1) ** 3), LEAST_DAMPING), 2.0
        step = Step(np.asarray(here), cost, step.iteration + 1, damping, factor, small)
        if watch is not None and watch(step):
            break
    return step


def lbfgs(problem: Problem, params: Params, begin: Step, iterations: int, watch: Watch | None = None,
          keep: bool = False) -> Step:
    """L-BFGS-B on variables divided by their typical sizes. What it remembers of the slope is lost when it resumes."""
    from scipy.optimize import minimize  # takes half a second to import

    z, done, most = begin.z, begin.iteration, PER_STEP * iterations - begin.iteration
    if most <= 0:
        return begin
    shape, scale = z.shape, problem.scales
    low, high = (np.broadcast_to(bound / scale, shape).copy() for bound in problem.bounds)
    if keep:
        on = problem.layout.parts["c"]
        low[:, on] = high[:, on] = (z / scale)[:, on]
        forces, off = problem.layout.parts["f"], z[:, on][:, problem.layout.force_owner] < 0.5
        low[:, forces], high[:, forces] = np.where(off, 0, low[:, forces]), np.where(off, 0, high[:, forces])
    low, high = low.ravel(), high.ravel()

    def cost(q: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = problem.program.gradient(jnp.asarray(q.reshape(shape) * scale), params)
        return float(value), (np.asarray(slope) * scale).ravel()

    def told(intermediate_result: Any) -> None:
        nonlocal done
        done += 1
        here = Step(intermediate_result.x.reshape(shape) * scale, float(intermediate_result.fun), done)
        if watch is not None and watch(here):
            raise StopIteration

    found = minimize(cost, (z / scale).ravel(), jac=True, method="L-BFGS-B", bounds=list(zip(low, high, strict=True)),
                     callback=told, options={"maxiter": most, "maxfun": 2 * most,
                                             "maxcor": MEMORY, "ftol": 1e-10, "gtol": 1e-6})
    return Step(found.x.reshape(shape) * scale, float(found.fun), done)


SOLVERS = {"gauss-newton": gauss_newton, "lbfgs": lbfgs}
