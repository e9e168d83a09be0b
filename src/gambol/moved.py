"""Old module paths: for one release they lead to the new ones, with a warning that names them.

Experiments, private helpers and modules that share their name with a built-in character are left out.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "behaviors.bearing": "behaviors.locomote.posture",
    "behaviors.senses": "behaviors.locomote.perception",
    "behaviors.swing": "behaviors.locomote.swing",
    "bench": "cli.bench",
    "bodies.anatomy_file": "bodies.mjcf.anatomy_file",
    "bodies.extraction": "bodies.mjcf.extraction",
    "bodies.facing": "bodies.mjcf.facing",
    "bodies.folding": "bodies.shape.folding",
    "bodies.foreign": "bodies.mjcf.foreign",
    "bodies.human_looks": "bodies.creatures.human_looks",
    "bodies.inference": "bodies.mjcf.inference",
    "bodies.inspection": "bodies.mjcf.inspection",
    "bodies.mjcf_source": "bodies.mjcf.source",
    "bodies.people": "bodies.creatures.people",
    "bodies.planar": "bodies.creatures.planar",
    "bodies.refit": "bodies.mjcf.refit",
    "bodies.scaling": "bodies.shape.scaling",
    "bodies.soles": "bodies.mjcf.soles",
    "bodies.standing": "bodies.mjcf.standing",
    "bodies.strength": "bodies.mjcf.strength",
    "control.active": "control.qp.active_set",
    "control.contacts": "control.contact",
    "control.bounded": "control.qp.bounded",
    "control.dual": "control.qp.row_space",
    "control.factors": "control.qp.pivoted_qr",
    "control.priorities": "control.qp.priorities",
    "demo": "cli.demo",
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
    "synthesis.command": "cli.solve_report",
    "synthesis.progress": "cli.solve_progress",
    "synthesis.stopping": "stopping",
    "synthesis.watch": "studio.watch",
    "world.drives": "world.actuated",
}
"""Old path to new path, below `gambol`."""


class _OldPath(MetaPathFinder, Loader):
    """Asked last, when no module of a name was found."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, old = name.partition(".")
        return ModuleSpec(name, self) if package == "gambol" and old in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = "gambol." + MOVED[spec.name.removeprefix("gambol.")]
        warnings.warn(f"{spec.name} has moved to {new}; the old path goes with the next release",
                      DeprecationWarning, stacklevel=2)
        stand_in = ModuleType(spec.name, f"Moved to `{new}`.")
        moved = import_module(new)
        stand_in.__getattr__ = lambda attribute: getattr(moved, attribute)  # type: ignore[method-assign]
        return stand_in

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: the new module has run."""


def lead_on() -> None:
    """Let old paths lead to new ones."""
    if not any(isinstance(finder, _OldPath) for finder in sys.meta_path):
        sys.meta_path.append(_OldPath())
