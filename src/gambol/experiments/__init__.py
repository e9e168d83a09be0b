"""Experiments by name. Importing this package registers all of them."""

from gambol.experiments import chain, solvers, squat
from gambol.experiments.experiment import EXPERIMENTS, Context, Experiment, Result, select

__all__ = ["EXPERIMENTS", "Context", "Experiment", "Result", "chain", "select", "solvers", "squat"]
