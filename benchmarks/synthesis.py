"""How does the cost of an iteration grow with the phases, and what does a fresh process wait for?

    python benchmarks/synthesis.py scaling         one Gauss-Newton iteration of `walk` at 5, 10, 20 and 40 phases
    python benchmarks/synthesis.py start [SCENE]   a scene in fresh processes: cold cache, then warm
    python benchmarks/synthesis.py warm            changed goals from an earlier solution, beside from the start pose

Times are of the processor's work, all threads together, where it says cpu; on a busy machine only ratios mean much. An
iteration is one system (residuals, Jacobians, J'J), one banded solution, one cost. Rounds of all sizes take turns.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

PHASES = (5, 10, 20, 40)
ROUNDS, REPEATS = 5, 3
GOALS = ((1.6, 0.0), (2.4, 0.0), (2.0, 0.4), (1.0, 0.0))
STAGES = """
import sys, time
clocks = [(time.perf_counter(), time.process_time())]
def lap(what):
    clocks.append((time.perf_counter(), time.process_time()))
    (a, b), (c, d) = clocks[-2:]
    print(f"| {what} | {c - a:.1f} | {d - b:.1f} |", flush=True)
from gambol.synthesis.scene_file import find_scene
from gambol.synthesis.synthesize import climb, finish
lap("imports")
scene = find_scene(sys.argv[1])
problem = scene.problem()
z, params = problem.guess(), problem.params()
lap("the scene's numbers")
problem.program.prepare(z, params)
lap("programs traced, or read")
problem.program.solve(problem.program.system(z, params), 1.0, z, False)
problem.program.cost(z, params)
lap("programs compiled, or read")
solution = climb(problem)
lap(f"{solution.iterations} iterations and measures")
finish(scene, solution, "gauss-newton", clocks[0][0])
lap("the full-body Motion")
print(f"| together | {clocks[-1][0] - clocks[0][0]:.1f} | {clocks[-1][1] - clocks[0][1]:.1f} |")
"""


def iteration(phases: int) -> Callable[[], float]:
    """A function that does some iterations at so many phases, and its processor time, in ms an iteration."""
    import jax
    import jax.numpy as jnp

    from gambol.synthesis.scene import Performer, Position, Scene, Stand

    problem = Scene([Performer()], [Stand(), Position(x=0.2 * phases)], phases=phases).problem()
    program, params, z = problem.program, problem.params(), jnp.asarray(problem.guess())
    program.prepare(z, params)

    def work() -> float:
        begin = time.process_time()
        for _ in range(REPEATS):
            step, _ = program.solve(program.system(z, params), 1.0, z, False)
            jax.block_until_ready(program.cost(z + step, params))
        return 1e3 * (time.process_time() - begin) / REPEATS

    work()
    return work


def scaling() -> None:
    sizes = {phases: iteration(phases) for phases in PHASES}
    rounds = np.array([[work() for work in sizes.values()] for _ in range(ROUNDS)])
    median = np.median(rounds, axis=0)
    slope = np.median(rounds / np.array(PHASES), axis=0)
    slope /= slope[PHASES.index(10)]
    print("| phases | ms cpu an iteration | a phase, to that at 10 phases |\n|---|---|---|")
    for phases, spent, ratio in zip(PHASES, median, slope, strict=True):
        print(f"| {phases} | {spent:.0f} | {ratio:.2f} |")


def start(scene: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for cache in ("cold", "warm"):
            print(f"\n{scene}, {cache} cache\n\n| | s | s cpu |\n|---|---|---|", flush=True)
            subprocess.run([sys.executable, "-c", STAGES, scene], check=True,
                           env={**os.environ, "XDG_CACHE_HOME": folder})


def warm() -> None:
    from gambol.synthesis.scene import Performer, Position, Scene, Stand
    from gambol.synthesis.synthesize import climb

    def problem(x: float, y: float) -> object:
        return Scene([Performer()], [Stand(), Position(x=x, y=y)]).problem()

    first = climb(problem(2.0, 0.0))
    print("| goal | from the start pose | from the walk to (2, 0) |\n|---|---|---|")
    for goal in GOALS:
        cells = []
        for begin in (None, first.z):
            clock = time.process_time()
            found = climb(problem(*goal), warm=begin)
            off = ", ".join(str(m) for m in found.measures if not m.good)
            cells.append(f"{found.iterations} iterations, {time.process_time() - clock:.1f} s cpu, "
                         + ("solved" if found.solved else f"off: {off}"))
        print(f"| {goal} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "scaling":
        scaling()
    elif what == "start":
        start(sys.argv[2] if len(sys.argv) > 2 else "walk")
    elif what == "warm":
        warm()
    else:
        sys.exit(__doc__)
