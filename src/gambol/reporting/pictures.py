"""Pictures as the bytes of their files: what experiments and explanations hand to a page."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gambol.errors import MissingGL
from gambol.motion.motion import Motion


@dataclass(frozen=True)
class Picture:
    """A plot or a film strip, as the bytes of its file."""

    caption: str
    data: bytes
    kind: Literal["svg", "png"] = "svg"


def film(motion: Motion, times: np.ndarray, caption: str, **view: Any) -> Sequence[Picture]:
    """A film strip, or nothing where there is no OpenGL."""
    from gambol.motion.formats.video import filmstrip

    with tempfile.TemporaryDirectory() as folder:
        try:
            path = filmstrip(motion, times.tolist(), Path(folder) / "strip.png", **view)
        except MissingGL:
            return ()
        return (Picture(caption, path.read_bytes(), "png"),)
