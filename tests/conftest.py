"""Shared set-up: one BLAS thread, and worlds that start quickly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import gambol  # noqa: F401  sets the environment before MuJoCo and NumPy start
from browser import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless browser, one a file."""
    running = Browser()
    yield running
    running.close()
