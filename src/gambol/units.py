"""Units and constants of nature that every room shares: metres, seconds, kilograms, newtons, radians."""

from __future__ import annotations

GRAVITY = 9.81
"""Acceleration of free fall, m/s2: World builds no other, and `verify` accepts no other."""
ADULT_HEIGHT = 1.0
"""COM height of the body that lengths, times and speeds in Params and gains are meant for, m. On another body lengths
scale with its height, times and speeds with the root of that."""
