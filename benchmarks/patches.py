"""What a tick costs with more patches than two soles, each ratio measured in one run, in turn.

    python benchmarks/patches.py [PAIRS]

The human stands; things that do not move are beside hands, forearms and knees. `near`: eight patches are looked at,
their things are 2.5 cm away, the soles alone carry. `carrying`: the things touch, and all eight carry.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.control.contact import support_points
from gambol.control.contact.patches import patch_states, planted
from gambol.control.problem import WholeBodyProblem
from gambol.control.solvers import PrioritizedSolver
from gambol.features import Kinematics
from gambol.world.props import Platform
from gambol.world.starts import Start, State
from gambol.world.world import World

ROLES = ("left_foot", "right_foot", "left_palm", "right_palm", "left_forearm", "right_forearm", "left_knee",
         "right_knee")
BODY, TICKS = "human44", 200
SIZE, THICKNESS = 0.2, 0.2
"""Of the things, m."""


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
        solver.torques(WholeBodyProblem(kinematics, support, behavior.objectives(kinematics, support)))

    return work, carrying


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    jobs = {"two soles": tick(scene(None), ROLES[:2]), "near": tick(scene(0.025), ROLES),
            "carrying": tick(scene(0.001), ROLES)}
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(pairs):
        for name, (work, _) in jobs.items():
            begin = time.process_time()
            for _ in range(TICKS):
                work()
            seconds[name].append(time.process_time() - begin)
    base = np.array(seconds["two soles"])
    for name, (_, carrying) in jobs.items():
        ratio = np.median(np.array(seconds[name]) / base)
        print(f"{name}: {carrying} patches carry, {1e3 * np.median(seconds[name]) / TICKS:.3f} ms a tick, "
              f"{ratio:.2f} times two soles ({pairs} in turn)")


if __name__ == "__main__":
    main()
