"""Follow: do a Motion again, under physics and whatever happens meanwhile.

| priority | objective | reference |
|---|---|---|
| 1 | contact | the ends of soles that carry in the Reference, as far as they touch |
| 2 | com | its acceleration about the planned pressure point; capture feedback, kept inside the feet |
| 3 | root, trunk, head | turned, turning and turning faster as in the Reference |
| 3 | feet in the air | their paths, moved by footholds that adapt (`footholds.py`) |
| 3 | angular momentum | that of the Reference |
| 3 | pose | the angles of the Reference; legs count little, feet and COM tell them |

Where in the Reference it is says a clock that waits for contacts (`clock.py`). After the last row the figure brakes
and stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from gambol.behaviors.behavior import register
from gambol.behaviors.follow.clock import Phase, PhaseClock
from gambol.behaviors.follow.footholds import Footholds
from gambol.behaviors.follow.gains import FollowGains
from gambol.behaviors.follow.source import reference_from, scene_from
from gambol.behaviors.follow.tracking import Swing, Tracking
from gambol.behaviors.scenes import DefaultScene
from gambol.behaviors.whole_body import WholeBodyBehavior
from gambol.bodies.character import Character
from gambol.control.backends.whole_body import WholeBodyQP
from gambol.control.contact.objectives import foot_down, hold_contacts, props_rest
from gambol.control.contact.patches import PatchState, patch_states
from gambol.control.contact.support import SupportPoints, support_points
from gambol.control.objectives import Objective
from gambol.control.solvers import SOLVERS
from gambol.features import Kinematics
from gambol.motion.reference import Reference
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.planning import capture
from gambol.planning.reference.halt import halted
from gambol.planning.reference.placed import heading_of, moved, part_of_reference
from gambol.units import GRAVITY
from gambol.world.world import World

LEAST_GRAVITY = 2.0
"""What the ground pulls with at least in the pendulum's rate, m/s2: a plan that falls has none."""
SAME_PLACE, SAME_WAY = 0.3, 0.3
"""A figure that begins so near to the reference (m, rad) follows it where it is; else it is moved to the figure."""


