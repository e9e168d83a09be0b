"""Export: a Motion to a file for other programs, the kind chosen by the name's ending."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gambol.errors import BadInput, unknown
from gambol.files import check_writable
from gambol.motion.formats.bvh import write_bvh
from gambol.motion.formats.gltf import write_gltf
from gambol.motion.formats.table import write_table
from gambol.motion.formats.video import write_gif, write_video
from gambol.motion.motion import Motion

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Exporter:
    """One kind of file."""

    suffix: str
    doc: str
    write: Callable[..., Any]

    @property
    def options(self) -> dict[str, Any]:
        """Names of its options with their defaults."""
        return {name: parameter.default for name, parameter in inspect.signature(self.write).parameters.items()
                if parameter.kind is parameter.KEYWORD_ONLY and name != "progress"}


EXPORTERS = {exporter.suffix: exporter for exporter in (
    Exporter(".glb", "animated glTF: rigid parts with props and ground, or skinned=True", write_gltf),
    Exporter(".bvh", "skeleton animation, y up, metres; one file a figure", write_bvh),
    Exporter(".mp4", "video", write_video),
    Exporter(".gif", "small video that repeats", write_gif),
    Exporter(".csv", "table with one row a tick: angles, torques, centre of mass, ground forces", write_table),
)}


def export(motion: Motion, path: Path | str, *, progress: Progress | None = None, **options: Any) -> list[Path]:
    """Write a file (BVH: one a figure), whole or not at all; returns what was written."""
    path = Path(path)
    exporter = exporter_for(path)
    for name in options:
        if name not in exporter.options:
            if not exporter.options:
                raise BadInput(f"{exporter.suffix} takes no options; got {name!r}")
            raise unknown(f"option of {exporter.suffix}", name, exporter.options)
    check_writable(path)
    written = exporter.write(motion, path, progress=progress, **options)
    return written if isinstance(written, list) else [written]


def exporter_for(path: Path | str) -> Exporter:
    """Who writes files with this ending."""
    suffix = Path(path).suffix.lower()
    if suffix not in EXPORTERS:
        raise BadInput(f"cannot export to {Path(path).name!r}: its name must end in one of {', '.join(EXPORTERS)}")
    return EXPORTERS[suffix]
