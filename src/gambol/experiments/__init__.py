"""Experiments by name. Importing this package registers all of them."""

from gambol.experiments import balance, chain, com_sweep, integration, jumps, solvers, squat, variants
from gambol.experiments.experiment import EXPERIMENTS, Context, Experiment, Result, select

__all__ = ["EXPERIMENTS", "Context", "Experiment", "Result", "balance", "chain", "com_sweep", "integration", "jumps",
           "select", "solvers", "squat", "variants"]
