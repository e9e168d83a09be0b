"""The preview models: how a centre of mass goes while a foot carries it, and while nothing does.

The models are those of [delasa2011, section 5.2].

Along the ground the body is a pendulum on its head above a pressure point that moves evenly; upward it is a mass on a
soft spring whose rest length changes evenly, which is a command of force. Both have closed forms. All arguments are
arrays that broadcast: a whole population of plans is computed at once.

Where the publication errs: it takes gravity alone for the pull away from the pressure point. A runner's foot pushes
twice his weight, so the same offset accelerates twice as much. `pull` below is the mean upward force of the phase, so
the plan agrees with what the body can do; with `literal=True` it is the published one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.planning.preview.gains import USUAL
from gambol.units import GRAVITY

PULL = np.array([0.0, 0.0, GRAVITY])
SPRING = 1000.0 / 81.82
"""Stiffness of the leg spring over mass, 1/s2: 1000 N/m for a body of 81.82 kg [delasa2011]."""
STIFF = float(np.sqrt(SPRING))
SAG = GRAVITY / SPRING
"""How far the weight pulls the body below the spring's rest length, m."""
SHORT = 1e-3
"""Phases are at least this long, s, where they are divided by."""


# -- closed forms: all that follows is put together from these ---------------------------------------------------------


