"""A hand on the wall: two figures in one Trial, one of which leans on a wall when it is pushed.

`human44` stands beside a wall, and a child stands on a box behind it. Both are pushed to their left, which is toward
the wall. With hands=left `balance` puts the left palm on what is in reach and counts on it; with hands=none it has only
its feet, and falls.

    python examples/12_palm_on_a_wall.py          writes palm_none.npz and palm_left.npz here
    gambol view palm_left.npz                     watch it

The same from the shell, without the child, and live:

    gambol run balance --character human44 --terrain wall --set hands=left --push t=2,body=trunk,force=0:450:0
    gambol studio balance --character human44 --terrain wall --set hands=left
"""

import sys
from pathlib import Path

from gambol import Cast, Push, Trial, run
from gambol.world.props import Box

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
box = Box(x=-1.2, y=-0.5, size=0.5, height=0.2, mass=20.0)
pushes = (Push(t=1.5, body="human44/trunk", force=(0, 450, 0), duration=0.1),
          Push(t=1.5, body="child/trunk", force=(0, 30, 0), duration=0.1))

for hands in ("none", "left"):
    leaning = Cast("balance", "human44", settings={"hands": hands})
    child = Cast("balance", "child", where={"x": -1.2, "y": -0.5})  # where the box is, so it begins on top of it
    done = run(Trial((leaning, child), terrain="wall:distance=0.6", props=(box,), pushes=pushes, seconds=3.0))
    path = done.motion.save(folder / f"palm_{hands}.npz")
    fates = [f"{figure['name']} {'fell' if figure['fell'] else 'stands'}" for figure in done.summary["figures"]]
    print(f"wrote {path}: hands={hands}: {', '.join(fates)}")
