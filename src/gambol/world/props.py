"""Props: movable things in a scene, from Python or from a short text such as `box:x=1,size=0.3,mass=5`.

    world = World(human(), props=[Box(x=1.0, mass=5.0), make_prop("chair:x=-0.6"), Platform(amplitude=0.2)])

Positions are those of the middle of the underside. Numbers carry unit and range like every parameter and are checked.
"""

from __future__ import annotations

import dataclasses
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar, Protocol, runtime_checkable

import mujoco
import numpy as np

from gambol.bodies.builder import FOOT_SOLIMP, FOOT_SOLREF
from gambol.errors import BadInput, unknown
from gambol.params import ParamInfo, param, parse_settings, settings_text
from gambol.world.paths import Path, Sinusoid, Waypoints

COLORS = {
    "orange": (0.88, 0.55, 0.28, 1.0),
    "red": (0.80, 0.33, 0.28, 1.0),
    "yellow": (0.92, 0.76, 0.36, 1.0),
    "green": (0.45, 0.62, 0.45, 1.0),
    "blue": (0.32, 0.52, 0.68, 1.0),
    "wood": (0.72, 0.54, 0.37, 1.0),
    "grey": (0.55, 0.58, 0.62, 1.0),
}


class Prop(Protocol):
    """Something that adds itself to a scene."""

    @property
    def name(self) -> str: ...

    def build(self, spec: mujoco.MjSpec) -> None:
        """Add bodies and geoms; all names start with the prop's name."""


@runtime_checkable
class MovingProp(Prop, Protocol):
    """A prop that moves by itself, through its own actuators, so that a recording's `ctrl` replays it."""

    def place(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Put it where it is at time zero (called once, at reset)."""

    def controls(self, time: float) -> np.ndarray:
        """Values for its actuators, in the order in which `build` added them.

        They are held for a control tick: `time` is that of the tick's middle.
        """


@dataclass(frozen=True)
class Thing(ABC):
    """A solid prop: a name, a place, a mass, a colour. Fields made with `param` are checked."""

    kind: ClassVar[str]
    doc: ClassVar[str]

    name: str = ""
    """how its body is called; the kind's name when empty"""
    x: float = param(1.5, unit="m", low=-1000.0, high=1000.0, doc="position along the way")
    y: float = param(0.0, unit="m", low=-1000.0, high=1000.0, doc="position across the way")
    z: float = param(0.0, unit="m", low=-100.0, high=100.0, doc="height of the underside")
    yaw: float = param(0.0, unit="degrees", low=-360.0, high=360.0, doc="turn about the vertical")
    mass: float = param(5.0, unit="kg", low=0.01, high=1e5, doc="mass")
    color: str = param("orange", choices=tuple(COLORS), doc="colour")
    friction: float = param(0.8, low=0.05, high=1.0, doc="sliding friction")

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.kind)
        if not self.name.replace("_", "").isalnum():
            raise BadInput(f"name {self.name!r} of a {self.kind} must be letters, digits and underscores only")
        for info in self.describe():
            object.__setattr__(self, info.name, info.parse(getattr(self, info.name)))

    @classmethod
    def describe(cls) -> list[ParamInfo]:
        """The checked fields with units, ranges and meanings."""
        return [ParamInfo(f.name, f.default, **f.metadata) for f in dataclasses.fields(cls) if f.metadata]

    @classmethod
    def info(cls, name: str) -> ParamInfo:
        """One of them."""
        return next(info for info in cls.describe() if info.name == name)

    @property
    def text(self) -> str:
        """The spec that makes it again, as far as text can say it."""
        other = {info.name: getattr(self, info.name) for info in self.describe()
                 if getattr(self, info.name) != info.default}
        settings = settings_text(other if self.name == self.kind else {"name": self.name, **other})
        return f"{self.kind}:{settings}" if settings else self.kind

    @abstractmethod
    def build(self, spec: mujoco.MjSpec) -> None:
        """Add the prop to a scene."""

    def _body(self, spec: mujoco.MjSpec) -> mujoco.MjsBody:
        half = math.radians(self.yaw) / 2
        return spec.worldbody.add_body(name=self.name, pos=[self.x, self.y, self.z],
                                       quat=[math.cos(half), 0, 0, math.sin(half)])

    def _solid(self, body: mujoco.MjsBody, part: str, kind: mujoco.mjtGeom, center: Sequence[float],
               size: Sequence[float], mass: float) -> mujoco.MjsGeom:
        # It decides about its contacts, so it is as stiff to feet as the soles are to the ground. condim 3, as theirs:
        # faces and edges touch in several points, which resist a turn.
        geom = body.add_geom(name=f"{self.name}/{part}", type=kind, pos=list(center), size=list(size), mass=mass,
                             rgba=list(COLORS[self.color]), condim=3, friction=[self.friction, 0.01, 0.001])
        geom.solref, geom.solimp = list(FOOT_SOLREF), list(FOOT_SOLIMP)
        make_slippery(geom, self.friction)
        return geom


