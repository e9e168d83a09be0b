"""Planned locomotion."""
