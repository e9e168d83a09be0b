"""Shared set-up: one BLAS thread, and worlds that start quickly."""

from __future__ import annotations

import gambol  # noqa: F401  sets the environment before MuJoCo and NumPy start
