"""What a tick costs with more patches than two soles, each ratio measured in one run, in turn.

    python benchmarks/patches.py [PAIRS]

The human stands; things that do not move are beside hands, forearms and knees. `near`: eight patches are looked at,
their things are 2.5 cm away, the soles alone carry. `carrying`: the things touch, and all eight carry. `on the floor`:
it is on elbows, palms, knees and toes, ten patches carry, and it wants to stay so. `out of reach`: that, but the centre
of mass shall rise as nothing could make it: the bounds cost a higher level, and QPs find how much, level by level.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.control.contact import support_points
from gambol.control.contact.objectives import hold_contacts
from gambol.control.contact.patches import patch_states, planted
from gambol.control.objectives import Objective, setpoint
from gambol.control.problem import WholeBodyProblem
from gambol.control.solvers import PrioritizedSolver
from gambol.features import Kinematics, Pose
from gambol.world.props import Platform
from gambol.world.starts import Start, State
from gambol.world.world import World

ROLES = ("left_foot", "right_foot", "left_palm", "right_palm", "left_forearm", "right_forearm", "left_knee",
         "right_knee")
BODY, TICKS = "human44", 200
SIZE, THICKNESS = 0.2, 0.2
"""Of the things, m."""
ON_FOURS = {"waist_pitch": 0.331, "hip_flexion": 1.165, "knee": 1.149, "ankle_flexion": -0.823, "toes": -0.125,
            "shoulder_flexion": 1.839, "elbow": 1.729, "forearm_rotation": -1.346, "wrist_flexion": 0.014,
            "wrist_deviation": 0.386, "shoulder_rotation": 0.085, "shoulder_abduction": 0.174}
HEIGHT, PITCH = 0.465, 1.602
"""The joints of who is on elbows and knees, rad; how high the root is, m, and how far it leans forward, rad."""


def scene(gap: float | None) -> World:
    """The human; beside each further patch a block that does not move, so far away (m)."""
    bare = World(make_character(BODY), starts=[Start(jitter=0.0)])
    if gap is None:
        return bare
    figure, blocks = bare.figure, []
    for role in ROLES[2:]:
        patch = figure.patches[role]
        points = bare.data.xpos[patch.body] + patch.points @ bare.data.xmat[patch.body].reshape(3, 3).T
        x, y, z = points.mean(axis=0)
        axis, way = (1, -np.sign(y)) if patch.kind == "palm" else (0, 1.0 if patch.kind == "knee" else -1.0)
        middle = way * ((points[:, axis] * way).max() + gap + SIZE / 2)
        blocks.append(Platform(name=role, x=float(middle if axis == 0 else x), y=float(middle if axis == 1 else y),
                               z=float(z - THICKNESS / 2), size=SIZE, thickness=THICKNESS, amplitude=0.0))
    joints = [bare.data.joint(int(joint)) for joint in figure.joints]
    place = {joint.name.removeprefix(figure.prefix): (joint.qpos.copy(), joint.qvel.copy()) for joint in joints}
    return World(make_character(BODY), props=blocks, starts=[Start(state=State(place, "bare"))])


def tick(world: World, roles: tuple[str, ...]) -> tuple[Callable[[], None], int]:
    """One tick of balance with contacts of these patches, and how many of them carry."""
    behavior = make_behavior("balance", world)
    kinematics, solver = Kinematics(world.figure), PrioritizedSolver()
    patches = world.figure.patch_set(roles)
    carrying = sum(state.touches for state in patch_states(kinematics.refresh(), world.surfaces, patches))

    def work() -> None:
        kinematics.refresh()
        states = patch_states(kinematics, world.surfaces, patches)
        support = support_points(states, planted(states))
        support.standing = support_points(states[:2], planted(states[:2]))
        solver.torques(WholeBodyProblem(kinematics, support, behavior.objectives(kinematics, support)))

    return work, carrying


def on_fours() -> World:
    """The human on elbows and knees."""
    bare = World(make_character(BODY), starts=[Start(jitter=0.0)])
    turned = np.array([0.0, 0.0, HEIGHT, np.cos(PITCH / 2), 0.0, np.sin(PITCH / 2), 0.0])
    place = {}
    for joint in (bare.data.joint(int(joint)) for joint in bare.figure.joints):
        name = joint.name.removeprefix(bare.figure.prefix)
        bend = ON_FOURS.get(name, ON_FOURS.get(name.partition("_")[2], 0.0))
        place[name] = (turned if len(joint.qpos) == 7 else np.array([bend]), np.zeros(len(joint.qvel)))
    return World(make_character(BODY), starts=[Start(state=State(place, "on fours"))])


def stay(world: World, rise: float = 0.0) -> tuple[Callable[[], None], int]:
    """One tick of who wants to stay so, the centre of mass rising so fast (m/s2), and how many patches carry."""
    kinematics, solver, pose = Kinematics(world.figure), PrioritizedSolver(), Pose(world.figure)
    patches = world.figure.patch_set(tuple(world.figure.patches))
    rest = kinematics.refresh().angles.copy()
    carrying = sum(state.touches for state in patch_states(kinematics, world.surfaces, patches))

    def work() -> None:
        kinematics.refresh()
        states = patch_states(kinematics, world.surfaces, patches)
        support = support_points(states, [state.near for state in states])
        wishes = [setpoint(pose, pose.at(kinematics), rest, 3, kp=400.0, weight=0.2), hold_contacts(support),
                  Objective("com", 2, kinematics.com_jacobian, np.array([0.0, 0.0, rise]) - kinematics.com_bias),
                  Objective("momentum", 3, kinematics.momentum_matrix, -kinematics.momentum_bias)]
        solver.torques(WholeBodyProblem(kinematics, support, wishes))

    return work, carrying


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    jobs = {"two soles": tick(scene(None), ROLES[:2]), "near": tick(scene(0.025), ROLES),
            "carrying": tick(scene(0.001), ROLES), "on the floor": stay(on_fours()),
            "out of reach": stay(on_fours(), 60.0)}
    base, carrying = jobs.pop("two soles")
    print(f"two soles: {carrying} patches carry")
    for name, (work, carrying) in jobs.items():  # heavy jobs would slow down those that come after them
        pairs_of_times = np.array([(timed(base), timed(work)) for _ in range(pairs)])
        before, after = np.median(pairs_of_times, axis=0)
        print(f"{name}: {carrying} patches carry, {1e3 * after / TICKS:.3f} ms a tick, "
              f"{np.median(pairs_of_times[:, 1] / pairs_of_times[:, 0]):.2f} times two soles "
              f"({1e3 * before / TICKS:.3f} ms; {pairs} pairs)", flush=True)


def timed(work: Callable[[], None]) -> float:
    """Seconds of the processor's work on so many ticks."""
    begin = time.process_time()
    for _ in range(TICKS):
        work()
    return time.process_time() - begin


if __name__ == "__main__":
    main()
