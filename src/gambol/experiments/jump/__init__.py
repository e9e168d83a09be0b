"""Jumps."""
