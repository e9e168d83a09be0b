"""Where the feet of a preview land: within reach, in time, beside the other foot, on good ground.

The reach is that of [delasa2011, section 5.3.3]; the rest is ours.
"""

from __future__ import annotations

import numpy as np

from gambol.planning.preview.gains import LandingGains, PreviewGains
from gambol.planning.preview.rollout import Preview, by_plan
from gambol.planning.preview.situation import Situation


def footing(preview: Preview, situation: Situation, standing: np.ndarray, w: PreviewGains) -> np.ndarray:
    """Footholds that can be reached in time, beside the other foot, no higher than need be, on good ground."""
    here, leg, gains = situation.feet[situation.stance], situation.legs[situation.stance], w.landings
    steps, out = preview.footholds, np.zeros((len(standing), 14))
    stood, left = np.empty((2, *steps.shape))  # where the other foot is meanwhile, and where this one comes from
    stood[0], stood[1] = here.place, steps[0]
    left[0], left[1] = situation.feet[situation.other].place, here.place
    swinging = preview.times.T[[1, 4]] + preview.times.T[[2, 5]]
    ends, yaws = preview.places[[3, 6]], preview.yaws.T[[3, 6]]
    between = yaws.copy()
    between[0] = 0.5 * (here.yaw + yaws[0])
    out[:, :2] = w.hurry**0.5 * _late(steps - left, swinging, gains).T
    inward = np.array([[-situation.side], [situation.side]]) * _beside(steps - stood, between)
    out[:, 2:4] = w.apart**0.5 * np.maximum(gains.apart + inward, 0.0).T
    steep = np.maximum(np.abs(steps[..., 2] - stood[..., 2]) - gains.climb, 0.0)
    out[:, 4:6] = (w.climb**0.5 * steep / np.sqrt(1.0 + steep / gains.ladder)).T
    if situation.ground.unfit is not None:
        out[:, 6:8] = w.unfit**0.5 * situation.ground.unfit(steps[..., 0], steps[..., 1]).T
    com, second = ends[1], steps[1]
    away = com + [0.0, 0.0, leg.hip[2] - leg.foot.below] - second
    long = np.sqrt(away[:, 0]**2 + away[:, 1]**2 + away[:, 2]**2)
    out[:, 8] = w.limits**0.5 * np.maximum(long - leg.longest - w.rising.most, 0.0)
    reach = gains.reach * np.array([situation.legs[foot].rest for foot in (situation.other, situation.stance)])
    far = np.abs(_seen_from(steps - ends, yaws))
    out[:, 9:13] = by_plan(w.reach**0.5 * np.maximum(far - reach[:, None, None], 0.0), 1, 0, 2)
    tall = leg.rest + leg.foot.below - leg.hip[2]
    owed = np.maximum(second[:, 2] + tall - com[:, 2] - gains.owed, 0.0)
    debt = w.debt if situation.ground.ledge else w.owed
    out[:, 13] = debt**0.5 * owed * (second[:, 2] > here.place[2] + gains.climb)
    out[standing] = 0.0
    return out


def _late(way: np.ndarray, time: np.ndarray, gains: LandingGains) -> np.ndarray:
    """How much farther (...) a foothold is than a foot gets in a time, m: upward it is slow."""
    up = way[..., 2]
    path = np.sqrt(way[..., 0]**2 + way[..., 1]**2 + 1e-8) + np.maximum(gains.steep * up, -gains.down * up)
    return np.maximum(path - gains.foot_speed * time, 0.0)


def _seen_from(apart: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """How far ahead and to the left of a heading (...), (..., 2)."""
    c, s = np.cos(yaw), np.sin(yaw)
    seen = np.empty((*yaw.shape, 2))
    seen[..., 0], seen[..., 1] = c * apart[..., 0] + s * apart[..., 1], c * apart[..., 1] - s * apart[..., 0]
    return seen


def _beside(apart: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """How far to the left of a heading."""
    return np.cos(yaw) * apart[..., 1] - np.sin(yaw) * apart[..., 0]
