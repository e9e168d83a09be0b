"""The slow reference: the plan that CMA [hansen2006] finds, as in [delasa2011, section 5.3]. For tests and benchmarks.

    best = cma_plan(judge, Gait.WALK, seed=1)
    best.cost, judge.evaluations
"""

from __future__ import annotations

import cma
import numpy as np

from gambol.planning.preview import schedule
from gambol.planning.preview.optimizer import Candidate, Judge
from gambol.planning.preview.schedule import SCALE, Gait

POPULATION, MOST = 15, 5000
"""Plans in a generation, and most evaluations."""
COLD = 1.0
"""First standard deviation, in units of each unknown's scale."""


def cma_plan(judge: Judge, gait: Gait, seed: int = 0, evaluations: int = MOST,
             start: np.ndarray | None = None, spread: float = COLD) -> Candidate:
    """The best plan of one gait that CMA finds within the gait's bounds; a whole population is judged at once."""
    moment = gait, judge.situation, judge.goals, judge.gains
    low, high = schedule.bounds(*moment)
    plan = schedule.cold(*moment) if start is None else np.clip(start, low, high)
    free = low < high
    if not free.any():
        return Candidate(gait, plan, float(judge.costs(plan[None], gait)[0]))
    low, high, scale, rng = low[free], high[free], SCALE[free], np.random.default_rng(seed)
    search = cma.CMAEvolutionStrategy(plan[free] / scale, spread, {
        "bounds": [low / scale, high / scale], "popsize": POPULATION, "maxfevals": evaluations, "verbose": -9,
        "randn": lambda *shape: rng.standard_normal(shape), "seed": np.nan})
    while not search.stop():
        points = search.ask()
        plans = np.repeat(plan[None], len(points), axis=0)
        plans[:, free] = np.clip(np.array(points) * scale, low, high)
        search.tell(points, judge.costs(plans, gait).tolist())
    best = plan.copy()
    best[free] = np.clip(search.result.xbest * scale, low, high)
    return Candidate(gait, best, float(search.result.fbest))