@register
class Follow(WholeBodyBehavior):
    """does a motion under physics: a clip, a take or a plan; steps adapt to pushes, its clock to contacts

    `gambol run follow --motion walk.npz`
    """

    needs = ("root", "feet")

    @dataclass
    class Params(BaseParams):
        motion: str = param("", doc="what is followed, a file: a Motion (.npz) or a recorded clip (.bvh)")
        speed: float = param(1.0, low=0.25, high=2.0, doc="how fast, against the motion")
        loop: bool = param(False, doc="begin again where it ends")
        mirrored: bool = param(False, doc="left for right, of a recorded clip")
        begin: float = param(0.0, unit="s", low=0.0, high=3600.0, doc="where in the motion it begins")
        end: float = param(0.0, unit="s", low=0.0, high=3600.0, doc="where it ends; 0: at its end")
        tightness: float = param(1.0, low=0.2, high=3.0, doc="how stiffly pose, turns and feet are kept")
        solver: str = param("weighted", choices=tuple(SOLVERS), doc="one weighted problem, or strict priorities")

    Gains = FollowGains
    gains: FollowGains

    @classmethod
    def scene_of(cls, settings: Mapping[str, Any], seed: int, character: str | Character | None = None
                 ) -> DefaultScene | None:
        """Who is in the motion, in the state in which it begins."""
        params = cls.Params.parse(dict(settings))
        return scene_from(params.motion, params.begin, character, params.mirrored)

    def make_back_end(self) -> WholeBodyQP:
        return WholeBodyQP(self.params, self.gains.limit_rate)

    def start(self) -> None:
        super().start()
        params = self.params
        whole = reference_from(params.motion, self.figure, params.mirrored)
        reference = self._beside(part_of_reference(whole, params.begin, params.end))
        self._take_up(reference if params.loop else halted(reference, self.figure, params.speed))

    def _take_up(self, reference: Reference) -> None:
        """Begin with a reference."""
        gains = self.gains
        self.reference, self._tightness = reference, self.params.tightness
        self.clock = PhaseClock(reference, gains.clock, sqrt(self.size))
        self.footholds = Footholds(reference, gains.footholds, self.size)
        self.tracking = Tracking(self.figure, reference, gains.parts, self.params.tightness, self.tick_length)
        self.error, self.pressed, self.short = np.zeros(2), np.zeros(2), 0.0
        """capture error, what the pressure point does against it, and how far out of reach that was wanted, m"""
        self.hold: np.ndarray | None = None
        """(2,) from where the COM goes over the feet, after the end"""
        self.phase = Phase(0.0, 0, 0.0, {})

    def _beside(self, reference: Reference) -> Reference:
        """The reference where the figure stands and faces, unless it is there."""
        root = reference.qpos[0]
        turn = self.figure.heading - heading_of(root[3:7])
        turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
        place = self.figure.position[:2]
        if np.linalg.norm(place - root[:2]) < SAME_PLACE * self.size and abs(turn) < SAME_WAY:
            return reference
        return moved(reference, turn, root[:2], place)

    # -- the tick ----------------------------------------------------------------------------------------------------

    def act(self) -> np.ndarray:
        kinematics = self.sense()
        if self.params.tightness != self._tightness:
            self._tightness = self.params.tightness
            self.tracking = Tracking(self.figure, self.reference, self.gains.parts, self._tightness, self.tick_length)
        if self.clock.over and self.params.loop:
            self._again()
        patches = patch_states(kinematics, self.world.surfaces)
        phase = self.phase = self.clock.tick(patches, self.tick_length, self.params.speed, self.short)
        if phase.rate:
            speed = self.params.speed
            velocity = speed * self.reference.at(self.reference.com_velocity, phase.time)[:2]
            self.footholds.gain(velocity, (phase.rate / speed - 1.0) * self.tick_length)
        else:
            phase = self.phase = Phase(phase.time, phase.row, 0.0, dict.fromkeys(phase.down, True))
        places = {patch.role: kinematics.data.xpos[patch.body] for patch in patches}
        self.footholds.see(phase, patches, places, self.tick_length)
        held = [self._held(phase, patch) for patch in patches]
        support = support_points(patches, held, self.gains.support)
        objectives = [hold_contacts(support), *props_rest(support)] if support.count else []
        if support.touches:
            objectives.append(self._com(kinematics, support, phase))
        objectives += self.tracking.bearing(kinematics, phase)
        for patch, mask in zip(patches, held, strict=True):
            objectives += self._foot(kinematics, phase, patch, mask)
        return self.back_end.torques(kinematics, support, [*objectives, *self.tracking.whole(kinematics, phase)])

    def _again(self) -> None:
        """From its first row on, which is put where the last one was."""
        first, last, shift = self.reference.qpos[0], self.reference.qpos[-1], self.footholds.shift
        turn = heading_of(last[3:7]) - heading_of(first[3:7])
        self._take_up(moved(self.reference, turn, first[:2], last[:2] + shift))

    def _held(self, phase: Phase, patch: PatchState) -> np.ndarray:
        """Which points of a foot carry, a mask: those near the ground of the ends that are down in the reference."""
        near = np.asarray(patch.near)
        if not phase.down[patch.role]:
            return np.zeros_like(near)
        heel, toe = self.reference.touching[phase.row, self.reference.patches.index(patch.role)].tolist()
        if phase.rate == 0.0 or heel == toe:
            return near
        wanted = np.zeros_like(near)
        wanted[patch.heel if heel else patch.toe] = True
        return near & wanted

    def _com(self, kinematics: Kinematics, support: SupportPoints, phase: Phase) -> Objective:
        """The COM goes as in the reference, and its capture point comes back to the reference's.

            p = p_r + (1 + gain) (xi - xi_r),  kept between the points that carry;  c'' = w^2 (c - p)

        with p_r the pressure point that the COM of the reference asks for. What the planned turning of limbs and trunk
        takes of the room between the points is left to it.
        """
        reference, gains, speed = self.reference, self.gains.com, self.params.speed if phase.rate else 0.0
        com, velocity, onward = (reference.at(values, phase.time) for values in
                                 (reference.com, reference.com_velocity, reference.com_acceleration))
        velocity, onward = speed * velocity, speed**2 * onward
        goal = com[:2] + self.footholds.shift
        if not phase.rate:
            goal = self._braked(goal, support)
        w = sqrt(max(GRAVITY + onward[2], LEAST_GRAVITY) / max(kinematics.com[2], 0.3 * self.size))
        here, now = kinematics.com[:2], kinematics.com_velocity[:2]
        self.error = capture.capture_point(here, now, w) - capture.capture_point(goal, velocity[:2], w)
        planned = goal - onward[:2] / w**2
        wanted = planned + (1.0 + gains.gain) * self.error
        turning = gains.turning * speed**2 * reference.at(reference.pressure_shift, phase.time)
        points = support.touching(support.ground)[:, :2]
        pressure = capture.supported(points, wanted + turning, gains.inside) - turning
        self.short = float(np.linalg.norm(wanted - pressure)) / (1.0 + gains.gain)
        self.pressed = pressure - planned
        rise = onward[2] + gains.height_kp * (com[2] - kinematics.com[2]) + 2.0 * sqrt(gains.height_kp) * (
            velocity[2] - kinematics.com_velocity[2])
        desired = np.append(w**2 * (here - pressure), rise)
        return Objective(self.com.name, 2, kinematics.com_jacobian, desired - kinematics.com_bias, gains.weight)

    def _braked(self, last: np.ndarray, support: SupportPoints) -> np.ndarray:
        """Where the COM should be after the end, (2,): it goes from its last place to over the feet."""
        middle = support.center[:2]
        self.hold = last if self.hold is None else self.hold
        self.hold = self.hold + (middle - self.hold) * min(self.gains.com.brake * self.tick_length, 1.0)
        return self.hold

    def _foot(self, kinematics: Kinematics, phase: Phase, patch: PatchState, held: np.ndarray) -> list[Objective]:
        """What a foot is to do besides carrying."""
        if phase.down[patch.role] and patch.touches:
            return [] if held.all() or not phase.rate else self.tracking.rolling(kinematics, phase, patch)
        if not phase.rate:
            return [foot_down(patch)]
        w = capture.natural_rate(float(kinematics.com[2]), GRAVITY)
        offset, speed = self.footholds.swing(patch.role, phase, self.error, self.pressed, w, self.tick_length)
        return self.tracking.swing(kinematics, phase, patch, Swing(offset, speed, phase.down[patch.role]))

    # -- how it goes -------------------------------------------------------------------------------------------------

    @property
    def uses(self) -> tuple[str, ...]:
        """Patches that touch in the reference about now."""
        near = round(self.gains.fall.touch * self.reference.rate)
        rows = self.reference.down[max(self.phase.row - near, 0):self.phase.row + near + 1]
        used = np.any(rows, axis=0).tolist()
        return tuple(role for role, down in zip(self.reference.patches, used, strict=True) if down)

    def failed(self, world: World | None = None) -> str | None:
        """A part touches that does not in the reference about now, or the COM is far below the reference's."""
        world = world or self.world
        figure, below = world.figures[self.index], self.gains.fall.below * self.size
        if figure.com[2] < self.reference.com[self.phase.row, 2] - below:
            return f"centre of mass {below:.2f} m below the motion it follows"
        return world.contacts.touched(figure, self.uses)

    def notes(self) -> dict[str, float | str]:
        """Clock and errors of this tick."""
        return {"clock": self.phase.time, "clock rate": self.phase.rate,
                "capture error": float(np.linalg.norm(self.error)),
                "shift": float(np.linalg.norm(self.footholds.shift))}
