"""The preview models: how a centre of mass goes while a foot carries it, and while nothing does (2.10 of the dossier).

Along the ground the body is a pendulum on its head above a pressure point that moves evenly; upward it is a mass on a
soft spring whose rest length changes evenly, which is a command of force. Both have closed forms. All arguments are
arrays that broadcast: a whole population of plans is computed at once.

Where the text errs: it takes gravity alone for the pull away from the pressure point. A runner's foot pushes twice his
weight, so the same offset accelerates twice as much. `pull` below is the mean upward force of the phase, so the plan
agrees with what the body can do; with `literal=True` it is the text's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

GRAVITY = 9.81
SPRING = 1000.0 / 81.82
"""Stiffness of the leg spring over mass, 1/s2 (k = 1000 N/m for 81.82 kg)."""
STIFF = float(np.sqrt(SPRING))
SHORT = 1e-3
"""Phases are at least this long, s, where they are divided by."""
WEAKEST = 0.3
"""Least mean force, as a share of the weight, for which the pendulum is computed: below, the spring would pull."""


@dataclass(frozen=True)
class Stance:
    """One stance phase of a population: place at a time is `grow e^(rate t) + fade e^(-rate t) + pressure(t)`."""

    duration: np.ndarray
    """(b,)"""
    rate: np.ndarray
    """(b,) of the pendulum, 1/s"""
    grow: np.ndarray
    fade: np.ndarray
    """(b, 2)"""
    pressure: np.ndarray
    drift: np.ndarray
    """(b, 2) pressure point at the start, m, and its speed"""
    cosine: np.ndarray
    sine: np.ndarray
    """(b,) of the spring"""
    spring: np.ndarray
    stretch: np.ndarray
    """(b,) rest length at the start, m, and its speed"""
    top: np.ndarray
    rise: np.ndarray
    """(b,) height and upward speed at the end"""

    def at(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and acceleration (b, q, 3) at times (b, q) since the start of the phase."""
        growing = np.exp(self.rate[:, None] * time)[..., None]
        fading = 1.0 / growing
        rate = self.rate[:, None, None]
        up, down = self.grow[:, None] * growing, self.fade[:, None] * fading
        away = up + down
        angle = STIFF * time
        c, s = np.cos(angle), np.sin(angle)
        cosine, sine = self.cosine[:, None], self.sine[:, None]
        swing = cosine * c + sine * s
        place, velocity, acceleration = (np.empty((*time.shape, 3)) for _ in range(3))
        place[..., :2] = away + self.pressure[:, None] + self.drift[:, None] * time[..., None]
        velocity[..., :2] = rate * (up - down) + self.drift[:, None]
        acceleration[..., :2] = rate**2 * away
        place[..., 2] = swing + self.spring[:, None] + self.stretch[:, None] * time - GRAVITY / SPRING
        velocity[..., 2] = STIFF * (sine * c - cosine * s) + self.stretch[:, None]
        acceleration[..., 2] = -SPRING * swing
        return place, velocity, acceleration

    def pressure_at(self, time: np.ndarray) -> np.ndarray:
        return self.pressure[:, None] + self.drift[:, None] * time[..., None]

    def end(self) -> tuple[np.ndarray, np.ndarray]:
        """Place and velocity (b, 3) at the end of the phase: as `at`, for one time, in fewer operations."""
        time, place, velocity = self.duration, np.empty((len(self.rate), 3)), np.empty((len(self.rate), 3))
        growing = np.exp(self.rate * time)[:, None]
        up, down = self.grow * growing, self.fade / growing
        place[:, :2] = up + down + self.pressure + self.drift * time[:, None]
        velocity[:, :2] = self.rate[:, None] * (up - down) + self.drift
        place[:, 2], velocity[:, 2] = self.top, self.rise
        return place, velocity


def stance(place: np.ndarray, velocity: np.ndarray, duration: np.ndarray, ground: np.ndarray, pressure: np.ndarray,
           pressure_end: np.ndarray, spring: np.ndarray, spring_end: np.ndarray, literal: bool = False) -> Stance:
    """A stance phase from a COM's state (b, 3); pressure points (b, 2); rest lengths are heights in the world (b,)."""
    span = np.maximum(duration, SHORT)
    stretch, drift = (spring_end - spring) / span, (pressure_end - pressure) / span[:, None]
    cosine = place[:, 2] - spring + GRAVITY / SPRING
    sine = (velocity[:, 2] - stretch) / STIFF
    angle = STIFF * duration
    c, s = np.cos(angle), np.sin(angle)
    climbed, rise = cosine * (c - 1.0) + sine * s + stretch * duration, STIFF * (sine * c - cosine * s) + stretch
    if literal:
        rate = np.sqrt(GRAVITY / np.maximum(place[:, 2] - ground, 0.1))
    else:
        pull = np.maximum(GRAVITY + (rise - velocity[:, 2]) / span, WEAKEST * GRAVITY)
        rate = np.sqrt(pull / np.maximum(place[:, 2] + 0.5 * climbed - ground, 0.1))
    offset, speed = place[:, :2] - pressure, (velocity[:, :2] - drift) / rate[:, None]
    return Stance(duration, rate, 0.5 * (offset + speed), 0.5 * (offset - speed), pressure, drift, cosine, sine,
                  spring, stretch, place[:, 2] + climbed, rise)


def flight(place: np.ndarray, velocity: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place and velocity (b, 3) after a time (b,) in the air (Eq. 5.21 with gravity in the third component)."""
    time = time[:, None]
    fall = np.array([0.0, 0.0, GRAVITY])
    return place + velocity * time - 0.5 * fall * time**2, velocity - fall * time


def quintic(phase: Stance, time: np.ndarray) -> np.ndarray:
    """Place (b, q, 3) by the text's Taylor polynomial of fifth degree: good for about half a second."""
    offset, speed = phase.grow + phase.fade, phase.rate[:, None] * (phase.grow - phase.fade)
    t = time[..., None]
    flat = _taylor(offset[:, None], speed[:, None], phase.rate[:, None, None]**2, t)
    up = _taylor(phase.cosine[:, None], STIFF * phase.sine[:, None], -SPRING, time)
    place = np.empty((*time.shape, 3))
    place[..., :2] = flat + phase.pressure_at(time)
    place[..., 2] = up + phase.spring[:, None] + phase.stretch[:, None] * time - GRAVITY / SPRING
    return place


def _taylor(offset: np.ndarray, speed: np.ndarray, square: np.ndarray | float, t: np.ndarray) -> np.ndarray:
    """Solution of `x'' = square x` from offset and speed, to the fifth power of time."""
    return (offset * (1 + square * t**2 / 2 + square**2 * t**4 / 24)
            + speed * (t + square * t**3 / 6 + square**2 * t**5 / 120))
