"""Two trees of gambol in turn: what a tick, a step, a run and an iteration of synthesis cost in the new one to the old.

    python benchmarks/old_new.py OLD/src [PAIRS]          the new one is the tree that this file lies in

Each tree has a process of its own that does the same jobs when told to, one after the other, the order of the two
changing from pair to pair; the time of the processor's work counts. Two processes of the same tree differ by up to a
tenth, by where their memory happens to lie: so both are new every third pair. A ratio is the median over the pairs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

WORKER = """
import sys, time
from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.world.world import World

def tick(name):
    world = World(make_character("human"))
    behavior = make_behavior(name, world)
    for _ in range(50):
        world.step(behavior.act())
    return lambda: [behavior.act() for _ in range(300)]

def steps():
    world = World(make_character("human"))
    behavior = make_behavior("balance", world)
    torques = []
    for _ in range(250):
        torques.append(behavior.act())
        world.step(torques[-1])
    def job():
        world.reset()
        for torque in torques:
            world.step(torque)
    return job

def run(name, terrain="flat", **settings):
    def job():
        world = World(make_character("human"), terrain)
        behavior = make_behavior(name, world, settings)
        while world.time < 2.0:
            world.step(behavior.act())
    return job

def synthesis():
    from gambol.synthesis.scene_file import find_scene
    from gambol.synthesis.synthesize import synthesize
    count = [0]
    def job():
        count[0] = 0
        def tell(news):
            count[0] += 1
            return count[0] > 40
        synthesize(find_scene("walk"), 0, "gauss-newton", tell)
    return job

jobs = {"balance tick": lambda: tick("balance"), "World.step": steps, "walk 2 s": lambda: run("walk"),
        "locomote 2 s": lambda: run("locomote"), "locomote rough 2 s": lambda: run("locomote", "rough"),
        "synthesis, 40 iterations": synthesis}
ready = {}
for line in sys.stdin:
    name = line.strip()
    if name not in ready:
        ready[name] = jobs[name]()
        ready[name]()
    begin = time.process_time()
    ready[name]()
    print("took", time.process_time() - begin, flush=True)
"""
FRESH = 3
"""Pairs after which both processes are started anew."""
JOBS = ("balance tick", "World.step", "walk 2 s", "locomote 2 s", "locomote rough 2 s", "synthesis, 40 iterations")


def worker(source: Path) -> subprocess.Popen[str]:
    """A process with one of the trees."""
    environment = os.environ | {"PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env=environment)


def ask(process: subprocess.Popen[str], job: str) -> float:
    """Seconds of the processor's work on a job."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(job + "\n")
    process.stdin.flush()
    while not (line := process.stdout.readline()).startswith("took"):
        if not line:
            sys.exit(f"the process ended in {job!r}")
    return float(line.split()[1])


def stop(processes: dict[str, subprocess.Popen[str]]) -> None:
    """End them."""
    for process in processes.values():
        process.kill()
        process.wait()


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit((__doc__ or "").strip())
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    sources = {"old": Path(sys.argv[1]).resolve(), "new": Path(__file__).resolve().parent.parent / "src"}
    for job in sys.argv[3:] or JOBS:
        times, processes = [], {}
        for k in range(pairs):
            if k % FRESH == 0:
                stop(processes)
                processes = {name: worker(source) for name, source in sources.items()}
            order = ("old", "new") if k % 2 else ("new", "old")
            found = {name: ask(processes[name], job) for name in order}
            times.append((found["old"], found["new"]))
        stop(processes)
        ratios = [after / before for before, after in times]
        before, after = np.median(times, axis=0)
        print(f"{job}: new to old {np.median(ratios):.3f} (quartiles {np.quantile(ratios, 0.25):.3f} to "
              f"{np.quantile(ratios, 0.75):.3f}, {pairs} pairs); medians {1e3 * before:.0f} and {1e3 * after:.0f} ms",
              flush=True)


if __name__ == "__main__":
    main()
