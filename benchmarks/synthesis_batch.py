"""How many walks a second? A batch of goals solved together with `vmap`, on whatever JAX runs on.

    python benchmarks/synthesis_batch.py                        256 goals, in batches of 32
    python benchmarks/synthesis_batch.py --goals 64 --batch 64
    python benchmarks/synthesis_batch.py --pack walks.npz       write the goals' numbers for a machine without MuJoCo
    python benchmarks/synthesis_batch.py --packed walks.npz --save found.npz      solve them there
    python benchmarks/synthesis_batch.py --judge found.npz      and measure here what came back

The walks start standing and end standing 0.5 to 2.5 m ahead and up to 0.5 m aside, each with a seed of its own. The
first batch is solved twice: once to compile, then timed with the rest. The layout, the ladder, the program and its
limits are those of `gambol synthesize walk`.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from gambol.synthesis.layout import ActorShape, Layout


def goals(count: int) -> np.ndarray:
    return np.random.default_rng(0).uniform([0.5, -0.5], [2.5, 0.5], size=(count, 2))


def problems(count: int) -> list[Any]:
    from gambol.synthesis.scene import Performer, Position, Scene, Stand

    return [Scene([Performer()], [Stand(), Position(x=float(x), y=float(y))]).problem() for x, y in goals(count)]


def packed(count: int) -> dict[str, np.ndarray]:
    """Layout and arguments as plain arrays: the tasks of all goals, the rest once."""
    found = problems(count)
    layout = found[0].layout
    shape = {"actors": [[a.limbs, a.points, a.spheres, a.patch, a.touches] for a in layout.actors],
             "phases": layout.phases, "boxes": layout.boxes}
    arrays = {"layout": np.array(json.dumps(shape))}
    for name, value in found[0].constants().items():
        if name == "tasks":
            arrays |= {f"tasks/{key}": np.stack([p.asked[key] for p in found]) for key in value if key != "wanted"}
        else:
            arrays |= {f"{name}/{key}": v for key, v in value.items()} if isinstance(value, dict) else {name: value}
    return arrays


def unpacked(arrays: dict[str, np.ndarray]) -> tuple[Layout, dict[str, Any], dict[str, Any]]:
    """The layout, what all scenes share, and their tasks."""
    shape = json.loads(str(arrays["layout"]))
    actors = tuple(ActorShape(tuple((bool(a), int(b)) for a, b in limbs), points, spheres,
                              bool(patch), tuple((int(a), int(b)) for a, b in touches))
                   for limbs, points, spheres, patch, touches in shape["actors"])
    tree: dict[str, Any] = {}
    for name, value in arrays.items():
        first, _, second = name.partition("/")
        if second:
            tree.setdefault(first, {})[second] = value
        elif name != "layout":
            tree[name] = value
    return Layout(actors, shape["phases"], shape["boxes"]), tree, {**tree.pop("tasks"), "wanted": ()}


def solve(arrays: dict[str, np.ndarray], size: int) -> np.ndarray:
    """Solutions of all goals; prints how long they took."""
    import jax
    import jax.numpy as jnp

    from gambol.synthesis.batch import Batch

    device = jax.devices()[0]
    print(f"JAX {jax.__version__} on {device.platform} ({device.device_kind})", flush=True)
    layout, shared, tasks = unpacked(arrays)
    shared, tasks = (jax.tree.map(lambda a: jnp.asarray(a, dtype=float), tree) for tree in (shared, tasks))
    count = len(next(iter(tasks.values())))
    size = min(size, count)
    parts = [np.arange(start, start + size) % count for start in range(0, count, size)]

    def batch(which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return Batch(layout, shared, {"tasks": jax.tree.map(lambda a: a[which], tasks)}).climb(list(which))

    begin = time.perf_counter()
    batch(parts[0])
    print(f"first batch of {size}, compilation included: {time.perf_counter() - begin:.1f} s", flush=True)
    begin, busy = time.perf_counter(), time.process_time()
    found = [batch(which) for which in parts]
    seconds, worked = time.perf_counter() - begin, time.process_time() - busy
    solved = sum(len(which) for which in parts)
    iterations = np.concatenate([done for _, done in found])[:count]
    print(f"{solved} walks in batches of {size}: {seconds:.2f} s, {solved / seconds:.2f} clips/s "
          f"({worked:.1f} s of processor time); iterations {iterations.min()} to {iterations.max()}, "
          f"median {np.median(iterations):.0f}", flush=True)
    return np.concatenate([z for z, _ in found])[:count]


def judge(z: np.ndarray) -> None:
    from gambol.synthesis.measures import measure

    measured = [measure(problem, one) for problem, one in zip(problems(len(z)), z, strict=True)]
    off = [m.name for measures in measured for m in measures if not m.good]
    good = sum(all(m.good for m in measures) for measures in measured)
    counts = ", ".join(f"{name} {off.count(name)}" for name in sorted(set(off), key=off.count, reverse=True))
    print(f"{good} of {len(z)} within all limits{'; off: ' + counts if off else ''}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goals", type=int, default=256)
    parser.add_argument("--batch", type=int, default=32)
    for name in ("--pack", "--packed", "--save", "--judge"):
        parser.add_argument(name, type=Path)
    asked = parser.parse_args()
    if asked.pack is not None:
        np.savez_compressed(asked.pack, **packed(asked.goals))
        return
    if asked.judge is not None:
        judge(np.load(asked.judge, allow_pickle=False)["z"])
        return
    if asked.packed is not None:
        with np.load(asked.packed, allow_pickle=False) as file:
            arrays = {name: a[:asked.goals] if name.startswith("tasks/") else a for name, a in file.items()}
    else:
        arrays = packed(asked.goals)
    z = solve(arrays, asked.batch)
    if asked.save is not None:
        np.savez(asked.save, z=z)
    elif asked.packed is None:
        judge(z)


if __name__ == "__main__":
    main()
