"""What is charged while feet carry: accelerations, legs, pressure and spring, and what flies at the body.

Accelerations and legs are the modelling terms of [delasa2011, section 5.3.2]; the rest is ours.
"""

from __future__ import annotations

import numpy as np

from gambol.planning.preview import legs
from gambol.planning.preview.gains import PreviewGains
from gambol.planning.preview.legs import ALONE, IN, NODE_WEIGHTS, NODES, ONE, Reach
from gambol.planning.preview.rollout import ON_FOOT, Preview, by_plan
from gambol.planning.preview.schedule import KNOTS, SPRINGS, TURNS
from gambol.planning.preview.situation import Situation
from gambol.planning.preview.threats import ahead as ahead_of
from gambol.planning.preview.threats import nearness
from gambol.planning.preview.weights import Weights
from gambol.units import GRAVITY

LIMIT_WIDTH = 0.01
"""Softness of the limits of a leg's length, m: a unit of their weight `limits`."""


def modelling(preview: Preview, u: np.ndarray, situation: Situation, standing: np.ndarray,
              w: PreviewGains) -> np.ndarray:
    """Accelerations, legs of natural length under the hips, a spring that pushes, a pressure point that glides."""
    stepping, duration = ~standing[:, None], preview.stances.duration[..., None]
    time, root = duration * NODES, np.sqrt(np.maximum(duration, 0.0) * NODE_WEIGHTS)
    place, acceleration = preview.stances.at(time)
    yaw = (preview.yaws.T[ON_FOOT, :, None] + preview.rates.T[ON_FOOT, :, None] * time
           + 0.5 * u[:, TURNS].T[..., None] * time**2)
    hips, share, pressure = legs.reach(preview, place, yaw, situation), root[IN], legs.pressed(u)
    toes, up = legs.toward_toes(pressure, w.rising), acceleration[:, 2]
    calm = w.acceleration**0.5 * acceleration * root[:, None]
    natural = _natural(hips, legs.lengths(hips.ahead, toes, preview, situation, stepping, w.rising), share, w)
    leaning = w.lean**0.5 * share[ALONE] * legs.too_lean(hips.ahead[ALONE], hips.away[ALONE, 2], hips.length[ALONE],
                                                         toes[ALONE], legs.pair(situation))
    falling = w.fall**0.5 * np.minimum(up + w.stances.unsteered * GRAVITY, 0.0) * root
    pulling = w.push**0.5 * np.maximum(preview.places[[0, 1, 2, 4, 5], :, 2].T - u[:, SPRINGS], 0.0)
    gliding = preview.stances.drift * np.sqrt(np.maximum(duration, 0.0)).swapaxes(1, 2)
    strained = _strained(preview, up[ONE], hips.length[ALONE], pressure, share[ALONE], situation, w)
    return np.concatenate([*_threatened(preview, time, place, root > 0, situation, w), *strained,
                           by_plan(calm, 2, 0, 3, 1), by_plan(natural, 2, 0, 3, 1), pulling,
                           by_plan(leaning, 1, 0, 2), by_plan(falling, 1, 0, 2),
                           w.calm**0.5 * by_plan(gliding, 2, 0, 1), w.turn**0.5 * u[:, TURNS],
                           w.middle**0.5 * stepping * (u[:, KNOTS].reshape(-1, 5, 2)[:, 1:, 1] - 0.5)], axis=1)


def _natural(hips: Reach, lengths: tuple[np.ndarray, np.ndarray, np.ndarray], share: np.ndarray,
             w: Weights) -> np.ndarray:
    """How far the six legs are from their preferred length, from under the hips (along two axes), beyond their limits,
    and turned from where the hips point, (6, 5, b, nodes)."""
    rest, low, high = lengths
    out, bent = np.empty((6, 5, *hips.length.shape[1:])), hips.square - rest**2
    over = np.maximum(hips.length - high, 0.0) + np.maximum(low - hips.length, 0.0)
    out[:, 0] = w.leg**0.5 * bent / np.sqrt(1.0 + np.abs(bent) / w.bend)
    out[:, 1:3] = w.hip**0.5 * hips.away[:, :2]
    out[:, 3] = (w.limits**0.5 / LIMIT_WIDTH**0.5) * over
    out[:, 4] = w.twist**0.5 * hips.twist
    out *= share[:, None]
    return out


def _strained(preview: Preview, up: np.ndarray, length: np.ndarray, pressure: np.ndarray, share: np.ndarray,
              situation: Situation, w: PreviewGains) -> list[np.ndarray]:
    """How much too hard legs that carry alone push: those of runners and jumpers, and of who comes down fast."""
    pushes = (preview.times[:, 2] > 0) | (situation.velocity[2] < -w.stances.strains)
    if not pushes.any():
        return []
    strain = w.strain**0.5 * legs.overload(up, length, pressure, legs.pair(situation), w.soles) * share[..., None]
    return [by_plan(strain * pushes[:, None, None], 1, 0, 2, 3)]


def _threatened(preview: Preview, time: np.ndarray, place: np.ndarray, there: np.ndarray, situation: Situation,
                w: PreviewGains) -> list[np.ndarray]:
    """How near what flies at it comes, at times (4, b, nodes) of the stances that are there, and after the end."""
    if not situation.threats:
        return []
    end = np.cumsum(preview.times, axis=1)
    starts = np.concatenate([np.zeros((len(end), 1)), end[:, :-1]], axis=1).T[ON_FOOT, :, None]
    near = [w.clear**0.5 * nearness(threat, starts + time, place.transpose(0, 2, 3, 1), w.threats) * there
            for threat in situation.threats]
    later = [2.0 * w.clear**0.5 * ahead_of(threat, end[:, -1], preview.places[6], preview.velocities[6],
                                           w.threats)[:, None]
             for threat in situation.threats]
    return [*(by_plan(each, 1, 0, 2) for each in near), *later]
