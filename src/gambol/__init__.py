"""gambol: physically simulated characters that move by themselves."""

import ctypes
import os
import sys


def _has_library(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


# Both must be settled before MuJoCo and NumPy are first imported. One thread: the matrices of a control tick are too
# small to share. Without a display MuJoCo draws through EGL or OSMesa, but importing it fails if the one it is told to
# use is not installed, so it is told only what is there; without any, everything but pictures still works.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if sys.platform == "linux" and not os.environ.get("DISPLAY") and "MUJOCO_GL" not in os.environ:
    for _backend, _library in (("egl", "libEGL.so.1"), ("osmesa", "libOSMesa.so.8")):
        if _has_library(_library):
            os.environ["MUJOCO_GL"] = _backend
            break

from importlib import import_module  # noqa: E402
from typing import Any  # noqa: E402

from gambol._version import __version__  # noqa: E402
from gambol.moved import lead_on  # noqa: E402

lead_on()

# The public names, loaded when first asked for so that `import gambol` and `gambol --help` stay quick.
_HOMES = {
    "Character": "gambol.bodies.character", "make_character": "gambol.bodies",
    "World": "gambol.world.world", "Push": "gambol.world.pushes", "Throw": "gambol.world.pushes",
    "Motion": "gambol.motion.motion", "export": "gambol.motion.export", "verify": "gambol.motion.verify",
    "make_behavior": "gambol.behaviors", "simulate": "gambol.rollout",
    "Trial": "gambol.runs", "Cast": "gambol.runs", "run": "gambol.runs",
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'gambol' has no attribute {name!r}")
