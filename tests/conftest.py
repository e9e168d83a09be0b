"""Shared set-up: one BLAS thread, and worlds that start quickly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gambol  # noqa: F401  sets the environment before MuJoCo and NumPy start
from browser import Browser
from foreign_tools import robot

if TYPE_CHECKING:
    import numpy as np

    from gambol.synthesis.problem import Problem


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless browser, one a file."""
    running = Browser()
    yield running
    running.close()


@pytest.fixture()
def robot_file(tmp_path: Path) -> Path:
    """The small model of `foreign_tools`, as a file."""
    return robot(tmp_path)


@pytest.fixture(scope="session")
def problem() -> Problem:
    """A short problem of synthesis, for files that have found JAX."""
    from short_problem import short_problem

    return short_problem()


@pytest.fixture(scope="session")
def guess(problem: Problem) -> np.ndarray:
    """A solution of it away from all kinks."""
    from short_problem import off_kinks

    return off_kinks(problem)
