"""Two solvers of one Problem: Levenberg-Marquardt on the banded Gauss-Newton system, and scaled L-BFGS-B."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from gambol.errors import GambolError
from gambol.synthesis.program import Params

if TYPE_CHECKING:  # it needs MuJoCo; solving does not
    from gambol.synthesis.problem import Problem

Watch = Callable[[int, float, np.ndarray], bool]
"""Called after each iteration with its number, the cost and the solution; True stops."""
SMALL, PATIENCE = 1e-5, 3
"""Relative decrease below which a step counts as small, and how many of them in a row end a stage."""
FIRST_DAMPING, LEAST_DAMPING, HOPELESS = 1e-2, 1e-8, 1e10
"""Damping at the start of a stage, the least there is, and the most before it gives up."""
WORTH = 1e-3
"""Share of the promised decrease that makes a step worth taking."""
MEMORY = 20
PER_STEP = 16
"""L-BFGS iterations that make up for one Gauss-Newton step, in time and in progress."""


@dataclass(frozen=True)
class Outcome:
    z: np.ndarray
    cost: float
    iterations: int


def gauss_newton(problem: Problem, params: Params, z: np.ndarray, iterations: int, watch: Watch | None = None,
                 keep: bool = False) -> Outcome:
    """Levenberg-Marquardt with Nielsen's rule for the damping."""
    program = problem.program
    here = jnp.asarray(z)
    program.prepare(here, params)
    system = program.system(here, params)
    cost = float(system[0])
    if not np.isfinite(cost):
        raise GambolError(f"synthesis: the cost is {cost} before the first step; this is a bug in a residual")
    damping, factor, small, done = FIRST_DAMPING, 2.0, 0, 0
    while done < iterations and small < PATIENCE and damping < HOPELESS:
        step, promised = program.solve(system, damping, here, keep)
        there = here + step
        new = float(program.cost(there, params))
        gain = (cost - new) / max(float(promised), 1e-30)
        done += 1
        if np.isfinite(new) and gain > WORTH:
            small = small + 1 if cost - new < SMALL * cost else 0
            here, cost = there, new
            system = program.system(here, params)
            damping, factor = max(damping * max(1 / 3, 1 - (2 * gain - 1) ** 3), LEAST_DAMPING), 2.0
        else:
            damping, factor = damping * factor, factor * 2
        if watch is not None and watch(done, cost, np.asarray(here)):
            break
    return Outcome(np.asarray(here), cost, done)


def lbfgs(problem: Problem, params: Params, z: np.ndarray, iterations: int, watch: Watch | None = None,
          keep: bool = False) -> Outcome:
    """L-BFGS-B on variables divided by their typical sizes."""
    from scipy.optimize import minimize  # takes half a second to import

    shape, scale = z.shape, problem.scales
    low, high = (np.broadcast_to(bound / scale, shape).copy() for bound in problem.bounds)
    if keep:
        on = problem.layout.parts["c"]
        low[:, on] = high[:, on] = (z / scale)[:, on]
    low, high = low.ravel(), high.ravel()
    done = 0

    def cost(q: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = problem.program.gradient(jnp.asarray(q.reshape(shape) * scale), params)
        return float(value), (np.asarray(slope) * scale).ravel()

    def told(intermediate_result: Any) -> None:
        nonlocal done
        done += 1
        if watch is not None and watch(done, intermediate_result.fun, intermediate_result.x.reshape(shape) * scale):
            raise StopIteration

    found = minimize(cost, (z / scale).ravel(), jac=True, method="L-BFGS-B", bounds=list(zip(low, high, strict=True)),
                     callback=told, options={"maxiter": PER_STEP * iterations, "maxfun": 2 * PER_STEP * iterations,
                                             "maxcor": MEMORY, "ftol": 1e-10, "gtol": 1e-6})
    return Outcome(found.x.reshape(shape) * scale, float(found.fun), int(found.nit))


SOLVERS = {"gauss-newton": gauss_newton, "lbfgs": lbfgs}
