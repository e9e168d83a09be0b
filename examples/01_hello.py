"""Hello: the human keeps its balance when pushed. Five lines.

    python examples/01_hello.py          writes hello.npz here
    gambol view hello.npz                watch it in the browser
    gambol verify hello.npz              replay it in plain MuJoCo, to the last digit
"""

import sys
from pathlib import Path

from gambol import Push, simulate

run = simulate("balance", seconds=4, pushes=[Push(t=1, body="trunk", force=(250, 0, 0), duration=0.1)])
path = run.motion.save(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "hello.npz")
print(f"wrote {path}: {run.summary['seconds']:g} s, {'fell' if run.summary['fell'] else 'did not fall'}")
