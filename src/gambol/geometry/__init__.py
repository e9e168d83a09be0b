"""Shapes: signed distance, nearest point and normal, written once for NumPy and JAX. Knows no body."""
