"""Runs: what is to be simulated (`Trial`), the one loop that does it (`Performance`), and what came of it (`Run`)."""

from gambol.runs.cast import Cast
from gambol.runs.performance import Performance
from gambol.runs.run import Run, record, run
from gambol.runs.trial import Trial

__all__ = ["Cast", "Performance", "Run", "Trial", "record", "run"]
