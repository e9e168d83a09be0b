"""A punch from goals alone.

Synthesis is told what should be true and when: the right hand at a point with a speed after one second, and standing at
rest half a second later. Which foot carries what, and how the body swings, is found by optimisation. Needs the extra
`synthesis` (pip install 'gambol[synthesis]'); the first run compiles for a while, later ones take seconds.

    python examples/10_synthesize.py          writes punch.npz here
"""

import sys
from pathlib import Path

from gambol.synthesis.scene import Performer, Scene, Stand, Strike
from gambol.synthesis.synthesize import synthesize

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
punch = Strike(limb="right_hand", at=1.0, point=(0.6, -0.15, 1.35), velocity=(2.0, 0.0, 0.0))
scene = Scene([Performer("human")], [punch, Stand()], phases=3)
result = synthesize(scene)
path = result.motion.save(folder / "punch.npz")
for measure in result.measures:
    print(f"{'good' if measure.good else 'off ':5s} {measure}")
print(f"{path.name}: {result.motion.seconds:g} s, {result.sentence()}")
