"""Shapes of the compass around a character: the ring, the arrow of its heading, the arrow of its way."""

from __future__ import annotations

import numpy as np

RING = (0.60, 0.625)
"""Inner and outer radius for a body whose centre of mass is 1 m high."""
ARROW = ((0.65, 0.14), (0.90, 0.0), (0.65, -0.14), (0.71, 0.0))
"""Corners of the arrow that points along x, for the same body."""
WAY = ((0.95, 0.08), (1.08, 0.0), (0.95, -0.08), (0.98, 0.0))
"""The same of the small arrow that shows where it goes, if that is not where it faces."""
THICKNESS = 0.03


def ring(size: float, corners: int = 72) -> tuple[np.ndarray, np.ndarray]:
    """A flat ring, as vertices and triangles."""
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(corners)])
    inner, outer = np.arange(corners), corners + np.arange(corners)
    after = np.roll(inner, -1)
    return (size * np.vstack([RING[0] * circle, RING[1] * circle]),
            np.concatenate([np.column_stack([inner, outer, after]), np.column_stack([outer, corners + after, after])]))


def arrow(size: float, corners: tuple[tuple[float, float], ...] = ARROW) -> tuple[np.ndarray, np.ndarray]:
    """A thick arrow head that lies on the ground."""
    flat = np.column_stack([np.array(corners), np.zeros(4)])
    vertices = np.vstack([flat, flat + [0.0, 0.0, THICKNESS]])
    top = np.array([(4, 7, 5), (7, 6, 5)])
    sides = [(k, (k + 1) % 4, 4 + k) for k in range(4)] + [((k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    return size * vertices, np.vstack([top, np.array(sides)])


def upright_turn(degrees: float) -> tuple[float, float, float, float]:
    """A turn about the vertical as a quaternion, w first."""
    half = np.radians(degrees) / 2
    return (float(np.cos(half)), 0.0, 0.0, float(np.sin(half)))
