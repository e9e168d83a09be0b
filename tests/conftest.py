"""Shared set-up: one BLAS thread, and worlds that start quickly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import gambol  # noqa: F401  sets the environment before MuJoCo and NumPy start
from browser import Browser
from foreign_tools import robot


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
