"""Vary: how the true body and its contacts differ from what the behavior believes them to be.

    World(human(), vary=Vary.parse("mass=0.8,friction=0.6,strength=0.5,lock=left_elbow,pack=5"))

A variation is made in the tree before it is compiled, so a recording's model holds it and replays by itself. It is one
figure's (the first, or that of `b/mass=0.8`); friction is everybody's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from gambol.bodies.character import Character
from gambol.errors import BadInput, unknown
from gambol.params import ParamInfo, number_text, param, parse_settings

PACK_DENSITY = 300.0
"""kg/m3, of a bag with clothes and books"""
PACK_SHAPE = np.array([0.5, 1.0, 1.4])
"""Depth, width and height of a pack, to each other."""
LOCK_SOLREF, LOCK_SOLIMP = (0.004, 1.0), (0.99, 0.999, 0.001, 0.5, 2.0)
"""A locked joint gives way as little as a sole."""
SLIPPERIEST = 0.05
"""Least friction that anything is given."""


@dataclass(frozen=True)
class Vary:
    """Factors on what the body is believed to be; 1 changes nothing."""

    mass: float = param(1.0, low=0.2, high=5.0, doc="mass and inertia of every part")
    friction: float = param(1.0, low=0.05, high=1.0, doc="sliding friction of all that touches")
    strength: float = param(1.0, low=0.05, high=2.0, doc="limit of every motor")
    pack: float = param(0.0, unit="kg", low=0.0, high=200.0, doc="a bag fixed to the back of the trunk; it collides "
                                                                 "with nothing")
    lock: tuple[str, ...] = ()
    """joints, or roles of joints, held where they start"""
    figure: str = ""
    """whose body; the first's if empty"""

    def __post_init__(self) -> None:
        for info in self.describe():
            object.__setattr__(self, info.name, info.parse(getattr(self, info.name)))

    @classmethod
    def describe(cls) -> list[ParamInfo]:
        """The factors with their ranges and meanings."""
        return [ParamInfo(f.name, f.default, **f.metadata) for f in dataclasses.fields(cls) if f.metadata]

    @classmethod
    def parse(cls, text: str) -> Vary:
        """`mass=0.8,lock=left_elbow+right_knee`; of another figure than the first `b/mass=0.8`."""
        values: dict[str, str] = {}
        owners: set[str] = set()
        for key, value in parse_settings(text).items():
            owner, _, name = key.rpartition("/")
            if name not in (known := (*(info.name for info in cls.describe()), "lock")):
                raise unknown("variation", name, known)
            if name == "friction" and owner:
                raise BadInput(f"{key!r}: friction is everybody's; write friction={value}")
            if name in values:
                raise BadInput(f"{name!r} is given twice in {text!r}")
            values[name] = value
            owners |= {owner} if name != "friction" else set()
        if len(owners) > 1:
            raise BadInput(f"{text!r} varies more than one figure; only one may differ from what is believed of it")
        locked = tuple(filter(None, values.pop("lock", "").split("+")))
        return cls(**values, lock=locked, figure=next(iter(owners), ""))  # type: ignore[arg-type]

    @property
    def text(self) -> str:
        """The text that makes it again; empty if nothing varies."""
        prefix = f"{self.figure}/" if self.figure else ""
        words = [f"{'' if info.name == 'friction' else prefix}{info.name}={number_text(getattr(self, info.name))}"
                 for info in self.describe() if getattr(self, info.name) != info.default]
        return ",".join(words + ([f"{prefix}lock={'+'.join(self.lock)}"] if self.lock else []))

    def index(self, prefixes: Sequence[str]) -> int:
        """Which figure it is about."""
        names = [prefix.rstrip("/") for prefix in prefixes]
        if self.figure and self.figure not in names:
            raise unknown("figure", self.figure, names)
        return names.index(self.figure) if self.figure else 0

    def body(self, character: Character, locked: Mapping[str, float]) -> Character:
        """The true body; `locked` joints (by their names in the scene) are held at their angles."""
        spec = character.spec.copy()
        if self.mass != 1.0:
            _scale_mass(spec, self.mass)
        if self.strength != 1.0:
            _scale_strength(spec, self.strength)
        for joint, angle in locked.items():
            _lock(spec, joint.rpartition("/")[2], angle)
        if self.pack:
            _put_on_pack(spec, character, self.pack)
        return replace(character, spec=spec)

    def loosen(self, spec: mujoco.MjSpec) -> None:
        """Scale the friction of a whole scene: so it scales that of every pair of geoms, whichever of the two decides.

        Soles on the ground, on props and on other figures, and the boxes that they stand on, all slip more easily.
        """
        if self.friction < 1.0:
            for geom in spec.geoms:
                sliding = float(geom.friction[0])
                geom.friction = [max(self.friction * sliding, min(SLIPPERIEST, sliding)), *geom.friction[1:]]
            for pair in spec.pairs:  # a model may say it of two geoms together, along two directions
                pair.friction = [*(max(self.friction * sliding, min(SLIPPERIEST, sliding))
                                   for sliding in pair.friction[:2]), *pair.friction[2:]]

    def joints(self, character: Character) -> tuple[str, ...]:
        """Names of the joints to be locked."""
        kinds = {joint.name: joint.type for joint in character.spec.joints}
        found: list[str] = []
        for name in self.lock:
            named = character.anatomy.joints.get(name, (name,) if name in kinds else ())
            if not named:
                roles = {role for role, group in character.anatomy.joints.items() if group}
                hinges = {joint for joint, kind in kinds.items() if kind != mujoco.mjtJoint.mjJNT_FREE}
                raise unknown("joint", name, hinges | roles)
            found += named
        for name in found:
            if kinds[name] in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
                raise BadInput(f"cannot lock {name!r}: only hinges and slides can be locked")
            if name in _base_joints(character.spec):
                raise BadInput(f"cannot lock {name!r}: the world would hold the body by it")
        return tuple(dict.fromkeys(found))


