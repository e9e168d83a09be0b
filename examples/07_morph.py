"""A leg grows while it balances.

`Character.scaled` gives the same body with other sizes: here a left thigh and shank that grow by 8 %, a little at a
time, and shrink again. `World.morph` puts such a body into a running world. This is a declared live body edit: it is in
the file, so the take can still be replayed by anyone, and `verify` says so. Nothing tells the behavior; it finds longer
legs at the next tick and goes on.

    python examples/07_morph.py          writes morph.npz here
"""

import sys
from pathlib import Path

import numpy as np

from gambol import Motion, World, make_behavior, make_character, verify

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
human = make_character("human")
world = World(human)
balance = make_behavior("balance", world)
fell = None
while world.time < 3.0:
    if world.tick % 25 == 0:  # ten times a second
        factor = 1.0 + 0.08 * np.sin(np.pi * world.time / 3.0)
        world.morph(human.scaled(limb={"left_thigh": factor, "left_shank": factor}))
    world.step(balance.act())
    fell = fell or world.contacts.fallen(world.figure)

motion = Motion.from_world(world, behavior="balance")
path = motion.save(folder / "morph.npz")
verdict = verify(motion)
print(f"wrote {path}: {len(motion.edits)} body edits, {f'fell: {fell}' if fell else 'did not fall'}; "
      f"verify: {'ok' if verdict.ok else 'NOT ok'}, largest difference {verdict.difference:g}")
