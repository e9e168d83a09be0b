"""Into other programs: glTF and BVH for Blender and game engines, CSV for plots.

The ending of the name chooses the kind of file. glTF comes in two forms: rigid parts with props and ground, or one
skinned mesh with a skeleton. How to open each in Blender is in docs/export.md.

    python examples/06_export.py          writes push.glb, push_skinned.glb, push.bvh and push.csv here

The same from the shell, for a take you have:

    gambol export push.npz push.glb
    gambol export push.npz push_skinned.glb --skinned
"""

import sys
from pathlib import Path

from gambol import Push, export, simulate

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
motion = simulate("balance", seconds=2, pushes=[Push(0.4, "trunk", (200, 0, 0))]).motion
for name, options in (("push.glb", {}), ("push_skinned.glb", {"skinned": True}), ("push.bvh", {"fps": 60}),
                      ("push.csv", {})):
    for path in export(motion, folder / name, **options):
        print(f"wrote {path} ({path.stat().st_size / 1024:.0f} KiB)")
