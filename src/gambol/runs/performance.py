"""A Performance: a world with a behavior for each figure in it, and THE loop's body: one tick of all of them.

    performance = Performance.of(Trial.of("balance"))
    while performance.world.time < 5:
        performance.tick()

`run` goes through it as fast as it can, the studio by the wall clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from gambol.behaviors import Behavior, make_behavior
from gambol.bodies import find_character
from gambol.bodies.actuation import ACTUATORS
from gambol.bodies.character import Character
from gambol.errors import BadInput, GambolError, unknown
from gambol.motion.motion import Motion
from gambol.runs.apart import check_apart
from gambol.runs.cast import CHARACTER, Cast
from gambol.runs.rates import whole
from gambol.runs.trial import Trial
from gambol.runs.trial_text import trial_text
from gambol.world.world import Given, World

MOST_BALLS = 8
"""Balls that can be in the air at once; each flies again when its turn comes."""
Watch = Callable[[World, Behavior], None]
"""Looks at the world and at the first behavior."""


@dataclass(frozen=True)
class Fall:
    """When a figure failed by the rule of its behavior, s, and why."""

    time: float
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """As a Motion keeps it."""
        return {"time": self.time, "reason": self.reason}


class Performance:
    """The only place where behaviors act on a world."""

    def __init__(self, trial: Trial, world: World, behaviors: Sequence[Behavior], every: Sequence[int]) -> None:
        self.trial, self.world, self.behaviors = trial, world, list(behaviors)
        self.each: Watch | None = None
        """called before the behaviors of a tick decide: it may push, throw and edit bodies"""
        self.watch: Watch | None = None
        """called when the behaviors of a tick have decided and physics has not moved yet: it may look, not touch"""
        for behavior, ticks in zip(self.behaviors, every, strict=True):
            _pace(behavior, ticks)
        self._begin()

    @classmethod
    def of(cls, trial: Trial, *, keep: float | None = None, balls: int = 0) -> Performance:
        """Everything a trial asks for, ready to go; BadInput says what does not fit.

        The recording has all of it, or its last `keep` seconds. There are balls enough for the trial's throws, and at
        least so many.
        """
        trial, rates = trial.resolved(), trial.rates
        casts = trial.figures
        world = World([_character(cast) for cast in casts], trial.terrain or "flat", trial.props or (),
                      seed=trial.seed, physics_rate=rates.physics, control_rate=rates.control,
                      projectiles=max(balls, min(len(trial.throws or ()), MOST_BALLS)), keep=keep,
                      names=[cast.name for cast in casts],
                      starts=[cast.spread_start for cast in casts], vary=trial.vary)
        check_apart(world)
        behaviors = [make_behavior(cast.behavior, world, cast.all_settings, index, cast.gains)
                     for index, cast in enumerate(casts)]
        return cls(trial, world, behaviors, rates.every)

    @property
    def behavior(self) -> Behavior:
        """The first figure's."""
        return self.behaviors[0]

    def _begin(self) -> None:
        """What the trial plans, from the start of the world on."""
        self.falls: list[Fall | None] = [None] * len(self.behaviors)
        self._held: list[Given | None] = [None] * len(self.behaviors)
        self._waiting = sorted(self.trial.changes, key=lambda change: change[0])
        for push in self.trial.pushes:
            self.world.push(push)
        for throw in self.trial.throws or ():
            self.world.throw(throw)

    def reset(self) -> None:
        """Back to the start, with the bodies and parameters of now."""
        self.world.reset()
        for behavior in self.behaviors:
            behavior.start()
        self._begin()

    def takes_over(self, kind: type[Behavior]) -> bool:
        """Whether the world is fast enough for another behavior, and can be divided for it."""
        fits = whole(self.world.control_rate / kind.control_rate) > 0 if self.trial.control_rate is None else True
        return fits and self.world.physics_rate >= kind.physics_rate - 1e-6

    def switch(self, behavior: Behavior, index: int = 0) -> None:
        """Another behavior takes over a figure as it is now; what was to change in the one before is dropped."""
        ratio = whole(self.world.control_rate / behavior.control_rate)
        _pace(behavior, 1 if self.trial.control_rate is not None else max(1, ratio))
        self.behaviors[index], self._held[index] = behavior, None
        self._waiting = [change for change in self._waiting if self.trial.parameter(change[1])[0] != index]
        trial, plain = self.trial.switched(behavior.name, index), type(behavior).Params().as_dict()
        settings = {name: value for name, value in behavior.params.as_dict().items() if value != plain[name]}
        casts = list(trial.figures)
        casts[index] = replace(casts[index], settings=settings, gains=behavior.gains)
        self.trial = replace(trial, figures=tuple(casts))

    # -- one tick --------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """All behaviors decide, then the world moves on, then each figure is judged."""
        world = self.world
        if self._waiting:
            self._make_changes()
        if self.each is not None:
            self.each(world, self.behaviors[0])
        controls = [self._decide(index) for index in range(len(self.behaviors))]
        if self.watch is not None:
            self.watch(world, self.behaviors[0])
        world.step(controls)
        for index, fall in enumerate(self.falls):
            if fall is None:
                self._judge(index)

    def _make_changes(self) -> None:
        while self._waiting and self._waiting[0][0] <= self.world.time + 1e-9:
            _, name, value = self._waiting.pop(0)
            index, parameter = self.trial.parameter(name)
            self.behaviors[index].params.set(parameter, value)

    def _decide(self, index: int) -> Given:
        """Controls of one figure: new ones when it is its behavior's turn, else those of before."""
        behavior, held = self.behaviors[index], self._held[index]
        if held is not None and self.world.tick % behavior.every:
            return held
        before = self.world.interventions
        controls = behavior.act()
        if self.world.interventions != before:
            raise GambolError(f"behavior {behavior.name!r} acted on the world other than by torques")
        if behavior.every > 1:
            self._held[index] = deepcopy(controls)
        return controls

    def _judge(self, index: int) -> None:
        reason = self.behaviors[index].failed(self.world)
        if reason is None:
            return
        self.falls[index] = Fall(self.world.time, reason)
        event = {"time": self.world.time, "event": "fall", "reason": reason}
        self.world.events.append(event if len(self.falls) == 1 else
                                 {**event, "figure": self.trial.figures[index].name})

    # -- what came of it -------------------------------------------------------------------------------------------

    def motion(self, last: float | None = None, **meta: Any) -> Motion:
        """What was recorded, or its last seconds; its meta says who did what and how it went."""
        first, fall = self.behaviors[0], self.falls[0]
        rates = [self.world.control_rate / behavior.every for behavior in self.behaviors]
        motion = Motion.from_world(self.world, last, behavior=first.name, params=first.params.as_dict(),
                                   fall=None if fall is None else fall.as_dict(),
                                   trial=trial_text(self.trial, rates, self.world.physics_rate), **meta)
        return motion.with_meta(figures=[{**entry, **about} for entry, about in zip(
            motion.meta["figures"], map(self._about, range(len(self.behaviors))), strict=True)])

    def _about(self, index: int) -> dict[str, Any]:
        cast, behavior, fall = self.trial.figures[index], self.behaviors[index], self.falls[index]
        gains = {} if behavior.gains is None else behavior.gains.changes()
        return {"name": cast.name, "behavior": behavior.name, "params": behavior.params.as_dict(),
                **({"gains": gains} if gains else {}), "fall": None if fall is None else fall.as_dict()}


def _pace(behavior: Behavior, ticks: int) -> None:
    """Let a behavior act after so many ticks; what it has set up for another pace is set up again."""
    if behavior.every != ticks:
        behavior.every = ticks
        behavior.start()


def _character(cast: Cast) -> Character:
    who = cast.character or CHARACTER
    if isinstance(who, str):
        return find_character(who, cast.actuators)
    if cast.actuators not in ACTUATORS:
        raise unknown("kind of actuators", cast.actuators, ACTUATORS)
    if cast.actuators != "motors":
        raise BadInput(f"the Character {who.name!r} has its actuators; say actuators={cast.actuators!r} where it is "
                       "read, in Character.from_mjcf, or give the name of its file")
    return who
