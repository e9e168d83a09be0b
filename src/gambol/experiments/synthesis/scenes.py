"""Contact-invariant optimisation: shipped scenes over seeds, with the facts that should emerge.

The tasks are those of [mordatch2015, section 3.4]. Needs the extra `synthesis`; JAX is imported only when an experiment
runs.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.experiments.experiment import Context, Result, Row, count_of, experiment, report
from gambol.reporting.pictures import Picture, film
from gambol.reporting.plots import axes, svg

if TYPE_CHECKING:
    from gambol.synthesis.synthesize import Result as Synthesized

SEEDS, NEEDED = 5, 4
MOVES = 0.1
"""Speed (m/s) from which a prop counts as moving."""
HAND, FOOT = ("left_hand", "right_hand"), ("left_foot", "right_foot")


def steps(result: Synthesized) -> list[int]:
    """Which foot makes each step, in the order of time."""
    from gambol.synthesis.measures import swings
    from gambol.synthesis.trajectory import Trajectory

    found = swings(Trajectory(result.solution.problem, result.solution.z))
    return [limb for _, limb, _ in sorted(found, key=lambda swing: swing[2].start)]


def load_on(result: Synthesized, parts: tuple[str, ...]) -> float:
    """Largest load on any of the parts, as a share of the weight."""
    names = result.motion.meta["contacts"]
    return float(max(result.motion.extra["contact_load"][:, names.index(part)].max() for part in parts))


def alternates(result: Synthesized) -> bool:
    """At least two steps a foot, left and right by turns."""
    order = steps(result)
    return min(order.count(0), order.count(1)) >= 2 and all(a != b for a, b in pairwise(order))


def stays(result: Synthesized) -> bool:
    root = result.motion.qpos[:, :3]
    return bool(np.abs(root - root[0]).max() < 0.1)


def on_hands(result: Synthesized) -> bool:
    """Both palms loaded and the feet above the hips at the end."""
    names = result.motion.meta["contacts"]
    last = result.motion.extra["contact_load"][-1]
    hands, feet = ([last[names.index(part)] for part in parts] for parts in (HAND, FOOT))
    return bool(min(hands) > 0.1 and max(feet) < 0.05)


def holds(result: Synthesized) -> tuple[np.ndarray, np.ndarray]:
    """Whether the prop moves, (t,), and the impulse that each character spends on it, N s, (t, characters)."""
    from gambol.synthesis.trajectory import Trajectory

    path = Trajectory(result.solution.problem, result.solution.z)
    layout, actors = path.problem.layout, path.problem.actors
    prop = len(actors) - 1
    moves = np.linalg.norm(path.speed[:, layout.roots[prop]], axis=-1) > MOVES
    force = np.linalg.norm(path.force, axis=-1) * actors[0].puppet.mass
    held = [force[:, (layout.contacts[:, 0] == a) & (layout.contacts[:, 4] == prop)].sum(axis=1) for a in range(prop)]
    return moves, np.stack(held, axis=1) * (path.time[1] - path.time[0])


def grips_first(result: Synthesized) -> bool:
    """Whether a hand holds the prop whenever it moves."""
    moves, held = holds(result)
    return bool(moves.any() and (held[moves].sum(axis=1) > 0).all())


def carried(result: Synthesized) -> float:
    """Share of the second character in carrying the prop."""
    spent = holds(result)[1].sum(axis=0)
    return float(spent[1] / spent.sum())


def trots(result: Synthesized) -> bool:
    """Whether feet across the body carry load together more than the two in front."""
    names, load = result.motion.meta["contacts"], result.motion.extra["contact_load"]
    on = {name: load[:, names.index(name)] > 0.05 for name in names if name.endswith("_foot")}
    pairs = (("front_left", "hind_right"), ("front_right", "hind_left"), ("front_left", "front_right"))
    first, second, front = (np.corrcoef(on[f"{a}_foot"], on[f"{b}_foot"])[0, 1] for a, b in pairs)
    return bool((first + second) / 2 > front)


def stands_on_partner(result: Synthesized) -> bool:
    """Whether the feet of the first character carry it on the second at the end."""
    problem = result.solution.problem
    feet = [row[3] for row in problem.layout.contacts
            if (row[0], row[4]) == (0, 1) and problem.actors[0].puppet.limbs[row[1]].is_foot]
    return bool(result.motion.extra["contact_load"][-1, feet].sum() > 0.5)


Fact = tuple[str, Callable[[Any], bool]]
CASES: dict[str, tuple[Fact, ...]] = {
    "stand": (("the trunk moves less than 10 cm", stays),),
    "walk": (("at least two steps a foot, by turns", alternates),),
    "getup_back": (),
    "getup_stomach": (),
    "step_over": (("no load on the hands", lambda r: load_on(r, HAND) < 0.05),),
    "prop_over": (("load on the hands", lambda r: load_on(r, HAND) > 0.2),),
    "climb_wall": (("load on the hands", lambda r: load_on(r, HAND) > 0.2),),
    "handstand": (("both palms loaded, feet up", on_hands),),
    "handstand_travel": (("both palms loaded, feet up", on_hands),),
    "handstand_turn": (("both palms loaded, feet up", on_hands),),
    "punch": (),
    "kick": (),
    "wide_biped_getup": (),
    "wide_biped_walk": (("at least two steps a foot, by turns", alternates),),
    "wide_biped_box": (),
    "dinosaur_getup": (),
    "dinosaur_walk": (("at least two steps a foot, by turns", alternates),),
    "dinosaur_box": (),
    "quadruped_walk": (("feet across the body together, more than the front pair", trots),),
    "quadruped_getup": (),
    "quadruped_box": (),
    "carry": (("a hand holds the box whenever it moves", grips_first),),
    "share": (("a hand holds the box whenever it moves", grips_first),
              ("each carries at least a quarter", lambda r: 0.25 < carried(r) < 0.75)),
    "share_unequal": (("who pays ten times as much carries less than a quarter: half of an equal share",
                       lambda r: carried(r) < 0.25),),
    "shoulders": (("stands on the partner at the end", stands_on_partner),),
}
"""Scene -> what should emerge without being asked for."""


def gait_chart(result: Synthesized) -> bytes:
    """Which contact carries how much, over time: hands and feet always, other parts where they are used."""
    names, load = result.motion.meta["contacts"], result.motion.extra["contact_load"]
    shown = [i for i, name in enumerate(names) if name.endswith(("_hand", "_foot")) or load[:, i].max() > 0.05]
    figure, (axis,) = axes(height=1.2 + 0.25 * len(shown))
    axis.set_xlabel("time (s)")
    axis.imshow(np.minimum(load[:, shown].T, 1.5), aspect="auto", cmap="Greys", vmin=0, vmax=1.2, origin="lower",
                extent=(0, result.motion.seconds, -0.5, len(shown) - 0.5), interpolation="nearest")
    axis.set_yticks(range(len(shown)), [names[i].replace("_", " ") for i in shown])
    axis.set_yticks(np.arange(len(shown)) - 0.5, minor=True)
    axis.grid(which="minor", axis="y", linewidth=0.5)
    return svg(figure)


def looks(name: str, result: Synthesized) -> list[Picture]:
    """A film strip, and the contacts over time."""
    times = np.linspace(0.0, result.motion.seconds, 9)
    view = {"bearing": 85.0, "zoom": 1.1} if result.scene.obstacles else {"bearing": 60.0, "zoom": 1.3}  # past walls
    return [*film(result.motion, times, f"{name}, every {times[1]:.2f} s", **view),
            Picture(f"{name}: load on each contact (black: the weight)", gait_chart(result))]


def run_scene(context: Context, name: str) -> Result:
    """One scene over seeds."""
    from gambol.synthesis.scene_file import find_scene
    from gambol.synthesis.synthesize import synthesize

    facts = CASES[name]
    scene, count = find_scene(name), 1 if context.quick else SEEDS
    results = []
    for k in range(count):
        results.append(synthesize(scene, context.seed + k))
        context.tell((k + 1) / count)
    least = 1 if context.quick else NEEDED
    rows: list[Row] = [count_of(f"{name}: all residuals within their limits", "video only",
                                sum(r.solved for r in results), count, least)]
    rows += [count_of(f"{name}: {what}", "reported", sum(holds(r) for r in results), count, least)
             for what, holds in facts]
    best = min(results, key=lambda r: sum(not m.good for m in r.measures))
    rows += [Row(f"{name}, best seed: {m.name}", "-", f"{m.value:.3g} {m.unit} (limit {m.limit:g})", "report")
             for m in best.measures]
    rows.append(report(f"{name}: seconds to the Motion, by seed", "120 to 600 s on four cores",
                       ", ".join(f"{r.seconds:.1f}" for r in results)))
    return Result(rows, looks(f"{name}, seed {best.solution.seed}", best), motions={name: best.motion})


def _register(name: str) -> None:
    def run(context: Context) -> Result:
        return run_scene(context, name)

    run.__doc__ = f"Scene {name} over {SEEDS} seeds from the start pose alone"
    experiment(f"synthesis-{name.replace('_', '-')}", group="synthesis", source="[mordatch2015, section 3.4]",
               published="shown on video, 2 to 10 min each")(run)


for _name in CASES:
    _register(_name)
