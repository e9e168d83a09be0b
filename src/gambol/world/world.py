"""The World: one compiled scene that steps. The only place that writes to `MjData`.

    world = World(human(), terrain="slope:angle=5")
    world.push(Push(t=1.0, body="trunk", force=(200, 0, 0)))
    while world.time < 5:
        world.step(behavior.act())

Physics and control run at separate rates: one `step` is one control tick of `substeps` physics steps with the torques
held. Between ticks the position- and velocity-dependent quantities of `data` (kinematics, mass matrix, contacts) are
those of the present state, and stepping goes on from there without computing them again.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import mujoco
import numpy as np

from gambol.bodies.actuation import Controls
from gambol.bodies.character import Character
from gambol.errors import BadInput, unknown
from gambol.world.contacts import ContactTable
from gambol.world.divergence import RUNAWAY, no_torque, runaway
from gambol.world.figure import Figure
from gambol.world.loads import Load, feel_loads
from gambol.world.placing import Placing
from gambol.world.props import MovingProp, Projectile, Prop
from gambol.world.pushes import Push, Throw
from gambol.world.recorder import Recorder
from gambol.world.scene import Scene, compile_scene, scene_prefixes
from gambol.world.starts import Start, needed_props
from gambol.world.surfaces import Surfaces
from gambol.world.terrain import Terrain
from gambol.world.terrains import make_terrain
from gambol.world.vary import Vary

logger = logging.getLogger(__name__)
# MuJoCo would print its warnings and write MUJOCO_LOG.TXT into the user's folder; bad states are reported here instead.
mujoco.set_mju_user_warning(lambda message: logger.debug("MuJoCo: %s", message))

PHYSICS_RATE = 1000.0
CONTROL_RATE = 250.0
Given = np.ndarray | Controls
"""What a behavior returns for its figure: torques, or what its actuators take."""


@dataclass(frozen=True)
class Snapshot:
    """A moment to come back to, exactly: the state and all that was computed from it, bodies and plans included."""

    data: mujoco.MjData
    tick: int
    thrown: int
    seed: int
    pushes: tuple[Push, ...]
    throws: tuple[Throw, ...]
    characters: tuple[Character, ...]
    figures: tuple[Mapping[str, Any], ...]
    events: tuple[dict[str, Any], ...]
    model_edit: Mapping[str, np.ndarray]
    seen: tuple[float, np.ndarray, np.ndarray]
    """how fast things were seen to move"""
    loads: tuple[Load, ...]
    """what pressed on loose props"""
    believed: Snapshot | None
    """the same of what behaviors believe, where that is a world of its own"""


class World:
    """Characters, terrain and props in one simulation."""

    def __init__(self, characters: Character | Sequence[Character], terrain: str | Terrain = "flat",
                 props: Sequence[Prop] = (), *, seed: int = 0, physics_rate: float = PHYSICS_RATE,
                 control_rate: float = CONTROL_RATE, projectiles: int = 0, keep: float | None = None,
                 names: Sequence[str] | None = None, starts: Sequence[Start] | None = None,
                 vary: Vary | None = None) -> None:
        self.characters = (characters,) if isinstance(characters, Character) else tuple(characters)
        if not self.characters:
            raise BadInput("a world needs at least one character")
        self.starts = tuple(starts) if starts is not None else tuple(Start() for _ in self.characters)
        self.names = names
        """of the figures, where they do not go by their characters'"""
        self.terrain = make_terrain(terrain) if isinstance(terrain, str) else terrain
        self.vary = vary if vary is not None and vary.text else None
        self.projectiles = tuple(Projectile(k) for k in range(projectiles))
        figures = [prefix.rstrip("/") for prefix in scene_prefixes(self.characters, names)]
        chairs = needed_props(self.starts, self.characters, props, self.terrain, figures)
        self.props = (*props, *chairs, *self.projectiles)
        self.physics_rate, self.control_rate = physics_rate, control_rate
        self.substeps = round(physics_rate / control_rate)
        if self.substeps < 1 or abs(self.substeps * control_rate - physics_rate) > 1e-6:
            raise BadInput(f"the physics rate must be a multiple of the control rate; got {physics_rate:g} and "
                           f"{control_rate:g} Hz")
        self._locked = {} if self.vary is None else _nominal().start_angles(self, seed, self.terrain)
        self.scene: Scene = self._compile(self.characters)
        self.model = self.scene.model
        self.data = mujoco.MjData(self.model)
        self.figures = tuple(Figure(character, prefix, self.model, self.data)
                             for character, prefix in zip(self.characters, self.scene.prefixes, strict=True))
        self.surfaces = Surfaces(self.model, self.data, self.terrain, self.figures)
        self.contacts = ContactTable(self.model, self.data, self.surfaces)
        self.seed = seed
        self.events: list[dict[str, Any]]
        self._pushes: list[Push] = []
        self._throws: list[Throw] = []
        self._pushed: list[int] = []
        self._movers = tuple((prop, self._actuators_of(prop)) for prop in self.props if isinstance(prop, MovingProp))
        self._keep = keep
        self._unedited: dict[str, np.ndarray] = {}
        self._revisions = 0
        """edits of bodies so far, those taken back included: no two bodies have one number"""
        self.recorder = Recorder(self.model, self.data, self.substeps)
        self._nominal = None if self.vary is None else _nominal().NominalWorld(self, self.terrain)
        self.believed: World = self._nominal or self
        """what behaviors compute on: this very world, unless the body varies from what is believed of it"""
        self.reset(seed)

    def _compile(self, characters: Sequence[Character]) -> Scene:
        """The scene, with bodies as they truly are."""
        bodies = list(characters)
        if self.vary is not None:
            index = self.vary.index(scene_prefixes(characters, self.names))
            bodies[index] = self.vary.body(bodies[index], self._locked)
        return compile_scene(bodies, self.terrain, self.props, self.physics_rate, self.names, self.vary)

    def _actuators_of(self, prop: Prop) -> np.ndarray:
        names = [self.model.actuator(k).name for k in range(self.model.nu)]
        return np.array([k for k, name in enumerate(names) if name.startswith(prop.name + "/")], dtype=int)

    # -- time and state --------------------------------------------------------------------------------------------

    @property
    def figure(self) -> Figure:
        """The first character, for the common case of one."""
        return self.figures[0]

    @property
    def time(self) -> float:
        return float(self.data.time)

    @property
    def tick_length(self) -> float:
        """Seconds of one control tick."""
        return self.substeps / self.physics_rate

    def reset(self, seed: int | None = None) -> None:
        """Back to the start as `starts` say, slightly disturbed by the seed. Pushes are forgotten."""
        self.seed = self.seed if seed is None else seed
        rng = np.random.default_rng(self.seed)
        mujoco.mj_resetData(self.model, self.data)
        self.tick = self._thrown = 0
        self.events = []
        self._pushes, self._throws, self._pushed = [], [], []
        self.surfaces.forget()
        for figure in self.figures:
            figure.loads = ()
        for prop, _ in self._movers:
            prop.place(self.model, self.data)
        Placing(self.data, self.figures, self.starts, self.props, self.surfaces, rng).place()
        for name, angle in self._locked.items():  # with another seed it would start elsewhere
            self.data.joint(name).qpos[0], self.data.joint(name).qvel[0] = angle, 0.0
        mujoco.mj_step1(self.model, self.data)
        for figure, start in zip(self.figures, self.starts, strict=True):
            figure.standing_height = (self.contacts.com_height(figure) - leg_difference(figure) if start.stands
                                      else height_at_rest(figure))
        self.recorder.restart(self._keep)
        if self._nominal is not None:
            self._nominal.reset(self.seed)
            self._nominal.see()

    def snapshot(self) -> Snapshot:
        """Remember this moment."""
        return Snapshot(copy.copy(self.data), self.tick, self._thrown, self.seed, tuple(self._pushes),
                        tuple(self._throws), self.characters, tuple(dict(figure.__dict__) for figure in self.figures),
                        tuple(self.events), {name: getattr(self.model, name).copy() for name in self._unedited},
                        self.surfaces.seen, self.surfaces.loads,
                        None if self._nominal is None else self._nominal.snapshot())

    def restore(self, moment: Snapshot) -> None:
        """Go back to a remembered moment, exactly; a new take begins there."""
        for name, unedited in self._unedited.items():
            getattr(self.model, name)[:] = moment.model_edit.get(name, unedited)
        mujoco.mj_copyData(self.data, self.model, moment.data)
        self.tick, self._thrown, self.seed = moment.tick, moment.thrown, moment.seed
        self._pushes, self._throws = list(moment.pushes), list(moment.throws)
        self._pushed = [int(body) for body in np.flatnonzero(self.data.xfrc_applied.any(axis=1))]
        self.characters, self.surfaces.seen, self.surfaces.loads = moment.characters, moment.seen, moment.loads
        for figure, remembered in zip(self.figures, moment.figures, strict=True):
            figure.__dict__.update(remembered)
        if self._nominal is not None and moment.believed is not None:
            self._nominal.restore(moment.believed)
            self._nominal.see()
        self.events = [*moment.events, {"time": self.time, "event": "restored"}]
        self.recorder.edits = [(0, dict(moment.model_edit))] if moment.model_edit else []
        self.recorder.restart(self._keep)

    # -- stepping --------------------------------------------------------------------------------------------------

    def step(self, controls: Given | Sequence[Given]) -> None:
        """One control tick: hold what the behaviors returned, torques (N m) or `Controls`, within limits, and advance.

        Torques become controls by the figure's actuation: of motors they are the controls, of servos set-points.
        """
        model, data = self.model, self.data
        per_figure = (controls,) if isinstance(controls, (np.ndarray, Controls)) else controls
        for figure, given in zip(self.figures, per_figure, strict=True):
            values = given.values if isinstance(given, Controls) else given
            if np.shape(values) != (figure.nu,):
                raise BadInput(f"{figure.character.name!r} takes {figure.nu} torques; got an array of shape "
                               f"{np.shape(values)}")
            if not np.isfinite(values).all():
                raise no_torque(self.figures, figure, self.time)
            data.ctrl[figure.ctrl] = figure.controls(given)
        for prop, actuators in self._movers:
            data.ctrl[actuators] = prop.controls(self.time + 0.5 * self.tick_length)
        launches = self._due_launches() if self._throws else ()
        self.recorder.record()
        for body, state in launches:
            self._launch(body, state)
        if self._pushes or self._pushed:
            self._apply_pushes()
        mujoco.mj_step2(model, data)
        if self.substeps > 1:
            mujoco.mj_step(model, data, self.substeps - 1)
        if len(self.figures) > 1:
            feel_loads(self.figures, self.surfaces)
        self.tick += 1
        mujoco.mj_step1(model, data)
        if not np.abs(data.qvel).max() < RUNAWAY:
            raise runaway(self.figures, data.qvel, self.time)
        if self._nominal is not None:
            self._nominal.see()

    # -- outside influences, all declared --------------------------------------------------------------------------

    def push(self, push: Push) -> None:
        """Schedule a push."""
        self._part(push.body)
        self._pushes.append(push)

    def throw(self, throw: Throw) -> None:
        """Schedule a thrown ball. The world must have been made with `projectiles=` at least one."""
        if not self.projectiles:
            raise BadInput("this world has no projectiles; make it with projectiles=1 or more")
        self._part(throw.body)
        self._throws.append(throw)

    def _part(self, name: str) -> int:
        """Id of a part by role or name: of the first figure that has it, or of the one named before a slash."""
        return self._target(name)[1]

    def _target(self, name: str) -> tuple[Figure, int]:
        """The same, and whose it is."""
        prefix, slash, part = name.partition("/")
        for figure in self.figures:
            if figure.prefix == prefix + slash:
                return figure, figure.body_id(part)
        for figure in self.figures:
            if figure.has(name):
                return figure, figure.body_id(name)
        if slash and len(self.figures) > 1:
            raise unknown("figure", prefix, [figure.prefix.rstrip("/") for figure in self.figures])
        return self.figure, self.figure.body_id(name)  # raises, with what there is

    def _apply_pushes(self) -> None:
        """Write the wrenches of this tick, and only of this tick: each push counts for its share of the tick."""
        for body in self._pushed:
            self.data.xfrc_applied[body] = 0.0
        begin, end = self.tick / self.control_rate, (self.tick + 1) / self.control_rate
        totals: dict[int, np.ndarray] = {}
        for push in self._pushes:
            share = (min(end, push.t + push.duration) - max(begin, push.t)) * self.control_rate
            if share > 1e-6:
                body = self._part(push.body)
                totals[body] = totals.get(body, np.zeros(6)) + round(min(share, 1.0), 9) * push.wrench
        for body, wrench in totals.items():
            self.data.xfrc_applied[body] = wrench
            self.recorder.pushes.append((self.recorder.count - 1, body, wrench))
        self._pushed = list(totals)
        self._pushes = [push for push in self._pushes if push.t + push.duration > end]

    def _due_launches(self) -> list[tuple[int, np.ndarray]]:
        """Balls whose time has come, with the state each starts from; every throw takes the next ball, in turn."""
        now, launches = self.tick / self.control_rate, []
        for throw in [throw for throw in self._throws if throw.t - 1e-9 <= now]:
            self._throws.remove(throw)
            ball = self.projectiles[self._thrown % len(self.projectiles)]
            self._thrown += 1
            self.apply_edit(ball.edit(self.model, throw.mass, throw.radius))
            if self._nominal is not None:
                self._nominal.apply_edit(ball.edit(self._nominal.model, throw.mass, throw.radius))
            figure, target = self._target(throw.body)
            going = self.data.qvel[figure.dofs][:3] if figure.floating else np.zeros(3)
            position, velocity = throw.launch(self.data.xipos[target], figure.heading, going)
            self.events.append({"time": self.time, "event": "throw", "ball": ball.name,
                                "body": self.model.body(target).name})
            state = np.concatenate([position, [1, 0, 0, 0], velocity, np.zeros(3)])
            launches.append((self.model.body(ball.name).id, state))
        return launches

    def _launch(self, body: int, state: np.ndarray) -> None:
        self.recorder.throws.append((self.recorder.count - 1, body, state))
        put_projectile(self.model, self.data, body, state)
        mujoco.mj_step1(self.model, self.data)

    # -- live body edits -------------------------------------------------------------------------------------------

    def morph(self, character: Character, index: int = 0) -> None:
        """Give a figure another body of the same structure (see `Character.scaled`), while running."""
        characters = list(self.characters)
        characters[index] = character
        scene = self._compile(characters)
        if (scene.model.nq, scene.model.nv, scene.model.nu, scene.model.ngeom) != (
                self.model.nq, self.model.nv, self.model.nu, self.model.ngeom):
            raise BadInput(f"cannot morph {self.characters[index].name!r} into {character.name!r}: other structure")
        self.apply_edit(changed_fields(self.model, scene.model))
        figure = Figure(character, self.scene.prefixes[index], self.model, self.data)
        self._revisions += 1
        figure.revision = self._revisions
        figure.standing_height = self.figures[index].standing_height * (
            standing_com(character) / standing_com(self.characters[index]))
        self.figures[index].__dict__.update(figure.__dict__)
        self.characters = tuple(characters)
        if self._nominal is not None:
            self._nominal.morph(character, index)
            self._nominal.see()
        self.events.append({"time": self.time, "event": "body edit", "character": character.name})

    def apply_edit(self, fields: Mapping[str, np.ndarray]) -> None:
        """Change fields of the running model, declared: the edit goes into the recording."""
        if not fields:
            return
        self.recorder.edits.append((self.recorder.count, {name: value.copy() for name, value in fields.items()}))
        for name, value in fields.items():
            self._unedited.setdefault(name, getattr(self.model, name).copy())
            getattr(self.model, name)[:] = value
        mujoco.mj_step1(self.model, self.data)

    @property
    def interventions(self) -> tuple[int, ...]:
        """Counts of all that acts on the world from outside: a behavior that only looks leaves them as they are."""
        return (self.tick, self.recorder.count, len(self._pushes), len(self._throws), len(self.recorder.edits))