def make_slippery(geom: mujoco.MjsGeom, friction: float) -> None:
    """Let the more slippery of two geoms decide about their contact.

    MuJoCo takes the larger friction of a pair unless one geom has a higher priority; soles, with a friction of 1, have
    priority 1. So the priority grows as the friction falls.
    """
    geom.friction = [friction, *geom.friction[1:]]
    geom.priority = 1 + round(100 * (1.0 - friction)) if friction < 1.0 else 0


@dataclass(frozen=True)
class Box(Thing):
    kind = "box"
    doc = "a box to step on, push, lift or carry"

    size: float = param(0.3, unit="m", low=0.02, high=10.0, doc="length along its x")
    width: float = param(0.0, unit="m", low=0.0, high=10.0, doc="length along its y; 0: as size")
    height: float = param(0.0, unit="m", low=0.0, high=10.0, doc="length along its z; 0: as size")

    def build(self, spec: mujoco.MjSpec) -> None:
        half = [(length or self.size) / 2 for length in (self.size, self.width, self.height)]
        body = self._body(spec)
        body.add_freejoint(name=self.name)
        self._solid(body, "box", mujoco.mjtGeom.mjGEOM_BOX, [0, 0, half[2]], half, self.mass)


@dataclass(frozen=True)
class Ball(Thing):
    kind = "ball"
    doc = "a ball that rolls"

    mass: float = param(0.5, unit="kg", low=0.01, high=1e5, doc="mass")
    color: str = param("red", choices=tuple(COLORS), doc="colour")
    radius: float = param(0.12, unit="m", low=0.01, high=5.0, doc="radius")

    def build(self, spec: mujoco.MjSpec) -> None:
        body = self._body(spec)
        body.add_freejoint(name=self.name)
        geom = self._solid(body, "ball", mujoco.mjtGeom.mjGEOM_SPHERE, [0, 0, self.radius], [self.radius, 0, 0],
                           self.mass)
        geom.condim = 6  # without rolling friction it would roll for ever
        geom.solref, geom.solimp = list(BALL_SOLREF), list(BALL_SOLIMP)


BALL_SOLREF, BALL_SOLIMP = (0.005, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)
"""A ball gives way a little more than what is stood on."""
THIN = 0.015
"""Half the thickness of a chair's back, m."""


@dataclass(frozen=True)
class Chair(Thing):
    kind = "chair"
    doc = "a chair; who sits on it looks along its +x"

    mass: float = param(8.0, unit="kg", low=0.5, high=1e5, doc="mass")
    color: str = param("wood", choices=tuple(COLORS), doc="colour")
    seat: float = param(0.45, unit="m", low=0.1, high=1.5, doc="height of the seat")
    size: float = param(0.45, unit="m", low=0.2, high=2.0, doc="width and depth of the seat")
    back: float = param(0.45, unit="m", low=0.05, high=2.0, doc="height of the back above the seat")
    fixed: bool = param(False, doc="whether it is fixed to the ground")

    @property
    def backrest(self) -> float:
        """Where the front of the back is, m along its x."""
        return -self.size / 2 + 2 * THIN

    def build(self, spec: mujoco.MjSpec) -> None:
        body = self._body(spec)
        if not self.fixed:
            body.add_freejoint(name=self.name)
        boxes = self._boxes()
        volumes = {part: math.prod(half) for part, (_, half) in boxes.items()}
        for part, (center, half) in boxes.items():
            self._solid(body, part, mujoco.mjtGeom.mjGEOM_BOX, center, half,
                        self.mass * volumes[part] / sum(volumes.values()))

    def _boxes(self) -> dict[str, tuple[list[float], list[float]]]:
        """Centre and half sizes of each part, by name."""
        half, thick, leg = self.size / 2, 0.02, 0.02
        under = self.seat - 2 * thick
        boxes = {"seat": ([0, 0, self.seat - thick], [half, half, thick]),
                 "back": ([-half + THIN, 0, self.seat + self.back / 2], [THIN, half, self.back / 2])}
        for part, (sx, sy) in dict(front_left=(1, 1), front_right=(1, -1), back_left=(-1, 1),
                                   back_right=(-1, -1)).items():
            boxes[f"{part}_leg"] = ([sx * (half - leg), sy * (half - leg), under / 2], [leg, leg, under / 2])
        return boxes


