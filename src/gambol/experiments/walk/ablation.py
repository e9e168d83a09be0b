"""What the walk needs: each addition to [delasa2011, section 4.3] switched off in turn. A report, not a test.

An ablation is a row of `ABLATIONS`: what is switched off, and the gains of the walk without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gambol.behaviors.walk.gains import WalkGains
from gambol.experiments.experiment import Context, Result, experiment, report
from gambol.experiments.walk.pushes import PushInStep
from gambol.experiments.walked import Walked, commanded_speed, side_view, walked
from gambol.reporting.pictures import Picture
from gambol.reporting.plots import COLORS, axes, legend, svg

TINY = 1e-4
SECONDS = 15.0
GAITS: dict[str, dict[str, float]] = {"default": {"step_length": 0.4, "swing_duration": 0.5},
                                      "fast": {"step_length": 0.6, "swing_duration": 0.4},
                                      "pushed": {"step_length": 0.4, "swing_duration": 0.5}}
PUSHED = "pushed"
"""The gait that is also pushed to the left, in the middle of a step that the left foot stands."""
IMPULSE = 20.0


@dataclass(frozen=True)
class Ablation:
    """One addition that is switched off."""

    name: str
    does: str
    sets: Mapping[str, Any] = field(default_factory=dict)
    """gains that differ, by name"""

    @property
    def gains(self) -> WalkGains:
        """Those of the walk without it."""
        return WalkGains.from_dict(self.sets)


ABLATIONS: tuple[Ablation, ...] = (
    Ablation("nothing", "the walk as it is"),
    Ablation("pressure feedback", "the pressure point does not answer to the capture point", {"gait.feedback": 0.0}),
    Ablation("adaptation of place", "the foot lands where it was planned", {"gait.adaptation.step_scale": TINY}),
    Ablation("adaptation of time", "the foot lands when it was planned", {"gait.adaptation.time_scale": TINY}),
    Ablation("held COM height", "the height is hardly held", {"body.height_kp": 1.0}),
    Ablation("lower COM for long steps", "it walks as high as it stands", {"body.com_drop": 0.0}),
    Ablation("heel-off", "the heel stays down until the foot swings", {"gait.heel_off": False}),
    Ablation("double support", "the other foot leaves at once", {"gait.double_support": 0.004}),
    Ablation("exchange in mid double support", "the plan counts the weight as exchanged when the foot lands",
             {"gait.exchange": 0.0}),
    Ablation("roll of the pressure", "the pressure stays under the middle of the foot", {"gait.roll": 0.0}),
    Ablation("clearance", "no least lift, no fold of the knee, no aim below the ground",
             {"foot.least_lift": 0.0, "foot.fold": 0.0, "foot.aim_below": 0.0}),
)


def without(name: str, gait: str, seconds: float, seed: int) -> Walked:
    """A walk without one of the additions."""
    chosen = next(entry for entry in ABLATIONS if entry.name == name)
    push = PushInStep(IMPULSE, 90.0, 0.5) if gait == PUSHED else None
    return walked(seconds, seed, GAITS[gait], also=push, gains=chosen.gains)


@experiment("walk-ablation", group="walk", source="[delasa2011, section 4.3]", published="-")
def walk_ablation(context: Context) -> Result:
    """Each addition to the published walk switched off in turn"""
    seconds, entries, gaits = SECONDS, ABLATIONS, tuple(GAITS)
    if context.quick:
        seconds, entries, gaits = 5.0, ABLATIONS[:2], gaits[:1]
    cases = [(entry.name, gait, seconds, context.seed) for entry in entries for gait in gaits]
    done = dict(zip([case[:2] for case in cases], context.trials(without, cases), strict=True))
    rows = [report(f"without {entry.name}: {entry.does}" if entry.sets else entry.does, "-",
                   "; ".join(f"{gait}: {told(done[entry.name, gait], gait)}" for gait in gaits)) for entry in entries]
    figure, (bars,) = axes(1, height=1.0 + 0.36 * len(entries))
    place = np.arange(len(entries))[::-1]
    for k, gait in enumerate(gaits):
        bars.barh(place - 0.27 * k + 0.27, [done[entry.name, gait].seconds for entry in entries], 0.25, label=gait,
                  color=COLORS[k])
    bars.set_yticks(place, [entry.name for entry in entries], fontsize=7.5)
    bars.set(title="walks without", xlabel="s")
    legend(bars)
    films = [picture for (name, gait), take in done.items() if gait == gaits[0]
             for picture in side_view(take.last, f"without {name}: {take.how}")]
    return Result(rows, [Picture("How long it walks without each", svg(figure)), *films],
                  [f"Pushed: the default walk, once, by {IMPULSE:g} N s to the left. Places and times of landing are "
                   "adapted for the sake of disturbed walks."],
                  {"as it is": done[entries[0].name, gaits[0]].last})


def told(take: Walked, gait: str) -> str:
    asked = commanded_speed(**GAITS[gait])
    return f"{take.how}, {take.speed():.2f} of {asked:.2f} m/s" if take.fell is None else take.how
