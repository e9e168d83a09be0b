"""Old modules and names: for one release they lead to the new ones, with a warning that says where these are."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MODULES = {
    "behaviors.bearing": "behaviors.locomote.posture",
    "behaviors.senses": "behaviors.locomote.perception",
    "behaviors.swing": "behaviors.locomote.swing",
    "bench": "cli.bench",
    "bodies.anatomy_file": "bodies.mjcf.anatomy_file",
    "bodies.dinosaur": "bodies.creatures.dinosaur",
    "bodies.extraction": "bodies.mjcf.extraction",
    "bodies.facing": "bodies.mjcf.facing",
    "bodies.folding": "bodies.shape.folding",
    "bodies.foreign": "bodies.mjcf.foreign",
    "bodies.human": "bodies.creatures.human",
    "bodies.human_looks": "bodies.creatures.human_looks",
    "bodies.inference": "bodies.mjcf.inference",
    "bodies.inspection": "bodies.mjcf.inspection",
    "bodies.mjcf_source": "bodies.mjcf.source",
    "bodies.ostrich": "bodies.creatures.ostrich",
    "bodies.people": "bodies.creatures.people",
    "bodies.planar": "bodies.creatures.planar",
    "bodies.quadruped": "bodies.creatures.quadruped",
    "bodies.refit": "bodies.mjcf.refit",
    "bodies.scaling": "bodies.shape.scaling",
    "bodies.soles": "bodies.mjcf.soles",
    "bodies.standing": "bodies.mjcf.standing",
    "bodies.strength": "bodies.mjcf.strength",
    "bodies.wide_biped": "bodies.creatures.wide_biped",
    "control.active": "control.qp.active_set",
    "control.bounded": "control.qp.bounded",
    "control.contacts": "control.contact",
    "control.dual": "control.qp.row_space",
    "control.factors": "control.qp.pivoted_qr",
    "control.priorities": "control.qp.priorities",
    "demo": "cli.demo",
    "experiments.chain": "experiments.planar.chain",
    "experiments.com_sweep": "experiments.balance.com_sweep",
    "experiments.dodging": "experiments.locomote.dodging",
    "experiments.gait": "experiments.walked",
    "experiments.gaits": "experiments.locomote.gaits",
    "experiments.integration": "experiments.walk.integration",
    "experiments.jumps": "experiments.jump.jumps",
    "experiments.morphing": "experiments.balance.morphing",
    "experiments.planner_alone": "experiments.locomote.planner_alone",
    "experiments.plots": "reporting.plots",
    "experiments.preview_bodies": "experiments.locomote.bodies",
    "experiments.preview_looks": "experiments.locomote.looks",
    "experiments.preview_pushes": "experiments.locomote.pushes",
    "experiments.replanning": "experiments.locomote.replanning",
    "experiments.roaming": "experiments.locomote.roaming",
    "experiments.rough_ground": "experiments.locomote.rough_ground",
    "experiments.squat": "experiments.planar.squat",
    "experiments.steering": "experiments.locomote.steering",
    "experiments.synthesis_ablation": "experiments.synthesis.ablation",
    "experiments.synthesis_variations": "experiments.synthesis.variations",
    "experiments.takes": "runs.run",
    "experiments.variants": "experiments.solvers.variants",
    "experiments.walk_ablation": "experiments.walk.ablation",
    "experiments.walk_bodies": "experiments.walk.bodies",
    "experiments.walk_looks": "experiments.walk.looks",
    "experiments.walk_pushes": "experiments.walk.pushes",
    "experiments.walking": "experiments.walk.ranges",
    "features.kinematics": "kinematics.kinematics",
    "motion.bvh": "motion.formats.bvh",
    "motion.bvh_reader": "motion.formats.bvh_reader",
    "motion.files": "files",
    "motion.glb": "motion.formats.glb",
    "motion.gltf": "motion.formats.gltf",
    "motion.rotations": "rotations",
    "motion.skeleton": "motion.formats.skeleton",
    "motion.skin": "motion.formats.skin",
    "motion.table": "motion.formats.table",
    "motion.video": "motion.formats.video",
    "own": "plugins",
    "planning.pace": "planning.step_targets",
    "planning.preview.wanted": "planning.preview.goal_terms",
    "planning.stepping": "planning.step_adaptation",
    "planning.strides": "planning.contact_phase",
    "studio.setup": "studio.session",
    "synthesis.command": "cli.solve_report",
    "synthesis.progress": "cli.solve_progress",
    "synthesis.stopping": "stopping",
    "synthesis.watch": "studio.watch",
    "world.drives": "world.actuated",
}
"""Old module to new module, below `gambol`."""
NAMES = {
    "behaviors.balance.ARM_WEIGHT": "control.pose_gains.ARM_WEIGHT",
    "behaviors.balance.CONTACT_KP": "control.contact.objectives.CONTACT_KP",
    "behaviors.balance.EDGE": "behaviors.balance.BalanceGains.edge",
    "behaviors.balance.FOOT_KP": "control.contact.objectives.FOOT_KP",
    "behaviors.balance.FRICTION": "control.contact.gains.SupportGains.counted_on",
    "behaviors.balance.HOLD": "control.contact.objectives.HOLD",
    "behaviors.balance.LEAN_DROP": "behaviors.balance.BalanceGains.lean_drop",
    "behaviors.balance.LEG_WEIGHT": "control.pose_gains.LEG_WEIGHT",
    "behaviors.balance.MOST_TURN": "behaviors.balance.BalanceGains.most_turn",
    "behaviors.balance.SAFE": "behaviors.balance.BalanceGains.safe",
    "behaviors.balance.SPINE_WEIGHT": "control.pose_gains.SPINE_WEIGHT",
    "behaviors.bearing.ARMS_IN_AIR": "behaviors.locomote.posture.PostureGains.arms_in_air",
    "behaviors.bearing.CALM": "behaviors.locomote.posture.PostureGains.calm",
    "behaviors.bearing.SPIN": "behaviors.locomote.posture.PostureGains.spin",
    "behaviors.bearing.STRIDING": "behaviors.locomote.posture.PostureGains.striding",
    "behaviors.jump.ADULT_HEIGHT": "units.ADULT_HEIGHT",
    "behaviors.limbs.ANKLE_SPARE": "behaviors.limbs.LimbGains.ankle_spare",
    "behaviors.limbs.rest_gains": "control.pose_gains.walking_gains",
    "behaviors.locomote.HARD": "behaviors.locomote.gains.LocomoteGains.hard",
    "behaviors.walk.LEAST_LIFT": "behaviors.walk.gains.FootGains.least_lift",
    "behaviors.walk.MOST_HEAD_TURN": "behaviors.walk.gains.WalkGains.most_head_turn",
    "behaviors.walk.MOST_SWAY": "behaviors.walk.gains.WalkGains.most_sway",
    "cli.err": "console.err",
    "cli.milestones": "console.milestones",
    "cli.out": "console.out",
    "cli.progress_bar": "console.progress_bar",
    "control.contacts.BIAS": "control.contact.patches.BIAS",
    "control.contacts.FORCE_UNIT": "control.contact.cones.FORCE_UNIT",
    "control.contacts.HEIGHT": "control.contact.patches.HEIGHT",
    "control.contacts.MOTION": "control.contact.patches.MOTION",
    "control.contacts.NEAR": "control.contact.patches.NEAR",
    "control.contacts.NORMAL": "control.contact.patches.NORMAL",
    "control.contacts.POSITION": "control.contact.patches.POSITION",
    "control.contacts.RAYS": "control.contact.cones.RAYS",
    "control.contacts.SolePointTable": "control.contact.patches.PatchPoints",
    "control.contacts.SoleState": "control.contact.patches.PatchState",
    "control.contacts.VELOCITY": "control.contact.patches.VELOCITY",
    "control.contacts.WIDTH": "control.contact.patches.WIDTH",
    "control.contacts.friction_rays": "control.contact.cones.friction_rays",
    "control.contacts.rigid_motions": "control.contact.support.rigid_motions",
    "control.contacts.sole_states": "control.contact.bare_ground.sole_states",
    "experiments.balance.DIRECTIONS": "experiments.balance.pushes.DIRECTIONS",
    "experiments.balance.PUSH": "experiments.balance.pushes.PUSH",
    "experiments.balance.best": "experiments.balance.pushes.best",
    "experiments.balance.ladder": "experiments.balance.pushes.ladder",
    "experiments.balance.pushed": "experiments.balance.pushes.pushed",
    "experiments.planar.PLANE": "experiments.planar.analysis.PLANE",
    "experiments.planar.Plan": "experiments.planar.analysis.Plan",
    "experiments.planar.Rig": "experiments.planar.analysis.Rig",
    "experiments.planar.STEP": "experiments.planar.analysis.STEP",
    "experiments.planar.Trace": "experiments.planar.analysis.Trace",
    "experiments.planar.on_accelerations": "experiments.planar.analysis.on_accelerations",
    "experiments.planar.play": "experiments.planar.analysis.play",
    "experiments.plots.film": "reporting.pictures.film",
    "experiments.report.CSS": "reporting.page.CSS",
    "experiments.report.MIME": "reporting.page.MIME",
    "experiments.report.html_table": "reporting.page.html_table",
    "experiments.solvers.KINDS": "experiments.solvers.priorities.KINDS",
    "experiments.solvers.box": "experiments.solvers.priorities.box",
    "experiments.solvers.conflicting_levels": "experiments.solvers.priorities.conflicting_levels",
    "experiments.solvers.lexicographic_gap": "experiments.solvers.priorities.lexicographic_gap",
    "experiments.solvers.random_levels": "experiments.solvers.priorities.random_levels",
    "experiments.solvers.weighted_solution": "experiments.solvers.priorities.weighted_solution",
    "experiments.solvers.well_conditioned": "experiments.solvers.priorities.well_conditioned",
    "experiments.synthesis.gait_chart": "experiments.synthesis.scenes.gait_chart",
    "experiments.synthesis.looks": "experiments.synthesis.scenes.looks",
    "experiments.takes.CALM_FOR": "runs.endings.CALM_FOR",
    "experiments.takes.CALM_SPEED": "runs.endings.CALM_SPEED",
    "experiments.takes.Change": "runs.trial.Change",
    "experiments.takes.Each": "runs.performance.Watch",
    "experiments.takes.Take": "runs.run.Run",
    "experiments.takes.calm_after": "runs.endings.calm_after",
    "planning.footholds.BACK": "planning.footholds.FootholdGains.back",
    "planning.footholds.HANDS": "planning.footholds.FootholdGains.hands",
    "planning.footholds.MARGIN": "planning.footholds.FootholdGains.margin",
    "planning.footholds.STRIDE": "planning.footholds.FootholdGains.stride",
    "planning.gait.DOUBLE_SUPPORT": "planning.gait.GaitGains.double_support",
    "planning.gait.SLOWER": "planning.gait.GaitGains.slower",
    "planning.pace.BRISK": "planning.step_targets.StepGains.brisk",
    "planning.pace.GAIN": "planning.step_targets.StepGains.gain",
    "planning.pace.LOSS": "planning.step_targets.StepGains.loss",
    "planning.pace.QUICKEST": "planning.step_targets.StepGains.quickest",
    "planning.pace.SLOW": "planning.step_targets.StepGains.slow",
    "planning.pace.SLOWEST": "planning.step_targets.StepGains.slowest",
    "planning.pace.TOO_FAST": "planning.step_targets.StepGains.too_fast",
    "planning.pace.WALKS_TO": "planning.step_targets.StepGains.walks_to",
    "planning.preview.landings.CLIMB": "planning.preview.gains.LandingGains.climb",
    "planning.preview.planner.COLD_STEPS": "planning.preview.gains.SearchGains.cold_steps",
    "planning.preview.planner.EVENT_STEPS": "planning.preview.gains.SearchGains.event_steps",
    "planning.preview.planner.WARM_STEPS": "planning.preview.gains.SearchGains.warm_steps",
    "planning.preview.schedule.DOUBLE_LEAST": "planning.preview.gains.ScheduleGains.double_least",
    "planning.preview.schedule.FLIGHT_LEAST": "planning.preview.gains.ScheduleGains.flight_least",
    "planning.preview.schedule.LANDS_LEAST": "planning.preview.gains.ScheduleGains.lands_least",
    "planning.preview.schedule.SWING_LEAST": "planning.preview.gains.ScheduleGains.swing_least",
    "planning.preview.stances.UNSTEERED": "planning.preview.gains.StanceGains.unsteered",
    "planning.preview.threats.PASSING": "planning.preview.gains.ThreatGains.passing",
    "planning.preview.wanted.DROPS": "planning.preview.gains.AimGains.drops",
    "planning.strides.CLOSE": "planning.contact_phase.StrideGains.close",
    "planning.strides.RISING": "planning.contact_phase.StrideGains.rising",
    "planning.strides.TOUCHING": "planning.contact_phase.StrideGains.touching",
    "rollout.BLACK_BOX": "runs.run.BLACK_BOX",
    "synthesis.command.Teller": "cli.solve_report.Reporter",
    "synthesis.problem.GRIP": "synthesis.contacts.GRIP",
    "synthesis.problem.HAND": "synthesis.contacts.HAND",
    "world.figure.Sole": "world.patches.FigurePatch",
    "world.terrain.TERRAINS": "world.terrains.TERRAINS",
    "world.terrain.make_terrain": "world.terrains.make_terrain",
}
"""Old name to new name, below `gambol`; a name of a class is the default of a gain."""
ENDED = {
    "experiments.walk_ablation.owner": "an ablation is gains now: gambol.experiments.walk.ablation.Ablation.gains",
    "experiments.walk_ablation.switched":
        "an ablation is gains now: gambol.experiments.walk.ablation.Ablation.gains",
    "motion.kinematics.body_id": "use gambol.motion.kinematics.share_of(motion).body_id(role)",
    "planning.capture.turn_offset": "it is (L_y, -L_x) / (m g)",
    "planning.preview.heels.HEEL_RISE": "its numbers are gains now: gambol.planning.preview.gains.RisingGains",
    "planning.preview.heels.TIPTOE": "its numbers are gains now: gambol.planning.preview.gains.RisingGains",
    "planning.preview.heels.TOE_OFF": "its numbers are gains now: gambol.planning.preview.gains.RisingGains",
    "planning.preview.planner.WAITS": "its numbers are gains now: gambol.planning.preview.gains.SearchGains",
    "planning.preview.soles.UNDER": "its numbers are gains now: gambol.planning.preview.gains.SoleGains",
    "studio.setup.Setup": "use gambol.runs.Trial.of(behavior, character, terrain=..., settings=..., seed=...)",
    "synthesis.progress.dearest": "use news.dearest(count)",
}
"""Names that nothing else has taken the place of, below `gambol`, and what to do instead."""
_LACKING = {name.rpartition(".")[0] for name in (*NAMES, *ENDED)} - set(MODULES)
"""Modules that still are where they were, but without all of their names."""


class _Old(MetaPathFinder, Loader):
    """Asked first: old modules are stand-ins for the new ones, and modules that have lost names find them again."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, old = name.partition(".")
        if package != "gambol":
            return None
        if old in MODULES:
            return ModuleSpec(name, self)
        return self._with_old_names(name, path, target) if old in _LACKING else None

    def _with_old_names(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        found = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                module.__getattr__ = partial(_old_name, name)  # type: ignore[method-assign]

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = "gambol." + MODULES[spec.name.removeprefix("gambol.")]
        warnings.warn(f"{spec.name} has moved to {new}; the old path goes with the next release",
                      DeprecationWarning, stacklevel=2)
        stand_in = _StandIn(spec.name, f"Moved to `{new}`.")
        stand_in.__getattr__ = partial(_old_name, spec.name, moved=import_module(new))  # type: ignore[method-assign]
        return stand_in

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: the new module has run."""


class _StandIn(ModuleType):
    """An old module. One like `gambol.bodies.human`, now a function's name only, can be called like that function."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*given, **named)


def _old_name(module: str, name: str, moved: ModuleType | None = None) -> Any:
    """What has become of a name that is not in its module, or that is asked of a module that has moved."""
    full = f"{module}.{name}"
    old = full.removeprefix("gambol.")
    if old in ENDED:
        raise ImportError(f"there is no {full} any more: {ENDED[old]}")
    if old in NAMES:
        warnings.warn(f"{full} has moved to gambol.{NAMES[old]}; the old name goes with the next release",
                      DeprecationWarning, stacklevel=2)
        return _found(NAMES[old])
    if moved is not None and name != "__path__":  # an old module is no package, whatever the new one is
        return getattr(moved, name)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def _found(name: str) -> Any:
    """What a dotted name below `gambol` stands for."""
    from pkgutil import resolve_name

    return resolve_name(f"gambol.{name}")


def lead_on() -> None:
    """Let old modules and names lead to new ones."""
    if not any(isinstance(finder, _Old) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Old())
