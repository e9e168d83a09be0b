"""A recorded walk that the project makes itself: a simulated walk, written as BVH with the names of other programs."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.motion.formats.bvh import write_bvh
from gambol.motion.motion import Motion
from gambol.world.world import World

PARTS = {"thigh": "UpLeg", "shank": "Leg", "foot": "Foot", "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand"}
CMU = {"pelvis": "Hips", "abdomen": "Spine", "thorax": "Spine1", "head": "Head"} | {
    f"{side}_{part}": side.capitalize() + name for side in ("left", "right") for part, name in PARTS.items()}
"""Names of the human's bodies as the CMU collection has them."""
MIXAMO = {ours: f"mixamorig:{theirs}" for ours, theirs in CMU.items()}
NONE = {ours: f"joint{k}" for k, ours in enumerate(CMU)}
"""Names that say nothing."""
FPS = 120.0


@cache
def walked(seconds: float = 4.0) -> Motion:
    """A human that sets out and walks."""
    world = World(make_character("human"), seed=2)
    behavior = make_behavior("walk", world)
    while world.time < seconds - 1e-9:
        world.step(behavior.act())
    return Motion.from_world(world, behavior="walk")


@cache
def clip_text(motion: Motion | None = None) -> str:
    """The walk as BVH text, in centimetres."""
    with tempfile.TemporaryDirectory() as folder:
        return write_bvh(walked() if motion is None else motion, Path(folder) / "x.bvh", fps=FPS,
                         scale=100.0)[0].read_text()


def renamed(text: str, names: dict[str, str]) -> str:
    """The same with other names of joints."""
    return re.sub(r"(ROOT|JOINT) (\w+)", lambda found: f"{found[1]} {names.get(found[2], found[2])}", text)


def with_t_pose(text: str) -> str:
    """The same with a first frame in which the actor stands with both arms out to the sides."""
    head, numbers = text.split("MOTION\n")
    lines = numbers.splitlines()
    names = re.findall(r"(?:ROOT|JOINT) (\S+)", head)
    counts = [int(count) for count in re.findall(r"CHANNELS (\d)", head)]
    values = np.zeros(sum(counts))
    values[1] = 96.0
    for name, end, count in zip(names, np.cumsum(counts), counts, strict=True):
        arm = {CMU["left_upper_arm"]: 90.0, CMU["right_upper_arm"]: -90.0}.get(name)
        if arm is not None and count:
            values[end - 2] = arm  # Z, X, Y: the middle one lifts the arm sideways
    frames = int(lines[0].split()[1]) + 1
    return "\n".join([head + "MOTION", f"Frames: {frames}", lines[1], " ".join(f"{v:.6f}" for v in values),
                      *lines[2:]]) + "\n"
