"""How hard a push can it take? A table of falls, springs against balance.

A push is measured by its impulse: force times duration. 30 N s is 300 N for a tenth of a second, or a ball of 3 kg
that hits at 10 m/s and drops dead. The human (81.82 kg) is pushed on the trunk, toward each direction, with each
impulse, from several random starts. A cell says how many of the runs did not fall.

    python examples/02_push_survey.py            1 direction, 2 impulses, 1 seed: a few seconds
    python examples/02_push_survey.py . full     8 directions, 6 impulses, 3 seeds: several minutes (docs/balance.md)

Writes `push_survey.csv` into the directory given as first argument, by default the current one.
"""

import math
import sys
from pathlib import Path

from gambol import Push, simulate

DURATION = 0.1
DIRECTIONS = {0: "forward", 45: "fwd-left", 90: "left", 135: "back-left", 180: "backward", -135: "back-right",
              -90: "right", -45: "fwd-right"}


def survives(behavior: str, impulse: float, angle: float, seed: int, watch: float) -> bool:
    """One run: a push at 0.5 s, then `watch` seconds in which it must not fall."""
    force = impulse / DURATION
    toward = (force * math.cos(math.radians(angle)), force * math.sin(math.radians(angle)), 0.0)
    run = simulate(behavior, seconds=0.5 + watch, seed=seed, pushes=[Push(0.5, "trunk", toward, DURATION)])
    return not run.summary["fell"]


def survey(impulses: list[float], angles: list[int], seeds: int, watch: float) -> list[str]:
    """Print a table for each behavior; return the rows as CSV."""
    rows = ["behavior,impulse [N s],toward [degrees],survived,runs"]
    for behavior in ("stand", "balance"):
        print(f"\n{behavior}: runs that did not fall, of {seeds}")
        print("  impulse  " + "  ".join(f"{DIRECTIONS[angle]:>10}" for angle in angles))
        for impulse in impulses:
            counts = [sum(survives(behavior, impulse, angle, seed, watch) for seed in range(seeds)) for angle in angles]
            print(f"{impulse:5.0f} N s  " + "  ".join(f"{count:>10}" for count in counts), flush=True)
            rows += [f"{behavior},{impulse:g},{angle},{count},{seeds}"
                     for angle, count in zip(angles, counts, strict=True)]
    return rows


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    if "full" in sys.argv[2:]:
        rows = survey([10, 20, 25, 30, 35, 40], list(DIRECTIONS), seeds=3, watch=4.0)
    else:
        rows = survey([10, 30], [0], seeds=1, watch=2.0)
    path = folder / "push_survey.csv"
    path.write_text("\n".join(rows) + "\n")
    print(f"\nwrote {path}")
