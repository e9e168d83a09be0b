"""Spline trajectories over phases: cubic Hermite between knots, bumps for limbs, quadratic forces.

Bumps and forces are ours; the rest is that of [mordatch2015, eq. 3.12 and 3.13].

A phase lasts `PHASE` seconds. With s in [0, 1] inside it, features run as cubic Hermite polynomials between the knots
at its ends. A cubic that starts and ends at rest on the ground never leaves the ground, which is why feet of the
published method skim; so limbs have two more polynomials a phase, s^2 (1-s)^2 and its odd sibling, which vanish with
their slopes at both ends. Forces are quadratic inside a phase and may jump between phases.
"""

from __future__ import annotations

import numpy as np

PHASE = 0.5
"""Duration of a phase, s."""
SAMPLES = np.linspace(0.03, 0.97, 5)
"""Where in a phase the costs are evaluated: near its ends too, where forces and speeds would else run free."""
GRIDS = {"few": SAMPLES, "many": (np.arange(24) + 0.5) / 24, "most": (np.arange(48) + 0.5) / 48}
"""Samples by name. It is checked at many that nothing goes through anything, which takes less time; at most of all for
corners of soles, which are quick and pass edges closely."""
BUMPS, NODES = 2, 3
"""Extra polynomials of a limb, and force values, in a phase."""


def hermite(s: np.ndarray, phase: float = PHASE) -> np.ndarray:
    """Weights of (x, x') at the last knot and (x, x') at the next for value, velocity, acceleration: (len(s), 3, 4)."""
    one = np.ones_like(s)
    value = [2 * s**3 - 3 * s**2 + 1, (s**3 - 2 * s**2 + s) * phase, -2 * s**3 + 3 * s**2, (s**3 - s**2) * phase]
    first = [(6 * s**2 - 6 * s) / phase, 3 * s**2 - 4 * s + 1, (-6 * s**2 + 6 * s) / phase, 3 * s**2 - 2 * s]
    second = [(12 * s - 6) / phase**2, (6 * s - 4) / phase, (-12 * s + 6) / phase**2, (6 * s - 2) * one / phase]
    return np.stack([np.stack(rows, -1) for rows in (value, first, second)], axis=1)


def bumps(s: np.ndarray, phase: float = PHASE) -> np.ndarray:
    """The two bumps, even (height 1) and odd, with velocity and acceleration: (len(s), 3, 2)."""
    even = np.polynomial.Polynomial([0, 0, 16, -32, 16])
    odd = even * np.polynomial.Polynomial([-2, 4])
    return np.stack([np.stack([p.deriv(k)(s) if k else p(s) for p in (even, odd)], -1) / phase**k for k in range(3)],
                    axis=1)


def quadratic(s: np.ndarray) -> np.ndarray:
    """Weights of the values at the phase's start, middle and end: (len(s), 3)."""
    return np.stack([2 * (s - 0.5) * (s - 1), -4 * s * (s - 1), 2 * s * (s - 0.5)], axis=-1)
