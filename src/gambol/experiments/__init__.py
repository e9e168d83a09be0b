"""Experiments by name. Importing this package registers all of them."""

from gambol.experiments import balance, chain, com_sweep, jumps, solvers, squat
from gambol.experiments.experiment import EXPERIMENTS, Context, Experiment, Result, select

__all__ = ["EXPERIMENTS", "Context", "Experiment", "Result", "balance", "chain", "com_sweep", "jumps",
           "select", "solvers", "squat"]
