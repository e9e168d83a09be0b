"""How good and how fast are plans? Least squares, as the planner uses it, beside CMA as in [delasa2011, section 5.3].

    python benchmarks/planner.py            all moments, 3 runs of CMA each: a minute or two
    python benchmarks/planner.py 1          the same with 1 run of CMA each

Both work on the same moments (gambol.planning.preview.cases), with the same objective, bounds and scales, in one
process, one after the other; times are of the processor's work, not of waiting for it.

    cold        cost of the first plan over CMA's best (1 is as good, less is better)
    settled     the same after five more plans from the same moment, as the planner makes them while it waits
    ms          a first plan; a warm one, from a plan a little off the best, as a moment later; CMA's: 5000 evaluations
                in populations of 15
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from gambol.planning.preview import schedule
from gambol.planning.preview.cases import Case, cases
from gambol.planning.preview.gains import USUAL
from gambol.planning.preview.optimizer import Judge, improve
from gambol.planning.preview.planner import Planner
from gambol.planning.preview.reference import cma_plan

SETTLING, ROUNDS = 5, 15
SEARCH = USUAL.search
HYPOTHESES = (1, 2, 4, 8, 16)
ASTRAY = 0.1
"""How far a warm start is off, in units of each unknown's scale."""


def judge_of(case: Case) -> Judge:
    return Judge(case.situation, case.goals, USUAL)


def planned(case: Case) -> tuple[float, float, np.ndarray]:
    """Costs of the first plan of the case's gait and of the settled one, and its unknowns."""
    planner, costs = Planner(), []
    for _ in range(1 + SETTLING):
        planner.plan(case.situation, case.goals, SEARCH.event_steps)
        costs.append(float(judge_of(case).costs(planner.last[case.gait][None], case.gait)[0]))
    return costs[0], costs[-1], planner.last[case.gait]


def timed(job: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Median time, ms."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        job()
        times.append(time.process_time() - begin)
    return 1e3 * float(np.median(times))


def compare(name: str, case: Case, runs: int) -> tuple[float, float, float]:
    """One line of the table; ratios of costs and of times."""
    found: list[float] = []
    slow = timed(lambda: found.append(cma_plan(judge_of(case), case.gait, len(found)).cost), runs)
    cold, settled, last = planned(case)
    guess = schedule.cold(case.gait, case.situation, case.goals)
    first = timed(lambda: improve(judge_of(case), [(case.gait, guess)], SEARCH.cold_steps), 5)
    off = last + ASTRAY * schedule.SCALE * np.random.default_rng(0).standard_normal(len(last))
    quick = timed(lambda: improve(judge_of(case), [(case.gait, off)], SEARCH.warm_steps))
    best = min(found)
    print(f"| {name} | {best:.3f} | {cold / best:.3f} | {settled / best:.3f} | {first:.1f} | {quick:.1f} | {slow:.0f} "
          f"| {slow / first:.0f}, {slow / quick:.0f} |", flush=True)
    return settled / best, slow / first, slow / quick


def several(case: Case) -> None:
    """Time of a warm plan by the number of hypotheses that are improved together."""
    print("\n| hypotheses | ms | against one |\n|---|---|---|")
    start = schedule.cold(case.gait, case.situation, case.goals)
    one = 0.0
    for count in HYPOTHESES:
        starts = [(case.gait, start + 1e-3 * k * schedule.SCALE) for k in range(count)]
        took = timed(lambda starts=starts: improve(judge_of(case), starts, SEARCH.warm_steps))
        one = one or took
        print(f"| {count} | {took:.1f} | {took / one:.2f} |", flush=True)


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print("| moment | CMA's best | cold | settled | first ms | warm ms | CMA ms | times faster: first, warm |\n"
          "|---|---|---|---|---|---|---|---|")
    results = [compare(name, case, runs) for name, case in cases().items()]
    costs, first, warm = np.array(results).T
    print(f"\nsettled plans: better than CMA in {np.sum(costs < 1.0)} of {len(costs)}, at most 5 % worse in "
          f"{np.sum(costs <= 1.05)}; CMA takes {np.median(first):.0f} times as long as a first plan, "
          f"{np.median(warm):.0f} times as long as a warm one (medians)")
    several(cases()["mid-swing"])