def _nominal() -> ModuleType:
    """The module of nominal worlds, which are Worlds themselves."""
    from gambol.world import nominal

    return nominal


def standing_com(character: Character) -> float:
    """Height of the COM above the soles in the rest pose, m; 1 for a character without feet.

    Where legs differ the highest sole counts: a longer leg has to bend.
    """
    model = character.compile()
    return height_at_rest(Figure(character, "", model, mujoco.MjData(model)))


def height_at_rest(figure: Figure) -> float:
    """The same of a figure, whatever it does now."""
    scratch, soles = _at_rest(figure)
    return float(scratch.subtree_com[figure.top, 2]) - max(soles) if soles else 1.0


def leg_difference(figure: Figure) -> float:
    """How far apart the soles of the longest and the shortest leg are in the rest pose, m."""
    soles = _at_rest(figure)[1]
    return max(soles) - min(soles) if soles else 0.0


def _at_rest(figure: Figure) -> tuple[mujoco.MjData, list[float]]:
    """A figure in its rest pose, and the height of each foot's lowest sole point."""
    scratch = figure.posed(figure.rest)
    return scratch, [float((scratch.xpos[sole.body, 2] + sole.points @ scratch.xmat[sole.body].reshape(3, 3)[2]).min())
                     for sole in figure.soles]


def put_projectile(model: mujoco.MjModel, data: mujoco.MjData, body: int, state: np.ndarray) -> None:
    """Set a free body's pose and velocity (13 numbers): the launch of a thrown ball."""
    joint = model.body_jntadr[body]
    q, v = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    data.qpos[q:q + 7] = state[:7]
    data.qvel[v:v + 6] = state[7:]


def changed_fields(old: mujoco.MjModel, new: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Numeric arrays of two models of one structure that differ, with the new values."""
    fields = {}
    for name in dir(old):
        if name.startswith("_"):
            continue
        before, after = getattr(old, name), getattr(new, name)
        if isinstance(before, np.ndarray) and before.shape == after.shape and not np.array_equal(before, after):
            fields[name] = after.copy()
    return fields
