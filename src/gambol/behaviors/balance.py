"""Balance: feet planted, centre of mass above them, everything else calm [delasa2011, table 4.1 and 4.2].

| priority | objective | reference |
|---|---|---|
| 1 | contact: every sole point near the ground, but heels that rest in the air | its own place on the ground |
| 2 | com | over the middle of the sole points, at the commanded height; along the ground by the capture point |
| 3 | angular momentum | zero; after a hard push, what the capture point asks for (the body turns like a flywheel) |
| 3 | pose | the rest pose; the legs give way first, so that a lower height is a squat |
| 3 | foot down | a foot that has lost the ground goes back to it |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from gambol.behaviors.behavior import register
from gambol.behaviors.palms import SIDES, PalmGains, Palms
from gambol.behaviors.scenes import DefaultScene, Preset
from gambol.behaviors.whole_body import WholeBodyBehavior, within_tick, zero_pose_up
from gambol.control.contact.edges import drawn_in_on_things
from gambol.control.contact.gains import SupportGains
from gambol.control.contact.objectives import foot_down, hold_contacts, props_rest
from gambol.control.contact.patches import PatchState, patch_states
from gambol.control.contact.support import SupportPoints, support_points
from gambol.control.objectives import Objective, setpoint
from gambol.control.pose_gains import pose_gains, pose_weights
from gambol.control.reference import SmoothReference
from gambol.control.solvers import SOLVERS
from gambol.features import Kinematics
from gambol.gains import Gains
from gambol.params import Params as BaseParams
from gambol.params import param
from gambol.planning import capture
from gambol.planning.carried import Carried, CarriedGains
from gambol.planning.footing import as_they_stand, stands
from gambol.units import GRAVITY
from gambol.world.props import Box, Chair, Platform, Prop
from gambol.world.starts import Start


@dataclass(frozen=True)
class BalanceGains(Gains):
    """How far balance goes, and what it counts on."""

    edge: float = param(0.99, low=0.1, high=1.0, doc="share of the area between the sole points where the pressure may "
                                                     "go")
    safe: float = param(0.9, low=0.1, high=1.0, doc="... and where the capture point is safe")
    most_turn: float = param(0.25, low=0.0, high=2.0, doc="most that turning may shift the pressure point, as a share "
                                                          "of the height of the centre of mass")
    lean_drop: float = param(0.15, low=0.0, high=0.5, doc="share of its height that the centre of mass loses when the "
                                                          "trunk lies level: legs need not stretch for a lean")
    palms: PalmGains = field(default=PalmGains())
    carried: CarriedGains = field(default=CarriedGains())
    support: SupportGains = field(default=SupportGains())


def _preset(*props: Prop, hands: str = "none", character: str | None = None, terrain: str = "flat") -> Preset:
    """Standing in the middle of what there is."""
    place = Start(x=0.0, y=0.0) if props or terrain != "flat" else None
    return Preset({"hands": hands}, scene=DefaultScene(character, terrain, props, start=place))


@register
class Balance(WholeBodyBehavior):
    """keeps its balance when pushed, on any body with feet; squats and stretches by its height"""

    needs = ("root", "feet")
    Gains = BalanceGains
    presets = {
        "on the floor": _preset(),
        "on a box": _preset(Box(x=0.0, size=0.6, height=0.3, mass=20.0)),
        "on a loose crate": _preset(Box(name="crate", x=0.0, size=0.9, height=0.3, mass=40.0, color="wood")),
        "on a chair": _preset(Chair(x=0.0, fixed=True)),
        "on a platform": _preset(Platform(axis="y", amplitude=0.15, period=2.0, z=0.0)),
        "palm on a wall": _preset(hands="left", character="human44", terrain="wall:distance=0.6,bearing=90")}

    @dataclass
    class Params(BaseParams):
        height: float = param(1.0, low=0.6, high=1.2, doc="height of the centre of mass, as a share of standing")
        com_stiffness: float = param(200.0, unit="1/s2", low=20.0, high=600.0, doc="pull to the commanded height")
        recovery: float = param(8.0, unit="1/s", low=1.0, high=20.0, doc="how fast the capture point is brought back")
        flywheel: float = param(6.0, low=0.0, high=12.0, doc="how hard the body turns when feet alone cannot save it")
        calm: float = param(9.4, unit="1/s", low=0.0, high=60.0, doc="how fast angular momentum is taken out")
        calm_weight: float = param(0.5, low=0.0, high=10.0, doc="angular momentum against pose")
        hands: str = param("none", choices=tuple(SIDES), doc="palms that are put on what is in reach: walls, tables")
        solver: str = param("prioritized", choices=tuple(SOLVERS), doc="strict priorities, or one weighted problem")

    def start(self) -> None:
        super().start()
        figure = self.figure
        self.pose_kp = within_tick(pose_gains(figure), self.tick_length)
        self.pose_kv = 2.0 * np.sqrt(self.pose_kp)
        self.pose_weight = pose_weights(figure)
        self.trunk = figure.body_id("trunk" if figure.has("trunk") else "root")
        self.trunk_up = zero_pose_up(figure, self.trunk)
        self.palms: Palms | None = None
        self.shifts: list[complex] = []
        """how far each palm that touches can shift the pressure point, m"""
        self.resized()
        self.reference, self.carried = SmoothReference(figure.com), Carried(self.gains.carried)

    def resized(self) -> None:
        self.stands = stands(self.figure)
        self.flat = not any(stand.rounding for stand in self.stands)
        self.palms = None if self.palms is None else self.palms.again()

    def act(self) -> np.ndarray:
        kinematics = self.sense()
        soles = patch_states(kinematics, self.world.surfaces)
        if not self.flat:
            soles = as_they_stand(soles, kinematics, self.stands)
        if not self.world.surfaces.bare:
            soles = [drawn_in_on_things(sole, stand.up, self.world.surfaces, self.figure)
                     for sole, stand in zip(soles, self.stands, strict=True)]
        held = [stand.points if sole.touches else np.zeros_like(stand.points)
                for sole, stand in zip(soles, self.stands, strict=True)]
        support, self.shifts = support_points(soles, held, self.gains.support), []
        reaches: list[Objective] = []
        if self.params.hands != "none":
            support, reaches = self._with_palms(kinematics, support, soles, held)
        objectives = [*self.objectives(kinematics, support), *reaches,
                      *(foot_down(sole) for sole in soles if not sole.touches)]
        return self.back_end.torques(kinematics, support, objectives)

    @property
    def uses(self) -> tuple[str, ...]:
        return tuple(f"{side}_hand" for side in SIDES[self.params.hands])

    def _with_palms(self, kinematics: Kinematics, feet: SupportPoints, soles: list[PatchState],
                    held: list[np.ndarray]) -> tuple[SupportPoints, list[Objective]]:
        """Support by feet and palms, and the objectives of palms that touch nothing yet."""
        if self.palms is None or self.palms.which != self.params.hands:
            self.palms = Palms(self.figure, self.world.surfaces, self.params.hands, self.gains.palms)
        hands = self.palms.feel(kinematics)
        self.shifts = self.palms.shifts(hands)
        support = support_points([*soles, *hands], [*held, *(hand.near for hand in hands)], self.gains.support)
        support.standing = feet
        return support, self.palms.reaches(kinematics, hands)

    def objectives(self, kinematics: Kinematics, support: SupportPoints) -> list[Objective]:
        """What it wants at this tick."""
        momentum = kinematics.momentum
        turn = -self.params.calm * momentum
        objectives = [setpoint(self.pose, self.pose.at(kinematics), self.figure.rest, 3, kp=self.pose_kp,
                               kv=self.pose_kv, weight=self.pose_weight)]
        if support.count:
            objectives += [hold_contacts(support, emerging=True), *props_rest(support)]
        feet = support.standing or support
        if feet.touches:
            reference = self._move_reference(feet)
            (x, y), (turn[0], turn[1]) = self._recover(kinematics, momentum, feet, reference)
            desired = np.array([x, y, self._rise(kinematics, reference, feet)])
            objectives.append(Objective(self.com.name, 2, kinematics.com_jacobian, desired - kinematics.com_bias))
        calm = Objective(self.momentum.name, 3, kinematics.momentum_matrix, turn - kinematics.momentum_bias,
                         self.params.calm_weight)
        return [calm, *objectives]

    def _rise(self, kinematics: Kinematics, reference: SmoothReference, support: SupportPoints) -> float:
        """Vertical acceleration of the COM."""
        drop, dropping = self._lean_drop(kinematics)
        gap = float(reference.value[2] - kinematics.com[2]) - drop
        lag = float(reference.velocity[2] - kinematics.com_velocity[2]) - dropping
        kp, up = self.params.com_stiffness, float(reference.acceleration[2])
        if support.carried is not None:  # the reference is relative to the moving surface
            lag, up = lag + float(support.carried[2]), up + float(support.carried[5])
        return kp * gap + 2.0 * sqrt(kp) * lag + up

    def _recover(self, kinematics: Kinematics, momentum: np.ndarray, support: SupportPoints,
                 reference: SmoothReference) -> tuple[tuple[float, float], tuple[float, float]]:
        """Horizontal acceleration of the COM, and rate of the angular momentum that goes with it, (x, y) each.

        With `xi = c + c'/w` and `s = w (L_y, -L_x) / (m g)`, `zeta = xi + s` is where the capture point would be if
        the body stopped turning now; only the pressure point moves it: `zeta' = w (xi - p)`.

            p = zeta_r + (1 + recovery / w) (zeta - zeta_r), kept between the feet, and as far beyond as palms push
            l = flywheel (zeta - its nearest safe place) - calm s / w, at most most_turn high
            c'' = w^2 (c - p - l),   L' = m g l

        So the feet act first. The body turns only while they cannot catch it even after the turning is stopped again;
        then the turning is taken out. Without this the COM level would turn the body at every push, and run out of
        room when it is needed.
        """
        params, gains, weight = self.params, self.gains, self.figure.mass * GRAVITY
        x, y, z = kinematics.com.tolist()
        points = support.touching(support.ground).tolist()
        height = z - sum([point[2] for point in points]) / len(points)
        w = capture.natural_rate(height, GRAVITY)
        # horizontal vectors as complex numbers: quicker than arrays of two
        place, feet = complex(x, y), [complex(point[0], point[1]) for point in points]
        for shift in self.shifts:
            feet += [foot + shift for foot in feet]
        goal = capture.capture_point(_flat(reference.value), _flat(reference.velocity), w)
        spin = w / weight * -1j * _flat(momentum)
        stopped = capture.capture_point(place, _flat(kinematics.com_velocity), w) + spin
        going = goal if support.carried is None else goal + complex(*self.carried.lead(support.carried, w))
        wanted = capture.correcting_pressure(stopped, going, goal, w, params.recovery)
        pressure = capture.between(feet, wanted, gains.edge)
        turn = params.flywheel * (stopped - capture.between(feet, stopped, gains.safe)) - params.calm / w * spin
        turn *= min(1.0, gains.most_turn * height / max(abs(turn), 1e-9))
        pull, moment = w**2 * (place - pressure - turn), weight * 1j * turn
        return (pull.real, pull.imag), (moment.real, moment.imag)

    def _lean_drop(self, kinematics: Kinematics) -> tuple[float, float]:
        """How much lower the COM may be while the trunk leans, m, and how fast that changes.

        A squat has bent the legs already and needs no more of it.
        """
        x, y, z = kinematics.data.xmat[self.trunk].reshape(3, 3).dot(self.trunk_up).tolist()
        drop = self.gains.lean_drop * (1.0 - z) - max(0.0, 1.0 - self.params.height)
        if drop <= 0.0:
            return 0.0, 0.0
        spin = kinematics.data.cvel[self.trunk].tolist()
        rising = spin[0] * y - spin[1] * x
        tall = self.figure.standing_height
        return tall * drop, -tall * self.gains.lean_drop * rising

    def _move_reference(self, support: SupportPoints) -> SmoothReference:
        """Let the reference of the COM glide over the middle of the feet, to the commanded height."""
        goal = support.center.copy()
        goal[2] += self.params.height * self.figure.standing_height
        if support.carried is not None:
            self.carried.see(support.carried, self.tick_length)
            self.reference.value = self.reference.value + self.tick_length * support.carried[:3]
        self.reference.toward(goal, self.tick_length)
        return self.reference


def _flat(vector: np.ndarray) -> complex:
    """The horizontal part of a vector."""
    x, y, _ = vector.tolist()
    return complex(x, y)