# A platform's drives: ctrl is the wanted displacement. Stiffness and damping per kg, so that any mass tracks alike:
# critically damped at 60 rad/s, and 80 kg standing on 2000 kg push it down by 0.1 mm.
STIFFNESS, DAMPING = 60.0**2, 2 * 60.0
LIP = 0.002
"""A platform's top is this much higher than said, m: flush with a floor it, not the floor, carries who stands there."""


@dataclass(frozen=True)
class Platform(Thing):
    """Moves along a path whatever stands on it: very heavy, without weight, on three stiff drives.

    The path is a sinusoid of `amplitude` and `period` along `axis` about its position, beginning at rest at one end;
    or `waypoints`, rows of (time, x, y, z), offsets in m from its position, at rest in each.
    It passes through the terrain, so it may lie in the floor.
    """

    kind = "platform"
    doc = "a moving platform: to and fro along an axis, or through waypoints"

    x: float = param(0.0, unit="m", low=-1000.0, high=1000.0, doc="position along the way")
    z: float = param(-0.1, unit="m", low=-100.0, high=100.0, doc="height of the underside; -0.1: lies in the floor")
    mass: float = param(2000.0, unit="kg", low=100.0, high=1e5, doc="mass")
    color: str = param("blue", choices=tuple(COLORS), doc="colour")
    size: float = param(2.0, unit="m", low=0.2, high=20.0, doc="side of the square top")
    thickness: float = param(0.1, unit="m", low=0.02, high=5.0, doc="height of the platform itself")
    axis: str = param("x", choices=("x", "y", "z"), doc="direction of the movement")
    amplitude: float = param(0.2, unit="m", low=0.0, high=5.0, doc="largest displacement")
    period: float = param(3.0, unit="s", low=0.2, high=1000.0, doc="duration of one to and fro")
    waypoints: tuple[tuple[float, float, float, float], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self.path  # noqa: B018  a bad path is reported now, not in the middle of a run

    @property
    def path(self) -> Path:
        if self.waypoints:
            return Waypoints(self.waypoints)
        return Sinusoid("xyz".index(self.axis), self.amplitude, self.period)

    def build(self, spec: mujoco.MjSpec) -> None:
        body = self._body(spec)
        body.gravcomp = 1.0
        half = self.thickness / 2
        self._solid(body, "platform", mujoco.mjtGeom.mjGEOM_BOX, [0, 0, half + LIP],
                    [self.size / 2, self.size / 2, half], self.mass)
        spec.add_exclude(bodyname1="world", bodyname2=self.name)
        for direction, axis in zip("xyz", self._world_axes(), strict=True):
            joint = f"{self.name}/{direction}"
            body.add_joint(name=joint, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
            drive = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            drive.set_to_position(kp=STIFFNESS * self.mass, kv=DAMPING * self.mass)

    def _world_axes(self) -> list[list[float]]:
        """World x, y and z in the turned body's frame: a path does not turn with the platform."""
        c, s = math.cos(math.radians(self.yaw)), math.sin(math.radians(self.yaw))
        return [[c, -s, 0], [s, c, 0], [0, 0, 1]]

    def place(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        position, velocity, _ = self.path.at(0.0)
        for k, direction in enumerate("xyz"):
            data.joint(f"{self.name}/{direction}").qpos[0] = position[k]
            data.joint(f"{self.name}/{direction}").qvel[0] = velocity[k]

    def controls(self, time: float) -> np.ndarray:
        """Targets led so that the drives' force is the mass times the path's acceleration: kp (ctrl - q) - kd v."""
        position, velocity, acceleration = self.path.at(time)
        return position + (DAMPING * velocity + acceleration) / STIFFNESS


PROPS: dict[str, type[Thing]] = {kind.kind: kind for kind in (Box, Ball, Chair, Platform)}


def make_prop(text: str) -> Thing:
    """`name` or `name:key=value,...` to a prop."""
    kind, _, rest = text.partition(":")
    if kind not in PROPS:
        raise unknown("prop", kind, PROPS)
    known = {info.name: info for info in PROPS[kind].describe()}
    settings: dict[str, Any] = parse_settings(rest)
    for key in settings:
        if key != "name" and key not in known:
            raise unknown(f"{kind} setting", key, ["name", *known])
    return PROPS[kind](**settings)  # the fields read numbers from text themselves


def make_props(texts: Sequence[str]) -> list[Thing]:
    """Several props; those without a name are numbered where there are more of a kind: box, box2, box3."""
    props = [make_prop(text) for text in texts]
    given = ["name" in parse_settings(text.partition(":")[2]) for text in texts]
    taken = {prop.name for prop, named in zip(props, given, strict=True) if named}
    for k, (prop, named) in enumerate(zip(props, given, strict=True)):
        if not named:
            name = next(name for n in count(1) if (name := prop.kind if n == 1 else f"{prop.kind}{n}") not in taken)
            taken.add(name)
            props[k] = dataclasses.replace(prop, name=name)
    return props


def check_names(props: Sequence[Prop], characters: Sequence[str]) -> None:
    """Refuse names that two things of one scene would share."""
    seen: set[str] = set()
    reserved = {"terrain": "the ground", "world": "the world", **dict.fromkeys(characters, "a character")}
    for prop in props:
        if prop.name in reserved:
            raise BadInput(f"a prop cannot be called {prop.name!r}, like {reserved[prop.name]}; give it another name")
        if not isinstance(prop, Projectile) and is_projectile(prop.name):
            raise BadInput(f"a prop cannot be called {prop.name!r}: thrown balls are; give it another name")
        if prop.name in seen:
            raise BadInput(f"two props are called {prop.name!r}; give each a name of its own")
        seen.add(prop.name)


PROJECTILE, TEE = "projectile", "_tee"
"""Thrown balls are called so, with a number from 1; what one waits on has its name and this."""


def is_projectile(name: str) -> bool:
    """Whether a body of this name is a ball to be thrown."""
    return re.fullmatch(rf"{PROJECTILE}\d+", name) is not None


def is_tee(name: str) -> bool:
    """Whether a geom of this name is what such a ball waits on."""
    return name.endswith(TEE) and is_projectile(name.removesuffix(TEE))


@dataclass(frozen=True)
class Projectile:
    """A ball that waits out of sight, on a tee high up and far behind, until it is thrown.

    Not under the ground: a plane is solid all the way down and would shoot it out.
    """

    index: int
    mass: float = 3.0
    radius: float = 0.1

    @property
    def name(self) -> str:
        return f"{PROJECTILE}{self.index + 1}"

    def build(self, spec: mujoco.MjSpec) -> None:
        x, y, z = -30.0, 1.0 * self.index, 30.0
        spec.worldbody.add_geom(name=self.name + TEE, type=mujoco.mjtGeom.mjGEOM_BOX, pos=[x, y, z - 0.1],
                                size=[0.3, 0.3, 0.1], rgba=[0, 0, 0, 0])
        body = spec.worldbody.add_body(name=self.name, pos=[x, y, z + self.radius])
        body.add_freejoint(name=self.name)
        body.add_geom(name=self.name, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[self.radius, 0, 0], mass=self.mass,
                      rgba=[0.85, 0.25, 0.2, 1], condim=4, friction=[0.8, 0.01, 0.001])

    def edit(self, model: mujoco.MjModel, mass: float, radius: float) -> dict[str, np.ndarray]:
        """Fields of the model for another mass and size of this ball."""
        body, geom = model.body(self.name).id, model.geom(self.name).id
        if model.body_mass[body] == mass and model.geom_size[geom, 0] == radius:
            return {}
        fields = {name: getattr(model, name).copy()
                  for name in ("body_mass", "body_subtreemass", "body_inertia", "body_invweight0", "dof_invweight0",
                               "dof_M0", "geom_size", "geom_rbound", "geom_aabb")}
        inertia = 0.4 * mass * radius**2
        dof = model.body_dofadr[body]
        fields["body_subtreemass"][0] += mass - fields["body_mass"][body]
        fields["body_mass"][body] = fields["body_subtreemass"][body] = mass
        fields["body_inertia"][body] = inertia
        fields["body_invweight0"][body] = 1 / mass, 1 / inertia
        fields["dof_M0"][dof:dof + 6] = [mass] * 3 + [inertia] * 3
        fields["dof_invweight0"][dof:dof + 6] = [1 / mass] * 3 + [1 / inertia] * 3
        fields["geom_size"][geom, 0] = fields["geom_rbound"][geom] = radius
        fields["geom_aabb"][geom, 3:] = radius
        return fields
