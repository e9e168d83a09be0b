"""How well do the feet hold the ground? Penetration and creep, with gambol's contacts and with MuJoCo's defaults.

    python benchmarks/contact.py            all of docs/honest-physics.md, a few minutes
    python benchmarks/contact.py 2          the same with measurements of 2 s

The human balances on level ground, with a lasting side force of 40 N, and with both feet on a sloped box (10 degrees,
friction 1). After 3 s to settle, the sole points are watched for 10 s:

    penetration   how deep the sole points are below the ground (above counts 0): mean, and the deepest moment (mm)
    creep         how fast the feet drift along the ground: distance from first to last moment over time (mm/s)

Nothing but the named settings differs between the rows of a case.
"""

import sys
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from gambol.behaviors import make_behavior
from gambol.bodies import make_character
from gambol.bodies.character import Character
from gambol.params import Params as BaseParams
from gambol.world.pushes import Push
from gambol.world.terrain import register
from gambol.world.terrains import make_terrain
from gambol.world.terrains.ground import Ground
from gambol.world.terrains.looks import SAND
from gambol.world.terrains.parts import Layout, ramp
from gambol.world.world import World

SETTLE, SECONDS = 3.0, 10.0
DEFAULT_SOLREF, DEFAULT_SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)


@register
class Incline(Ground):
    """Sloped from the start on: the feet stand on one tilted box."""

    name, doc = "incline", "one sloped box under the start"

    @dataclass
    class Params(BaseParams):
        pass

    def lay_out(self) -> Layout:
        rise = float(np.tan(np.radians(10.0)))
        return Layout(-3.0, [ramp((-2.0, 2.0), (-2.0 * rise, 2.0 * rise), 3.0, -3.0, SAND)], floor_material="ground")


def with_feet(character: Character, solref: tuple[float, ...], solimp: tuple[float, ...]) -> Character:
    """The same character with other contacts under its feet."""
    spec = character.spec.copy()
    for geom in spec.geoms:
        if geom.name.endswith("_rail"):
            geom.solref, geom.solimp = list(solref), list(solimp)
    return replace(character, spec=spec)


def measure(terrain: str, force: float, feet: str, cone: str, impratio: float, seconds: float) -> tuple[float, ...]:
    """Mean and largest penetration (mm), creep (mm/s)."""
    human = make_character("human")
    if feet == "default":
        human = with_feet(human, DEFAULT_SOLREF, DEFAULT_SOLIMP)
    world = World(human, make_terrain(terrain), seed=0)
    world.model.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}")
    world.model.opt.impratio = impratio
    world.reset()  # the settings must not change between the halves of a step
    if force:
        world.push(Push(0.5, "trunk", (0.0, force, 0.0), 1e4))
    behavior, figure = make_behavior("balance", world), world.figure
    depths, places = [], []
    while world.time < SETTLE + seconds - 1e-9:
        world.step(behavior.act())
        if world.contacts.fallen(figure):
            return (np.nan, np.nan, np.nan)
        if world.time >= SETTLE:
            points = figure.sole_points()
            ground = world.terrain.height(points[:, 0], points[:, 1])
            normal = world.terrain.normal(points[:, 0], points[:, 1])
            depths.append((ground - points[:, 2]) * normal[:, 2])
            places.append(world.data.xpos[[sole.body for sole in figure.soles]])
    depth = np.maximum(np.array(depths), 0.0)
    drift = np.linalg.norm(places[-1] - places[0], axis=-1)
    return 1e3 * depth.mean(), 1e3 * depth.max(), 1e3 * drift.max() / seconds


CASES = {"level, quiet": ("flat", 0.0), "level, 40 N sideways": ("flat", 40.0), "10 degree box": ("incline", 0.0)}
SETTINGS = {
    "gambol: solref .004, elliptic, impratio 100": ("gambol", "elliptic", 100.0),
    "the same, but impratio 1": ("gambol", "elliptic", 1.0),
    "the same, but pyramidal, impratio 1": ("gambol", "pyramidal", 1.0),
    "the same, but default solref and solimp": ("default", "elliptic", 100.0),
    "MuJoCo defaults: solref .02, pyramidal, impratio 1": ("default", "pyramidal", 1.0),
}

if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    print("| case | settings | mean depth mm | deepest mm | creep mm/s |\n|---|---|---|---|---|")
    for case, (terrain, force) in CASES.items():
        for name, settings in SETTINGS.items():
            mean, deepest, creep = measure(terrain, force, *settings, seconds)
            print(f"| {case} | {name} | {mean:.3f} | {deepest:.3f} | {creep:.2g} |", flush=True)
