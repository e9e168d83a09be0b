"""The main job, once through: the human balances, is pushed from two sides, recovers; the take is written and verified.

`make demo` runs this and leaves demo.npz, demo.glb and, where pictures can be drawn, demo.mp4.
"""

from __future__ import annotations

from pathlib import Path

from gambol.console import progress_bar
from gambol.errors import MissingGL
from gambol.motion.export import export
from gambol.motion.verify import verify
from gambol.rollout import simulate
from gambol.world.pushes import Push

PUSHES = (Push(t=1.0, body="trunk", force=(300.0, 0.0, 0.0)), Push(t=3.5, body="trunk", force=(-180.0, 220.0, 0.0)))


def main(folder: Path = Path()) -> None:
    """Simulate, verify, export; say what was done and how to look at it."""
    with progress_bar("simulating 6 s") as progress:
        run = simulate("balance", seconds=6.0, pushes=PUSHES, progress=progress)
    summary = run.summary
    fate = f"fell at {summary['fell_at']:.1f} s" if summary["fell"] else "kept its balance"
    print(f"The human was pushed twice (30 N s from behind, 28 N s from the front right) and {fate}.")
    print(f"Simulated at {summary['realtime_factor']:.1f} times real time; "
          f"largest torque {100 * summary['max_torque_ratio']:.0f} % of its limit.")
    verdict = verify(run.motion)
    print(f"Replayed in plain MuJoCo: largest difference {verdict.difference:g}"
          f"{', no undeclared force' if verdict.ok else ''}.")
    written = [run.motion.save(folder / "demo.npz"), *export(run.motion, folder / "demo.glb")]
    try:
        with progress_bar("drawing demo.mp4") as progress:
            written += export(run.motion, folder / "demo.mp4", progress=progress, fps=25, size=(640, 360))
    except MissingGL as error:
        print(f"No demo.mp4: {error}")
    print(f"Wrote {', '.join(path.name for path in written)}. demo.glb opens in Blender: File > Import > glTF 2.0.")
    print("Watch it in the browser:  .venv/bin/gambol view demo.npz")


if __name__ == "__main__":
    main()
