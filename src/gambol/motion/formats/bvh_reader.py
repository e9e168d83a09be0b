"""Reading BVH of any origin: names, channel orders, three or six channels, any line ends and number formats."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gambol.errors import BadInput
from gambol.motion.formats.skeleton import SkeletonAnimation
from gambol.rotations import from_euler

CHANNELS = {f"{axis}{kind}".lower(): (kind, axis) for axis in "XYZ" for kind in ("position", "rotation")}
MAX_JOINTS = 2000


@dataclass
class _Joint:
    name: str
    parent: int
    offset: tuple[float, float, float] | None = None
    channels: list[tuple[str, str]] = field(default_factory=list)


class _Words:
    """The words of the file with the line each came from."""

    def __init__(self, text: str, origin: str) -> None:
        self.origin = origin
        self._words: Iterator[tuple[int, str]] = ((number, word) for number, line in enumerate(text.splitlines(), 1)
                                                  for word in line.split())
        self.line = 1

    def next(self, wanted: str) -> str:
        try:
            self.line, word = next(self._words)
        except StopIteration:
            raise self.error(f"the file ends where {wanted} should be") from None
        return word

    def expect(self, *options: str) -> str:
        """The next word, in lower case, which must be one of these."""
        word = self.next(" or ".join(options))
        if word.lower() not in options:
            raise self.error(f"expected {' or '.join(options)}, found {word!r}")
        return word.lower()

    def number(self, what: str) -> float:
        word = self.next(what)
        try:
            value = float(word)
        except ValueError:
            raise self.error(f"{what} should be a number, found {word!r}") from None
        if not math.isfinite(value):
            raise self.error(f"{what} is {word}")
        return value

    def count(self, what: str) -> int:
        value = self.number(what)
        if value < 0 or value != int(value):
            raise self.error(f"{what} should be a whole number, found {value:g}")
        return int(value)

    def error(self, message: str) -> BadInput:
        return BadInput(f"{self.origin}, line {self.line}: {message}")


def read_bvh(path: Path | str) -> SkeletonAnimation:
    """Read a BVH file; lengths and axes stay as they are in it (see `SkeletonAnimation.to_z_up`)."""
    path = Path(path)
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    return parse_bvh(path.read_bytes().decode("utf-8-sig", errors="replace"), str(path))


def parse_bvh(text: str, origin: str = "BVH") -> SkeletonAnimation:
    """BVH text to a SkeletonAnimation; `origin` is what errors call it."""
    words = _Words(text, origin)
    joints: list[_Joint] = []
    tips: list[tuple[int, np.ndarray]] = []
    words.expect("hierarchy")
    while words.expect("root", "motion") == "root":
        _read_tree(words, joints, tips)
    if not joints:
        raise words.error("the HIERARCHY has no ROOT")
    words.expect("frames:")
    frames = words.count("the number of frames")
    if frames < 1:
        raise words.error("the MOTION has no frames")
    words.expect("frame")
    words.expect("time:")
    frame_time = words.number("the frame time")
    if frame_time <= 0:
        raise words.error(f"the frame time must be above 0, found {frame_time:g}")
    values = _read_frames(words, frames, sum(len(joint.channels) for joint in joints))
    translations, rotations = _assemble(joints, values)
    return SkeletonAnimation(tuple(joint.name for joint in joints), tuple(joint.parent for joint in joints),
                             np.array([joint.offset for joint in joints]), translations, rotations, frame_time,
                             tuple(tips))


def _read_tree(words: _Words, joints: list[_Joint], tips: list[tuple[int, np.ndarray]]) -> None:
    """One ROOT with everything in its braces. A loop, not a recursion: a hostile file may nest without end."""
    open_joints = [_open_joint(words, joints, -1)]
    while open_joints:
        here = open_joints[-1]
        word = words.expect("offset", "channels", "joint", "end", "}")
        if word == "offset":
            joints[here].offset = _triple(words)
        elif word == "channels":
            joints[here].channels = _read_channels(words)
        elif word == "joint":
            open_joints.append(_open_joint(words, joints, here))
        elif word == "end":
            tips.append((here, _read_end_site(words)))
        else:
            if joints[here].offset is None:
                raise words.error(f"joint {joints[here].name!r} has no OFFSET")
            open_joints.pop()


def _open_joint(words: _Words, joints: list[_Joint], parent: int) -> int:
    """Name and opening brace; a name may have several words."""
    parts = []
    while (word := words.next("a joint's name and {")) != "{":
        parts.append(word)
        if len(parts) > 16:
            raise words.error("a joint's name should be followed by {")
    if not parts:
        raise words.error("a joint has no name")
    if len(joints) >= MAX_JOINTS:
        raise words.error(f"more than {MAX_JOINTS} joints")
    joints.append(_Joint(" ".join(parts), parent))
    return len(joints) - 1


def _read_channels(words: _Words) -> list[tuple[str, str]]:
    channels = []
    for _ in range(words.count("the number of channels")):
        word = words.next("a channel")
        if word.lower() not in CHANNELS:
            raise words.error(f"unknown channel {word!r}; channels are Xposition ... Zrotation")
        channels.append(CHANNELS[word.lower()])
    if len(set(channels)) < len(channels):
        raise words.error("a channel is named twice")
    return channels


def _read_end_site(words: _Words) -> np.ndarray:
    words.expect("site")
    words.expect("{")
    words.expect("offset")
    tip = np.array(_triple(words))
    words.expect("}")
    return tip


def _triple(words: _Words) -> tuple[float, float, float]:
    x, y, z = (words.number("an OFFSET") for _ in range(3))
    return x, y, z


def _read_frames(words: _Words, frames: int, width: int) -> np.ndarray:
    """All channel values, (frames, channels). Frames are counted by numbers: some files break lines."""
    numbers: list[float] = []
    for k in range(frames * width):
        try:
            numbers.append(words.number("a channel value"))
        except BadInput as error:
            raise BadInput(f"{error} (frame {k // max(width, 1) + 1} of {frames}, {width} values each)") from None
    try:
        extra = words.next("")
    except BadInput:
        return np.array(numbers).reshape(frames, width)
    raise words.error(f"expected the end of the file after {frames} frames of {width} values, found {extra!r}")


def _assemble(joints: list[_Joint], values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Channel values to local translations (frames, joints, 3) and rotations (frames, joints, 4)."""
    translations = np.broadcast_to(np.array([joint.offset for joint in joints]), (len(values), len(joints), 3)).copy()
    rotations = np.zeros((len(values), len(joints), 4))
    start = 0
    for k, joint in enumerate(joints):
        columns = values[:, start:start + len(joint.channels)]
        start += len(joint.channels)
        turns = [i for i, (kind, _) in enumerate(joint.channels) if kind == "rotation"]
        for i, (kind, axis) in enumerate(joint.channels):
            if kind == "position":
                translations[:, k, "XYZ".index(axis)] = columns[:, i]
        rotations[:, k] = from_euler("".join(joint.channels[i][1] for i in turns), np.radians(columns[:, turns]))
    return translations, rotations
