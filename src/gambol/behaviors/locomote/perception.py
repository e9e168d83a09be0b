"""What a walker feels and sees: its soles, the ground around, balls that fly at it; the present moment for its planner.

Situations are in an adult's units (`planning/preview/situation.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gambol.behaviors.limbs import Limbs
from gambol.control.contact.edges import drawn_in, drawn_in_on_things, on_edge
from gambol.control.contact.patches import PatchState, patch_states
from gambol.features import Kinematics
from gambol.gains import Gains
from gambol.params import param
from gambol.planning import step_targets
from gambol.planning.contact_phase import Strides
from gambol.planning.footholds import along, grade, ledge, survey
from gambol.planning.footing import turned, yaw_matrix
from gambol.planning.preview.plan import Plan
from gambol.planning.preview.schedule import Gait
from gambol.planning.preview.situation import Footplant, Ground, Leg, Situation, Support
from gambol.planning.preview.threats import Threat, foreseen
from gambol.world.walkable import walkable
from gambol.world.world import World

if TYPE_CHECKING:
    from gambol.behaviors.locomote.gains import LocomoteGains


@dataclass(frozen=True)
class SenseGains(Gains):
    """How far a walker sees and feels."""

    overhang: float = param(0.04, unit="m", low=0.0, high=0.2,
                            doc="points of a standing sole that are higher than this above the ground hang over an "
                                "edge")
    tilted: float = param(0.98, low=0.5, high=1.0,
                          doc="cosine of the angle between a sole and the ground from which on its rounded ends count")
    ahead: float = param(0.4, unit="s", low=0.0, high=1.5,
                         doc="the ground is looked at around where the body is in so long")
    hip_seen: float = param(0.5, low=0.0, high=1.0,
                            doc="how much the planner believes where the hips are from the COM now, against where "
                                "they are at rest")
    in_sight: float = param(20.0, unit="m", low=1.0, high=100.0, doc="balls farther away are no threat")
    overhead: float = param(4.0, unit="m", low=1.0, high=20.0, doc="nor are higher ones")


class Senses:
    """Soles of a tick, ground as it was when last looked at, and situations."""

    def __init__(self, world: World, limbs: Limbs, strides: Strides, kinematics: Kinematics,
                 gains: LocomoteGains) -> None:
        self.world, self.limbs, self.strides, self.kinematics = world, limbs, strides, kinematics
        self.gains, self.all_gains = gains.senses, gains
        self.walkable = walkable(world.surfaces, limbs.figure)
        self.care, self.ground = 1.0, Ground()
        """share of the wanted speed that suits the ground, and the ground"""
        self._drawn: dict[PatchState, PatchState] = {}
        """soles of this tick, drawn in from edges"""
        self._up: dict[str, np.ndarray] = {}
        """normal of each sole in its foot's axes"""

    # -- soles -----------------------------------------------------------------------------------------------------

    def soles(self) -> list[PatchState]:
        """The left and the right foot; one that is tilted far touches with the rounding of its toes or its heel."""
        self._drawn = {}
        every = patch_states(self.kinematics, self.world.surfaces)
        soles = [(every[k], *self.limbs.edges[k]) for k in self.limbs.order]
        self._up = {sole.role: up for sole, up, _ in soles}
        return [on_edge(sole, self.kinematics.frame(sole.body), up, radius)
                if radius and float(sole.rotation.dot(up) @ sole.normal[0]) < self.gains.tilted else sole
                for sole, up, radius in soles]

    def carrying(self, soles: list[PatchState]) -> list[PatchState]:
        """The soles, standing ones drawn in from edges that they hang over."""
        support, stance = self.strides.support, self.strides.stance
        if support is Support.FLIGHT:
            return soles
        return [self._drawn_in(sole) if foot == stance or support is Support.DOUBLE else sole
                for foot, sole in enumerate(soles)]

    def _drawn_in(self, sole: PatchState) -> PatchState:
        """A sole drawn in from the edge that it hangs over; kept for the tick."""
        if sole not in self._drawn:
            self._drawn[sole] = (
                drawn_in(sole, self.world.terrain, self.gains.overhang * self.limbs.size) if sole.touch is None
                else drawn_in_on_things(sole, self._up[sole.role], self.world.surfaces, self.limbs.figure))
        return self._drawn[sole]

    def _carrying_part(self, sole: PatchState) -> tuple[float, float]:
        """The part of the standing foot that carries, heel 0 to toe 1."""
        drawn = self._drawn_in(sole)
        if self.strides.support is Support.FLIGHT or drawn is sole:
            return (1.0, 1.0) if self.strides.on_toes else (0.0, 1.0)
        heel, toe, back, front = (points.mean(axis=0) for points in (
            sole.position[sole.heel], sole.position[sole.tip], drawn.position[sole.heel], drawn.position[sole.tip]))
        length = float(np.linalg.norm(toe - heel))
        begin, end = float(np.linalg.norm(back - heel)) / length, float(np.linalg.norm(front - heel)) / length
        return (end if self.strides.on_toes else begin), end

    # -- the ground and what flies ---------------------------------------------------------------------------------

    def look(self, soles: list[PatchState], plan: Plan | None, way: float, yaw: float) -> None:
        """See the ground around, for who goes one way and faces another, rad."""
        ground, limbs, size = self.walkable, self.limbs, self.limbs.size
        foot = place_of(soles[self.strides.stance])
        if self.strides.support is Support.FLIGHT and plan is not None:
            foot[2] = plan.level * size
        runs = plan is not None and plan.gait is Gait.RUN
        ahead = limbs.figure.com[:2] + self.gains.ahead * self.kinematics.com_velocity[:2]
        footholds = self.all_gains.footholds
        seen = survey(ground.height, ahead, float(foot[2]), limbs.foot_sizes[0].length, yaw, size, runs,
                      len(limbs.arms) > 0, footholds)
        profile = along(ground.height, foot, way, size, footholds)
        (up, down), high = grade(profile, footholds), ledge(profile, footholds)
        self.care = step_targets.careful(down if high else max(up, down), self.all_gains.steps)
        self.ground = Ground(lambda x, y: ground.height(x * size, y * size) / size,
                             None if seen is None else seen.unfit, high, max(up, down))

    def _threats(self, room: float) -> tuple[Threat, ...]:
        """Balls in the air that would pass nearer than this, m of an adult."""
        size, pace_, data, body, found = self.limbs.size, self.limbs.pace, self.world.data, self.kinematics, []
        for ball in self.world.projectiles if room > 0 else ():
            place, velocity = data.body(ball.name).xpos, data.joint(ball.name).qvel[:3]
            above = place[2] - float(self.walkable.height(*place[:2]))
            if np.hypot(*(place - body.com)[:2]) < self.gains.in_sight * size and above < self.gains.overhead * size:
                found.append(foreseen(place / size, velocity / pace_, body.com / size, body.com_velocity / pace_, room,
                                      self.all_gains.preview.threats))
        return tuple(threat for threat in found if threat is not None)

    # -- the present moment ----------------------------------------------------------------------------------------

    def situation(self, soles: list[PatchState], plan: Plan | None, yaw: float, turning: float,
                  room: float) -> Situation:
        """The present moment, of who is thought to face this way and to turn this fast, and wants so much room."""
        limbs, strides, size, time = self.limbs, self.strides, self.limbs.size, self.world.time
        body = self.kinematics
        places = [place_of(sole) for sole in soles]
        if strides.support is not Support.DOUBLE:  # a foot in the air is where it is
            places[strides.other][2] = float(soles[strides.other].position[:, 2].min())
        if strides.support is Support.FLIGHT and plan is not None:  # the ground it left, not what is below now
            places[strides.stance][2] = plan.level * size
        left, right = (Footplant(place / size, yaw + turned(limbs.facing(k) - yaw)) for k, place in enumerate(places))
        return Situation(body.com / size, body.com_velocity / limbs.pace, yaw, turning, strides.support,
                         strides.stance, (left, right), (self._leg(0, places[0], plan), self._leg(1, places[1], plan)),
                         (time - strides.exchanged) / limbs.pace, strides.swung(time) / limbs.pace,
                         strides.origin / size, self._carrying_part(soles[strides.stance]), self.ground,
                         self._threats(room))

    def _leg(self, foot: int, place: np.ndarray, plan: Plan | None) -> Leg:
        """A leg with its hip where it is seen, and longer while its heel is up."""
        leg, figure = self.limbs.legs[foot], self.limbs.figure
        away = figure.data.xpos[self.limbs.thighs[foot]] - self.kinematics.com
        seen = yaw_matrix(-figure.heading) @ away / self.limbs.size
        hip = leg.hip + self.gains.hip_seen * (seen - leg.hip) * [1.0, 0.0, 1.0]
        return replace(leg, hip=hip, longest=leg.longest + self._raised(foot, place, plan))

    def _raised(self, foot: int, place: np.ndarray, plan: Plan | None) -> float:
        """How much longer the leg that carries is because its heel has not come down yet, in an adult's units; of who
        climbs it is not."""
        strides, limbs = self.strides, self.limbs
        climbs = plan is not None and plan.climbs
        if foot != strides.stance or strides.on_toes or strides.support is Support.FLIGHT or climbs:
            return 0.0
        height = limbs.figure.data.xpos[limbs.feet[foot], 2] - place[2]
        return float(np.clip(float(height) / limbs.size - limbs.legs[foot].foot.below, 0.0,
                             self.all_gains.preview.rising.tiptoe_most))


def place_of(sole: PatchState) -> np.ndarray:
    """Middle of a sole, put down on the highest ground under it, (3,)."""
    ends = sole.position[sole.ends]
    place = ends.sum(axis=0) / len(ends)
    place[2] = sole.ground[:, 2].max()
    return place
