"""Go anywhere: one behavior walks, runs, turns and steps over rough ground by planning ahead.

    python examples/09_go_anywhere.py            writes tour.npz here
    gambol view tour.npz                         and see it
"""

import sys
from pathlib import Path

from gambol import World, make_behavior, make_character
from gambol.motion.motion import Motion

TOUR = [(0.0, {"speed": 1.2}),
        (2.0, {"heading": 40.0}),
        (4.0, {"speed": 0.6, "direction": -90.0}),
        (5.5, {"speed": 0.0, "direction": 0.0})]
"""When, s, and which goals change. Nothing else tells it how to get from one to the next."""


def main(folder: str = ".") -> None:
    world = World(make_character("human"), "rough:height=0.1")
    behavior = make_behavior("locomote", world)
    goals = list(TOUR)
    while world.time < 7.0:
        if goals and world.time >= goals[0][0]:
            for name, value in goals.pop(0)[1].items():
                behavior.params.set(name, value)
        world.step(behavior.act())
    x, y, _ = world.figure.com
    path = Path(folder) / "tour.npz"
    Motion.from_world(world, behavior="locomote", params=behavior.params.as_dict()).save(path)
    print(f"went to ({x:.1f}, {y:.1f}) m in {behavior.steps} steps; wrote {path}")  # type: ignore[attr-defined]


if __name__ == "__main__":
    main(*sys.argv[1:])
