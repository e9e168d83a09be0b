"""Would one call of DAQP for the whole weighted problem be quicker than gambol's own way through it?

    OPENBLAS_NUM_THREADS=1 python benchmarks/qp.py

On ticks of balance and of walk, each of these is repeated in turn; the fastest counts, and the median over the ticks:

    own       gambol's solve, from the problem to the unknowns, bounds proven
    call      DAQP alone, its matrices given
    whole     the same with the matrices built: gambol's fallback
"""

import time
from collections.abc import Callable

import daqp
import numpy as np

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.control.problem import WholeBodyProblem
from gambol.control.qp.bounded import PRIMAL_TOLERANCE
from gambol.control.qp.priorities import soft_marks
from gambol.control.solvers import WeightedSolver
from gambol.world.world import World

TICKS, EVERY, REPEATS = 600, 20, 30


def fastest(jobs: list[Callable[[], object]]) -> list[float]:
    """Shortest time of each job, taken in turn, us."""
    times = np.empty((REPEATS, len(jobs)))
    for row in times:
        for k, job in enumerate(jobs):
            begin = time.perf_counter()
            job()
            row[k] = time.perf_counter() - begin
    return list(1e6 * times.min(axis=0))


def jobs_of(problem: WholeBodyProblem, solver: WeightedSolver, spare: WeightedSolver) -> list[Callable[[], object]]:
    """The three ways through one tick."""
    rows, limits = solver._together(problem), problem.constraints()
    weighted = rows.K / rows.give[:, None]
    hessian, gradient = weighted.T @ rows.K, -(rows.t @ weighted) - rows.pull
    hessian[np.diag_indices(problem.n)] += rows.weight
    matrices = hessian, gradient, limits.rows, limits.upper, limits.lower, soft_marks(limits.rows, limits.soft)
    spare._active.begin(problem)
    return [lambda: solver.solve(problem), lambda: daqp.solve(*matrices, primal_tol=PRIMAL_TOLERANCE),
            lambda: spare._thoroughly(problem, rows)]


def measure(behavior: str) -> None:
    world = World(make_character("human"))
    controller = make_behavior(behavior, world, {"solver": "weighted"})
    spare, times = WeightedSolver(), []
    for tick in range(TICKS):
        world.step(controller.act())
        if tick % EVERY == 0:
            times.append(fastest(jobs_of(controller.problem, controller.solvers["weighted"], spare)))
    own, call, whole = np.median(times, axis=0)
    print(f"{behavior:8} own {own:.0f} us   call {call:.0f} us ({call / own:.1f} of own)   "
          f"whole {whole:.0f} us ({whole / own:.1f} of own)")


if __name__ == "__main__":
    for name in ("balance", "walk"):
        measure(name)
