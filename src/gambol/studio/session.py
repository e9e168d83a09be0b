"""A live session: one simulation in its own thread, at the pace of the wall clock. No browser in here.

Every verb may be called from any thread. It becomes a command that the simulation thread carries out between two
control ticks, and returns a Future: its result, or the error it met. What others may read, `frame` and `status`, are
values that are replaced, never changed.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from gambol.behaviors import Behavior
from gambol.behaviors.behavior import BEHAVIORS, make_behavior
from gambol.errors import BadInput, Diverged, GambolError, unknown
from gambol.motion.motion import Motion
from gambol.runs.cast import Cast
from gambol.runs.performance import Performance
from gambol.runs.trial import Trial
from gambol.studio.ahead import Ahead, look_ahead
from gambol.studio.clock import Pace, Speedometer
from gambol.studio.frame import Frame, Mirror
from gambol.studio.morph import Morph
from gambol.world.pushes import Push, Throw
from gambol.world.recorder import integration_state
from gambol.world.world import World

FRAME_RATE = 30.0
BALLS = 2
"""Balls that can be in the air at once."""
REMEMBERED = 60.0
"""Seconds that are always kept, so that what just happened can still be saved."""
LONGEST_TAKE = 600.0
"""Seconds after which a forgotten recording ends by itself."""
BATCH = 0.012
"""Wall seconds of simulating before commands and frames get their turn."""
NAP = 0.004


@dataclass(frozen=True)
class Status:
    """What the panel says about a session."""

    trial: Trial
    """what is on stage, with nothing left open; its first figure is the one that is steered and shown"""
    epoch: int = 0
    """counts the worlds and behaviors: when it changes, controls are made anew"""
    time: float = 0.0
    running: bool = False
    speed: float = 1.0
    realtime: float = 0.0
    possible: float = 0.0
    """real-time factor that the machine could do"""
    fell: str | None = None
    fell_at: float | None = None
    problem: str | None = None
    """why the simulation stopped by itself"""
    recording: float | None = None
    """seconds of the running recording"""
    take: float | None = None
    """seconds of the finished one"""
    report: tuple[tuple[str, ...], ...] = ()


class Session:
    """Owns the world; only its thread touches it."""

    def __init__(self, trial: Trial, running: bool = True) -> None:
        self.status = Status(trial, running=running)
        self.frame: Frame | None = None
        self.watched = threading.Event()
        """set while somebody looks: without it no frames are made"""
        self.foresee = threading.Event()
        """set while somebody looks at the plan: without it no frame has one"""
        self.changed = threading.Condition()
        """notified with every new frame or status"""
        self._commands: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self._pace, self._meter = Pace(), Speedometer()
        self._next_frame = self._next_report = 0.0
        self._take: Motion | None = None
        self._adopt(_staged(trial))  # in the caller's thread, so that bad input is told at once
        self._thread = threading.Thread(target=self._live, name="gambol-session", daemon=True)
        self._stopping = False
        self._thread.start()

    # -- verbs, for any thread -------------------------------------------------------------------------------------

    def play(self) -> Future[None]:
        return self._post(self._play)

    def pause(self) -> Future[None]:
        return self._post(lambda: self._tell(running=False))

    def step(self) -> Future[None]:
        """Pause, and advance one frame of a thirtieth of a second."""
        return self._post(self._step_frame)

    def reset(self) -> Future[None]:
        """Back to the start, with the same body and parameters."""
        return self._post(self._reset)

    def set_speed(self, speed: float) -> Future[None]:
        return self._post(lambda: self._set_speed(speed))

    def rebuild(self, **changes: Any) -> Future[None]:
        """Another character, terrain or other part of the trial: a new world. If it fails, the old one goes on."""
        return self._post(lambda: self._rebuild(_recast(self.status.trial, **changes)))

    def switch(self, behavior: str) -> Future[None]:
        """Another behavior takes over the body as it is now; one that needs a faster world begins afresh."""
        return self._post(lambda: self._switch(behavior))

    def set_param(self, name: str, value: Any) -> Future[None]:
        return self._post(lambda: self._set_params({name: value}))

    def set_params(self, values: Mapping[str, Any]) -> Future[None]:
        return self._post(lambda: self._set_params(values))

    def choose_preset(self, name: str) -> Future[None]:
        """A preset that names its scene begins afresh in it."""
        return self._post(lambda: self._rebuild(_preset_trial(self.status.trial, name)))

    def push(self, body: str, force: float, angle: float, duration: float) -> Future[None]:
        """A push that begins now: `force` N toward `angle` degrees from the character's front, to its left."""
        return self._post(lambda: self._push(body, force, angle, duration))

    def throw(self, **settings: Any) -> Future[None]:
        """A ball thrown now; settings as in `Throw`."""
        return self._post(lambda: self.world.throw(Throw(t=self.world.time, **settings)))

    def morph(self, height: float, limbs: Mapping[str, float]) -> Future[None]:
        """Grow, over about a second, to `height` and `limbs` times the size the character was made with."""
        return self._post(lambda: self.body.aim(height, limbs))

    def record(self) -> Future[None]:
        """Begin a take."""
        return self._post(self._record)

    def stop_recording(self) -> Future[None]:
        return self._post(self._stop_recording)

    def motion(self) -> Future[Motion]:
        """The recorded take, or else the last minute."""
        return self._post(lambda: self._take if self._take is not None else self._motion())

    def call(self, function: Callable[[World], Any]) -> Future[Any]:
        """Look at the world from the simulation's own thread (for tests and scripts)."""
        return self._post(lambda: function(self.world))

    def close(self) -> None:
        """End the thread."""
        self._stopping = True
        self._thread.join(timeout=10.0)

    def _post(self, work: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        self._commands.put((work, future))
        return future

    # -- the simulation thread -------------------------------------------------------------------------------------

    def _live(self) -> None:
        while not self._stopping:
            owed = self._pace.owed(time.perf_counter()) if self.status.running else 0.0
            self._obey(wait=NAP if owed < self.world.tick_length else 0.0)
            if self.status.running and owed >= self.world.tick_length:
                self._advance(owed)
            self._show()

    def _obey(self, wait: float) -> None:
        """Carry out what was asked, waiting a little for the first if there is nothing else to do."""
        try:
            work, future = self._commands.get(timeout=wait) if wait else self._commands.get_nowait()
            while True:
                self._carry_out(work, future)
                work, future = self._commands.get_nowait()
        except queue.Empty:
            return

    def _carry_out(self, work: Callable[[], Any], future: Future[Any]) -> None:
        try:
            future.set_result(work())
        except Exception as error:
            future.set_exception(error)
        self._next_frame = 0.0  # an answer is seen at once

    def _advance(self, owed: float) -> None:
        """Simulate what is owed, or as much as fits into one batch."""
        began, tick = time.perf_counter(), self.world.tick_length
        end, simulated = began + BATCH, 0.0
        while owed - simulated >= tick and time.perf_counter() < end and self.status.running:
            self._tick()
            simulated += tick
        self._pace.paid(simulated)
        self._meter.worked(simulated, time.perf_counter() - began)

    def _tick(self) -> None:
        try:
            self.performance.tick()
        except Exception as error:
            self._stop_for(error)
            return
        fall = self.performance.falls[0]
        if fall is not None and self.status.fell is None:
            self._tell(fell=fall.reason, fell_at=fall.time)
        if self.status.recording is not None and self._recorded() >= LONGEST_TAKE:
            self._stop_recording()

    def _stop_for(self, error: Exception) -> None:
        """Something in the simulation went wrong: say what, and wait for a reset."""
        if isinstance(error, Diverged):
            problem = f"{error}. Reset to start again."
        elif isinstance(error, GambolError):
            problem = str(error)
        else:
            problem = f"{self.behavior.name} failed: {type(error).__name__}: {error}"
        self._tell(running=False, problem=problem)

    def _show(self) -> None:
        """Publish a frame and the status, thirty times a second while somebody looks."""
        now = time.perf_counter()
        if now < self._next_frame or not self.watched.is_set():
            return
        self._next_frame = now + 1.0 / FRAME_RATE
        realtime, possible = self._meter.read(now) if self.status.running else (0.0, 0.0)
        if now >= self._next_report:
            self._next_report = now + 0.25
            self._tell(report=tuple(self.behavior.report()))
        frame = self._mirror.frame_of_state(integration_state(self.world.model, self.world.data))
        self.frame = replace(frame, ahead=self._ahead())
        self._tell(time=self.world.time, realtime=realtime, possible=possible,
                   recording=None if self.status.recording is None else self._recorded())

    def _ahead(self) -> Ahead | None:
        """The plan, if it is looked at."""
        if not self.foresee.is_set() or self.status.problem is not None:
            return None
        try:
            return look_ahead(self.behavior)
        except Exception as error:
            self._stop_for(error)
            return None

    def _tell(self, **news: Any) -> None:
        with self.changed:
            self.status = replace(self.status, **news)
            self.changed.notify_all()

    # -- commands, in the simulation thread ------------------------------------------------------------------------

    def _play(self) -> None:
        if self.status.problem is not None:
            raise BadInput("the simulation stopped; reset it first")
        self._restart_clock()
        self._tell(running=True)

    def _step_frame(self) -> None:
        if self.status.problem is not None:
            raise BadInput("the simulation stopped; reset it first")
        self._tell(running=False)
        for _ in range(max(1, round(self.world.control_rate / FRAME_RATE))):
            self._tick()

    def _reset(self) -> None:
        if self.status.recording is not None:
            self._stop_recording()
        self.performance.reset()
        self._restart_clock()
        self._tell(fell=None, fell_at=None, problem=None, running=self.status.running or
                   self.status.problem is not None, time=0.0)

    def _set_speed(self, speed: float) -> None:
        if not 0.1 <= speed <= 2.0:
            raise BadInput(f"speed={speed:g} is out of range; it takes 0.1 to 2 x")
        self._pace.speed = speed
        self._restart_clock()
        self._tell(speed=speed)

    def _rebuild(self, trial: Trial) -> None:
        performance = _staged(trial)
        if self.status.recording is not None:
            self._stop_recording()
        self._adopt(performance)

    def _adopt(self, performance: Performance) -> None:
        self.performance, self.world = performance, performance.world
        world, figure = self.world, self.world.figure
        self._mirror = Mirror(world.model, figure.prefix, figure.anatomy, world.terrain)
        self.body = Morph(world.characters[0])
        performance.each = lambda world, _: self.body.step(world)
        self._restart_clock()
        self._next_report = 0.0
        self.frame = None
        self._tell(trial=performance.trial, epoch=self.status.epoch + 1, fell=None, fell_at=None, problem=None,
                   report=(), running=self.status.running or self.status.problem is not None, time=world.time)

    @property
    def behavior(self) -> Behavior:
        """What the first figure does."""
        return self.performance.behavior

    def _switch(self, name: str) -> None:
        if name not in BEHAVIORS:
            raise unknown("behavior", name, BEHAVIORS)
        if not self.performance.takes_over(BEHAVIORS[name]):
            self._rebuild(self.status.trial.switched(name))
            return
        self.performance.switch(make_behavior(name, self.world))
        self.world.events.append({"time": self.world.time, "event": "behavior", "behavior": name})
        self._tell(trial=self.performance.trial, epoch=self.status.epoch + 1)

    def _set_params(self, values: Mapping[str, Any]) -> None:
        kind = BEHAVIORS[self.behavior.name].Params
        checked = {name: kind.info(name).parse(value) for name, value in values.items()}  # all or nothing
        for name, value in checked.items():
            self.behavior.params.set(name, value)
        trial = self.performance.trial
        self.performance.trial = trial.recast(settings={**trial.first.settings, **checked})
        self._tell(trial=self.performance.trial)

    def _push(self, body: str, force: float, angle: float, duration: float) -> None:
        toward = self.world.figure.heading + math.radians(angle)
        along = (force * math.cos(toward), force * math.sin(toward), 0.0)
        self.world.push(Push(self.world.time, body, along, duration))

    def _restart_clock(self) -> None:
        self._pace.restart()
        self._meter.restart()

    # -- takes -----------------------------------------------------------------------------------------------------

    def _record(self) -> None:
        self._take = None
        self.world.recorder.restart()
        self._tell(recording=0.0, take=None)

    def _stop_recording(self) -> None:
        if self.status.recording is None:
            raise BadInput("nothing is being recorded")
        self._take = self._motion()
        self.world.recorder.restart(REMEMBERED)
        self._tell(recording=None, take=self._take.seconds)

    def _recorded(self) -> float:
        return self.world.recorder.count * self.world.tick_length

    def _motion(self) -> Motion:
        return self.performance.motion()


def _staged(trial: Trial) -> Performance:
    """A trial ready to be played with, its presets written out as settings."""
    trial = trial.resolved()
    return Performance.of(trial.recast(settings=trial.first.parsed()), keep=REMEMBERED, balls=BALLS)


def _preset_trial(trial: Trial, name: str) -> Trial:
    """The trial as a preset of its first figure's behavior has it: scene and parameters."""
    scene = Cast(trial.first.behavior, preset=name).scene(trial.seed)
    named = {part: value for part, value in vars(scene).items() if value is not None}
    return _recast(trial, preset=name, settings={}, **named)


def _recast(trial: Trial, **parts: Any) -> Trial:
    """The trial with other parts; another character or behavior goes without what belonged to the one before."""
    if "behavior" in parts:
        trial = trial.switched(parts["behavior"])
    if "character" in parts:
        cast = trial.first.become(parts["character"])
        if len(trial.figures) > 1:  # pushes may call it by its name
            cast = replace(cast, name=trial.first.name)
        trial = replace(trial, figures=(cast, *trial.figures[1:]))
    return trial.recast(**parts)
