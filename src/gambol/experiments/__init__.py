"""Experiments by name. Importing this package registers all of them."""

from gambol.experiments import (
    balance,
    chain,
    com_sweep,
    dodging,
    gaits,
    integration,
    jumps,
    morphing,
    planner_alone,
    preview_bodies,
    preview_looks,
    preview_pushes,
    replanning,
    rough_ground,
    solvers,
    squat,
    steering,
    synthesis,
    synthesis_ablation,
    synthesis_variations,
    variants,
    walk_ablation,
    walk_bodies,
    walk_looks,
    walk_pushes,
    walking,
)
from gambol.experiments.experiment import EXPERIMENTS, Context, Experiment, Result, select

__all__ = ["EXPERIMENTS", "Context", "Experiment", "Result", "balance", "chain", "com_sweep", "dodging", "gaits",
           "integration", "jumps", "morphing", "planner_alone", "preview_bodies", "preview_looks", "preview_pushes",
           "replanning", "rough_ground", "select", "solvers", "squat", "steering", "synthesis", "synthesis_ablation",
           "synthesis_variations", "variants", "walk_ablation", "walk_bodies", "walk_looks", "walk_pushes", "walking"]