def _base_joints(spec: mujoco.MjSpec) -> set[str]:
    """Joints by which a body floats, where these are not one free joint: the slides and the hinge of a planar body."""
    found = {body.name: [joint.type for joint in body.joints] for body in spec.worldbody.bodies}
    floating = {name for name, kinds in found.items() if kinds.count(mujoco.mjtJoint.mjJNT_SLIDE) > 1}
    return {joint.name for body in spec.worldbody.bodies if body.name in floating for joint in body.joints}


def _scale_mass(spec: mujoco.MjSpec, factor: float) -> None:
    for geom in spec.geoms:
        if np.isnan(geom.mass):
            geom.density = geom.density * factor
        else:
            geom.mass = geom.mass * factor
    for body in spec.bodies:
        if body.explicitinertial:
            body.mass, body.inertia, body.fullinertia = (body.mass * factor, body.inertia * factor,
                                                         body.fullinertia * factor)


def _scale_strength(spec: mujoco.MjSpec, factor: float) -> None:
    """Limits of force; the control of a servo is a place, and its range stays."""
    for actuator in spec.actuators:
        if actuator.biastype == mujoco.mjtBias.mjBIAS_NONE:
            actuator.ctrlrange = actuator.ctrlrange * factor
        actuator.forcerange = actuator.forcerange * factor
    for joint in spec.joints:
        joint.actfrcrange = joint.actfrcrange * factor


def _lock(spec: mujoco.MjSpec, joint: str, angle: float) -> None:
    held = spec.add_equality(name=f"lock_{joint}", type=mujoco.mjtEq.mjEQ_JOINT, name1=joint,
                             objtype=mujoco.mjtObj.mjOBJ_JOINT)
    data = np.zeros(len(held.data))
    data[0] = angle - spec.joint(joint).ref
    held.data, held.solref, held.solimp = data, list(LOCK_SOLREF), list(LOCK_SOLIMP)


def _put_on_pack(spec: mujoco.MjSpec, character: Character, mass: float) -> None:
    """A box behind the trunk, in the middle of its back."""
    name = character.anatomy.bodies.get("trunk", character.anatomy.body("root"))
    model = character.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    trunk = model.body(name).id
    geoms = np.flatnonzero(model.geom_bodyid == trunk)
    low, high = data.xipos[trunk].copy(), data.xipos[trunk].copy()
    for geom in geoms:
        turn = data.geom_xmat[geom].reshape(3, 3)
        centre = data.geom_xpos[geom] + turn @ model.geom_aabb[geom, :3]
        reach = np.abs(turn) @ model.geom_aabb[geom, 3:]
        low, high = np.minimum(low, centre - reach), np.maximum(high, centre + reach)
    half = PACK_SHAPE * (mass / (8 * PACK_DENSITY * PACK_SHAPE.prod())) ** (1 / 3)
    place = 0.5 * (low + high)
    place[0] = low[0] - half[0]
    frame, back = data.xmat[trunk].reshape(3, 3), data.xquat[trunk] * (1, -1, -1, -1)
    pack = spec.body(name).add_body(name="pack", pos=list(frame.T @ (place - data.xpos[trunk])), quat=list(back))
    pack.add_geom(name="pack", type=mujoco.mjtGeom.mjGEOM_BOX, size=list(half), mass=mass, contype=0, conaffinity=0,
                  rgba=[0.36, 0.45, 0.33, 1.0])
