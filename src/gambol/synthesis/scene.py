"""Scenes: who, where, and what should be true at the end, in Python. `scene_file` reads the same from YAML.

    scene = Scene([Performer("human")], [Stand(), Position(x=2.0)])
    solution = synthesize(scene)
    solution.motion().save("walk.npz")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gambol.bodies import find_character
from gambol.bodies.character import Character
from gambol.errors import BadInput, unknown
from gambol.synthesis import poses, spline, tasks
from gambol.synthesis.features import FEATURES
from gambol.synthesis.layout import Layout
from gambol.synthesis.moment import Wanted
from gambol.synthesis.problem import Actor, Box, Problem
from gambol.synthesis.puppet import Puppet, puppet
from gambol.world.props import Box as PropBox

PHASES = 10
MOST_PHASES = 60
RATHER = 0.2
"""Weight of what nobody asked for but anybody would expect."""


@dataclass(frozen=True)
class Performer:
    """A character and how it starts."""

    character: str | Character = "human"
    pose: str = "standing"
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw: float = 0.0
    friction: float = 1.0
    grip: bool = False
    """whether its hands may pull on what they touch"""
    burden: float = 1.0
    """factor on what force costs it where a contact is closed: who has a large one leaves work to others"""
    partners: bool = True
    """whether its hands and feet may touch other characters"""

    @cached_property
    def body(self) -> Character:
        return find_character(self.character) if isinstance(self.character, str) else self.character

    @cached_property
    def puppet(self) -> Puppet:
        return puppet(self.body)


@dataclass(frozen=True)
class Obstacle:
    """A box that does not move: the middle of its underside, its sizes along x, y, z (m), turned by `yaw` degrees."""

    x: float
    y: float = 0.0
    z: float = 0.0
    depth: float = 0.4
    width: float = 3.0
    height: float = 0.2
    yaw: float = 0.0

    @property
    def box(self) -> Box:
        return Box((self.x, self.y, self.z + self.height / 2), (self.depth, self.width, self.height), self.yaw)


# -- tasks -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """Something that should be true at a time (s), at the end if none is given."""

    who: int = 0
    """the performer, counted from 0"""
    at: float | None = None

    def ask(self, asked: dict[str, Any], scene: Scene, layout: Layout) -> None:
        """Put it into the arrays of `tasks.no_tasks`."""
        raise NotImplementedError

    def _knot(self, layout: Layout) -> int:
        if self.at is None:
            return layout.phases - 1
        knot = round(self.at / spline.PHASE)
        if not 1 <= knot <= layout.phases or abs(knot * spline.PHASE - self.at) > 1e-6:
            raise BadInput(f"a task at {self.at:g} s is not at the end of a phase; it takes a multiple of "
                           f"{spline.PHASE:g} s up to {layout.phases * spline.PHASE:g} s")
        return knot - 1

    def _limbs(self, scene: Scene, which: Sequence[int]) -> list[int]:
        """Indices among the limbs of all performers."""
        if not which:
            name = scene.performers[self.who].body.name
            raise BadInput(f"{type(self).__name__.lower()}: {name!r} lacks the limbs for it")
        return [sum(len(p.puppet.limbs) for p in scene.performers[:self.who]) + i for i in which]


@dataclass(frozen=True)
class Stand(Task):
    """Stand upright and at rest, feet under the hips."""

    def ask(self, asked: dict[str, Any], scene: Scene, layout: Layout) -> None:
        knot = self._knot(layout)
        asked["settled"][knot, self._limbs(scene, scene.performers[self.who].puppet.feet)] = 1.0
        asked["axis_weight"][knot, self.who] = 1.0
        asked["still"][knot] = 1.0


@dataclass(frozen=True)
class Handstand(Task):
    """Stand on the hands, arms straight, legs up, at rest."""

    def ask(self, asked: dict[str, Any], scene: Scene, layout: Layout) -> None:
        knot, figure = self._knot(layout), scene.performers[self.who].puppet
        hands, feet = self._limbs(scene, figure.hands), self._limbs(scene, figure.feet)
        asked["over"][knot, hands] = 1.0 / len(hands)
        asked["straight"][knot, hands] = 1.0
        asked["upward"][knot, feet] = 1.0
        asked["upward"][knot, hands] = -1.0
        asked["axis"][knot, self.who] = [0.0, 0.0, -1.0]
        palms = [row[3] for row in layout.contacts if row[0] == self.who and row[1] in figure.hands and row[4] < 0]
        asked["touch"][max(0, knot - 1):knot + 1, palms] = 1.0
        asked["axis_weight"][knot, self.who] = 1.0
        asked["still"][knot] = 1.0


@dataclass(frozen=True)
class Position(Task):
    """The trunk at a place; a coordinate left out is free."""

    x: float | None = None
    y: float | None = None
    z: float | None = None

    def ask(self, asked: dict[str, Any], scene: Scene, layout: Layout) -> None:
        for axis, value in enumerate((self.x, self.y, self.z)):
            if value is not None:
                asked["place"][self._knot(layout), self.who, axis] = value
                asked["place_weight"][self._knot(layout), self.who, axis] = 1.0


@dataclass(frozen=True)
class Direction(Task):
    """The trunk facing along `yaw` (degrees from +x toward +y)."""

    yaw: float = 0.0

    def ask(self, asked: dict[str, Any], scene: Scene, layout: Layout) -> None:
        angle = np.deg2rad(self.yaw)
        asked["facing"][self._knot(layout), self.who] = [np.cos(angle), np.sin(angle), 0.0]
        asked["facing_weight"][self._knot(layout), self.who] = 1.0


@dataclass(frozen=True)
class Strike(Task):
    """A hand or foot at a point with a velocity."""

    limb: str = "right_hand"
    point: tuple[float, float, float] = (0.5, 0.0, 1.4)
    velocity: tuple[float, float, float] = (3.0, 0.0, 0.0)

    def ask(self, asked: dict[str, Any], scene: Scene, layout: Layout) -> None:
        roles = [limb.role for limb in scene.performers[self.who].puppet.limbs]
        if self.limb not in roles:
            raise unknown("limb", self.limb, roles)
        knot, limb = self._knot(layout), self._limbs(scene, [roles.index(self.limb)])[0]
        asked["hit"][knot, limb], asked["hit_weight"][knot, limb] = self.point, 1.0
        asked["speed"][knot, limb], asked["speed_weight"][knot, limb] = self.velocity, 1.0


@dataclass(frozen=True)
class Place(Task):
    """A prop at a place: the middle of its underside, turned by `yaw` degrees, at rest."""

    prop: str = "box"
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw: float = 0.0

    def ask(self, asked: dict[str, Any], scene: Scene, layout: Layout) -> None:
        names = [prop.name for prop in scene.props]
        if self.prop not in names:
            raise unknown("prop", self.prop, names)
        index = len(scene.performers) + names.index(self.prop)
        knot, half = self._knot(layout), _half(scene.props[names.index(self.prop)])
        angle = np.deg2rad(self.yaw)
        asked["place"][knot, index] = [self.x, self.y, self.z + half[2]]
        asked["place_weight"][knot, index] = 1.0
        asked["facing"][knot, index] = [np.cos(angle), np.sin(angle), 0.0]
        asked["facing_weight"][knot, index] = asked["axis_weight"][knot, index] = 1.0
        asked["still"][knot] = 1.0


@dataclass(frozen=True)
class Feature(Task):
    """A feature (see `features`) at a target: a number, or one for each of its numbers."""

    name: str = ""
    target: tuple[float, ...] | float = ()

    def __post_init__(self) -> None:
        if self.name not in FEATURES:
            raise unknown("feature", self.name, FEATURES)
        object.__setattr__(self, "target", tuple(np.atleast_1d(np.asarray(self.target, dtype=float)).tolist()))

    def wanted(self, scene: Scene) -> Wanted:
        limbs = [("trunk", *(limb.role for limb in performer.puppet.limbs)) for performer in scene.performers]
        return Wanted(FEATURES[self.name], (*limbs, *((prop.name,) for prop in scene.props)), self.who)

    def ask(self, asked: dict[str, Any], scene: Scene, layout: Layout) -> None:
        target, weight = asked["wanted"][scene.wanted.index(self.wanted(scene))]
        if np.size(self.target) != (numbers := target.shape[1]):
            raise BadInput(f"feature {self.name} needs a target of {numbers} number{'s' * (numbers > 1)}, not of "
                           f"{np.size(self.target)}")
        target[self._knot(layout)], weight[self._knot(layout)] = self.target, 1.0


TASKS: dict[str, type[Task]] = {kind.__name__.lower(): kind for kind in (Stand, Handstand, Position, Direction, Strike,
                                                                        Place, Feature)}


# -- the scene ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scene:
    """Everything that is asked for."""

    performers: Sequence[Performer]
    tasks: Sequence[Task]
    obstacles: Sequence[Obstacle] = ()
    props: Sequence[PropBox] = ()
    phases: int = PHASES
    name: str = "scene"

    def __post_init__(self) -> None:
        for name in ("performers", "tasks", "obstacles", "props"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.performers:
            raise BadInput("a scene needs at least one character")
        if not self.tasks:
            raise BadInput(f"a scene needs at least one task; known: {', '.join(TASKS)}")
        if not 1 <= self.phases <= MOST_PHASES:
            raise BadInput(f"phases={self.phases} is out of range; it takes 1 to {MOST_PHASES}")
        for performer in self.performers:
            if performer.pose not in poses.POSES:
                raise unknown("pose", performer.pose, poses.POSES)
            for name in ("friction", "burden"):
                if getattr(performer, name) < 0:
                    raise BadInput(f"{name}={getattr(performer, name):g} is out of range; it takes 0 or more")
        for task in self.tasks:
            if not 0 <= task.who < len(self.performers):
                raise BadInput(f"a task is for character {task.who}; there are {len(self.performers)}, counted from 0")
        names = [prop.name for prop in self.props]
        for name in names:
            if names.count(name) > 1 or name == "trunk" or name.endswith(("_hand", "_foot")):
                raise BadInput(f"a prop cannot be called {name!r}: something else is; give it another name")

    def problem(self) -> Problem:
        """The optimisation problem, ready to be looked at or solved."""
        asked = tasks.no_tasks(self.layout, self.wanted)
        for task in self.tasks:
            task.ask(asked, self, self.layout)
        self._keep_facing(asked)
        problem = Problem(self.actors, self.phases, self.boxes, asked, self.wanted)
        for one in self.wanted:
            one.check(problem.layout, problem.start)
        return problem

    def check(self, task: Task) -> None:
        """Refuse a task that cannot be asked for here."""
        task.ask(tasks.no_tasks(self.layout, self.wanted), self, self.layout)

    @cached_property
    def actors(self) -> tuple[Actor, ...]:
        """Performers, then props."""
        return (*map(self._performer, range(len(self.performers))), *map(_prop, self.props))

    @property
    def boxes(self) -> list[Box]:
        return [obstacle.box for obstacle in self.obstacles] or [FAR]

    @cached_property
    def layout(self) -> Layout:
        return Layout(tuple(actor.shape for actor in self.actors), self.phases, len(self.boxes))

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """Each feature that some task asks for, once."""
        return tuple(dict.fromkeys(task.wanted(self) for task in self.tasks if isinstance(task, Feature)))

    def _keep_facing(self, asked: dict[str, Any]) -> None:
        """Who stands at the start and is not told where to face at the end would rather face the same way."""
        for i, performer in enumerate(self.performers):
            stands = any(isinstance(task, Stand) and task.who == i for task in self.tasks)
            if stands and performer.pose == "standing" and not asked["facing_weight"][:, i].any():
                angle = np.deg2rad(performer.yaw)
                asked["facing"][-1, i] = [np.cos(angle), np.sin(angle), 0.0]
                asked["facing_weight"][-1, i] = RATHER

    def _performer(self, index: int) -> Actor:
        performer = self.performers[index]
        figure = performer.puppet
        pose = poses.POSES[performer.pose](figure, performer.body)
        start = poses.placed(pose, performer.x, performer.y, performer.yaw, performer.z)
        others = [i for i in range(len(self.performers)) if i != index]
        props = range(len(self.performers), len(self.performers) + len(self.props))
        touches = [(limb, other) for other in props for limb in figure.hands]
        touches += [(limb, other) for other in others for limb in range(len(figure.limbs)) if performer.partners]
        low, high = _extent(figure)
        return Actor(figure, start, performer.friction, performer.grip, performer.burden, half=(high - low) / 2,
                     center=(low + high) / 2, touches=tuple(touches))


FAR = Box((1000.0, 0.0, -2.0), (1.0, 1.0, 1.0))
"""Where there is no obstacle, one out of reach: scenes with one box and with none then share a compiled program."""


def _extent(figure: Puppet) -> tuple[np.ndarray, np.ndarray]:
    """The box about pelvis and chest that partners touch."""
    spheres = figure.spheres[:-1] if len(figure.spheres) > 1 else figure.spheres
    return (spheres[:, :3] - spheres[:, 3:]).min(axis=0), (spheres[:, :3] + spheres[:, 3:]).max(axis=0)


def _half(prop: PropBox) -> np.ndarray:
    return np.array([(length or prop.size) / 2 for length in (prop.size, prop.width, prop.height)])


def _prop(prop: PropBox) -> Actor:
    """A prop as an actor without limbs: a box that rests on the corners of its underside."""
    half = _half(prop)
    corners = np.array([[x, y, -1] for x in (-1, 1) for y in (-1, 1)]) * half
    inertia = np.diag([half[1] ** 2 + half[2] ** 2, half[0] ** 2 + half[2] ** 2, half[0] ** 2 + half[1] ** 2]) / 3
    sphere = np.array([[0.0, 0.0, 0.0, half.min()]])
    figure = Puppet(prop.name, prop.mass, inertia, (), corners, sphere, np.zeros(3), float(half[2]))
    start = poses.placed([(np.array([0.0, 0.0, half[2]]), np.eye(3))], prop.x, prop.y, prop.yaw, prop.z)
    return Actor(figure, start, 0.8, is_prop=True, half=half)
