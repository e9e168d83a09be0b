"""Golden runs: are the controls of some thirty runs still the same, to the last bit?

    python benchmarks/golden.py save golden.json        before a change that must change nothing
    python benchmarks/golden.py compare golden.json     after it

Runs go through the command line, so code may move freely underneath. On another machine, or with other versions of
NumPy or MuJoCo, the bits differ: save and compare on one machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

SHOVE = "t=0.8,body=trunk,force={}:{}:0,duration=0.1"
RUNS = {
    "balance": ["balance", "--seconds", "3", "--push", SHOVE.format(300, 0)],
    "balance side": ["balance", "--seconds", "3", "--push", SHOVE.format(0, 250), "--seed", "3"],
    "balance weighted": ["balance", "--seconds", "3", "--set", "solver=weighted", "--push", SHOVE.format(150, 80)],
    "balance fall": ["balance", "--seconds", "2", "--push", SHOVE.format(900, 0)],
    "balance child": ["balance", "--character", "child", "--seconds", "2", "--push", SHOVE.format(-60, 0)],
    "balance ostrich": ["balance", "--character", "ostrich", "--seconds", "2", "--push", SHOVE.format(60, 60)],
    "balance dinosaur": ["balance", "--character", "dinosaur", "--seconds", "2"],
    "balance quadruped": ["balance", "--character", "quadruped", "--seconds", "2", "--push", SHOVE.format(50, 0)],
    "balance planar": ["balance", "--character", "planar_biped", "--seconds", "1"],
    "balance slope": ["balance", "--terrain", "slope:angle=10", "--seconds", "2", "--push", SHOVE.format(150, 0)],
    "balance thrown at": ["balance", "--seconds", "2.5", "--throw", "t=0.5,body=trunk,mass=3,speed=8,bearing=45"],
    "stand": ["stand", "--seconds", "2"],
    "stand chain": ["stand", "--character", "chain", "--seconds", "1"],
    "jump": ["jump", "--seconds", "4"],
    "jump twist": ["jump", "--seconds", "4", "--set", "twist=180"],
    "jump kick forward": ["jump", "--seconds", "3", "--set", "kick=40", "--set", "forward=0.3", "--seed", "2"],
    "jump child": ["jump", "--character", "child", "--seconds", "3"],
    "walk": ["walk", "--seconds", "5", "--push", "t=3,body=trunk,force=0:100:0,duration=0.1"],
    "walk weighted": ["walk", "--seconds", "4", "--set", "solver=weighted", "--set", "heading=90"],
    "walk ostrich": ["walk", "--character", "ostrich", "--seconds", "4"],
    "walk dinosaur": ["walk", "--character", "dinosaur", "--seconds", "4"],
    "walk asymmetric": ["walk", "--character", "asymmetric", "--seconds", "4"],
    "locomote": ["locomote", "--seconds", "4", "--push", "t=2.5,body=trunk,force=150:100:0,duration=0.1"],
    "locomote run": ["locomote", "--seconds", "4", "--set", "speed=2.5"],
    "locomote strict": ["locomote", "--seconds", "3", "--set", "solver=prioritized", "--set", "direction=90"],
    "locomote stairs": ["locomote", "--terrain", "stairs", "--seconds", "6"],
    "locomote rough": ["locomote", "--terrain", "rough:height=0.2,grid=1.0,seed=3", "--seconds", "6"],
    "locomote gaps": ["locomote", "--terrain", "gaps:width=0.5", "--seconds", "5"],
    "locomote stones": ["locomote", "--terrain", "stones", "--seconds", "5"],
    "locomote dodges": ["locomote", "--seconds", "4", "--throw", "t=2,body=trunk,mass=3,speed=8,bearing=90"],
    "locomote child": ["locomote", "--character", "child", "--seconds", "3"],
    "locomote ostrich": ["locomote", "--character", "ostrich", "--seconds", "3"],
    "locomote contacts": ["locomote", "--set", "when=contacts", "--set", "jump=0.1", "--seconds", "4"],
}


def digest(words: list[str]) -> dict[str, str | int]:
    """Hashes of the controls and of the states of one run."""
    from gambol.cli import main

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "golden.npz"
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115  for the life of this worker
        try:
            main(["run", *words, "--json", "-o", str(path)])
        except SystemExit as end:
            if end.code:
                return {"status": str(end.code)}
        with np.load(path, allow_pickle=False) as arrays:
            return {"ticks": len(arrays["ctrl"]),
                    "ctrl": hashlib.sha256(arrays["ctrl"].tobytes()).hexdigest()[:16],
                    "qpos": hashlib.sha256(arrays["qpos"].tobytes()).hexdigest()[:16]}


def main() -> None:
    if len(sys.argv) < 3 or sys.argv[1] not in ("save", "compare"):
        sys.exit((__doc__ or "").strip())
    path, wanted = Path(sys.argv[2]), {name: RUNS[name] for name in sys.argv[3:] or RUNS}
    with ProcessPoolExecutor(int(os.environ.get("WORKERS", "2"))) as pool:
        found = dict(zip(wanted, pool.map(digest, wanted.values()), strict=True))
    if sys.argv[1] == "save":
        path.write_text(json.dumps(found, indent=1) + "\n")
        return
    before = json.loads(path.read_text())
    different = [name for name in found if found[name] != before.get(name)]
    for name in different:
        print(f"{name}: {before.get(name)} -> {found[name]}")
    print(f"{len(found) - len(different)} of {len(found)} the same")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
