"""Experiments by name. Importing this package registers all of them."""

from gambol.experiments import (
    balance,
    chain,
    com_sweep,
    integration,
    jumps,
    morphing,
    solvers,
    squat,
    synthesis,
    variants,
    walk_ablation,
    walk_bodies,
    walk_looks,
    walk_pushes,
    walking,
)
from gambol.experiments.experiment import EXPERIMENTS, Context, Experiment, Result, select

__all__ = [
    "EXPERIMENTS", "Context", "Experiment", "Result", "balance", "chain", "com_sweep", "integration", "jumps",
    "morphing", "select", "solvers", "squat", "synthesis", "variants", "walk_ablation", "walk_bodies", "walk_looks",
    "walk_pushes", "walking",
]
