"""Weights of all terms and the ladder of stages [mordatch2015, section 3.3.5]: one for every scene.

A solver that is exact from the start is stuck in the pose it starts from. The ladder begins with the tasks alone, lets
forces act at a distance while they are cheap, and closes the gaps little by little.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

WEIGHTS = {"physics": 1.0, "force": 1.0, "moment": 3.0, "closed": 60.0, "slip": 50.0, "gate": 0.1, "sharp": 0.03,
           "strain": 0.03, "cone": 3.0, "effort": 0.05, "stretch": 100.0, "limits": 10.0, "through": 100.0,
           "solid": 1.0, "rise": 0.0, "ground": 0.0, "grasp": 0.0, "skim": 3.0, "smooth": 0.03, "hurry": 6.0,
           "pace": 0.0, "posture": 0.54, "upright": 0.3, "on": 0.02, "task": 30.0, "margin": 0.015, "brim": 0.02,
           "firm": 20.0, "inert": 3.0, "sides": 0.0, "touch": 1.0}
"""Weights of residuals (their squares weigh in the cost). `physics` multiplies force and moment, `solid` the boxes in
`through`. `gate / (c + sharp)` is what force costs at activation c, `strain` what it costs at any. `margin` (m)
keeps limbs off full stretch, `brim` (m) widens boxes for `rise`, `firm` is how much more a gap or slip under a prop
weighs as long as it is not decided when it is carried: props do not slide; `inert` the same for its physics: a prop
does nothing by itself. `sides` (m) is the `brim` of hands, soles and other contact points, `touch` a
factor of `task` for contacts that are asked for: 0 once they are decided."""


@dataclass(frozen=True)
class Stage:
    """Weights that differ from the full ones, and how long to work at it."""

    name: str
    weights: dict[str, float] = field(default_factory=dict)
    noise: float = 0.0
    """spread of the random change before it, m and rad"""
    iterations: int = 25
    loose: bool = False
    """whether props that move are taken off what they stand on first"""
    commit: bool = False
    """whether contacts are decided first: on where they carry load, off elsewhere, and kept so"""

    def full(self) -> dict[str, float]:
        return {**WEIGHTS, **self.weights}


def _soft(share: float) -> dict[str, float]:
    """Kinematics at a share of their full weight."""
    return {name: share * WEIGHTS[name] for name in ("stretch", "limits", "through")}


def _contact(share: float) -> dict[str, float]:
    return {name: share * WEIGHTS[name] for name in ("closed", "slip")}


LADDER = (
    Stage("wishful", {"physics": 0, "gate": 0, "strain": 0, "cone": 0, "effort": 0, "skim": 0, "solid": 0, "on": 0,
                      "posture": 2.7, "ground": 0.75, "grasp": 2, **_soft(0.05), **_contact(0)}, iterations=30),
    Stage("reach", {"physics": 0.3, "posture": 1.08, "grasp": 10, "firm": 60, "sharp": 0.3, "rise": 3, "solid": 0,
                    "skim": 0, **_soft(0.3), **_contact(0.1)}, 0.01, loose=True),
    Stage("approach", {"physics": 0.5, "grasp": 10, "sharp": 0.2, "rise": 10, "solid": 0, "skim": 0.5, **_soft(0.6),
                       **_contact(0.3)}, 0.01),
    Stage("close", {"sharp": 0.1, "rise": 50, "solid": 0.3, "skim": 1, **_contact(0.6)}, 0.01),
    Stage("exact", {"rise": 50}, iterations=40),
    Stage("polish", {"physics": 10, "rise": 100, "brim": 0, "closed": 200, "slip": 400, "firm": 1, "inert": 1,
                     "cone": 10, "task": 150, "touch": 0, **_soft(6.0)}, iterations=90, commit=True),
)
CLIMBING = tuple(replace(stage, weights={**stage.weights, "sides": -0.04,
                                         "slip": (1.0 if stage.commit else 0.3) * stage.full()["slip"]})
                 for stage in LADDER)
"""The same with sides of boxes free to touch for contact points, and sliding cheaper until contacts are decided: walls
are climbed so, but boxes are hit more often."""
PATIENT = tuple(replace(stage, weights={**stage.weights, "pace": pace})
                for stage, pace in zip(CLIMBING, (4.0, 4.0, 4.0, 2.0, 0.0, 0.0), strict=True))
"""The same with trunks that go evenly at first, which leaves more time for what is hard."""
CLIMBS = ((LADDER, False), (CLIMBING, False), (PATIENT, False), (PATIENT, True), (PATIENT, True), (PATIENT, False),
          (PATIENT, True), (CLIMBING, False))
"""What is tried in turn: a ladder, and whether it goes on from the climb before (at `WARM`)."""
WARM = "close"
"""Where a climb starts that has an earlier solution to start from."""

