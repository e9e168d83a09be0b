"""A Reference to look at: as a Motion that can be played, and as a table of what was found in a clip."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from gambol._version import __version__
from gambol.bodies import find_character
from gambol.bodies.character import Character
from gambol.motion.motion import FigureInfo, Motion
from gambol.motion.reference import Reference
from gambol.planning.reference.clip import Clip
from gambol.planning.reference.series import stretches
from gambol.world.scene import compile_scene
from gambol.world.terrains import make_terrain

PHYSICS_RATE = 1000.0
FAR = 0.1
"""m by which the projection moves the COM of a motion that feet alone do not carry."""


def motion_of(reference: Reference, character: Character | None = None) -> Motion:
    """The poses of a Reference as a Motion without controls, on flat ground."""
    character = find_character(reference.character) if character is None else character
    compiled = compile_scene([character], make_terrain("flat"), [], PHYSICS_RATE)
    figure = FigureInfo(character.name, compiled.prefixes[0], character.anatomy).as_dict()
    meta = {"reference": reference.name, "character": character.name, "terrain": "flat", "gambol": __version__,
            "mujoco": mujoco.__version__, "figures": [figure], "events": [], "report": dict(reference.report)}
    extra = {"contact_load": reference.down.astype(float) / np.maximum(reference.down.sum(axis=1, keepdims=True), 1)}
    return Motion(model_xml=compiled.xml, time=np.arange(len(reference.qpos)) / reference.rate, qpos=reference.qpos,
                  qvel=reference.qvel, assets=dict(compiled.assets), extra=extra,
                  meta={**meta, "contacts": list(reference.patches)})


def clip_rows(clip: Clip, reference: Reference) -> Iterator[tuple[str, str, str]]:
    """What was found in a clip and became of it: section, name, value."""
    yield "clip", "seconds", f"{clip.seconds:.2f}"
    yield "clip", "fps", f"{clip.rate:.4g}"
    yield "clip", "frames", f"{clip.frames}"
    yield "clip", "pose of reference", clip.posed + (", the first frame, left out" if clip.posed == "T-pose" else "")
    yield "clip", "scale", f"{clip.scale:.4g} m a unit of the file"
    yield "roles", "found by", clip.roles.by
    for role, joint in sorted(clip.roles.joints.items()):
        yield "roles", role, clip.names[joint]
    for k, role in enumerate(reference.patches):
        times = [f"{a / reference.rate:.2f}-{(b - 1) / reference.rate:.2f}" for a, b in
                 stretches(reference.down[:, k])]
        yield "contacts", role, ", ".join(times) + " s" if times else "none"
    report = reference.report
    yield "fit", "character", reference.character
    yield "fit", "direction error", f"{report['direction_error']:.1f} degrees"
    yield "fit", "COM moved", f"{100 * report['com_moved']:.1f} cm"
    yield "fit", "pressure outside", (f"{100 * report['pressure_outside_before']:.1f} cm before the projection, "
                                      f"{100 * report['pressure_outside']:.1f} cm after")
    if report["com_moved"] > FAR:
        yield "note", "", ("the feet alone do not carry this motion (hands, knees or a seat do?): its COM was moved "
                           "far, and it will hardly be followed")
