"""Runs: what is to be simulated (`Trial`), the one loop that does it (`Performance`), and what came of it (`Run`)."""

from gambol.runs.performance import Performance
from gambol.runs.run import Run, record, run
from gambol.runs.trial import Cast, Trial

__all__ = ["Cast", "Performance", "Run", "Trial", "record", "run"]
