"""Ground, props and flying balls.

A terrain is a short text: a name and its numbers, `stairs:rise=0.1,run=0.3`. So is a prop. A throw is a ball that
starts away from the character and flies so that it would hit the named part. Balls and pushes are declared: they are in
the file, and `gambol verify` replays them. `gambol list` names every terrain with its numbers.

    python examples/05_terrain_and_throws.py          writes throws.npz and platform.npz here

The same from the shell:

    gambol run balance --terrain rough:height=0.08,seed=3 --throw t=0.4,mass=1.5,speed=6,bearing=90 --seconds 3

(On the command line a character starts on the level ground before the terrain; here it is put on the hills.)
"""

import sys
from pathlib import Path

from gambol import Throw, simulate
from gambol.world.props import Box, Platform
from gambol.world.terrains import make_terrain

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# On rough ground, a box in front, two balls: one from its left (bearing 90), one from its front (bearing 0).
hills = make_terrain("rough:height=0.08,seed=3")
hills.start = (4.0, 0.0)
run = simulate("balance", terrain=hills, seconds=2.5, props=[Box(x=4.8, z=0.1, mass=2.0)],
               throws=[Throw(t=0.4, mass=1.5, speed=6, bearing=90), Throw(t=1.2, mass=1.5, speed=6, bearing=0)])
path = run.motion.save(folder / "throws.npz")
print(f"wrote {path}: {len(run.motion.throw_tick)} balls on {run.motion.meta['terrain']}, "
      f"{'fell' if run.summary['fell'] else 'did not fall'}")

# On a platform that moves to and fro. It moves through its own actuators, so this replays like anything else.
run = simulate("balance", "child", seconds=2, props=[Platform(z=-0.1, amplitude=0.1, period=2.0)])
path = run.motion.save(folder / "platform.npz")
print(f"wrote {path}: a child on a moving platform, {'fell' if run.summary['fell'] else 'did not fall'}")