def tipping(up: np.ndarray, down: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """How fast a pendulum goes away from its pressure point, by the growing and the fading part of its distance, which
    is `up + down`: so `x'' = rate^2 x`."""
    return rate * (up - down)


def swung(cosine: np.ndarray, sine: np.ndarray, c: np.ndarray, s: np.ndarray) -> np.ndarray:
    """How far a mass on the spring is from where it would hang: so `z'' = -SPRING z`."""
    return cosine * c + sine * s


def swinging(cosine: np.ndarray, sine: np.ndarray, c: np.ndarray, s: np.ndarray) -> np.ndarray:
    """How fast it goes away from there."""
    return STIFF * (sine * c - cosine * s)


def height(swing: np.ndarray, spring: np.ndarray, stretched: np.ndarray) -> np.ndarray:
    """Its height, by the rest length and how much longer that has become."""
    return swing + spring + stretched - SAG


def fall(place: np.ndarray, velocity: np.ndarray, time: np.ndarray,
         pull: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Place and velocity after a time in the air, along any axes [delasa2011, eq. 5.21].

    `pull` is gravity's part along them.
    """
    return place + velocity * time - 0.5 * pull * time**2, velocity - pull * time


# -- phases ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stance:
    """Stance phases of a population: place at a time is `grow e^(rate t) + fade e^(-rate t) + pressure(t)`.

    One phase, or several, one after the other: then all arrays have one more axis in front.
    """

    duration: np.ndarray
    """(b,)"""
    rate: np.ndarray
    """(b,) of the pendulum, 1/s"""
    grow: np.ndarray
    fade: np.ndarray
    """(2, b)"""
    pressure: np.ndarray
    drift: np.ndarray
    """(2, b) pressure point at the start, m, and its speed"""
    cosine: np.ndarray
    sine: np.ndarray
    """(b,) of the spring"""
    spring: np.ndarray
    stretch: np.ndarray
    """(b,) rest length at the start, m, and its speed"""

    def __getitem__(self, phase: int) -> Stance:
        """One of several."""
        return Stance(self.duration[phase], self.rate[phase], self.grow[phase], self.fade[phase], self.pressure[phase],
                      self.drift[phase], self.cosine[phase], self.sine[phase], self.spring[phase], self.stretch[phase])

    def at(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Place and acceleration (3, b, q) at times (b, q) since the start of the phase."""
        growing, angle = np.exp(self.rate[..., None] * time)[..., None, :, :], STIFF * time
        away = self.grow[..., None] * growing + self.fade[..., None] * (1.0 / growing)
        swing = swung(self.cosine[..., None], self.sine[..., None], np.cos(angle), np.sin(angle))
        place, acceleration = np.empty((2, *away.shape[:-3], 3, *time.shape[-2:]))
        place[..., :2, :, :] = away + self.pressure[..., None] + self.drift[..., None] * time[..., None, :, :]
        place[..., 2, :, :] = height(swing, self.spring[..., None], self.stretch[..., None] * time)
        acceleration[..., :2, :, :] = (self.rate**2)[..., None, :, None] * away
        acceleration[..., 2, :, :] = -SPRING * swing
        return place, acceleration

    def moment(self, phase: int, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity, acceleration (3,) and pressure point (2,) of the only plan at one time of a phase."""
        rate, drift, stretch = self.rate[phase, 0], self.drift[phase, :, 0], self.stretch[phase, 0]
        growing, angle = np.exp(rate * time), STIFF * time
        up, down = self.grow[phase, :, 0] * growing, self.fade[phase, :, 0] * (1.0 / growing)
        away, rolled = up + down, drift * time
        c, s, cosine, sine = np.cos(angle), np.sin(angle), self.cosine[phase, 0], self.sine[phase, 0]
        swing, pressure = swung(cosine, sine, c, s), self.pressure[phase, :, 0]
        place, velocity, acceleration = np.empty((3, 3))
        place[:2] = away + pressure + rolled
        place[2] = height(swing, self.spring[phase, 0], stretch * time)
        velocity[:2], velocity[2] = tipping(up, down, rate) + drift, swinging(cosine, sine, c, s) + stretch
        acceleration[:2], acceleration[2] = rate**2 * away, -SPRING * swing
        return place, velocity, acceleration, pressure + rolled


def on_foot(which: Sequence[int | None]) -> list[int]:
    """The phases that are stances, if of each phase it is told the how-manieth stance it is, or None for a flight."""
    return [phase for phase, stance in enumerate(which) if stance is not None]


def course(com: np.ndarray, going: np.ndarray, times: np.ndarray, which: Sequence[int | None], ground: np.ndarray,
           pressure: np.ndarray, spring: np.ndarray, literal: bool = False,
           weakest: float = USUAL.stances.weakest) -> tuple[Stance, np.ndarray, np.ndarray]:
    """The way of a COM, from its place and velocity, through phases of given times (p, b).

    `which` is as for `on_foot`. Stances have heights of their ground (s, b); pressure points (s + 1, 2, b) and rest
    lengths as heights in the world (s + 1, b) where they begin and end. The mean force counts as the weakest at
    least, a share of the weight. Gives back the stances, and places and velocities (p + 1, b, 3) where the phases begin
    and end.
    """
    carried = on_foot(which)
    duration = times[carried]
    span = np.maximum(duration, SHORT)
    stretch, drift = (spring[1:] - spring[:-1]) / span, (pressure[1:] - pressure[:-1]) / span[:, None]
    place, velocity = np.empty((2, len(times) + 1, times.shape[1], 3))
    place[0], velocity[0] = com, going
    heights, rise = place[..., 2], velocity[..., 2]
    flat, speed = place[..., :2].swapaxes(1, 2), velocity[..., :2].swapaxes(1, 2)
    cosine, sine, climbed = _upward(heights, rise, times, which, duration, spring, stretch)
    if literal:
        rate = np.sqrt(GRAVITY / np.maximum(heights[carried] - ground, 0.1))
    else:
        gained = (rise[1:] - rise[:-1])[carried]
        pull = np.maximum(GRAVITY + gained / span, weakest * GRAVITY)
        rate = np.sqrt(pull / np.maximum(heights[carried] + 0.5 * climbed - ground, 0.1))
    grow, fade = _along(flat, speed, times, which, duration, pressure, drift, rate)
    stances = Stance(duration, rate, grow, fade, pressure[:-1], drift, cosine, sine, spring[:-1], stretch)
    return stances, place, velocity


def _upward(heights: np.ndarray, rise: np.ndarray, times: np.ndarray, which: Sequence[int | None], duration: np.ndarray,
            spring: np.ndarray, stretch: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heights and upward speeds (p + 1, b), put in from the first on; cosine, sine and climb of each stance (s, b).

    Nothing along the ground matters to it.
    """
    cosine, sine, climbed = np.empty((3, *duration.shape))
    angle, stretched = STIFF * duration, stretch * duration
    c, s = np.cos(angle), np.sin(angle)
    less = c - 1.0  # than at the start, where the cosine is one
    for phase, k in enumerate(which):
        z, speed = heights[phase], rise[phase]
        if k is None:
            heights[phase + 1], rise[phase + 1] = fall(z, speed, times[phase], GRAVITY)
            continue
        cosine[k] = x = z - spring[k] + SAG
        sine[k] = y = (speed - stretch[k]) / STIFF
        climbed[k] = climb = swung(x, y, less[k], s[k]) + stretched[k]
        heights[phase + 1], rise[phase + 1] = z + climb, swinging(x, y, c[k], s[k]) + stretch[k]
    return cosine, sine, climbed


def _along(place: np.ndarray, velocity: np.ndarray, times: np.ndarray, which: Sequence[int | None],
           duration: np.ndarray, pressure: np.ndarray, drift: np.ndarray,
           rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places and velocities along the ground (p + 1, 2, b), put in from the first on; growing and fading part of each
    stance (s, 2, b)."""
    grow, fade = np.empty((2, *drift.shape))
    growth, rate, rolled = np.exp(rate * duration)[:, None], rate[:, None], drift * duration[:, None]
    for phase, k in enumerate(which):
        here, speed = place[phase], velocity[phase]
        if k is None:
            place[phase + 1], velocity[phase + 1] = here + speed * times[phase], speed
            continue
        offset, past = here - pressure[k], (speed - drift[k]) / rate[k]
        grow[k], fade[k] = more, less = 0.5 * (offset + past), 0.5 * (offset - past)
        up, down = more * growth[k], less / growth[k]
        place[phase + 1] = up + down + pressure[k] + rolled[k]
        velocity[phase + 1] = tipping(up, down, rate[k]) + drift[k]
    return grow, fade


def flight(place: np.ndarray, velocity: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place and velocity (b, 3) after a time (b,) in the air."""
    return fall(place, velocity, time[:, None], PULL)


def quintic(phase: Stance, time: np.ndarray) -> np.ndarray:
    """Place (3, b, q) by the Taylor polynomial of [delasa2011, section 5.2.2], good for about half a second."""
    offset, speed = phase.grow + phase.fade, phase.rate * (phase.grow - phase.fade)
    flat = _taylor(offset[..., None], speed[..., None], phase.rate[:, None]**2, time)
    up = _taylor(phase.cosine[:, None], STIFF * phase.sine[:, None], -SPRING, time)
    place = np.empty((3, *time.shape))
    place[:2] = flat + phase.pressure[..., None] + phase.drift[..., None] * time
    place[2] = height(up, phase.spring[:, None], phase.stretch[:, None] * time)
    return place


def _taylor(offset: np.ndarray, speed: np.ndarray, square: np.ndarray | float, t: np.ndarray) -> np.ndarray:
    """Solution of `x'' = square x` from offset and speed, to the fifth power of time."""
    return (offset * (1 + square * t**2 / 2 + square**2 * t**4 / 24)
            + speed * (t + square * t**3 / 6 + square**2 * t**5 / 120))
